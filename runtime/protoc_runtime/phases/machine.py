"""The machine itself, without any state: its edges, what comes before and after a phase, what waits for people."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from protoc_runtime.declared import Declared, Phase


def is_machine(declared: Any) -> bool:
    """Whether the phases of a protocol (as declared, or as the compiler has it) make a state machine."""
    return any(phase.once or phase.enter or phase.ends or phase.then for phase in declared.phases)


def phase_of(declared: Declared, name: str) -> Phase:
    """The phase of this name; KeyError if there is none."""
    for phase in declared.phases:
        if phase.name == name:
            return phase
    raise KeyError(name)


def ways_to(declared: Declared, name: str) -> tuple[tuple[str, str], ...]:
    """(phase, verdict): every edge that ends in a phase."""
    return tuple(
        (phase.name, verdict) for phase in declared.phases for verdict, to in phase.then if name in to
    )  # fmt: skip


def leads_to(phase: Phase) -> tuple[str, ...]:
    """Every phase at the end of an edge from this one."""
    return tuple(dict.fromkeys(name for _, to in phase.then for name in to))


def later(declared: Declared, name: str) -> tuple[str, ...]:
    """The phases that can follow a phase, near or far, in declared order."""
    found: set[str] = set()
    waiting = [name]
    while waiting:
        new = set(leads_to(phase_of(declared, waiting.pop()))) - found
        found |= new
        waiting += new
    return tuple(phase.name for phase in declared.phases if phase.name in found)


def is_start(declared: Declared, name: str) -> bool:
    """Whether a study may begin with this phase."""
    return declared.phases[0].name == name


def readers(declared: Declared, split: str) -> tuple[str, ...]:
    """The phases that read a split."""
    return tuple(phase.name for phase in declared.phases if split in phase.reads)


def waiting_names(phase: Phase) -> tuple[str, ...]:
    """What a phase asks of people: its duties, and the evidence that only they can add."""
    return (*(duty.name for duty in phase.duties), *(item.name for item in phase.records if item.says))


def may_change(phase: Phase, path: str) -> bool:
    """Whether a pinned file may differ in this phase from that of the run that led to it."""
    return any(path == name or path.startswith(name.rstrip("/") + "/") for name in phase.may_change)
