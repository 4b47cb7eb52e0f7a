"""The receipt of a run: an in-toto Statement that binds manifest, ledger, seal, counters, verdict and grades.

Every statement in it is graded by its evidence: *proven* (a token or a signed commit shows it), *recorded* (our own
ledger, registry or seal shows it), *attested* (a person says it).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

from protoc_runtime.declared import Claim, Declared, Item, Split, Statement
from protoc_runtime.execution import Result
from protoc_runtime.observed import family
from protoc_runtime.observing import counters
from protoc_runtime.record import record
from protoc_runtime.seal import Seal
from protoc_runtime.seal_format import STATEMENT
from protoc_runtime.subjects.walls import Walls

PREDICATE = "urn:evalprotoc:receipt:1"
RECORDED, ATTESTED = "recorded", "attested"
NOT_ATTESTED = "not attested: nobody has confirmed it"
WAITS = "waits for people"
NOT_CHECKED = "a person's word; nothing here checks it"


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

    @property
    def open_network(self) -> bool:
        """Whether the subject could have called a provider past the gateway."""
        return bool(self.declared.providers) and self.walls is not None and not self.walls.closed


def statement(facts: Facts) -> dict[str, Any]:
    """The in-toto Statement v1 of a run; its subject is the manifest."""
    return {
        "_type": STATEMENT,
        "subject": [{"name": "manifest.json", "digest": {"sha256": facts.manifest}}],
        "predicateType": PREDICATE,
        "predicate": predicate(facts),
    }


def predicate(facts: Facts) -> dict[str, Any]:
    """What the receipt says, in the order of its page."""
    declared, run, summary = facts.declared, facts.run, facts.summary
    says = {kind: [s.says for s in declared.statements if s.kind == kind] for kind in ("duty", "limit")}
    return {
        "protocol": {
            "id": declared.id,
            "version": declared.version,
            "title": declared.title,
            "spec_digest": declared.digest,
            "asks": dict(declared.question).get("asks", ""),
            "subject": declared.subject.target if declared.subject else "",
            "released": list(declared.released),
        },
        "run": {
            "name": run.name,
            "kind": run.kind,
            "phase": run.phase,
            "use": run.use,
            "splits": list(run.splits),
            "started": run.started,
            "finished": run.finished,
            **({"stopped": run.stopped} if run.stopped else {}),
        },
        "verdict": summary["verdict"],
        "released": summary["released"],
        "rules": rules(declared, summary, open_network=facts.open_network),
        "results": {
            part: summary[part] for part in ("metrics", "verdicts", "statuses", "lists", "reasons") if part in summary
        },
        "counters": counters(facts.results),
        "unscored": [
            {"case": result.key, "outcome": result.outcome, "reason": result.reason}
            for result in facts.results
            if result.outcome != "scored"
        ],
        "splits": [_split(split, run) for split in declared.splits],
        "readings": [dict(reading) for reading in facts.readings],
        "seals": [_seal(seal) for seal in facts.seals],
        "claims": list(_claims(facts)),
        "sayings": [_saying(claim, run.kind, str(summary["verdict"])) for claim in declared.claims],
        "amendments": [
            {"name": each.name, "changes": list(each.changes), "why": each.why, "seen": list(each.seen), "at": each.at}
            for each in declared.amendments
        ],
        "outside": list(summary.get("outside", ())),
        **({"pending": dict(summary["pending"])} if "pending" in summary else {}),
        **({"sealed": list(declared.sealed.items)} if declared.sealed else {}),
        **({"secrets": [dict(found) for found in facts.secrets]} if facts.secrets else {}),
        "duties": says["duty"],
        "limits": says["limit"],
        "ledger": {"length": facts.ledger.length, "head": facts.ledger.head, "root": facts.ledger.root},
        "manifest": facts.manifest,
        "environment": dict(facts.environment),
    }


def judged_predicate(declared: Declared, before: Mapping[str, Any], summary: Mapping[str, Any]) -> dict[str, Any]:
    """The predicate of the final verdict: that of the run, with what follows from what people told."""
    grades = {(rule["space"], rule["name"]): rule for rule in before["rules"]}
    made = rules(declared, summary)
    for rule in made:
        graded = grades.get((rule["space"], rule["name"]), {})
        rule |= {name: graded[name] for name in ("grade", "sources") if name in graded}
    after = {
        **before,
        "verdict": summary["verdict"],
        "released": summary["released"],
        "rules": made,
        "results": {part: summary[part] for part in before["results"]},
        "sayings": [_saying(claim, before["run"]["kind"], str(summary["verdict"])) for claim in declared.claims],
    }
    after.pop("pending", None)
    return after


def _saying(claim: Claim, kind: str, verdict: str) -> dict[str, Any]:
    """Whether this run permits what the protocol lets its authors claim; only a run that counts permits anything."""
    if kind != "run":
        permitted, because = False, f"this is a {kind}, of which nothing may be claimed"
    elif claim.verdicts:
        permitted = verdict in claim.verdicts
        because = f"when the verdict is {' or '.join(claim.verdicts)}; it is {verdict}"
    else:
        permitted, because = bool(claim.may), claim.may
    about = {"says": claim.says, "status": claim.status, "never": claim.never}
    return {"claim": claim.name, "permitted": permitted, "because": because, **about}


def rules(declared: Declared, summary: Mapping[str, Any], *, open_network: bool = False) -> list[dict[str, Any]]:
    """Every blocker, gate and check with its state, words and numbers; `against` marks what speaks against a release.

    A blocker also has the grade of its evidence and what it reads. With an open network the ledger of a provider holds
    the calls that came its way, and that there were no others is a person's word.
    """
    made = []
    for space in ("blockers", "gates", "checks"):
        items = declared.of(space)
        for name, value in summary.get(space, {}).items():
            item = _item_of(items, name)
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


def _split(split: Split, run: RunFacts) -> dict[str, Any]:
    return {
        "split": split.name,
        "role": split.role,
        "was": split.was,
        "may": list(split.may),
        "read": split.name in run.splits,
        "baseline": split.baseline,
        "says": split.says,
    }


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


def _item_of(items: Iterable[Item], entry: str) -> Item | None:
    """The item of an entry: `accuracy` itself, or `complete.<splits>` for `complete.dev`."""
    for item in items:
        if item.name == entry:
            return item
    for item in items:
        pattern = ".+".join(re.escape(part) for part in re.split(r"<[^>]*>", item.name))
        if item.per and (re.fullmatch(pattern, entry) or entry.startswith(item.name + ".")):
            return item
    return None


def _seal(seal: Seal) -> dict[str, Any]:
    return {
        "digest": seal.digest,
        "time": seal.time,
        "commit": seal.commit,
        "clean": seal.clean,
        "reason": seal.reason,
        "spec": seal.pins.spec,
    }


def _claims(facts: Facts) -> Iterable[dict[str, str]]:
    """The statements of a run with their grades; a rehearsal supports none."""
    if facts.run.kind == "rehearsal":
        return
    if facts.seals:
        times = f"sealed {facts.seals[-1].time}, began {facts.run.started}, by the clock of this machine"
        yield _claim("The protocol was sealed before this run began.", RECORDED, times)
    yield _claim("Every case ended in exactly one outcome.", RECORDED, f"ledger of {facts.ledger.length} events")
    if facts.declared.providers and facts.walls is not None:
        says = "Every call of the subject to a provider went through the gateway and is in the ledger."
        how = f"{facts.walls.how}: nothing else could be reached" if facts.walls.closed else facts.walls.how
        yield _claim(says, RECORDED if facts.walls.closed else ATTESTED, how)
    for split in facts.declared.splits:
        if _is_read_once(split, facts):
            says = f"Split {split.name} had not been read for scoring before, through this workspace."
            yield _claim(says, RECORDED, "the workspace's registry of readings")
    for stated in facts.declared.statements:
        if stated.kind == "step":
            checks = _checks_of(stated, facts)
            yield _claim(stated.says, RECORDED if checks else ATTESTED, "; ".join(checks) or NOT_CHECKED)
        elif stated.kind == "attestation":
            yield _claim(stated.says, ATTESTED, _attested(facts.attested.get(stated.name)))


def _attested(by: Mapping[str, str] | None) -> str:
    return f"{by['person']} confirmed it at {by['at']}" if by else NOT_ATTESTED


def _checks_of(step: Statement, facts: Facts) -> list[str]:
    """What the runner itself saw of a step that it takes: rules and readings for the same source rule.

    Nothing else ties a step's words to what was recorded, so a step without `cites`, one by a person, and one whose
    rule speaks against it are a person's word.
    """
    if step.by != "runner" or not step.cites:
        return []
    found = []
    for rule in rules(facts.declared, facts.summary):
        item = _item_of(facts.declared.of(rule["space"]), rule["name"])
        if item is not None and set(item.cites) & set(step.cites):
            if rule["against"] or rule["state"] in ("false", "undefined", WAITS):
                return []
            found.append(f"{rule['space'][:-1]} {rule['name']} {rule['state']}")
    once = [s.name for s in facts.declared.splits if _is_read_once(s, facts) and set(s.cites) & set(step.cites)]
    return found + [f"the registry has one reading of {name} for scoring" for name in once]


def _is_read_once(split: Split, facts: Facts) -> bool:
    return "score once" in split.may and split.name in facts.run.splits and facts.run.kind == "run"


def _claim(says: str, grade: str, evidence: str) -> dict[str, str]:
    return {"says": says, "grade": grade, "evidence": evidence}
