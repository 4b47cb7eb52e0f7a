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

_REFUSED = ", none of which refers to {}: only one of the two protocols takes such rows"


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
        if otherwise is not None and otherwise.status == "proved":
            return otherwise
        made = otherwise if otherwise is not None and more == found else made
        return replace(made, reason=also(made.reason, _AMONG.format(number) + self._beside()))

    def _beside(self) -> str:
        """What no row that was tried refers to, since only one of the two takes it."""
        names = self.trials.untaken if self.trials is not None else ()
        return _REFUSED.format(", ".join(f"`{name}`" for name in names)) if names else ""
