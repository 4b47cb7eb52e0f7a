"""Values of the study: definitions, metrics, rules, verdicts, each computed once."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product as combinations
from typing import Any

from protoc_compiler.emit.support.rows import PROTOCOL, STUDIES, Item, Row, once, table


def value(space: str, name: str, *keys: Row | None) -> Any:
    """A definition, metric, rule or verdict; of one that has an entry per row, the entry of these rows."""
    if None in keys:
        return None
    study, thing = STUDIES[-1].holding("item", space, name), (space, name, *keys)
    if thing not in study.values:
        study.values[thing] = once(thing, lambda: computed(PROTOCOL.items[space, name], keys))
    return study.values[thing]


def computed(item: Item, keys: tuple[Row | None, ...]) -> Any:
    """The value of an item, or undefined where it is withheld."""
    return None if item.withheld is not None and item.withheld(*keys) is True else item.value(*keys)


def entries(space: str, name: str) -> Iterator[tuple[Row, ...]]:
    """The rows that an item has an entry for."""
    yield from combinations(*(table(part) for part in PROTOCOL.items[space, name].per))


def frozen(name: str) -> Any:
    """A frozen value of the protocol."""
    return PROTOCOL.frozen.get(name)


def rules(space: str) -> list[Row]:
    """The gates, blockers or checks as rows: `held` and `failed`, or `fired` and `forces`."""
    made: list[Row] = []
    for (where, name), item in PROTOCOL.items.items():
        for keys in entries(space, name) if where == space else ():
            found = value(space, name, *keys)
            cells: dict[str, Any] = {"name": name, "forces": item.forces}
            fired = item.fires_undefined if found is None else found
            cells |= {"held": found is True, "failed": found is False, "fired": fired}
            made.append(Row(space, cells, len(made)))
    return made
