"""Labels that the subject sees: an answer that is compared with a column which was shown along with the question."""

from __future__ import annotations

from collections.abc import Iterator

from protoc_compiler import core
from protoc_compiler.analysis.walk import written
from protoc_compiler.catalogue import analysis as kinds
from protoc_compiler.core.tree import parts
from protoc_compiler.elaborate.context import Context

_PAIRED = ("cohen_kappa", "mcnemar")
_LABELS = ("enum", "bool", "row", "text")


def check(protocol: core.Protocol, el: Context) -> None:
    """Report answers that are judged by what the subject was told."""
    subject = protocol.subject
    if subject is None:
        return
    key = protocol.table(subject.unit).key if subject.unit else ()
    shown = {name for name in subject.sees if "." not in name and name not in key}
    for value, span, _ in written(protocol, el) if shown else ():
        for part in parts(value):
            for one, other in _pairs(part):
                if _answer(subject, protocol, one) and _label(subject, other) in shown:
                    el.findings.add(kinds.LABEL_SEEN, el.place(part, span), column=_label(subject, other))


def _pairs(value: core.Expr) -> Iterator[tuple[core.Expr, core.Expr]]:
    sides: tuple[core.Expr, ...] = ()
    if isinstance(value, core.Compare) and value.ops == ("==",):
        sides = value.operands
    elif isinstance(value, core.Aggregate) and value.function in _PAIRED:
        sides = value.args[:2]
    if len(sides) == 2:
        yield sides[0], sides[1]
        yield sides[1], sides[0]


def _answer(subject: core.Subject, protocol: core.Protocol, value: core.Expr) -> bool:
    """Whether a value is an answer, or a column of the case that is nothing but one."""
    while isinstance(value, core.Column):
        if value.row.type.table in subject.gives:
            return True
        if value.row.type.table != subject.unit:
            return False
        column = protocol.table(subject.unit).column(value.name)
        made = column.expr if column is not None else None
        if made is None:
            return False
        value = made.operand if isinstance(made, core.Default) else made
    return False


def _label(subject: core.Subject, value: core.Expr) -> str:
    """The column of the case that a value is, or nothing."""
    told = isinstance(value, core.Column) and value.row.type.table == subject.unit and value.type.kind in _LABELS
    return value.name if told and isinstance(value, core.Column) else ""
