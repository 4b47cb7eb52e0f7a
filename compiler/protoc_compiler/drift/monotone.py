"""Whether a verdict only asks for rules to be good: then a rule that gets looser takes no release away.

A rule is good where its gate holds, its blocker does not fire. Judged on the form of the lines alone: what reads
nothing that has changed is as before, and of the rest a line that reads anything but gates that have held and blockers
that have fired is not decided.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from protoc_compiler import core
from protoc_compiler.drift.reads import Thing, read_by

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


def unread(side: core.Protocol, changed: frozenset[Thing]) -> Callable[[core.Expr], bool]:
    """Tells of the conditions of a protocol whether they read nothing of what has changed; `changed` has what reads
    it, too."""
    return lambda test: changed.isdisjoint(read_by(side, test))


def _reads(expr: core.Expr, space: str) -> bool:
    return isinstance(expr, core.Global) and expr.space == space


__all__ = ["asks_only_for_good", "unread"]
