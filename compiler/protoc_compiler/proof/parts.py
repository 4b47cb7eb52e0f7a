"""What rules look at inside: the rows that they count, and each row that they ask a condition of.

A case shows these beside the metrics: a rule that counts rows itself has no metric which would tell the number, and a
condition that is asked of many rows is decided by some of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from protoc_compiler import core
from protoc_compiler import syntax as s
from protoc_compiler.by_protocol import by_protocol
from protoc_compiler.core.tree import all_nodes, nodes
from protoc_compiler.emit.layout import Group, call, flat, tuple_of
from protoc_compiler.emit.lowering import Lowering
from protoc_compiler.emit.naming import Names
from protoc_compiler.nodes import Scalar
from protoc_compiler.parse import parse_formula
from protoc_compiler.places import Straight
from protoc_compiler.proof.program import support
from protoc_runtime.diagnostics import Findings, Span
from protoc_runtime.record import record, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import CodeType
    from typing import Any

Key = tuple[str, str]  # the space and the name of a rule
_RULES = ("gates", "blockers", "checks")
_NOWHERE = Span("", 1, 1, 1, 2)


@record
class Inside:
    """What the rules of a protocol come to inside, of the rows that were decided last.

    `counted`: by rule and as the rule writes it, how many rows it counts. `asked`: by rule and by entry of a metric,
    what the condition comes to for the row of that entry.
    """

    counted: dict[tuple[Key, str], Any]
    asked: dict[Key, dict[str, list[bool | None]]]


def inside(protocol: core.Protocol, names: dict[str, Any], half: dict[str, Any]) -> Inside:
    """The same of a verifier that has decided rows: `names` of its program, `half` that is written by hand."""
    made = Inside({}, {})
    for key, text, code in _compiled(protocol):
        try:
            found = half["if_enough"](partial(eval, code, names))
        except half["Stopped"]:
            continue  # the rule did not come so far, or the rows would not have been decided
        if found is None:
            continue  # which rows are meant is undefined
        if text:
            made.counted[key, text] = half["to_json"](found)
            continue
        for entry, outcome in found:
            made.asked.setdefault(key, {}).setdefault(entry, []).append(outcome)
    return made


@by_protocol
def _compiled(protocol: core.Protocol) -> list[tuple[Key, str, CodeType]]:
    """Each part with its rule: a number of rows as it is written, or nothing and the outcome for each entry."""
    made = []
    for item in protocol.items:
        if item.space in _RULES and not item.per:
            for text, value in item.parts or ((item.text, item.expr),):
                for told, code in _parts(protocol, text, value):
                    made.append(((item.space, item.name), told, compile(code, "verify.py", "eval")))
    return made


def _parts(protocol: core.Protocol, text: str, value: core.Expr) -> Iterator[tuple[str, str]]:
    found = list(_outermost(value, core.Aggregate, core.Quantified, nodes))
    tree = parse_formula(Scalar(text, "plain", _NOWHERE, Straight(1, 1, len(text))), Findings())
    written = list(_outermost(tree, s.Call, s.Quantified, s.children)) if tree is not None else []
    written = [one for one in written if not isinstance(one, s.Call) or one.rows is not None or one.name == "count"]
    alike = [_kind(one) for one in found] == [_kind(one) for one in written]
    for at, one in enumerate(found):
        findings = Findings()
        lowering = Lowering(protocol, Names(frozenset(support())), findings)
        told = _counts(written[at]) if alike else ""
        counted = _counting(one)
        if told and counted is not None:
            code = flat(lowering.expr(counted, {}))
            if not findings.told:
                yield told, code
        if isinstance(one, core.Quantified):
            for entry in _entries(one):
                code = _asking(lowering, one, entry)
                if not findings.told:
                    yield "", code


def _outermost(value: Any, first: type, second: type, below: Callable[[Any], list[Any]]) -> Iterator[Any]:
    """What opens rows, but for what is read inside of that."""
    if isinstance(value, (first, second)):
        yield value
        return
    for part in below(value):
        yield from _outermost(part, first, second, below)


def _kind(value: Any) -> str:
    """The function or the quantifier, in the protocol and as it is written."""
    if isinstance(value, core.Aggregate):
        return value.function
    return value.name if isinstance(value, s.Call) else str(value.quantifier)


def _counting(value: core.Aggregate | core.Quantified) -> core.Aggregate | None:
    """A number of rows: those that are counted, or that are asked for by `some` and `no`."""
    if isinstance(value, core.Aggregate):
        return value if value.function == "count" else None
    rows = value.rows
    if value.quantifier == "all":
        return None
    if value.condition is not None:
        rows = replace(rows, where=(*rows.where, value.condition))
    return core.Aggregate(core.Type("int"), "count", rows, (), ())


def _counts(tree: s.Call | s.Quantified) -> str:
    """`count(answers where state == refused)`, as it is written or as a quantifier would be; empty of all rows, which
    are told anyway."""
    rows = tree.rows if isinstance(tree, s.Quantified) else tree.args[0] if tree.args else tree.rows
    if isinstance(rows, (s.Name, s.Field)):
        rows = s.Table(_NOWHERE, rows, None, None, None, ())
    if not isinstance(rows, s.Table):
        return ""
    if isinstance(tree, s.Quantified) and tree.condition is not None:
        filters = [one.condition for one in rows.filters if isinstance(one, s.Where)]
        parts = [one if not filters else s.Paren(_NOWHERE, one) for one in (*filters, tree.condition)]
        kept = tuple(one for one in rows.filters if not isinstance(one, s.Where))
        condition = parts[0] if len(parts) == 1 else s.And(_NOWHERE, tuple(parts))
        rows = replace(rows, filters=(s.Where(_NOWHERE, condition), *kept))
    if not rows.filters:
        return ""
    from protoc_compiler.unparse import unparse  # most rules read metrics that count

    return f"count({unparse(rows)})"


def _entries(value: core.Quantified) -> list[core.Entry]:
    """The metrics that a condition reads of the row which it is asked of."""
    found = all_nodes(value.condition) if value.condition is not None else []
    return [
        one for one in found
        if isinstance(one, core.Entry) and one.space == "metrics" and len(one.keys) == 1
        and isinstance(one.keys[0], core.RowVar) and one.keys[0].var == value.rows.var
    ]  # fmt: skip


def _asking(lowering: Lowering, value: core.Quantified, entry: core.Entry) -> str:
    """Each row's entry with what the condition comes to."""
    rows, scope = lowering.source(value.rows, {})
    assert value.condition is not None
    named = call("fill", repr(entry.name), tuple_of((scope[value.rows.var],)))
    return flat(Group("[", (tuple_of((named, lowering.expr(value.condition, scope))), *rows), "]", ""))
