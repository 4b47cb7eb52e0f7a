"""Where each cited rule of a source protocol is said, what enforces it, and which test breaks it on purpose.

A test says so itself: `@pytest.mark.breaks("D004", "D005")`. The page is generated from the specs and the tests.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from protoc_compiler import core
from protoc_runtime.record import record

_MARK = re.compile(r"mark\.breaks\(([^)]*)\)\s*(?:@[^\n]*\n\s*)*(?:async )?def (\w+)")
_ENFORCED = {
    "blockers": "blocker: when it fires, the verdict it forces",
    "gates": "gate: the verdict reads it",
    "checks": "check: evaluated and shown in every run",
    "metrics": "metric: computed twice, by the engine and by verify.py",
    "definitions": "definition: computed twice, by the engine and by verify.py",
    "verdict": "verdict line",
    "verdicts": "named verdict",
    "statuses": "status in the receipt",
    "lists": "list in the receipt",
    "table": "rows are validated; `expect` holds at the seal and before the first case",
    "split": "the registry refuses other uses",
    "freeze": "pinned in the seal and compared",
    "copy": "compared with its source whenever it is compiled, sealed or run",
    "manifest": "`protoc freeze check` and the record `from: manifest` refuse what does not hold it",
    "parity": "`protoc parity` compares it row by row",
    "phase": "the runner reads only these splits",
    "subject": "the runner behaves so",
    "target": "the runner makes the worktree and compares it",
    "provider": "the runner behaves so, and the ledger shows every attempt",
    "hidden": "the compiler has proved that no road leads to those from whom it is hidden",
    "judgement": "sheets show no more, and an import takes no other label",
    "output": "the bundle holds it",
    "sealed": "proved on the formulas",
    "interval": "computed twice, by the engine and by verify.py",
}


@record
class Said:
    """One place where a rule is said."""

    rule: str
    place: str
    enforced: str
    words: str


def said(protocol: core.Protocol) -> list[Said]:
    """Every citation of a protocol."""
    return [Said(rule, place, enforced, words) for cites, place, enforced, words in _places(protocol) for rule in cites]


def _places(protocol: core.Protocol) -> Iterator[tuple[tuple[str, ...], str, str, str]]:
    for table in protocol.tables:
        yield table.cites, f"data: {table.name}", _ENFORCED["table"], table.says
        for column in table.columns:
            yield column.cites, f"definitions: {table.name}.{column.name}", _ENFORCED["definitions"], column.says
    for item in protocol.items:
        yield item.cites, f"{item.space}: {item.name}", _ENFORCED[item.space], item.says
    for split in protocol.splits:
        yield split.cites, f"splits: {split.name}", _ENFORCED["split"], split.says
    for frozen in protocol.freeze:
        enforced = _ENFORCED["freeze" if frozen.copy is None else "copy"]
        yield frozen.cites, f"freeze: {frozen.name}", enforced, ""
    yield from _candidates(protocol)
    for phase in protocol.phases:
        yield phase.cites, f"phases: {phase.name}", _ENFORCED["phase"], phase.says
        for kept in phase.records:
            enforced = "attested" if kept.says else "the receipt's list of evidence"
            yield kept.cites, f"phases: {phase.name} preserves {kept.name}", enforced, kept.says
        for duty in phase.duties:
            yield duty.cites, f"phases: after {phase.name}, {duty.name}", "attested", duty.says
    for key, cites in protocol.subject.cites if protocol.subject is not None else ():
        yield cites, f"subject: {key}", _ENFORCED["subject"], ""
    yield from _services(protocol)
    for interval in protocol.intervals:
        yield interval.cites, f"intervals: {interval.name}", _ENFORCED["interval"], interval.says
    for statement in protocol.statements:
        enforced = "the runner behaves so" if statement.by == "runner" else "attested"
        yield statement.cites, statement.name, enforced, statement.says


def _candidates(protocol: core.Protocol) -> Iterator[tuple[tuple[str, ...], str, str, str]]:
    if protocol.manifest is not None:
        yield protocol.manifest.cites, "manifest", _ENFORCED["manifest"], protocol.manifest.says
        for phase in protocol.manifest.phases:
            yield phase.cites, f"manifest: phase {phase.name}", _ENFORCED["manifest"], phase.says
        for field in protocol.manifest.fields:
            yield field.cites, f"manifest: {field.path}", _ENFORCED["manifest"], field.says
    for key, cites in protocol.parity.cites if protocol.parity is not None else ():
        yield cites, f"parity: {key}", _ENFORCED["parity"], ""


def _services(protocol: core.Protocol) -> Iterator[tuple[tuple[str, ...], str, str, str]]:
    for key, cites in protocol.target.cites if protocol.target is not None else ():
        yield cites, f"target: {key}", _ENFORCED["target"], ""
    for provider in protocol.providers:
        for key, cites in provider.cites:
            yield cites, f"providers: {provider.name}.{key}", _ENFORCED["provider"], ""
    for judgement in protocol.judgements:
        yield judgement.cites, f"adjudication: {judgement.name}", _ENFORCED["judgement"], judgement.says
    for entry in protocol.hidden:
        name = f"{entry.table}.{entry.column}" if entry.column else entry.table
        yield entry.cites, f"visibility: {name}", _ENFORCED["hidden"], entry.says
    for output in protocol.outputs:
        yield output.cites, f"outputs: {output.path}", _ENFORCED["output"], ""
    if protocol.sealed is not None:
        yield protocol.sealed.cites, "report: sealed", _ENFORCED["sealed"], ""


def broken_by(tests: Path) -> dict[str, list[str]]:
    """Rule id to the tests that break it on purpose."""
    found: dict[str, list[str]] = {}
    for path in sorted(tests.rglob("test_*.py")):
        for ids, name in _MARK.findall(path.read_text(encoding="utf-8")):
            for rule in re.findall(r"[\"']([^\"']+)[\"']", ids):
                found.setdefault(rule, []).append(f"{path.relative_to(tests.parent).as_posix()}::{name}")
    return found


def render(protocols: Iterable[core.Protocol], tests: Path) -> str:
    """The page, in Markdown."""
    broken = broken_by(tests)
    lines = ["# Traceability", "", "Generated by `python -m protoc_compiler.docs_gen`; do not edit.", ""]
    for protocol in protocols:
        lines += [f"## {protocol.title} (`{protocol.id}` {protocol.version})", ""]
        lines += ["| rule | said in | enforced by | broken on purpose by |", "| --- | --- | --- | --- |"]
        rows: dict[str, list[Said]] = {}
        for place in said(protocol):
            rows.setdefault(place.rule, []).append(place)
        for rule in sorted(rows):
            places = rows[rule]
            where = "<br>".join(_cell(place.place) for place in places)
            enforced = "<br>".join(dict.fromkeys(_cell(place.enforced) for place in places))
            only_attested = all(place.enforced == "attested" for place in places)
            tests_of = "<br>".join(f"`{test}`" for test in broken.get(rule, ())) or (
                "attested" if only_attested else "-"
            )
            lines.append(f"| {rule} | {where} | {enforced} | {tests_of} |")
        lines.append("")
    return "\n".join(lines)


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
