"""A new project from a template: a small protocol with its rows and its subject, which compiles, seals and runs."""

from __future__ import annotations

from pathlib import Path

from protoc_runtime.catalogue import run as kinds
from protoc_runtime.diagnostics import Findings, Refused

TEMPLATES = {
    "python": "a Python function that is called for each case",
    "recorded": "answers that exist already",
}
_FOLDER = Path(__file__).with_name("templates")


def start_project(folder: Path, template: str) -> list[Path]:
    """Write the files of a template and return their paths; `template` is one of TEMPLATES.

    Raises `Refused` (E1213) if one of the files exists already (then nothing is written), E1212 where the folder
    cannot be written.
    """
    source = _FOLDER / template
    contents = {file.relative_to(source): file.read_bytes() for file in sorted(source.rglob("*")) if _is_part(file)}
    findings = Findings()
    for name in contents:
        if (folder / name).exists() or (folder / name).is_symlink():
            findings.add(kinds.PROJECT_EXISTS, None, path=folder / name)
    if findings:
        raise Refused(findings)
    for name, data in contents.items():
        _write(folder / name, data)
    return [folder / name for name in contents]


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
