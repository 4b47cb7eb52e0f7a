"""Rows that stand in the spec, one by one: what is asked of all of them is asked of each.

So neither their order nor a row that came or went hides what a rule asks of another, and their cells are numbers and
words like any that a formula names. A row is named by its key, ("listed", table, key), which tells it in both versions.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product

from protoc_compiler import core
from protoc_compiler.drift.forms import FALSE, TRUE, UNDEFINED, Form, Terms, const, joined
from protoc_compiler.drift.referred import looked_up

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Protocol, TypeAlias

    Env: TypeAlias = Mapping[str, Form]

    class Forms(Protocol):
        """What makes the forms of one protocol."""

        expand: frozenset[tuple[str, ...]]
        literal: bool
        tables: dict[str, core.Table]

        def root(self, name: str) -> str:
            """The root of a table."""

        def truth(self, value: core.Expr, env: Env, *, negated: bool) -> Form:
            """The form of a condition."""

        def form(self, value: core.Expr, env: Any) -> Form:
            """The form of a formula."""

        def terms(self, value: core.Expr, env: Any) -> Terms:
            """A formula as a sum."""

        def options(self, options: tuple[tuple[str, core.Expr], ...], env: Any) -> Form:
            """The forms of named options."""

        def source_of(self, name: str) -> Form:
            """The rows of a whole table, in full."""


_MOST = 64  # rows that are taken one by one
_SCALAR = (str, bool, int, Fraction, type(None))
_OPEN = ("row", "any", "set", "list", "struct")  # kinds of cells that are more than one value
Entries: TypeAlias = "list[tuple[Env, tuple[Any, ...]]]"


def row_forms(normal: Forms, name: str) -> list[Form] | None:
    """The rows of a listed table that has changed; None of any other table, and of one with too many."""
    table = normal.tables.get(name)
    if table is None or table.kind != "listed" or ("table", name) not in normal.expand or len(table.listed) > _MOST:
        return None
    places = [_place(table, column) for column in table.key]
    return [("listed", name, tuple(cells[at] for at in places)) for cells in table.listed] if places else None


def _place(table: core.Table, name: str) -> int:
    return [column.name for column in table.columns if column.expr is None].index(name)


def kept(normal: Forms, rows: core.Rows, env: Env) -> list[Form] | None:
    """Those of a listed table, or of subsets of one, that these rows are; None where the spec alone does not tell."""
    if rows.scope != "all" or rows.base is not None or rows.match:
        return None
    root = normal.tables.get(normal.root(rows.table))
    every = row_forms(normal, root.name) if root is not None else None
    if every is None:
        return None
    made: list[Form] = []
    for row in every:
        held = _meets(normal, rows, row, env)
        if held is None:
            return None
        made += [row] if held else []
    return made


def _meets(normal: Forms, rows: core.Rows, row: Form, env: Env) -> bool | None:
    """Whether a row is one of these; None where that depends on other rows."""
    table = normal.tables[rows.table]
    above: bool | None = True
    if table.kind != "listed":
        plain = table.kind == "subset" and table.rows is not None and table.rows.scope == "all"
        if not plain or table.rows is None or table.rows.match or table.rows.base is not None:
            return None
        above = _meets(normal, table.rows, row, env)
    tests = [normal.truth(test, {**env, rows.var: row}, negated=False) for test in rows.where]
    whole = joined("and", tests)
    if above is False or whole == FALSE:
        return False
    return True if above and whole == TRUE else None


def member(normal: Forms, name: str, row: Form) -> bool | None:
    """Whether a row is one of this table; None where the spec alone does not tell."""
    return _meets(normal, core.Rows("row", name), row, {}) if row[0] == "listed" else None


def cell(normal: Forms, row: Form, name: str) -> Form | None:
    """What stands in a column of such a row; None where it is no single value."""
    table = normal.tables.get(row[1])
    column = table.column(name) if table is not None else None
    if table is None or column is None or column.expr is not None or column.origin != "listed":
        return None
    places = [_place(table, key) for key in table.key]
    cells = next((cells for cells in table.listed if tuple(cells[at] for at in places) == row[2]), None)
    if cells is None:
        return None
    value = cells[_place(table, name)]
    if column.type.kind == "row" and value is not None:
        return next((one for one in row_forms(normal, column.type.table) or () if one[2] == (value,)), None)
    plain = type(value) in _SCALAR and (value is None or column.type.kind not in _OPEN)
    return const(column.type, value) if plain else None


def quantified(normal: Forms, value: core.Quantified, env: Env) -> Form | None:
    """A quantifier over such rows, each by itself; None of any other."""
    rows = None if normal.literal else kept(normal, value.rows, env)
    if rows is None:
        return None
    tests = [
        TRUE if value.condition is None else normal.truth(value.condition, {**env, value.rows.var: row}, negated=False)
        for row in rows
    ]
    if value.quantifier == "all":
        return joined("and", tests) if tests else UNDEFINED
    return joined("or", tests)


def aggregate(normal: Forms, value: core.Aggregate, env: Env) -> Form | None:
    """What an aggregate makes of such rows; None of any other."""
    rows = None if normal.literal else kept(normal, value.rows, env)
    if rows is None:
        return None
    from protoc_compiler.drift import totals

    return totals.of_rows(normal, value, env, [{**env, value.rows.var: row} for row in rows])


def entries(normal: Forms, item: core.Item) -> Entries:
    """What the rows of each entry of an item are, and beside them what tells which entries there are, where both are
    not the same entries."""
    ways: list[list[Form]] = []
    beside: list[Any] = []
    for at, name in enumerate(item.per):
        rows = core.Rows(f"per{at}", name)
        known = kept(normal, rows, {})
        if known is None and ("table", name) in normal.expand:
            beside.append(normal.source_of(name))
        ways.append([("free", f"per{at}", normal.root(name))] if known is None else known)
    return [({f"per{at}": row for at, row in enumerate(one)}, tuple(beside)) for one in product(*ways)]


__all__ = ["aggregate", "cell", "entries", "kept", "looked_up", "member", "quantified", "row_forms"]
