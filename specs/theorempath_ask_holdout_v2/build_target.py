"""Builds the git repository of the Ask system from `ask/`: the same files give the same commit, wherever it is built.

python3 build_target.py FOLDER
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

SOURCE = Path(__file__).resolve().parent / "ask"
WHEN = "2026-08-09T12:00:00+00:00"


def build(folder: Path) -> str:
    """Make the repository in a folder that does not exist yet; the id of its one commit."""
    shutil.copytree(SOURCE, folder, ignore=shutil.ignore_patterns("__pycache__"))
    for path in folder.rglob("*"):
        path.chmod(0o755 if path.is_dir() else 0o644)
    git(folder, "init", "--quiet", "--object-format=sha1", "--initial-branch=main")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", "Route and retrieve")
    return git(folder, "rev-parse", "HEAD").strip()


def git(folder: Path, *words: str) -> str:
    """One git command that reads no settings of the user."""
    names = {f"GIT_{who}_{what}": value for who in ("AUTHOR", "COMMITTER")
             for what, value in (("NAME", "Ask"), ("EMAIL", "ask@example.invalid"), ("DATE", WHEN))}  # fmt: skip
    alone = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    given = {**kept, **names, **alone}
    command = ["git", "-c", "core.autocrlf=false", *words]
    return subprocess.run(command, cwd=folder, env=given, check=True, stdout=subprocess.PIPE, text=True).stdout  # noqa: S603


if __name__ == "__main__":
    print(build(Path(sys.argv[1])))
