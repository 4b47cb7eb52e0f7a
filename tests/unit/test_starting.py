"""A new project is complete, and is written only where nothing can be lost."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from protoc_compiler.cli import main
from protoc_compiler.starting import TEMPLATES, missing_lines, start_project
from protoc_runtime.diagnostics import Refused


@pytest.mark.parametrize("template", sorted(TEMPLATES))
def test_a_template_is_written_whole(tmp_path, template):
    written = start_project(tmp_path / "new", template)
    assert (tmp_path / "new" / "protoc.toml") in written
    assert [path.name for path in written].count("protocol.yaml") == 1
    assert all(path.read_bytes() for path in written)


def test_nothing_is_overwritten_and_then_nothing_is_written(tmp_path):
    kept = tmp_path / "specs" / "spam_filter" / "subject.py"
    kept.parent.mkdir(parents=True)
    kept.write_text("mine")
    with pytest.raises(Refused) as refused:
        start_project(tmp_path, "python")
    assert [item.id for item in refused.value.diagnostics] == ["E1213"]
    assert kept.read_text() == "mine"
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == [kept]


def test_a_folder_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(Refused) as refused:
        start_project(tmp_path / "file", "python")
    assert [item.id for item in refused.value.diagnostics] == ["E1212"]


def test_git_is_told_what_to_merge_and_what_to_leave_out(tmp_path):
    start_project(tmp_path / "new", "python")
    assert (tmp_path / "new" / ".gitattributes").read_text() == "registry.jsonl merge=union\n"
    lines = (tmp_path / "new" / ".gitignore").read_text().splitlines()
    assert [line for line in lines if not line.startswith("#")] == ["runs/", "rehearsals/", "__pycache__/"]
    assert "needs a copy" in " ".join(lines)
    assert missing_lines(tmp_path / "new") == []


def test_files_for_git_that_exist_are_left_and_their_missing_lines_told(tmp_path):
    (tmp_path / ".gitignore").write_text("*.log\n/runs/\n")
    start_project(tmp_path, "python")
    assert (tmp_path / ".gitignore").read_text() == "*.log\n/runs/\n"
    assert missing_lines(tmp_path) == [
        (tmp_path / ".gitignore", "rehearsals/"),
        (tmp_path / ".gitignore", "__pycache__/"),
    ]


def test_the_steps_after_it_commit_before_and_after_the_seal(tmp_path: Path) -> None:
    """Otherwise a newcomer would spend the held-out rows with a seal of which nothing shows when it was made."""
    for repository in (False, True):
        folder = tmp_path / str(repository) / "new"
        folder.parent.mkdir()
        if repository:
            (folder.parent / ".git").mkdir()
        told = io.StringIO()
        assert main(["init", str(folder)], io.StringIO(), io.StringIO(), told) == 0
        steps = [line.strip() for line in told.getvalue().splitlines()[1:]]
        shown = [step if step == "git init" else " ".join(step.split()[:2]) for step in steps]
        after = ["protoc check", "protoc compile", "git add", "protoc seal", "git add", "protoc run"]
        assert shown == [f"cd {folder}", *([] if repository else ["git init"]), *after]
