"""What sessions of an agent used: no part is added to its whole, and no money is made without a pinned price."""

from __future__ import annotations

from collections.abc import Iterator

from protoc_compiler import core, resting
from protoc_compiler.analysis.walk import written
from protoc_compiler.catalogue import agents as kinds
from protoc_compiler.core.tree import parts
from protoc_compiler.elaborate.context import Context
from protoc_runtime.diagnostics import Span
from protoc_runtime.evidence import Evidence, Leaf

TURNS = "turns of subject"
_PINNED = ("file", "listed", "frozen")
_MONEY = ("USD", "EUR")


def check(protocol: core.Protocol, el: Context) -> None:
    """Report sums that count a part twice, and costs without prices."""
    session = protocol.subject.session if protocol.subject is not None else None
    turns = [table.name for table in protocol.tables if table.source == TURNS]
    if session is None or not turns:
        return
    evidence = resting.evidence(protocol)
    wholes = {each.name: each.part_of for each in session.usage if each.part_of}
    for expression, span, item in written(protocol, el):
        where = f"`{item.name}`" if item is not None else "a column"
        _sums(el, evidence, wholes, expression, span, where)
        if item is not None and item.type.unit in _MONEY:
            _priced(el, evidence, item, span)


def _sums(
    el: Context, evidence: Evidence, wholes: dict[str, str], expression: core.Expr, span: Span, where: str
) -> None:
    for value in parts(expression):
        if not isinstance(value, core.Arithmetic) or value.op != "+":
            continue
        left, right = (set(_counts(evidence, side)) for side in (value.left, value.right))
        for part, whole in (
            (one, above) for one in sorted({*left, *right} & set(wholes)) for above in _above(wholes, one)
        ):
            if (part in left and whole in right) or (part in right and whole in left):
                el.findings.add(kinds.ADDED_TWICE, span, where=where, part=part, whole=whole)
                return


def _above(wholes: dict[str, str], name: str) -> Iterator[str]:
    while name in wholes:
        name = wholes[name]
        yield name


def _counts(evidence: Evidence, value: core.Expr) -> Iterator[str]:
    """The counts of turns that a value rests on."""
    return (leaf.column for leaf in evidence.of_formula(value) if leaf.source == TURNS and leaf.column)


def _priced(el: Context, evidence: Evidence, item: core.Item, span: Span) -> None:
    leaves: list[Leaf] = evidence.leaves(("item", item.space, item.name))
    used = any(leaf.source == TURNS for leaf in leaves)
    pinned = any(leaf.source in _PINNED and (leaf.column or leaf.source == "frozen") for leaf in leaves)
    if used and not pinned:
        el.findings.add(kinds.NO_PRICES, span, where=f"`{item.name}`")
