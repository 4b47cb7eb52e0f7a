"""Audits of the splits that a protocol wants disjoint: made when it is sealed, pinned in the seal, asked for by a run.

A seal is only made where every audit finds nothing, and the rows are pinned with it; a run therefore reads no row for
its audit, before or after its split is reserved.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from protoc_runtime.canonical import digest_file
from protoc_runtime.catalogue import splits as kinds
from protoc_runtime.declared import Declared
from protoc_runtime.diagnostics import Findings
from protoc_runtime.pinning import case_table, split_rows
from protoc_runtime.seal_format import PinnedAudit, Pins
from protoc_runtime.tables import TableData

FILE = "audit.json"
FORMAT = "protoc-audit/1"
COUNTS = ("shared_ids", "shared_rows", "shared_texts", "near_duplicates")
_WORDS = ("{} equal keys", "{} equal rows", "{} equal texts", "{} near-duplicate texts")


def pairs(declared: Declared) -> Iterator[tuple[str, str]]:
    """Each split and each one that it is to be disjoint from."""
    for split in declared.splits:
        for other in split.disjoint_from:
            yield split.name, other


def make_audits(declared: Declared, tables: Mapping[str, TableData], findings: Findings) -> tuple[PinnedAudit, ...]:
    """The audits of all such pairs; what is shared goes to `findings` (E2303). Raises `Refused` (E2310)."""
    table = case_table(declared)
    if table is None or not any(pairs(declared)):
        return ()
    from protoc_runtime.overlap import overlap, summary
    from protoc_runtime.reading.corpus import Corpus, corpus

    known: dict[str, Corpus] = {}
    data, made = tables[table.name], []
    for names in pairs(declared):
        for name in names:
            if name not in known:
                known[name] = corpus(declared, data, tables, split_rows(declared, data, name))
        first, second = known[names[0]], known[names[1]]
        told = summary(overlap(first, second, names), first.ids, second.ids)
        made.append(_pinned(names, told, len(first.rows), len(second.rows)))
        if any(told[count] for count in COUNTS):
            _report(findings, names, told)
    return tuple(made)


def require_audits(declared: Declared, pins: Pins, splits: Iterable[str]) -> Findings:
    """Whether the seal holds an audit without a finding for every condition of these splits (E2311)."""
    findings, wanted = Findings(), set(splits)
    clean = {(each.split, each.other) for each in pins.audits if not any(getattr(each, count) for count in COUNTS)}
    for split, other in pairs(declared):
        if split in wanted and (split, other) not in clean:
            findings.add(kinds.NOT_AUDITED, None, split=split, other=other)
    return findings


def rows_of(audits: Iterable[PinnedAudit]) -> list[dict[str, Any]]:
    """The rows of a table `from: audit`."""
    return [
        {name: getattr(each, name) for name in ("split", "other", *COUNTS, "texts", "other_texts")} for each in audits
    ]


def empty(declared: Declared) -> tuple[PinnedAudit, ...]:
    """What a rehearsal, which reads no row, takes for the audits."""
    return tuple(PinnedAudit(split, other, 0, 0, 0, 0, 0, 0, 0, 0, "", "") for split, other in pairs(declared))


def as_json(audits: Iterable[PinnedAudit]) -> dict[str, Any]:
    """`audit.json` of a bundle: what the seal pins."""
    fields: tuple[str, ...] = PinnedAudit.__record_fields__  # type: ignore[attr-defined]
    return {"format": FORMAT, "audits": [{name: getattr(each, name) for name in fields} for each in audits]}


def standalone(first: Path, second: Path, told: Mapping[str, Any], rows: tuple[int, int]) -> dict[str, Any]:
    """The audit of two files as an artifact, with the digests of both."""
    files = [
        {"name": path.name, "sha256": digest_file(path), "rows": count}
        for path, count in zip((first, second), rows, strict=True)
    ]
    return {"format": FORMAT, "files": files, **told}


def words(told: Mapping[str, Any]) -> str:
    """What is shared, in words."""
    found = [text.format(told[name]) for name, text in zip(COUNTS, _WORDS, strict=True) if told[name]]
    return ", ".join(found) or "nothing is shared"


def _pinned(names: tuple[str, str], told: Mapping[str, Any], rows: int, other_rows: int) -> PinnedAudit:
    ids, same_rows, texts, near = (told[name] for name in COUNTS)
    return PinnedAudit(
        names[0], names[1], ids, same_rows, texts, near, told["texts"], told["other_texts"], rows, other_rows,
        told["measure"], told["method"],
    )  # fmt: skip


def _report(findings: Findings, names: tuple[str, str], told: Mapping[str, Any]) -> None:
    kind, examples = next(iter(told["examples"].items()))
    first = examples[0]
    example = f"for example {first['case']} and {first['other']}" + (
        f", Jaccard index {first['jaccard']}" if kind == "near_duplicates" else ""
    )
    findings.add(kinds.OVERLAP, None, split=names[0], other=names[1], what=words(told), example=example)
