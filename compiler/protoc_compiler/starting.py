"""A new project from a template: a small protocol with its rows and its subject, which compiles, seals and runs."""

from __future__ import annotations

from pathlib import Path

from protoc_runtime.catalogue import run as kinds
from protoc_runtime.diagnostics import Findings, Refused

TEMPLATES = {
    "python": "a Python function that is called for each case",
    "recorded": "answers that exist already",
}
# What git has to know: the registry of two clones is merged line by line, and bundles are kept apart from the text.
GIT = {
    ".gitattributes": "registry.jsonl merge=union\n",
    ".gitignore": (
        "# Bundles hold rows, and one that git saw would leave its own run a tree that is not clean.\n"
        "# A clone that goes on from a run (a phase after parity, `freeze: {run: ...}`, `protoc verify`) needs a copy\n"
        "# of its folder.\n"
        "runs/\nrehearsals/\n__pycache__/\n"
    ),
}
_FOLDER = Path(__file__).with_name("templates")


def start_project(folder: Path, template: str) -> list[Path]:
    """Write the files of a template and return their paths; `template` is one of TEMPLATES.

    Files for git are written where there are none. Raises `Refused` (E1213) if one of the others exists already (then
    nothing is written), E1212 where the folder cannot be written.
    """
    source = _FOLDER / template
    contents = {file.relative_to(source): file.read_bytes() for file in sorted(source.rglob("*")) if _is_part(file)}
    findings = Findings()
    for name in contents:
        if (folder / name).exists() or (folder / name).is_symlink():
            findings.add(kinds.PROJECT_EXISTS, None, path=folder / name)
    if findings:
        raise Refused(findings)
    fresh = {name: text for name, text in GIT.items() if not (folder / name).exists()}
    contents |= {Path(name): text.encode() for name, text in fresh.items()}
    for path, data in contents.items():
        _write(folder / path, data)
    return [folder / path for path in contents]


def missing_lines(folder: Path) -> list[tuple[Path, str]]:
    """Lines that git needs and that files of the user's own lack, each with its file."""
    return [
        (folder / name, line)
        for name, text in GIT.items()
        for line in text.splitlines()
        if not line.startswith("#") and line not in _lines(folder / name)
    ]


def _lines(path: Path) -> list[str]:
    try:
        return [line.strip().removeprefix("/") for line in path.read_text(encoding="utf-8").splitlines()]
    except (OSError, UnicodeDecodeError):
        return []


def _is_part(file: Path) -> bool:
    return file.is_file() and "__pycache__" not in file.parts


def _write(path: Path, data: bytes) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _cannot(path, error) from None
    try:
        with path.open("xb") as file:
            file.write(data)
    except FileExistsError:
        raise Refused([Findings().add(kinds.PROJECT_EXISTS, None, path=path)]) from None
    except OSError as error:
        raise _cannot(path, error) from None


def _cannot(path: Path, error: OSError) -> Refused:
    return Refused([Findings().add(kinds.CANNOT_WRITE, None, path=path, reason=error.strerror or error)])
