"""What a copy of the process does meanwhile: it may take time, and nothing else. The tests have threads of their own,
so that each runs in a process that it starts."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SEED = str(ROOT / "specs" / "theorempath_ask_holdout_v2")
ENVIRONMENT = {**os.environ, "PYTHONPATH": f"{ROOT}/compiler:{ROOT}/runtime"}
HEAD = "import os, sys, time\nfrom protoc_compiler.drift.meanwhile import Meanwhile\nhere = os.getpid()\n"
ONE = "import os; os.sched_setaffinity(0, [min(os.sched_getaffinity(0))])\n"
BLOCKED = "- {is: BLOCKED when some blockers have fired, cites: [A051]}"
GOOD = "- {is: GOOD when all gates have held, cites: [A051]}"
DIFF = "import sys\nfrom protoc_compiler.__main__ import script\nscript()\n"
# Where the machine has one processor, or the system tells of none, everything is done in one process.
several = pytest.mark.skipif(
    not hasattr(os, "sched_getaffinity") or len(os.sched_getaffinity(0)) < 2, reason="takes a second processor"
)


def said(body: str) -> list[object]:
    """What a script prints, in a process that has one thread."""
    done = subprocess.run(
        [sys.executable, "-c", HEAD + body], capture_output=True, text=True, check=True, env=ENVIRONMENT, timeout=60
    )
    assert done.stderr == ""
    return [json.loads(line) for line in done.stdout.splitlines()]


@several
def test_a_copy_does_the_work_and_says_what_it_did_not_find() -> None:
    body = """
works = [lambda: os.getpid() != here, lambda: os.getpid() != here, lambda: os.getpid() == here]
both = Meanwhile(*works)
print([both.nothing(1), both.nothing(0), both.nothing(2), both.nothing(1)].__repr__().lower())
both.end()
both.end()
try:
    os.waitpid(-1, os.WNOHANG)
except ChildProcessError:
    print('"no child is left"')
"""
    assert said(body) == [[True, True, False, True], "no child is left"]


@several
@pytest.mark.parametrize(
    "work", ["1 / 0", "os.kill(os.getpid(), 9)", "os.kill(os.getpid(), 2)", "sys.exit(3)", "print(5)"]
)
def test_a_copy_that_ends_any_other_way_has_said_nothing(work: str) -> None:
    """Neither does it write between the lines of this process, or end it."""
    body = f"print('[1', end='')\nbegun = Meanwhile(lambda: {work})\nprint(', 2]')\nprint(int(begun.nothing(0)))"
    assert said(body) == [[1, 2], 0]


THREADS = "import threading\nthreading.Thread(target=time.sleep, args=(9,), daemon=True).start()\n"
FULL = "def refuse():\n    raise BlockingIOError(11, 'no process is left')\nos.fork = refuse\n"


@pytest.mark.parametrize("before", [ONE, THREADS, FULL], ids=["one processor", "threads", "no process is left"])
def test_where_no_copy_can_be_made_nothing_is_said(before: str) -> None:
    body = f"{before}begun = Meanwhile(lambda: True)\nprint(int(begun.nothing(0)))\nbegun.end()"
    assert said(body) == [0]


def test_nothing_was_begun_where_there_is_no_work() -> None:
    assert said("begun = Meanwhile()\nprint(int(begun.nothing(0)))") == [0]


@several
def test_an_interrupt_ends_both(tmp_path: Path) -> None:
    mark = tmp_path / "begun"  # Python forgets what interrupts a copy before it is one
    body = f"""
begun = Meanwhile(lambda: (open({str(mark)!r}, "w").close(), time.sleep(600)))
while not os.path.exists({str(mark)!r}):
    time.sleep(0.01)
print(begun._child, flush=True)
begun.nothing(0)
"""
    with subprocess.Popen(
        [sys.executable, "-c", HEAD + body], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT,
        start_new_session=True,
    ) as parent:  # fmt: skip
        assert parent.stdout is not None
        copy = int(parent.stdout.readline())
        os.killpg(parent.pid, signal.SIGINT)
        _, told = parent.communicate(timeout=60)
        assert told.count("KeyboardInterrupt") == 1
    deadline = time.monotonic() + 60
    while running(copy) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not running(copy)


def running(process: int) -> bool:
    """Whether there is such a process, and more of it than how it ended."""
    stat = Path(f"/proc/{process}/stat")
    return stat.exists() and stat.read_text(encoding="utf-8").rpartition(")")[2].split()[0] != "Z"


def edited(folder: Path, old: str, new: str) -> str:
    """Seed A with one line changed."""
    text = (Path(SEED) / "protocol.yaml").read_text(encoding="utf-8")
    assert text.count(old) == 1
    made = folder / "protocol.yaml"
    made.write_text(text.replace(old, new), encoding="utf-8")
    return str(made)


@pytest.mark.parametrize(
    ("old", "new", "refused"),
    [
        ("at least 0.90., must: accuracy >= 0.90", "at least 0.88., must: accuracy >= 0.88", set()),
        ("provider_recall: {is: TP / (TP + FN)", "provider_recall: {is: TP / (TP + TN)", {"E2801"}),
        (f"{BLOCKED}\n  {GOOD}", f"{GOOD}\n  {BLOCKED}", {"E0826"}),
    ],
    ids=["nothing", "by counting", "by its form"],
)
@pytest.mark.parametrize("proof", [(), ("--no-proof",)], ids=["proof", "formulas"])
def test_a_review_is_the_same_on_one_processor(
    old: str, new: str, refused: set[str], proof: tuple[str, ...], tmp_path: Path
) -> None:
    argv = ("diff", SEED, edited(tmp_path, old, new), *proof, "--format", "json", "--fail-on", "looser")
    made = [
        subprocess.run([sys.executable, "-c", before + DIFF, *argv], capture_output=True, text=True, env=ENVIRONMENT)
        for before in ("", ONE)
    ]
    assert made[0].stdout == made[1].stdout
    assert [one.returncode for one in made] == [1, 1]
    assert {one["id"] for one in json.loads(made[0].stdout)["checked"]} == refused - ({"E2801"} if proof else set())
