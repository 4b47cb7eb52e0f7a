"""Values that do not go together: percent beside plain numbers in one column, enums of which each lacks members."""

from __future__ import annotations

from collections.abc import Iterator

from protoc_compiler import core
from protoc_compiler.analysis.walk import written
from protoc_compiler.catalogue import analysis as kinds
from protoc_compiler.core.tree import parts
from protoc_compiler.elaborate.context import Context
from protoc_compiler.nodes import Scalar
from protoc_compiler.spec import TableDecl
from protoc_runtime.diagnostics import Span

_LABELS = ("cohen_kappa", "mcnemar")


def check(protocol: core.Protocol, el: Context) -> None:
    """Report columns of two scales, and comparisons of labels that only one side knows."""
    for table in el.spec.tables:
        _scales(el, table)
    for value, span, _ in written(protocol, el):
        for part in parts(value):
            for one, other in _compared(part):
                _members(el, one, other, el.place(part, span))


def _scales(el: Context, table: TableDecl) -> None:
    """`80` among percentages is nearly always meant as one."""
    cells: dict[str, list[Scalar]] = {}
    for row in table.rows:
        for name, node in row.cells:
            if isinstance(node, Scalar):
                cells.setdefault(name.text, []).append(node)
    for column, nodes in cells.items():
        share = next((node for node in nodes if node.text.endswith("%")), None)
        plain = [node for node in nodes if _beyond_one(node.text)]
        if share is not None and plain:
            el.findings.add(kinds.TWO_SCALES, plain[0].span, column=column, found=plain[0].text, other=share.text)


def _beyond_one(text: str) -> bool:
    try:
        return float(text.replace("_", "")) > 1
    except ValueError:
        return False


def _compared(value: core.Expr) -> Iterator[tuple[core.Expr, core.Expr]]:
    if isinstance(value, core.Compare):
        pairs = zip(value.operands, value.ops, value.operands[1:], strict=False)
        yield from ((one, other) for one, op, other in pairs if op in ("==", "!="))
    elif isinstance(value, core.Aggregate) and value.function in _LABELS:
        yield value.args[0], value.args[1]


def _members(el: Context, one: core.Expr, other: core.Expr, span: Span) -> None:
    if isinstance(one, core.Const) or isinstance(other, core.Const):
        return
    first = [member for member in one.type.members if member not in other.type.members]
    second = [member for member in other.type.members if member not in one.type.members]
    if first and second:
        el.findings.add(kinds.OTHER_MEMBERS, span, first=_listed(first), second=_listed(second))


def _listed(members: list[str]) -> str:
    return ", ".join(f"`{member}`" for member in members)
