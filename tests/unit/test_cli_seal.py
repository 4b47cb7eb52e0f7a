"""`protoc seal` as a user sees it, on the project that `protoc init` starts."""

from __future__ import annotations

import io
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from protoc_compiler.cli import main
from protoc_compiler.starting import start_project
from protoc_runtime.seal import FILE_NAME, load_seals


class Project:
    """A compiled project in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        start_project(folder, "python")
        (self.spec,) = (folder / "specs").glob("*/protocol.yaml")
        assert self.protoc("compile", self.spec.parent)[0] == 0

    def protoc(self, *arguments: object) -> tuple[int, str, str]:
        out, err = io.StringIO(), io.StringIO()
        status = main([str(argument) for argument in arguments], io.StringIO(), out, err)
        return status, out.getvalue(), err.getvalue()

    def change(self, old: str, new: str) -> None:
        text = self.spec.read_text(encoding="utf-8")
        assert old in text
        self.spec.write_text(text.replace(old, new), encoding="utf-8")

    @property
    def seals(self) -> int:
        return len(load_seals(self.spec.parent / FILE_NAME))


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return Project(tmp_path_factory.mktemp("project"))


@pytest.fixture
def project(compiled: Project, tmp_path: Path) -> Project:
    made = object.__new__(Project)
    made.folder = tmp_path / "w"
    shutil.copytree(compiled.folder, made.folder)
    made.spec = made.folder / compiled.spec.relative_to(compiled.folder)
    return made


def test_what_was_pinned_is_told_and_the_unchanged_is_not_sealed_again(project: Project) -> None:
    status, out, err = project.protoc("seal", project.spec.parent)
    assert (status, err) == (0, "")
    assert out.startswith("sealed ")
    for word in (
        "meaning  sha256:",
        "package  generated/",
        "inputs ",
        "subject.py",
        "outside of a repository",
        "number 1",
    ):
        assert word in out
    status, out, _ = project.protoc("seal", project.spec)
    assert (status, project.seals) == (0, 1)
    assert "has not changed since it was sealed at" in out


def test_what_git_did_not_have_is_sealed_again_when_it_has_it(project: Project) -> None:
    """What to do is said both before git has everything and after."""

    def git(*arguments: str) -> None:
        about = ["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
        subprocess.run(["git", *about, *arguments], cwd=project.folder, check=True, capture_output=True)

    git("init", "-q")
    git("commit", "-q", "--allow-empty", "-m", "nothing")
    assert "commit them, then seal again with --reason" in project.protoc("seal", project.spec)[1]
    git("add", "-A")
    git("commit", "-q", "-m", "everything")
    assert "git has them now: seal again with --reason" in project.protoc("seal", project.spec)[1]
    _, out, _ = project.protoc("seal", project.spec, "--reason", "committed")
    assert ("which holds every pinned file" in out, "number 2" in out) == (True, True)


def test_a_relative_path_and_another_current_folder_seal_the_same(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project.spec.parent)
    assert project.protoc("seal", ".")[0] == 0
    monkeypatch.chdir(project.folder)
    status, out, _ = project.protoc("seal", os.path.relpath(project.spec))
    assert (status, project.seals) == (0, 1)
    assert "has not changed" in out


def test_a_stale_package_names_the_command_that_mends_it(project: Project) -> None:
    project.change("version: 1", "version: 1\n  status: final")
    status, out, err = project.protoc("seal", project.spec.parent)
    assert (status, out, project.seals) == (1, "", 0)
    assert "E1112" in err
    assert "protoc compile" in err


def test_a_change_after_the_seal_needs_a_reason(project: Project) -> None:
    assert project.protoc("seal", project.spec.parent)[0] == 0
    (project.spec.parent / "subject.py").open("a").write("\n")
    status, out, err = project.protoc("seal", project.spec.parent)
    assert (status, out) == (1, "")
    assert "E1101" in err
    assert "subject.py" in err
    status, out, _ = project.protoc("seal", project.spec.parent, "--reason", "one more line")
    assert (status, project.seals) == (0, 2)
    assert "number 2" in out


def test_an_error_in_the_spec_is_told_and_nothing_is_sealed(project: Project) -> None:
    project.change("gates:", "gatez:")
    status, out, err = project.protoc("seal", project.spec.parent)
    assert (status, out, project.seals) == (1, "", 0)
    assert "gatez" in err


def test_rows_that_do_not_meet_the_expectations_are_told(project: Project) -> None:
    rows = sorted((project.spec.parent).rglob("*.jsonl"))[0]
    lines = rows.read_text(encoding="utf-8").splitlines(keepends=True)
    rows.write_text("".join(lines[:-1]), encoding="utf-8")
    status, out, err = project.protoc("seal", project.spec.parent)
    assert (status, out, project.seals) == (1, "", 0)
    assert "E1114" in err
