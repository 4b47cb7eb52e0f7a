"""The commit that adds a seal follows the commit that the seal names; `verify` checks it where it has the history."""

from __future__ import annotations

import json
import subprocess

import pytest

from unit.projects import ids, new_project

IDENTITY = ("-c", "user.name=Tester", "-c", "user.email=tester@example.invalid")


def git(folder, *arguments):
    subprocess.run(["git", *IDENTITY, *arguments], cwd=folder, check=True, capture_output=True)


def commit(folder, words):
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", words)


@pytest.fixture
def project(tmp_path):
    made = new_project(tmp_path / "project")
    git(made.folder, "init", "-q", "-b", "main")
    (made.folder / ".gitignore").write_text("/runs/\n/registry.jsonl\n")
    made.compile()
    commit(made.folder, "Write")
    made.protoc("seal", made.spec)
    return made


def test_a_seal_that_was_committed_next_holds(project):
    commit(project.folder, "Seal")
    bundle = project.run()
    said = project.protoc("verify", bundle)
    assert "  checked, the order of protocol and seal: commit " in said


def test_a_history_in_which_the_seal_came_first_is_told(project):
    bundle = project.run()
    named = json.loads((bundle / "receipt.json").read_text())["predicate"]["seals"][0]["commit"]
    git(project.folder, "branch", "named", named)
    git(project.folder, "checkout", "-q", "--orphan", "other")
    commit(project.folder, "Seal without what it pins")
    project.protoc("verify", bundle, status=1)
    assert ids(project) == ["E1414"]


def test_without_history_it_is_said_why_the_order_is_not_known(project, tmp_path):
    bundle = project.run()
    said = project.protoc("verify", bundle)
    assert "could not be checked, the order of protocol and seal: seal.jsonl is not committed" in said
    bare = project.copy(tmp_path / "copy")
    subprocess.run(["rm", "-rf", str(bare.folder / ".git")], check=True)
    assert "could not be checked, the order of protocol and seal: this workspace is not in git" in bare.protoc(
        "verify", bare.bundles()[0]
    )
    bare.run("--rehearse", status=1)
    (rehearsal,) = (bare.folder / "rehearsals").glob("*/*")
    assert "a rehearsal has no seal" in bare.protoc("verify", rehearsal)
