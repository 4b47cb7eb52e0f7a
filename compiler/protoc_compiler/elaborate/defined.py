"""Tables and columns that `definitions` make: subsets, groups, products, stacks, samples, derived columns."""

from __future__ import annotations

from protoc_compiler import core, suggest, syntax
from protoc_compiler.catalogue import names as kinds
from protoc_compiler.catalogue import types as type_kinds
from protoc_compiler.elaborate import bodies
from protoc_compiler.elaborate.context import Context, known_columns
from protoc_compiler.elaborate.kinds import comparable, describe
from protoc_compiler.elaborate.rows import frames
from protoc_compiler.spec import ArmDecl, Definition, Formula, Text
from protoc_runtime.record import replace


def table(el: Context, definition: Definition) -> core.Table:
    """The table that a definition makes."""
    assert isinstance(definition.body, Formula)
    tree = definition.body.tree
    _no_value_keys(el, definition, grouped=isinstance(tree, syntax.Table) and _groups(tree) is not None)
    if isinstance(tree, syntax.Combined):
        made = _combined(el, definition.name, tree)
    elif isinstance(tree, syntax.Call):
        made = _sample(el, definition.name, tree)
    elif isinstance(tree, syntax.Table) and _groups(tree) is not None:
        made = _grouped(el, definition.name, tree)
    else:
        rows, _ = el.rows(tree, ())
        root = el.table(rows.table, tree.span).root
        made = core.Table(name=definition.name.text, kind="subset", root=root, rows=rows)
    return replace(
        made,
        says=definition.says.text if definition.says is not None else "",
        cites=tuple(cite.text for cite in definition.cites),
        span=definition.name.span,
        text=definition.body.text,
    )


def _no_value_keys(el: Context, definition: Definition, *, grouped: bool) -> None:
    if definition.if_undefined is not None:
        el.fault(
            type_kinds.WRONG_TYPE, definition.if_undefined.span, what="`if_undefined`", expected="on a value",
            found=f"on the table `{definition.name.text}`", hint="a table is never undefined; decide it in the `where`",
        )  # fmt: skip
    if definition.with_metrics and not grouped:
        el.fault(
            type_kinds.WRONG_TYPE, definition.with_metrics[0].span, what="`with`", expected="on a group table",
            found=f"on `{definition.name.text}`", hint="write `T grouped by COLUMN` for groups",
        )  # fmt: skip


def _groups(tree: syntax.Table) -> syntax.Grouped | None:
    return next((item for item in tree.filters if isinstance(item, syntax.Grouped)), None)


def _grouped(el: Context, name: Text, tree: syntax.Table) -> core.Table:
    grouping = _groups(tree)
    assert grouping is not None
    rest = tuple(item for item in tree.filters if not isinstance(item, syntax.Grouped))
    source: syntax.Expr = replace(tree, filters=rest) if rest or tree.prefix or tree.alias else tree.source
    rows, _ = el.rows(source, ())
    root = el.table(rows.table, tree.span).root
    columns = []
    for column_name in grouping.columns:
        column = el.column(root, column_name.text)
        if column is None:
            hint = suggest.hint(column_name.text, known_columns(el, root))
            el.fault(kinds.UNKNOWN_COLUMN, column_name.span, table=rows.table, name=column_name.text, hint=hint)
        columns.append(core.Col(column.name, column.type, False, "key", span=column_name.span))
    keys = tuple(column.name for column in columns)
    return core.Table(
        name=name.text, kind="grouped", root=name.text, key=keys, columns=tuple(columns), rows=rows, group=keys
    )


def _combined(el: Context, name: Text, tree: syntax.Combined) -> core.Table:
    parts = []
    for part in tree.tables:
        if not el.names.is_table(part.text):
            hint = suggest.hint(part.text, el.names.table_names())
            el.fault(kinds.UNKNOWN_TABLE, part.span, name=part.text, hint=hint)
        el.used.add(part.text)
        parts.append(part.text)
    columns: tuple[core.Col, ...] = ()
    if tree.kind == "cross":
        roots = [el.table(part, tree.span).root for part in parts]
        columns = tuple(
            core.Col(part, core.Type("row", table=root), False, "key") for part, root in zip(parts, roots, strict=True)
        )
    key = tuple(column.name for column in columns)
    return core.Table(name=name.text, kind=tree.kind, root=name.text, key=key, columns=columns, parts=tuple(parts))


_SAMPLED = ("seed", "within")  # the options of `sample`


def _sample(el: Context, name: Text, tree: syntax.Call) -> core.Table:
    seed = next((option for option in tree.options if option.name == "seed"), None)
    size = tree.args[1] if len(tree.args) == 2 else None
    for option in tree.options:
        if option.name not in _SAMPLED:
            hint = suggest.hint(option.name, _SAMPLED, "its options are `seed` and `within`")
            el.fault(kinds.UNKNOWN_OPTION, option.span, function="sample", name=option.name, hint=hint)
    if seed is None:
        el.fault(type_kinds.MISSING_OPTION, tree.span, function="sample", name="seed")
    if not isinstance(size, syntax.Number) or size.value.denominator != 1:
        hint = "write `sample(T, 20, seed = 7)`"
        el.fault(
            type_kinds.WRONG_ARGUMENTS, tree.span, function="sample", expected="rows and a whole number",
            found=f"{len(tree.args)} operands", hint=hint,
        )  # fmt: skip
    value = seed.value
    if isinstance(value, syntax.Number):
        text = value.text.replace("_", "")
    elif isinstance(value, syntax.String):
        text = value.value
    else:
        el.fault(type_kinds.NOT_CONSTANT, value.span, what="a seed")
    rows, _ = el.rows(tree.args[0], ())
    root = el.table(rows.table, tree.span).root
    within = next((option.value for option in tree.options if option.name == "within"), None)
    column = "" if within is None else _drawn_within(el, root, within)
    return core.Table(
        name=name.text, kind="sample", root=root, rows=rows, sample=(int(size.value), text), within=column
    )  # fmt: skip


def _drawn_within(el: Context, root: str, value: syntax.Expr) -> str:
    """The column of a sample whose values are drawn one by one: it is defined in every row, and has a name as text."""
    name = value.text if isinstance(value, syntax.Name) else ""
    column = el.column(root, name) if name else None
    if column is None:
        hint = suggest.hint(name, known_columns(el, root))
        el.fault(kinds.UNKNOWN_COLUMN, value.span, table=root, name=name or "(a formula)", hint=hint)
    if column.optional or column.type.kind not in ("text", "enum", "row"):
        found = f"`{name}`, which {'may be undefined' if column.optional else f'is of type {column.type.kind}'}"
        hint = "name a column of texts, of words, or of references"
        el.fault(
            type_kinds.WRONG_ARGUMENTS, value.span, function="sample", expected="a column that names groups",
            found=found, hint=hint,
        )  # fmt: skip
    return name


# --- columns -----------------------------------------------------------------------------------------------------


def column(el: Context, root: core.Table, name: str) -> core.Col | None:
    """A column that a definition, an arm, a `with` or a stack gives to a table."""
    if root.kind == "stack":
        stacked = _stacked(el, root, name)
        if stacked is not None:
            return stacked
    source = el.names.columns.get(root.name, {}).get(name)
    if source is not None:
        return _derived(el, root, name, source)
    definition = el.names.defined.get(root.name)
    if definition is not None and root.kind == "grouped":
        wanted = next((item for item in definition.with_metrics if item.text == name), None)
        if wanted is not None:
            return _with(el, root, wanted)
    return None


def _derived(el: Context, root: core.Table, name: str, source: Definition | ArmDecl) -> core.Col:
    row = core.RowVar(core.Type("row", table=root.name), "self")
    scope = frames(el, row, root.name)
    if isinstance(source, ArmDecl):
        made = el.expr(source.row.tree, scope)
        if made.type.kind != "row":
            hint = "write `row: only(T where ...)`"
            el.fault(
                type_kinds.WRONG_TYPE, source.row.span, what=f"the arm `{name}`", expected="a row",
                found=describe(made.type), hint=hint,
            )  # fmt: skip
        says = source.says.text if source.says is not None else ""
        text = source.row.text
        return core.Col(name, made.type, True, "derived", made, says, span=source.name.span, text=text)
    if source.with_metrics:
        _no_value_keys(el, replace(source, if_undefined=None), grouped=False)
    made = bodies.value(el, source, scope)
    says = source.says.text if source.says is not None else ""
    cites = bodies.cites(source.body, source.cites)
    text = bodies.text(source.body)
    return core.Col(name, made.type, True, "derived", made, says, cites, source.name.span, text)


def _with(el: Context, root: core.Table, wanted: Text) -> core.Col:
    item_name = el.names.values.get(wanted.text)
    if item_name is None or item_name.per:
        known = [name for name, item in el.names.values.items() if not item.per]
        hint = suggest.hint(wanted.text, known)
        el.fault(type_kinds.GROUP_UNDEFINED, wanted.span, name=wanted.text, hint=hint)
    el.used.add(wanted.text)
    item = el.item(item_name)
    assert root.rows is not None
    row = core.RowVar(core.Type("row", table=root.name), "self")
    grouped = el.table(root.rows.table, wanted.span).root
    keys = []
    for column_name in root.group:
        found = el.column(grouped, column_name)
        assert found is not None
        keys.append((found, core.Column(found.type, row, column_name)))
    value = core.Global(item.type, item.space, item.name)
    from protoc_compiler.elaborate import restrict

    made = restrict.restricted(el, value, restrict.Group(grouped, tuple(keys)))
    return core.Col(wanted.text, item.type, True, "metric", made, item.says, span=wanted.span)


def _stacked(el: Context, root: core.Table, name: str) -> core.Col | None:
    found = [el.column(el.table(part, root.span or el.spec.title.span).root, name) for part in root.parts]
    first = found[0]
    if first is None or any(other is None or not comparable(first.type, other.type) for other in found):
        return None
    if any(other is not None and other.type.kind == "row" and other.type != first.type for other in found):
        return None
    optional = any(other.optional for other in found if other is not None)
    return core.Col(name, first.type, optional, "stacked")
