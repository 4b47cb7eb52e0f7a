"""A study but for its intervals: one protocol's rules over one set of rows, computed when asked for, and once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from fractions import Fraction
from typing import Any, Self

import polars as pl

from protoc_runtime.catalogue import rules as kinds
from protoc_runtime.engine import derived
from protoc_runtime.engine.columns import listed, stored
from protoc_runtime.engine.context import INDEX, ONE, Context, positions
from protoc_runtime.engine.counted import WEIGHT, counted
from protoc_runtime.engine.declare import ItemRule, Rules, TableRule
from protoc_runtime.engine.faults import EngineError, stop
from protoc_runtime.engine.forms import Withheld, default
from protoc_runtime.engine.plain import Plain
from protoc_runtime.engine.rows import Rows, RowVec
from protoc_runtime.engine.sheet_rows import sheet_rows
from protoc_runtime.engine.vec import Bools, Vec, lift
from protoc_runtime.reading.decimals import decimal_text
from protoc_runtime.tables import TableData


class Entries:
    """The value of an item: one entry per tuple of `context`, whose rows are `keys`."""

    def __init__(
        self, value: Vec, keys: tuple[Rows, ...], withheld: pl.Series | None, parts: Mapping[str, Bools]
    ) -> None:
        self.value = value
        self.keys = keys
        self.withheld = withheld
        self.parts = parts or {}


class BaseStudy:
    """Tables by name, derived columns, and the values of all items.

    `digests`: SHA-256 (hex) of files: by table for `digest(T)`, by `freeze.NAME` for a frozen file.
    """

    def __init__(self, rules: Rules, tables: Mapping[str, TableData], digests: Mapping[str, str] | None = None) -> None:
        self.rules = rules
        self.data = tables
        self.digests = digests or {}
        self._whole: dict[str, Rows] = {}
        self._rows: dict[str, Rows] = {}
        self._columns: dict[tuple[str, str], Vec] = {}
        self._values: dict[tuple[str, str], Entries] = {}
        self._places: dict[str, pl.Series] = {}
        self._groups: dict[str, derived.Groups] = {}

    def counted(self) -> Self:
        """The same study over the counts of large tables, where the rules need no more."""
        tables = counted(self.rules, self.data)
        return self if tables is self.data else type(self)(self.rules, tables, self.digests)

    # --- tables -------------------------------------------------------------------------------------------------

    def declared(self, table: str) -> TableRule:
        """What is declared of a table."""
        return self.rules.tables[table]

    def table(self, root: str) -> Rows:
        """All rows of a root table in the order in which they are stored: tuple i is row i."""
        if root not in self._whole:
            declared = self.declared(root)
            self._whole[root] = Rows(self, root, root, derived.height(self, declared))
            self._whole[root].short = derived.short(self, declared)
        return self._whole[root]

    def rows(self, table: str) -> Rows:
        """The rows of any table in its declared order."""
        if table not in self._rows:
            self._rows[table] = self._opened(self.declared(table))
        return self._rows[table]

    def _opened(self, table: TableRule) -> Rows:
        if table.kind == "sample" and table.sample is not None:
            rows = self.rows(table.parts[0])
            groups = [plain_text(value) for value in self._readable(rows[table.within])] if table.within else None
            return derived.sample(rows, *table.sample, groups).named(table.name)
        if table.kind == "subset" and table.formula is not None:
            found: Rows = table.formula(self)
            return found.named(table.name)
        whole = self.table(table.root)
        order = tuple(name for name in table.order if name != "file")
        return whole.ordered(*(whole[name] for name in order)) if order else whole

    def table_data(self, table: str) -> TableData | None:
        """The stored rows of a table; None for an observed record that there is not."""
        found = self.data.get(table)
        if found is None and not self.declared(table).record:
            stop(kinds.MISSING_TABLE, table=table)
        return found

    def groups(self, table: str) -> derived.Groups:
        """The groups of a grouped table."""
        if table not in self._groups:
            formula = self.declared(table).formula
            if formula is None:
                raise EngineError(f"{table} has no formula")
            self._groups[table] = formula(self)
        return self._groups[table]

    def places(self, table: str) -> pl.Series:
        """For each row of the root, whether of the table or not, its place in the order of the table.

        Rows at the same place are no rows of the table, since a tie among these stops the run; null where a value
        that is ordered by is undefined.
        """
        declared = self.declared(table)
        if declared.kind in ("subset", "sample") and declared.order_by is None:
            return self.places(declared.root)
        if table not in self._places:
            whole = self.table(declared.root)
            if declared.order_by is not None:
                self._places[table] = derived.dense(whole, declared.order_by(self, whole))
            else:
                known = pl.DataFrame({"row": self.rows(table).row.data, "place": positions(whole.size)})
                self._places[table] = known.sort("row")["place"]
        return self._places[table]

    def key_column(self, root: str) -> str:
        """The key of a table with a single one."""
        return self.declared(root).key[0]

    def weights(self, root: str) -> pl.Series | None:
        """How many rows each stored row stands for."""
        data = self.data.get(root)
        return data.frame[WEIGHT] if data is not None and WEIGHT in data.frame.columns else None

    # --- columns ------------------------------------------------------------------------------------------------

    def column(self, table: str, name: str) -> Any:
        """A column of a root table: one value per stored row."""
        if (table, name) not in self._columns:
            self._columns[table, name] = self._column(self.declared(table), name)
        return self._columns[table, name]

    def read(self, rows: RowVec, name: str) -> Vec:
        """A column of these rows."""
        found: Vec = self.column(rows.root, name)
        return found if rows.identity and rows.context is found.context else found.take(rows.data, rows.context)

    def _column(self, table: TableRule, name: str) -> Vec:
        whole = self.table(table.name)
        formula = self.rules.columns.get((table.name, name))
        if formula is not None:
            return lift(formula(self)).to(whole)
        if table.kind == "listed":
            at = list(table.columns).index(name)
            values = [row[at] for row in table.listed]
            return listed(whole, values, table.columns[name], table.members.get(name, ()))
        if table.kind in ("grouped", "cross", "stack"):
            return derived.column(self, table, name)
        data = self.table_data(table.name)
        if data is None:
            return lift(None).to(whole)
        return stored(whole, data.frame[name], data.scales.get(name, 0), table.columns[name])

    # --- values -------------------------------------------------------------------------------------------------

    def entries(self, space: str, name: str) -> Entries:
        """The value of an item, one entry per row of the tables in its name."""
        if (space, name) not in self._values:
            self._values[space, name] = self._evaluated(self.rules.items[space, name])
        return self._values[space, name]

    def _evaluated(self, item: ItemRule) -> Entries:
        keys: list[Rows] = []
        for table in item.per:
            keys.append(keys[-1].open(self.keyed(table)) if keys else self.keyed(table))
        return self.evaluated(item, keys)

    def keyed(self, table: str) -> Rows:
        """The rows of a table that entries belong to."""
        return self.rows(table)

    def evaluated(self, item: ItemRule, keys: Sequence[Rows]) -> Entries:
        """The entries of an item for these rows of its tables, each opened in the one before."""
        context: Context = keys[-1] if keys else self.root
        found = item.formula(self, *keys)
        withheld = None
        if isinstance(found, Withheld):
            withheld = ~found.condition.to(context).is_false().data  # also where it is undefined
            found = found.value
        value = lift(found)
        parts = {text: vec.to(context) for text, vec in getattr(value, "parts", {}).items()}
        vec = value.to(context)
        return Entries(vec if withheld is None else vec.masked(~withheld), tuple(keys), withheld, parts)

    @property
    def root(self) -> Context:
        """The context of study-level values."""
        return ONE

    def value(self, space: str, name: str) -> Any:
        """The value of an item without entries."""
        return self.entries(space, name).value

    def entry(self, space: str, name: str, *rows: RowVec) -> Any:
        """The entries of the given rows, one per table in the item's name; undefined for a row that has none."""
        found = self.entries(space, name)
        return derived.entry(found.value, found.keys, rows)

    def definition(self, name: str, *rows: RowVec) -> Any:
        """A definition, or its entry of these rows."""
        return self.entry("definitions", name, *rows) if rows else self.value("definitions", name)

    def metric(self, name: str, *rows: RowVec) -> Any:
        """A metric, or its entry of these rows."""
        return self.entry("metrics", name, *rows) if rows else self.value("metrics", name)

    def gate(self, name: str, *rows: RowVec) -> Any:
        """Whether a gate holds."""
        return self.entry("gates", name, *rows) if rows else self.value("gates", name)

    def blocker(self, name: str, *rows: RowVec) -> Any:
        """Whether a blocker fires; an undefined one does, unless it says otherwise."""
        found = self.entry("blockers", name, *rows) if rows else self.value("blockers", name)
        return default(found, self.rules.items["blockers", name].fires_undefined)

    def check(self, name: str, *rows: RowVec) -> Any:
        """The value of a check."""
        return self.entry("checks", name, *rows) if rows else self.value("checks", name)

    def subverdict(self, name: str, *rows: RowVec) -> Any:
        """A named sub-verdict."""
        return self.entry("verdicts", name, *rows) if rows else self.value("verdicts", name)

    def bound(self, interval: str, which: str, *rows: RowVec) -> Any:
        """An output of a resampling interval; a study that has them answers."""
        raise EngineError(f"no intervals here: {interval}.{which}")

    def status(self, name: str, *rows: RowVec) -> Any:
        """A status of the report."""
        return self.entry("statuses", name, *rows) if rows else self.value("statuses", name)

    def listing(self, name: str, *rows: RowVec) -> Any:
        """A list of the report."""
        return self.entry("lists", name, *rows) if rows else self.value("lists", name)

    def digest(self, name: str) -> Plain:
        """The SHA-256 of a table's file, or of a frozen file (`freeze.NAME`)."""
        if name not in self.digests:
            stop(kinds.NO_DIGEST, name=name)
        return Plain(ONE, pl.Series([self.digests[name].removeprefix("sha256:")]), "text")

    def compute_all(self) -> None:
        """Make every table, column and definition."""
        for table in self.rules.tables:
            self.rows(table)
        for table, name in self.rules.columns:
            self.column(table, name)
        for item in self.rules.of("definitions"):
            self.entries("definitions", item.name)

    # --- for people ---------------------------------------------------------------------------------------------

    def table_rows(self, table: str) -> list[dict[str, Any]]:
        """The rows of a table in its order as Python values, derived columns included; references as labels."""
        rows = self.rows(table)
        declared = self.declared(rows.root)
        names = [*declared.columns, *(name for owner, name in self.rules.columns if owner == rows.root)]
        columns = {name: self._readable(rows[name]) for name in names}
        return [{name: values[at] for name, values in columns.items()} for at in range(rows.size)]

    def sheet(self, name: str) -> list[dict[str, Any]]:
        """The rows of a judgement: see `sheet_rows`."""
        return sheet_rows(self, name)

    def _readable(self, vec: Vec) -> list[Any]:
        values = vec.values()
        if not isinstance(vec, RowVec):
            return values
        return [None if row is None else self.label(vec.root, row) for row in values]

    def label(self, root: str, row: int) -> str:
        """The name of a row: its key as written in the spec, or its value; parts of a key are joined by a dot."""
        declared = self.declared(root)
        if declared.labels:
            return declared.labels[row]
        return ".".join(self._key_text(self.column(root, name), row) for name in declared.key)

    def labels(self, entries: Entries, at: int) -> list[str]:
        """The labels of the rows to which one entry belongs."""
        rows = [key.row.to(entries.keys[-1]).data[at] for key in entries.keys]
        return [self.label(key.root, row) for key, row in zip(entries.keys, rows, strict=True)]

    def _key_text(self, vec: Vec, row: int) -> str:
        value = vec.take(pl.Series([row], dtype=INDEX), Context(1, ONE)).values()[0]
        if isinstance(vec, RowVec):
            return self.label(vec.root, value)
        return plain_text(value)


def plain_text(value: Any) -> str:
    """A key's value as text: exact decimals where there are, else a fraction."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Fraction):
        return decimal_text(value)
    if isinstance(value, datetime):
        return value.isoformat().replace("+00:00", "Z")
    return value.isoformat() if isinstance(value, date) else str(value)
