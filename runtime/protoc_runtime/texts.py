"""How texts are compared: their plain form, and the shingles whose Jaccard index measures how alike two of them are.

Plain form: NFKC, look-alike letters as Latin ones, case folded, every run of characters that are neither letters nor
digits as one space. Shingles: all
runs of 4 characters of the plain form; a shorter text is its own shingle. Jaccard: shared shingles over all of both.
"""

from __future__ import annotations

import re
import unicodedata
from fractions import Fraction

from protoc_runtime.lookalikes import look

LENGTH = 4  # characters of a shingle
ALIKE = Fraction(7, 10)  # from this Jaccard index on, two texts are near-duplicates
MEASURE = f"Jaccard index of {LENGTH}-character shingles of the plain form, at least {float(ALIKE)}"
_BETWEEN = re.compile(r"[\W_]+")


def plain(text: str) -> str:
    """The plain form. A text without any letter or digit keeps its characters, so that it is not like every other."""
    folded = look(unicodedata.normalize("NFKC", text)).casefold()
    return _BETWEEN.sub(" ", folded).strip() or " ".join(folded.split())


def shingles(plain_text: str) -> frozenset[str]:
    """The shingles of a text in plain form; none of an empty one."""
    if len(plain_text) <= LENGTH:
        return frozenset((plain_text,)) if plain_text else frozenset()
    return frozenset(plain_text[at : at + LENGTH] for at in range(len(plain_text) - LENGTH + 1))


def jaccard(first: frozenset[str], second: frozenset[str]) -> Fraction:
    """Shared shingles over all of both, exactly; 0 of two empty sets."""
    shared = len(first & second)
    every = len(first) + len(second) - shared
    return Fraction(shared, every) if every else Fraction(0)


def alike(first: frozenset[str], second: frozenset[str]) -> bool:
    """Whether the Jaccard index reaches `ALIKE`; in whole numbers."""
    small, large = sorted((len(first), len(second)))
    if small * ALIKE.denominator < large * ALIKE.numerator:
        return False  # even if the smaller set lies within the larger
    shared = len(first & second)
    return shared * ALIKE.denominator >= (small + large - shared) * ALIKE.numerator > 0
