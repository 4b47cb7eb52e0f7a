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
_MOST = 6  # values that differ that are shown of one case


@record
class Value:
    """What a metric, or the number of rows of a table, is on the two sides, in words; None where it is not known, or a
    side does not declare it.

    `aside`: it is there for programs, people have enough of the others. `plain` are the same two for programs, None
    where undefined.
    """

    name: str
    old: str | None
    new: str | None
    aside: bool = False
    plain: tuple[str | None, str | None] = (None, None)

    @property
    def moved(self) -> bool:
        """Whether the sides differ."""
        return self.old != self.new

    def text(self) -> str:
        """`spread 0.5 before, 0.25 now`, or `spread 0.5` where it is the same."""
        if not self.moved:
            return f"{self.name} {self.new}"
        told = [f"{value} {when}" for value, when in ((self.old, "before"), (self.new, "now")) if value is not None]
        return f"{self.name} {', '.join(told)}"


@record
class Witness:
    """Counts on which the two differ; `old` and `new` are what they say of them.

    `counts` are the protocol's own metrics that are counts; `groups` the same counts in each group, with how many
    groups have them; `errors` the rows that are not as a perfect system would have them. `measured` are the numbers of
    the rows that were made, and what the metrics that decide are of them on each side; of rows that were not made the
    counts alone. `renamed`: of a verdict, that both release it, under two words. `rows` are what was replayed."""

    counts: Named
    groups: tuple[tuple[int, Named], ...]
    errors: int
    old: str
    new: str
    replayed: bool = False
    measured: tuple[Value, ...] = ()
    renamed: bool = False
    rows: dict[str, list[dict[str, Any]]] | None = None

    def text(self) -> str:
        """`TP 43, FN 5, recall 43/48`; what the sides differ in stands last: `cases 40; spread 0.5 before, 1 now`."""
        told = [value for value in self.measured if not value.aside]
        same = ", ".join(value.text() for value in told if not value.moved)
        if not told:
            same = ", ".join(f"{name} {value}" for name, value in self.counts)
        moved = [value.text() for value in told if value.moved]
        if len(moved) > _MOST:
            moved[_MOST - 1 :] = [f"{len(moved) - _MOST + 1} more that differ"]
        return "; ".join([*([same] if same else []), *moved])

    def to_json(self) -> dict[str, Any]:
        """The same for programs."""
        before, now = (
            {value.name: value.plain[side] for value in self.measured if value.plain[side] is not None}
            for side in (0, 1)
        )
        return {
            "counts": dict(self.counts),
            "groups": [{"groups": times, "counts": dict(counts)} for times, counts in self.groups],
            "errors": self.errors,
            "old": self.old,
            "new": self.new,
            "replayed": self.replayed,
            "measured": now,
            "measured_before": before,
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
