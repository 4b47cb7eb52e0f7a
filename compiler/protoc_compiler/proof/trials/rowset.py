"""Rows that are tried: changed in place, shown to a verifier as its own rows, and written as files have them."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, datetime
from fractions import Fraction
from typing import Any

from protoc_compiler import core
from protoc_compiler.proof.archetype import inputs
from protoc_compiler.proof.program import Program, support

Json = dict[str, list[dict[str, Any]]]
Key = tuple[Any, ...]


class Own:
    """A row: cells as a verifier holds them; a reference is the other row itself. `parent`: of a nested row."""

    __slots__ = ("cells", "parent", "table")

    def __init__(self, table: str, cells: dict[str, Any], parent: Own | None = None) -> None:
        self.table, self.cells, self.parent = table, cells, parent


class Rowset:
    """The rows of all tables that bring rows. Lists are never changed, they are replaced."""

    def __init__(self, tables: dict[str, list[Own]]) -> None:
        self.tables = tables

    def copied(self) -> Rowset:
        """The same rows by themselves; listed rows stay the same."""
        twins = {
            id(row): Own(row.table, dict(row.cells)) for rows in self.tables.values() for row in rows
            if not isinstance(row, Fixed)
        }  # fmt: skip
        for rows in self.tables.values():
            for row in rows:
                made = twins.get(id(row))
                if made is not None:
                    made.parent = twins.get(id(row.parent))
                    for name, value in made.cells.items():
                        if isinstance(value, Own):
                            made.cells[name] = twins.get(id(value), value)
        return Rowset({name: [twins.get(id(row), row) for row in rows] for name, rows in self.tables.items()})

    def mark(self) -> int:
        """A number that rows which say the same have in common, and others hardly ever."""
        own = [row for rows in self.tables.values() for row in rows]
        places = {id(row): at for at, row in enumerate(own)}
        cells = [
            (row.table, places.get(id(row.parent)), tuple([
                (name, ("row", places.get(id(value))) if isinstance(value, Own) else value)
                for name, value in row.cells.items()
            ]))
            for row in own if not isinstance(row, Fixed)
        ]  # fmt: skip
        return hash(tuple(cells))

    def number(self) -> int:
        """How many rows there are, those of the protocol itself left out."""
        return sum([len(rows) for rows in self.tables.values() if not (rows and isinstance(rows[0], Fixed))])


class Unfit(Exception):
    """Rows of which a protocol tells nothing: it stops on them, or cannot read them."""


class Fixed(Own):
    """A row that stands in the protocol, known by its key: another one may have it elsewhere, or not at all."""

    __slots__ = ("key",)

    def __init__(self, table: str, cells: dict[str, Any], key: Key) -> None:
        super().__init__(table, cells)
        self.key = key


class Listed:
    """The rows of listed tables as one verifier has read them."""

    def __init__(self, program: Program) -> None:
        half = program.chosen()
        reader = half["Reader"](None, None)
        for name, declared in program.own["PROTOCOL"].tables.items():
            for line, values in enumerate(declared.listed if declared.kind == "listed" else ()):
                reader.add_listed(name, declared, line, values)
        keys = {name: reader.keyed(name) for name in reader.rows}
        for _, row, column, target in reader.references:
            found = keys[target].get(row.cells[column]) or reader.labelled(target, row.cells[column])
            row.cells[column] = found
        self.rows: dict[str, list[Any]] = {name: rows for name, rows in reader.rows.items() if rows}
        self.keyed: dict[str, dict[Key, Any]] = {name: keys[name] for name in self.rows}
        self.cells = {id(row): dict(row.cells) for rows in self.rows.values() for row in rows}

    def fixed(self) -> dict[str, list[Fixed]]:
        """The same as rows that are tried."""
        keys = {id(row): key for known in self.keyed.values() for key, row in known.items()}
        made: dict[str, list[Fixed]] = {
            name: [Fixed(name, {}, keys[id(row)]) for row in rows] for name, rows in self.rows.items()
        }
        twins = {id(row): made[name][at] for name, rows in self.rows.items() for at, row in enumerate(rows)}
        for name, rows in self.rows.items():
            for at, row in enumerate(rows):
                cells = self.cells[id(row)]
                made[name][at].cells = {column: twins.get(id(value), value) for column, value in cells.items()}
        return made

    def also_in(self, other: Listed) -> dict[str, list[Key]]:
        """By table the keys of the rows that another version lists, too: only to these can rows refer that both
        take."""
        return {name: [key for key in keys if key in other.keyed.get(name, ())] for name, keys in self.keyed.items()}

    def again(self) -> dict[str, list[Any]]:
        """The verifier's rows, without what was computed of them."""
        for rows in self.rows.values():
            for row in rows:
                row.cells = dict(self.cells[id(row)])
        return {name: list(rows) for name, rows in self.rows.items()}


def as_rows(rows: Rowset, program: Program, listed: Listed) -> dict[str, list[Any]]:
    """The rows as the verifier would have read them. Raises `Unfit` where they refer to a row of the protocol that this
    one does not have."""
    kind = support()["Row"]
    made = listed.again()
    declared = program.own["PROTOCOL"].tables
    known: dict[int, Any] = {}
    brought = {
        name: own for name, own in rows.tables.items()
        if name in declared and name not in made and not (own and isinstance(own[0], Fixed))
    }  # fmt: skip
    for name, own in rows.tables.items():
        for row in own:
            if isinstance(row, Fixed) and row.key in listed.keyed.get(name, ()):
                known[id(row)] = listed.keyed[name][row.key]
    for name, own in brought.items():
        made[name] = twins = [kind(name, {}, line) for line in range(len(own))]
        known.update(zip(map(id, own), twins, strict=True))
    for name, own in brought.items():
        if declared[name].kind != "listed":
            above = declared[name].key[0] if declared[name].kind == "nested" else ""
            inside: dict[int, int] = {}
            for row in own:
                twin = known[id(row)]
                twin.cells = {
                    column: _known(value, known) if isinstance(value, Own) else value
                    for column, value in row.cells.items()
                }
                if above:
                    inside[id(row.parent)] = position = inside.get(id(row.parent), 0) + 1
                    twin.cells |= {above: known[id(row.parent)], "position": position}
    for name, own in brought.items():
        for row in own if declared[name].kind != "listed" else ():
            _keyed(known[id(row)], declared)
    for name in declared:
        made.setdefault(name, [])
    return made


def _known(value: Own, known: dict[int, Any]) -> Any:
    found = known.get(id(value))
    if found is None:
        raise Unfit(f"rows refer to a row of {value.table} that only one of the two has")
    return found


def _keyed(row: Any, declared: dict[str, Any]) -> tuple[Any, ...]:
    if not row.key:
        table = declared[row.table]
        key: list[Any] = []
        for column in table.key if table.kind != "nested" else (table.key[0], "position"):
            value = row.cells.get(column)
            key += _keyed(value, declared) if hasattr(value, "cells") else (value,)
        row.key = tuple(key)
    return row.key  # type: ignore[no-any-return]


# --- as files have them -------------------------------------------------------------------------------------------


def as_json(rows: Rowset, tables: Iterable[core.Table]) -> Json:
    """By table the objects of its lines."""
    writer = _Writer(rows, {table.name: table for table in tables})
    return {table.name: writer.lines(table) for table in writer.tables.values() if table.kind == "input"}


class _Writer:
    def __init__(self, rows: Rowset, tables: dict[str, core.Table]) -> None:
        self.rows, self.tables = rows, tables
        self.nested = {table.name: table.parent for table in tables.values() if table.kind == "nested"}
        self.inside: dict[tuple[str, int], list[Own]] = {}
        for name in self.nested:
            for row in rows.tables.get(name, []):
                self.inside.setdefault((name, id(row.parent)), []).append(row)

    def lines(self, table: core.Table) -> list[dict[str, Any]]:
        """The rows of a table as the objects of its file."""
        made = [self._object(table, row) for row in self.rows.tables.get(table.name, [])]
        return made if table.unpivot is None else list(_wide(table.unpivot, made))

    def _object(self, table: core.Table, row: Own) -> dict[str, Any]:
        cells = {column.name: self._plain(row.cells.get(column.name), column.type) for column in inputs(table)}
        for name in [name for name, parent in self.nested.items() if parent == table.name]:
            own = self.inside.get((name, id(row)), [])
            cells[name.removeprefix(f"{table.name}.")] = [self._object(self.tables[name], one) for one in own]
        if table.kind == "nested":
            cells.pop(table.key[0], None)
        return cells

    def _plain(self, value: Any, kind: core.Type) -> Any:
        if isinstance(value, Own):
            parts = self._key(value)
            return parts[0] if len(parts) == 1 else parts
        if isinstance(value, (frozenset, tuple)) and not hasattr(value, "kind"):
            found = [self._plain(one, kind.item or kind) for one in value]
            return sorted(found, key=str) if isinstance(value, frozenset) else found
        if hasattr(value, "kind"):
            value = value.value
        if isinstance(value, Fraction) or (type(value) is int and kind.kind == "quantity"):
            shown = Fraction(value) / unit(kind)
            return int(shown) if shown.denominator == 1 else float(shown)
        if isinstance(value, datetime):
            return value.isoformat().replace("+00:00", "Z")
        return value.isoformat() if isinstance(value, date) else value

    def _key(self, row: Own) -> list[Any]:
        table = self.tables[row.table]
        columns = {column.name: column.type for column in table.columns}
        return [self._plain(row.cells.get(name), columns[name]) for name in table.key]


def _wide(plan: core.UnpivotPlan, rows: list[dict[str, Any]]) -> Iterable[dict[str, Any]]:
    """Rows of one label each, as the wide rows that they are read from."""
    written = dict(plan.labels)
    wide: dict[str, dict[str, Any]] = {}
    for row in rows:
        values = {name: row.pop(name) for name, _ in plan.columns}
        label = str(written[row.pop(plan.label)])
        made = wide.setdefault(repr(sorted(row.items())), dict(row))
        made |= {pattern.replace(f"<{plan.label}>", label): values[name] for name, pattern in plan.columns}
    return wide.values()


def unit(kind: core.Type) -> Fraction:
    """What one of the unit in which cells are written is, in the unit in which they are held."""
    return Fraction(support()["UNITS"].get(kind.shown, 1)) if kind.kind == "quantity" else Fraction(1)


__all__ = ["Fixed", "Json", "Key", "Listed", "Own", "Rowset", "Unfit", "as_json", "as_rows", "unit"]
