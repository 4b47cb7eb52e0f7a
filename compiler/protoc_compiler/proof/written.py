"""Rows that were made, as the JSON of their files."""

from __future__ import annotations

from datetime import date, datetime
from fractions import Fraction

from protoc_compiler import core
from protoc_compiler.proof.archetype import inputs
from protoc_compiler.proof.interpret import Row, Tables
from protoc_compiler.proof.space import Space

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeAlias

Json: TypeAlias = "dict[str, list[dict[str, Any]]]"
_UNITS = {"ms": Fraction(1, 1000), "min": Fraction(60), "h": Fraction(3600)}
_SIZES = {"KiB": 2**10, "MiB": 2**20, "GiB": 2**30}


def written(space: Space, tables: Tables) -> Json:
    """By table the objects of its lines."""
    writer = _Writer(space.tables, tables)
    return {
        name: writer.objects(name, tables.get(name, [])) for name, one in space.tables.items() if one.kind == "input"
    }


class _Writer:
    def __init__(self, declared: dict[str, core.Table], tables: Tables) -> None:
        self.declared, self.tables = declared, tables
        self.nested = {table.name: table.parent for table in declared.values() if table.kind == "nested"}
        self.keys: dict[str, list[core.Col]] = {}

    def objects(self, table: str, rows: list[Row]) -> list[dict[str, Any]]:
        """Rows of a table, each with those that are nested in it."""
        columns = inputs(self.declared[table])
        inside = [name for name, parent in self.nested.items() if parent == table]
        made = []
        for row in rows:
            cells = {c.name: self._plain(row.cells.get(c.name), c.type) for c in columns}
            for name in inside:
                own = [one for one in self.tables.get(name, []) if one.cells.get("_parent") is row]
                cells[name.removeprefix(f"{table}.")] = self.objects(name, own)
            made.append(cells)
        return made

    def _key(self, name: str) -> list[core.Col]:
        if name not in self.keys:
            table = self.declared[name]
            self.keys[name] = [column for column in table.columns if column.name in table.key]
        return self.keys[name]

    def _plain(self, value: Any, kind: core.Type) -> Any:
        if value is None or type(value) in (str, bool):
            return value
        if isinstance(value, Row):
            cells = [self._plain(value.cells.get(c.name), c.type) for c in self._key(value.table)]
            return cells[0] if len(cells) == 1 else cells
        if isinstance(value, (tuple, frozenset)):
            return [self._plain(item, kind.item or kind) for item in value]
        if isinstance(value, Fraction):
            shown = value / _UNITS.get(kind.shown, Fraction(_SIZES.get(kind.shown, 1))) if kind.shown else value
            return int(shown) if shown.denominator == 1 else float(shown)
        if isinstance(value, datetime):
            return value.isoformat().replace("+00:00", "Z")
        return value.isoformat() if isinstance(value, date) else value


__all__ = ["Json", "written"]
