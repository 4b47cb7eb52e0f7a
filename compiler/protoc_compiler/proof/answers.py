"""What a comparison says: by rule and for the verdict, with a proof, a witness, or the reason why it is open."""

from __future__ import annotations

from protoc_runtime.record import record, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Literal, TypeAlias

State: TypeAlias = 'Literal["no", "yes", "possible", "unknown"]'
Direction: TypeAlias = 'Literal["looser", "stricter", "equivalent", "incomparable", "undecided"]'
Status: TypeAlias = 'Literal["proved", "witness", "undecided"]'
_CONTRARY = {"looser": "stricter", "stricter": "looser"}
Named = tuple[tuple[str, int], ...]


@record
class Witness:
    """Counts on which the two differ; `old` and `new` are what they say of them.

    `counts` are the protocol's own metrics that are counts; `groups` the same counts in each group, with how many
    groups have them; `errors` the rows that are not as a perfect system would have them. Of a protocol without such
    metrics `measured` has the numbers of the rows that were made, and what the metrics that decide are of them."""

    counts: Named
    groups: tuple[tuple[int, Named], ...]
    errors: int
    old: str
    new: str
    replayed: bool = False
    measured: tuple[tuple[str, str], ...] = ()

    def text(self) -> str:
        """`TP 43, TN 48, FP 0, FN 5`, else `cases 14, accuracy 10/14`."""
        return ", ".join(f"{name} {value}" for name, value in self.counts or self.measured)

    def to_json(self) -> dict[str, Any]:
        """The same for programs."""
        return {
            "counts": dict(self.counts),
            "groups": [{"groups": times, "counts": dict(counts)} for times, counts in self.groups],
            "errors": self.errors,
            "old": self.old,
            "new": self.new,
            "replayed": self.replayed,
            "measured": dict(self.measured),
        }


@record
class Answer:
    """Whether something can happen: no (proved), yes (a witness was replayed through both compiled protocols),
    possible (a witness of the model, not replayed), unknown."""

    state: State
    witness: Witness | None = None
    reason: str = ""

    def to_json(self) -> dict[str, Any]:
        """The same for programs."""
        witness = self.witness.to_json() if self.witness is not None else None
        return {"state": self.state, "reason": self.reason, "witness": witness}


@record
class Finding:
    """How one rule, or the verdict, has changed: `looser` asks whether something holds (or is released) now that did
    not before, `stricter` the reverse."""

    space: str
    name: str
    other: str
    looser: Answer
    stricter: Answer

    @property
    def direction(self) -> Direction:
        """The direction, as far as it is known; a possible witness counts."""
        loose, strict = self.looser.state, self.stricter.state
        if "unknown" in (loose, strict) and "yes" not in (loose, strict):
            return "undecided"
        if loose == "no":
            return "equivalent" if strict == "no" else "stricter"
        return "looser" if strict == "no" else "incomparable"

    @property
    def status(self) -> Status:
        """How well that is known."""
        states = (self.looser.state, self.stricter.state)
        if "unknown" in states or "possible" in states:
            return "undecided"
        return "witness" if "yes" in states else "proved"

    @property
    def reason(self) -> str:
        """Why it is not decided, or empty."""
        if self.status != "undecided":
            return ""
        open_ones = [one for one in (self.looser, self.stricter) if one.state in ("possible", "unknown")]
        return "; ".join(dict.fromkeys(one.reason for one in open_ones if one.reason))

    @property
    def witness(self) -> Witness | None:
        """The data on which the new one is looser, else those on which it is stricter; first what was replayed."""
        found = [one.witness for one in (self.looser, self.stricter) if one.witness is not None]
        return next((one for one in found if one.replayed), found[0] if found else None)

    def only(self, way: str) -> Finding:
        """The same where nothing but this way is possible."""
        return replace(self, **{_CONTRARY[way]: Answer("no")})

    def text(self) -> str:
        """One line for people."""
        line = f"{self.direction} ({self.status}"
        if self.witness is not None:
            number = self.witness.errors
            shown = self.witness.text() or f"{number} error{'s' if number != 1 else ''}"
            line += f": {shown}: {self.witness.old} before, {self.witness.new} now"
        return line + (f"; {self.reason})" if self.reason else ")")

    def to_json(self) -> dict[str, Any]:
        """The same for programs."""
        return {
            "direction": self.direction,
            "status": self.status,
            "reason": self.reason,
            "witness": self.witness.to_json() if self.witness is not None else None,
            "looser": self.looser.to_json(),
            "stricter": self.stricter.to_json(),
        }


@record
class Comparison:
    """Every rule whose meaning has changed, and the verdict as a whole. `same_data`: both expect the same of rows;
    `alike`: of those that are scored."""

    rules: tuple[Finding, ...]
    verdict: Finding
    same_data: bool = False
    alike: bool = False

    def to_json(self) -> dict[str, Any]:
        """The same for programs."""
        rules = [{"path": f"{one.space}.{one.name}", "other": one.other, **one.to_json()} for one in self.rules]
        return {"rules": rules, "verdict": self.verdict.to_json()}
