"""Everything that `protoc explain` says of a protocol."""

from __future__ import annotations

from pathlib import Path

from protoc_compiler import core
from protoc_compiler.proof import chances
from protoc_compiler.proof import nodes as n
from protoc_compiler.proof.boundary import Boundary, boundary
from protoc_compiler.proof.cases import Cases, PartFacts
from protoc_compiler.proof.facts import Facts
from protoc_compiler.proof.sealed_rows import kinds_of_groups
from protoc_compiler.proof.shown import witness_of
from protoc_runtime.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


@record
class Explained:
    """One protocol explained; `curve` has (true rate, probability of a pass), or `no_curve` says why there is none.

    `together` are the conditions over the same counts, `core` those of them from which all of them follow. `verdicts`
    are the words, whether each can be reached, and why that is open where it is."""

    protocol: core.Protocol
    boundaries: tuple[tuple[str, Boundary], ...]
    parts: tuple[PartFacts, ...]
    together: tuple[str, ...]
    core: tuple[str, ...]
    most: tuple[int, str] | None
    verdicts: tuple[tuple[str, bool | None, str], ...]
    curve: tuple[tuple[float, float], ...]
    no_curve: str

    def to_json(self) -> dict[str, Any]:
        """`protoc/explain/1`"""
        bounds = dict(self.boundaries)
        return {
            "schema": "protoc/explain/1",
            "protocol": self.protocol.id,
            "version": self.protocol.version,
            "gates": [_gate(one, bounds.get(one.part.gate)) for one in self.parts],
            "core": list(self.core),
            "most_errors": None if self.most is None else {"errors": self.most[0], "counts": self.most[1]},
            "verdicts": {word: reached for word, reached, _ in self.verdicts},
            "verdicts_unknown": {word: why for word, _, why in self.verdicts if why},
            "pass_probability": [{"rate": rate, "probability": value} for rate, value in self.curve],
            "pass_probability_unknown": self.no_curve,
        }


def explain(protocol: core.Protocol, budget: int, folder: Path | None = None) -> Explained:
    """Everything, with so much work for each question; `folder` is where the sealed rows lie."""
    facts = Facts(protocol, budget)
    bounds = [(item.name, found) for item in protocol.of("gates") if not item.per and (found := boundary(facts, item))]
    cases = Cases(facts)
    parts = tuple(cases.of(part) for part in facts.parts)
    sealed = facts.engine is not None and facts.engine.model.bounded
    most = facts.most_errors() if facts.counted and sealed else None
    worst = None
    if most is not None and most.state == "possible" and most.found is not None:
        worst = (most.found.errors, "" if most.reason else witness_of(facts.side, most.found, "", "").text())
    words = next(iter(protocol.of("verdict"))).words
    reached = tuple(_reached(cases, word) for word in words)
    curve, why = _curve(facts, folder)
    together = tuple(part.name for part in facts.counted)
    names = tuple(part.name for part in facts.core()) if together else ()
    return Explained(protocol, tuple(bounds), parts, together, names, worst, reached, curve, why)


def _reached(cases: Cases, word: str) -> tuple[str, bool | None, str]:
    found = cases.verdict(word)
    return word, found.can, found.reason


def _curve(facts: Facts, folder: Path | None) -> tuple[tuple[tuple[float, float], ...], str]:
    if facts.engine is None or not facts.counted:
        return (), "no gate is about counts"
    try:
        kinds = kinds_of_groups(facts.engine, folder) if folder is not None else None
        ways, rows = chances.ways(facts.engine, dict.fromkeys([part.node for part in facts.counted], n.TRUE), kinds)
    except chances.NotTold as why:
        return (), str(why)
    return tuple((float(rate), float(chances.probability(ways, rows, rate))) for rate in chances.RATES), ""


def _gate(one: PartFacts, bound: Boundary | None) -> dict[str, Any]:
    made: dict[str, Any] = {
        "name": one.part.name,
        "gate": one.part.gate,
        "can_pass": one.can_pass,
        "can_fail": one.can_fail,
        "implied_by": None if one.implied_by is None else list(one.implied_by),
    }
    if bound is not None:
        made["least"] = bound.text()
        made["count"], made["total"], made["least_divisor"] = bound.count, bound.total, bound.needs
        made["wilson"] = None if bound.low is None else [round(bound.low, 6), round(bound.high or 0.0, 6)]
    return made
