"""What a generated `rules.py` declares: its tables, columns and items, each with its words and its formula."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from protoc_runtime.engine.columns import worded
from protoc_runtime.engine.sheets import Sheets
from protoc_runtime.record import record

Formula = Callable[..., Any]


@record
class TableRule:
    """A table. kind: rows (from outside), listed, nested, subset, grouped, cross, stack, sample."""

    name: str
    kind: str
    root: str
    key: tuple[str, ...] = ()
    order: tuple[str, ...] = ()
    columns: Mapping[str, str] = {}  # the stored ones, with their kinds
    record: bool = False
    parent: str = ""
    parts: tuple[str, ...] = ()
    listed: tuple[tuple[Any, ...], ...] = ()
    members: Mapping[str, tuple[str, ...]] = {}  # of listed words, in their order; a key lists its own
    labels: tuple[str, ...] = ()
    order_by: Formula | None = None  # of a subset with an order of its own: the values to order by
    sample: tuple[int, str] | None = None
    within: str = ""  # of a sample: each value of this column is drawn by itself
    formula: Formula | None = None
    counted: tuple[str, ...] | None = None  # the rules read these columns, and of each combination only how often


@record
class ItemRule:
    """A named value or rule: `per` are the tables of which each row has an entry."""

    space: str
    name: str
    formula: Formula
    per: tuple[str, ...] = ()
    text: str = ""
    says: str = ""
    cites: tuple[str, ...] = ()
    unit: str = ""
    forces: str = ""
    fires_undefined: bool = True
    outside: bool = False  # a function of the author's: outside of what is checked


@record
class IntervalRule:
    """A resampling interval.

    `formula` gives the row sets that are drawn, `strata` of each its strata, `follow` the rows that come with drawn
    ones, `out_of` the number of units. `drawn` are the tables of both; `changed` everything that a draw changes, as
    (`table`, name), (`column`, table, name) and (`item`, space, name).
    """

    name: str
    formula: Formula
    metric: str
    draws: int
    seed: str
    level: Fraction
    drawn: tuple[str, ...]
    changed: frozenset[tuple[str, ...]]
    per: tuple[str, ...] = ()
    strata: Formula | None = None
    follow: Formula | None = None
    out_of: Formula | None = None


class Rules(Sheets):
    """Collects the declarations of one protocol, in reading order."""

    def __init__(self, protocol: str, version: int, released: tuple[str, ...] = ()) -> None:
        super().__init__()
        self.protocol = protocol
        self.version = version
        self.released = released
        self.tables: dict[str, TableRule] = {}
        self.columns: dict[tuple[str, str], Formula] = {}
        self.items: dict[tuple[str, str], ItemRule] = {}
        self.intervals: dict[str, IntervalRule] = {}
        self.expected: list[tuple[str, str, Formula]] = []

    def table(self, name: str, kind: str, root: str = "", **declared: Any) -> None:
        """Declare a table without a formula; `says` and `cites` are for people."""
        for words in ("says", "cites"):
            declared.pop(words, None)
        self.tables[name] = TableRule(name, kind, root or name, **declared)

    def rows(self, name: str, kind: str, root: str = "", **declared: Any) -> Callable[[Formula], Formula]:
        """Declare a table by its formula; `formula`, `says` and `cites` are for people."""
        for words in ("text", "says", "cites"):
            declared.pop(words, None)

        def add(formula: Formula) -> Formula:
            """Keep the formula as that of the table, and give it back unchanged."""
            self.tables[name] = TableRule(name, kind, root or name, formula=formula, **declared)
            return formula

        return add

    def column(
        self, table: str, name: str, *, members: tuple[str, ...] = (), text: str = "", says: str = "",
        cites: tuple[str, ...] = (),
    ) -> Callable[[Formula], Formula]:  # fmt: skip
        """Declare a derived column; one of closed words sorts as `members` stand."""

        def add(formula: Formula) -> Formula:
            """Keep the formula as that of the column, and give it back unchanged."""
            self.columns[table, name] = (lambda study: worded(formula(study), members)) if members else formula
            return formula

        return add

    def item(self, space: str, name: str, **declared: Any) -> Callable[[Formula], Formula]:
        """Declare a value or rule of a name space."""

        def add(formula: Formula) -> Formula:
            """Keep the formula as that of the item, and give it back unchanged."""
            self.items[space, name] = ItemRule(space, name, formula, **declared)
            return formula

        return add

    def definition(self, name: str, **declared: Any) -> Callable[[Formula], Formula]:
        """Declare a definition."""
        return self.item("definitions", name, **declared)

    def metric(self, name: str, **declared: Any) -> Callable[[Formula], Formula]:
        """Declare a metric."""
        return self.item("metrics", name, **declared)

    def blocker(self, name: str, **declared: Any) -> Callable[[Formula], Formula]:
        """Declare a blocker."""
        return self.item("blockers", name, **declared)

    def gate(self, name: str, **declared: Any) -> Callable[[Formula], Formula]:
        """Declare a gate."""
        return self.item("gates", name, **declared)

    def check(self, name: str, **declared: Any) -> Callable[[Formula], Formula]:
        """Declare a check."""
        return self.item("checks", name, **declared)

    def subverdict(self, name: str, **declared: Any) -> Callable[[Formula], Formula]:
        """Declare a named sub-verdict."""
        return self.item("verdicts", name, **declared)

    def verdict(self, **declared: Any) -> Callable[[Formula], Formula]:
        """Declare the verdict."""
        return self.item("verdict", "verdict", **declared)

    def status(self, name: str, **declared: Any) -> Callable[[Formula], Formula]:
        """Declare a status of the report."""
        return self.item("statuses", name, **declared)

    def list(self, name: str, **declared: Any) -> Callable[[Formula], Formula]:
        """Declare a list of the report."""
        return self.item("lists", name, **declared)

    def interval(self, name: str, **declared: Any) -> Callable[[Formula], Formula]:
        """Declare a resampling interval by what it draws; `says` and `cites` are for people."""
        for words in ("says", "cites"):
            declared.pop(words, None)

        def add(formula: Formula) -> Formula:
            """Keep the formula as that of the interval, and give it back unchanged."""
            self.intervals[name] = IntervalRule(name, formula, **declared)
            return formula

        return add

    def expect(self, table: str, text: str) -> Callable[[Formula], Formula]:
        """Declare what is expected of a table."""

        def add(formula: Formula) -> Formula:
            """Keep the formula behind those of earlier expectations, and give it back unchanged."""
            self.expected.append((table, text, formula))
            return formula

        return add

    def of(self, space: str) -> tuple[ItemRule, ...]:
        """The items of one name space, in declared order."""
        return tuple(item for item in self.items.values() if item.space == space)
