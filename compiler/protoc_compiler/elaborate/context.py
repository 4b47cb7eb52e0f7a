"""What every part of the elaborator shares: the names, the scope of rows, the places of conditions, the faults."""

from __future__ import annotations

from functools import cache

from protoc_compiler import core, syntax
from protoc_compiler.catalogue import names as kinds
from protoc_compiler.names import ItemName, Names
from protoc_compiler.nodes import brief
from protoc_compiler.spec import Spec
from protoc_runtime.diagnostics import Findings, Kind, Related, Span
from protoc_runtime.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn


class Fault(Exception):
    """A formula has been reported on and is given up."""


@record
class Frame:
    """A row in scope: the expression that is the row, its root table, and the alias under which alone it is read."""

    row: core.Expr
    root: str
    alias: str = ""


Scope = tuple[Frame, ...]


@record
class Unreached:
    """Rows of a table that reaches the table of a row in scope by `path`, of two references or more."""

    rows: core.Rows
    row: core.Expr  # the row in scope
    target: str  # its table
    path: str
    by: str  # the reference that narrows them to it, if there is one
    span: Span
    formula: core.Expr | None = None  # in which they stand, once it is whole


class Context:
    """The state of one elaboration; the modules beside this one are its methods, wired in `elaborator`."""

    def __init__(self, spec: Spec, names: Names, findings: Findings) -> None:
        self.spec = spec
        self.names = names
        self.findings = findings
        self.places: dict[int, tuple[core.Expr, Span]] = {}
        self.readings: list[tuple[Span, str]] = []
        self.used: set[str] = set()
        self.shadowing: set[tuple[Span, str, str, str]] = set()  # (place, name, inner table, outer table)
        self.hiding: list[tuple[Span, str, str, core.Type]] = []  # (place, name, table, type) of columns read bare
        self.unreached: list[Unreached] = []
        self.broken = findings.failed  # sections have been refused already
        self.refusing = False  # whether only what refuses the protocol is looked for
        self.counts = True  # whether it is worth the work to count all gates together
        self._unread = {part for name in spec.broken for part in (name, name.split(".")[0], name.rpartition(".")[2])}
        self._count = 0

    # --- what the other modules provide ---------------------------------------------------------------------

    def expr(self, tree: syntax.Expr, scope: Scope, expect: core.Type | None = None) -> core.Expr:
        """The typed form of a formula; `expect` types bare words."""
        raise TypeError

    def rows(self, tree: syntax.Expr, scope: Scope) -> tuple[core.Rows, Scope]:
        """Rows, and the scope inside of them."""
        raise TypeError

    def is_rows(self, tree: syntax.Expr, scope: Scope) -> bool:
        """Whether a formula names rows rather than a value."""
        raise TypeError

    def table(self, name: str, span: Span) -> core.Table:
        """A table by name; its derived columns are asked for by `column`."""
        raise TypeError

    def column(self, root: str, name: str) -> core.Col | None:
        """A column of a root table, derived ones included."""
        raise TypeError

    def item(self, name: ItemName) -> core.Item:
        """A named value or rule."""
        raise TypeError

    # --- shared helpers -------------------------------------------------------------------------------------

    def fault(self, kind: Kind, span: Span, /, *, related: tuple[Related, ...] = (), **values: Any) -> NoReturn:
        """Report and give this formula up; that a name is missing is no news where its entry has been refused."""
        if kind in _not_found():
            if values["name"] in self._unread:
                raise Fault
            values["name"] = brief(values["name"])
        self.findings.add(kind, span, related=related, **values)
        raise Fault

    def fresh(self) -> str:
        """A new row variable, numbered within its formula."""
        self._count += 1
        return f"r{self._count}"

    def restart(self, count: int = 0) -> int:
        """Begin a formula (or go back to an outer one); returns the count to come back to."""
        before, self._count = self._count, count
        return before

    def placed(self, made: core.Expr, span: Span) -> core.Expr:
        """Remember where an expression was written, for later passes."""
        self.places[id(made)] = (made, span)
        return made

    def place(self, made: core.Expr, otherwise: Span) -> Span:
        """Where an expression was written."""
        known = self.places.get(id(made))
        return known[1] if known and known[0] is made else otherwise


@cache
def _not_found() -> frozenset[Kind]:
    """The faults that say that there is no such name."""
    return frozenset(
        (kinds.UNKNOWN_NAME, kinds.UNKNOWN_COLUMN, kinds.UNKNOWN_TABLE, kinds.UNKNOWN_RULE, kinds.RULE_NOT_METRIC)
    )


def known_columns(el: Context, root: str) -> list[str]:
    """The columns of a table by name, for suggestions."""
    table = el.table(root, el.spec.title.span)
    derived = list(el.names.columns.get(root, {}))
    if root in el.names.defined:
        derived += [item.text for item in el.names.defined[root].with_metrics]
    for part in table.parts:
        derived += known_columns(el, el.table(part, el.spec.title.span).root)
    return [column.name for column in table.columns] + derived
