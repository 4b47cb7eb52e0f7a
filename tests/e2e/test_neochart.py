"""The round on opinions the whole road: run, stopped in between, gone on with, reviewed, closed, verified."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from e2e.neochart import FROZEN, SPEC, part
from e2e.workspaces import environment, new_workspace, read_rows
from protoc_runtime.agents.traces import trace_faults
from protoc_runtime.ledger_file import read_events
from protoc_runtime.opened import open_bundle
from protoc_runtime.ordering import frozen_faults
from protoc_runtime.packages import load_protocol
from protoc_runtime.record import replace

FOLDER = f"specs/{SPEC.name}"
SECONDS = 180
STOPPED = """
import os, signal, threading
from protoc_compiler.__main__ import script
from protoc_runtime.ledger import Ledger
post, ended, guard = Ledger.post, [], threading.Lock()
def counted(self, kind, body):
    told = post(self, kind, body)
    with guard:
        if kind == "case_finished":
            ended.append(told)
            if len(ended) == 4:
                for each in ended:
                    each.wait()
                os.kill(os.getpid(), signal.SIGINT)
    return told
Ledger.post = counted
script()
"""  # a run that is interrupted when four cases are finished, however fast it is


class Road:
    """A workspace in which the protocol was sealed, run, interrupted and gone on with."""

    def __init__(self, folder: Path) -> None:
        self.workspace = new_workspace(folder, SPEC)
        (folder / ".gitignore").write_text("sheets/\n__pycache__/\n", encoding="utf-8")
        self.workspace.protoc("compile", FOLDER)
        self.workspace.commit("Compile the protocol")
        self.workspace.protoc("seal", FOLDER)
        self.workspace.commit("Freeze the round")
        self.frozen = self.workspace.git("rev-parse", "HEAD~1").strip()
        self.interrupt()
        run = next((folder / "runs").glob("*/*.unfinished"))
        self.before = finished(run)
        self.printed = self.workspace.protoc("run", FOLDER, "--resume", str(run.relative_to(folder)), status=1)
        (self.bundle,) = self.workspace.bundles()

    def interrupt(self) -> None:
        """Run, and stop it as with Ctrl-C when some cases are finished."""
        command = [sys.executable, "-c", STOPPED, "run", FOLDER]
        done = subprocess.run(
            command, cwd=self.workspace.folder, env=environment(), capture_output=True, timeout=SECONDS
        )
        assert b"E1210" in done.stderr, done.stderr

    def rows(self, table: str) -> list[dict[str, Any]]:
        """The rows of a table in the bundle."""
        return read_rows(self.bundle / "rows" / f"{table}.jsonl")


def events(folder: Path) -> list[dict[str, Any]]:
    """The events of a ledger that are whole."""
    path = folder / "ledger.jsonl"
    lines = path.read_bytes().split(b"\n")[:-1] if path.is_file() else []
    return [json.loads(line) for line in lines]


def finished(folder: Path) -> dict[str, str]:
    """The cases that are finished, with the answer's digest."""
    return {
        event["body"]["case"]: sha256(str(event["body"]["answer"]).encode()).hexdigest()
        for event in events(folder)
        if event["kind"] == "case_finished"
    }


@pytest.fixture(scope="module")
def road(tmp_path_factory: pytest.TempPathFactory) -> Road:
    return Road(tmp_path_factory.mktemp("neochart") / "origin")


@pytest.mark.breaks("B024", "B025")
def test_a_run_that_goes_on_keeps_what_is_finished_and_asks_nobody_twice(road: Road) -> None:
    assert 4 <= len(road.before) < 20
    after = finished(road.bundle)
    assert len(after) == 20
    assert {case: after[case] for case in road.before} == road.before
    begun = [event["body"]["case"] for event in events(road.bundle) if event["kind"] == "session_begun"]
    assert sorted(begun) == sorted(set(begun))  # each case has one session at most
    outcomes = {row["case"]: row["outcome"] for row in road.rows("outcomes")}
    cut_off = {case for case, outcome in outcomes.items() if outcome != "scored"}
    assert len(cut_off) <= 3  # as many as are under way at once
    assert not cut_off & set(road.before)
    assert "batch_wall: undefined" in road.printed  # nobody knows when the first launch would have ended


@pytest.mark.breaks("B004", "B006", "B012")
def test_a_prompt_is_the_frozen_text_with_source_and_checklist_and_nothing_else(road: Road) -> None:
    laws = {row["law"]: row["elements"] for row in road.rows("laws")}
    cases = {row["case"]: row for row in road.rows("cases")}
    frame = (SPEC / "PROMPT.txt").read_text(encoding="utf-8")
    for call in road.rows("calls"):
        case = cases[call["case"]]
        checklist = json.dumps(laws[case["law"]], ensure_ascii=False, indent=1)
        assert call["prompt"] == frame.replace("{{law.elements}}", checklist).replace("{{text}}", case["text"])
        for withheld in ("sparse", "stratum", case["case"], "round5"):
            assert withheld not in call["prompt"].replace(case["text"], "")


@pytest.mark.breaks("B007", "B008")
def test_the_frozen_set_is_committed_before_the_first_call(road: Road) -> None:
    (frozen,) = road.rows("frozen")
    assert (frozen["clean"], sorted(frozen["paths"])) == (True, sorted(FROZEN))
    first = min(row["started_at"] for row in road.rows("calls"))
    assert frozen["time"] <= first
    commit = next(event["body"]["commit"] for event in events(road.bundle) if event["kind"] == "frozen_set")
    assert road.workspace.git("merge-base", commit, "HEAD").strip() == commit
    opened = open_bundle(road.bundle)
    assert list(frozen_faults(opened, road.workspace.folder)) == []
    (claim,) = [each for each in opened.predicate["claims"] if each["says"].startswith("Every session could write no")]
    assert (claim["grade"] == "recorded") is all(row["sandboxed"] for row in road.rows("calls"))
    for path in FROZEN:
        held = road.workspace.git("show", f"{commit}:{FOLDER}/{path}")
        assert held == (road.workspace.folder / FOLDER / path).read_text(encoding="utf-8")


@pytest.mark.breaks("B011", "B013", "B023", "B031", "B151")
def test_each_session_was_verified_first_and_stayed_within_its_bounds(road: Road) -> None:
    calls = road.rows("calls")
    assert len(calls) == 20
    for call in calls:
        assert (call["model"], call["reasoning"], call["cli_version"]) == ("extractor-1", "medium", "extractor 1.0.2")
        assert call["verified_at"] <= call["started_at"]
        assert call["at_once"] <= 3
        assert call["wall"] is None or call["wall"] <= 900
    assert len({call["sandboxed"] for call in calls}) == 1


@pytest.mark.breaks("B020", "B021")
def test_a_packet_shows_of_a_rejected_quote_its_reason_and_digest(road: Road) -> None:
    packets = read_rows(road.bundle / "packets.jsonl")
    proposed = {(row["case"], row["position"]): row for row in road.rows("proposed")}
    rejected = [row for row in packets if not row["kept"]]
    assert rejected
    published = (road.bundle / "packets.jsonl").read_text(encoding="utf-8")
    for row in rejected:
        quote = proposed[row["case"], row["position"]]["quote"]
        assert set(row) == {"case", "position", "kept", "outcome", "quote_sha256"}
        assert row["quote_sha256"] == sha256(quote.encode()).hexdigest()
        if row["outcome"] == "no_match":
            assert json.dumps(quote, ensure_ascii=False) not in published
    for row in packets:
        if row["kept"]:
            assert (row["status"], row["end"] - row["start"]) == ("unreviewed", len(row["quote"]))


@pytest.mark.breaks("B021")
def test_raw_traces_are_fingerprinted_and_git_never_takes_them(road: Road) -> None:
    ended = [event["body"] for event in events(road.bundle) if event["kind"] == "session_ended"]
    for body in ended:
        trace = body["trace"]
        data = (road.bundle / "raw" / trace["file"]).read_bytes()
        assert (trace["sha256"], trace["bytes"]) == (sha256(data).hexdigest(), len(data))


def published(road: Road) -> dict[str, str]:
    """The files of the bundle that git takes, with their text."""
    road.workspace.git("add", "-A")
    staged = road.workspace.git("ls-files", road.bundle.as_posix()).splitlines()
    return {name: (road.workspace.folder / name).read_text(encoding="utf-8") for name in staged}


def assert_nowhere(road: Road) -> None:
    """No file that git takes holds a quote that stands in no source."""
    packets = read_rows(road.bundle / "packets.jsonl")
    proposed = {(row["case"], row["position"]): row["quote"] for row in road.rows("proposed")}
    quotes = [proposed[row["case"], row["position"]] for row in packets if row.get("outcome") == "no_match"]
    files = {name: text for name, text in published(road).items() if not name.endswith(".md")}  # pages fold lines
    names = {Path(name).name for name in files}
    assert quotes
    assert {"packets.jsonl", "SELECTION.jsonl", "summary.json"} <= names
    assert not any("/raw/" in name for name in files)
    for quote in quotes:
        found = [name for name, text in files.items() if quote in text or json.dumps(quote)[1:-1] in text]
        assert found == []


@pytest.mark.breaks("B021")
def test_what_git_takes_of_a_bundle_has_no_quote_that_was_rejected(road: Road) -> None:
    assert_nowhere(road)


@pytest.mark.breaks("B027")
def test_usage_is_what_the_tool_told_and_totals_are_its_sums(road: Road) -> None:
    turns = road.rows("turns")
    for turn in turns:
        reported = json.loads(turn["reported"])
        fields = {"input": "input_tokens", "cached": "cached_input_tokens", "output": "output_tokens"}
        assert {name: turn[name] for name in fields} == {name: reported[field] for name, field in fields.items()}
    summary = json.loads((road.bundle / "summary.json").read_text(encoding="utf-8"))
    assert summary["metrics"]["input_tokens"] == {"num": sum(turn["input"] for turn in turns), "den": 1}


@pytest.mark.breaks("B009", "B036")
def test_the_round_cannot_be_asked_again_with_another_prompt(road: Road) -> None:
    again = road.workspace.clone(road.workspace.folder.with_name("again"))
    shutil.copy(road.workspace.folder / "registry.jsonl", again.folder)
    path = again.folder / FOLDER / "PROMPT.txt"
    path.write_text(path.read_text(encoding="utf-8") + "Quote more.\n", encoding="utf-8")
    again.commit("Tune the prompt")
    refused = again.try_protoc("run", FOLDER)
    assert (refused.returncode, "E1107" in refused.stderr) == (1, True)
    again.protoc("seal", FOLDER, "--reason", "a better prompt")
    again.commit("Seal it again")
    refused = again.try_protoc("run", FOLDER)
    assert (refused.returncode, "E1301" in refused.stderr) == (1, True)


def test_a_frozen_set_that_git_does_not_have_is_found(road: Road, tmp_path: Path) -> None:
    copy = tmp_path / road.bundle.name
    shutil.copytree(road.bundle, copy)
    first = road.workspace.git("rev-list", "--max-parents=0", "HEAD").strip()
    other = road.workspace.clone(tmp_path / "other")
    (other.folder / FOLDER / "PROMPT.txt").write_text("Another one: {{text}} {{law.elements}}", encoding="utf-8")
    other.commit("Change the prompt")
    ledger = copy / "ledger.jsonl"
    commit = next(event["body"]["commit"] for event in events(copy) if event["kind"] == "frozen_set")
    head = other.git("rev-parse", "HEAD").strip()
    ledger.write_text(ledger.read_text(encoding="utf-8").replace(commit, head), encoding="utf-8")
    told = list(frozen_faults(open_bundle(copy), other.folder))
    assert told == [f"commit {head}, which is said to hold the frozen set, has another PROMPT.txt"]
    assert first == commit or road.workspace.git("merge-base", first, commit).strip() == first


def test_a_trace_that_was_changed_is_found(road: Road, tmp_path: Path) -> None:
    copy = tmp_path / road.bundle.name
    shutil.copytree(road.bundle, copy)
    session = load_protocol(copy / "package").subject.session  # type: ignore[union-attr]
    assert session is not None
    told = list(read_events(copy / "ledger.jsonl"))
    assert list(trace_faults(copy, told, session)) == []
    trace = next((copy / "raw").glob("*.jsonl"))
    trace.write_bytes(trace.read_bytes().replace(b"reasoning", b"reasoninG", 1))
    assert list(trace_faults(copy, told, session)) == [(f"raw/{trace.name}", "it is not the trace of the ledger")]
    assert "E1402" in road.workspace.try_protoc("verify", str(copy)).stderr
    stricter = replace(session, allowed=("agent_message",))
    assert {what for _, what in trace_faults(road.bundle, told, stricter)} == {
        "the ledger has other events or turns of it"
    }  # fmt: skip
    shutil.rmtree(copy / "raw")  # as it is published
    assert list(trace_faults(copy, told, session)) == []


@pytest.mark.breaks("B032", "B033", "B035", "B036", "B155")
def test_review_and_verdict(road: Road) -> None:
    name = road.bundle.relative_to(road.workspace.folder).as_posix()
    told = road.workspace.protoc("adjudicate", name, "--export", "sheets/one")
    assert "proposal.QA1: waits" in told
    sheet = (road.workspace.folder / "sheets" / "one" / "inventory.QA1.jsonl").read_text(encoding="utf-8")
    for withheld in ("sparse", "words of the notes", "quote_sha256", "retained"):
        assert withheld not in sheet
    for stage in ("one", "two"):
        if stage == "two":
            road.workspace.protoc("adjudicate", name, "--export", "sheets/two")
        part("review").fill(road.workspace.folder / "sheets" / stage)
        road.workspace.protoc("adjudicate", name, "--import", f"sheets/{stage}")
    printed = road.workspace.protoc("verdict", name)
    assert "verdict: REPORTED (released)" in printed
    receipt = (road.bundle / "verdict" / "RECEIPT.md").read_text(encoding="utf-8").replace("\\", "")
    for words in ("exact_recall", "alternate_recall", "coverage", "failed_cases", "human savings"):
        assert words in receipt
    assert_nowhere(road)
    road.workspace.protoc("verify", name)
    done = subprocess.run(
        [sys.executable, "-I", str(road.bundle / "verify.py")], capture_output=True, text=True, timeout=SECONDS
    )
    assert (done.returncode, "the bundle holds" in done.stdout) == (0, True)


@pytest.mark.breaks("B001", "B003", "B005")
def test_the_sample_is_what_the_protocol_draws_and_the_trail_is_in_the_bundle(road: Road) -> None:
    package = road.workspace.folder / "generated" / "neochart_r5_v1"
    assert part("draw").sample(package) == read_rows(SPEC / "data" / "sample.jsonl")
    assert part("reader").pool(SPEC / "opinions") == (SPEC / "data" / "pool.jsonl").read_text(encoding="utf-8")
    trail = read_rows(road.bundle / "SELECTION.jsonl")
    taken = {row["case"] for row in trail if row["taken"]}
    assert taken == {row["case"] for row in road.rows("cases")}
    assert {row["standing"] for row in trail} == {"eligible", "too_short", "used_before"}
    assert all(row["standing"] == "eligible" for row in trail if row["taken"])
