"""Agreement of raters, and stated probabilities against outcomes, from their definitions."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from math import floor
from typing import Any

from protoc_compiler.emit.support.statistics import operands


def cohen_kappa(pairs: Iterable[tuple[Any, Any]]) -> Fraction | None:
    """Cohen (1960): (observed - expected) / (1 - expected) agreement of two raters."""
    found = operands(pairs)
    if not found:
        return None
    n = len(found)
    observed = Fraction(sum(x == y for x, y in found), n)
    firsts, seconds = [x for x, _ in found], [y for _, y in found]
    expected = sum((Fraction(firsts.count(label) * seconds.count(label), n * n) for label in set(firsts)), Fraction(0))
    return (observed - expected) / (1 - expected) if expected != 1 else None


def fleiss_kappa(ratings: Iterable[tuple[Any, Any]]) -> Fraction | None:
    """Fleiss (1971): mean agreement within the items against that of labels drawn at random."""
    found = operands(ratings)
    if not found:
        return None
    labels: dict[Any, list[Any]] = {}
    for item, label in found:
        labels.setdefault(item, []).append(label)
    n = len(next(iter(labels.values())))
    if n < 2 or any(len(given) != n for given in labels.values()):
        return None
    pairs = n * (n - 1)
    within = [Fraction(sum(given.count(x) - 1 for x in given), pairs) for given in labels.values()]
    observed = sum(within, Fraction(0)) / len(labels)
    every = [label for _, label in found]
    expected = sum((Fraction(every.count(label), len(every)) ** 2 for label in set(every)), Fraction(0))
    return (observed - expected) / (1 - expected) if expected != 1 else None


def forecasts(pairs: Iterable[tuple[Any, bool | None]]) -> list[tuple[Fraction, int]] | None:
    """Probabilities with their outcomes as 1 or 0; None of nothing, or where one is no probability."""
    found = operands(pairs)
    if not found or any(not 0 <= p <= 1 for p, _ in found):
        return None
    return [(Fraction(p), 1 if outcome else 0) for p, outcome in found]


def brier(pairs: Iterable[tuple[Any, bool | None]]) -> Fraction | None:
    """Brier (1950), for two outcomes: the mean squared distance of probability and outcome."""
    found = forecasts(pairs)
    return None if found is None else sum(((p - y) ** 2 for p, y in found), Fraction(0)) / len(found)


def ece(pairs: Iterable[tuple[Any, bool | None]], bins: int | None) -> Fraction | None:
    """Expected calibration error: per bin |mean probability - share of outcomes|, weighted by the rows of the bin."""
    found = forecasts(pairs)
    if found is None or bins is None or bins < 1:
        return None
    whole, held = Fraction(0), {min(floor(p * bins), bins - 1) for p, _ in found}  # bins without rows weigh nothing
    for k in held:
        low, high = Fraction(k, bins), Fraction(k + 1, bins)
        inside = [(p, y) for p, y in found if low <= p < high or (k == bins - 1 and p == 1)]
        gap = sum((p - y for p, y in inside), Fraction(0)) / len(inside)  # mean p - share of outcomes
        whole += Fraction(abs(gap) * len(inside) / len(found))
    return whole
