"""What is declared and never read: listed tables and their columns, gates that the verdict does not ask."""

from __future__ import annotations

import re
from collections.abc import Iterator

from protoc_compiler import core
from protoc_compiler.analysis.walk import written
from protoc_compiler.catalogue import analysis as kinds
from protoc_compiler.core.tree import parts, rows_in
from protoc_compiler.elaborate.context import Context

_DECIDING = ("verdict", "verdicts", "statuses")


def check(protocol: core.Protocol, el: Context) -> None:
    """Report thresholds that nothing reads, and gates that decide nothing."""
    _listed(protocol, el)
    _gates(protocol, el)


def _listed(protocol: core.Protocol, el: Context) -> None:
    tables, columns = _read(protocol, el)
    spoken = _spoken(protocol)
    for table in protocol.tables:
        if table.kind != "listed" or table.name == "splits":
            continue
        span = table.span or el.spec.title.span
        if table.name not in tables and table.name not in spoken:
            el.findings.add(kinds.UNREAD, span, what=f"the listed table `{table.name}`")
            continue
        for column in table.columns:
            known = column.name in table.key or (table.name, column.name) in columns or column.name in spoken
            if column.origin == "listed" and not known:
                el.findings.add(
                    kinds.UNREAD, span, what=f"the column `{column.name}` of the listed table `{table.name}`"
                )


def _read(protocol: core.Protocol, el: Context) -> tuple[set[str], set[tuple[str, str]]]:
    """The tables that formulas and types name, and the columns that formulas read."""
    tables = {column.type.table for table in protocol.tables for column in table.columns if column.type.table}
    tables |= {name for table in protocol.tables for name in (*table.parts, table.parent)}
    tables |= {name for item in protocol.items for name in item.per}
    columns: set[tuple[str, str]] = set()
    roots = {table.name: table.root for table in protocol.tables}
    for value in _formulas(protocol, el):
        columns |= {(part.row.type.table, part.name) for part in parts(value) if isinstance(part, core.Column)}
    for rows in _all_rows(protocol, el):
        tables.add(rows.table)
        columns |= {(roots.get(rows.table, rows.table), match.column) for match in rows.match}
    return tables, columns


def _formulas(protocol: core.Protocol, el: Context) -> Iterator[core.Expr]:
    for value, _, item in written(protocol, el):
        yield value
        if item is not None and item.withheld is not None:
            yield item.withheld
    for table in protocol.tables:
        yield from (item.expr for item in table.expect)
        yield from table.rows.order if table.rows is not None else ()
    for interval in protocol.intervals:
        yield from interval.within
        yield from (test for rows in (*interval.resample, *interval.follow) for test in rows.where)


def _all_rows(protocol: core.Protocol, el: Context) -> Iterator[core.Rows]:
    for value in _formulas(protocol, el):
        yield from rows_in(value)
    for table in protocol.tables:
        if table.rows is not None:
            yield from rows_in(table.rows)
    for interval in protocol.intervals:
        for rows in (*interval.resample, *interval.follow):
            yield from rows_in(rows)


def _spoken(protocol: core.Protocol) -> set[str]:
    """The words of what the procedure names by text: what a subject, a rater or a file sees."""
    named = (protocol.subject, protocol.judgements, protocol.outputs, protocol.hidden, protocol.manifest)
    return set(re.findall(r"\w+", repr(named)))


def _gates(protocol: core.Protocol, el: Context) -> None:
    asked = _asked(protocol)
    spoken = ""
    for gate in protocol.of("gates"):
        own = {key for key in _named(gate.expr) if key[0] != "freeze"}
        if ("gates", gate.name) in asked or (own and own <= asked):  # the verdict may ask the same metric itself
            continue
        spoken = spoken or repr((protocol.phases, protocol.freeze, protocol.tables))  # `ties`, `duplicates: judged by`
        if f"{gate.name}'" not in spoken:
            el.findings.add(kinds.GATE_NOT_ASKED, gate.span or el.spec.title.span, name=gate.name)


def _asked(protocol: core.Protocol) -> set[tuple[str, str]]:
    """The rules and values that verdicts and statuses come to ask, through whatever names."""
    items = {(item.space, item.name): item for item in protocol.items}
    waiting = [key for key in items if key[0] in _DECIDING]
    seen = set(waiting)
    while waiting:
        found = _named(items[waiting.pop()].expr)
        waiting += [key for key in found - seen if key in items]
        seen |= found
    return seen


def _named(value: core.Expr) -> set[tuple[str, str]]:
    return {(part.space, part.name) for part in parts(value) if isinstance(part, (core.Global, core.Entry))}
