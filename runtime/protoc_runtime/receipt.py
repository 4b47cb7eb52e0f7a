"""The receipt of a run: an in-toto Statement that binds manifest, ledger, seal, counters, verdict and grades.

Every statement in it is graded by its evidence: *proven* (a token or a signed commit shows it), *recorded* (our own
ledger, registry or seal shows it), *attested* (a person says it).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from protoc_runtime.auditing import as_json
from protoc_runtime.declared import Declared, Split
from protoc_runtime.observing import counters
from protoc_runtime.phases.receipt import phase_part
from protoc_runtime.receipt_claims import claims, regraded
from protoc_runtime.receipt_facts import ATTESTED, RECORDED, Facts, LedgerFacts, RunFacts, rules
from protoc_runtime.sayings import saying
from protoc_runtime.seal import Seal
from protoc_runtime.seal_format import STATEMENT
from protoc_runtime.verdict_words import word_of

__all__ = ["ATTESTED", "RECORDED", "Facts", "LedgerFacts", "RunFacts", "judged_predicate", "predicate", "statement"]

PREDICATE = "urn:evalprotoc:receipt:1"


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
    declared, summary = facts.declared, facts.summary
    made = {
        "protocol": _protocol(declared),
        "run": _run(facts.run),
        "verdict": summary["verdict"],
        "released": summary["released"],
        **_results(facts),
        **facts.sections,
        "splits": [_split(split, facts.run) for split in declared.splits],
        **_audits(facts),
        "readings": [dict(reading) for reading in facts.readings],
        "seals": [_seal(seal) for seal in facts.seals],
        "claims": list(claims(facts)),
        **_words(facts),
        **_conditions(facts),
        "ledger": {"length": facts.ledger.length, "head": facts.ledger.head, "root": facts.ledger.root},
        "manifest": facts.manifest,
        "environment": dict(facts.environment),
    }
    return made | ({"phase": phase_part(declared, made)} if "entered" in made else {})


def _protocol(declared: Declared) -> dict[str, Any]:
    return {
        "id": declared.id,
        "version": declared.version,
        "title": declared.title,
        "spec_digest": declared.digest,
        "asks": dict(declared.question).get("asks", ""),
        "subject": declared.subject.target if declared.subject else "",
        "released": list(declared.released),
    }


def _run(run: RunFacts) -> dict[str, Any]:
    return {
        "name": run.name,
        "kind": run.kind,
        "phase": run.phase,
        "use": run.use,
        "splits": list(run.splits),
        "started": run.started,
        "finished": run.finished,
        **({"stopped": run.stopped} if run.stopped else {}),
    }


def _results(facts: Facts) -> dict[str, Any]:
    """Every rule, every number, and what became of the cases."""
    summary = facts.summary
    return {
        "rules": rules(facts.declared, summary, open_network=facts.open_network),
        "results": _parts(summary),
        "counters": counters(facts.results),
        "unscored": [
            {"case": result.key, "outcome": result.outcome, "reason": result.reason}
            for result in facts.results
            if result.outcome != "scored"
        ],
    }


def _parts(summary: Mapping[str, Any]) -> dict[str, Any]:
    parts = ("metrics", "verdicts", "statuses", "lists", "reasons", "rows")
    withheld = {"withheld": summary["withheld"]} if summary.get("withheld") else {}
    return {part: summary[part] for part in parts if part in summary} | withheld


def _words(facts: Facts) -> dict[str, Any]:
    """What may be claimed, and what was amended."""
    declared, verdict = facts.declared, word_of(facts.summary["verdict"])
    return {
        "sayings": [saying(declared, claim, facts.run.kind, verdict) for claim in declared.claims],
        "amendments": [
            {"name": each.name, "changes": list(each.changes), "why": each.why, "seen": list(each.seen), "at": each.at}
            | ({"supersedes": each.supersedes} if each.supersedes else {})
            | ({"removes": list(each.removes)} if each.removes else {})
            for each in declared.amendments
        ],
    }


def _conditions(facts: Facts) -> dict[str, Any]:
    """What limits the verdict: nobody's checks, people's work, findings of the scan, and the author's own words."""
    declared, summary = facts.declared, facts.summary
    says = {kind: [s.says for s in declared.statements if s.kind == kind] for kind in ("duty", "limit")}
    return {
        "outside": list(summary.get("outside", ())),
        **({"blocked": dict(summary["blocked"])} if "blocked" in summary else {}),
        **({"pending": dict(summary["pending"])} if "pending" in summary else {}),
        **({"sealed": list(declared.sealed.items)} if declared.sealed else {}),
        **({"secrets": [dict(found) for found in facts.secrets]} if facts.secrets else {}),
        "duties": says["duty"],
        "limits": says["limit"],
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
        "results": _parts(summary),
        "claims": regraded(declared, before, summary),
        "sayings": [
            saying(declared, claim, before["run"]["kind"], word_of(summary["verdict"]), judged=True)
            for claim in declared.claims
        ],
    }
    after.pop("pending", None)
    after |= {"blocked": dict(summary["blocked"])} if "blocked" in summary else {}
    return after | ({"phase": phase_part(declared, after)} if "phase" in after else {})


def _split(split: Split, run: RunFacts) -> dict[str, Any]:
    return {
        "split": split.name,
        "role": split.role,
        "was": split.was,
        "may": list(split.may),
        "read": split.name in run.splits,
        "baseline": split.baseline,
        "says": split.says,
        **({"terms": terms} if (terms := list(_terms(split))) else {}),
    }


def _terms(split: Split) -> Iterator[str]:
    """The conditions of reading a split, in words."""
    if split.status:
        yield f"status {split.status}"
    if split.cases:
        yield f"{split.cases} cases"
    if split.at_most:
        yield f"at most {split.at_most} candidate{'s' if split.at_most > 1 else ''}"
    if split.disjoint_from:
        yield f"disjoint from {', '.join(split.disjoint_from)}"


def _audits(facts: Facts) -> dict[str, Any]:
    """What was found of splits that are to be disjoint, as the seal pins it, and what no split is for."""
    never = [stated.says for stated in facts.declared.statements if stated.kind == "never"]
    real = facts.run.kind != "rehearsal" and facts.seals
    audits = as_json(facts.seals[-1].pins.audits)["audits"] if real else []
    return {**({"audits": audits} if audits else {}), **({"never": never} if never else {})}


def _seal(seal: Seal) -> dict[str, Any]:
    return {
        "digest": seal.digest,
        "time": seal.time,
        "commit": seal.commit,
        "clean": seal.clean,
        "reason": seal.reason,
        "spec": seal.pins.spec,
        **({"drift": dict(seal.drift)} if seal.drift is not None else {}),
    }
