"""Commands that are killed at some moment: a project to kill them in, the moments, and what must hold afterwards."""

from __future__ import annotations

import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

from e2e.workspaces import environment, read_rows, write_rows
from protoc_runtime.chain import BrokenLine, decode
from protoc_runtime.ledger_file import read_events
from protoc_runtime.registry import splits_check
from protoc_runtime.seal import load_seals
from unit.projects import Project, new_project

CASES = 24
SECONDS = 200  # for any command; none needs more than a few
SUBJECT = '''"""Answers after a moment, and notes each call outside of the protocol's folder."""

import os
import time
from pathlib import Path

CALLS = Path(__file__).parents[2] / "calls.txt"
HOLD = CALLS.with_name("hold")  # while there is this file, no more than 20 cases are answered


def answer(case):
    note = os.open(CALLS, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(note, case["text"].encode() + b"\\n")
    os.close(note)
    time.sleep(0.02)
    while HOLD.exists() and CALLS.read_bytes().count(b"\\n") > 20:
        time.sleep(0.01)
    return {"answers": {"answer": "unwanted" if case["text"] < "c07" else "wanted"}}
'''


def project_to_kill(folder: Path) -> Project:
    """A compiled, unsealed project of 24 cases whose subject notes its calls; one case in 24 is answered wrong."""
    project = new_project(folder)
    rows = [
        {"case": f"c{n:02}", "split": "heldout", "text": f"c{n:02}", "label": "unwanted" if n < 8 else "wanted"}
        for n in range(CASES)
    ]
    write_rows(project.spec / "messages.jsonl", rows)
    project.edit("protocol.yaml", "count(cases where split == dev) == 6", "count(cases where split == dev) == 0")
    project.edit("protocol.yaml", "split == heldout) == 8", f"split == heldout) == {CASES}")
    project.edit("protocol.yaml", "timeout: 5 s", f"timeout: {SECONDS} s")
    (project.spec / "subject.py").write_text(SUBJECT, encoding="utf-8")
    project.compile()
    return project


def start(project: Project, *arguments: str) -> subprocess.Popen[bytes]:
    """Start a command of protoc as the leader of a process group."""
    return subprocess.Popen(
        [sys.executable, "-m", "protoc_compiler", *arguments],
        cwd=project.folder,
        env=environment() | {"TMPDIR": str(project.folder.parent)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def kill_when(process: subprocess.Popen[bytes], ripe: Callable[[], bool], delay: float) -> bool:
    """Kill the whole group `delay` seconds after `ripe`; whether it was still running."""
    deadline = time.monotonic() + SECONDS
    while process.poll() is None and not ripe():
        assert time.monotonic() < deadline, "the command hangs"
        time.sleep(0.001)
    time.sleep(delay)
    alive = process.poll() is None
    if alive:
        os.killpg(process.pid, signal.SIGKILL)
    process.wait(SECONDS)
    return alive


def moments(project: Project, stage: str, chance: random.Random) -> tuple[Callable[[], bool], float]:
    """A condition that is true once the stage of a run has begun, and a random delay within the stage."""
    if stage == "subject":
        wanted = chance.randrange(CASES)
        return lambda: ended_cases(project) >= wanted, chance.uniform(0, 0.03)
    if stage == "evaluation":
        return lambda: holds(project, b'"cases_answered"'), chance.uniform(0, 0.3)
    if stage == "bundle":
        return lambda: bool(list(project.folder.glob("runs/*/*/rows"))), chance.uniform(0, 0.06)
    if stage == "end":
        return lambda: bool(list(project.folder.glob("runs/*/*/manifest.json"))), chance.uniform(0, 0.02)
    return lambda: True, chance.uniform(0, 0.7)  # the start: before anything, or while packages are imported


def ledgers(project: Project) -> Iterator[Path]:
    """The ledgers of all runs, ended or not."""
    yield from sorted(project.folder.glob("runs/*/*/ledger.jsonl"))


def holds(project: Project, word: bytes) -> bool:
    """Whether some ledger holds the word."""
    return any(word in data for data in _written(project))


def ended_cases(project: Project) -> int:
    """How many cases have ended in the ledger."""
    return sum(data.count(b'"case_finished"') for data in _written(project))


def _written(project: Project) -> Iterator[bytes]:
    """What is in the ledgers, while a run that ends may give its folder the other name."""
    for path in ledgers(project):
        with contextlib.suppress(FileNotFoundError):
            yield path.read_bytes()


def calls(project: Project) -> Counter[str]:
    """How often the subject was asked for each case."""
    path = project.folder / "calls.txt"
    return Counter(path.read_text().split()) if path.exists() else Counter()


def check_nothing_is_lost_or_torn(project: Project) -> None:
    """What must hold at any moment, before anything is mended: every file is whole, every acknowledged event there."""
    started: set[str] = set()
    for path in ledgers(project):
        started |= {event.body["case"] for event in read_events(path) if event.kind == "case_started"}
    asked = set(calls(project))
    assert asked <= started, f"the subject was asked for {asked - started}, which no ledger has"
    assert not splits_check(project.folder / "registry.jsonl").failed
    assert len(load_seals(project.spec / "seal.jsonl")) <= 1
    for path in project.folder.rglob("*"):
        if path.is_file() and not _is_allowed_to_be_cut(path):
            _check_whole(path)


def _is_allowed_to_be_cut(path: Path) -> bool:
    """Temporary files in the folder of an unfinished run, or of a package that is being written; a run that goes on
    removes them. Ledgers are read above."""
    unfinished = any(part.endswith(".unfinished") for part in path.parts)
    hidden = path.parent.name.startswith(".") or any(part.startswith(".spam_filter_v1.") for part in path.parts)
    return (unfinished and (path.name.endswith(".tmp") or "package" in path.parts or "spec" in path.parts)) or hidden


def _check_whole(path: Path) -> None:
    data = path.read_bytes()
    if path.suffix == ".json":
        json.loads(data)
    if path.suffix == ".jsonl" and data:
        assert data.endswith(b"\n"), f"{path} was cut off"
        for line in data.splitlines():
            json.loads(line)
    if path.name in ("registry.jsonl", "ledger.jsonl"):
        for line in data.splitlines():
            try:
                decode(line)
            except BrokenLine as fault:
                raise AssertionError(f"{path}: {fault}") from None


def go_on(project: Project) -> Path:
    """End what was interrupted, as a person would who reads the messages; the bundle."""
    for folder in project.unfinished():
        if not (folder / "ledger.jsonl").exists():
            project.protoc("run", project.spec, "--resume", folder, status=1)
            assert "E1205" in project.err
            continue
        project.protoc("run", project.spec, "--resume", folder)
    if not project.bundles():
        project.protoc("run", project.spec)
    (bundle,) = project.bundles()
    last = read_rows(project.folder / "registry.jsonl")[-1]
    if last["kind"] != "closed":
        project.protoc("run", project.spec, "--resume", bundle)
    return bundle


def tree(folder: Path) -> dict[str, bytes]:
    """Every file below a folder."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}
