"""Whether more, or less, is tried again than before: the failures that two policies send again, not their words.

A failure has up to two causes, its status and what it is by its kind; one that the policy forbids is enough to stop. So
a cause that a policy forbids may be one that it never had, or may keep an answer from being sent again by its status.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from protoc_compiler.drift.judging import told
from protoc_compiler.drift.model import Delta, Judged, value_of
from protoc_runtime.procedure import Retry
from protoc_runtime.record import replace

Failure = tuple[str, ...]
_BROKEN = ("timeout", "connection", "truncated")  # with or without a status that was already there
_JUDGED = ("dimension", "semantic")  # of an answer whose status is no failure, and no cause of a retry
_BY_STATUS = {"401": "authentication", "403": "authentication", "400": "validation", "422": "validation"}
_CAUSES = ("only_on", "never_on")


def retried(delta: Delta, *, more: bool) -> Judged | None:
    """A policy of trying again that allows more, or less; told at the field that differs."""
    before, after, field = delta.before, delta.after, delta.field.removeprefix("retry").lstrip(".")
    same, beside = False, ""
    if field == "at_most":
        wider = after > before
    elif field in _CAUSES:
        gains, losses = _moved(delta, field)
        same = not gains and not losses
        if same:  # then the words tell which of the two kinds it is
            gains, losses = {*after} - {*before}, {*before} - {*after}
            gains, losses = (gains, losses) if field == "only_on" else (losses, gains)
            losses = set() if gains else losses  # it is told once
        if not (gains if more else losses):
            return None
        beside = _unsent(delta, field) if same else _causes(delta, field, gains if more else losses, more=more)
        wider = more
    else:
        wider = after is not None
    if wider != more:
        return None
    words = {"at_most": "retries at most", "only_on": "causes of a retry", "never_on": "causes that forbid a retry"}
    what = f"provider `{delta.thing.name}`, {words.get(field, 'retry')}"
    shown = f"{told(before)} -> {told(after)}" if field else "allowed now" if more else "no longer allowed"
    return Judged("equivalent" if same else "looser" if more else "stricter", f"{what}: {shown}{beside}")


def _causes(delta: Delta, field: str, moved: set[Failure], *, more: bool) -> str:
    """Of the causes that were added or removed those by which these failures are sent again now, or no longer are."""
    added = more == (field == "only_on")
    one, other = (delta.after, delta.before) if added else (delta.before, delta.after)
    found = [cause for cause in one if cause not in other and any(_named((cause,), failure) for failure in moved)]
    return f"; {'sent again now' if more else 'no longer sent again'}: {', '.join(found)}" if found else ""


def _unsent(delta: Delta, field: str) -> str:
    """Why the same failures are sent again as before."""
    allowed = {*value_of(delta.old, "retry").only_on, *value_of(delta.new, "retry").only_on}
    found = [cause for cause in (*delta.after, *delta.before) if (cause in delta.after) != (cause in delta.before)]
    why = ""
    if field == "never_on" and not allowed & {*found}:
        words = ", ".join(f"`{cause}`" for cause in dict.fromkeys(found))
        why = f", for {words} {'is' if len({*found}) == 1 else 'are'} not in `only_on`"
    return f"; the same failures are sent again as before{why}"


def _moved(delta: Delta, field: str) -> tuple[set[Failure], set[Failure]]:
    """The failures that are sent again and were not, and the reverse, as far as this field has to do with it: on what
    the other one was, or is."""
    old, new = value_of(delta.old, "retry"), value_of(delta.new, "retry")
    pairs = [(old, replace(old, **{field: delta.after})), (replace(new, **{field: delta.before}), new)]
    sent = [(_sent_again(one), _sent_again(other)) for one, other in (*pairs, (old, new))]
    *own, (before, after) = sent
    gains = {failure for one, other in own for failure in other - one}
    losses = {failure for one, other in own for failure in one - other}
    return gains & (after - before), losses & (before - after)


def _sent_again(retry: Retry) -> set[Failure]:
    """The failures that a policy sends again."""
    return {one for one in _failures() if _named(retry.only_on, one) and not _named(retry.never_on, one)}


def _named(causes: Iterable[str], failure: Failure) -> bool:
    """Whether a cause of a failure is among these, or in the class of one of them: 503 is one of 5xx."""
    known = set(causes)
    return any(cause in known or (cause.isdigit() and f"{cause[0]}xx" in known) for cause in failure)


@cache
def _failures() -> tuple[Failure, ...]:
    """Every failure that a call may end with, by its causes."""
    statuses = [str(status) for status in range(100, 600)]
    refused = [(status, *((_BY_STATUS[status],) if status in _BY_STATUS else ())) for status in statuses]
    broken = [(status, kind) for status in statuses for kind in _BROKEN]
    return (*((kind,) for kind in (*_BROKEN, *_JUDGED)), *refused, *broken)
