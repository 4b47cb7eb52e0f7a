"""The statistics library, from the definitions; exact wherever the result is rational."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Decimal
from fractions import Fraction
from math import ceil, floor, lcm
from typing import Any

from protoc_compiler.emit.support.values import (
    LARGEST_TEST,
    WORKING,
    Ratio,
    Real,
    Stopped,
    capped,
    counts,
    decimal_of,
    minus,
    order,
    over,
    plus,
    real,
    times,
)


def operands(values: Iterable[Any]) -> list[Any] | None:
    """The operands of an aggregate; None if one is undefined (of pairs: if a part is)."""
    found = list(values)
    if any(v is None or (type(v) is tuple and None in v) for v in found):
        return None
    return found


# --- over rows --------------------------------------------------------------------------------------------------


def count(rows: Iterable[Any]) -> int:
    """The number of rows."""
    return len(rows) if isinstance(rows, list) else sum(1 for _ in rows)


def total(values: Iterable[Any]) -> Any:
    """The sum; 0 of nothing."""
    found = operands(values)
    if found is None:
        return None
    if any(isinstance(v, Real) for v in found):
        made: Any = 0
        for v in found:
            made = plus(made, v)
        return made
    parts = lcm(*[v.denominator for v in found])  # one denominator for all: thousands of fractions are added here
    made = sum([v.numerator * (parts // v.denominator) for v in found])
    return made if all(isinstance(v, int) for v in found) else Fraction(made, parts)


def product(values: Iterable[Any]) -> Any:
    """The product; 1 of nothing."""
    found = operands(values)
    if found is None:
        return None
    made: Any = 1
    for v in found:
        made = times(made, v)
    return made


def mean(values: Iterable[Any]) -> Any:
    """Sum / number of rows."""
    found = operands(values)
    return over(total(found), len(found)) if found else None


def mean_of_counts(values: Iterable[int | None]) -> Ratio | None:
    """The mean of whole numbers: their sum and their number are kept."""
    found = operands(values)
    return counts(sum(found), len(found)) if found else None


def rate(values: Iterable[bool | None]) -> Ratio | None:
    """True values / number of rows, both kept."""
    found = operands(values)
    return counts(sum(v is True for v in found), len(found)) if found else None


def smallest(values: Iterable[Any]) -> Any:
    """`min(x over T)`."""
    return extreme(values, -1)


def largest(values: Iterable[Any]) -> Any:
    """`max(x over T)`."""
    return extreme(values, 1)


def extreme(values: Iterable[Any], sign: int) -> Any:
    """The value that stands furthest in one direction; the first of equal ones."""
    found = operands(values)
    if not found:
        return None
    best = found[0]
    for v in found[1:]:
        if order(v, best) == sign:
            best = v
    return best


def median(values: Iterable[Any]) -> Any:
    """The middle value; of an even number the mean of the two middle ones."""
    found = operands(values)
    if not found:
        return None
    found, half = sorted(found), len(found) // 2
    return found[half] if len(found) % 2 else over(plus(found[half - 1], found[half]), 2)


def variance(values: Iterable[Any]) -> Any:
    """Squared distances from the mean / (n - 1)."""
    found = operands(values)
    if found is None or len(found) < 2:
        return None
    middle = Fraction(sum(found)) / len(found)
    return sum(((v - middle) ** 2 for v in found), Fraction(0)) / (len(found) - 1)


def quantile(values: Iterable[Any], at: Any, method: str | None = "nearest_rank") -> Any:
    """The ceil(at * n)-th smallest value; `linear` goes to position (n - 1) * at between neighbours."""
    found = operands(values)
    if at is not None and not 0 <= at <= 1:
        words = "is asked for a share below 0 or above 1, and computes shares of 0 to 1"
        raise Stopped("E1260", f"`quantile` {words}")
    if not found or at is None or method is None:
        return None
    found = sorted(found)
    if method == "linear":
        position = Fraction(at) * (len(found) - 1)
        low = min(floor(position), len(found) - 1)
        high = min(low + 1, len(found) - 1)
        return plus(found[low], times(minus(found[high], found[low]), position - low))
    return found[max(1, min(len(found), ceil(Fraction(at) * len(found)))) - 1]


def p95(values: Iterable[Any]) -> Any:
    """The nearest-rank quantile at 95 %."""
    return quantile(values, Fraction(95, 100))


def distinct(values: Iterable[Any]) -> int | None:
    """How many different values there are."""
    found = operands(values)
    return None if found is None else len(set(found))


def list_of(values: Iterable[Any]) -> tuple[Any, ...] | None:
    """The values in the order of the rows; undefined if one is."""
    found = operands(values)
    return None if found is None else tuple(found)


def longest_run(values: Iterable[bool | None]) -> int:
    """The longest run of true; false and undefined end a run."""
    run = longest = 0
    for v in values:
        run = run + 1 if v is True else 0
        longest = max(longest, run)
    return longest


def max_drawdown(values: Iterable[Any]) -> Any:
    """The deepest fall of the running sum from its peak so far (at least 0)."""
    found = operands(values)
    if not found:
        return None
    run = peak = deepest = Fraction(0)
    for v in found:
        run += v
        peak = max(peak, run)
        deepest = max(deepest, peak - run)
    return deepest


def cut_off(values: Iterable[Any], group: int | None, of: int | None) -> Any:
    """The lowest value of a group when the sorted values are cut into equal groups, the remainder on top."""
    found = operands(values)
    if found is None or group is None or of is None or not 1 <= group <= of or len(found) < of:
        return None
    return sorted(found)[len(found) // of * (group - 1)]


def rejected(values: Iterable[Any], level: Any, missing: str | None = "") -> dict[str, Any] | None:
    """Benjamini and Hochberg (1995): the largest p at or below rank / m * level."""
    found = list(values)
    known = sorted(p for p in found if p is not None)
    if level is None or missing is None or (len(known) < len(found) and not missing):
        return None
    tests = len(known) if missing == "dropped" else len(found)
    passed = [p for rank, p in enumerate(known, 1) if p <= Fraction(rank, tests) * level]
    return {"limit": passed[-1] if passed else None}


def mad(values: Iterable[Any]) -> Any:
    """The median absolute distance from the median."""
    found = operands(values)
    middle = median(found) if found else None
    return None if not found or middle is None else median([abs(v - middle) for v in found])


def harmonic_mean(values: Iterable[Any]) -> Any:
    """Rows / sum of reciprocals; its limit 0 where a value is 0."""
    found = operands(values)
    if not found or any(v < 0 for v in found):
        return None
    return Fraction(0) if any(v == 0 for v in found) else over(len(found), sum(Fraction(1) / v for v in found))


def auc(pairs: Iterable[tuple[Any, bool | None]]) -> Ratio | None:
    """The share of (positive, negative) pairs in which the positive scores higher; a tie is half a win."""
    found = operands(pairs)
    if found is None:
        return None
    positives = [score for score, positive in found if positive]
    negatives = sorted(score for score, positive in found if not positive)
    twice = sum(below(negatives, score) + below(negatives, score, ties=True) for score in positives)
    return counts(twice, 2 * len(positives) * len(negatives))


def below(sorted_values: Sequence[Any], limit: Any, ties: bool = False) -> int:
    """How many sorted values lie below a limit; with `ties` those that equal it too."""
    low, high = 0, len(sorted_values)
    while low < high:
        middle = (low + high) // 2
        if sorted_values[middle] < limit or (ties and sorted_values[middle] == limit):
            low = middle + 1
        else:
            high = middle
    return low


def half_tail(n: int, k: int) -> Fraction:
    """P(X <= k) of n throws of a coin."""
    tail, ways = 0, 1
    for i in range(k + 1):
        tail += ways
        ways = ways * (n - i) // (i + 1)
    return Fraction(tail, 2**n)


def mcnemar(pairs: Iterable[tuple[bool | None, bool | None]]) -> dict[str, Any] | None:
    """The exact two-sided McNemar test: twice the smaller tail of Binomial(b + c, 1/2), at most 1."""
    found = operands(pairs)
    if not found:
        return None
    b, c = sum(x and not y for x, y in found), sum(y and not x for x, y in found)
    capped(LARGEST_TEST, "mcnemar", b + c, "discordant pairs")
    return {"p": min(Fraction(1), half_tail(b + c, min(b, c)) * 2), "only_first": b, "only_second": c}


def moments(xs: Sequence[Any], ys: Sequence[Any]) -> tuple[Any, Any, Any]:
    """n-scaled covariance and variances."""
    n, sx, sy = len(xs), sum(xs), sum(ys)
    cov = n * sum(x * y for x, y in zip(xs, ys, strict=True)) - sx * sy
    return cov, n * sum(x * x for x in xs) - sx * sx, n * sum(y * y for y in ys) - sy * sy


def correlation(pairs: Iterable[tuple[Any, Any]]) -> dict[str, Any] | None:
    """Pearson's r as its signed square, which is rational."""
    found = operands(pairs)
    if found is None or len(found) < 2:
        return None
    cov, vx, vy = moments([x for x, _ in found], [y for _, y in found])
    return {"signed_square": Fraction(cov * abs(cov)) / (vx * vy)} if vx and vy else None


def average_ranks(values: Sequence[Any]) -> list[Fraction]:
    """Ranks from 1; equal values share the mean of their ranks."""
    known = sorted(values)
    return [Fraction(below(known, v) + below(known, v, ties=True) + 1, 2) for v in values]


def spearman(pairs: Iterable[tuple[Any, Any]]) -> dict[str, Any] | None:
    """Pearson's r of average ranks: exact where both sides have the same variance, else a root."""
    found = operands(pairs)
    if found is None or len(found) < 2:
        return None
    cov, vx, vy = moments(average_ranks([x for x, _ in found]), average_ranks([y for _, y in found]))
    if not vx or not vy:
        return None
    square = Fraction(cov * abs(cov)) / (vx * vy)
    if vx == vy:
        return {"value": Fraction(cov) / vx, "signed_square": square}
    root = WORKING.sqrt(decimal_of(abs(square)))
    return {"value": real(root.copy_sign(Decimal(int(cov))), "square root"), "signed_square": square}
