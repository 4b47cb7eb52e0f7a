"""Where the workspace is, and locks that end with their holder."""

from __future__ import annotations

import multiprocessing
import os
import time
from pathlib import Path

import pytest

from protoc_runtime.workspace import find_workspace, locked


def test_the_nearest_marker_wins_over_git(tmp_path: Path) -> None:
    (tmp_path / "outer" / ".git").mkdir(parents=True)
    (tmp_path / "protoc.toml").touch()
    inner = tmp_path / "outer" / "specs" / "a"
    inner.mkdir(parents=True)
    (inner / "protocol.yaml").touch()
    assert find_workspace(inner / "protocol.yaml").root == tmp_path
    (tmp_path / "outer" / "protoc.toml").touch()
    assert find_workspace(inner).root == tmp_path / "outer"


def test_git_then_the_current_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "repo" / "specs"
    folder.mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    assert find_workspace(folder).root == tmp_path
    (tmp_path / "repo" / ".git").write_text("gitdir: elsewhere\n")
    assert find_workspace(folder).root == tmp_path / "repo"
    monkeypatch.chdir(folder)
    assert find_workspace().root == tmp_path / "repo"


def test_an_override_and_the_places_in_it(tmp_path: Path) -> None:
    workspace = find_workspace(tmp_path, override=tmp_path / "other" / ".." / "w")
    assert workspace.root == tmp_path / "w"
    places = (workspace.specs, workspace.generated, workspace.runs, workspace.registry)
    assert [path.name for path in places] == ["specs", "generated", "runs", "registry.jsonl"]
    assert {path.parent for path in places} == {workspace.root}
    assert workspace.shown(workspace.runs / "x") == "runs/x"
    assert workspace.shown(Path("/etc")) == "/etc"


def _count(path: str) -> None:
    for _ in range(50):
        with locked(Path(path)) as descriptor:
            value = int(os.pread(descriptor, 20, 0) or b"0")
            os.ftruncate(descriptor, 0)
            os.write(descriptor, b"%d" % (value + 1))


def test_a_lock_keeps_processes_apart(tmp_path: Path) -> None:
    path = tmp_path / "file"
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=_count, args=(str(path),)) for _ in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert path.read_bytes() == b"150"


def test_a_file_that_is_replaced_while_waiting_is_locked_anew(tmp_path: Path) -> None:
    path, other = tmp_path / "file", tmp_path / "other"
    other.write_bytes(b"new")
    with locked(path):
        child = os.fork()  # it has the locked file open, too: the lock must end with the block all the same
        if child == 0:
            with locked(path) as descriptor:
                os._exit(0 if os.pread(descriptor, 9, 0) == b"new" else 1)
        time.sleep(0.3)
        os.replace(other, path)
    assert os.waitpid(child, 0)[1] == 0
