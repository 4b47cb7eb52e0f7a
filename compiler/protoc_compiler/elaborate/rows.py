"""Rows of a table: narrowing by references, `matching`, `where`, order, `earlier` and `latest`."""

from __future__ import annotations

from protoc_compiler import core, suggest, syntax
from protoc_compiler.catalogue import names as kinds
from protoc_compiler.catalogue import types as type_kinds
from protoc_compiler.elaborate import calls, expressions, paths, unreached
from protoc_compiler.elaborate.compare import keyed
from protoc_compiler.elaborate.context import Context, Frame, Scope, known_columns
from protoc_compiler.elaborate.kinds import comparable, describe, is_ordered
from protoc_compiler.elaborate.references import references
from protoc_compiler.names import RULE_SPACES
from protoc_runtime.diagnostics import Span
from protoc_runtime.record import replace

Opened = tuple[core.Rows, Scope]


def rows(el: Context, tree: syntax.Expr, scope: Scope) -> Opened:
    """Rows, and the scope inside of them."""
    match tree:
        case syntax.Paren():
            return el.rows(tree.inner, scope)
        case syntax.Name() | syntax.Field():
            made = source(el, tree, scope, narrow=True)
            unreached.note(el, made, scope, tree.span)
            return made, inside(el, made, scope, "")
        case syntax.Table():
            return _table(el, tree, scope)
        case syntax.Combined():
            hint = f"define it first: `both: {tree.kind} of ...`, then use `both`"
            el.fault(type_kinds.NOT_ROWS, tree.span, what="a formula", found=tree.kind, kind="a new table", hint=hint)
        case _:
            found = el.expr(tree, scope)
            hint = "name a table or a table definition"
            kind = describe(found.type)
            el.fault(type_kinds.NOT_ROWS, tree.span, what="this place", found="it", kind=kind, hint=hint)
    return None


def is_rows(el: Context, tree: syntax.Expr, scope: Scope) -> bool:
    """Whether a formula names rows rather than a value."""
    match tree:
        case syntax.Table() | syntax.Combined():
            return True
        case syntax.Paren():
            return el.is_rows(tree.inner, scope)
        case syntax.Name():
            if nested_in_scope(el, tree.text, scope) is not None:
                return True
            return el.names.is_table(tree.text) and paths.value(el, tree.text, ()) is None  # a record has rows, too
        case syntax.Field():
            return _nested_path(el, tree, scope) is not None
        case _:
            return False


def inside(el: Context, made: core.Rows, scope: Scope, alias: str) -> Scope:
    """The scope in which conditions of these rows are read."""
    root = el.table(made.table, el.spec.title.span).root
    row = core.RowVar(core.Type("row", table=root), made.var)
    return (*scope, *frames(el, row, root, alias))


def frames(el: Context, row: core.Expr, root: str, alias: str = "") -> tuple[Frame, ...]:
    """A row in scope; a row of a product also opens a row of each of its parts."""
    table = el.table(root, el.spec.title.span)
    parts: tuple[Frame, ...] = ()
    if table.kind == "cross" and not alias:
        for part in table.parts:
            part_root = el.table(part, el.spec.title.span).root
            parts += frames(el, core.Column(core.Type("row", table=part_root), row, part), part_root)
    return (*parts, Frame(row, root, alias))


# --- where rows come from ----------------------------------------------------------------------------------------


def source(el: Context, tree: syntax.Expr, scope: Scope, *, narrow: bool) -> core.Rows:
    """The rows that a name or path stands for, narrowed by the references to rows in scope."""
    if isinstance(tree, syntax.Paren):
        return source(el, tree.inner, scope, narrow=narrow)
    if isinstance(tree, syntax.Field):
        nested = _nested_path(el, tree, scope)
        if nested is not None:
            return core.Rows(el.fresh(), nested[0], match=(core.Match("_parent", nested[1]),))
    if isinstance(tree, syntax.Name):
        nested = nested_in_scope(el, tree.text, scope)
        if nested is not None:
            return core.Rows(el.fresh(), nested[0], match=(core.Match("_parent", nested[1]),))
        if tree.text in RULE_SPACES:
            hint = f"`{tree.text}` are counted in no formula; ask `all {tree.text} have held`"
            el.fault(type_kinds.NOT_ROWS, tree.span, what="this place", found=tree.text, kind="no data", hint=hint)
        if el.names.is_table(tree.text):
            el.used.add(tree.text)
            table = el.table(tree.text, tree.span)
            made = core.Rows(el.fresh(), tree.text)
            return _narrowed(el, made, table, scope, tree.span) if narrow else made
        if paths.lookup(el, tree.text, tree.span, scope) is None:
            known = el.names.table_names()
            el.fault(kinds.UNKNOWN_TABLE, tree.span, name=tree.text, hint=suggest.hint(tree.text, known))
    found = el.expr(tree, scope)
    hint = "name a table or a table definition"
    shown = tree.text if isinstance(tree, syntax.Name) else "it"
    el.fault(type_kinds.NOT_ROWS, tree.span, what="this place", found=shown, kind=describe(found.type), hint=hint)
    return None


def nested_in_scope(el: Context, text: str, scope: Scope) -> tuple[str, core.Expr] | None:
    """A list of rows inside the current row, by its column's name."""
    for frame in reversed(scope):
        if not frame.alias and el.names.is_table(frame.root):
            name = f"{frame.root}.{text}"
            if nested_exists(el, name):
                return name, frame.row
    return None


def nested_exists(el: Context, name: str) -> bool:
    """Whether there is a list of rows of this name."""
    from protoc_compiler.spec import NestedType, TableDecl

    owner, _, column = name.rpartition(".")
    table = el.names.declared.get(owner)
    return isinstance(table, TableDecl) and any(
        item.name.text == column and isinstance(item.type, NestedType) for item in table.columns
    )


def _nested_path(el: Context, tree: syntax.Field, scope: Scope) -> tuple[str, core.Expr] | None:
    base = tree.base
    if isinstance(base, syntax.Name):
        row = paths.lookup(el, base.text, base.span, scope)
    elif isinstance(base, syntax.Field) and _names_row(el, base, scope):
        row = el.expr(base, scope)
    else:
        return None
    if row is None or row.type.kind != "row":
        return None
    name = f"{row.type.table}.{tree.name}"
    return (name, row) if nested_exists(el, name) else None


def _names_row(el: Context, tree: syntax.Field, scope: Scope) -> bool:
    head: syntax.Expr = tree
    while isinstance(head, syntax.Field):
        head = head.base
    return isinstance(head, syntax.Name) and paths.lookup(el, head.text, head.span, scope) is not None


def _narrowed(el: Context, made: core.Rows, table: core.Table, scope: Scope, span: Span) -> core.Rows:
    found: dict[str, list[core.Match]] = {}
    for column, target in references(el, table.root):
        row = next((frame.row for frame in reversed(scope) if frame.root == target and not frame.alias), None)
        if row is not None:
            found.setdefault(target, []).append(core.Match(column, row))
    for target, matches in found.items():
        if len(matches) > 1:
            columns = ", ".join(f"`{match.column}`" for match in matches)
            el.fault(kinds.AMBIGUOUS_NARROWING, span, table=made.table, target=target, columns=columns)
        el.readings.append(
            (span, f"`{made.table}`: its rows whose `{matches[0].column}` is the current row of `{target}`")
        )
    matched = tuple(match for matches in found.values() for match in matches)
    return replace(made, match=matched, narrowed=tuple(match.column for match in matched))


# --- prefixes and filters ----------------------------------------------------------------------------------------


def _table(el: Context, tree: syntax.Table, scope: Scope) -> Opened:
    if any(isinstance(item, syntax.Grouped) for item in tree.filters):
        hint = "define the groups as a table: `strata: cases grouped by stratum`"
        el.fault(type_kinds.NOT_ROWS, tree.span, what="this place", found="grouped by", kind="a new table", hint=hint)
    made = source(el, tree.source, scope, narrow=tree.prefix != "entire")
    if tree.prefix in ("earlier", "latest"):
        made = _relative(el, tree, made, scope)
    alias = tree.alias.text if tree.alias is not None else ""
    within = inside(el, made, scope, alias)
    for item in tree.filters:
        if isinstance(item, syntax.Matching):
            made = _matching(el, item, made, scope)
        elif isinstance(item, syntax.Where):
            test = expressions.condition(el, item.condition, within, "`where`")
            made = replace(made, where=(*made.where, el.placed(test, item.condition.span)))
        elif isinstance(item, syntax.Ordered):
            made = replace(made, order=tuple(_order_key(el, key, within) for key in item.keys))
    if tree.prefix != "entire":
        unreached.note(el, made, scope, tree.source.span)
        unreached.half_matched(el, made, tree.source.span)
    return made, within


def _relative(el: Context, tree: syntax.Table, made: core.Rows, scope: Scope) -> core.Rows:
    root = el.table(made.table, tree.span).root
    base = next((frame.row for frame in reversed(scope) if frame.root == root and not frame.alias), None)
    if base is None:
        hint = f"use it in a column of `{root}`, or inside `where` or `have` over its rows"
        el.fault(kinds.NO_ROW_IN_SCOPE, tree.span, what=f"{tree.prefix} {made.table}", table=root, hint=hint)
    if not calls.order_of(el, made.table):
        el.fault(type_kinds.NO_ORDER, tree.span, function=tree.prefix, table=made.table)
    scoped = "earlier" if tree.prefix == "earlier" else "latest"
    return replace(made, scope=scoped, latest=tree.latest or 0, base=base)


def _matching(el: Context, tree: syntax.Matching, made: core.Rows, scope: Scope) -> core.Rows:
    root = el.table(made.table, tree.span).root
    given = tuple(name.text for name in tree.columns)
    kept = tuple(match for match in made.match if match.column not in given)
    added = []
    for name in tree.columns:
        column = el.column(root, name.text)
        part = _part_with(el, root, name.text) if column is None else None
        if part is not None:
            made, match = _matching_part(el, name, made, part, scope)
            added += match
            continue
        if column is None:
            known = known_columns(el, root)
            problem = f"`{made.table}` has no such column"
            el.fault(
                kinds.NARROWS_NOTHING, name.span, name=name.text, problem=problem, hint=suggest.hint(name.text, known)
            )
        value = _nearest(el, name.text, scope, column.type)
        if value is None:
            hint = f"say the value in a `where`: `{made.table} where {name.text} == ...`"
            el.fault(kinds.NARROWS_NOTHING, name.span, name=name.text, problem="no row in scope has it", hint=hint)
        added.append(_match(el, column, value, name))
    return replace(made, match=(*kept, *added))


def _part_with(el: Context, root: str, text: str) -> tuple[core.Col, core.Col] | None:
    """Of a product: its reference to the part that has a column, and this column."""
    table = el.table(root, el.spec.title.span)
    for name, target in references(el, root) if table.kind == "cross" else ():
        reference, column = table.column(name), el.column(target, text)
        if reference is not None and column is not None:
            return reference, column
    return None


def _matching_part(
    el: Context, name: syntax.Name, made: core.Rows, part: tuple[core.Col, core.Col], scope: Scope
) -> tuple[core.Rows, list[core.Match]]:
    """`matching` a column of a part of a product: its key is matched by the row of the part, where there is one."""
    reference, column = part
    target = el.table(reference.type.table, name.span)
    value = _nearest(el, name.text, scope, reference.type if target.key == (name.text,) else column.type)
    if value is None:
        hint = f"say the value in a `where`: `{made.table} where {name.text} == ...`"
        el.fault(kinds.NARROWS_NOTHING, name.span, name=name.text, problem="no row in scope has it", hint=hint)
    if value.type.kind == "row" and value.type.table == target.name and target.key == (name.text,):
        return made, [core.Match(reference.name, value)]
    row = core.RowVar(core.Type("row", table=el.table(made.table, name.span).root), made.var)
    matched = _match(el, column, value, name).value
    inside_part = core.Column(column.type, core.Column(reference.type, row, reference.name), column.name)
    test = core.Is(core.BOOL, core.Compare(core.BOOL, (inside_part, matched), ("==",)), "true")
    return replace(made, where=(*made.where, test)), []


def _match(el: Context, column: core.Col, value: core.Expr, name: syntax.Name) -> core.Match:
    if column.type.kind != "row":
        _, value = keyed(el, core.Const(column.type, None), value)
    if not comparable(column.type, value.type):
        problem = f"{describe(column.type)} never equals {describe(value.type)}"
        hint = "match columns of one type, or compare in a `where`"
        el.fault(kinds.NARROWS_NOTHING, name.span, name=name.text, problem=problem, hint=hint)
    return core.Match(column.name, value)


def _nearest(el: Context, text: str, scope: Scope, kind: core.Type) -> core.Expr | None:
    """The value of a column in the nearest row that has it; a row itself where a reference matches its key."""
    for frame in reversed(scope):
        if frame.alias:
            continue
        column = el.column(frame.root, text)
        if column is not None:
            table = el.table(frame.root, el.spec.title.span)
            if kind.kind == "row" and kind.table == frame.root and table.key == (text,):
                return frame.row
            return core.Column(column.type, frame.row, text)
    return None


def _order_key(el: Context, tree: syntax.Expr, scope: Scope) -> core.Expr:
    key = el.expr(tree, scope)
    if not is_ordered(key.type) and key.type.kind not in ("text", "enum"):
        el.fault(type_kinds.NOT_ORDERED, tree.span, found=describe(key.type), op="ordered by")
    return key
