"""The Ask protocol the whole road: failed launches, the run, judgement, verdict, verification; and runs that block."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from e2e.theorempath import COMMIT, SPEC, part, sealed_cases
from e2e.workspaces import Workspace, environment, new_workspace, read_rows, write_rows
from protoc_runtime.packages import load_protocol

FOLDER = f"specs/{SPEC.name}"
RUNS = "runs/theorempath_ask_holdout_v2"
WAITS = [0, 1, 2]
pytestmark = pytest.mark.timeout(1500)  # a busy machine takes its time for 96 programs


@pytest.fixture(scope="module")
def sealed(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """A workspace whose protocol is compiled and sealed, everything committed."""
    workspace = new_workspace(tmp_path_factory.mktemp("ask") / "origin", SPEC)
    workspace.protoc("compile", FOLDER)
    workspace.commit("Compile the protocol")
    workspace.protoc("seal", FOLDER)
    workspace.commit("Seal the protocol")
    return workspace


@pytest.fixture(scope="module")
def quarter(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """The same with every fourth conversation, for runs of which not the verdict is the point."""
    workspace = new_workspace(tmp_path_factory.mktemp("ask") / "quarter", SPEC)
    folder = workspace.folder / FOLDER
    kept: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for row in read_rows(folder / "data" / "holdout_v2.jsonl"):
        kept.setdefault((row["stratum"], row["expected"]), []).append(row)
    quarters = [row for rows in kept.values() for row in rows[: len(rows) // 4]]
    write_rows(folder / "data" / "holdout_v2.jsonl", quarters)
    text = (folder / "protocol.yaml").read_text(encoding="utf-8")
    for old, new in ((") == 96", ") == 24"), (") == 8\n", ") == 2\n"), (") == 48", ") == 12")):
        assert old in text
        text = text.replace(old, new)
    (folder / "protocol.yaml").write_text(text, encoding="utf-8")
    workspace.protoc("compile", FOLDER)
    workspace.commit("Compile the shorter protocol")
    workspace.protoc("seal", FOLDER)
    workspace.commit("Seal the shorter protocol")
    return workspace


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The repository of Ask."""
    place: Path = tmp_path_factory.mktemp("ask") / "repository"
    assert part("build_target").build(place) == COMMIT
    return place


@contextmanager
def provided(workspace: Workspace, repository: Path, fail_first: int = 0, **given: str) -> Iterator[Any]:
    """A provider, and the demo's road in this workspace with the addresses in its environment."""
    with part("embedding_provider").Provider(fail_first) as provider:
        named = {"EMBEDDING_BASE_URL": provider.url, "EMBEDDING_API_KEY": provider.credential}
        road = part("demo").Road(workspace.folder, {})
        road.environment = {**environment(), **named, "ASK_REPOSITORY": str(repository), **given}
        yield provider, road


def predicate(folder: Path) -> dict[str, Any]:
    """What a receipt says."""
    return json.loads((folder / "receipt.json").read_text(encoding="utf-8"))["predicate"]


def state(folder: Path, rule: str) -> str:
    """The state of a rule in the receipt."""
    return next(each["state"] for each in predicate(folder)["rules"] if each["name"] == rule)


class Finished:
    """A workspace in which a launch failed, one had no credential, and a third one went the whole road."""

    def __init__(self, workspace: Workspace, repository: Path) -> None:
        self.workspace = workspace
        with provided(workspace, repository.with_name("nowhere")) as (_, road):
            road.protoc("run", FOLDER, expect=(1,))
        with provided(workspace, repository, EMBEDDING_API_KEY="") as (_, road):
            self.stopped = workspace.folder / road.run()
        with provided(workspace, repository, fail_first=2) as (provider, road):
            self.credential = provider.credential
            bundle = road.run()
            self.pending = (workspace.folder / bundle / "summary.json").read_bytes()
            road.judge(bundle)
            road.protoc("verdict", bundle)
            road.protoc("verify", bundle)
        self.bundle = workspace.folder / bundle
        self.verdict = self.bundle / "verdict"

    def rows(self, table: str) -> list[dict[str, Any]]:
        """The rows of a table."""
        return read_rows(self.bundle / "rows" / f"{table}.jsonl")


@pytest.fixture(scope="module")
def finished(sealed: Workspace, repository: Path, tmp_path_factory: pytest.TempPathFactory) -> Finished:
    return Finished(sealed.clone(tmp_path_factory.mktemp("ask") / "finished"), repository)


@pytest.mark.breaks("A051")
def test_the_whole_road_ends_good(finished: Finished):
    receipt = predicate(finished.verdict)
    assert (receipt["verdict"], receipt["released"]) == ("GOOD", True)
    assert predicate(finished.bundle)["verdict"] == "PENDING"
    summary = json.loads((finished.verdict / "summary.json").read_text())
    assert (summary["lists"]["fp_ids"], summary["lists"]["fn_ids"]) == (["h2-062"], ["h2-092"])
    assert summary["metrics"]["top3"]["den"] == 45


@pytest.mark.breaks("A055", "A153")
def test_judgement_leaves_the_matrix_as_it_was(finished: Finished):
    before, after = json.loads(finished.pending), json.loads((finished.verdict / "summary.json").read_text())
    for name in ("TP", "TN", "FP", "FN", "accuracy", "balanced_accuracy", "provider_precision", "provider_recall"):
        assert before["metrics"][name] == after["metrics"][name]


@pytest.mark.breaks("A016", "A017", "A018", "A019")
def test_what_failed_for_a_moment_was_sent_again_after_one_second(finished: Finished):
    attempts = finished.rows("attempts")
    failed = [row for row in attempts if not row["acceptable"]]
    assert [row["status"] for row in failed] == [503, 503]
    assert len(attempts) == 50
    again = [row for row in attempts if row["n"] > 1]
    assert {row["retry_reason"] for row in again} == {"503"}
    assert all(row["waited"] == WAITS[row["n"] - 1] for row in attempts)


@pytest.mark.breaks("A012", "A036")
def test_the_receipt_tells_commit_corpus_routing_and_model(finished: Finished):
    (tree,) = finished.rows("worktree")
    assert tree["commit"] == COMMIT
    assert (tree["detached"], tree["clean_at_start"], tree["clean_at_finish"]) == (True, True, True)
    text = (finished.verdict / "RECEIPT_v2.md").read_text()
    for found in (COMMIT, tree["corpus"], tree["routing"], "observed\\_models: ask-embed-1", "0.9792"):
        assert found in text
    for found in ("observed\\_dimensions: 64", "configured\\_dimension | 64", "embedding\\_attempts | 50"):
        assert found in text
    assert "generation\\_attempts | 0" in text
    assert {row["model"] for row in finished.rows("attempts")} == {"ask-embed-1"}
    assert {row["vector_dimension"] for row in finished.rows("attempts")} == {64, None}
    assert all(re.fullmatch(r"[0-9a-f]{64}", tree[name]) for name in ("corpus", "routing"))
    assert predicate(finished.bundle)["seals"][0]["time"] < tree["first_read"]


@pytest.mark.breaks("A006", "A014")
def test_ask_saw_messages_and_no_label(finished: Finished):
    cases = {row["case"]: row["messages"] for row in sealed_cases()}
    results = finished.rows("results")
    assert {row["case"]: (row["turns"], row["final_turn"]) for row in results} == {
        case: (len(messages), messages[-1]["content"]) for case, messages in cases.items()
    }
    begun = [line for line in read_rows(finished.bundle / "ledger.jsonl") if line["kind"] == "attempt_begun"]
    assert len(begun) == len(finished.rows("attempts"))
    assert finished.rows("generation") == [{"attempts": 0, "calls": 0}]


@pytest.mark.breaks("A021", "A022", "A037")
def test_failed_launches_and_the_one_without_a_credential_are_kept(finished: Finished):
    found = (finished.workspace.folder / RUNS).glob("*/logs/launch.log")
    logs = sorted(found, key=lambda log: log.stat().st_mtime_ns)  # names do not order two launches of one second
    assert ["E1701" in log.read_text() for log in logs] == [True, False]
    assert predicate(finished.stopped)["verdict"] == "BLOCKED"
    assert state(finished.stopped, "no_credential") == "fired"
    assert read_rows(finished.stopped / "rows" / "cases.jsonl") == []
    assert len({log.parents[1] for log in logs} | {finished.bundle}) == 3


@pytest.mark.breaks("A023", "A024")
def test_the_bundle_has_the_files_of_the_protocol_and_a_missing_one_is_found(finished: Finished, tmp_path: Path):
    names = ("raw_cases.jsonl", "RECEIPT_v2.md", "MANUAL_ADJUDICATION.md", "sha256_and_bytes.json")
    assert all((finished.verdict / name).is_file() for name in names)
    listed = json.loads((finished.verdict / "sha256_and_bytes.json").read_text())["files"]
    assert {"raw_cases.jsonl", "MANUAL_ADJUDICATION.md", "summary.json"} <= set(listed)
    assert all(set(entry) >= {"sha256", "bytes"} for entry in listed.values())
    copy = tmp_path / "copy"
    for name in ("raw_cases.jsonl", "MANUAL_ADJUDICATION.md"):
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(finished.bundle, copy)
        (copy / "verdict" / name).unlink()
        done = finished.workspace.try_protoc("verify", str(copy))
        assert done.returncode == 1
        assert name in done.stderr + done.stdout


@pytest.mark.breaks("A025", "A035")
def test_the_credential_is_nowhere(finished: Finished):
    assert finished.rows("scan") == [{"findings": 0}]
    for path in finished.workspace.folder.rglob("*"):
        assert not path.is_file() or finished.credential.encode() not in path.read_bytes(), path


@pytest.mark.breaks("A052")
def test_a_sheet_with_another_label_is_refused_and_shows_no_expectation(
    sealed: Workspace, finished: Finished, tmp_path: Path
):
    copy = tmp_path / "copy"
    shutil.copytree(finished.bundle, copy, ignore=shutil.ignore_patterns("verdict", "adjudication"))
    finished.workspace.protoc("adjudicate", str(copy), "--export", str(tmp_path / "sheets"))
    part("judge").fill(tmp_path / "sheets")
    sheet = tmp_path / "sheets" / "topics.jsonl"
    lines = read_rows(sheet)
    assert {tuple(line["sees"]) for line in lines} == {("messages", "rank", "id", "title", "summary")}
    write_rows(sheet, [{**lines[0], "label": "rather good"}, *lines[1:]])
    done = finished.workspace.try_protoc("adjudicate", str(copy), "--import", str(tmp_path / "sheets"))
    assert done.returncode == 1
    assert "rather good" in done.stderr


@pytest.mark.breaks("A152", "A032")
def test_a_refused_credential_is_not_tried_again_and_blocks(quarter: Workspace, repository: Path, tmp_path: Path):
    workspace = quarter.clone(tmp_path / "clone")
    with provided(workspace, repository, EMBEDDING_API_KEY="-".join(("not", "the", "one"))) as (_, road):
        bundle = workspace.folder / road.run()
    attempts = read_rows(bundle / "rows" / "attempts.jsonl")
    assert {(row["n"], row["status"], row["acceptable"]) for row in attempts} == {(1, 401, False)}
    assert len(attempts) == 12
    assert state(bundle, "P1.6") == "fired"


@pytest.mark.breaks("A017", "A018", "A019", "A032", "A151")
def test_after_two_retries_a_call_has_failed_and_blocks(quarter: Workspace, repository: Path, tmp_path: Path):
    workspace = quarter.clone(tmp_path / "clone")
    with provided(workspace, repository, fail_first=12) as (_, road):
        bundle = workspace.folder / road.run()
    attempts = read_rows(bundle / "rows" / "attempts.jsonl")
    assert max(row["n"] for row in attempts) == 3
    assert all(row["waited"] == WAITS[row["n"] - 1] for row in attempts)
    lost = {row["case"] for row in attempts if row["n"] == 3 and not row["acceptable"]}
    assert lost
    assert state(bundle, "P1.6") == "fired"
    summary = json.loads((bundle / "summary.json").read_text())
    assert lost <= set(summary["lists"]["infrastructure_failures"])
    assert summary["metrics"]["TP"] == {"num": 12, "den": 1}


@pytest.mark.breaks("A008", "A015", "A026", "A027")
@pytest.mark.parametrize(("old", "new"), [("Tell me a joke", "Tell us a joke"), ('"no_source"', '"provider_call"')])
def test_what_changes_after_the_seal_is_refused(
    sealed: Workspace, repository: Path, tmp_path: Path, old: str, new: str
):
    workspace = sealed.clone(tmp_path / "clone")
    data = workspace.folder / FOLDER / "data" / "holdout_v2.jsonl"
    data.write_text(data.read_text().replace(old, new, 1))
    with provided(workspace, repository) as (_, road):
        command = [sys.executable, "-m", "protoc_compiler", "run", FOLDER]
        done = subprocess.run(command, cwd=workspace.folder, env=road.environment, capture_output=True, text=True)
    assert done.returncode == 1
    assert "holdout_v2.jsonl" in done.stderr
    assert not (workspace.folder / "registry.jsonl").exists()


@pytest.mark.breaks("A052")
def test_the_review_room_of_ask_walked_in_a_browser(quarter: Workspace, repository: Path, tmp_path: Path):
    """Every row by its number key; the room dies in the middle; what the sheets withhold never reaches the page."""
    from room.serving import Visitor, chromium, served

    workspace = quarter.clone(tmp_path / "clone")
    with provided(workspace, repository) as (_, road):
        run = (workspace.folder / road.run()).resolve()
    keys = number_keys(workspace, run, tmp_path / "first")
    with chromium() as chrome:
        rater = Visitor(chrome)
        with served(run) as room:
            rater.enter(room.links["rater"], "A. Rater")
            walk(rater, keys["topics"])
            rater.lock("topics")
            begins(rater, "support")
            walk(rater, keys["support"][:5])
            room.kill()  # nothing is closed or said
        with served(run) as room:
            rater.enter(room.links["rater"])
            begins(rater, "support")
            walk(rater, keys["support"][5:], 5)
            strata = {row["stratum"] for row in sealed_cases()}
            assert [word for word in (*strata, "no_source", '"expected"') if rater.told(word)] == []
            rater.lock("support")
            begins(rater, "buckets")
            walk(rater, number_keys(workspace, run, tmp_path / "second")["buckets"])
            assert [word for word in strata if rater.told(word)] == []
            rater.lock("buckets")
            rater.page.get_by_role("heading", name="Everything is saved and locked").wait_for()
            assert room.stop() == 0
        assert (rater.away(), [fault for fault in rater.faults if "ERR_" not in fault]) == ([], [])
    with provided(workspace, repository) as (_, road):
        road.protoc("verdict", str(run), expect=(0, 1))
        road.protoc("verify", str(run))
    told = read_rows(run / "adjudication" / "rows" / "judgements.jsonl")
    assert (len(told), {row["adjudicator"] for row in told}) == (36, {"A. Rater"})


def number_keys(workspace: Workspace, run: Path, place: Path) -> dict[str, list[str]]:
    """What a rater presses, row by row: by the sheets of a copy of the run, since its room may be open."""
    judge, copy = part("judge"), place / run.name
    shutil.copytree(run, copy)
    workspace.protoc("adjudicate", str(copy), "--export", str(place / "sheets"))
    judges = {"topics": judge.topic_label, "support": judge.support_label, "buckets": judge.bucket_label}
    made = {}
    for judgement in load_protocol(run / "package").judgements:
        sheet, labels = place / "sheets" / f"{judgement.name}.jsonl", [label for label, _ in judgement.labels]
        lines = read_rows(sheet) if sheet.exists() else []
        made[judgement.name] = [str(labels.index(judges[judgement.name](line)) + 1) for line in lines]
    return made


def begins(rater: Any, name: str) -> None:
    """Wait for a stage."""
    rater.page.locator("#stages [aria-current]").filter(has_text=name).wait_for()


def walk(rater: Any, keys: list[str], before: int = 0) -> None:
    """Each row by its key, and on to the next; nobody waits for the page."""
    rater.press(*(each for key in keys for each in (key, "Enter")))
    rater.page.locator("#bar-words").filter(has_text=f"{before + len(keys)} of ").wait_for()
    rater.page.wait_for_load_state("networkidle")  # what was answered is heard before the page leaves
