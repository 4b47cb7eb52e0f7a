"""The extractor protocol the whole road: compile, seal, run, verify; the same in two clones; spent once."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from e2e.workspaces import Workspace, new_workspace, read_rows, write_rows

SPEC = Path(__file__).resolve().parents[2] / "specs" / "karsa_extractor_v2"
FOLDER = "specs/karsa_extractor_v2"
COMPARED = ("protocol", "version", "spec_digest", "metrics", "blockers", "gates", "verdict", "verdicts", "lists")


@pytest.fixture(scope="module")
def sealed(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """A workspace whose protocol is compiled and sealed, everything committed."""
    workspace = new_workspace(tmp_path_factory.mktemp("karsa") / "origin", SPEC)
    workspace.protoc("compile", FOLDER)
    workspace.commit("Compile the protocol")
    workspace.protoc("seal", FOLDER)
    workspace.commit("Seal the protocol")
    return workspace


@pytest.fixture(scope="module")
def finished(sealed: Workspace, tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """A clone of the sealed workspace with one finished run."""
    return run(sealed.clone(tmp_path_factory.mktemp("karsa") / "clone"))


def run(workspace: Workspace) -> Workspace:
    """Run the scoring phase; the verdict of this protocol is not released, which is status 1."""
    workspace.protoc("run", FOLDER, "--phase", "score", status=1)
    return workspace


def bundle(workspace: Workspace) -> Path:
    (only,) = workspace.bundles()
    return only


def summary(workspace: Workspace) -> dict[str, Any]:
    return json.loads((bundle(workspace) / "summary.json").read_text(encoding="utf-8"))


def verify_alone(folder: Path) -> subprocess.CompletedProcess[str]:
    """The bundle's own verifier, with the standard library and nothing else."""
    return subprocess.run(
        [sys.executable, "-I", "verify.py"], cwd=folder, text=True, capture_output=True, env={"LANG": "C.UTF-8"}
    )


@pytest.mark.breaks("D013")
def test_the_verdict_is_a_failure_that_is_published_and_blocks_the_release(finished: Workspace) -> None:
    score = summary(finished)
    assert score["verdict"] == "FAIL"
    assert score["released"] is False
    assert not any(score["blockers"].values())
    assert score["metrics"]["pass_rate.dev"] == {"num": 24, "den": 24}
    assert score["metrics"]["pass_rate.heldout_v1"] == {"num": 36, "den": 36}
    assert score["metrics"]["pass_rate.heldout_v2"]["den"] == 50
    receipt = (bundle(finished) / "RECEIPT.md").read_text(encoding="utf-8")
    assert "FAIL" in receipt
    assert "A human adjudication of the v2 labels is open" in receipt


def test_two_clones_come_to_the_same_numbers(sealed: Workspace, finished: Workspace, tmp_path: Path) -> None:
    other = run(sealed.clone(tmp_path / "other"))
    mine, theirs = summary(finished), summary(other)
    assert {key: mine[key] for key in COMPARED} == {key: theirs[key] for key in COMPARED}
    for table in ("extracted", "spans", "raised", "quotes"):
        name = f"{table}.jsonl"
        assert find(bundle(finished), name).read_bytes() == find(bundle(other), name).read_bytes()


def find(folder: Path, name: str) -> Path:
    (path,) = folder.rglob(name)
    return path


def test_both_verifiers_agree_with_the_run(finished: Workspace) -> None:
    folder = bundle(finished)
    printed = finished.protoc("verify", str(folder))
    alone = verify_alone(folder)
    assert alone.returncode == 0, alone.stdout + alone.stderr
    assert "FAIL" in printed
    assert "the bundle holds" in alone.stdout


def test_an_edited_row_of_any_table_is_refused_by_both_and_named(finished: Workspace, tmp_path: Path) -> None:
    original = bundle(finished)
    tables = sorted(path.relative_to(original) for path in original.rglob("*.jsonl") if path.name != "ledger.jsonl")
    assert {"extracted", "spans", "raised", "quotes", "cases", "outcomes", "readings"} <= {t.stem for t in tables}
    for number, table in enumerate(tables):
        copy = tmp_path / str(number)
        shutil.copytree(original, copy)
        rows = read_rows(copy / table)
        name = next(name for name, value in rows[-1].items() if value is not None)
        rows[-1][name] = change(rows[-1][name])
        write_rows(copy / table, rows)
        official = finished.try_protoc("verify", str(copy))
        alone = verify_alone(copy)
        for done in (official, alone):
            assert done.returncode == 1, f"{table}: {done.stdout}{done.stderr}"
            assert table.as_posix() in done.stdout + done.stderr


def change(value: Any) -> Any:
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    return f"{value}x" if isinstance(value, str) else {"changed": True}


@pytest.mark.breaks("D016")
def test_a_second_reading_is_refused_and_the_first_is_named(finished: Workspace) -> None:
    first = bundle(finished)
    again = finished.try_protoc("run", FOLDER, "--phase", "score")
    assert again.returncode != 0
    assert "heldout_v2" in again.stderr
    assert first.name in again.stderr
    assert finished.bundles() == [first]


def test_a_run_after_a_change_is_refused(sealed: Workspace, tmp_path: Path) -> None:
    workspace = sealed.clone(tmp_path / "changed")
    path = workspace.folder / FOLDER / "data" / "prices_dev.jsonl"
    rows = read_rows(path)
    rows[0]["price"] += 1
    write_rows(path, rows)
    refused = workspace.try_protoc("run", FOLDER, "--phase", "score")
    assert refused.returncode != 0
    assert "prices_dev.jsonl" in refused.stderr
    assert workspace.bundles() == []
    assert not (workspace.folder / "registry.jsonl").exists()


def test_the_rules_may_be_tuned_on_development_splits_again_and_again(sealed: Workspace, tmp_path: Path) -> None:
    workspace = sealed.clone(tmp_path / "tuned")
    for _ in range(2):
        done = workspace.try_protoc("run", FOLDER, "--phase", "revise")
        assert done.returncode in (0, 1), done.stderr
    assert len(workspace.bundles()) == 2
    run(workspace)
    assert len(workspace.bundles()) == 3
