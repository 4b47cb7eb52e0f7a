"""What a study reports: metrics, rules, verdicts and lists, and their JSON."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import date
from decimal import Decimal
from fractions import Fraction
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from protoc_runtime.record import record

if TYPE_CHECKING:
    from protoc_runtime.engine.study import BaseStudy

SCHEMA = "protoc/score/1"
SPACES = ("metrics", "blockers", "gates", "checks", "verdicts", "statuses", "lists")
LARGEST = 2**53 - 1
_PLACEHOLDER = re.compile(r"<[^<>]*>")


@record
class Reason:
    """Why a verdict is as it is: a blocker that fired, a gate that did not hold, and which of its conditions; the line
    of the verdict that leaves none."""

    space: str
    name: str
    state: str  # fired, failed, undefined; of a line: undecided, undefined
    says: str
    forces: str = ""
    parts: tuple[tuple[str, bool | None], ...] = ()

    def text(self) -> str:
        """One line for people."""
        missing = [text for text, held in self.parts if held is not True]
        what = {
            "blockers": {"fired": "blocker fired", "undefined": "blocker fired, since it is undefined"},
            "gates": {"failed": "gate failed", "undefined": "gate not shown to hold, since it is undefined"},
            "verdict": {
                "undecided": "none, since the condition of this line is undefined",
                "undefined": "none, since the word of this line is undefined",
            },
        }[self.space][self.state]
        line = f"{self.name}: {what}: {self.says}"
        return line + (f" ({'; '.join(missing)})" if missing else "")


@record
class Results:
    """Results by reported name. Values are Python values: int, Fraction, Ratio, Real, bool, str, tuple, None."""

    protocol: str
    version: int
    metrics: Mapping[str, Any]
    blockers: Mapping[str, bool | None]
    gates: Mapping[str, bool | None]
    checks: Mapping[str, bool | None]
    verdict: str | None
    released: bool
    verdicts: Mapping[str, Any]
    statuses: Mapping[str, Any]
    lists: Mapping[str, Any]
    reasons: tuple[Reason, ...]
    withheld: tuple[str, ...]
    units: Mapping[str, str]
    outside: tuple[str, ...] = ()  # custom metrics, which nothing checks
    items: Mapping[str, Mapping[str, str]] = MappingProxyType({})  # by space: the item of each entry
    pending: Mapping[str, tuple[str, ...]] = MappingProxyType({})  # by space: entries that wait for people

    def to_json(self, spec_digest: str = "") -> dict[str, Any]:
        """The JSON of `score`: undefined is null, a rule true, false or null."""
        return {
            "schema": SCHEMA,
            "protocol": self.protocol,
            "version": self.version,
            "spec_digest": spec_digest,
            "metrics": {name: to_json(value, self.units.get(name, "")) for name, value in self.metrics.items()},
            "blockers": dict(self.blockers),
            "gates": dict(self.gates),
            "checks": dict(self.checks),
            "verdict": self.verdict,
            "released": self.released,
            "verdicts": {name: to_json(value) for name, value in self.verdicts.items()},
            "statuses": {name: to_json(value) for name, value in self.statuses.items()},
            "lists": {name: to_json(value) for name, value in self.lists.items()},
            "reasons": [reason.text() for reason in self.reasons],
            "withheld": list(self.withheld),
            **({"outside": list(self.outside)} if self.outside else {}),
            **({"pending": {space: list(names) for space, names in self.pending.items()}} if self.pending else {}),
        }


def of_study(study: BaseStudy) -> Results:
    """Evaluate every reported item of a study.

    First every table, column and definition, whether a reported value reads it or not: what cannot be computed stops
    the run.
    """
    study = study.counted()
    study.compute_all()
    found: dict[str, dict[str, Any]] = {space: {} for space in SPACES}
    units: dict[str, str] = {}
    withheld: list[str] = []
    outside: list[str] = []
    reasons: list[Reason] = []
    items: dict[str, dict[str, str]] = {space: {} for space in SPACES}
    for space in SPACES:
        for entry in reported(study, space):
            found[space][entry.name] = entry.value
            items[space][entry.name] = entry.item
            outside += [entry.name] if entry.outside else []
            if entry.withheld:
                withheld.append(f"{space}.{entry.name}")
            if entry.unit:
                units[entry.name] = entry.unit
            reasons += _reason(entry)
    rules, verdict = study.rules, None
    if ("verdict", "verdict") in rules.items:
        verdict = study.value("verdict", "verdict").value()
        reasons += _without_verdict(study) if verdict is None else []
    released = verdict in rules.released
    return Results(
        rules.protocol, rules.version, found["metrics"], found["blockers"], found["gates"], found["checks"], verdict,
        released, found["verdicts"], found["statuses"], found["lists"], tuple(reasons), tuple(withheld), units,
        tuple(outside), items,
    )  # fmt: skip


@record
class Reported:
    """One entry of an item under the name that it is reported by."""

    space: str
    item: str
    name: str
    value: Any
    unit: str
    withheld: bool
    says: str
    forces: str
    fires_undefined: bool
    parts: tuple[tuple[str, bool | None], ...]
    outside: bool = False


def reported(study: BaseStudy, space: str) -> Iterator[Reported]:
    """Every entry of one name space, in declared order."""
    for item in study.rules.of(space):
        entries = study.entries(space, item.name)
        values = entries.value.values()
        if hasattr(entries.value, "root"):
            values = [None if row is None else study.label(entries.value.root, row) for row in values]
        refers = getattr(entries.value, "refers", "")
        if refers:
            values = [None if v is None else tuple(study.label(refers, row) for row in v) for v in values]
        for at, value in enumerate(values):
            parts = tuple((text, vec.value(at)) for text, vec in entries.parts.items())
            hidden = bool(entries.withheld is not None and entries.withheld[at])
            name = fill(item.name, study.labels(entries, at))
            yield Reported(
                space, item.name, name, value, item.unit, hidden, item.says, item.forces, item.fires_undefined, parts,
                item.outside,
            )  # fmt: skip


def fill(name: str, labels: list[str]) -> str:
    """A name with its placeholders replaced by the labels of rows."""
    given = iter(labels)
    return _PLACEHOLDER.sub(lambda _: next(given), name)


def _reason(entry: Reported) -> list[Reason]:
    state = ""
    if entry.space == "blockers":
        state = "fired" if entry.value is True else "undefined" if entry.value is None and entry.fires_undefined else ""
    elif entry.space == "gates" and entry.value is not True:
        state = "failed" if entry.value is False else "undefined"
    return [Reason(entry.space, entry.name, state, entry.says, entry.forces, entry.parts)] if state else []


def _without_verdict(study: BaseStudy) -> list[Reason]:
    """The line of the verdict that leaves it undefined: the first whose condition is not false."""
    found = [vec.value() for vec in study.value("verdict", "verdict").conditions]
    at = next((at for at, met in enumerate(found) if met is not False), len(found))
    lines = _line_texts(study.rules.items["verdict", "verdict"].text, len(found) + 1)
    state = "undecided" if at < len(found) and found[at] is None else "undefined"
    return [Reason("verdict", "verdict", state, lines[at])]


def _line_texts(text: str, number: int) -> list[str]:
    """The lines of a first-match list as they are written; only numbered where a text in one has the sign between."""
    lines = " ".join(text.split()).split("; ")
    return lines if len(lines) == number else [f"line {at + 1}" for at in range(number)]


def expectations(study: BaseStudy) -> list[tuple[str, str, bool | None]]:
    """What the protocol expects of each table: (table, formula, whether it holds)."""
    made = []
    study = study.counted()
    for table, text, formula in study.rules.expected:
        made.append((table, text, formula(study).to(study.root).value()))
    return made


def to_json(value: Any, unit: str = "") -> Any:
    """One value as JSON. Numbers keep their exact value: counts as counted, other numbers reduced."""
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, (int, Fraction)):
        num, den = getattr(value, "num", value.numerator), getattr(value, "den", value.denominator)
        return {"num": _whole(num), "den": _whole(den)} | ({"unit": unit} if unit else {})
    if isinstance(value, date):
        return value.isoformat().replace("+00:00", "Z")
    if isinstance(value, tuple):
        return [to_json(item, unit) for item in value]
    return {"float": value.shown(), "why": value.why}


def _whole(value: int) -> int | str:
    """JSON numbers beyond 2^53 - 1 are not exact everywhere; such counts are text."""
    return value if -LARGEST <= value <= LARGEST else f"{Decimal(value):f}"  # str() knows 4,300 digits
