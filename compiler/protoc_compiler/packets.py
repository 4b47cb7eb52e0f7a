"""Files of rows that a protocol asks for: which table, which rows, and what of them may be shown."""

from __future__ import annotations

from collections.abc import Iterator

from protoc_compiler import core, suggest
from protoc_compiler.catalogue import agents as kinds
from protoc_compiler.catalogue import names as name_kinds
from protoc_compiler.elaborate.context import Fault
from protoc_compiler.elaborate.elaborator import Elaborator
from protoc_compiler.spec import OutputDecl, Text
from protoc_compiler.spec_parts import texts, words
from protoc_runtime.procedure import OF_TABLES

_CLOSED = ("bool", "int", "number", "quantity", "enum", "time", "date", "digest")  # types that hold no author's text
_KEYS = ("of", "kept", "shows", "rejected", "digests")


def output(el: Elaborator, written: OutputDecl) -> core.Output:
    """One output; what is made of a table is checked against it."""
    plain = core.Output(written.path.text, written.kind.text, texts(written.cites))
    problems = list(_shape(written))
    for problem, hint in problems:
        el.findings.add(kinds.LEAKS, written.kind.span, name=written.path.text, problem=problem, hint=hint)
    if problems or written.of is None:
        return plain
    try:
        _check(el, written, written.of)
    except Fault:
        return plain
    return core.Output(
        plain.path, plain.kind, plain.cites, words(written.of), words(written.kept), texts(written.shows),
        texts(written.rejected), texts(written.digests),
    )  # fmt: skip


def _shape(written: OutputDecl) -> Iterator[tuple[str, str]]:
    given = [key for key in _KEYS if getattr(written, key)]
    if written.kind.text not in OF_TABLES:
        if given:
            yield f"holds {written.kind.text}, and `{given[0]}` says nothing of it", f"delete `{given[0]}`"
        return
    if written.of is None or not written.shows:
        yield "lacks `of` or `shows`", "name the table, and the columns that are shown beside its key"
    if written.kind.text == "packets" and (written.kept is None or not written.rejected):
        yield "lacks `kept` or `rejected`", "name the rows that are shown whole, and what is shown of all others"
    if written.kind.text == "rows" and (written.rejected or written.digests):
        yield "shows rows, of which none is rejected", "write `packets`, or delete `rejected` and `digests`"


def _check(el: Elaborator, written: OutputDecl, of: Text) -> None:
    table = el.named_table(of)
    if table.root != table.name:
        el.fault(kinds.LEAKS, of.span, name=written.path.text, problem=f"is made of `{of.text}`, a subset of "
                 f"`{table.root}`", hint=f"write `of: {table.root}` and `kept: {of.text}`")  # fmt: skip
    if written.kept is not None and el.named_table(written.kept).root != table.name:
        el.fault(kinds.LEAKS, written.kept.span, name=written.path.text, problem=f"keeps rows of another table than "
                 f"`{table.name}`", hint=f"name a definition such as `kept: {table.name} where ...`")  # fmt: skip
    for name in (*written.shows, *written.rejected, *written.digests):
        column = el.column(table.name, name.text)
        if column is None:
            known = [column.name for column in table.columns]
            el.fault(name_kinds.UNKNOWN_COLUMN, name.span, table=table.name, name=name.text,
                     hint=suggest.hint(name.text, known))  # fmt: skip
        _check_type(el, written, name, column)


def _check_type(el: Elaborator, written: OutputDecl, name: Text, column: core.Col) -> None:
    kind = column.type.kind
    if name in written.rejected and kind not in _CLOSED:
        el.findings.add(
            kinds.LEAKS, name.span, name=written.path.text, problem=f"shows `{name.text}` of rows that are not kept, "
            f"which is of type {kind}", hint=f"take it out, or write `digests: [{name.text}]`",
        )  # fmt: skip
    if name in written.digests and kind != "text":
        el.findings.add(
            kinds.LEAKS, name.span, name=written.path.text, problem=f"has the digest of `{name.text}`, which is of "
            f"type {kind}", hint="name a text",
        )  # fmt: skip
