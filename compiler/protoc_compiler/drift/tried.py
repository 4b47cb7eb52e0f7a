"""What rows show of a rule, or of the verdict, where counting leaves it open."""

from __future__ import annotations

from protoc_compiler import core
from protoc_compiler.drift.model import Effect
from protoc_compiler.drift.wording import also, effect
from protoc_compiler.proof import trials
from protoc_runtime.record import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from protoc_compiler.proof import Finding

_AMONG = "no case was found among {} that were tried"


class Tried:
    """Rows that are tried on two protocols which take the same rows."""

    def __init__(self, old: core.Protocol, new: core.Protocol) -> None:
        self.trials = trials.of(old, new)

    def effect(self, title: str, found: Finding, otherwise: Effect | None) -> Effect:
        """An open finding with the cases that were found; where it stays open, what is said of it `otherwise`, with how
        many cases were tried."""
        if self.trials is None:
            return otherwise or effect(title, found)
        more, number = self.trials.tried(found)
        made = effect(title, more)
        if made.status != "undecided":
            return made
        made = otherwise if otherwise is not None and more == found else made
        return replace(made, reason=also(made.reason, _AMONG.format(number)))
