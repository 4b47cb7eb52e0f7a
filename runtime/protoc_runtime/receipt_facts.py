"""What a receipt is made from, and the state of every rule in it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

from protoc_runtime.declared import Declared, Item
from protoc_runtime.execution import Result
from protoc_runtime.observed import family
from protoc_runtime.record import record
from protoc_runtime.seal import Seal
from protoc_runtime.signing.checking import Verdict
from protoc_runtime.subjects.walls import Walls

RECORDED, ATTESTED = "recorded", "attested"
WAITS = "waits for people"


@record
class RunFacts:
    """What is known of the run itself. `kind`: run, development, rehearsal; times are UTC in ISO form; `stopped` is why
    it ended before anything was read, or empty."""

    name: str
    kind: str
    phase: str
    use: str
    splits: tuple[str, ...]
    started: str
    finished: str
    stopped: str = ""


@record
class LedgerFacts:
    """The end of the ledger: number of events, digest of the last, Merkle root."""

    length: int
    head: str
    root: str


@record
class Facts:
    """Everything that a receipt is made from. `summary` is that of summary.json; `readings` are rows of the registry
    (split, use, run, at, note), the present one included; `walls` tell what the subject could reach, if one was
    asked."""

    declared: Declared
    run: RunFacts
    summary: Mapping[str, Any]
    results: tuple[Result, ...]
    seals: tuple[Seal, ...]
    readings: tuple[Mapping[str, str], ...]
    ledger: LedgerFacts
    manifest: str
    environment: Mapping[str, str]
    walls: Walls | None = None
    attested: Mapping[str, Mapping[str, str]] = MappingProxyType({})  # by name: person and time
    secrets: tuple[Mapping[str, Any], ...] = ()  # findings of the scan: file, line, rule, digest
    sections: Mapping[str, Any] = MappingProxyType({})  # of `receipt_sections`
    evidence: tuple[Verdict, ...] = ()  # signatures and tokens over the seal
    noted: tuple[str, ...] = ()  # the digests of those that the first event of the ledger holds

    @property
    def open_network(self) -> bool:
        """Whether the subject could have called a provider past the gateway."""
        return bool(self.declared.providers) and self.walls is not None and not self.walls.closed


def rules(declared: Declared, summary: Mapping[str, Any], *, open_network: bool = False) -> list[dict[str, Any]]:
    """Every blocker, gate and check with its state, words and numbers; `against` marks what speaks against a release.

    A blocker also has the grade of its evidence and what it reads. With an open network the ledger of a provider holds
    the calls that came its way, and that there were no others is a person's word.
    """
    made = []
    for space in ("blockers", "gates", "checks"):
        items = declared.of(space)
        for name, value in summary.get(space, {}).items():
            item = item_of(items, name)
            bad = space == "gates" and value is not True
            if space == "blockers":
                bad = value is True or (value is None and (item is None or item.fires_undefined))
            says, read = (item.says, item.metrics) if item else ("", ())
            numbers = {metric: summary["metrics"][metric] for metric in read if metric in summary["metrics"]}
            waits = name in summary.get("pending", {}).get(space, ())
            state = WAITS if waits else _STATES[space, value]
            about = {"says": says, "numbers": numbers, "against": bad and not waits}
            if space == "blockers" and item is not None and item.grade:
                past = open_network and any(family(source)[0] == "ledger" for source in item.sources)
                about |= {"grade": ATTESTED if past else item.grade, "sources": list(item.sources)}
            made.append({"space": space, "name": name, "state": state, **about})
    return made


_STATES: dict[tuple[str, bool | None], str] = {
    ("blockers", True): "fired",
    ("blockers", False): "did not fire",
    ("blockers", None): "is undefined",
    ("gates", True): "held",
    ("gates", False): "failed",
    ("gates", None): "failed (undefined)",
    ("checks", True): "true",
    ("checks", False): "false",
    ("checks", None): "undefined",
}


def item_of(items: Iterable[Item], entry: str) -> Item | None:
    """The item of an entry: `accuracy` itself, or `complete.<splits>` for `complete.dev`."""
    for item in items:
        if item.name == entry:
            return item
    for item in items:
        pattern = ".+".join(re.escape(part) for part in re.split(r"<[^>]*>", item.name))
        if item.per and (re.fullmatch(pattern, entry) or entry.startswith(item.name + ".")):
            return item
    return None
