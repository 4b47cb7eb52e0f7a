"""Whether a verdict only asks for rules to be good: then a rule that gets looser takes no release away.

A rule is good where its gate holds, its blocker does not fire. Judged on the form of the lines alone; a line that reads
anything but gates that have held and blockers that have fired is not decided.
"""

from __future__ import annotations

from collections.abc import Iterable

from protoc_compiler import core

_GOOD, _BAD = frozenset({"good"}), frozenset({"bad"})
_TURNED = {"good": "bad", "bad": "good"}
Ways = frozenset[str]  # which of the two can make a condition true


def asks_only_for_good(verdict: core.Expr, released: Iterable[str]) -> bool:
    """Whether a verdict that is released stays released when any of its rules turns good."""
    words = frozenset(released)
    if not isinstance(verdict, core.Choose) or not isinstance(verdict.otherwise, core.Const):
        return False
    for test, given in verdict.lines:
        ways = _ways(test)
        if ways is None or not isinstance(given, core.Const):
            return False
        if ways - (_GOOD if given.value in words else _BAD):
            return False
    return True


def _ways(test: core.Expr) -> Ways | None:
    """Which turn of a rule, to good or to bad, can make a condition true; None where that is not known."""
    if isinstance(test, core.Const):
        return frozenset()
    if isinstance(test, core.Not):
        ways = _ways(test.operand)
        return None if ways is None else frozenset(_TURNED[way] for way in ways)
    if isinstance(test, core.And | core.Or):
        parts = [_ways(part) for part in test.parts]
        known = [part for part in parts if part is not None]
        return frozenset().union(*known) if len(known) == len(parts) else None
    if isinstance(test, core.Is) and _reads(test.operand, "gates"):
        return _GOOD if test.state == "true" else None
    if isinstance(test, core.Default) and _reads(test.operand, "blockers"):
        return _BAD
    return None


def _reads(expr: core.Expr, space: str) -> bool:
    return isinstance(expr, core.Global) and expr.space == space


__all__ = ["asks_only_for_good"]
