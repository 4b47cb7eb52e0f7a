"""The rules of conduct that follow from the keys of an agent's sessions, as sentences."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Literal

from protoc_runtime.agents.records import Session

Rule = tuple[str, tuple[str, ...], str, Literal["enforced", "recorded"]]  # name, keys that cite, words, how


def rules(subject: Any) -> Iterator[Rule]:
    """Every rule of a subject that has sessions: a `core.Subject`, or a `Subject` of the runtime."""
    session: Session = subject.session
    says = "Each case has one new process in an empty folder of its own; nothing of it is left when it ends."
    yield "session", ("session", "directory"), says, "enforced"
    says = (
        f"The prompt is {session.prompt} with what the subject gets in its places, once each; nothing else enters it."
    )
    yield "prompt", ("prompt",), says, "enforced"
    if session.response:
        says = f"An answer that does not have the shape of {session.response} is a failure."
        yield "response", ("response",), says, "enforced"
    yield from _walls(session)
    kinds = _and(session.allowed) or "none"
    says = f"The stream may have these kinds of items: {kinds}. Anything else in it quarantines the case."
    yield "events_allowed", ("events_allowed",), says, "enforced"
    yield from _configuration(session)
    if session.retry:
        says = "A case is asked once. One whose session an interruption cut off has failed and is not asked again."
        yield "retry", ("retry",), says, "enforced"
    if session.resume:
        says = "A run that goes on keeps the finished cases as they are, and samples none of them again."
        yield "resume", ("resume",), says, "enforced"
    if session.usage:
        yield "usage", ("usage", *(f"usage.{each.name}" for each in session.usage)), _usage(session), "recorded"


def _walls(session: Session) -> Iterator[Rule]:
    if not session.sandbox:
        return
    where = "where this cannot be seen to, nothing is run"
    if session.sandbox != "read-only":
        where = "where this cannot be seen to, a person vouches for it"
    says = f"A session can write no file outside of its memory, and sees no other process; {where}."
    yield "sandbox", ("sandbox",), says, "enforced" if session.sandbox == "read-only" else "recorded"
    reach = "no network" if session.network == "closed" else "the network of this machine"
    yield "network", ("network",), f"A session reaches {reach}.", "enforced"


def _configuration(session: Session) -> Iterator[Rule]:
    for each in session.configured:
        source = f"{each.key} of {each.file}" if each.file else " ".join(each.argv)
        says = (
            f"Before each session {each.name} is read from {source}; where it is not the frozen one, nobody is asked."
        )
        yield f"configured.{each.name}", (f"configured.{each.name}",), says, "enforced"


def _usage(session: Session) -> str:
    counts = _and(f"{each.field} as {each.name}" for each in session.usage)
    says = f"Of each turn {counts} are taken as they are reported; what is not reported stays unknown"
    parts = _and(f"{each.name} (part of {each.part_of})" for each in session.usage if each.part_of)
    return f"{says}. Never added to what includes them: {parts}." if parts else f"{says}."


def _and(names: Iterable[str]) -> str:
    listed = list(names)
    return f"{', '.join(listed[:-1])} and {listed[-1]}" if len(listed) > 1 else "".join(listed)
