"""What is said of a name that nothing has, and of a column that is read of a whole table."""

from __future__ import annotations

from protoc_compiler import core, suggest
from protoc_compiler.catalogue import names as kinds
from protoc_compiler.elaborate.context import Context, Fault, Scope, known_columns
from protoc_compiler.names import RULE_SPACES
from protoc_compiler.nodes import brief
from protoc_runtime.diagnostics import Span


def unknown(el: Context, text: str, span: Span, scope: Scope, expect: core.Type | None) -> core.Expr:
    """Nothing has this name: say what is nearest."""
    if text in ("freeze", "target") and el.broken:
        raise Fault  # its section has been refused, and that has been told
    if expect is not None and expect.kind == "enum":
        members = ", ".join(expect.members)
        hint = suggest.hint(text, expect.members)
        el.fault(kinds.UNKNOWN_MEMBER, span, name=text, members=f"[{members}]", hint=hint)
    if el.names.is_table(text):
        hint = (
            f"count its rows with `count({text})`, ask for some with `some {text}`, or take a row with `only({text})`"
        )
        el.fault(kinds.TABLE_AS_VALUE, span, name=text, hint=hint)
    for space in RULE_SPACES:
        if (space, text) in el.names.items:
            el.fault(kinds.RULE_NOT_METRIC, span, name=text, space=space, space_one=space[:-1])
    for item in el.names.entries.get(text, ()):
        tables = " and ".join(f"`{table}`" for table in item.per)
        one = ".".join([text, *(["KEY"] * len(item.per))])
        el.fault(kinds.ENTRY_WITHOUT_ROW, span, name=text, tables=tables, one=one)
    known = [*el.names.values, *el.names.entries, *el.names.table_names()]
    for frame in scope:
        known += [frame.alias] if frame.alias else known_columns(el, frame.root)
    hint = suggest.hint(text, known, f'define it; for a text write `"{brief(text)}"`')
    arm = next((arm for arm in el.spec.arms if arm.name.text == text), None)
    if arm is not None:
        hint = f"`{text}` is an arm of `{arm.of.text}`: arms are read in a row of their table, and compared in one"
    el.fault(kinds.UNKNOWN_NAME, span, name=text, hint=hint)


def of_rows(el: Context, table: core.Table, column: str, scope: Scope) -> str:
    """A hint for a column that is read of a whole table: of which row, or what of all of them, may be meant."""
    rows = [frame.root for frame in scope if not frame.alias]
    if table.root not in rows:
        return (
            f"each row of `{table.name}` has a `{column}`: say what is made of them, as in `max({column} over "
            f"{table.name})`, ask `all {table.name} have ...`, or take one row with `only({table.name} where ...)`"
        )
    inner = rows[-1]
    if inner == table.root or column not in known_columns(el, inner):
        return f"the row of `{table.root}` is in scope: read `{column}` by its bare name"
    own = el.table(inner, el.spec.title.span).column(column)
    if own is not None and own.type == core.Type("row", table=table.root):
        return f"`{inner}` means the rows whose `{column}` is this row of `{table.root}` already: leave this out"
    return (
        f"`{column}` is that of the row of `{inner}` here: keep the rows that equal, `{inner} matching {column}`, or "
        f"give them a name, `{inner} as other where other.{column} == {column}`"
    )
