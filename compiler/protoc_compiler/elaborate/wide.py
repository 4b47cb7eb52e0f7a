"""Labels of wide files: each is a text that the column which takes it can hold."""

from __future__ import annotations

from collections.abc import Iterable

from protoc_compiler import suggest
from protoc_compiler.catalogue import names as kinds
from protoc_compiler.catalogue import types as type_kinds
from protoc_compiler.elaborate.compare import key_type
from protoc_compiler.elaborate.context import Context, Fault
from protoc_compiler.elaborate.kinds import describe
from protoc_compiler.spec import TableDecl

_TEXTS = ("text", "any")
_HINT = "declare `{name}` as words, as text, or as a table whose keys are the labels, with words for them"


def check_labels(el: Context, wide: Iterable[TableDecl]) -> None:
    """Report labels that no row could hold."""
    for decl in wide:
        try:
            _check(el, decl)
        except Fault:
            continue  # of a table or column that is broken this is told


def _check(el: Context, decl: TableDecl) -> None:
    assert decl.unpivot is not None
    name = decl.unpivot.label.text
    column = el.column(decl.name.text, name)
    if column is None:
        return
    kind = key_type(el, column.type)
    for label, _ in decl.unpivot.labels:
        if kind.kind == "enum" and label.text not in kind.members:
            members = ", ".join(f"`{member}`" for member in kind.members)
            hint = suggest.hint(label.text, kind.members)
            el.findings.add(kinds.UNKNOWN_MEMBER, label.span, name=label.text, members=members, hint=hint)
        elif kind.kind not in ("enum", *_TEXTS):
            expected = f"a value of `{name}`, which is {describe(kind)}"
            hint = _HINT.format(name=name)
            el.findings.add(type_kinds.BAD_LITERAL, label.span, found=label.text, expected=expected, hint=hint)
