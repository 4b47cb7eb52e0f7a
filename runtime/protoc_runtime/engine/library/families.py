"""p-values of a family of tests, adjusted: Bonferroni, Holm, Benjamini and Hochberg."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from protoc_runtime.catalogue import rules as kinds
from protoc_runtime.engine.exact import Exact
from protoc_runtime.engine.faults import stop
from protoc_runtime.engine.groups import split
from protoc_runtime.engine.library.values import mapped
from protoc_runtime.engine.numbers import Numbers, as_numbers, numbers
from protoc_runtime.engine.objects import Structs
from protoc_runtime.engine.rows import Rows
from protoc_runtime.engine.vec import Vec, aligned, lift

Family = Sequence[object] | Vec
Adjust = Callable[[Exact, list[Exact], int], Exact]


def bonferroni(p: object, family: Family, *, missing: object = "undefined") -> Numbers:
    """min(1, m p) for a family of m tests; see `adjusted` for its undefined members."""
    return adjusted("bonferroni", lambda value, _, size: min(Fraction(1), size * Fraction(value)), p, family, missing)


def holm(p: object, family: Family, *, missing: object = "undefined") -> Numbers:
    """The p-value adjusted by Holm's step-down; see `adjusted` for undefined members."""
    return adjusted("holm", _holm, p, family, missing)


def benjamini_hochberg(p: object, family: Family, *, missing: object = "undefined") -> Numbers:
    """The p-value adjusted by Benjamini and Hochberg's step-up; see `adjusted` for undefined members."""
    return adjusted("benjamini_hochberg", _step_up, p, family, missing)


def adjusted(name: str, adjust: Adjust, p: object, family: Family, missing: object) -> Numbers:
    """One member's adjusted p-value in a family that is given one by one or as a list.

    With an undefined member of the family the result is undefined, unless `missing` is `dropped` (the member does
    not count) or `counted` (it keeps its place in the size of the family, behind the others). A p that is no member
    stops the run (E1258).
    """
    rule = lift(missing).value()

    def one(value: Exact, members: list[Exact | None]) -> Exact | None:
        """One p-value by its family, None where the family is undefined; stops the run (E1258) for one not in it."""
        known = sorted(member for member in members if member is not None)
        if rule == "undefined" and len(known) < len(members):
            return None
        if value not in known:
            stop(kinds.NOT_IN_FAMILY, function=name, p=value)
        return adjust(value, known, len(members) if rule == "counted" else len(known))

    if isinstance(family, Vec):
        at, made = mapped(lambda value, members: one(value, list(members)), p, family)
        return numbers(at.context, made)
    vecs = aligned(lift(p), *map(lift, family))
    columns = [vec.values() for vec in vecs]
    found = [None if row[0] is None else one(row[0], list(row[1:])) for row in zip(*columns, strict=True)]
    return numbers(vecs[0].context, found)


def rejected(rows: Rows, p: Vec, *, level: Any, missing: Any = "undefined") -> Structs:
    """The step-up procedure over rows: `limit`, the largest p that is rejected; undefined where none is.

    An undefined p makes the limit undefined, unless `missing` says otherwise (as in `adjusted`).
    """
    levels, rule = lift(level).to(rows.outer).values(), lift(missing).value()
    limits = []
    for number, ((ps,), at) in enumerate(zip(split(rows, as_numbers(p)), levels, strict=True)):
        known = sorted(value for value in ps if value is not None)
        short = rows.short is not None and rows.short[number]
        unknown = rule == "undefined" and len(known) < len(ps)
        size = len(ps) if rule == "counted" else len(known)
        limits.append(None if short or unknown or at is None else _limit(known, size, at))
    return Structs(rows.outer, {"limit": numbers(rows.outer, limits)})


def _limit(known: list[Exact], size: int, level: Exact) -> Exact | None:
    passing = [p for rank, p in enumerate(known, 1) if p <= Fraction(rank, size) * level]
    return passing[-1] if passing else None


def _holm(p: Exact, known: list[Exact], size: int) -> Exact:
    found: Exact = 0
    for rank, value in enumerate(known):
        if value > p:
            break
        found = max(found, min(Fraction(1), (size - rank) * Fraction(value)))
    return found


def _step_up(p: Exact, known: list[Exact], size: int) -> Exact:
    ranked = enumerate(known, 1)
    return min(Fraction(1), *(Fraction(size) * value / rank for rank, value in ranked if value >= p))
