"""Values of the study: definitions, metrics, rules, verdicts, each computed once."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product as combinations
from typing import Any

from protoc_compiler.emit.support.rows import PROTOCOL, STUDIES, Item, Row, known_rows, once
from protoc_compiler.emit.support.values import Stopped


def value(space: str, name: str, *keys: Row | None) -> Any:
    """A definition, metric, rule or verdict; of one that has an entry per row, the entry of these rows."""
    rows = [key for key in keys if key is not None]
    if len(rows) < len(keys) or not all(map(belongs, rows, PROTOCOL.items[space, name].per)):
        return None
    found = valued(space, name, *rows)
    return PROTOCOL.items[space, name].fires_undefined if space == "blockers" and found is None else found


def valued(space: str, name: str, *keys: Row) -> Any:
    """The value as it is reported: of a blocker that is undefined None, where formulas read whether it fires."""
    study, thing = STUDIES[-1].holding("item", space, name), (space, name, *keys)
    if thing not in study.values:
        study.values[thing] = once(thing, lambda: computed(PROTOCOL.items[space, name], keys))
    return study.values[thing]


def computed(item: Item, keys: tuple[Row | None, ...]) -> Any:
    """The value of an item, or undefined where it is withheld."""
    found = item.value(*keys)
    return None if hidden(item, keys) else found


def hidden(item: Item, keys: tuple[Row | None, ...]) -> bool:
    """Whether the section of an item withholds it: also where it is undefined whether it does."""
    return item.withheld is not None and item.withheld(*keys) is not False


def belongs(row: Row | None, name: str) -> bool:
    """Whether a row of the root is one of a subset; every row of a root table is."""
    if PROTOCOL.tables[name].root in ("", name):
        return True
    study = STUDIES[-1].holding("table", name)
    if name not in study.members:
        study.members[name] = frozenset(known_rows(name))
    return row in study.members[name]


def compute_all() -> None:
    """Make every table, every column in every row, and every definition: what cannot be computed stops the run,
    whether a reported value reads it or not."""
    for name in PROTOCOL.tables:
        known_rows(name)
    for name, declared in PROTOCOL.tables.items():
        for column in [column for column, spec in declared.columns.items() if spec.derived is not None]:
            for row in known_rows(name):
                row[column]
    for space, name in PROTOCOL.items:
        for keys in entries(space, name) if space == "definitions" else ():
            value(space, name, *keys)


def entries(space: str, name: str) -> Iterator[tuple[Row, ...]]:
    """The rows that an item has an entry for."""
    yield from combinations(*(known_rows(part) for part in PROTOCOL.items[space, name].per))


def frozen(name: str) -> Any:
    """A frozen value of the protocol."""
    found = PROTOCOL.frozen.get(name)
    if found is None and name in PROTOCOL.frozen_files:
        raise Stopped("E1256", f"no digest is known for freeze.{name}")
    return found


def rules(space: str) -> list[Row]:
    """The gates, blockers or checks as rows: `held` and `failed`, or `fired` and `forces`."""
    made: list[Row] = []
    for (where, name), item in PROTOCOL.items.items():
        for keys in entries(space, name) if where == space else ():
            found = value(space, name, *keys)
            cells: dict[str, Any] = {"name": name, "forces": item.forces}
            cells |= {"held": found is True, "failed": found is False, "fired": found}
            made.append(Row(space, cells, len(made)))
    return made
