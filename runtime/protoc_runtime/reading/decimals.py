"""One exact number: from the literal that was written, and back into text."""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction
from functools import cache

DIGITS = 400  # longest number that is read, with its exponent written out


def fraction(literal: str) -> Fraction:
    """The exact value of a JSON number; OverflowError if it has more than 400 digits, ValueError if it is none."""
    if not _literal().fullmatch(literal):
        raise ValueError(literal)
    digits, _, exponent = literal.lower().partition("e")
    if len(exponent) > 6 or len(digits) + abs(int(exponent or 0)) > DIGITS:
        raise OverflowError(literal)
    return Fraction(literal)


@cache
def _literal() -> re.Pattern[str]:
    """What a number of JSON looks like; most who write numbers read none."""
    return re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")


def places_of(value: Fraction) -> int | None:
    """How many decimal places an exact value has; None where it is no decimal fraction."""
    if value.denominator == 1:
        return 0
    below, counts = value.denominator, {2: 0, 5: 0}
    for factor in counts:
        while below % factor == 0:
            below //= factor
            counts[factor] += 1
    return max(counts.values()) if below == 1 else None


def decimal_text(value: Fraction) -> str:
    """A decimal fraction written out, without trailing zeros: `3`, `0.75`; `num/den` where it is none."""
    places = places_of(value)
    if places is None:
        return ratio_text(value)
    if places == 0:
        return _text(value.numerator)
    digits = _text(abs(value.numerator) * 10**places // value.denominator).rjust(places + 1, "0")
    return f"{'-' if value < 0 else ''}{digits[:-places]}.{digits[-places:]}"


def ratio_text(value: Fraction) -> str:
    """`num/den`, reduced."""
    return f"{_text(value.numerator)}/{_text(value.denominator)}"


def _text(number: int) -> str:
    """A whole number written out; `str` refuses one of more than 4,300 digits."""
    return f"{Decimal(number):f}"
