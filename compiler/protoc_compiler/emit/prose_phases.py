"""The phases of `PROTOCOL.md`: what each reads, and for a state machine how the study goes from one to the next."""

from __future__ import annotations

from collections.abc import Iterator

from protoc_compiler import core
from protoc_compiler.emit.markdown import cited, code, escape, table
from protoc_runtime.phases.machine import is_machine


def phases(protocol: core.Protocol) -> Iterator[str]:
    """The section, or nothing."""
    if not protocol.phases:
        return
    yield from ("### Phases", "")
    rows = (
        (escape(p.name), escape(", ".join(p.reads)), escape(p.use), (escape(p.says) + cited(p.cites)).strip())
        for p in protocol.phases
    )
    yield from table(("phase", "reads", "to", "words"), rows)
    if is_machine(protocol):
        yield from ("A study goes through them one way, and a phase is entered only by its name.", "")
        for phase in protocol.phases:
            yield from (*_told(protocol, phase), "")


def _told(protocol: core.Protocol, phase: core.Phase) -> Iterator[str]:
    owner = f", owned by {escape(phase.owner)}" if phase.owner else ""
    yield f"- **{escape(phase.name)}**{owner}: {'; '.join(_moves(protocol, phase))}."
    if phase.may_change:
        yield f"  - May change: {', '.join(map(code, phase.may_change))}, and nothing else of the candidate."
    if phase.same:
        yield f"  - Compared with the run that led here: {', '.join(map(code, phase.same))}."
    if phase.parity:
        words = "compares its rows with those of the run that led here"
        yield f"  - Leads on only with a report of parity, {code(phase.parity)}, that passes and {words}."
    if phase.never:
        yield f"  - Never: {escape('; '.join(phase.never))}."
    if phase.records:
        kept = (f"{escape(item.name)}{f' ({escape(item.says)})' if item.says else ''}{cited(item.cites)}"
                for item in phase.records)  # fmt: skip
        yield f"  - Preserved: {', '.join(kept)}."
    for duty in phase.duties:
        yield f"  - Afterwards: {escape(duty.says)}{cited(duty.cites)}"


def _moves(protocol: core.Protocol, phase: core.Phase) -> Iterator[str]:
    guard = next((item for item in protocol.of("definitions") if item.name == phase.enter), None)
    if guard is not None:
        yield f"entered when {code(guard.text)}"
    if phase.once:
        yield "run once"
    if phase.ends:
        yield f"over after {escape(' or '.join(phase.ends))}"
    for verdict, to in phase.then:
        yield f"{escape(verdict)} leads to {escape(' and '.join(to))}"
    if not phase.then:
        yield "an end"
