"""Statistics over one or two columns, exact."""

from __future__ import annotations

from fractions import Fraction
from statistics import median
from typing import Any

from protoc_runtime.engine.exact import Exact, Ratio, Real, square_root
from protoc_runtime.engine.groups import per_parent
from protoc_runtime.engine.library.caps import MOST_BITS, within
from protoc_runtime.engine.library.counting import count, total
from protoc_runtime.engine.library.tails import half_tail
from protoc_runtime.engine.library.values import absolute
from protoc_runtime.engine.numbers import Numbers, as_numbers, numbers, reduced
from protoc_runtime.engine.objects import Structs
from protoc_runtime.engine.rows import Rows
from protoc_runtime.engine.vec import Vec, as_bools, lift

_ROOT = "square root"


def variance(rows: Rows, of: Vec) -> Numbers:
    """The sample variance, with one less than the number of values as divisor; undefined below two values."""
    vec = as_numbers(of)
    many = count(rows)
    return reduced((many * total(rows, vec * vec) - total(rows, vec) ** 2) / (many * (many - 1)))


def auc(rows: Rows, score: Vec, positive: Vec) -> Numbers:
    """The share of (positive, other) pairs in which the positive has the higher score, a tie counting half.

    Kept over twice the number of pairs; undefined without a pair.
    """
    return numbers(rows.outer, per_parent(rows, [as_numbers(score), as_bools(positive)], _auc))


def mcnemar(rows: Rows, first: Vec, second: Vec) -> Structs:
    """The exact two-sided McNemar test: `p`, and the discordant counts `only_first`, `only_second`.

    p doubles the smaller tail of Binomial(n, 1/2), at most 1; 1 without discordant pairs; undefined of nothing.
    """
    found = per_parent(rows, [as_bools(first), as_bools(second)], _mcnemar)
    return _struct(rows, found, ("p", "only_first", "only_second"), whole=("only_first", "only_second"))


def sign_test(rows: Rows, first: Vec, second: Vec, *, ties: Any) -> Structs:
    """The exact two-sided sign test: `p`, and how often the first is `more`, `less`, and how many `ties` there are.

    p doubles the smaller tail of Binomial(n, 1/2), at most 1. `ties` are `dropped`, or `halved`: half of them, rounded
    down, count on each side. 1 for n = 0; undefined of nothing.
    """
    one, two = first.to(rows), second.to(rows)
    rule = lift(ties).value()
    found = per_parent(rows, [one > two, one < two], lambda more, less: _signs(more, less, rule))
    names = ("p", "more", "less", "ties")
    return _struct(rows, found, names, whole=names[1:])


def mad(rows: Rows, of: Vec) -> Numbers:
    """The median of the distances from the median; undefined of nothing."""
    return numbers(rows.outer, per_parent(rows, [as_numbers(of)], _mad))


def harmonic_mean(rows: Rows, of: Vec) -> Numbers:
    """Rows / the sum of the reciprocals; 0 where a value is 0, undefined where one is negative, and of nothing."""
    return numbers(rows.outer, per_parent(rows, [as_numbers(of)], _harmonic))


def correlation(rows: Rows, x: Vec, y: Vec) -> Structs:
    """Pearson's r as `signed_square`, r times its absolute value; undefined below two rows or for a constant side."""
    one, two = as_numbers(x), as_numbers(y)
    many, sum_one, sum_two = count(rows), total(rows, one), total(rows, two)
    covariance = many * total(rows, one * two) - sum_one * sum_two
    spread_one = many * total(rows, one * one) - sum_one * sum_one
    spread_two = many * total(rows, two * two) - sum_two * sum_two
    square = covariance * absolute(covariance) / (spread_one * spread_two)
    return Structs(rows.outer, {"signed_square": reduced(square)})


def spearman(rows: Rows, x: Vec, y: Vec) -> Structs:
    """Spearman's rank correlation with average ranks: `value` and `signed_square`.

    `value` is exact where both sides have the same spread of ranks, otherwise a real.
    """
    found = per_parent(rows, [as_numbers(x), as_numbers(y)], _spearman)
    squares = [None if pair is None else pair[1] for pair in found]
    values = [None if pair is None else pair[0] for pair in found]
    fields = {"value": numbers(rows.outer, values), "signed_square": numbers(rows.outer, squares)}
    return Structs(rows.outer, fields)


def _struct(rows: Rows, found: list[Any], names: tuple[str, ...], whole: tuple[str, ...] = ()) -> Structs:
    fields: dict[str, Vec] = {}
    for at, name in enumerate(names):
        values = [None if one is None else one[at] for one in found]
        fields[name] = numbers(rows.outer, values, whole=name in whole)
    return Structs(rows.outer, fields)


def _auc(scores: list[Exact], positive: list[bool]) -> Ratio | None:
    """By ranks: each positive wins over the others below it."""
    ranked = sorted(zip(scores, positive, strict=True))
    wins = below = at = 0
    while at < len(ranked):
        end = at
        while end < len(ranked) and ranked[end][0] == ranked[at][0]:
            end += 1
        positives = sum(flag for _, flag in ranked[at:end])
        others = end - at - positives
        wins += positives * (2 * below + others)
        below += others
        at = end
    pairs = below * (len(ranked) - below)
    return Ratio(wins, 2 * pairs) if pairs else None


def _mcnemar(first: list[bool], second: list[bool]) -> tuple[Exact, int, int] | None:
    if not first:
        return None
    only_first = sum(a and not b for a, b in zip(first, second, strict=True))
    only_second = sum(b and not a for a, b in zip(first, second, strict=True))
    total = only_first + only_second
    within("mcnemar", total, MOST_BITS, "discordant pairs")
    return min(Fraction(1), 2 * half_tail(total, min(only_first, only_second))), only_first, only_second


def _signs(more: list[bool], less: list[bool], rule: str) -> tuple[Exact, int, int, int] | None:
    if not more:
        return None
    above, below = sum(more), sum(less)
    ties = len(more) - above - below
    half = ties // 2 if rule == "halved" else 0
    n, fewer = above + below + 2 * half, min(above, below) + half
    within("sign_test", n, MOST_BITS, "signs")
    return min(Fraction(1), 2 * half_tail(n, fewer)), above, below, ties


def _mad(values: list[Exact]) -> Fraction | None:
    if not values:
        return None
    middle = median(map(Fraction, values))
    return median(abs(value - middle) for value in values)


def _harmonic(values: list[Exact]) -> Exact | None:
    if not values or min(values) < 0:
        return None
    return 0 if 0 in values else Fraction(len(values)) / sum((1 / Fraction(v) for v in values), Fraction(0))


def _moments(xs: list[Exact], ys: list[Exact]) -> tuple[Exact, Exact, Exact] | None:
    """Covariance and variances, each n squared times as large; None where a correlation is undefined."""
    count, sx, sy = len(xs), sum(xs), sum(ys)
    vx, vy = count * _scalar(xs, xs) - sx * sx, count * _scalar(ys, ys) - sy * sy
    covariance = count * _scalar(xs, ys) - sx * sy
    return (covariance, vx, vy) if count > 1 and vx and vy else None


def _scalar(xs: list[Exact], ys: list[Exact]) -> Exact:
    products: list[Exact] = [x * y for x, y in zip(xs, ys, strict=True)]
    return sum(products)


def _signed_square(covariance: Exact, vx: Exact, vy: Exact) -> Fraction:
    size = covariance if covariance >= 0 else -covariance
    return Fraction(covariance * size) / (vx * vy)


def _ranks(values: list[Exact]) -> list[Exact]:
    """Average ranks, doubled so that they are whole."""
    places: dict[Exact, list[int]] = {}
    for rank, value in enumerate(sorted(values), 1):
        places.setdefault(value, []).append(rank)
    return [places[value][0] + places[value][-1] for value in values]


def _spearman(xs: list[Exact], ys: list[Exact]) -> tuple[Fraction | Real | None, Fraction] | None:
    moments = _moments(_ranks(xs), _ranks(ys))
    if moments is None:
        return None
    covariance, vx, vy = moments
    square = _signed_square(covariance, vx, vy)
    if vx == vy:
        return Fraction(covariance) / vx, square
    root = square_root(abs(square), _ROOT)
    return -root if root is not None and square < 0 else root, square
