"""One row with the rows that belong to it, made so that its features have wanted values.

A search that changes one cell at a time, from a start that is the same for the same protocol; it finds what is simple.
What it does not find is a witness that stays possible.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from protoc_compiler import core
from protoc_compiler.core.tree import parts
from protoc_compiler.proof.features import Cell, Feature
from protoc_compiler.proof.interpret import Beyond, Row, Rows
from protoc_compiler.proof.pools import Pools

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeAlias

Never: TypeAlias = "list[tuple[str, list[Feature], Callable[[Cell], Any]]]"
_KICKS = 40
_STEPS = 2_000
_MOST = 3  # rows of one table that belong to one row
_HARD = 1_000
Told: TypeAlias = "list[tuple[Callable[[Cell], Any], bool]]"  # tests of a cell, and whether they must hold


class Made:
    """A row, and by table the rows that belong to it."""

    def __init__(self, row: Row, children: dict[str, list[Row]]) -> None:
        self.row = row
        self.children = children


class Archetypes:
    """Makes rows of one table."""

    def __init__(self, root: str, space_tables: Mapping[str, core.Table], around: Rows, pools: Pools) -> None:
        self.root = root
        self.tables = space_tables
        self.around = around
        self.pools = pools
        self.owners = {name: column for name, table in space_tables.items() if (column := _owner(table, root))}
        self.inputs = {name: inputs(space_tables[name]) for name in (root, *self.owners)}
        self.most = {name: _most(space_tables[name], column) for name, column in self.owners.items()}

    def make(self, features: list[Feature], cell: Cell, counted: set[int], told: Told, never: Never) -> Made | None:
        """A row of which the `counted` features have the values of the cell and all tests are as told, and as many of
        the other features as can be have them too; `never` holds of no row that belongs to it. None if none was
        found."""
        return _Climb(self, features, cell, counted, told, never).found()

    def read_by(self, feature: Feature) -> set[tuple[str, str]]:
        """The columns on which the value of a feature may depend, each with its table."""
        found = columns_of(feature.value)
        for part in parts(feature.value):
            rows = getattr(part, "rows", None)
            if isinstance(rows, core.Rows):
                if rows.table in self.around.groupings:  # which groups there are depends on what chooses their rows
                    return {(name, column.name) for name, own in self.inputs.items() for column in own}
                table = self.tables.get(rows.table)
                order = table.order if table is not None else ()
                found |= {(rows.table, _plain_name(name)) for name in (*order, *(m.column for m in rows.match))}
        return found

    def start(self) -> Made:
        """The plainest row, with one row of each table that belongs to it."""
        row = Row(self.root, {})
        table = self.tables[self.root]
        for column in self.inputs[self.root]:
            row.cells[column.name] = self._first(table, column, 0)
        state = Made(row, {name: [] for name in self.owners})
        for name in self.owners:
            self._added(state, name)
        return state

    def _first(self, table: core.Table, column: core.Col, place: int) -> Any:
        if column.name in table.key and column.type.kind in ("text", "any"):
            return f"{table.name} {place + 1}"
        if column.name == "position" or (column.name in table.key and column.type.kind == "int"):
            return place + 1
        return next(iter(self.pools.of(column.type, column.optional)), None)

    def _added(self, state: Made, name: str) -> Row:
        table = self.tables[name]
        rows = state.children[name]
        row = Row(name, {self.owners[name]: state.row})
        for column in (*self.inputs[name], *(c for c in table.columns if c.name == "position")):
            if column.name != self.owners[name]:
                row.cells[column.name] = self._first(table, column, len(rows))
        rows.append(row)
        return row

    def moves(self, state: Made) -> Iterator[tuple[str, str, Any, Any]]:
        """Every change of one cell, and of the number of rows: its table and column ("" where there are more or fewer
        rows), how it is made, how it is taken back."""
        for row in (state.row, *(row for rows in state.children.values() for row in rows)):
            table = self.tables[row.table]
            for column in self.inputs[row.table]:
                if row is not state.row and column.name == self.owners[row.table]:
                    continue
                if column.name in table.key and column.type.kind in ("text", "any", "int"):
                    continue
                for value in self.pools.of(column.type, column.optional):
                    before = row.cells.get(column.name)
                    if value != before:
                        yield (
                            row.table,
                            column.name,
                            lambda row=row, name=column.name, value=value: row.cells.__setitem__(name, value),
                            lambda row=row, name=column.name, before=before: row.cells.__setitem__(name, before),
                        )
        for name, rows in state.children.items():
            if len(rows) < self.most[name]:
                yield name, "", (lambda name=name: self._added(state, name)), (lambda rows=rows: rows.pop())
            if rows:
                last = rows[-1]
                yield name, "", (lambda rows=rows: rows.pop()), (lambda rows=rows, last=last: rows.append(last))


class _Climb:
    """One search. Only the features that read a changed cell are computed again."""

    def __init__(
        self, maker: Archetypes, features: list[Feature], cell: Cell, counted: set[int], told: Told, never: Never
    ) -> None:
        self.maker, self.features, self.cell, self.counted, self.told = maker, features, cell, counted, told
        self.never = never
        self.state = maker.start()
        maker.around.tables[maker.root] = [self.state.row]
        for name, rows in self.state.children.items():
            maker.around.tables[name] = rows
        tables = [tables_of(feature.value) for feature in features]
        columns = [maker.read_by(feature) for feature in features]
        self.reading: dict[tuple[str, str], list[Feature]] = {}
        for name, own in maker.inputs.items():
            reading = [at for at, read in enumerate(tables) if name in read]
            self.reading[name, ""] = [features[at] for at in reading]
            for column in own:
                here = (name, column.name)
                self.reading[here] = [features[at] for at in reading if here in columns[at]]
        self.faulting = {(name, column) for name in maker.owners for column in ("", *maker.tables[name].key)}
        self.faulting.update(*(maker.read_by(feature) for _, known, _ in never for feature in known))
        self.values: list[Any] = list(cell)
        self.points = [0] * len(cell)  # what each feature adds to the score
        self.faults = 0  # of rows that belong to it
        self.steps = _STEPS

    def found(self) -> Made | None:
        """A state in which all that is wanted holds, None where the steps are used up before one is found."""
        chance, best = 1, self._computed(self.features)
        whole = _HARD * (len(self.counted) + len(self.told))
        for _ in range(_KICKS):
            best = self._climbed(best, whole + len(self.features))
            if best >= whole:
                return self.state
            if self.steps < 0:
                break
            for _ in range(2):
                chance = self._kicked(chance)
            best = self._computed(self.features)
        self.told, self.never = [], []  # what is counted is what matters most; the compiled protocols decide the rest
        best = self._climbed(self._computed(self.features), _HARD * len(self.counted))
        return self.state if best >= _HARD * len(self.counted) else None

    def _kicked(self, chance: int) -> int:
        """Make some change of some table, by a number that stands for chance; the next number."""
        moves: dict[str, list[Any]] = {}
        for name, _, apply, _ in self.maker.moves(self.state):
            moves.setdefault(name, []).append(apply)
        if not moves:  # of rows that are nothing but their keys nothing can be changed
            return chance
        for _ in range(2):
            chance = (chance * 1_103_515_245 + 12_345) % (1 << 31)
        own = list(moves.values())[(chance >> 8) % len(moves)]
        chance = (chance * 1_103_515_245 + 12_345) % (1 << 31)
        own[(chance >> 8) % len(own)]()
        return chance

    def _climbed(self, best: int, enough: int) -> int:
        improved = True
        while improved and best < enough and self.steps >= -_STEPS:
            improved = False
            for name, column, apply, undo in self.maker.moves(self.state):
                reading, faulting = self.reading[name, column], (name, column) in self.faulting
                if column and not reading and not faulting:
                    self.steps -= 1  # nothing that is wanted reads it: the score would be the same
                    continue
                before = list(self.values), list(self.points), self.faults
                apply()
                score = self._computed(reading, faulting)
                if score > best:
                    best, improved = score, True
                    break
                undo()
                self.values, self.points, self.faults = before
        return best

    def _computed(self, features: list[Feature], faulting: bool = True) -> int:
        """The score after a change: these features may have other values, and rows that belong to it other faults."""
        self.steps -= 1
        for feature in features:
            at, wanted = feature.index, self.cell[feature.index]
            try:
                self.values[at] = self.maker.around.value(feature.value, {"self": self.state.row})
            except (Beyond, TypeError):
                self.values[at] = wanted  # the compiled protocols will tell
            fits = alike(feature, wanted, self.values[at])
            self.points[at] = fits * (_HARD + 1 if at in self.counted else 1)
        if faulting:
            self.faults = _repeated(self.state, self.maker.tables) + self._broken()
        actual = tuple(self.values)
        told = sum([(test(actual) is True) is held for test, held in self.told])
        return sum(self.points) + _HARD * (told - self.faults)

    def _broken(self) -> int:
        """Rows that belong to it and have what none may have."""
        broken = 0
        for name, known, test in self.never:
            for row in self.state.children[name]:
                try:
                    cell = tuple(self.maker.around.value(feature.value, {"self": row}) for feature in known)
                except (Beyond, TypeError):
                    continue
                broken += test(cell) is True
        return broken


def _plain_name(column: str) -> str:
    """A column whose cells are others beside it has what they are in its name, too."""
    return column.partition("#")[0]


def columns_of(value: core.Expr) -> set[tuple[str, str]]:
    """The columns that a formula names, each with its table."""
    named = [part for part in parts(value) if isinstance(part, core.Column)]
    return {(part.row.type.table, _plain_name(part.name)) for part in named}


def tables_of(value: core.Expr) -> set[str]:
    """The tables that a formula reads."""
    found: set[str] = set()
    for part in parts(value):
        rows = getattr(part, "rows", None)
        if isinstance(rows, core.Rows):
            found.add(rows.table)
        if isinstance(part, core.Column):
            found.add(part.row.type.table)
    return found


def alike(feature: Feature, wanted: Any, found: Any) -> bool:
    """Whether two values compare alike with every constant that the feature is compared with."""
    if found is None or wanted is None:
        return found is wanted
    if feature.value.type.kind in ("int", "number", "quantity"):
        return all((found < c, found == c) == (wanted < c, wanted == c) for c in feature.constants)
    if feature.value.type.kind in ("bool", "enum"):
        return bool(found == wanted)
    return all((found == c) == (wanted == c) for c in feature.constants)


def inputs(table: core.Table) -> list[core.Col]:
    """The columns that rows bring with them."""
    return [
        c for c in table.columns if c.expr is None and c.name not in ("_parent", "position") and c.origin != "metric"
    ]


def _owner(table: core.Table, root: str) -> str:
    """The column by which rows of this table belong to a row of the other."""
    if table.kind == "nested" and table.parent == root:
        return "_parent"
    if table.kind != "input" or table.name == root:
        return ""
    return next((c.name for c in table.columns if c.expr is None and c.type.kind == "row" and c.type.table == root), "")


def _most(table: core.Table, owner: str) -> int:
    """How many rows may belong to one: where it alone tells them apart, a second one would be a repetition."""
    return 1 if table.key == (owner,) and not table.duplicates else _MOST


def _repeated(state: Made, tables: Mapping[str, core.Table]) -> int:
    """Rows with the key of another row."""
    more = 0
    for name, rows in state.children.items():
        key = tables[name].key
        seen = {tuple(_plain(row.cells.get(column)) for column in key) for row in rows}
        more += len(rows) - len(seen) if key else 0
    return more


def _plain(value: Any) -> Any:
    return id(value) if isinstance(value, Row) else value
