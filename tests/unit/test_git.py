"""Git is asked about files without running anything a repository brings, and without believing its index."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from protoc_runtime.git import Repository, find_repository


def git(folder: Path, *arguments: str) -> str:
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_AUTHOR_DATE": "2026-01-02T03:04:05+02:00",
        "GIT_COMMITTER_DATE": "2026-01-02T03:04:05+02:00",
    }
    identity = ("-c", "user.name=A", "-c", "user.email=a@example.org")
    done = subprocess.run(["git", *identity, *arguments], cwd=folder, env=environment, capture_output=True, check=True)
    return done.stdout.decode().strip()


def make(folder: Path, *options: str) -> Repository:
    folder.mkdir(parents=True, exist_ok=True)
    git(folder, "init", "-q", *options)
    (folder / "spec.yaml").write_text("a: 1\n")
    (folder / "sub").mkdir()
    (folder / "sub" / "ünï [1]*.txt").write_text("rows\n")
    (folder / "link").symlink_to("spec.yaml")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "first")
    found = find_repository(folder / "sub")
    assert found is not None
    return found


@pytest.mark.parametrize("algorithm", ["sha1", "sha256"])
def test_committed_compares_bytes_with_the_tree(tmp_path: Path, algorithm: str) -> None:
    root = tmp_path / "repo"
    repository = make(root, f"--object-format={algorithm}")
    files = [root / "spec.yaml", root / "sub" / "ünï [1]*.txt", root / "link"]
    assert repository.root == root
    assert repository.algorithm == algorithm
    assert repository.head() == git(root, "rev-parse", "HEAD")
    assert repository.unclean(files) == ()
    assert repository.content(files[1], "HEAD") == b"rows\n"
    (root / "sub" / "ünï [1]*.txt").write_text("rows!\n")
    (root / "link").unlink()
    (root / "link").write_text("a: 1\n")
    (root / "new").touch()
    others = [root / "new", root / "absent", root / "sub", tmp_path / "outside"]
    assert repository.unclean([*files, *others]) == tuple(str(path) for path in [*files[1:], *others])
    assert not repository.committed(root / "new")


def test_edits_that_the_index_hides_are_seen(tmp_path: Path) -> None:
    repository = make(tmp_path)
    for flag in ("--assume-unchanged", "--skip-worktree"):
        git(tmp_path, "update-index", flag, "spec.yaml")
        (tmp_path / "spec.yaml").write_text("a: 2\n")
        assert git(tmp_path, "status", "--porcelain") == ""
        assert not repository.committed(tmp_path / "spec.yaml")
        (tmp_path / "spec.yaml").write_text("a: 1\n")
        assert repository.committed(tmp_path / "spec.yaml")


def test_nothing_of_a_hostile_repository_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root, trace = tmp_path / "repo", tmp_path / "trace"
    repository = make(root)
    script = tmp_path / "evil.sh"
    script.write_text(f"#!/bin/sh\necho $0 $@ >> {trace}\n")
    script.chmod(0o755)
    hooks = root / ".git" / "hooks"
    for name in ("post-index-change", "post-checkout", "reference-transaction", "pre-auto-gc"):
        (hooks / name).write_text(script.read_text())
        (hooks / name).chmod(0o755)
    for key in ("core.fsmonitor", "core.pager", "core.sshCommand", "gpg.program", "filter.x.clean", "diff.external"):
        git(root, "config", key, str(script))
    git(root, "config", "log.showSignature", "true")
    git(root, "config", "core.hooksPath", str(hooks))
    git(root, "config", "extensions.partialClone", "origin")
    git(root, "config", "remote.origin.url", f"ext::{script}")
    git(root, "config", "remote.origin.promisor", "true")
    git(root, "config", "protocol.ext.allow", "always")
    (root / ".gitattributes").write_text("* filter=x\n")
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))
    monkeypatch.setenv("GIT_EXTERNAL_DIFF", str(script))
    head = repository.head()
    assert head is not None
    assert find_repository(root) == repository
    assert repository.committed(root / "spec.yaml")
    assert repository.is_ancestor("0" * 40, head) is None
    assert repository.commit_time(head) == "2026-01-02T01:04:05Z"
    assert repository.introduced(root / "spec.yaml", b"a: 1") == head
    assert not trace.exists()


def test_a_revision_cannot_be_an_option(tmp_path: Path) -> None:
    repository = make(tmp_path)
    assert repository.commit(f"--output={tmp_path}/written") is None
    assert repository.commit_time("--all") is None
    assert repository.content(tmp_path / "spec.yaml", "--help") is None
    assert not (tmp_path / "written").exists()


def test_replaced_commits_do_not_change_the_order(tmp_path: Path) -> None:
    repository = make(tmp_path)
    first = git(tmp_path, "rev-parse", "HEAD")
    (tmp_path / "spec.yaml").write_text("a: 1\nb: 2\n")
    git(tmp_path, "commit", "-qam", "second")
    second = git(tmp_path, "rev-parse", "HEAD")
    git(tmp_path, "replace", "--graft", second)
    assert repository.is_ancestor(first, second) is True
    assert repository.is_ancestor(second, first) is False
    assert repository.is_ancestor(first, first) is True
    assert repository.introduced(tmp_path / "spec.yaml", b"b: 2") == second
    assert repository.introduced(tmp_path / "spec.yaml", b"c: 3") is None
    assert repository.content(tmp_path / "spec.yaml", first) == b"a: 1\n"


def test_a_repository_of_another_owner_is_read(tmp_path: Path) -> None:
    repository = make(tmp_path)
    if os.geteuid() != 0:
        pytest.skip("only root can give files away")
    for path in [tmp_path, *tmp_path.rglob("*")]:
        os.chown(path, 12345, 12345, follow_symlinks=False)
    assert find_repository(tmp_path) == repository
    assert repository.committed(tmp_path / "spec.yaml")


def test_outside_git_before_the_first_commit_and_without_git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert find_repository(tmp_path / "absent" / "file") is None
    git(tmp_path, "init", "-q")
    (tmp_path / "file").touch()
    repository = find_repository(tmp_path / "file")
    assert repository is not None
    assert repository.head() is None
    assert not repository.committed(tmp_path / "file")
    assert repository.introduced(tmp_path / "file", b"") is None
    monkeypatch.setenv("PATH", str(tmp_path))
    assert find_repository(tmp_path) is None
