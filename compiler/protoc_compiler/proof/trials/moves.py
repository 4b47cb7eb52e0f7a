"""Single changes of rows that are tried: cells of some rows, more rows, fewer rows. Each can be taken back."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from fractions import Fraction
from typing import Any

from protoc_compiler import core
from protoc_compiler.proof.archetype import inputs
from protoc_compiler.proof.fewer import rows_without
from protoc_compiler.proof.trials.making import Making, tell_apart
from protoc_compiler.proof.trials.rowset import Fixed, Own, Rowset, unit
from protoc_compiler.proof.trials.values import NUMBERS, OWN, Place, Values, number

_KINDS = 12  # the most groups of rows that are changed together by what one column holds
_SINGLES = 40  # rows that are changed by themselves
LEVELS = 4


class Move:
    """A change, made of cells and of lists of rows."""

    def __init__(
        self, place: Place, cells: list[tuple[Own, str, Any]], tables: dict[str, list[Own]] | None = None
    ) -> None:
        """`place`: what it is about; a table alone where there are more or fewer rows."""
        self.place, self.cells, self.tables = place, cells, tables or {}

    def changes(self) -> bool:
        """Whether some cell is another one afterwards."""
        return any(row.cells.get(name) != value for row, name, value in self.cells)

    def make(self, rows: Rowset) -> None:
        """Change the rows; made again, it takes the change back."""
        self.cells = [(row, name, _put(row, name, value)) for row, name, value in self.cells]
        before = {name: rows.tables[name] for name in self.tables}
        rows.tables |= self.tables
        self.tables = before


def _put(row: Own, name: str, value: Any) -> Any:
    before = row.cells.get(name)
    row.cells[name] = value
    return before


class Moves:
    """The changes that may be made of rows, the widest first."""

    def __init__(self, making: Making, values: Values, most: int) -> None:
        """`most`: rows there may be at most."""
        self.making, self.values, self.most = making, values, most
        self.tables = making.tables
        self.luck: dict[Place, int] = {}  # when a change there has helped
        self.free: dict[str, list[core.Col]] = {
            table.name: [c for c in inputs(table) if c.name not in tell_apart(table) and c.name not in table.order]
            for table in making.brought
        }
        self.columns = {(name, column.name): column for name, own in self.free.items() for column in own}
        self.places: list[Place] = [
            (table.name, name) for table in making.brought for name in (*(c.name for c in self.free[table.name]), "")
        ]

    def of(self, rows: Rowset, level: int, wanted: Collection[Place]) -> Iterator[Move]:
        """The changes of a level: of all rows of a table, of those that are alike, of parts, of single ones. Of the
        columns that are `wanted`; ("table", "") where the number of rows is."""
        for name, column in self.lucky():
            table = self.tables[name]
            if (name, column) not in wanted or table.record > (column != ""):
                continue
            for group in list(self._groups(rows, table, level)):
                if column:
                    moves = self._cells(rows, self.columns[name, column], group, level)
                    yield from (move for move in moves if move.changes())
                else:
                    yield from self._numbers(rows, table, group, level)

    def lucky(self) -> list[Place]:
        """What may be changed, first what has helped most lately."""
        return sorted(self.places, key=lambda place: -self.luck.get(place, 0))

    def fewer(self, rows: Rowset, level: int, wanted: Collection[Place]) -> Iterator[Move]:
        """Of the changes of a level those after which there are fewer rows."""
        for table in self.making.brought:
            own = list(self._groups(rows, table, level)) if (table.name, "") in wanted and not table.record else []
            for group in sorted(own, key=len, reverse=True):
                if len(group) < len(rows.tables[table.name]):
                    yield self.dropped(rows, group)

    def larger(self, rows: Rowset) -> Move | None:
        """All rows once more, of each table that does not belong to another; None where there would be too many."""
        changed: dict[str, list[Own]] = {}
        trial = Rowset(dict(rows.tables))
        for table in self.making.brought:
            own = rows.tables[table.name]
            if own and table.kind == "input" and not table.record and not any(True for _ in _owners_brought(own[0])):
                move = self.doubled(trial, table, own, self._has_texts(table))
                if move is None:
                    return None
                trial.tables |= move.tables
                changed |= move.tables
        return Move(("", ""), [], changed) if changed else None

    # --- which rows -------------------------------------------------------------------------------------------------

    def _groups(self, rows: Rowset, table: core.Table, level: int) -> Iterator[list[Own]]:
        own = rows.tables[table.name]
        if not own:
            if level == 0:
                yield own
        elif level == 0:
            yield own
        elif level == 1:
            yield from self.alike(own, table)
        elif level == 2 and len(own) > 1:
            yield from (own[:1], own[::2], own[: len(own) // 2], own[1:])
            if len(own) > 8:
                yield from (own[: len(own) // 4], own[: len(own) // 10 + 1], own[::3])
        elif level == 3:
            yield own
            seen: dict[Any, Own] = {}
            for row in own:
                seen.setdefault(self._looks(row), row)
            yield from ([row] for row in list(seen.values())[:_SINGLES])

    def alike(self, own: list[Own], table: core.Table, keys: bool = True) -> Iterator[list[Own]]:
        """Rows that hold the same in a column with few values, or that refer to rows that do; also in one that may
        tell each row from all others if `keys`."""
        seen: set[tuple[int, ...]] = {tuple(map(id, own))}
        for told in self._telling(table, keys):
            found: dict[Any, list[Own]] = {}
            for row in own:
                found.setdefault(told(row), []).append(row)
            if 1 < len(found) <= _KINDS:
                for group in found.values():
                    key = tuple(map(id, group))
                    if key not in seen:
                        seen.add(key)
                        yield group

    def _telling(self, table: core.Table, keys: bool) -> Iterator[Any]:
        if table.kind == "nested":
            yield lambda row: row.parent
        for column in inputs(table):
            own = column.type.kind in OWN
            if not keys and (own or (column.name,) == tuple(table.key)):
                continue
            if column.type.kind in ("enum", "bool", "row") or column.optional or own:
                yield lambda row, name=column.name: row.cells.get(name)
            if column.type.kind == "row":
                other = self.tables[column.type.table]
                for below in inputs(other) if other.kind == "input" else ():
                    if below.type.kind in ("enum", "bool", "row"):
                        yield lambda row, name=column.name, below=below.name: _through(row, name, below)

    def _looks(self, row: Own) -> Any:
        """What tells a row from others, but for the keys that only name rows."""
        table = self.tables[row.table]
        made: list[Any] = [row.table, row.parent and self._looks(row.parent)]
        for column in inputs(table):
            value = row.cells.get(column.name)
            if column.name in (*table.key, *table.order) and column.type.kind in OWN:
                continue
            if isinstance(value, Own):
                value = id(value) if isinstance(value, Fixed) else self._looks(value)
            made.append(value)
        return tuple(made)

    # --- cells ------------------------------------------------------------------------------------------------------

    def _cells(self, rows: Rowset, column: core.Col, group: list[Own], level: int) -> Iterator[Move]:
        if not group:
            return
        place = (group[0].table, column.name)
        table = self.tables[place[0]]
        if column.type.kind == "row":
            domain = self.making.domain(rows, column)
            plain = [*domain[:_KINDS], *([None] if column.optional else [])]
        else:
            plain = self.values.plain(table, column)
        for value in plain:
            if any(row.cells.get(column.name) != value for row in group):
                yield Move(place, [(row, column.name, value) for row in group])
        for other in self.values.tied.get(place, ()) if column.type.kind != "row" else ():
            told = [(row, self._beside(rows, row, at, other)) for at, row in enumerate(group)]
            taken = [
                (row, column.name, value) for row, value in told if value not in (None, row.cells.get(column.name))
            ]
            if taken:
                yield Move(place, taken)
        if column.type.kind in NUMBERS:
            yield from self._scaled(place, column, group)
        if len(group) > 1 and level < 3:
            yield from self._spread(place, column, group, plain)

    def _beside(self, rows: Rowset, row: Own, at: int, other: Place) -> Any:
        """What stands in a column that this one is compared with: in the row itself, one that it belongs to, or the
        one at the same place."""
        table, name = other
        for one in (row, *owners(row)):
            if one.table == table:
                return one.cells.get(name)
        there = rows.tables.get(table, [])
        return there[at % len(there)].cells.get(name) if there else None

    def _scaled(self, place: Place, column: core.Col, group: list[Own]) -> Iterator[Move]:
        """All numbers become larger, or smaller, in the same way."""
        near = [(row, list(self.values.beside(row.cells.get(column.name), column))) for row in group]
        for way in range(8):
            made = [
                (row, column.name, values[way])
                for row, values in near
                if way < len(values) and values[way] != row.cells.get(column.name)
            ]
            if made:
                yield Move(place, made)

    def _spread(self, place: Place, column: core.Col, group: list[Own], values: list[Any]) -> Iterator[Move]:
        """Values in turn, and numbers that rise."""
        if len(values) > 1:
            few = values[: min(len(values), 5)]
            yield Move(place, [(row, column.name, few[at % len(few)]) for at, row in enumerate(group)])
            part = -(-len(group) // len(few))
            yield Move(place, [(row, column.name, few[at // part]) for at, row in enumerate(group)])
        if column.type.kind in NUMBERS:
            for sign in (1, -1):
                rising = [number(Fraction(sign * (at + 1)), column.type) for at in range(len(group))]
                yield Move(place, [(row, column.name, value) for row, value in zip(group, rising, strict=True)])
        if column.type.kind == "text":
            every = [f"{column.name} {at + 1}" for at in range(len(group))]
            yield Move(place, [(row, column.name, value) for row, value in zip(group, every, strict=True)])

    # --- numbers of rows --------------------------------------------------------------------------------------------

    def _numbers(self, rows: Rowset, table: core.Table, group: list[Own], level: int) -> Iterator[Move]:
        place = (table.name, "")
        if level == 0:
            missing = self._missing(rows, table)
            if missing is not None:
                yield missing
        if not group:
            return
        if level == 3 or len(group) < len(rows.tables[table.name]):
            yield self.dropped(rows, group)
        if table.kind != "nested" and (table.unpivot is None or level < 3):
            for fresh in (False, True) if self._has_texts(table) else (False,):
                more = self.doubled(rows, table, group, fresh)
                if more is not None:
                    yield more
        if (table.kind == "nested" or table.duplicates) and rows.number() + len(group) <= self.most:
            own = [Own(row.table, dict(row.cells), row.parent) for row in group]
            yield Move(place, [], {table.name: [*rows.tables[table.name], *own]})

    def dropped(self, rows: Rowset, group: list[Own]) -> Move:
        """Without these rows, and without those that belong to them."""
        brought = {table.name: rows.tables[table.name] for table in self.making.brought}
        return Move((group[0].table, ""), [], rows_without(brought, group, owners))

    def _has_texts(self, table: core.Table) -> bool:
        return any(column.type.kind == "text" for column in self.free[table.name])

    def doubled(self, rows: Rowset, table: core.Table, group: list[Own], fresh: bool = False) -> Move | None:
        """These rows once more with those that belong to them, under names of their own; None where they have none.
        `fresh`: other texts in them, too."""
        if not self._renamed(table):
            return None
        twins = {id(row): self._twin(rows, row, at, False) for at, row in enumerate(group)}
        if fresh:
            for at, twin in enumerate(twins.values()):
                own = {c.name: f"{c.name} {len(rows.tables[table.name]) + at + 1}" for c in self.free[table.name] if
                       c.type.kind == "text"}  # fmt: skip
                twin.cells |= own
        changed = {table.name: [*rows.tables[table.name], *twins.values()]}
        for other in self.making.brought:
            below = [row for row in rows.tables[other.name] if any(id(one) in twins for one in owners(row))]
            if not below or other.name == table.name:
                continue
            made: list[Own] = []
            for row in below:
                named = any(id(row.cells.get(name)) in twins for name in other.key)
                twin = self._twin(rows, row, len(made), named)
                twin.cells = {n: twins.get(id(v), v) if isinstance(v, Own) else v for n, v in twin.cells.items()}
                twin.parent = twins.get(id(row.parent), row.parent) if row.parent is not None else None
                made.append(twin)
            twins |= {id(row): twin for row, twin in zip(below, made, strict=True)}
            changed[other.name] = [*rows.tables[other.name], *made]
        more = sum([len(own) - len(rows.tables[name]) for name, own in changed.items()])
        return Move((table.name, ""), [], changed) if rows.number() + more <= self.most else None

    def _renamed(self, table: core.Table) -> bool:
        """Whether a row can have a name that no other has, by a column of its own."""
        return not table.key or any(column.name in table.key and column.type.kind in OWN for column in inputs(table))

    def _twin(self, rows: Rowset, row: Own, more: int, named: bool) -> Own:
        """`named`: what it refers to tells it from others already."""
        table = self.tables[row.table]
        made = Own(row.table, dict(row.cells), row.parent)
        for column in inputs(table):
            known = named and column.name in table.key
            if column.name in (*table.key, *table.order) and column.type.kind in OWN and not known:
                made.cells[column.name] = self._unused(rows, table, column, row, more)
        return made

    def _unused(self, rows: Rowset, table: core.Table, column: core.Col, row: Own, more: int) -> Any:
        own = rows.tables[table.name]
        if column.type.kind in NUMBERS:
            last = max([value for one in own if (value := one.cells[column.name]) is not None], default=0)
            return last + (row.cells[column.name] if len(table.key) > 1 else (more + 1) * number_of(column))
        taken, at = {row.cells.get(column.name) for row in own}, len(own)
        while self.values.own(table, column, at) in taken:
            at += 1
        return self.values.own(table, column, at + more)

    def _missing(self, rows: Rowset, table: core.Table) -> Move | None:
        """A row for each combination of keys that has none."""
        if table.kind == "nested" or self._renamed(table):
            if not rows.tables[table.name] and table.kind == "input":
                made = self.making.start(1).tables[table.name]
                if not any(isinstance(value, Own) and not isinstance(value, Fixed) for one in made for value in
                           one.cells.values()):  # fmt: skip
                    return Move((table.name, ""), [], {table.name: made})
            return None
        there = {tuple(row.cells.get(name) for name in table.key) for row in rows.tables[table.name]}
        trial = Rowset({**rows.tables})
        for keys in self.making.combinations(rows, table):
            if tuple(keys.get(name) for name in table.key) not in there and trial.number() < self.most:
                self.making.add(trial, table, keys, None, len(trial.tables[table.name]))
        added = trial.tables[table.name]
        return Move((table.name, ""), [], {table.name: added}) if len(added) > len(rows.tables[table.name]) else None


def number_of(column: core.Col) -> Any:
    """One step of a number."""
    return 1 if column.type.kind == "int" else unit(column.type)


def owners(row: Own) -> Iterator[Own]:
    """The rows that it belongs to: the one it stands in, and those that it refers to."""
    if row.parent is not None:
        yield row.parent
    for value in row.cells.values():
        if isinstance(value, Own):
            yield value


def _owners_brought(row: Own) -> Iterator[Own]:
    return (one for one in owners(row) if not isinstance(one, Fixed))


def _through(row: Own, name: str, below: str) -> Any:
    other = row.cells.get(name)
    return other.cells.get(below) if isinstance(other, Own) else None


__all__ = ["LEVELS", "Move", "Moves", "owners"]
