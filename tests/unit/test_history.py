"""Deleting the registry or a chain of seals un-spends nothing and hides no seal."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from unit.corpora import project, rows
from unit.projects import Project, ids

ROWS = [*rows(30, 1, "heldout"), *rows(20, 2, "dev")]
SPLITS = "dev: {role: development, may: [score]}\nheldout: {role: heldout, may: [score once]}"


def git(folder: Path, *arguments: str) -> str:
    options = ("-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
    done = subprocess.run(
        ["git", *options, *arguments], cwd=folder, check=True, capture_output=True, text=True, timeout=60
    )
    return done.stdout


def commit(folder: Path) -> None:
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "state")


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A committed workspace: sealed twice, read once; runs/ is not committed."""
    folder = tmp_path_factory.mktemp("base") / "w"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    (folder / ".gitignore").write_text("runs/\n__pycache__/\n")
    (folder / ".gitattributes").write_text("registry.jsonl merge=union\n")
    made = project(folder, "study", ROWS, splits=SPLITS)
    made.seal()
    commit(folder)
    made.edit("protocol.yaml", "50%", "40%")
    made.seal("--reason", "an easier gate")
    made.run()
    commit(folder)
    return folder


@pytest.fixture
def study(base: Path, tmp_path: Path) -> Project:
    return Project(Path(shutil.copytree(base, tmp_path / "w")), "study")


def no_git(study: Project) -> None:
    shutil.rmtree(study.folder / ".git")


def no_runs(study: Project) -> None:
    shutil.rmtree(study.folder / "runs")


def check(study: Project, status: int = 1) -> list[str]:
    study.protoc("splits", "--check", "--workspace", study.folder, status=status)
    return ids(study)


@pytest.mark.parametrize("also", [no_git, no_runs], ids=["known-by-runs", "known-by-git"])
def test_a_deleted_registry_is_found(study: Project, also: Callable[[Project], None]) -> None:
    also(study)
    (study.folder / "registry.jsonl").unlink()
    study.run(status=1)
    assert ids(study) == ["E2305"] * len(ids(study)) != [], study.err
    assert set(check(study)) == {"E2305"}
    if also is no_git:
        study.protoc("verify", *study.bundles(), status=1)
        assert ids(study) == ["E2305"]


def test_one_line_less_is_found_also_where_the_deletion_was_committed(study: Project) -> None:
    no_runs(study)
    path = study.folder / "registry.jsonl"
    first = path.read_bytes().split(b"\n")[0]
    for content, torn in ((first + b"\n", set()), (first[:-5], {"W1314"}), (b"", set())):
        path.write_bytes(content)
        assert set(check(study)) == {"E2305", *torn}, content
        assert "closed" in study.err
    commit(study.folder)
    assert set(check(study)) == {"E2305"}, "HEAD lacks the lines, its history has them"
    git(study.folder, "checkout", "-q", "HEAD~1", "--", "registry.jsonl")
    assert check(study, status=0) == []


@pytest.mark.parametrize("keep", [0, 1], ids=["all-of-it", "the-second-seal"])
@pytest.mark.parametrize("known", ["git", "runs", "registry"])
def test_a_shortened_chain_of_seals_is_found(study: Project, keep: int, known: str) -> None:
    if known != "git":
        no_git(study)
    if known == "registry":
        no_runs(study)
    path = study.spec / "seal.jsonl"
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:keep]))
    study.protoc("seal", study.spec, status=1)
    assert set(ids(study)) == {"E2306"}, study.err
    assert set(check(study)) == {"E2306"}
    if known == "runs":
        study.protoc("verify", *study.bundles(), status=1)
        assert set(ids(study)) == {"E2306"}


def test_a_run_is_refused_where_seals_were_deleted(study: Project) -> None:
    """The same protocol, sealed as if for the first time, would hide that it was changed."""
    path = study.spec / "seal.jsonl"
    path.unlink()
    shutil.move(study.folder / ".git", study.folder.parent / "history")
    shutil.move(study.folder / "runs", study.folder.parent / "bundles")
    registry = study.folder / "registry.jsonl"
    data = registry.read_bytes()
    registry.unlink()
    study.protoc("seal", study.spec)
    registry.write_bytes(data)
    study.run(status=1)
    assert "E2306" in ids(study), study.err


def test_an_open_run_is_evidence_too(study: Project) -> None:
    """A run that was stopped after it had read its split, with the registry deleted."""
    no_git(study)
    (folder,) = study.bundles()
    for name in ("receipt.json", "RECEIPT.md"):
        (folder / name).unlink()
    folder.rename(folder.with_name(folder.name + ".unfinished"))
    assert check(study, status=0) == []
    (study.folder / "registry.jsonl").unlink()
    study.run(status=1)
    assert ids(study) == ["E2305"]


def test_a_clean_workspace_and_a_merge_of_two_clones_lack_nothing(study: Project, tmp_path: Path) -> None:
    """Both chains are there after git's merge, also with a changed copy on one side; the double reading is told."""
    assert check(study, status=0) == []
    other = Project(tmp_path / "other", "study")
    git(tmp_path, "clone", "-q", str(study.folder), str(other.folder))
    corpus = rows(40, 7, "heldout")
    first = project(study.folder, "newone", corpus)
    second = project(other.folder, "newtwo", [{**row, "case": f"x{n}"} for n, row in enumerate(corpus[3:])])
    for one in (first, second):
        one.seal()
        one.run()
        commit(one.folder)
        assert check(one, status=0) == []
    git(study.folder, "pull", "-q", "--no-rebase", "--no-edit", str(other.folder), "main")
    assert check(study) == ["E1307"], study.err
    assert "37 of 37 rows are the same but for their keys" in study.err
    assert "newone" in study.err
    assert "newtwo" in study.err
    ours = git(study.folder, "show", "HEAD^1:registry.jsonl").encode()
    (study.folder / "registry.jsonl").write_bytes(ours)
    assert set(check(study)) == {"E2305"}, "a conflict that was solved by taking one side"


def test_a_line_that_was_edited_by_hand_and_a_cut_off_end_are_refused(study: Project) -> None:
    path = study.folder / "registry.jsonl"
    whole: Any = path.read_bytes()
    path.write_bytes(whole.replace(b'"split":"heldout"', b'"split":"another"', 1))
    study.run(status=1)
    assert ids(study) == ["E1303"], study.err
    assert "line" in study.err
    assert check(study) == ["E1303"]
    path.write_bytes(whole[: len(whole) // 2])
    study.run(status=1)
    assert set(ids(study)) == {"E2305"}, study.err
