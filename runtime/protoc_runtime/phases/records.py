"""What a protocol declares of its phases: compiler and runtime share these records.

The machine is data. Its edges are `then`: with which verdict of a phase the study may go on to which others. The
first phase is the start; a phase without `then` is an end.
"""

from __future__ import annotations

from protoc_runtime.record import record

# what the tool itself can preserve of a run; anything else is a person's word
EVIDENCE = (
    "source revision", "corpus", "seed", "run", "artifact", "subject", "environment", "metrics", "slices", "counters",
    "verdict",
)  # fmt: skip
GUARD = "enter"  # a guard is the definition `enter PHASE`


@record
class Preserved:
    """Evidence that the receipt of a phase must hold: one of `EVIDENCE`, or, with `says`, what a person adds."""

    name: str
    says: str = ""
    cites: tuple[str, ...] = ()


@record
class PhaseDuty:
    """What people must do after a run of a phase."""

    name: str
    says: str
    cites: tuple[str, ...] = ()


def guard_name(phase: str) -> str:
    """The name of the definition that is the guard of a phase."""
    return f"{GUARD} {phase}"
