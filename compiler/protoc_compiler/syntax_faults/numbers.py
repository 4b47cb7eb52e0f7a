"""Numbers in forms of other languages, and what stands behind a number and is no unit."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal

from protoc_compiler.catalogue import syntax as kinds
from protoc_compiler.lexer import UNITS, Token
from protoc_compiler.nodes import brief
from protoc_compiler.suggest import hint
from protoc_compiler.syntax_faults.context import OPERAND_ENDS, OPERANDS, Context, Fault, fault

_UNIT_WORDS = {
    **dict.fromkeys(("msec", "msecs", "millis", "millisecond", "milliseconds", "MS"), "ms"),
    **dict.fromkeys(("sec", "secs", "second", "seconds", "S"), "s"),
    **dict.fromkeys(("m", "mins", "minute", "minutes"), "min"),
    **dict.fromkeys(("hr", "hrs", "hour", "hours", "H"), "h"),
    **dict.fromkeys(("b", "byte", "bytes"), "B"),
    **dict.fromkeys(("usd", "dollar", "dollars", "Usd"), "USD"),
    **dict.fromkeys(("eur", "euro", "euros", "Eur"), "EUR"),
}
_DECIMAL_SIZES = {"kB": "KiB", "KB": "KiB", "K": "KiB", "MB": "MiB", "GB": "GiB", "Mb": "MiB", "Gb": "GiB"}
_DAYS = {"d": 24, "day": 24, "days": 24, "week": 168, "weeks": 168}


def malformed(tokens: Sequence[Token]) -> Iterator[Fault]:
    """`.5`, `5.`, `1e-3`, `0x10`."""
    for index, token in enumerate(tokens[:-1]):
        before = tokens[index - 1] if index else None
        following = tokens[index + 1]
        joined = following.start == token.end
        if token.kind == "FIELD" and token.text[1:].isdigit() and not _ends_operand(before):
            yield _form(token, token, token.text, f"`0{token.text}`")
        elif token.kind == "NUMBER" and joined and following.text == ".":
            yield _form(token, following, token.text + ".", f"`{token.text}`")
        elif token.kind == "NUMBER" and joined and following.kind == "NAME":
            yield from _suffixed(tokens, index)
        elif token.kind == "DATE" and joined and following.kind in ("NAME", "QUANTITY"):
            last = _joined(tokens, index)
            found = "".join(item.text for item in tokens[index : last + 1])
            values = {"found": found, "problem": "is not a time of day in UTC"}
            yield Fault(kinds.DATE_FORM, token.start, tokens[last].end, values)


def _joined(tokens: Sequence[Token], index: int) -> int:
    """The index of the last token that follows without a space."""
    while tokens[index + 1].start == tokens[index].end and tokens[index + 1].text not in ("", ")", "]", ","):
        index += 1
    return index


def _ends_operand(token: Token | None) -> bool:
    return token is not None and token.kind in OPERAND_ENDS


def _suffixed(tokens: Sequence[Token], index: int) -> Iterator[Fault]:
    number, suffix = tokens[index], tokens[index + 1]
    if re.fullmatch(r"[eE][0-9]+", suffix.text):
        yield _scientific(number, suffix, number.text + suffix.text)
    elif suffix.text in ("e", "E") and tokens[index + 2].kind == "SIGN" and tokens[index + 3].kind == "NUMBER":
        last = tokens[index + 3]
        yield _scientific(number, last, number.text + suffix.text + tokens[index + 2].text + last.text)
    elif re.fullmatch(r"[xX][0-9a-fA-F]+|[bB][01]+|[oO][0-7]+", suffix.text) and number.text == "0":
        found = number.text + suffix.text
        yield _form(number, suffix, found, f"`{int(found, 0)}`")


def _scientific(first: Token, last: Token, found: str) -> Fault:
    digits = re.sub(r".*[eE][-+]?", "", found)
    if len(digits) > 2 or "." in digits:
        return _form(first, last, found, "the decimal number without an exponent")
    return _form(first, last, found, f"`{Decimal(found.replace('_', '')):f}`")


def _form(first: Token, last: Token, found: str, form: str) -> Fault:
    return fault(kinds.NUMBER_FORM, first, last, found=found, form=form)


def thousands(context: Context) -> Fault | None:
    """`1,000`."""
    first, comma, last = context.before(), context.token, context.after()
    if comma.kind != "COMMA" or first.kind != "NUMBER" or last.kind not in ("NUMBER", "QUANTITY", "PERCENT"):
        return None
    if first.end != comma.start or last.start != comma.end or not re.match(r"[0-9]{3}(?![0-9_])", last.text):
        return None
    found = context.quote(first, last)
    return _form(first, last, found, f"`{found.replace(',', '_')}`")


def unit(context: Context) -> Fault | None:
    """`250 msec`."""
    number, word = context.before(), context.token
    if number.kind != "NUMBER" or word.kind != "NAME":
        return None
    joined = number.end == word.start
    form = _unit_form(number.text, brief(word.text), joined)
    return fault(kinds.UNKNOWN_UNIT, word, found=brief(word.text), number=f"`{brief(number.text)}`", form=form)


def _unit_form(number: str, word: str, joined: bool) -> str:
    if word in _DAYS:
        hours = f"{Decimal(number.replace('_', '')) * _DAYS[word]:f}"
        return f"write hours: {brief(number)} {word} are {brief(hours)} `h`"
    number = brief(number)
    if word in _UNIT_WORDS:
        return f"write `{number} {_UNIT_WORDS[word]}`"
    if word in _DECIMAL_SIZES:
        return f"sizes are in powers of 1,024: write `{number} {_DECIMAL_SIZES[word]}`, or the number of bytes with `B`"
    if word in ("percent", "pct"):
        return f"write `{number}%`"
    if joined:
        return f"to multiply write `{number} * {word}`"
    return hint(word, UNITS, f"leave it out if it says what is counted; to multiply write `{number} * {word}`")


def exponent(context: Context) -> Fault | None:
    """`x ^ y`, `x ^ -1`, `x ^ 50%`."""
    if context.before().kind != "CIRCUMFLEX" or context.token.kind not in OPERANDS | {"SIGN", "LPAR"}:
        return None
    last = context.after() if context.token.kind == "SIGN" else context.operand_end()
    return fault(kinds.EXPONENT, context.token, last, found=context.quote(context.token, last))


def percent(context: Context) -> Fault | None:
    """`10 % 3`."""
    if context.before().kind != "PERCENT" or context.token.kind not in OPERANDS | {"LPAR"}:
        return None
    form = "there is no remainder operator; take the remainder `x - n * floor(x / n)`"
    token = context.before()
    return Fault(kinds.PERCENT_OPERATOR, token.end - 1, token.end, {"form": form})


RULES = (thousands, unit, exponent, percent)
