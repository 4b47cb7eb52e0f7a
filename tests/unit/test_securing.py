"""Secrets of the runner in a bundle, copies under asked names, and statements that people confirm."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from protoc_compiler import identity
from protoc_runtime import attesting, bundle, declared, outputs, securing
from protoc_runtime.diagnostics import Refused
from protoc_runtime.ledger import Ledger
from unit.asking import spec
from unit.small import protocol

SECRET = "not/a real+secret=value"
NAME = "EMBEDDING_API_KEY"


def made(*changes: tuple[str, str]) -> declared.Declared:
    """The protocol that asks, with two statements to confirm."""
    attested = "attestations: {blind: Nobody had seen it., alone: Each judged alone.}\n"
    return declared.load(identity.canonical(protocol(spec(*changes) + attested)))


def test_the_credentials_of_providers_are_known() -> None:
    assert securing.loaded(made(), {NAME: f" {SECRET} ", "OTHER": "x" * 20}) == {NAME: SECRET}
    assert securing.loaded(made(), {NAME: ""}) == {}


def test_logs_are_redacted_and_keep_a_digest(tmp_path: Path) -> None:
    log = tmp_path / bundle.LOGS / "worker" / "0.log"
    log.parent.mkdir(parents=True)
    log.write_bytes(b"key " + SECRET.encode() + b"\n" + SECRET.encode().hex().encode() + b"\nend\n")
    rows = tmp_path / "rows.jsonl"
    rows.write_text(SECRET)
    securing.redact_logs(tmp_path, {NAME: SECRET})
    mark = f"[redacted {NAME} sha256:{hashlib.sha256(SECRET.encode()).hexdigest()[:12]}]"
    assert log.read_text() == f"key {mark}\n{mark}\nend\n"
    assert rows.read_text() == SECRET  # an answer is evidence: it is found, and blocks
    found = securing.scan(tmp_path, {NAME: SECRET})
    assert [(one.file, one.line, one.rule) for one in found] == [("rows.jsonl", 1, f"the value of {NAME}")]
    assert SECRET not in json.dumps(securing.listed(found))


def test_a_receipt_with_a_secret_is_not_written() -> None:
    securing.require_clean({"receipt.json": b"{}"}, {NAME: SECRET})
    with pytest.raises(Refused) as refused:
        securing.require_clean({"receipt.json": b'{"title": "' + SECRET.encode() + b'"}'}, {NAME: SECRET})
    assert [item.id for item in refused.value.diagnostics] == ["E1816"]
    assert SECRET not in refused.value.diagnostics[0].message


def test_copies_have_the_asked_names(tmp_path: Path) -> None:
    asked = made(
        ("cases.jsonl: cases", "all.jsonl: cases\n    m.json: manifest\n    s.json: summary\n    j.md: adjudication")
    )
    for name in ("RECEIPT.md", "cases.jsonl", "manifest.json"):
        (tmp_path / name).write_text(name)
    outputs.copy_early(asked, tmp_path)
    assert (tmp_path / "all.jsonl").read_text() == "cases.jsonl"
    assert not (tmp_path / "m.json").exists()
    assert not (tmp_path / "s.json").exists()  # this stage has no summary
    outputs.copy_late(asked, tmp_path)
    assert (tmp_path / "m.json").read_text() == "manifest.json"
    assert outputs.outside(asked) == bundle.OUTSIDE | {"RECEIPT_v1.md", "m.json"}
    assert outputs.copy_faults(asked, tmp_path) == []
    (tmp_path / "all.jsonl").write_text("other")
    assert outputs.copy_faults(asked, tmp_path) == [("all.jsonl", "cases.jsonl")]
    assert (outputs.adjudication_name(asked), outputs.adjudication_name(made())) == ("j.md", outputs.WORKSHEET)


def test_confirmations_come_from_the_command_or_a_file(tmp_path: Path) -> None:
    (tmp_path / attesting.FILE).write_text('{"name": "blind", "person": "Bob"}\n{"name": "alone", "person": "Cy"}\n')
    given = attesting.wanted(made(), tmp_path, [("blind", "Ada")])
    assert given == {"blind": "Ada", "alone": "Cy"}
    with Ledger.open(tmp_path / "ledger.jsonl") as ledger:
        attesting.record_attestations(ledger, given)
        attesting.record_attestations(ledger, given)  # a resumed run writes them once
        told = attesting.attested(ledger.events())
    assert {name: by["person"] for name, by in told.items()} == given
    assert all(by["at"].endswith("Z") for by in told.values())


@pytest.mark.parametrize("line", ["{}", "[]", "nothing", '{"name": "blind"}', '{"name": "other", "person": "Ada"}'])
def test_a_file_of_confirmations_must_fit(tmp_path: Path, line: str) -> None:
    (tmp_path / attesting.FILE).write_text(line + "\n")
    with pytest.raises(Refused) as refused:
        attesting.wanted(made(), tmp_path, [])
    assert [item.id for item in refused.value.diagnostics] == ["E1815"]
