"""Which of two values of the same rows is never the greater one: by their rank, as `docs/design/statistics.md` has it.

A rank is where a value stands among the sorted values: the nearest rank (`near`, of `p95` and `quantile`) or a place
between two of them (`line`, of `median` and `quantile` with `method = linear`). All of them are undefined over no rows
and where an operand is undefined, and nowhere else, so that one is defined where another is.
"""

from __future__ import annotations

from fractions import Fraction

from protoc_compiler.drift.forms import Form

_HALF = Fraction(1, 2)
_FIXED = {
    "min": ("line", Fraction(0)), "max": ("line", Fraction(1)), "median": ("line", _HALF),
    "p95": ("near", Fraction(95, 100)),
}  # fmt: skip
Rank = tuple[str, Fraction]
MEAN: Rank = ("mean", _HALF)


def ranked(form: Form) -> tuple[Form, Rank] | None:
    """Of which values a form is one, and which; None where it is none."""
    if form[0] != "aggregate" or len(form[3]) != 1:
        return None
    _, function, rows, inside, options = form
    rank: Rank | None = MEAN if function == "mean" else _FIXED.get(function)
    if function == "quantile":
        rank = _of_options(dict(options))
    elif options:
        rank = None
    return ((rows, inside), rank) if rank is not None else None


def _of_options(options: dict[str, Form]) -> Rank | None:
    at, method = options.pop("at", None), options.pop("method", ("const", "word", "nearest_rank"))
    if options or at is None or at[:2] != ("const", "number") or not 0 <= at[2] <= 1:
        return None
    kind = {("const", "word", "linear"): "line", ("const", "word", "nearest_rank"): "near"}.get(method)
    return (kind, at[2]) if kind is not None else None


def at_most(one: Rank, other: Rank) -> bool:
    """Whether the first is never greater than the second, whatever the values and however many."""
    if one == other or one[1] == 0 or other[1] == 1:  # the least, the greatest: also of a nearest rank
        return True
    if MEAN in (one, other):
        return False
    if one[0] == other[0]:
        return one[1] <= other[1]
    if one[0] == "near":  # the nearest rank up to a half is no further than the middle, and any later one not before it
        return one[1] <= _HALF <= other[1]
    return one[1] <= _HALF < other[1]
