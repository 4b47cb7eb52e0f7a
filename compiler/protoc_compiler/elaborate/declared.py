"""Declared tables and records: their columns, keys, listed rows and order."""

from __future__ import annotations

from fractions import Fraction

from protoc_compiler import core, suggest
from protoc_compiler.catalogue import names as kinds
from protoc_compiler.catalogue import types as type_kinds
from protoc_compiler.elaborate import observed
from protoc_compiler.elaborate.context import Context, Fault
from protoc_compiler.elaborate.kinds import PLAIN, UNITS, describe, quantity
from protoc_compiler.nodes import Mapping, Node, Scalar, Sequence
from protoc_compiler.spec import (
    CollectionType,
    Column,
    EnumType,
    ListedRow,
    NestedType,
    RecordDecl,
    TableDecl,
    Text,
    TypeName,
    WrittenType,
)
from protoc_runtime.diagnostics import Span
from protoc_runtime.observed import RECORDS, TABLES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn


def table(el: Context, decl: TableDecl) -> core.Table:
    """A declared table without its derived columns."""
    if decl.rows or decl.source.text == "listed":
        return _listed(el, decl)
    columns = tuple(made for made in (_column(el, decl, column) for column in decl.columns) if made is not None)
    order = tuple(item.text for item in decl.order)
    _check_columns(el, decl, columns)
    _check_key(el, decl)
    known = observed.observable(el, decl.source, TABLES)
    if known is not None:
        observed.check(el, decl.source.text, decl.columns, known)
        observed.check_key(el, decl)
    return core.Table(
        name=decl.name.text,
        kind="input",
        root=decl.name.text,
        key=tuple(item.text for item in decl.key),
        order=order,
        columns=columns,
        source=decl.source.text,
        file=decl.file.text if decl.file is not None else decl.name.text,
        record=_expects_one(decl),
        unpivot=_unpivot(decl),
        duplicates=_gate_name(decl),
        says=decl.says.text if decl.says is not None else "",
        cites=tuple(cite.text for cite in decl.cites),
        span=decl.name.span,
    )


def _gate_name(decl: TableDecl) -> str:
    return decl.duplicates.text.removeprefix("judged by ").removeprefix("gates.") if decl.duplicates else ""


def _unpivot(decl: TableDecl) -> core.UnpivotPlan | None:
    if decl.unpivot is None:
        return None
    labels = tuple((member.text, text.text) for member, text in decl.unpivot.labels)
    return core.UnpivotPlan(
        decl.unpivot.label.text, labels, tuple((name.text, wide.text) for name, wide in decl.unpivot.columns)
    )


def _check_columns(el: Context, decl: TableDecl, columns: tuple[core.Col, ...]) -> None:
    given = [column.name.text for column in decl.columns if not isinstance(column.type, NestedType)]
    known = [*(column.name for column in columns), *given]  # broken ones, too; a list of rows is no value
    for item in (*decl.key, *(order for order in decl.order if order.text != "file")):
        if item.text not in known:
            hint = suggest.hint(item.text, known)
            el.findings.add(kinds.UNKNOWN_COLUMN, item.span, table=decl.name.text, name=item.text, hint=hint)


def _check_key(el: Context, decl: TableDecl) -> None:
    """A key is a value in the end: a chain of keys that refer to keys does not come back."""
    path, at = [decl.name.text], decl
    while len(at.key) == 1:
        column = next((each for each in at.columns if each.name.text == at.key[0].text), None)
        target = el.names.declared.get(column.type.name) if column and isinstance(column.type, TypeName) else None
        if not isinstance(target, TableDecl):
            return
        path.append(target.name.text)
        if target.name.text in path[:-1]:
            el.fault(kinds.CIRCULAR, decl.key[0].span, name=decl.name.text, path=" -> ".join(path))
        at = target


def _expects_one(decl: TableDecl) -> bool:
    from protoc_compiler import syntax

    for formula in decl.expect:
        tree = formula.tree
        if isinstance(tree, syntax.Chain) and tree.ops == ("==",):
            left, right = tree.operands
            counts = isinstance(left, syntax.Call) and left.name == "count" and len(left.args) == 1
            whole = counts and isinstance(left.args[0], syntax.Name) and left.args[0].text == decl.name.text  # type: ignore[union-attr]
            if whole and isinstance(right, syntax.Number) and right.value == 1:
                return True
    return False


def record_table(el: Context, decl: RecordDecl) -> core.Table:
    """A record: a table of one row, filled by the tool."""
    columns = []
    name = decl.name.text
    form = f"write the columns of a record beside `from`: `{name}: {{from: {decl.source.text}, NAME: TYPE}}`"
    for column in decl.columns:
        kind, optional = _single(el, column, form)
        columns.append(core.Col(column.name.text, kind, optional, "observed", span=column.name.span))
    known = observed.observable(el, decl.source, RECORDS)
    if known is not None:
        observed.check(el, decl.source.text, decl.columns, known)
    cites = tuple(cite.text for cite in decl.cites)
    return core.Table(
        name=name, kind="input", root=name, columns=tuple(columns), source=decl.source.text, file=name, record=True,
        cites=cites, span=decl.name.span,
    )  # fmt: skip


def splits(el: Context) -> core.Table:
    """The table `splits`: one row per declared split."""
    names = tuple(split.name.text for split in el.spec.splits)
    key = core.Col("split", core.Type("enum", members=names), False, "listed")
    role = core.Col("role", core.TEXT, False, "listed")
    rows = tuple((split.name.text, split.role.text) for split in el.spec.splits)
    return core.Table(
        name="splits", kind="listed", root="splits", key=("split",), columns=(key, role), source="listed",
        listed=rows, labels=names,
    )  # fmt: skip


def nested(el: Context, parent: core.Table, column: Column) -> core.Table:
    """A list of rows inside a cell, as a table of its own."""
    assert isinstance(column.type, NestedType)
    name = f"{parent.name}.{column.name.text}"
    made = [
        core.Col("_parent", core.Type("row", table=parent.name), False, "key"),
        core.Col("position", core.INT, False, "key"),
    ]
    for inner in column.type.columns:
        kind, optional = _single(
            el, inner, f"give these rows a table of their own, with a reference to `{parent.name}`"
        )
        made.append(core.Col(inner.name.text, kind, optional, "input", span=inner.name.span))
    return core.Table(
        name=name, kind="nested", root=name, key=("_parent", "position"), order=("_parent", "position"),
        columns=tuple(made), parent=parent.name, span=column.name.span,
    )  # fmt: skip


# --- types --------------------------------------------------------------------------------------------------------


def _column(el: Context, decl: TableDecl, column: Column) -> core.Col | None:
    if isinstance(column.type, NestedType):
        return None
    origin = {"file": "input", "subject": "subject", "adjudication": "adjudicated"}.get(decl.source.text, "observed")
    try:
        kind, optional = written_type(el, column.type)
    except Fault:
        return None
    return core.Col(column.name.text, kind, optional, origin, span=column.name.span)


def _single(el: Context, column: Column, hint: str) -> tuple[core.Type, bool]:
    """The type of a column that holds one value (E0545 for one that would hold rows)."""
    if isinstance(column.type, NestedType):
        el.fault(type_kinds.ROWS_IN_A_VALUE, column.type.span, name=column.name.text, hint=hint)
    return written_type(el, column.type)


def written_type(el: Context, kind: WrittenType) -> tuple[core.Type, bool]:
    """The type of a declared column, and whether it may be undefined."""
    if isinstance(kind, EnumType):
        return core.Type("enum", members=tuple(member.text for member in kind.members)), kind.optional
    if isinstance(kind, CollectionType):
        item, _ = written_type(el, kind.item)
        return core.Type(kind.kind, item=item), kind.optional
    if isinstance(kind, NestedType):
        raise TypeError("a list of rows has no scalar type")
    return named_type(el, kind), kind.optional


_ELSEWHERE = {
    "string": "text", "str": "text", "varchar": "text", "float": "decimal", "double": "decimal", "number": "decimal",
    "real": "decimal", "integer": "int", "boolean": "bool", "datetime": "time", "timestamp": "time", "object": "any",
}  # fmt: skip
_TYPES = "a type is `bool`, `int`, `decimal`, `text`, `time`, `date`, a unit such as `ms`, `[words]`, or a table's name"


def named_type(el: Context, kind: TypeName) -> core.Type:
    """`text`, `ms`, or a reference to a table."""
    if kind.name in PLAIN:
        return PLAIN[kind.name]
    if kind.name in UNITS:
        return quantity(kind.name)
    if kind.name in el.names.declared or (kind.name == "splits" and el.spec.splits):
        target = el.names.declared.get(kind.name)
        if isinstance(target, TableDecl) and len(target.key) > 1:
            hint = "give that table a key of one column, or keep the columns and join with `matching`"
            found = f"the table `{kind.name}` with a key of {len(target.key)} columns"
            el.fault(
                type_kinds.WRONG_TYPE, kind.span, what="the target of a reference", expected="a table with one key",
                found=found, hint=hint,
            )  # fmt: skip
        return core.Type("row", table=kind.name)
    if not kind.name.isidentifier():
        raise Fault  # no form of a type, which has been told
    known = [*PLAIN, *UNITS, *el.names.declared]
    meant = _ELSEWHERE.get(kind.name.lower(), "")
    hint = f"the type is called `{meant}` here" if meant else suggest.hint(kind.name, known, _TYPES)
    return el.fault(kinds.UNKNOWN_TABLE, kind.span, name=kind.name, hint=hint)


# --- listed rows ---------------------------------------------------------------------------------------------------


def _listed(el: Context, decl: TableDecl) -> core.Table:
    key_name = decl.key[0].text if decl.key else decl.name.text
    labels = tuple(row.key.text for row in decl.rows)
    declared = {column.name.text: column for column in decl.columns}
    keys = [_guess(row.key) for row in decl.rows]
    key_type = _one_type(keys) or core.Type("enum", members=labels)
    if key_name in declared:
        key_type, _ = _single(el, declared[key_name], "the key of a listed table is one value: `key: text`")
        keys = [(key_type, _scalar_value(el, row.key, key_type)) for row in decl.rows]
    columns = [core.Col(key_name, key_type, False, "listed", span=decl.name.span)]
    cells: list[list[core.Value]] = [
        [label if key_type.kind == "enum" else value] for label, (_, value) in zip(labels, keys, strict=True)
    ]
    for name in _cell_names(decl):
        kind, optional = _cell_type(el, decl, name, declared)
        columns.append(core.Col(name, kind, optional, "listed"))
        for row, made in zip(decl.rows, cells, strict=True):
            made.append(_cell(el, decl, row, name, kind, optional))
    return core.Table(
        name=decl.name.text, kind="listed", root=decl.name.text, key=(key_name,), columns=tuple(columns),
        source="listed", listed=tuple(tuple(row) for row in cells), labels=labels,
        says=decl.says.text if decl.says is not None else "", span=decl.name.span,
        cites=tuple(cite.text for cite in decl.cites),
    )  # fmt: skip


def _cell_names(decl: TableDecl) -> list[str]:
    key = decl.key[0].text if decl.key else decl.name.text
    names = [column.name.text for column in decl.columns if column.name.text != key]
    for row in decl.rows:
        names += [name.text for name, _ in row.cells if name.text not in names]
    return names


_FIGURES = frozenset("-0123456789")


def _guess(text: Text | Scalar) -> tuple[core.Type | None, core.Value]:
    """The type of a bare cell by its look: a number, a condition, a quantity, else a word (None)."""
    bare = text.text
    if isinstance(text, Scalar) and text.style != "plain":
        return core.TEXT, bare
    if bare in ("true", "false"):
        return core.BOOL, bare == "true"
    if bare[:1] not in _FIGURES:  # most are words
        return None, bare
    import re

    number = re.fullmatch(r"(-?[0-9][0-9_]*)(\.[0-9]+)?(?: ?(%|[A-Za-z]+))?", bare)
    if number is None:
        return None, bare
    value = Fraction((number[1] + (number[2] or "")).replace("_", ""))
    if number[3] == "%":
        return core.NUMBER, value / 100
    if number[3]:
        if number[3] not in UNITS:
            return None, bare
        return quantity(number[3]), value * UNITS[number[3]][1]
    return (core.NUMBER, value) if number[2] else (core.INT, int(value))


def _one_type(found: list[tuple[core.Type | None, core.Value]]) -> core.Type | None:
    kinds_seen = {kind for kind, _ in found}
    if kinds_seen == {core.INT, core.NUMBER}:
        return core.NUMBER
    return kinds_seen.pop() if len(kinds_seen) == 1 else None


def _cell_type(el: Context, decl: TableDecl, name: str, declared: dict[str, Column]) -> tuple[core.Type, bool]:
    if name in declared:
        hint = f"list these rows in a table of their own, with a reference to `{decl.name.text}`"
        return _single(el, declared[name], hint)
    nodes = [node for row in decl.rows for cell, node in row.cells if cell.text == name]
    optional = len(nodes) < len(decl.rows) or any(isinstance(node, Scalar) and node.text == "null" for node in nodes)
    if any(isinstance(node, Sequence) for node in nodes):
        items = [item for node in nodes if isinstance(node, Sequence) for item in node.items]
        return core.Type("set", item=_inferred([item for item in items if isinstance(item, Scalar)])), optional
    scalars = [node for node in nodes if isinstance(node, Scalar) and node.text != "null"]
    return _inferred(scalars), optional


def _inferred(scalars: list[Scalar]) -> core.Type:
    found = [_guess(scalar) for scalar in scalars]
    kind = _one_type(found)
    if kind is not None:
        return kind
    return core.Type("enum", members=tuple(dict.fromkeys(scalar.text for scalar in scalars)))


def _cell(el: Context, decl: TableDecl, row: ListedRow, name: str, kind: core.Type, optional: bool) -> core.Value:
    node = next((node for cell, node in row.cells if cell.text == name), None)
    if node is None or (isinstance(node, Scalar) and node.text == "null" and node.style == "plain"):
        if not optional:
            span = row.key.span if node is None else node.span
            _bad(
                el, span, "nothing", describe(kind), f"give row `{row.key.text}` a `{name}`, or type it optional (`?`)"
            )
        return None
    if kind.kind in ("set", "list"):
        return _cell_items(el, node, kind, name)
    return _scalar_value(el, node, kind)


def _cell_items(el: Context, node: Node, kind: core.Type, name: str) -> core.Value:
    if not isinstance(node, Sequence):
        _bad(el, node.span, "one value", "a list", f"write `{name}: [a, b]`")
    items = [_scalar_value(el, item, kind.item or core.TEXT) for item in node.items]
    if kind.kind == "set":
        items = sorted(set(items), key=str)
    return tuple(items)  # type: ignore[return-value]


def _scalar_value(el: Context, node: Node | Text, kind: core.Type) -> core.Value:
    if isinstance(node, (Mapping, Sequence)):
        _bad(el, node.span, "a map or list", describe(kind), "write one value")
    guessed, value = _guess(node)
    if kind.kind in ("text", "enum", "digest", "row", "time", "date"):
        if kind.kind == "enum" and node.text not in kind.members:
            _bad(el, node.span, node.text, describe(kind), suggest.hint(node.text, kind.members))
        target = el.table(kind.table, node.span) if kind.kind == "row" else None
        if target is not None and target.kind == "listed" and node.text not in target.labels:
            _bad(el, node.span, node.text, f"a row of `{kind.table}`", suggest.hint(node.text, target.labels))
        return node.text
    fits = guessed is not None and (guessed.kind == kind.kind or (guessed.kind == "int" and kind.kind == "number"))
    if not fits or (kind.kind == "quantity" and guessed is not None and guessed.unit != kind.unit):
        _bad(el, node.span, node.text, describe(kind), "write the value in the form of the column's type")
    return Fraction(value) if kind.kind == "number" and isinstance(value, int) else value


def _bad(el: Context, span: Span, found: str, expected: str, hint: str) -> NoReturn:
    el.fault(type_kinds.BAD_LITERAL, span, found=found, expected=expected, hint=hint)
