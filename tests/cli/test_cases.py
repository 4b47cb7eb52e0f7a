"""One folder per command-line case: the files, the command (`command`, else `check protocol.yaml`), what it prints.

`PROTOC_UPDATE=1 pytest tests/cli` writes `expected` anew; read the difference before it is committed.
"""

from __future__ import annotations

import io
import os
import shlex
import shutil
from pathlib import Path

import pytest
from protoc_compiler.catalogue import all_kinds
from protoc_compiler.cli import main

HERE = Path(__file__).parent
CASES = sorted(folder for folder in HERE.iterdir() if folder.is_dir() and "-" in folder.name)


def command_of(case: Path) -> list[str]:
    """The words of a case's command."""
    written = case / "command"
    return shlex.split(written.read_text()) if written.exists() else ["check", "protocol.yaml"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_case_prints_what_is_expected(case: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    work = tmp_path / "work"
    shutil.copytree(case, work)
    monkeypatch.chdir(work)
    out, err = io.StringIO(), io.StringIO()
    code = main(command_of(case), io.StringIO(), out, err)
    printed = f"exit {code}\n--- stdout\n{out.getvalue()}--- stderr\n{err.getvalue()}".replace(str(work), ".")
    expected = case / "expected"
    if os.environ.get("PROTOC_UPDATE"):
        expected.write_text(printed, encoding="utf-8")
    assert printed == expected.read_text(encoding="utf-8")


@pytest.mark.parametrize("case", [case for case in CASES if case.name[0] in "EWN"], ids=lambda case: case.name)
def test_case_shows_exactly_its_diagnostic(case: Path) -> None:
    import re

    wanted, _, name = case.name.partition("-")
    shown = set(re.findall(r"\b([EWN]\d{4}) ([a-z0-9-]+)", (case / "expected").read_text(encoding="utf-8")))
    assert shown == {(wanted, name)}


def test_every_diagnostic_has_a_case() -> None:
    covered = {case.name.partition("-")[0] for case in CASES}
    missing = {f"{kind.id}-{kind.name}" for kind in all_kinds() if kind.id not in covered}
    assert not missing
