"""A generated package runs by itself: without the compiler, by the sealed text."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from protoc_runtime.main import run_package
from unit.projects import Project, new_project, read_json

RUNTIME = Path(__file__).resolve().parents[2] / "runtime"


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    project = new_project(tmp_path_factory.mktemp("base") / "project")
    project.seal()
    return project


@pytest.fixture
def project(base, tmp_path):
    return base.copy(tmp_path / "project")


def package(project: Project) -> Path:
    return project.folder / "generated" / "spam_filter_v1"


def test_the_runner_needs_no_compiler(project):
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": f"{RUNTIME}:{package(project).parent}"}
    command = [sys.executable, "-B", "-m", "spam_filter_v1.runner"]
    done = subprocess.run([*command, "run"], env=environment, capture_output=True, text=True, cwd=project.folder)
    assert done.returncode == 0, done.stderr
    assert "verdict: PASS (released)" in done.stdout
    (bundle,) = project.bundles()
    verified = subprocess.run(
        [*command, "verify", str(bundle)], env=environment, capture_output=True, text=True, cwd=project.folder
    )
    assert verified.returncode == 0, verified.stderr
    assert "holds: PASS" in verified.stdout
    project.protoc("verify", bundle)
    again = subprocess.run([*command, "run"], env=environment, capture_output=True, text=True, cwd=project.folder)
    assert again.returncode == 1
    assert "E1301" in again.stderr


def test_phases_and_rehearsals_are_there_too(project, capsys):
    assert run_package(package(project), ["run", "--phase", "tune"]) == 1
    assert run_package(package(project), ["run", "--rehearse"]) == 1
    assert len(project.bundles()) == 2
    assert "REHEARSAL" in capsys.readouterr().out


def test_rows_can_be_scored(project, tmp_path, capsys):
    data = tmp_path / "data"
    data.mkdir()
    shutil.copy(project.spec / "messages.jsonl", data)
    (data / "answers.jsonl").write_text("")
    assert run_package(package(project), ["score", "--data", str(data)]) == 1
    assert "verdict: INVALID" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda p: p.edit("protocol.yaml", "# A small", "# One small"), "E1110"),
        (lambda p: (package(p) / "protocol.json").unlink(), "E1203"),
        (lambda p: (package(p) / "rules.py").write_text("def broken(:"), "E1108"),
    ],
)
def test_what_was_sealed_is_needed_to_the_byte(project, capsys, change, expected):
    change(project)
    assert run_package(package(project), ["run"]) == 1
    assert f"{expected} " in capsys.readouterr().err
    assert project.bundles() == []


def test_rules_that_cannot_be_loaded_are_told(project, capsys):
    (package(project) / "rules.py").write_text("def broken(:")
    assert run_package(package(project), ["run", "--rehearse"]) == 1
    assert "E1204 package-differs" in capsys.readouterr().err


def test_a_rehearsal_of_the_package_says_what_it_is(project):
    run_package(package(project), ["run", "--rehearse", "--out", str(project.folder / "rehearsals")])
    (bundle,) = project.bundles()
    assert read_json(bundle / "summary.json")["kind"] == "rehearsal"
