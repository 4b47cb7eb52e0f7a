"""Statistics that cannot say what they are asked: families of one test, tests on too few rows, arms of other cases."""

from __future__ import annotations

from fractions import Fraction

from protoc_compiler import core
from protoc_compiler.analysis.thresholds import against_constant
from protoc_compiler.analysis.walk import resolved, sizes, written
from protoc_compiler.catalogue import analysis as kinds
from protoc_compiler.core.tree import parts
from protoc_compiler.elaborate.context import Context
from protoc_runtime.diagnostics import Span
from protoc_runtime.engine.names import FAMILIES
from protoc_runtime.reading.decimals import decimal_text

_DOUBLED = ("mcnemar", "sign_test")  # p is twice a tail of Binomial(n, 1/2), n at most the number of rows
_SUMMARIES = ("rate", "mean", "median", "sum", "count")


def check(protocol: core.Protocol, el: Context) -> None:
    """Report what these statistics cannot show, as far as it can be seen without data."""
    known = sizes(protocol)
    for value, span, _ in written(protocol, el):
        for part in parts(value):
            if isinstance(part, (core.Call, core.Aggregate)):
                _family(el, part, known, el.place(part, span))
            elif isinstance(part, core.Arithmetic) and part.op in ("-", "/"):
                _other_cases(protocol, el, part.left, part.right, el.place(part, span))
            elif isinstance(part, core.Compare):
                place = el.place(part, span)
                _too_small(protocol, el, part, known, place)
                for one, other in zip(part.operands, part.operands[1:], strict=False):
                    _other_cases(protocol, el, one, other, place)


# --- families -----------------------------------------------------------------------------------------------------


def _family(el: Context, value: core.Call | core.Aggregate, known: dict[str, int], span: Span) -> None:
    if value.function not in FAMILIES:
        return
    family = value.args[1] if isinstance(value, core.Call) else value
    size = None
    if isinstance(family, core.ListOf):
        size = len(family.items)
    elif isinstance(family, core.Aggregate) and not family.rows.match and family.rows.scope == "all":
        size = known.get(family.rows.table)
    if size is not None and size < 2:
        el.findings.add(kinds.FAMILY_OF_ONE, span, function=value.function, size=size)


# --- tests on too few rows ----------------------------------------------------------------------------------------


def _too_small(protocol: core.Protocol, el: Context, value: core.Compare, known: dict[str, int], span: Span) -> None:
    for index, op in enumerate(value.ops):
        found = against_constant(value.operands[index], op, value.operands[index + 1])
        if found is None or found[1] not in ("<", "<="):
            continue
        test = resolved(protocol, found[0])
        many = _rows(test, known)
        if many is None or not isinstance(test, core.Part) or not isinstance(test.struct, core.Aggregate):
            continue
        least = min(Fraction(1), Fraction(2, 2**many))
        if least > found[2] or (least == found[2] and found[1] == "<"):
            el.findings.add(
                kinds.TEST_TOO_SMALL, span, function=test.struct.function, many=many, least=least,
                threshold=decimal_text(found[2]),
            )  # fmt: skip


def _rows(test: core.Expr, known: dict[str, int]) -> int | None:
    """The most rows that a sign or McNemar test can have."""
    if not isinstance(test, core.Part) or test.name != "p" or not isinstance(test.struct, core.Aggregate):
        return None
    if test.struct.function not in _DOUBLED:
        return None
    many = known.get(test.struct.rows.table)
    return many if many is not None and many < 1000 else None


# --- arms of other cases ------------------------------------------------------------------------------------------


def _other_cases(protocol: core.Protocol, el: Context, one: core.Expr, other: core.Expr, span: Span) -> None:
    """Two summaries of one table that differ in an arm and in something else: they compare different cases."""
    left, right = _filters(resolved(protocol, one)), _filters(resolved(protocol, other))
    if left is None or right is None or left[0] != right[0] or left[1].keys() != right[1].keys():
        return
    differing = [name for name, value in left[1].items() if value != right[1][name]]
    if len(differing) > 1:
        told = " and ".join(f"`{name}` ({left[1][name]} and {right[1][name]})" for name in sorted(differing))
        el.findings.add(kinds.OTHER_CASES, span, table=left[0], columns=told)


def _filters(value: core.Expr) -> tuple[str, dict[str, object]] | None:
    """The table of a summary, and what its filters fix columns to."""
    if not isinstance(value, core.Aggregate) or value.function not in _SUMMARIES:
        return None
    fixed: dict[str, object] = {}
    waiting = list(value.rows.where)
    while waiting:
        test = waiting.pop()
        if isinstance(test, core.And):
            waiting += test.parts
        elif isinstance(test, core.Compare) and test.ops == ("==",):
            sides = test.operands if isinstance(test.operands[1], core.Const) else test.operands[::-1]
            if isinstance(sides[1], core.Const):
                fixed[_path(sides[0])] = sides[1].value
    return value.rows.table, fixed


def _path(value: core.Expr) -> str:
    if isinstance(value, core.Column):
        before = _path(value.row)
        return f"{before}.{value.name}" if before else value.name
    return ""
