"""Which rows a formula means: matching, earlier, latest, the one, the first, the last."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from protoc_compiler.emit.support.rows import PROTOCOL, STUDIES, UNPLACED, Row, rank, table
from protoc_compiler.emit.support.values import NoRows, Stopped, eq, if_enough, plus


def matching(name: str, *pairs: tuple[str, Any]) -> list[Row]:
    """`T matching a and b`: the rows whose columns equal these values; an undefined value matches nothing."""
    columns = tuple([column for column, _ in pairs])
    wanted = tuple([as_cell(name, column, value) for column, value in pairs])
    return [] if None in wanted else index(name, columns).get(wanted, [])


def index(name: str, columns: tuple[str, ...]) -> dict[tuple[Any, ...], list[Row]]:
    """The rows of a table by their values in some columns."""
    study = STUDIES[-1]
    while study.base is not None and not (
        ("table", name) in study.changed or any(("column", root_of(name), c) in study.changed for c in columns)
    ):
        study = study.base
    found = study.indexes.get((name, columns))
    if found is None:
        rows = table(name)  # before anything is kept: they may be undefined
        found = study.indexes[name, columns] = {}
        for row in rows:
            found.setdefault(tuple(row[c] for c in columns), []).append(row)
    return found


def root_of(name: str) -> str:
    """The table whose rows the rows of this one are."""
    return PROTOCOL.tables[name].root or name


def as_cell(name: str, column: str, value: Any) -> Any:
    """A value as the cells of a column hold it: a reference holds the row, where the value may be its key."""
    type_ = PROTOCOL.tables[root_of(name)].columns[column].type
    if type_[0] == "row" and value is not None and not isinstance(value, Row):
        return by_key(type_[1], value if isinstance(value, tuple) else (value,))
    if type_[0] != "row" and isinstance(value, Row):
        return value.key[0] if len(value.key) == 1 else value.key
    return value


def by_key(name: str, key: tuple[Any, ...]) -> Row | None:
    """The row of a table with this key."""
    study = STUDIES[0]
    found = study.indexes.get((name, ("key",)))
    if found is None:
        rows = table(name)
        found = study.indexes[name, ("key",)] = {}
        for row in rows:
            found.setdefault(row.key, []).append(row)
    return next(iter(found.get(key, [])), None)


# --- order ------------------------------------------------------------------------------------------------------


def standing(name: str, base: Row) -> int:
    """How many rows of a table stand before a row."""
    study = STUDIES[-1].holding("table", name)
    if name not in study.places:
        study.places[name] = {row: place for place, row in enumerate(table(name))}
    place = study.places[name].get(base)
    if place is not None:
        return place
    key = PROTOCOL.tables[name].sorted_by
    if key is None:
        return bisect_left(table(name), base.place, key=lambda row: row.place)
    mine = tuple(map(rank, key(base)))
    if UNPLACED in mine:
        raise NoRows("no place to count rows from")
    if name not in study.ranks:
        study.ranks[name] = sorted(tuple(map(rank, key(row))) for row in table(name))
    return bisect_left(study.ranks[name], mine)


def earlier(name: str, base: Row | None, *pairs: tuple[str, Any]) -> list[Row]:
    """`earlier T`: the rows before this one, narrowed to these values."""
    if base is None:
        raise NoRows("no place to count rows from")
    if not pairs:
        return table(name)[: standing(name, base)]
    found, limit = matching(name, *pairs), standing(name, base)
    places = STUDIES[-1].holding("table", name).places[name]
    return found[: bisect_left(found, limit, key=lambda row: places[row])]


def running(name: str, base: Row | None, thing: str, of_row: Callable[[Row], Any], *pairs: tuple[str, Any]) -> Any:
    """The sum of `of_row` over `earlier T`: partial sums are kept, so that a running sum is linear in the rows."""
    if base is None:
        raise NoRows("no place to count rows from")
    rows = matching(name, *pairs) if pairs else table(name)
    place = len(earlier(name, base, *pairs)) if pairs else standing(name, base)
    kept = ("running", thing, *(as_cell(name, column, value) for column, value in pairs))
    sums = STUDIES[-1].values.setdefault(kept, [0])
    while len(sums) <= place:
        known = len(sums)
        summed = plus(sums[-1], if_enough(partial(of_row, rows[known - 1])))
        if len(sums) == known:
            sums.append(summed)
    return sums[place]


def latest(name: str, number: int, base: Row | None, *pairs: tuple[str, Any]) -> list[Row]:
    """`latest N T`: the N rows that end at this one, narrowed to these values."""
    rows = table(name)
    if base is None:
        raise NoRows("no place to count rows from")
    place = standing(name, base)
    if place >= len(rows) or rows[place] is not base or place + 1 < number:
        raise NoRows("no place to count rows from")
    found = rows[place + 1 - number : place + 1]
    wanted = [(column, as_cell(name, column, value)) for column, value in pairs]
    return [row for row in found if all(eq(row[column], value) is True for column, value in wanted)]


def only(rows: Iterable[Row]) -> Row | None:
    """The one row: undefined if none, an error of the run if several."""
    found = list(rows)
    if len(found) > 1:
        one, other = found[0].key, found[1].key
        words = f"`only` found {len(found)} rows of {found[0].table} where the protocol says there is at most one"
        raise Stopped("E1250", f"{words}, among them {one} and {other}")
    return found[0] if found else None


def first(rows: Iterable[Row]) -> Row | None:
    """The first row, undefined if none."""
    return next(iter(rows), None)


def last(rows: Iterable[Row]) -> Row | None:
    """The last row, undefined if none."""
    found = rows if isinstance(rows, list) else list(rows)
    return found[-1] if found else None
