"""Agreement of raters, and the quality of stated probabilities: exact."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from protoc_runtime.engine.exact import Exact
from protoc_runtime.engine.groups import per_parent
from protoc_runtime.engine.numbers import Numbers, as_numbers, numbers
from protoc_runtime.engine.rows import Rows
from protoc_runtime.engine.vec import Vec, as_bools, lift


def cohen_kappa(rows: Rows, first: Vec, second: Vec) -> Numbers:
    """Cohen's kappa of two raters' labels; undefined of nothing, and where chance alone agrees always."""
    return numbers(rows.outer, per_parent(rows, [first, second], _cohen))


def fleiss_kappa(rows: Rows, item: Vec, label: Vec) -> Numbers:
    """Fleiss' kappa of ratings, each an item and its label.

    Undefined of nothing, where the items have unequally many ratings or only one, and where all labels are equal.
    """
    return numbers(rows.outer, per_parent(rows, [item, label], _fleiss))


def brier(rows: Rows, p: Vec, outcome: Vec) -> Numbers:
    """The mean of (p - outcome)^2; undefined of nothing, and for a p outside of 0..1."""
    return numbers(rows.outer, per_parent(rows, [as_numbers(p), as_bools(outcome)], _brier))


def ece(rows: Rows, p: Vec, outcome: Vec, *, bins: Any) -> Numbers:
    """The expected calibration error with equally wide bins; an edge belongs to the bin above it, 1 to the last one.

    Undefined of nothing, for a p outside of 0..1, and for fewer than one bin.
    """
    found = per_parent(rows, [as_numbers(p), as_bools(outcome)], lambda ps, flags: (ps, flags))
    many = lift(bins).to(rows.outer).values()
    made = [None if pair is None else _ece(pair[0], pair[1], n) for pair, n in zip(found, many, strict=True)]
    return numbers(rows.outer, made)


def _chance_corrected(observed: Fraction, expected: Fraction) -> Fraction | None:
    return None if expected == 1 else (observed - expected) / (1 - expected)


def _cohen(first: list[Any], second: list[Any]) -> Fraction | None:
    if not first:
        return None
    one, two, many = Counter(first), Counter(second), len(first)
    agreed = sum(a == b for a, b in zip(first, second, strict=True))
    by_chance = sum(count * two[label] for label, count in one.items())
    return _chance_corrected(Fraction(agreed, many), Fraction(by_chance, many * many))


def _fleiss(items: list[Any], labels: list[Any]) -> Fraction | None:
    sizes = Counter(items)
    raters, many = max(sizes.values(), default=0), len(sizes)
    if raters < 2 or any(n != raters for n in sizes.values()):
        return None
    cells = Counter(zip(items, labels, strict=True))
    agreed = Fraction(sum(n * (n - 1) for n in cells.values()), many * raters * (raters - 1))
    by_chance = Fraction(sum(n * n for n in Counter(labels).values()), (many * raters) ** 2)
    return _chance_corrected(agreed, by_chance)


def _shares(ps: Sequence[Exact]) -> bool:
    return bool(ps) and min(ps) >= 0 and max(ps) <= 1


def _brier(ps: list[Exact], outcomes: list[bool]) -> Fraction | None:
    if not _shares(ps):
        return None
    return Fraction(sum(Fraction(p - int(o)) ** 2 for p, o in zip(ps, outcomes, strict=True))) / len(ps)


def _ece(ps: list[Exact], outcomes: list[bool], bins: int | None) -> Fraction | None:
    if bins is None or bins < 1 or not _shares(ps):
        return None
    gaps: dict[int, Fraction] = {}
    for p, outcome in zip(ps, outcomes, strict=True):
        place = min(p.numerator * bins // p.denominator, bins - 1)
        gaps[place] = gaps.get(place, Fraction(0)) + p - int(outcome)
    return sum((abs(gap) for gap in gaps.values()), Fraction(0)) / len(ps)
