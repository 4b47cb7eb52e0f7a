"""Throw-away workspaces for end-to-end tests: a git repository with one protocol, driven by the command line."""

from __future__ import annotations

import contextlib
import io
import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from protoc_compiler.cli import main
from unit.projects import began

ROOT = Path(__file__).resolve().parents[2]
IDENTITY = ("-c", "user.name=Tester", "-c", "user.email=tester@example.invalid")


def environment() -> dict[str, str]:
    """An environment in which `python -m protoc_compiler` runs this checkout, whatever is installed."""
    paths = os.pathsep.join((str(ROOT / "compiler"), str(ROOT / "runtime")))
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "TMPDIR") if name in os.environ}
    return {**kept, "PYTHONPATH": paths, "NO_COLOR": "1", "LANG": "C.UTF-8"}


@contextlib.contextmanager
def surroundings(wanted: dict[str, str]) -> Iterator[None]:
    """These environment variables and no others, for a while."""
    before = dict(os.environ)
    os.environ.clear()
    os.environ.update(wanted)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


class Workspace:
    """One workspace."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def git(self, *arguments: str) -> str:
        """Run git here and give its output."""
        done = subprocess.run(
            ["git", *IDENTITY, *arguments], cwd=self.folder, text=True, capture_output=True, check=True
        )
        return done.stdout

    def commit(self, message: str) -> None:
        """Commit everything that is not ignored."""
        self.git("add", "-A")
        self.git("commit", "-q", "-m", message)

    def try_protoc(self, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
        """Run `protoc` here, whatever its exit status: by `main` in this process, as if it were one of its own."""
        out, err = io.StringIO(), io.StringIO()
        with contextlib.chdir(self.folder), surroundings(environment() | variables):
            status = main(arguments, io.StringIO(), out, err)
        return subprocess.CompletedProcess(arguments, status, out.getvalue(), err.getvalue())

    def protoc(self, *arguments: str, status: int = 0) -> str:
        """Run `protoc` here, expect an exit status, and give its standard output."""
        done = self.try_protoc(*arguments)
        shown = f"protoc {' '.join(arguments)}: {done.returncode}\n{done.stdout}\n{done.stderr}"
        assert done.returncode == status, shown
        return done.stdout

    def clone(self, folder: Path) -> Workspace:
        """A clone, with what is committed here."""
        subprocess.run(["git", "clone", "-q", str(self.folder), str(folder)], check=True)
        return Workspace(folder)

    def bundles(self) -> list[Path]:
        """The bundles of closed runs, oldest first."""
        return sorted((path.parent for path in (self.folder / "runs").glob("*/*/manifest.json")), key=began)


def new_workspace(folder: Path, protocol: Path) -> Workspace:
    """A git repository with a copy of one protocol's folder under `specs/`, committed."""
    folder.mkdir(parents=True)
    workspace = Workspace(folder)
    workspace.git("init", "-q", "-b", "main")
    (folder / ".gitignore").write_text("/runs/\n/registry.jsonl\n", encoding="utf-8")
    ignored = shutil.ignore_patterns("__pycache__", "seal.jsonl", "runs")
    shutil.copytree(protocol, folder / "specs" / protocol.name, ignore=ignored)
    workspace.commit("Write the protocol")
    return workspace


def read_rows(path: Path) -> list[dict[str, Any]]:
    """The rows of a JSONL file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def write_rows(path: Path, rows: list[dict[str, Any]]) -> None:
    """Write rows as JSONL."""
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
