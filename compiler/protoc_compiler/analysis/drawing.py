"""What intervals draw: that what the metric reads can be made of drawn rows, and that draws differ."""

from __future__ import annotations

from fractions import Fraction

from protoc_compiler import core
from protoc_compiler.catalogue import analysis as kinds
from protoc_compiler.catalogue import types as type_kinds
from protoc_compiler.core.tree import parts
from protoc_compiler.drawn import drawn_tables, redrawn
from protoc_compiler.elaborate.context import Context

_ANEW = ("subset", "grouped")


def check(protocol: core.Protocol, el: Context) -> None:
    """Report tables that no draw can make, rows that follow nothing, strata of one row, and too few draws."""
    for interval in protocol.intervals:
        _made(protocol, el, interval)
        _following(el, interval)
        _single(protocol, el, interval)
        _few(el, interval)


def _made(protocol: core.Protocol, el: Context, interval: core.Interval) -> None:
    anew, drawn = redrawn(protocol, interval), drawn_tables(interval)
    for table in protocol.tables:
        if ("table", table.name) in anew and table.kind not in _ANEW and table.name not in drawn:
            unit = interval.resample[0].table
            hint = f"give `{unit}`, or rows that follow it, a column that sums over `{table.name}`, and read that"
            _refuse(el, interval, f"`{table.name}`, a {table.kind}, which is not made anew of drawn rows", hint)


def _following(el: Context, interval: core.Interval) -> None:
    drawn = {rows.var: rows.table for rows in interval.resample}
    for rows in interval.follow:
        inside = (part for value in (*(match.value for match in rows.match), *rows.where) for part in parts(value))
        if not any(isinstance(part, core.RowVar) and part.var in drawn for part in inside):
            unit = interval.resample[0].table
            what = f"`{rows.table}`, which follows no drawn row"
            _refuse(
                el, interval, what, f"`{rows.table}` has no reference to `{unit}`: write `{rows.table} matching COLUMN`"
            )


def _refuse(el: Context, interval: core.Interval, what: str, hint: str) -> None:
    el.findings.add(
        type_kinds.NOT_RESAMPLED, interval.span or el.spec.title.span, interval=interval.name,
        drawn=interval.resample[0].table, metric=interval.metric, what=what, hint=hint,
    )  # fmt: skip


def _single(protocol: core.Protocol, el: Context, interval: core.Interval) -> None:
    """A stratum that holds the key of what is drawn has one row, so each draw is the rows themselves."""
    for rows in interval.resample:
        key = protocol.table(protocol.table(rows.table).root).key
        named = {part.name for part in interval.within if isinstance(part, core.Column) and _is_row(part, rows)}
        if key and set(key) <= named:
            el.findings.add(
                kinds.NOTHING_DRAWN, interval.span or el.spec.title.span, interval=interval.name, drawn=rows.table,
                key=", ".join(key),
            )  # fmt: skip


def _is_row(column: core.Column, rows: core.Rows) -> bool:
    return isinstance(column.row, core.RowVar) and column.row.type.table == rows.table


def _few(el: Context, interval: core.Interval) -> None:
    """With fewer than one draw beyond a bound, the bound is the most extreme draw, whatever the level."""
    bounds = [which for which, _ in interval.outputs if which in ("low", "high")]
    least = -(-Fraction(2) // (1 - interval.level))
    if bounds and interval.draws < least:
        el.findings.add(
            kinds.FEW_DRAWS, interval.span or el.spec.title.span, interval=interval.name, draws=interval.draws,
            level=f"{float(interval.level):.4g}", least=least,
        )  # fmt: skip
