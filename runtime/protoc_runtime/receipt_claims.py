"""The statements of a receipt with their grades: what was recorded, and what is a person's word.

A step of the procedure is as good as what the runner itself saw of it: rules and readings for the same source rule,
and the rules of conduct that the step names or that follow from a key which cites the same source rule.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from protoc_runtime.conduct import conduct
from protoc_runtime.declared import Declared, Split, Statement
from protoc_runtime.receipt_facts import ATTESTED, RECORDED, WAITS, Facts, item_of, rules
from protoc_runtime.signing.claims import sealed_first, signers

NOT_ATTESTED = "not attested: nobody has confirmed it"
NOT_CHECKED = "a person's word; nothing here checks it"
LOADED = "the value of "  # how the secret scan names a credential that the runner had


def claims(facts: Facts) -> Iterator[dict[str, str]]:
    """The statements of a run; a rehearsal supports none."""
    if facts.run.kind == "rehearsal":
        return
    if facts.seals:
        yield sealed_first({"time": facts.seals[-1].time}, facts.run.started, facts.evidence, facts.noted)
        yield from signers(facts.evidence)
    yield _claim("Every case ended in exactly one outcome.", RECORDED, f"ledger of {facts.ledger.length} events")
    yield from _walls(facts)
    read = tuple(split.name for split in facts.declared.splits if _is_read_once(split, facts))
    for name in read:
        says = f"Split {name} had not been read for scoring before, through this workspace."
        yield _claim(says, RECORDED, "the workspace's registry of readings")
    found = tuple(str(one["rule"]) for one in facts.secrets)
    for stated in facts.declared.statements:
        if stated.kind == "step":
            yield step(stated, facts.declared, facts.summary, read, found)
        elif stated.kind == "attestation":
            yield _claim(stated.says, ATTESTED, _attested(facts.attested.get(stated.name)))


def regraded(declared: Declared, before: Mapping[str, Any], summary: Mapping[str, Any]) -> list[dict[str, str]]:
    """The statements of a run once people have judged: each step by the rules as they are now."""
    steps = {stated.name: stated for stated in declared.statements if stated.kind == "step"}
    once = {split.name for split in declared.splits if "score once" in split.may}
    read = tuple(split["split"] for split in before["splits"] if split["read"] and split["split"] in once)
    found = tuple(str(one["rule"]) for one in before.get("secrets", ()))
    read = read if before["run"]["kind"] == "run" else ()
    return [
        step(steps[claim["step"]], declared, summary, read, found) if claim.get("step") in steps else dict(claim)
        for claim in before["claims"]
    ]


def step(
    stated: Statement, declared: Declared, summary: Mapping[str, Any], read: Iterable[str], found: Iterable[str]
) -> dict[str, str]:
    """One step with its grade. `read` are the splits that this run alone has read, `found` the findings of the scan."""
    checks = [*_rules(stated, declared, summary), *_conduct(stated, declared, found)] if _is_taken(stated) else []
    cited = {split.name: set(split.cites) for split in declared.splits}
    once = [name for name in read if _is_taken(stated) and cited[name] & set(stated.cites)]
    checks += [f"the registry has one reading of {name} for scoring" for name in once]
    if "" in checks:
        checks = []
    made = _claim(stated.says, RECORDED if checks else ATTESTED, "; ".join(checks) or NOT_CHECKED)
    return {**made, "step": stated.name}


def _is_taken(stated: Statement) -> bool:
    """Whether the runner takes the step. Nothing but what it cites and names ties its words to what was recorded."""
    return stated.by == "runner" and bool(stated.cites or stated.shown_by)


def _rules(stated: Statement, declared: Declared, summary: Mapping[str, Any]) -> Iterator[str]:
    """The rules for the same source rule; "" where one speaks against the step."""
    for rule in rules(declared, summary):
        item = item_of(declared.of(rule["space"]), rule["name"])
        if item is not None and set(item.cites) & set(stated.cites):
            bad = rule["against"] or rule["state"] in ("false", "undefined", WAITS)
            yield "" if bad else f"{rule['space'][:-1]} {rule['name']} {rule['state']}"


def _conduct(stated: Statement, declared: Declared, found: Iterable[str]) -> Iterator[str]:
    """The rules of conduct that the step names, or that follow from a key for the same source rule; "" where the
    secret scan shows that a credential got past redaction."""
    for rule in conduct(declared):
        if rule.name in stated.shown_by or set(rule.cites) & set(stated.cites):
            past = rule.name == "runner.redaction" and any(name.startswith(LOADED) for name in found)
            yield "" if past else f"conduct {rule.name} ({rule.how})"


def _walls(facts: Facts) -> Iterator[dict[str, str]]:
    """What the subject could reach beside what it was given."""
    walls = facts.walls
    if walls is None:
        return
    kind = facts.declared.subject.kind if facts.declared.subject is not None else ""
    if facts.declared.providers:
        says = "Every call of the subject to a provider went through the gateway and is in the ledger."
        how = f"{walls.how}: nothing else could be reached" if walls.closed else walls.how
        yield _claim(says, RECORDED if walls.closed else ATTESTED, how) | ({} if walls.closed else {"open": kind})
    says = "The subject read nothing of the rows, labels and earlier runs but what it was given."
    how = f"{walls.files_how}: nothing else was there" if walls.files else f"not enforced: {walls.files_how}"
    yield _claim(says, RECORDED if walls.files else ATTESTED, how) | ({} if walls.files else {"open": kind})
    session = facts.declared.subject.session if facts.declared.subject is not None else None
    if session is not None and session.sandbox:
        closed = walls.files and (walls.closed or session.network == "open")
        reach = "" if session.network == "open" else " and reach no network"
        says = f"Every session could write no file{reach}."
        yield _claim(
            says, RECORDED if closed else ATTESTED, walls.files_how if closed else f"not enforced: {walls.how}"
        )


def _attested(by: Mapping[str, str] | None) -> str:
    return f"{by['person']} confirmed it at {by['at']}" if by else NOT_ATTESTED


def _is_read_once(split: Split, facts: Facts) -> bool:
    return "score once" in split.may and split.name in facts.run.splits and facts.run.kind == "run"


def _claim(says: str, grade: str, evidence: str) -> dict[str, str]:
    return {"says": says, "grade": grade, "evidence": evidence}
