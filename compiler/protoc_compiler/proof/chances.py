"""The exact probability of a pass for systems that are right at a given rate, and how sure a count at a boundary is.

Every row is right with the same probability, independently of the others. The number of ways to be wrong in so many
rows that still pass is a whole number, so the probability is a polynomial with whole coefficients: nothing is drawn.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import comb, prod

from protoc_compiler import core
from protoc_compiler.proof import nodes as n
from protoc_compiler.proof.ask import Engine
from protoc_compiler.proof.conditions import Conditions
from protoc_compiler.proof.groups import Vector
from protoc_compiler.proof.points import outcomes_at
from protoc_compiler.proof.reached import Wanted
from protoc_compiler.proof.sealed_rows import Kinds
from protoc_compiler.proof.sums import Sums

_MOST_POINTS = 200_000
RATES = tuple(Fraction(rate, 100) for rate in (70, 75, 80, 85, 88, 90, 92, 94, 95, 96, 97, 98, 99))


class NotTold(Exception):
    """The probability is not known; the text says why."""


def _by(engine: Engine) -> str:
    """By which given columns the numbers of rows have to be expected."""
    wanted = []
    for root, population in engine.model.populations.items():
        known = engine.space.features[root].ordered()
        given = [known[at].value for at, sealed in zip(population.features, population.sealed, strict=True) if sealed]
        names = [value.name for value in given if isinstance(value, core.Column)]
        if names:
            wanted.append(f"how many {root} there are by {' and '.join(names)}")
    return f": {'; '.join(wanted)}" if wanted else ""


def ways(engine: Engine, wanted: Wanted, kinds: Kinds | None = None) -> tuple[list[int], int]:
    """By the number of errors, in how many ways so many rows are wrong and all wanted conditions hold; and the number
    of rows. `kinds`: what the sealed rows tell of groups. Raises `NotTold`."""
    model = engine.model
    totals = {root: model.total(root) for root in model.populations}
    if (
        not totals
        or None in totals.values()
        or any(name[1] == "class" and not weight for name, weight in zip(model.names, model.weights, strict=True))
    ):
        raise NotTold(f"the totals of what is counted are not all expected{_by(engine)}")
    for population in model.populations.values():
        for block in range(population.blocks):
            if sum(one.block == block for one in population.classes) > 2:
                raise NotTold("there are several kinds of errors")
    rows = sum(total for total in totals.values() if total is not None)
    if engine.groups is None:
        return _of_totals(engine, wanted, rows), rows
    return _of_groups(engine, wanted, rows, kinds), rows


def _of_totals(engine: Engine, wanted: Wanted, rows: int) -> list[int]:
    model = engine.model
    found = [0] * (rows + 1)
    if prod(high + 1 for high in model.highest) > _MOST_POINTS:
        raise NotTold("there are too many counts")

    def walk(point: tuple[int, ...]) -> None:
        """Count the ways in which the totals behind this one give the outcomes that are wanted."""
        if len(point) < len(model.highest):
            for value in range(model.highest[len(point)] + 1):
                walk((*point, value))
            return
        counts = {symbol: _at(form, point) for symbol, form in model.counts.items()}
        if _holds(engine, wanted, outcomes_at(model.space, wanted, counts)):
            found[sum(point)] += prod(comb(high, value) for high, value in zip(model.highest, point, strict=True))

    walk(())
    return found


def _holds(engine: Engine, wanted: Wanted, seen: Mapping[int, int]) -> bool:
    """Whether the outcomes at some counts are those that are wanted. Raises `NotTold` where the counts do not tell."""
    if not all(seen[node] & outcomes for node, outcomes in wanted.items()):
        return False
    if any(seen[node] & ~outcomes for node, outcomes in wanted.items()):
        raise NotTold(engine.reason or "these counts alone do not tell whether the gates hold")
    return True


def _of_groups(engine: Engine, wanted: Wanted, rows: int, kinds: Kinds | None) -> list[int]:
    """The same over groups, each of which has the totals that are known of it."""
    groups, model = engine.groups, engine.model
    assert groups is not None
    budget = _Unlimited()
    whole = {**dict.fromkeys(engine.constraints, n.TRUE), **wanted}
    free = Conditions(model.space, model.counts, whole, {}, model.positive)
    start = free.tightened(((0,) * len(model.names), tuple(model.highest)))
    if start is None:
        return [0] * (rows + 1)
    sums = Sums(groups, free.wanted, start, budget)  # type: ignore[arg-type]
    orders = sums.orders if kinds is None else [_order(sums, kinds)]
    if len(orders) != 1:
        raise NotTold("how many rows of each label the groups have is not known")
    states: dict[tuple[int, tuple[int, ...]], int] = {(0, (0,) * len(sums.forms)): 1}
    for vectors in orders[0]:
        totals = {tuple(vector.place[: sums.totals]) for vector in vectors}
        if len(totals) != 1:
            raise NotTold("how many rows of each label the groups have is not known")
        following: dict[tuple[int, tuple[int, ...]], int] = {}
        for (shows, place), number in states.items():
            for vector in vectors:
                both = shows | (vector.shows & sums.relevant)
                if sums.may(both):
                    key = (both, tuple(a + b for a, b in zip(place, vector.place, strict=True)))
                    following[key] = following.get(key, 0) + number * groups.ways(vector)
        if len(following) > _MOST_POINTS:
            raise NotTold("there are too many counts")
        states = following
    return _passing(engine, sums, wanted, states, rows)


def _order(sums: Sums, kinds: Kinds) -> list[list[Vector]]:
    """For each group what it may be, where its totals are known."""
    made = []
    for totals, times in sorted(kinds.items()):
        fitting = [
            v for v in sums.groups.vectors if v.place[: sums.totals] == totals and sums.may(v.shows & sums.relevant)
        ]
        made += [fitting] * times
    return made


def _passing(
    engine: Engine, sums: Sums, wanted: Wanted, states: Mapping[tuple[int, tuple[int, ...]], int], rows: int
) -> list[int]:
    model, groups = engine.model, sums.groups
    found = [0] * (rows + 1)
    hits = len(groups.counted)
    known: dict[tuple[int, tuple[int, ...]], bool] = {}
    for (shows, place), number in states.items():
        errors = place[sums.totals + hits :]
        key = (shows, place)
        if key not in known:
            point = _point(sums, place, len(model.names))
            counts = {symbol: _at(form, point) for symbol, form in model.counts.items()}
            told = {c: sums.outcomes(shows, at, whole=True) for at, c in enumerate(groups.conditions)}
            known[key] = _holds(engine, wanted, outcomes_at(model.space, wanted, counts, told))
        if known[key]:
            found[sum(errors)] += number
    return found


def probability(ways_by_errors: list[int], rows: int, rate: Fraction) -> Fraction:
    """The probability of a pass where each row is right with this probability."""
    wrong = 1 - rate
    return sum(
        (
            Fraction(number) * rate ** (rows - errors) * wrong**errors
            for errors, number in enumerate(ways_by_errors)
            if number
        ),
        Fraction(0),
    )


def _point(sums: Sums, place: tuple[int, ...], size: int) -> tuple[int, ...]:
    """The variables, each of which is one coordinate."""
    made = [0] * size
    for form, value in zip(sums.forms, place, strict=True):
        variables = [monomial[0] for monomial in form if monomial]
        if len(variables) == 1 and form == {(variables[0],): Fraction(1)}:
            made[variables[0]] = value
    return tuple(made)


class _Unlimited:
    def spend(self, steps: int = 1) -> None:
        """No limit: the number of points is limited instead."""


def _at(form: n.Terms, point: tuple[int, ...]) -> int:
    total = form.get((), Fraction(0))
    for monomial, factor in form.items():
        if monomial:
            total += factor * point[monomial[0]]
    return int(total)
