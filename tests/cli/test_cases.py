"""One folder per command-line case: its files, its commands, and what the last command prints.

`command` holds one command a line, without the word `protoc`; where there is none it is `check protocol.yaml`:

    init .                    a command, run in the case's folder by `main`; it must have nothing to report
    ! run specs/spam_filter   a command that may end with any status
    python: -m protoc_compiler run specs/spam_filter   the command in a process of its own
    python: generated/*/runner.py run                  the runner of a generated package
    python: case.py           a program that uses a part of protoc as the command line never does
    sh: rm runs/*/*/seal.json a line for /bin/sh, to bring about what files alone cannot; `tools` is on its path

`*` and `?` in commands stand for paths. What the last command of `protoc` prints is compared with `expected`; in a case
of several lines times, digests and the names of runs in it are replaced by `<time>`, `<digest>` and `<run>`.

`PROTOC_UPDATE=1 pytest tests/cli` writes `expected` anew; read the difference before it is committed.
"""

from __future__ import annotations

import contextlib
import functools
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from protoc_compiler.catalogue import all_kinds
from protoc_compiler.cli import main

HERE = Path(__file__).parent
CASES = sorted(folder for folder in HERE.iterdir() if folder.is_dir() and "-" in folder.name)
STARTED = "init ."  # the first line of every case about a running project
BESIDE = {"N1036": 1, "N1415": 1}  # kinds that only stand beside others, and how many of these their case shows
ELSEWHERE = {  # areas whose kinds are triggered by tests of their own
    "21": ("unit/test_canonical_blocks.py", "unit/test_freeze.py", "unit/test_parity.py"),
    "27": ("drift/test_diff_command.py", "drift/test_sealed_drift.py"),
    "28": ("unit/test_proof_checks.py",),
}
VOLATILE = (
    (r"\d{8}T\d{6}Z_[0-9a-z]+(-\d+)?", "<run>"),
    (r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", "<time>"),
    (r"\b[0-9a-f]{64}\b|\b[0-9a-f]{12}\b", "<digest>"),
)
PROGRAMS = (str(HERE / "tools"), str(Path(sys.executable).parent), os.environ.get("PATH", "/usr/bin:/bin"))
ENVIRONMENT = {
    "PATH": os.pathsep.join(PROGRAMS),
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_SYSTEM": os.devnull,
    "GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@example.org",
    "GIT_COMMITTER_NAME": "A", "GIT_COMMITTER_EMAIL": "a@example.org",
}  # fmt: skip
Printed = tuple[int, str, str]


def commands_of(case: Path) -> list[str]:
    """The lines of a case's `command`."""
    written = case / "command"
    lines = written.read_text(encoding="utf-8").splitlines() if written.exists() else ["check protocol.yaml"]
    return [line for line in lines if line.strip()]


def words_of(command: str) -> list[str]:
    """The words of a command, with `*` and `?` replaced by the paths that they stand for."""
    words: list[str] = []
    for word in shlex.split(command):
        paths = sorted(str(path) for path in Path().glob(word)) if set("*?") & set(word) else []
        words += paths or [word]
    return words


def in_this_process(command: str) -> Printed:
    """What `main` returns and prints."""
    out, err = io.StringIO(), io.StringIO()
    code = main(words_of(command), io.StringIO(), out, err)
    return code, out.getvalue(), err.getvalue()


def in_a_process(command: str) -> Printed:
    """What a Python process of its own returns and prints."""
    done = subprocess.run([sys.executable, *words_of(command)], capture_output=True, text=True, timeout=200)
    return done.returncode, done.stdout, done.stderr


def shell(line: str) -> None:
    """One line for the shell, which must succeed."""
    done = subprocess.run(["/bin/sh", "-c", line], capture_output=True, text=True, timeout=200)
    assert done.returncode == 0, f"{line}\n{done.stdout}{done.stderr}"


def outcome(lines: list[str]) -> Printed:
    """Run the lines in the current folder; what the last command printed."""
    printed: Printed = (0, "", "")
    last = max(at for at, line in enumerate(lines) if not line.startswith("sh:"))
    for at, line in enumerate(lines):
        if line.startswith("sh:"):
            shell(line.removeprefix("sh:"))
            continue
        command = line.removeprefix("!").strip()
        run = in_a_process if command.startswith("python:") else in_this_process
        printed = run(command.removeprefix("python:"))
        assert at == last or line.startswith("!") or printed[0] == 0, f"{line}\n{printed}"
    return printed


def shown(printed: Printed, work: Path, *, stable: bool) -> str:
    """The text of `expected`."""
    code, out, err = printed
    text = f"exit {code}\n--- stdout\n{out}--- stderr\n{err}".replace(str(work), ".")
    for pattern, name in () if stable else VOLATILE:
        text = re.sub(pattern, name, text)
    return text


@functools.cache
def kept(folder: Path, lines: tuple[str, ...]) -> Path:
    """The project after lines with which several cases begin; made once, and copied by each of them."""
    before = kept(folder, lines[:-1]) if len(lines) > 1 else None
    work = folder / f"{len(list(folder.iterdir()))}"
    if before is not None:
        shutil.copytree(before, work, symlinks=True)
    else:
        work.mkdir()
    with contextlib.chdir(work):
        printed = in_this_process(lines[-1])
    assert printed[0] == 0, printed
    return work


@pytest.fixture(scope="session")
def states(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where `kept` keeps projects."""
    return tmp_path_factory.mktemp("states")


def begun(case: Path, work: Path, states: Path) -> list[str]:
    """Make the case's folder as far as it begins like other cases; the lines that are left."""
    lines = commands_of(case)
    common = 0
    if lines[0] == STARTED:
        usual = (line.split()[0] in ("init", "compile", "seal", "run") and "--" not in line for line in lines[:-1])
        common = next((at for at, plain in enumerate(usual) if not plain), len(lines) - 1)
    if common:
        shutil.copytree(kept(states, tuple(lines[:common])), work, symlinks=True)
    shutil.copytree(case, work, dirs_exist_ok=True)
    return lines[common:]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_case_prints_what_is_expected(
    case: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, states: Path
) -> None:
    work = tmp_path / "work"
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(HERE / "tools"), *filter(None, sys.path)]))
    left = begun(case, work, states)
    monkeypatch.chdir(work)
    printed = shown(outcome(left), work, stable=len(commands_of(case)) == 1)
    expected = case / "expected"
    if os.environ.get("PROTOC_UPDATE"):
        expected.write_text(printed, encoding="utf-8")
    assert printed == expected.read_text(encoding="utf-8")


@pytest.mark.parametrize("case", [case for case in CASES if case.name[0] in "EWN"], ids=lambda case: case.name)
def test_case_shows_exactly_its_diagnostic(case: Path) -> None:
    wanted, _, name = case.name.partition("-")
    shown = set(re.findall(r"\b([EWN]\d{4}) ([a-z0-9-]+)", (case / "expected").read_text(encoding="utf-8")))
    beside = BESIDE.get(wanted, 0)
    assert (wanted, name) in shown
    assert len(shown) == 1 + beside


def triggered(kind: str) -> bool:
    """Whether a test of the kind's area names it, or goes through the examples of all kinds of the area."""
    texts = [(HERE.parent / place).read_text(encoding="utf-8") for place in ELSEWHERE.get(kind[1:3], ())]
    return any(kind in text or 'parametrize("kind", kinds.KINDS' in text for text in texts)


def test_every_diagnostic_has_a_case() -> None:
    covered = {case.name.partition("-")[0] for case in CASES}
    missing = {kind.id for kind in all_kinds() if kind.id not in covered}
    assert {kind for kind in missing if not triggered(kind)} == set()
