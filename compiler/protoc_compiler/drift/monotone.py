"""Whether a verdict only asks for rules to be good: then a rule that gets looser takes no release away.

A rule is good where its gate holds, its blocker does not fire. Judged on the form of the lines alone: what reads
nothing that has changed is as before, and of the rest a line that reads anything but gates that have held and blockers
that have fired is not decided.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from protoc_compiler import core
from protoc_compiler.drift.reads import Thing, read_by
from protoc_runtime.record import replace

_GOOD, _BAD = frozenset({"good"}), frozenset({"bad"})
_TURNED = {"good": "bad", "bad": "good"}
Ways = frozenset[str]  # which of the two can make a condition true


def asks_only_for_good(
    verdict: core.Expr, released: Iterable[str], stands: Callable[[core.Expr], bool] = lambda _: False
) -> bool:
    """Whether a verdict that is released stays released when any of its rules turns good. `stands` tells of a condition
    that it reads nothing that has changed."""
    words = frozenset(released)
    if not isinstance(verdict, core.Choose) or not isinstance(verdict.otherwise, core.Const):
        return False
    last = max((at for at, (_, given) in enumerate(verdict.lines) if _gives(given, words)), default=-1)
    counted = verdict.lines if _gives(verdict.otherwise, words) else verdict.lines[: last + 1]
    for test, given in counted:  # behind the last word that is released no line makes a difference
        ways = _ways(test, stands)
        if ways is None or not isinstance(given, core.Const):
            return False
        if ways - (_GOOD if given.value in words else _BAD):
            return False
    return True


def _gives(given: core.Expr, words: frozenset[str]) -> bool:
    """Whether a line gives a word that is released, or may."""
    return not isinstance(given, core.Const) or given.value in words


def _ways(test: core.Expr, stands: Callable[[core.Expr], bool]) -> Ways | None:
    """Which turn of a rule, to good or to bad, can make a condition true; None where that is not known."""
    if isinstance(test, core.Const) or stands(test):
        return frozenset()
    if isinstance(test, core.Not):
        ways = _ways(test.operand, stands)
        return None if ways is None else frozenset(_TURNED[way] for way in ways)
    if isinstance(test, core.And | core.Or):
        parts = [_ways(part, stands) for part in test.parts]
        known = [part for part in parts if part is not None]
        return frozenset().union(*known) if len(known) == len(parts) else None
    if isinstance(test, core.Is) and _reads(test.operand, "gates"):
        return _GOOD if test.state == "true" else None
    if isinstance(test, core.Default) and _reads(test.operand, "blockers"):
        return _BAD
    return None


def of_rules(verdict: core.Expr, side: core.Protocol) -> core.Expr:
    """The same verdict, in which a rule with an entry for each row is read like one without: all entries of the table
    have held, which is never empty (of no rows `all` is undefined), or some have fired."""
    if isinstance(verdict, core.Choose):
        lines = tuple((of_rules(test, side), given) for test, given in verdict.lines)
        return replace(verdict, lines=lines)
    if isinstance(verdict, core.Not):
        return replace(verdict, operand=of_rules(verdict.operand, side))
    if isinstance(verdict, core.And | core.Or):
        return replace(verdict, parts=tuple(of_rules(part, side) for part in verdict.parts))
    held = isinstance(verdict, core.Is) and verdict.state == "true"
    inner = verdict.operand if isinstance(verdict, core.Is) else verdict
    if not isinstance(inner, core.Quantified) or not _whole(inner.rows):
        return verdict
    asked, rows = inner.condition, inner.rows
    if held and inner.quantifier == "all" and isinstance(asked, core.Is) and asked.state == "true":
        table = side.table(rows.table)
        rule = _rule(asked.operand, "gates", rows, side) if table.kind == "listed" and table.listed else None
        return replace(asked, operand=rule) if rule is not None else verdict
    if inner is verdict and inner.quantifier == "some" and isinstance(asked, core.Default):
        rule = _rule(asked.operand, "blockers", rows, side)
        return replace(asked, operand=rule) if rule is not None else verdict
    return verdict


def _rule(entry: core.Expr, space: str, rows: core.Rows, side: core.Protocol) -> core.Global | None:
    """The rule of which a formula is the entry of each of these rows, where it has no others."""
    if not isinstance(entry, core.Entry) or entry.space != space or len(entry.keys) != 1:
        return None
    (key,) = entry.keys
    item = next(item for item in side.of(space) if item.name == entry.name)
    if not isinstance(key, core.RowVar) or key.var != rows.var or item.per != (rows.table,):
        return None
    return core.Global(entry.type, entry.space, entry.name)


def _whole(rows: core.Rows) -> bool:
    """Whether rows are all of a table."""
    return rows.scope == "all" and rows.base is None and not (rows.match or rows.where)


def unread(side: core.Protocol, changed: frozenset[Thing]) -> Callable[[core.Expr], bool]:
    """Tells of the conditions of a protocol whether they read nothing of what has changed; `changed` has what reads
    it, too."""
    return lambda test: changed.isdisjoint(read_by(side, test))


def _reads(expr: core.Expr, space: str) -> bool:
    return isinstance(expr, core.Global) and expr.space == space


__all__ = ["asks_only_for_good", "of_rules", "unread"]
