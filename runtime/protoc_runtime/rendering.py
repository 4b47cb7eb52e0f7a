"""`RECEIPT.md`: the receipt as people read it, made from the predicate of `receipt.json` and nothing else.

Numbers are shown with their exact counts and at least four decimals, and say so where they were rounded. Author's
words are escaped, so that a name in a protocol cannot draw a heading or a table of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from protoc_runtime.naming import rows_of, told_row
from protoc_runtime.phases.receipt import phase_page
from protoc_runtime.rendering_drift import drift_part
from protoc_runtime.rendering_procedure import conduct_part, providers_part, target_part
from protoc_runtime.rendering_splits import splits
from protoc_runtime.rendering_words import code, escape, number
from protoc_runtime.verdict_words import spoken

__all__ = ["KINDS", "escape", "judgements", "number", "render"]

WAITS = "waits for people"  # instead of a value, before the last judgement is in
NO = "verdict: none"  # how the reason begins why there is no verdict
KINDS = {
    "rehearsal": "REHEARSAL: no evaluation. Every input row is made up, no split was read; claim nothing from this.",
    "development": "DEVELOPMENT: this phase reads its splits to tune. Its verdict is information and releases nothing.",
}


def render(receipt: dict[str, Any]) -> str:
    """The page for one receipt's predicate."""
    lines = [line for part in _PARTS for line in part(receipt)]
    mark = KINDS.get(receipt["run"]["kind"])
    if mark:
        lines += ["---", "", f"**{mark}**", ""]
    return "\n".join(lines)


def _heading(receipt: dict[str, Any]) -> Iterator[str]:
    protocol, run = receipt["protocol"], receipt["run"]
    yield f"# {escape(_title(receipt['verdict']))}: {escape(protocol['title'])}"
    yield ""
    mark = KINDS.get(run["kind"])
    if mark:
        yield from (f"**{mark}**", "")
    yield f"Verdict **{escape(spoken(receipt['verdict']))}**, {_released(receipt)}."
    yield ""
    if receipt["verdict"] is None:
        yield from (f"- {escape(reason)}" for reason in receipt["results"].get("reasons", ()) if reason.startswith(NO))
    if protocol["asks"]:
        yield f"- Question: {escape(protocol['asks'])}"
    if protocol["subject"]:
        yield f"- Evaluated: {code(protocol['subject'])}"
    yield f"- Protocol {code(protocol['id'])} version {protocol['version']}, spec digest `{protocol['spec_digest']}`"
    phase = f", phase {escape(run['phase'])}" if run["phase"] else ""
    yield f"- Run `{run['name']}`, {run['started']} to {run['finished']} (UTC){phase}"
    if run.get("stopped"):
        yield f"- Stopped before any row was read and any split was spent: {escape(run['stopped'])}"
    yield ""


def _title(verdict: str | None) -> str:
    return "No verdict" if verdict is None else verdict


def _released(receipt: dict[str, Any]) -> str:
    """Whether the verdict releases, and which ones do."""
    if receipt["released"]:
        return "released"
    if "blocked" in receipt:
        return "not released: what the secret scan found blocks it"
    if receipt["run"]["kind"] != "run":
        return f"not released: a {receipt['run']['kind']} never is"
    words = receipt["protocol"]["released"]
    return f"not released: only {' and '.join(map(escape, words))} {'is' if len(words) == 1 else 'are'}"


def _failing(receipt: dict[str, Any]) -> Iterator[str]:
    bad = [rule for rule in receipt["rules"] if rule["against"]]
    if bad or "pending" not in receipt:
        yield "## What decided against it" if bad else "## No blocker fired, and every gate held"
        yield ""
    reasons = receipt["results"].get("reasons", [])
    for rule in bad:
        kind = rule["space"][:-1]
        told = next((reason for reason in reasons if reason.startswith(f"{rule['name']}: ")), "")
        words = told.removeprefix(f"{rule['name']}: ").removeprefix(f"{kind} ")
        yield f"- {kind} **{escape(rule['name'])}** {escape(words or _state(rule))}"
        yield from (f"  - {escape(told_row(row))}" for row in rows_of(receipt["results"], told))
        yield from (f"  - {escape(name)} is {number(value)}" for name, value in rule["numbers"].items())
    if bad:
        yield ""


def _pending(receipt: dict[str, Any]) -> Iterator[str]:
    if "pending" in receipt:
        yield from ("## What waits for people", "")
        yield "These have no value before the last judgement is in; `protoc adjudicate`, then `protoc verdict`."
        yield ""
        yield from (f"- {space}: {', '.join(map(escape, names))}" for space, names in receipt["pending"].items())
        yield ""


def _agreement(judgements: list[dict[str, Any]]) -> Iterator[str]:
    """How far raters agree who each judged alone."""
    for told in judgements:
        found = told.get("agreement")
        if found is None:
            continue
        alike = f"{found['alike']} of {found['units']} {found['of']} alike"
        yield f"- Agreement on {escape(told['judgement'])}: {found['measure']} {number(found['kappa'])}; {alike}"
        if "marks" in found:
            each = ", ".join(f"{escape(rater)} {count}" for rater, count in found["marks"]["by_rater"].items())
            yield f"  - marks: {each}; made by all, to the character: {found['marks']['by_all']}"
    if any("agreement" in told for told in judgements):
        yield ""


def judgements(receipt: dict[str, Any]) -> Iterator[str]:
    """What people told, and the receipts of earlier stages."""
    if "judgements" not in receipt:
        return
    yield from ("## What people judged", "", "| judgement | rows | labels | by | sheet |", "|---|---|---|---|---|")
    for told in receipt["judgements"]:
        labels = ", ".join(f"{escape(label)} {count}" for label, count in told["labels"].items())
        by = f"{', '.join(map(escape, told['adjudicators']))} ({told['grade']})"
        own = told["sheets"] if "sheets" in told else {"": told["sheet"]}
        sheets = ", ".join(f"{escape(rater)} `{digest}`".strip() for rater, digest in own.items())
        yield f"| {escape(told['judgement'])} | {told['rows']} | {labels} | {by} | {sheets} |"
    yield ""
    yield from _agreement(receipt["judgements"])
    if receipt.get("sealed"):
        names = ", ".join(map(escape, receipt["sealed"]))
        yield from (f"Adjudication cannot change {names}: they were settled before, and are the same now.", "")
    for stage, digest in receipt["stages"].items():
        yield f"- Receipt of the stage {stage}: `{digest}`"
    yield ""


def _secrets(receipt: dict[str, Any]) -> Iterator[str]:
    if "blocked" in receipt:
        told = receipt["blocked"]
        yield from ("## Blocked by the secret scan", "")
        yield f"{escape(told['because'])}. The rules give {escape(spoken(told['verdict']))}, which does not count."
        yield ""
    if receipt.get("secrets"):
        yield from ("## What looks like a credential", "", "| file | line | what | digest |", "|---|---|---|---|")
        for found in receipt["secrets"]:
            cells = (code(found["file"]), str(found["line"]), escape(found["rule"]), f"`{found['sha256']}`")
            yield f"| {' | '.join(cells)} |"
        yield ""


def _state(rule: dict[str, Any]) -> str:
    return f"{rule['state']}: {rule['says']}"


def _rules(receipt: dict[str, Any]) -> Iterator[str]:
    if receipt["rules"]:
        graded = any("grade" in rule for rule in receipt["rules"])
        head = ("rule", "state", *(("evidence",) if graded else ()), "words")
        yield from ("## Every rule", "", f"| {' | '.join(head)} |", "|---" * len(head) + "|")
        for rule in receipt["rules"]:
            evidence = f" {_evidence_of(rule)} |" if graded else ""
            yield (
                f"| {rule['space'][:-1]} {escape(rule['name'])} | {rule['state']} |{evidence} {escape(rule['says'])} |"
            )
        yield ""


def _evidence_of(rule: dict[str, Any]) -> str:
    """How good the evidence of a blocker is, and where it comes from."""
    if "grade" not in rule:
        return ""
    sources = ", ".join(escape(source) for source in rule["sources"])
    return f"{rule['grade']}{f': {sources}' if sources else ''}"


def mark_of(results: Mapping[str, Any], space: str, name: str) -> str:
    """What stands instead of the value of an entry that its section withholds; "" of others."""
    return "withheld" if f"{space}.{name}" in results.get("withheld", ()) else ""


def _numbers(receipt: dict[str, Any]) -> Iterator[str]:
    metrics = receipt["results"].get("metrics", {})
    if metrics:
        yield from ("## Numbers", "", "| metric | value |", "|---|---|")
        late = receipt.get("pending", {}).get("metrics", ())
        for name, value in metrics.items():
            told = WAITS if name in late else mark_of(receipt["results"], "metrics", name) or number(value)
            yield f"| {escape(name)} | {told} |"
        yield ""
    for title, part in (("Sub-verdicts", "verdicts"), ("Statuses", "statuses"), ("Lists", "lists")):
        entries = receipt["results"].get(part, {})
        if entries:
            yield from (f"## {title}", "")
            marked = {name: mark_of(receipt["results"], part, name) or number(value) for name, value in entries.items()}
            yield from (f"- {escape(name)}: {value}" for name, value in marked.items())
            yield ""


def _cases(receipt: dict[str, Any]) -> Iterator[str]:
    counters = receipt["counters"]
    yield from ("## Cases", "")
    others = ", ".join(f"{counters[name]} {name.replace('_', ' ')}" for name in counters if name != "cases")
    yield f"{counters['cases']} cases: {others}."
    yield ""
    if not receipt["unscored"]:
        yield from ("No case is without a score.", "") if counters["cases"] else ()
    else:
        yield from ("| case not scored | outcome | reason |", "|---|---|---|")
        for case in receipt["unscored"]:
            yield f"| {escape(case['case'])} | {case['outcome'].replace('_', ' ')} | {escape(case['reason'] or '')} |"
        yield ""


def _seal(receipt: dict[str, Any]) -> Iterator[str]:
    yield from ("## Seal", "")
    seals = receipt["seals"]
    if not seals:
        yield "Not sealed."
    for place, seal in enumerate(seals):
        what = "sealed" if place == 0 else f"sealed anew: {escape(seal['reason'] or 'no reason given')}"
        yield f"- {seal['time']} {what}, {_committed(seal)}; seal `{seal['digest']}`"
        yield from drift_part(seal)
    yield ""


def _committed(seal: dict[str, Any]) -> str:
    if not seal["commit"]:
        return "outside of git, or before the first commit"
    words = {True: "which holds every sealed file as it was sealed", False: "which does not hold every sealed file"}
    return f"at commit `{seal['commit']}`{', ' + words[seal['clean']] if seal['clean'] in words else ''}"


def _claims(receipt: dict[str, Any]) -> Iterator[str]:
    yield from ("## How well each statement is supported", "")
    if not receipt["claims"]:
        yield from ("A rehearsal supports no statement.", "")
        return
    proven = any(claim["grade"] == "proven" for claim in receipt["claims"])
    yield (
        "*proven*: whoever trusts the named key or authority can check it. " * proven
        + "*recorded*: the tool's own ledger, registry, seal or rules show it. *attested*: a person says it."
    )
    yield from ("", "| statement | grade | evidence |", "|---|---|---|")
    for claim in receipt["claims"]:
        yield f"| {escape(claim['says'])} | {claim['grade']} | {escape(claim['evidence'])} |"
    yield ""


def _sayings(receipt: dict[str, Any]) -> Iterator[str]:
    if receipt["sayings"]:
        yield from ("## What may be claimed", "", "| claim | this run | never |", "|---|---|---|")
        for claim in receipt["sayings"]:
            words = ", ".join(escape(claim[part]) for part in ("says", "status") if claim[part])
            because = f": {escape(claim['because'])}" if claim["because"] else ""
            state = ("permits it" if claim["permitted"] else "**forbids it**") + because
            yield f"| {escape(claim['claim'])}{f' ({words})' if words else ''} | {state} | {escape(claim['never'])} |"
        yield ""
    if receipt["amendments"]:
        yield from ("## Amendments", "")
        for each in receipt["amendments"]:
            at = f" ({escape(each['at'])})" if each["at"] else ""
            seen = ", ".join(map(escape, each["seen"])) or "no data"
            changes = ", ".join(map(escape, each["changes"])) or "nothing"
            changes += f" and takes out {', '.join(map(escape, each['removes']))}" if "removes" in each else ""
            changes += f" of `{escape(each['supersedes'])}`" if "supersedes" in each else ""
            yield f"- **{escape(each['name'])}**{at} changes {changes}: {escape(each['why'])} Seen before: {seen}."
        yield ""


def _outside(receipt: dict[str, Any]) -> Iterator[str]:
    if receipt["outside"]:
        yield from ("## Outside of what was checked", "")
        names = ", ".join(f"**{escape(name)}**" for name in receipt["outside"])
        yield f"A function of the author's gives {names}. Its source is sealed; nothing else says what it means."
        yield ""


def _words(receipt: dict[str, Any]) -> Iterator[str]:
    if receipt["duties"]:
        yield from ("## Duties", "", "What people still have to do; nothing here checks it.", "")
        yield from (*(f"- [ ] {escape(words)}" for words in receipt["duties"]), "")
    if receipt["limits"]:
        yield from ("## Limits", "", "As the protocol states them.", "")
        yield from (*(f"- {escape(words)}" for words in receipt["limits"]), "")


def _evidence(receipt: dict[str, Any]) -> Iterator[str]:
    ledger, environment = receipt["ledger"], receipt["environment"]
    yield from ("## Evidence", "")
    yield f"- manifest.json, which has the digest of every file here but the receipt: `{receipt['manifest']}`"
    yield f"- ledger: {ledger['length']} events, head `{ledger['head']}`, Merkle root `{ledger['root']}`"
    yield "- computed with " + ", ".join(f"{name} {escape(str(environment[name]))}" for name in environment)
    yield "- This receipt is not signed in itself: it protects against accident, not against its own author."
    yield "  Signatures and time stamps over receipt.json would stand in signatures.jsonl; `protoc verify` checks them."
    folder = "the folder above" if "stages" in receipt else "this folder"
    yield f"- Recompute it in {folder}: `protoc verify .`, or `python3 -I verify.py` with Python alone."
    yield ""


_PARTS = (
    _heading, _failing, _pending, judgements, _secrets, phase_page, _numbers, _outside, _rules, splits, _cases,
    target_part,
    providers_part, _sayings, _words, _seal, _claims, conduct_part, _evidence,
)  # fmt: skip
