"""Rows that the subject owes: a case that failed has none, and what counts such rows leaves the case out."""

from __future__ import annotations

from collections.abc import Iterator

from protoc_compiler import core
from protoc_compiler.analysis import origin
from protoc_compiler.catalogue import analysis as kinds
from protoc_compiler.core.tree import nodes, parts
from protoc_compiler.elaborate.context import Context
from protoc_compiler.names import RULE_SPACES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_DECIDING = (*RULE_SPACES, "verdict", "verdicts")
_WHOLES = (
    "rate",
    "mean",
    "median",
    "count",
    "sum",
    "quantile",
    "p95",
    "max",
)  # what a missing row changes without a trace
_STRICT = (core.Column, core.Negative, core.Arithmetic, core.Compare)  # undefined where a part of them is


def check(protocol: core.Protocol, el: Context) -> None:
    """Warn of a metric over the subject's rows where no rule asks whether every case has its rows."""
    for table in protocol.tables:
        metric = _over_all(protocol, table) if _owed(protocol, table) else None
        if metric is not None and not _is_asked(protocol, table):
            place = metric.span or el.spec.title.span
            el.findings.add(kinds.CASES_WITHOUT_ROWS, place, metric=metric.name, table=table.name)


def _over_all(protocol: core.Protocol, table: core.Table) -> core.Item | None:
    """The first metric over these rows."""
    for item in protocol.of("metrics"):
        if any(_over(protocol, part, table) for part in parts(item.expr)):
            return item
    return None


def _is_asked(protocol: core.Protocol, table: core.Table) -> bool:
    """Whether what a rule rests on asks for these rows, or what the runner has seen. What is written in the rules
    themselves is looked at first, because it takes long to find all that they rest on."""
    rules = [item.expr for item in protocol.items if item.space in _DECIDING]
    if any(_asks(protocol, part, table.name) for value in rules for part in _asking(value)):
        return True
    if any(each.source == "runner" for each in protocol.tables) and "runner" in _sources(protocol):
        return True
    return any(_asks(protocol, part, table.name) for value in _asked(protocol) for part in _asking(value))


def _owed(protocol: core.Protocol, table: core.Table) -> bool:
    """Whether each case should have a row, for each member of a closed list: the key says so."""
    unit = protocol.subject.unit if protocol.subject is not None else ""
    if table.source != "subject" or not table.key or not unit:
        return False
    types = [column.type for column in table.columns if column.name in table.key]
    closed = [each for each in types if each.kind in ("enum", "bool") or _listed(protocol, each)]
    return any(each.kind == "row" and each.table == unit for each in types) and len(closed) == len(types) - 1


def _listed(protocol: core.Protocol, kind: core.Type) -> bool:
    return kind.kind == "row" and protocol.table(kind.table).kind == "listed"


def _over(protocol: core.Protocol, part: core.Expr, table: core.Table) -> bool:
    """Whether an aggregate has these rows as its whole: not the rows of one case."""
    if not isinstance(part, core.Aggregate) or part.function not in _WHOLES:
        return False
    return _root(protocol, part.rows.table) == table.name and not _of_one_case(protocol, table, part.rows)


def _of_one_case(protocol: core.Protocol, table: core.Table, rows: core.Rows) -> bool:
    unit = protocol.subject.unit if protocol.subject is not None else ""
    cases = [column.name for column in table.columns if column.type.kind == "row" and column.type.table == unit]
    return any(match.column in cases for match in rows.match)


def _asks(protocol: core.Protocol, part: core.Expr, table: str) -> bool:
    """Whether a formula asks how many of these rows there are, or whether a case has one."""
    if isinstance(part, core.Aggregate) and part.function == "count":
        return _root(protocol, part.rows.table) == table
    if isinstance(part, core.Is) and part.state in ("defined", "undefined"):
        return any(_is_row(protocol, inner, table) for inner in parts(part.operand))
    return False


def _is_row(protocol: core.Protocol, value: core.Expr, table: str) -> bool:
    """Whether a value is one of these rows, or is undefined wherever there is none: a column of the row, a value that
    is computed of one, a column that is either (`cases.answer: only(answers).answer`)."""
    if isinstance(value, core.OneRow):
        return _root(protocol, value.rows.table) == table
    if isinstance(value, core.Column):
        column = protocol.table(value.row.type.table).column(value.name)
        if column is not None and column.expr is not None and _is_row(protocol, column.expr, table):
            return True
    return type(value) in _STRICT and any(_is_row(protocol, part, table) for part in nodes(value))


def _asking(value: core.Expr) -> Iterator[core.Expr]:
    """Everything inside a formula but for the filters that leave out of a statistic what has no row: these are how a
    failed case is lost. The number of rows with `defined` may be compared with how many there should be."""
    waiting: list[Any] = [value]
    while waiting:
        node = waiting.pop()
        if isinstance(node, core.Expr):
            yield node
        inner = nodes(node)
        if isinstance(node, core.Aggregate) and node.function != "count":
            left_out = [test for test in node.rows.where if isinstance(test, core.Is) and test.state == "defined"]
            inner = [part for part in inner if part is not node.rows]
            inner += [part for part in nodes(node.rows) if not any(part is test for test in left_out)]
        waiting += inner


def _root(protocol: core.Protocol, name: str) -> str:
    return protocol.table(name).root


def _asked(protocol: core.Protocol) -> Iterator[core.Expr]:
    """Every formula that a rule, a verdict or an expectation rests on."""
    for table in protocol.tables:
        yield from (item.expr for item in table.expect)
    items = {(item.space, item.name): item for item in protocol.items}
    rules = [("item", *key) for key in items if key[0] in _DECIDING]
    for thing in origin.reached(protocol, *rules):
        if thing[0] == "item" and thing[1:] in items:
            yield items[thing[1], thing[2]].expr
        elif thing[0] == "column":
            column = protocol.table(thing[1]).column(thing[2])
            if column is not None and column.expr is not None:
                yield column.expr


def _sources(protocol: core.Protocol) -> set[str]:
    """Where what the rules rest on comes from."""
    return {leaf.source for leaf in origin.leaves(protocol, *(i for i in protocol.items if i.space in RULE_SPACES))}
