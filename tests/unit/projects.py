"""Small projects for tests: made from a template, driven by the command line's `main` in this process."""

from __future__ import annotations

import io
import json
import shutil
from pathlib import Path
from typing import Any

from protoc_compiler.cli import main


class Project:
    """One workspace with one protocol."""

    def __init__(self, folder: Path, spec: str) -> None:
        self.folder = folder
        self.spec = folder / "specs" / spec
        self.protocol = self.spec / "protocol.yaml"
        self.err = ""

    def protoc(self, *arguments: Any, status: int = 0) -> str:
        """Run a command, expect its status, give its standard output; `err` keeps the other stream."""
        out, err = io.StringIO(), io.StringIO()
        found = main([str(argument) for argument in arguments], io.StringIO(), out, err)
        self.err = err.getvalue()
        assert found == status, f"{arguments}: {found}\n{out.getvalue()}\n{self.err}"
        return out.getvalue()

    def compile(self) -> None:
        self.protoc("compile", self.spec)

    def seal(self, *arguments: str) -> None:
        self.compile()
        self.protoc("seal", self.spec, *arguments)

    def run(self, *arguments: Any, status: int = 0) -> Path | None:
        """Run, and give the bundle that was added, if one was."""
        before = set(self.bundles())
        self.protoc("run", self.spec, *arguments, status=status)
        added = [folder for folder in self.bundles() if folder not in before]
        return added[0] if added else None

    def bundles(self) -> list[Path]:
        """Every finished bundle, oldest first."""
        found = [path.parent for path in self.folder.glob("r*/*/*/receipt.json")]
        return sorted((folder for folder in found if not _open(folder)), key=began)

    def unfinished(self) -> list[Path]:
        """The folders of launches that did not end."""
        return sorted(path for path in self.folder.glob("r*/*/*") if _open(path))

    def edit(self, name: str, old: str, new: str) -> None:
        """Change a text in a file of the protocol's folder."""
        path = self.spec / name
        text = path.read_text(encoding="utf-8")
        assert old in text, f"{old!r} is not in {name}"
        path.write_text(text.replace(old, new), encoding="utf-8")

    def copy(self, folder: Path) -> Project:
        """A copy of the whole workspace."""
        shutil.copytree(self.folder, folder)
        return Project(folder, self.spec.name)


def new_project(folder: Path, template: str = "python") -> Project:
    """A project as `protoc init` writes it."""
    assert main(["init", str(folder), "--template", template], io.StringIO(), io.StringIO(), io.StringIO()) == 0
    (spec,) = (folder / "specs").iterdir()
    return Project(folder, spec.name)


def read_json(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def read_lines(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def ids(project: Project) -> list[str]:
    """The ids of the diagnostics that the last command told, notes left out."""
    words = [word.strip(":[]") for word in project.err.split()]
    return [word for word in words if len(word) == 5 and word[0] in "EW" and word[1:].isdigit()]


def began(folder: Path) -> str:
    """When a run began, by its ledger: its name has the second only, and of two in one second nobody's order."""
    with (folder / "ledger.jsonl").open(encoding="utf-8") as ledger:
        return str(json.loads(ledger.readline())["body"]["at"])


def _open(folder: Path) -> bool:
    return folder.name.endswith(".unfinished")
