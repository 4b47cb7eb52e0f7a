"""Whatever a subject does ends in one reply, and the next case is answered as if nothing had happened."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from protoc_runtime.subjects.pool import LoadFault, Pool, PythonSubject, environment

MISBEHAVING = """
import os, sys, time
from decimal import Decimal

def answer(case):
    what = case["what"]
    if what == "raises": raise ValueError("not today")
    if what == "hangs": time.sleep(100)
    if what == "spins":
        while True: pass
    if what == "exits": sys.exit(3)
    if what == "leaves": os._exit(4)
    if what == "nan": return {"a": float("nan")}
    if what == "infinity": return {"a": [Decimal("Infinity")]}
    if what == "forks":
        os.fork()
        return {"a": 1}
    if what == "forks and hangs":
        if os.fork() == 0: time.sleep(100)
        os.kill(os.getpid(), 9)
    if what == "leaves a child":
        child = os.fork()
        if child == 0: time.sleep(100)
        return {"child": child}
    if what == "prints":
        print("hello")
        os.write(2, b"world")
        return {"a": 0.1}
    if what == "is killed": os.kill(os.getpid(), 9)
    if what == "closes": os.closerange(3, 300)
    if what == "object": return object()
    if what == "keys": return {1: 2}
    if what == "surrogate": return {"a": chr(0xD800)}
    if what == "garbage": os.write(int(sys.argv[2]), bytes([0, 0, 0, 1, 65]))
    if what == "loop":
        loop = []
        loop.append(loop)
        return loop
    if what == "mutates": case.clear()
    if what == "environment": return dict(os.environ)
    return {"t": [{"text": "ü", "decimal": Decimal("0.10"), "set": {3, 1, 2}}]}
"""
GOOD = '{"t":[{"text":"ü","decimal":0.10,"set":[1,2,3]}]}'


@pytest.fixture(scope="module")
def pool(tmp_path_factory: pytest.TempPathFactory):
    folder = tmp_path_factory.mktemp("subject")
    (folder / "subject.py").write_text(textwrap.dedent(MISBEHAVING))
    with Pool(PythonSubject(folder / "subject.py", "answer"), 1, 4.5, folder / "logs") as made:
        made.folder = folder
        yield made


def ask(pool: Pool, what: str):
    return pool.ask(0, what, json.dumps({"what": what}).encode())


@pytest.mark.parametrize(
    ("what", "reason"),
    [
        ("raises", "raised ValueError: not today"),
        ("hangs", "no answer within 4.5 s"),
        ("spins", "no answer within 4.5 s"),
        ("exits", "raised SystemExit: 3"),
        ("leaves", "the subject's process ended (exit status 4)"),
        ("nan", "the answer holds nan, which is not a number that can be scored"),
        ("infinity", "the answer holds Infinity, which is not a number that can be scored"),
        ("forks and hangs", "the subject's process ended (killed by SIGKILL)"),
        ("is killed", "the subject's process ended (killed by SIGKILL)"),
        ("closes", "the subject's process ended (killed by SIGKILL)"),
        ("object", "the answer holds a value of type object, which is not plain data"),
        ("keys", "the answer has a key of type int; keys are text"),
        ("surrogate", "the answer holds text that is not valid Unicode (a lone surrogate)"),
        (
            "garbage",
            "the subject's process ended (it wrote to the channel of the answers; killed by SIGKILL)",
        ),
        ("loop", "the answer is nested deeper than 64"),
    ],
)
def test_a_fault_ends_in_its_reason_and_the_next_case_is_answered(pool, what, reason):
    reply = ask(pool, what)
    told = reply.reason.replace("answers; exit status 0)", "answers; killed by SIGKILL)")
    if what == "closes":
        told = told.replace("exit status 1)", "killed by SIGKILL)")  # it may end before it is killed, as above
    assert (reply.answer, told) == (None, reason)
    assert reply.timed_out == (what in ("hangs", "spins"))
    assert ask(pool, "fine").answer == GOOD


@pytest.mark.parametrize("what", ["mutates", "forks", "prints"])
def test_harmless_habits_are_answers(pool, what):
    expected = {"mutates": GOOD, "forks": '{"a":1}', "prints": '{"a":0.1}'}[what]
    assert ask(pool, what).answer == expected
    assert ask(pool, "fine").answer == GOOD


def test_a_process_left_behind_is_ended(pool):
    child = json.loads(ask(pool, "leaves a child").answer)["child"]
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and runs(child):
        time.sleep(0.01)
    assert not runs(child)


def test_prints_go_to_the_log_with_their_case(pool):
    ask(pool, "prints")
    log = (pool.folder / "logs" / "subject-1.log").read_text()
    assert "hello" in log
    assert "world" in log
    assert "^ printed during case prints" in log


def test_the_environment_is_an_allow_list(pool, monkeypatch):
    monkeypatch.setenv("SOME_SECRET", "x")
    assert "SOME_SECRET" not in environment()
    assert set(json.loads(ask(pool, "environment").answer)) <= set(environment()) | {"LC_CTYPE"}


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("def other(case): ...", "has no function 'answer'"),
        ("def answer(:", "SyntaxError"),
        ("import os; os._exit(2)", "exit status 2"),
    ],
)
def test_a_subject_that_cannot_be_loaded_is_told_before_any_case(tmp_path, source, words):
    (tmp_path / "subject.py").write_text(source)
    with (
        pytest.raises(LoadFault, match=words),
        Pool(PythonSubject(tmp_path / "subject.py", "answer"), 1, None, tmp_path / "logs"),
    ):
        pass


def test_a_subject_imports_the_files_beside_it(tmp_path):
    (tmp_path / "helper.py").write_text("VALUE = 7")
    (tmp_path / "subject.py").write_text("from helper import VALUE\ndef answer(case): return {'a': VALUE}")
    with Pool(PythonSubject(tmp_path / "subject.py", "answer"), 1, None, tmp_path / "logs") as pool:
        assert pool.ask(0, "c", b"{}").answer == '{"a":7}'
    assert not (tmp_path / "__pycache__").exists()


def test_a_thousand_cases_are_answered_by_one_process(tmp_path):
    (tmp_path / "subject.py").write_text("import os\ndef answer(case): return {'process': os.getpid()}")
    with Pool(PythonSubject(tmp_path / "subject.py", "answer"), 2, 60.0, tmp_path / "logs") as pool:
        answers = {pool.ask(0, "c", b"{}").answer for _ in range(1000)}
    assert len(answers) == 1
    assert answers != {None}


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel's parent-death signal")
def test_workers_end_with_their_parent(tmp_path):
    (tmp_path / "subject.py").write_text(
        "import os, pathlib, time\n"
        "def answer(case):\n"
        f"    pathlib.Path({str(tmp_path / 'pid')!r}).write_text(str(os.getpid()))\n"
        "    time.sleep(100)"
    )
    script = (
        "from pathlib import Path\nfrom protoc_runtime.subjects.pool import Pool, PythonSubject\n"
        f"folder = Path({str(tmp_path)!r})\n"
        "with Pool(PythonSubject(folder / 'subject.py', 'answer'), 1, None, folder / 'logs') as pool:\n"
        "    pool.ask(0, 'c', b'{}')"
    )
    parent = subprocess.Popen([sys.executable, "-c", script])
    while not (tmp_path / "pid").exists() or not (tmp_path / "pid").read_text():
        time.sleep(0.01)
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    worker = int((tmp_path / "pid").read_text())
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and runs(worker):
        time.sleep(0.01)
    assert not runs(worker)


def runs(process: int) -> bool:
    """Whether a process is there, and no zombie."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    try:
        stat = Path(f"/proc/{process}/stat").read_text()
    except OSError:  # it has ended meanwhile, or this system has no such files
        return Path("/proc").is_dir() is False
    return stat.rpartition(")")[2].split()[0] != "Z"
