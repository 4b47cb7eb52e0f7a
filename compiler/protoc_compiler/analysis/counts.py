"""Thresholds between attainable counts, and literal numbers that repeat the size of a table."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, floor

from protoc_compiler import core
from protoc_compiler.analysis.thresholds import against_constant
from protoc_compiler.analysis.walk import resolved, sizes, written
from protoc_compiler.catalogue import analysis as kinds
from protoc_compiler.core.tree import parts
from protoc_compiler.elaborate.context import Context


def check(protocol: core.Protocol, el: Context) -> None:
    """Notes on gates over a known number of rows; lint of literal counts."""
    known = sizes(protocol)
    for gate in protocol.of("gates"):
        value = gate.expr
        if isinstance(value, core.Compare) and len(value.ops) == 1:
            found = against_constant(value.operands[0], value.ops[0], value.operands[1])
            total = _denominator(protocol, found[0], known) if found is not None else None
            if found is not None and total:
                _between(el, gate, found[1], found[2], total)
    _literals(protocol, el, known)


def _denominator(protocol: core.Protocol, value: core.Expr, known: dict[str, int]) -> int | None:
    value = resolved(protocol, value)
    rows: core.Rows | None = None
    if isinstance(value, core.Aggregate) and value.function == "rate":
        rows = value.rows
    elif isinstance(value, core.Arithmetic) and value.op == "/":
        below = resolved(protocol, value.right)
        if isinstance(below, core.Aggregate) and below.function == "count":
            rows = below.rows
    if rows is None or rows.match or rows.where:
        return None
    return known.get(rows.table)


def _between(el: Context, gate: core.Item, op: str, threshold: Fraction, total: int) -> None:
    exact = threshold * total
    if exact.denominator == 1 or not 0 < threshold < 1 or op not in ("<", "<=", ">", ">="):
        return
    meaning = f"at least {ceil(exact)}" if op in (">", ">=") else f"at most {floor(exact)}"
    shown = f"{float(threshold):g}"
    el.findings.add(
        kinds.BETWEEN_COUNTS, gate.span or el.spec.title.span, total=total, threshold=shown, meaning=meaning
    )


def _literals(protocol: core.Protocol, el: Context, known: dict[str, int]) -> None:
    by_size = {size: name for name, size in known.items() if size > 12 and protocol.table(name).kind != "listed"}
    for value, span, _ in written(protocol, el):
        for part in parts(value):
            if isinstance(part, core.Arithmetic) and part.op == "/":
                below = part.right
                if isinstance(below, core.Const) and isinstance(below.value, int) and below.value in by_size:
                    table = by_size[below.value]
                    el.findings.add(kinds.LITERAL_COUNT, el.place(part, span), number=below.value, table=table)
