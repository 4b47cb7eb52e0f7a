"""Intervals by resampling, and samples: Python's own Mersenne twister, index floor(u * n)."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from fractions import Fraction
from math import ceil, floor
from typing import Any, NamedTuple

from protoc_compiler.emit.support.items import value
from protoc_compiler.emit.support.results import fill, label, text_of
from protoc_compiler.emit.support.rows import STUDIES, Row, Study, rank
from protoc_compiler.emit.support.values import NoRows, Stopped, capped, if_enough, order

LARGEST_DRAW = 10_000_000  # units of `out_of`


class Interval(NamedTuple):
    """A resampling interval. `resample` gives the row sets that are drawn, with their table; `follow` the rows of
    other tables that come with a drawn row; `within` its stratum. `drawn` are the tables of both; `changed` is all
    that a draw changes."""

    space: str
    metric: str
    resample: Callable[..., list[tuple[str, list[Row] | None]]]
    draws: int
    seed: str
    level: Fraction
    drawn: tuple[str, ...]
    changed: frozenset[tuple[str, ...]]
    follow: Callable[..., list[tuple[str, list[Row] | None]]] | None = None
    within: Callable[..., tuple[Any, ...]] | None = None
    out_of: Callable[..., int | None] | None = None


Sets = list[tuple[str, list[list[Row]]]]  # tables with their rows by stratum
INTERVALS: dict[str, Interval] = {}


def generator(seed: str, keys: tuple[Row, ...] = ()) -> random.Random:
    """The generator for a seed: an int where it is written in digits, else the text."""
    text = fill(seed, keys)
    return random.Random(int(text) if text.removeprefix("-").isdigit() else text)  # noqa: S311


def bound(name: str, which: str, *keys: Row | None) -> Any:
    """An output of an interval: `low`, `high`, `kept` or `p`."""
    if None in keys:
        return None
    values, thing = STUDIES[0].values, ("interval", name, *keys)
    if thing not in values:
        values[thing] = if_enough(lambda: resampled(INTERVALS[name], keys)) or {}
    return values[thing].get(which)


def resampled(interval: Interval, keys: tuple[Any, ...]) -> dict[str, Any]:
    """Draw, compute the metric anew on each draw, and read the bounds off the sorted results."""
    sets = [(name, strata(interval, rows, keys)) for name, rows in interval.resample(*keys)]
    beyond = interval.out_of(*keys) if interval.out_of is not None else None
    if interval.out_of is not None and beyond is None:
        raise NoRows("the number of units is undefined")
    capped(LARGEST_DRAW, "out_of", beyond or 0, "units")
    rng, got = generator(interval.seed, keys), []
    for _ in range(interval.draws):
        found = redraw(interval, sets, rng, beyond, keys)
        if found is not None:
            got.append(found)
    got.sort()
    if not got or value(interval.space, interval.metric, *keys) is None:
        return {"low": None, "high": None, "p": None, "kept": len(got)}
    tail, k = (1 - interval.level) / 2, len(got)
    low, high = got[floor(tail * k)], got[max(0, ceil((1 - tail) * k) - 1)]
    signs = [order(found, 0) for found in got]
    side = min(sum(sign <= 0 for sign in signs), sum(sign >= 0 for sign in signs))
    return {"low": low, "high": high, "p": min(Fraction(1), Fraction(2 * side, k)), "kept": k}


def strata(interval: Interval, rows: list[Row] | None, keys: tuple[Any, ...]) -> list[list[Row]]:
    """The rows by stratum, in declared order; all together where there are none."""
    if rows is None:
        raise NoRows("what is drawn is undefined")
    if interval.within is None:
        return [rows]
    made: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        made.setdefault(tuple(map(rank, interval.within(row, *keys))), []).append(row)
    return [made[key] for key in sorted(made)]


def redraw(interval: Interval, sets: Sets, rng: random.Random, beyond: int | None, keys: tuple[Any, ...]) -> Any:
    """One draw: the metric on the drawn rows and on the rows that follow them."""
    study = Study(STUDIES[0], interval.changed)
    drawn: dict[str, list[Row]] = {name: [] for name in interval.drawn}
    study.tables.update(drawn)
    for name, groups in sets:
        for row in (row for rows in groups for row in picked(rows, rng, beyond)):
            drawn[name].append(row)
            for other, following in interval.follow(row, *keys) if interval.follow is not None else ():
                if following is None:
                    study.tables[other] = None
                else:
                    drawn[other].extend(following)
    STUDIES.append(study)
    try:
        return value(interval.space, interval.metric, *keys)
    finally:
        STUDIES.pop()


def picked(rows: list[Row], rng: random.Random, beyond: int | None) -> Iterator[Row]:
    """As many rows as there are, with repetition; of `out_of` units those beyond the rows are zeros and no rows."""
    units = len(rows) if beyond is None else beyond
    for place in [int(rng.random() * units) for _ in range(units)]:
        if place < len(rows):
            yield rows[place]


def sample(rows: list[Row], number: int, seed: str, within: str = "") -> list[Row]:
    """So many rows, without repetition, in the order of their table; `within` a column so many of each value."""
    if within:
        places: dict[str, list[int]] = {}
        for place, row in enumerate(rows):
            value = row[within]
            places.setdefault(label(value) if isinstance(value, Row) else text_of(value), []).append(place)
        drawn = (sample([rows[at] for at in found], number, f"{seed}/{name}") for name, found in places.items())
        chosen = {id(row) for group in drawn for row in group}
        return [row for row in rows if id(row) in chosen]
    if number > len(rows):
        raise Stopped("E1257", f"a sample of {number} rows is asked of a table that has {len(rows)}")
    rng, left = generator(seed), list(range(len(rows)))
    taken = [left.pop(int(rng.random() * len(left))) for _ in range(number)]
    return [rows[place] for place in sorted(taken)]
