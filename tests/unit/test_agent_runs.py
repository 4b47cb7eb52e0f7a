"""A small protocol with an agent, through the command line: rehearsed, run, verified, and told in the receipt."""

from __future__ import annotations

import io
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from e2e.workspaces import ROOT, read_rows
from protoc_compiler.cli import main

CASE = ROOT / "tests" / "cli" / "E2531-prompt-does-not-fit"


class Folder:
    """A folder with the protocol, compiled and sealed."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = folder / "work"
        shutil.copytree(CASE, self.folder)
        monkeypatch.chdir(self.folder)
        (self.folder / "PROMPT.txt").write_text("Read {{text}}\n", encoding="utf-8")
        rows = [{"case": f"c{n}", "text": f"one two word{n}"} for n in range(2)]
        (self.folder / "cases.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        spec = self.folder / "protocol.yaml"
        text = spec.read_text(encoding="utf-8").replace("    events_allowed", "    concurrency: 2\n    events_allowed")
        spec.write_text(text, encoding="utf-8")

    def protoc(self, *words: str, status: int = 0) -> str:
        """What a command prints."""
        printed, told = io.StringIO(), io.StringIO()
        ended = main(list(words), io.StringIO(), printed, told)
        assert ended == status, printed.getvalue() + told.getvalue()
        return printed.getvalue() + told.getvalue()

    def prepare(self) -> None:
        """Compile and seal."""
        self.protoc("compile", "protocol.yaml")
        self.protoc("seal", "protocol.yaml")

    def bundle(self, parent: str = "runs") -> Path:
        """The only bundle there is."""
        (found,) = (self.folder / parent).glob("*/*/manifest.json")
        return found.parent


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Folder:
    return Folder(tmp_path, monkeypatch)


def value(bundle: Path, metric: str) -> Any:
    return json.loads((bundle / "summary.json").read_text(encoding="utf-8"))["metrics"][metric]


@pytest.mark.breaks("B029")
def test_a_rehearsal_uses_made_up_rows_and_is_counted_nowhere(folder: Folder) -> None:
    folder.prepare()
    folder.protoc("run", "protocol.yaml", "--rehearse", status=1)
    rehearsed = folder.bundle("rehearsals")
    assert read_rows(rehearsed / "rows" / "turns.jsonl")  # the agent was asked
    assert json.loads((rehearsed / "summary.json").read_text(encoding="utf-8"))["claimable"] is False
    folder.protoc("run", "protocol.yaml")
    turns = read_rows(folder.bundle() / "rows" / "turns.jsonl")
    assert [turn["input"] for turn in turns] == [len("Read one two word0\n")] * 2
    assert value(folder.bundle(), "tokens") == {"num": 2 * len("Read one two word0\n"), "den": 1}
    folder.protoc("verify", str(folder.bundle()))


def test_an_agent_that_does_what_is_not_allowed_is_quarantined_and_told(folder: Folder) -> None:
    agent = folder.folder / "agent.py"
    text = agent.read_text(encoding="utf-8")
    event = '    {"type": "item.completed", "item": {"id": "1", "type": "web_search"}},\n    {"type": "turn.completed"'
    agent.write_text(text.replace('    {"type": "turn.completed"', event), encoding="utf-8")
    folder.prepare()
    folder.protoc("run", "protocol.yaml", status=1)
    receipt = (folder.bundle() / "RECEIPT.md").read_text(encoding="utf-8").replace("\\", "")
    assert "events that are not allowed: web_search" in receipt
    assert read_rows(folder.bundle() / "rows" / "proposed.jsonl") == []
    assert read_rows(folder.bundle() / "packets.jsonl") == []
    folder.protoc("verify", str(folder.bundle()))


def test_an_answer_that_tells_positions_itself_does_not_fit(folder: Folder) -> None:
    agent = folder.folder / "agent.py"
    text = agent.read_text(encoding="utf-8")
    agent.write_text(text.replace('{"quote"', '{"position": 3, "quote"'), encoding="utf-8")
    folder.prepare()
    folder.protoc("run", "protocol.yaml", status=1)
    receipt = (folder.bundle() / "RECEIPT.md").read_text(encoding="utf-8")
    assert "`position` is told by the place of a row" in receipt.replace("\\", "")


def test_the_conduct_of_sessions_is_in_the_protocols_page(folder: Folder) -> None:
    folder.protoc("compile", "protocol.yaml")
    page = (folder.folder / "generated" / "small_agent_v1" / "PROTOCOL.md").read_text(encoding="utf-8")
    for words in ("one new process", "quarantines the case", "taken as they are reported", "cached (part of input)"):
        assert words in page.replace("\\", "")


def test_a_protocol_that_cannot_be_told_apart_has_the_same_digest(folder: Folder) -> None:
    def digest() -> str:
        folder.protoc("compile", "protocol.yaml")
        package = folder.folder / "generated" / "small_agent_v1" / "package.json"
        return str(json.loads(package.read_text(encoding="utf-8"))["spec_digest"])

    spec = folder.folder / "protocol.yaml"
    text, before = spec.read_text(encoding="utf-8"), digest()
    spec.write_text(text.replace("usage:\n      input: input_tokens\n", "usage:\n      input: {field: input_tokens}\n"))
    assert digest() == before
    spec.write_text(text.replace("events_allowed: [agent_message]", "events_allowed: [agent_message, reasoning]"))
    assert digest() != before
