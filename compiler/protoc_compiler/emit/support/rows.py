"""Rows: tables, derived columns, narrowing, order, groups, and the values of the study."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import pairwise
from itertools import product as combinations
from typing import Any, NamedTuple

from protoc_compiler.emit.support.values import Anything, NoRows, Stopped, Unworkable, if_enough


class Row:
    """One row. `row["column"]` is its value there, computed at its first reading where the column is derived."""

    __slots__ = ("cells", "key", "line", "parts", "place", "table")

    def __init__(self, table: str, cells: dict[str, Any], line: int) -> None:
        self.table, self.cells, self.line, self.place = table, cells, line, line
        self.key: tuple[Any, ...] = ()
        self.parts: tuple[Row, ...] = ()

    def __getitem__(self, column: str) -> Any:
        study = STUDIES[-1]
        if study.changed and ("column", self.table, column) in study.changed:
            return study.redrawn(self, column)
        try:
            return self.cells[column]
        except KeyError:
            return derive(self, column)


class Column(NamedTuple):
    """A declared column: `type` as written in `TABLES`; `derived` computes it from a row."""

    type: tuple[Any, ...]
    optional: bool = False
    derived: Callable[[Row], Any] | None = None


class Table(NamedTuple):
    """A declared table. `rows` gives the rows of a subset, sample or group table; `sorted_by` the order it has of
    its own."""

    kind: str
    root: str
    columns: dict[str, Column]
    key: tuple[str, ...] = ()
    order: tuple[str, ...] = ()
    source: str = "file"
    file: str = ""
    record: bool = False
    parent: str = ""
    parts: tuple[str, ...] = ()
    group: tuple[str, ...] = ()
    rows: Callable[[], list[Row]] | None = None
    sorted_by: Callable[[Row], tuple[Any, ...]] | None = None
    listed: tuple[tuple[Any, ...], ...] = ()
    labels: tuple[str, ...] = ()
    unpivot: tuple[str, tuple[tuple[str, str], ...], tuple[tuple[str, str], ...]] | None = None
    duplicates: str = ""


class Item(NamedTuple):
    """A named value or rule; `per` are the tables of its placeholders, one row of each an argument of `value`.
    `parts` are the conditions of a rule that joins several, each as it was written."""

    value: Callable[..., Any]
    per: tuple[str, ...] = ()
    says: str = ""
    parts: tuple[tuple[str, Callable[..., Any]], ...] = ()
    withheld: Callable[..., Any] | None = None
    forces: str = ""
    fires_undefined: bool = True
    outside: bool = False  # a function of the author's
    waits: bool = False  # it has no value before people have told what they judge
    lines: Callable[[], tuple[Any, ...]] | None = None  # of the verdict: each with its text, its condition, its word
    due: str = "inputs"  # of an expectation: when its rows are there ("inputs", "asked", "judged")


class Declared:
    """What the generated half of this file declares, and the rows that were read."""

    def __init__(self) -> None:
        self.tables: dict[str, Table] = {}
        self.items: dict[tuple[str, str], Item] = {}
        self.frozen: dict[str, Any] = {}
        self.frozen_files: dict[str, str] = {}
        self.read: dict[str, list[Row]] = {}
        self.absent: set[str] = set()  # tables that people fill, and have not yet
        self.digests: dict[str, str] = {}  # of each table's file, by its table


PROTOCOL = Declared()


class Circular(Unworkable):
    """A value that needs itself."""


class Study:
    """Everything computed so far. A resampling draw is a study of its own on top of the real one: it holds what the
    draw changes (`changed`) and takes all the rest from `base`."""

    def __init__(self, base: Study | None = None, changed: frozenset[tuple[str, ...]] = frozenset()) -> None:
        self.base, self.changed = base, changed
        self.tables: dict[str, list[Row] | None] = {}  # None where it is undefined which rows there are
        self.places: dict[str, dict[Row, int]] = {}
        self.ranks: dict[str, list[tuple[tuple[Any, ...], ...]]] = {}  # what the rows of a table are sorted by
        self.members: dict[str, frozenset[Row]] = {}
        self.indexes: dict[tuple[str, tuple[str, ...]], dict[tuple[Any, ...], list[Row]]] = {}
        self.values: dict[tuple[Any, ...], Any] = {}
        self.columns: dict[tuple[Row, str], Any] = {}
        self.filled: dict[tuple[str, str], int] = {}
        self.busy: set[tuple[Any, ...]] = set()

    def holding(self, *thing: str) -> Study:
        """The study that keeps this table or item."""
        return self if self.base is None or thing in self.changed else self.base

    def redrawn(self, row: Row, column: str) -> Any:
        """A derived column that the draw changes."""
        if (row, column) not in self.columns:
            derived = PROTOCOL.tables[row.table].columns[column].derived
            assert derived is not None
            self.columns[row, column] = once((row, column), lambda: derived(row))
        return self.columns[row, column]


STUDIES = [Study()]


def once(thing: tuple[Any, ...], compute: Callable[[], Any]) -> Any:
    """Compute something that must not need itself."""
    busy = STUDIES[0].busy
    if thing in busy:
        raise Circular(f"{thing[-1]} needs its own value")
    busy.add(thing)
    try:
        return compute()
    finally:
        busy.discard(thing)


def of_all_rows(compute: Callable[[], Any]) -> Any:
    """Compute something that no draw changes, on all rows."""
    STUDIES.append(STUDIES[0])
    try:
        return compute()
    finally:
        STUDIES.pop()


def derive(row: Row, column: str) -> Any:
    """Compute a derived column. Rows before this one come first, so that a column which reads its own earlier
    values never recurses through thousands of rows."""
    if STUDIES[-1] is not STUDIES[0]:
        return of_all_rows(lambda: derive(row, column))
    declared = PROTOCOL.tables[row.table].columns.get(column)
    if declared is not None and declared.derived is None and row.parts:
        return row.parts[0][column]  # a stacked row has the columns of the row that it stands for
    if declared is None or declared.derived is None:
        raise Unworkable(f"{row.table} has no column {column}")
    rows, study = table(row.table), STUDIES[0]
    start = study.filled.get((row.table, column), 0)
    if start < row.place <= len(rows):
        study.filled[row.table, column] = row.place
        for other in rows[start : row.place]:
            if column not in other.cells and (other, column) not in study.busy:
                try:
                    other.cells[column] = once((other, column), partial(declared.derived, other))
                except Circular:
                    continue  # it needs a row that is being computed: its turn comes when it is read
    if column not in row.cells:
        row.cells[column] = once((row, column), partial(declared.derived, row))
    return row.cells[column]


def at(row: Row | None, column: str) -> Any:
    """A column of a row that may be undefined."""
    return None if row is None else row[column]


# --- tables -----------------------------------------------------------------------------------------------------


def table(name: str) -> list[Row]:
    """The rows of a table in its order."""
    study = STUDIES[-1].holding("table", name)
    if name not in study.tables:
        study.tables[name] = once(("table", name), lambda: if_enough(lambda: rows_of(name)))
    found = study.tables[name]
    if found is None:
        raise NoRows(f"the rows of {name} are undefined")
    return found


def known_rows(name: str) -> list[Row]:
    """The rows of a table; none where they are undefined."""
    return if_enough(lambda: table(name)) or []


def rows_of(name: str) -> list[Row]:
    """The rows of a table, computed."""
    declared = PROTOCOL.tables[name]
    if declared.kind in ("input", "listed", "nested"):
        return in_declared_order(name, PROTOCOL.read.get(name, []))
    if declared.kind == "cross":
        made = [crossed(name, rows) for rows in combinations(*(table(part) for part in declared.parts))]
    elif declared.kind == "stack":
        made = [stacked(name, row) for part in declared.parts for row in table(part)]
    else:
        assert declared.rows is not None
        if declared.kind != "grouped":
            return declared.rows()
        made = grouped(name, declared.rows())
    for place, row in enumerate(made):
        row.line = row.place = place
    return made


def in_declared_order(name: str, rows: list[Row]) -> list[Row]:
    """Rows as their table's `order` says; `place` is the position in it."""
    declared = PROTOCOL.tables[name]
    columns = [column for column in declared.order if column != "file"]
    if columns:
        found = [(tuple(rank(row[c], declared.columns[c].type) for c in columns), row) for row in rows]
        rows = [row for _, row in placed(found, f"{name} ({', '.join(columns)})")]
    for place, row in enumerate(rows):
        row.place = place
    return rows


def crossed(name: str, rows: tuple[Row, ...]) -> Row:
    """A row of a product: it refers to its parts, and has their keys."""
    made = Row(name, dict(zip(PROTOCOL.tables[name].parts, rows, strict=True)), 0)
    made.parts = rows
    made.key = tuple(part for row in rows for part in row.key)
    return made


def stacked(name: str, row: Row) -> Row:
    """A row of tables put under each other: it has the columns that they share."""
    made = Row(name, {}, 0)
    made.parts, made.key = (row,), row.key
    return made


def grouped(name: str, rows: list[Row]) -> list[Row]:
    """One row per distinct key, sorted."""
    declared = PROTOCOL.tables[name]
    keys: dict[tuple[Any, ...], None] = dict.fromkeys(tuple(row[c] for c in declared.group) for row in rows)
    types = [declared.columns[c].type for c in declared.group]
    if any(None in key for key in keys):
        raise NoRows(f"a key of {name} is undefined")
    made = []
    for key in sorted(keys, key=lambda key: tuple(map(rank, key, types))):
        row = Row(name, dict(zip(declared.group, key, strict=True)), 0)
        row.key = tuple(part for value in key for part in (value.key if isinstance(value, Row) else (value,)))
        made.append(row)
    return made


UNPLACED = (1, 0)  # the rank of an undefined value


def rank(value: Any, type_: tuple[Any, ...] = ("any",)) -> tuple[Any, ...]:
    """A key to sort by: undefined last, enums in declared order, references by their line."""
    if value is None:
        return UNPLACED
    if isinstance(value, Row):
        return (0, value.line)
    if isinstance(value, Anything):
        return (0, value.kind, value.value)
    return (0, type_[1].index(value) if type_[0] == "enum" else value)


Placed = list[tuple[tuple[tuple[Any, ...], ...], Row]]  # rows with the ranks that they are sorted by


def placed(found: Placed, where: str) -> Placed:
    """Rows with their places in an order, sorted. A row without a place, or two at one place, stop the run."""
    if any(UNPLACED in place for place, _ in found):
        raise Stopped("E1252", f"a row of {where} has no place in its order: a value that is ordered by is undefined")
    found = sorted(found, key=lambda pair: pair[0])
    for (place, row), (other_place, other) in pairwise(found):
        if place == other_place:
            raise Stopped("E1251", f"two rows of {where} stand at the same place of its order: {row.key}, {other.key}")
    return found


def ordered(rows: Iterable[Row], key: Callable[[Row], tuple[Any, ...]]) -> list[Row]:
    """`ordered by`. A tie and an undefined value stop the run."""
    found = [(tuple(rank(part) for part in key(row)), row) for row in rows]
    return [row for _, row in placed(found, found[0][1].table)] if found else []


def member(value: str | None, members: Sequence[str]) -> int | None:
    """The position of an enum's member, to sort by."""
    return None if value is None else members.index(value)
