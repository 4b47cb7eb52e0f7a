"""What a protocol fixes by itself: aggregates over rows that stand in it, which are numbers whatever the data."""

from __future__ import annotations

from collections.abc import Iterator

from protoc_compiler import core
from protoc_compiler.drift.forms import UNDEFINED, TooLarge
from protoc_compiler.drift.normal import Normal


class Totals:
    """The aggregates of one protocol that are numbers by themselves, whatever the data."""

    def __init__(self, protocol: core.Protocol) -> None:
        self._normal = Normal(protocol, frozenset(_of_listed(protocol)))

    def number(self, value: core.Aggregate) -> core.Const | None:
        """The number that an aggregate is, also where it is undefined; None where it depends on the data."""
        self._normal.size = 0
        try:
            made = self._normal.form(value, {})
        except TooLarge:
            return None
        if made != UNDEFINED and made[:2] not in (("const", "number"), ("const", "quantity")):
            return None
        known = made[2]
        return core.Const(value.type, int(known) if known is not None and value.type.kind == "int" else known)


def _of_listed(protocol: core.Protocol) -> Iterator[tuple[str, ...]]:
    """The tables that stand in the protocol, what is chosen of them, and their columns, as formulas name them."""
    for table in protocol.tables:
        if protocol.table(table.root).kind == "listed":
            yield ("table", table.name)
            yield from (("column", table.name, column.name) for column in table.columns)
