"""What a name or a dotted path means: rows in scope first, then values, records, keys, rules."""

from __future__ import annotations

from protoc_compiler import core, suggest, syntax
from protoc_compiler.catalogue import names as kinds
from protoc_compiler.catalogue import types as type_kinds
from protoc_compiler.elaborate.context import Context, Fault, Frame, Scope, known_columns
from protoc_compiler.elaborate.kinds import describe
from protoc_compiler.names import PLACEHOLDER, RULE_SPACES, ItemName
from protoc_compiler.nodes import brief
from protoc_runtime.diagnostics import Span

TARGET = "target"  # the record of what `procedure.target` pins


def name(el: Context, tree: syntax.Name, scope: Scope, expect: core.Type | None) -> core.Expr:
    """A bare name as a value: beside an enum a member of it, else what the name stands for."""
    member = _member(tree.text, expect)
    if member is not None:
        if in_rows(el, tree.text, scope):
            _refuse_second_reading(el, tree, scope, member.type)
        return member
    found = lookup(el, tree.text, tree.span, scope)
    return found if found is not None else _unknown(el, tree.text, tree.span, scope, expect)


def _unknown(el: Context, text: str, span: Span, scope: Scope, expect: core.Type | None) -> core.Expr:
    from protoc_compiler.elaborate import misread

    return misread.unknown(el, text, span, scope, expect)


def _refuse_second_reading(el: Context, tree: syntax.Name, scope: Scope, kind: core.Type) -> None:
    for frame in scope:
        column = None if frame.alias else el.table(frame.root, tree.span).column(tree.text)
        if column is not None and column.type.kind == "enum" and set(column.type.members) & set(kind.members):
            hint = f'write `"{tree.text}"` for the word, or give the column another name'
            one, other = f"a member of {describe(kind)}", f"the column `{tree.text}`"
            el.fault(kinds.AMBIGUOUS_NAME, tree.span, name=tree.text, one=one, other=other, hint=hint)


def in_rows(el: Context, text: str, scope: Scope) -> bool:
    """Whether a row in scope has such a column, or an alias is called so; nothing is elaborated to find out."""
    for frame in scope:
        if frame.alias:
            if frame.alias == text:
                return True
        elif text in known_columns(el, frame.root):
            return True
    return False


def lookup(el: Context, text: str, span: Span, scope: Scope) -> core.Expr | None:
    """What a bare name is, rows innermost first, or None."""
    for frame in reversed(scope):
        if frame.alias:
            if frame.alias == text:
                return frame.row
            continue
        made = column_of(el, frame.row, frame.root, text, scope)
        if made is not None:
            column = el.column(frame.root, text)
            _note_shadow(el, text, span, frame, scope)
            if text in el.names.values and column is not None and column.origin != "metric":
                el.hiding.append((span, text, frame.root, made.type))
            return made
    return value(el, text, scope) or record_row(el, text, span)


def _note_shadow(el: Context, text: str, span: Span, inner: Frame, scope: Scope) -> None:
    """Note a bare name that a row farther out could mean as well: both tables declare a column of this name.

    A reference to the outer row whose key has the same name is no second meaning, and neither is a row of one table
    inside another row of it, where only an alias can name the outer one.
    """
    column = el.table(inner.root, span).column(text)
    for outer in scope[: scope.index(inner)] if column is not None else ():
        refers = column is not None and column.type.kind == "row" and column.type.table == outer.root
        if outer.alias or outer.root == inner.root or refers:
            continue
        if el.table(outer.root, span).column(text) is not None:
            el.shadowing.add((span, text, inner.root, outer.root))


def column_of(el: Context, row: core.Expr, root: str, text: str, scope: Scope) -> core.Expr | None:
    """A column of one row, or the entry that belongs to this row."""
    column = el.column(root, text)
    if column is not None:
        return core.Column(column.type, row, text)
    for item in el.names.entries.get(text, ()):
        if len(item.per) == 1 and el.table(item.per[0], item.span).root == root and item.space not in RULE_SPACES:
            return entry(el, item, (row,))
    return None


def value(el: Context, text: str, scope: Scope) -> core.Expr | None:
    """A definition or metric by its full name, an entry of the rows in scope, or an entry by literal keys."""
    item = el.names.values.get(text)
    if item is not None and not item.per:
        el.used.add(text)
        return core.Global(el.item(item).type, item.space, item.name)
    for candidate in el.names.entries.get(text, ()):
        if candidate.space in ("definitions", "metrics"):
            keys = keys_in_scope(el, candidate, scope)
            if keys is not None:
                return entry(el, candidate, keys)
    return by_keys(el, ("definitions", "metrics"), text)


def entry(el: Context, item: ItemName, keys: tuple[core.Expr, ...]) -> core.Expr:
    """The entry of an item for rows."""
    el.used.add(item.name)
    return core.Entry(el.item(item).type, item.space, item.name, keys)


def keys_in_scope(el: Context, item: ItemName, scope: Scope) -> tuple[core.Expr, ...] | None:
    """The rows in scope that an entry needs, one per placeholder, or None."""
    keys = []
    for table in item.per:
        root = el.table(table, item.span).root
        row = next((frame.row for frame in reversed(scope) if frame.root == root and not frame.alias), None)
        if row is None:
            return None
        keys.append(row)
    return tuple(keys)


def by_keys(el: Context, spaces: tuple[str, ...], text: str) -> core.Expr | None:
    """`accuracy.V2`: an entry whose placeholders are filled with keys of listed tables."""
    for (space, _), item in el.names.items.items():
        if space not in spaces or not item.per or not text.startswith(item.name.split("<")[0]):
            continue
        tables = [el.table(table, item.span) for table in item.per]
        found = filled(text, PLACEHOLDER.split(item.name)[::2], [_labels(el, table) for table in tables])
        if found is not None:
            keys = tuple(row_by_label(el, table, label) for table, label in zip(tables, found, strict=True))
            return entry(el, item, keys)
    return None


def filled(text: str, pieces: list[str], labels: list[tuple[str, ...]]) -> tuple[str, ...] | None:
    """What stands between the pieces of a text: one of the labels of each place, the longest that fits; any word
    without a dot where a place has no labels."""
    piece, *behind = pieces
    if not text.startswith(piece):
        return None
    rest = text[len(piece) :]
    if not behind:
        return () if not rest else None
    word = rest.partition(".")[0]
    known = labels[0] or [word[:end] for end in range(1, len(word) + 1)]
    for label in sorted(known, key=len, reverse=True):
        more = filled(rest[len(label) :], behind, labels[1:]) if rest.startswith(label) else None
        if more is not None:
            return (label, *more)
    return None


def _labels(el: Context, table: core.Table) -> tuple[str, ...]:
    return el.table(table.root, table.span or el.spec.title.span).labels


def row_by_label(el: Context, table: core.Table, label: str) -> core.Expr:
    """The row of a table that a key names."""
    root = el.table(table.root, table.span or el.spec.title.span)
    key = el.column(root.name, root.key[0])
    if key is None:
        raise Fault  # the table lacks the column of its key, which has been told
    literal: core.Value = label
    if label in root.labels:
        literal = root.listed[root.labels.index(label)][0]
    var = el.fresh()
    row = core.RowVar(core.Type("row", table=root.name), var)
    if key.type.kind == "row":
        row_key = core.Column(key.type, row, key.name)
        target = el.table(key.type.table, root.span or el.spec.title.span)
        inner = el.column(target.name, target.key[0])
        if inner is None:
            raise Fault  # so does the table that it refers to
        operand: core.Expr = core.Column(inner.type, row_key, inner.name)
    else:
        operand = core.Column(key.type, row, key.name)
    test = core.Compare(core.BOOL, (operand, core.Const(operand.type, literal)), ("==",))
    rows = core.Rows(var, table.name, where=(test,))
    return core.OneRow(core.Type("row", table=root.name), "only", rows)


def record_row(el: Context, text: str, span: Span) -> core.Expr | None:
    """A record, or a table that is expected to have one row, read like a row."""
    if text == "freeze" and el.spec.procedure.freeze:
        return core.Global(core.Type("struct"), "freeze", "")
    if text == TARGET and el.spec.procedure.target is not None:
        return core.Global(core.Type("struct"), TARGET, "")
    if not el.names.is_table(text):
        return None
    table = el.table(text, span)
    if not table.record:
        return None
    el.used.add(text)
    return core.OneRow(core.Type("row", table=table.root), "only", core.Rows(el.fresh(), text))


# --- dotted paths -----------------------------------------------------------------------------------------------


def path(el: Context, tree: syntax.Field, scope: Scope) -> core.Expr:
    """`a.b.c`: the longest prefix that names something, then columns and fields."""
    parts, base = _flatten(tree)
    if base is not None:
        made = el.expr(base, scope)
        return fields(el, made, parts, tree.span, scope)
    head, *rest = parts
    if head in RULE_SPACES and rest:
        return rule(el, head, ".".join(rest), tree.span, scope)
    found = _row_head(el, head, tree.span, scope)
    if found is not None:
        return fields(el, found, tuple(rest), tree.span, scope)
    for end in range(len(parts), 0, -1):
        made_value = value(el, ".".join(parts[:end]), scope)
        if made_value is not None:
            return fields(el, made_value, parts[end:], tree.span, scope)
    made_record = record_row(el, head, tree.span)
    if made_record is not None:
        return fields(el, made_record, tuple(rest), tree.span, scope)
    if el.names.is_table(head):
        return _by_name(el, head, tuple(rest), tree.span, scope)
    return _unknown(el, head, tree.span, scope, None)


def _flatten(tree: syntax.Expr) -> tuple[tuple[str, ...], syntax.Expr | None]:
    parts: list[str] = []
    while isinstance(tree, syntax.Field):
        parts.append(tree.name)
        tree = tree.base
    if isinstance(tree, syntax.Name):
        return (tree.text, *reversed(parts)), None
    return tuple(reversed(parts)), tree


def _row_head(el: Context, head: str, span: Span, scope: Scope) -> core.Expr | None:
    for frame in reversed(scope):
        if frame.alias:
            if frame.alias == head:
                return frame.row
            continue
        column = el.column(frame.root, head)
        if column is not None:
            _note_shadow(el, head, span, frame, scope)
            return core.Column(column.type, frame.row, head)
    return None


def fields(el: Context, made: core.Expr, parts: tuple[str, ...], span: Span, scope: Scope) -> core.Expr:
    """The columns and fields that the rest of a path reads."""
    for part in parts:
        made = _field(el, made, part, span, scope)
    return made


def _field(el: Context, made: core.Expr, part: str, span: Span, scope: Scope) -> core.Expr:
    if isinstance(made, core.Global) and made.space == "freeze":
        item = next((item for item in el.spec.procedure.freeze if item.name.text == part), None)
        if item is None:
            known = [item.name.text for item in el.spec.procedure.freeze]
            el.fault(kinds.UNKNOWN_COLUMN, span, table="freeze", name=part, hint=suggest.hint(part, known))
        return core.Global(frozen_type(el, part), "freeze", part)
    if isinstance(made, core.Global) and made.space == TARGET:
        return _pinned(el, part, span)
    if made.type.kind == "row":
        found = column_of(el, made, made.type.table, part, scope)
        if found is None:
            known = known_columns(el, made.type.table)
            el.fault(kinds.UNKNOWN_COLUMN, span, table=made.type.table, name=part, hint=suggest.hint(part, known))
        return found
    if made.type.kind == "struct":
        kind = dict(made.type.fields).get(part)
        if kind is None:
            hint = suggest.hint(part, [field for field, _ in made.type.fields])
            el.fault(type_kinds.NO_FIELD, span, found=describe(made.type), name=brief(part), hint=hint)
        return core.Part(kind, made, part)
    hint = _bare(el, made, part) or "a dot reads a column of a row, a key, or a field of a result"
    el.fault(type_kinds.NO_FIELD, span, found=describe(made.type), name=brief(part), hint=hint)
    return None


def _bare(el: Context, made: core.Expr, part: str) -> str:
    """A hint where the value before the dot is a plain column of a row that has the other column itself."""
    if not isinstance(made, core.Column) or el.column(made.row.type.table, part) is None:
        return ""
    return f"`{made.name}` is a value of the row of `{made.row.type.table}` itself: read `{part}` by its bare name"


def _pinned(el: Context, part: str, span: Span) -> core.Expr:
    """`target.commit`, or the digest of a path set that the protocol fixes."""
    target = el.spec.procedure.target
    assert target is not None
    pinned = {item.name.text: item.pinned.text.removeprefix("sha256:") for item in target.digests if item.pinned}
    known = {"commit": target.commit.text} | pinned
    if part not in known:
        open_set = any(item.name.text == part for item in target.digests)
        hint = (
            f"fix it with `{part}: {{paths: ..., is: sha256:...}}`, or read what was seen from a record `from: target`"
        )
        hint = hint if open_set else suggest.hint(part, known)
        el.fault(kinds.UNKNOWN_COLUMN, span, table=TARGET, name=part, hint=hint)
    return core.Const(core.DIGEST, known[part])


def frozen_type(el: Context, name: str) -> core.Type:
    """The type of a frozen value."""
    item = next(item for item in el.spec.procedure.freeze if item.name.text == name)
    if item.value is None:
        return core.DIGEST
    return el.expr(item.value.tree, ()).type


def _by_name(el: Context, table_name: str, rest: tuple[str, ...], span: Span, scope: Scope) -> core.Expr:
    """`attested.forward_months`: a row of a name/value table by its key."""
    table = el.table(table_name, span)
    root = el.table(table.root, span)
    readable = len(root.key) == 1 and root.column("value") is not None
    if not readable:
        known = known_columns(el, table.root)
        if rest[0] in known:
            from protoc_compiler.elaborate import misread

            el.fault(kinds.TABLE_AS_VALUE, span, name=table_name, hint=misread.of_rows(el, table, rest[0], scope))
        hint = f"`{table_name}` is a table: read a row with `only({table_name} where ...)`"
        found = suggest.hint(rest[0], known, hint)
        el.fault(kinds.UNKNOWN_COLUMN, span, table=table_name, name=rest[0], hint=found)
    row = row_by_label(el, table, rest[0])
    made = _field(el, row, "value", span, scope)
    return fields(el, made, rest[1:], span, scope)


# --- rules ------------------------------------------------------------------------------------------------------


def rule(el: Context, space: str, text: str, span: Span, scope: Scope) -> core.Expr:
    """`gates.P2.1`; in a row of `judges` the entry of this judge."""
    item = el.names.items.get((space, text))
    if item is not None and not item.per:
        return core.Global(core.BOOL, space, text)
    for candidate in el.names.entries.get(text, ()):
        if candidate.space == space:
            keys = keys_in_scope(el, candidate, scope)
            if keys is not None:
                return entry(el, candidate, keys)
    made = by_keys(el, (space,), text)
    if made is not None:
        return made
    known = [name for known_space, name in el.names.items if known_space == space]
    return el.fault(kinds.UNKNOWN_RULE, span, space=space, name=text, hint=suggest.hint(text, known))


def _member(text: str, expect: core.Type | None) -> core.Const | None:
    if expect is not None and expect.kind == "enum" and text in expect.members:
        return core.Const(expect, text)
    return None
