"""Programs that stay: a line per case, and what becomes of one that breaks the rule."""

from __future__ import annotations

import json
import os
import sys
import textwrap
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from protoc_runtime.subjects.command import Place
from protoc_runtime.subjects.program import LARGEST_OUTPUT
from protoc_runtime.subjects.staying import StayingCommands
from protoc_runtime.subjects.walls import Walls, find_walls
from providers.conformance import Server, answer
from providers.running import declared, events, gateway
from unit.test_command_subject import CALLS, alive, subject

OPEN, FOUND = Walls(False, "a test"), find_walls()
CLOSED = pytest.param(FOUND, id="closed", marks=pytest.mark.skipif(not FOUND.closed, reason=FOUND.how))
BOTH = [pytest.param(OPEN, id="open"), CLOSED]
LOOP = """
import json, os, sys
for line in sys.stdin:
    given = json.loads(line)
    case = given["case"]
"""


def staying(folder: Path, body: str, walls: Walls = OPEN, *, before: str = "", **more: Any) -> StayingCommands:
    """What asks a program that runs this body for every line."""
    program = before + LOOP + textwrap.indent(textwrap.dedent(body), "    ")
    timeout = more.pop("timeout", Fraction(60))
    made = subject("", argv=(sys.executable, "-u", "-c", program), pool=True, timeout=timeout, concurrency=2)
    environment = {"PATH": os.environ["PATH"]}
    return StayingCommands(made, Place(folder), folder / "logs", environment=environment, walls=walls, **more)


@pytest.mark.parametrize("walls", BOTH)
def test_one_process_answers_many_cases(tmp_path, walls):
    made = staying(tmp_path, "print(json.dumps([os.getpid(), case, os.getcwd()]))", walls)
    replies = [made.ask(0, f"c{n}", json.dumps({"n": n}).encode()) for n in range(5)]
    other = made.ask(1, "c9", b'{\n"n": 9}')
    answers = [json.loads(reply.answer or "null") for reply in replies]
    assert [answer[1]["n"] for answer in answers] == list(range(5))
    assert len({(answer[0], answer[2]) for answer in answers}) == 1
    assert json.loads(other.answer)[1:2] == [{"n": 9}]
    assert json.loads(other.answer)[2] != answers[0][2]
    folder = Path(answers[0][2])
    made.close()
    assert not folder.exists()


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("sys.stdout.write('1\\n2\\n')", "it wrote more than one line"),
        ("sys.exit(3)", "the program ended with exit status 3"),
        ("sys.exit(0)", "the program ended without an answer"),
        ("os.kill(os.getpid(), 9)", "the program ended with SIGKILL"),
        ("print('no json')", "its output is not JSON"),
        (f"print('1' * {LARGEST_OUTPUT + 2})", f"it wrote more than {LARGEST_OUTPUT} bytes to its standard output"),
    ],
)
@pytest.mark.parametrize("walls", BOTH)
def test_a_program_that_breaks_the_rule_is_replaced(tmp_path, walls, body, reason):
    made = staying(tmp_path, f"if case == 'bad':\n    {body}\nelse:\n    print(json.dumps(case))", walls)
    assert made.ask(0, "c1", b'"good"').answer == '"good"'
    bad = made.ask(0, "c2", b'"bad"')
    assert bad.answer is None
    assert reason in bad.reason
    assert made.ask(0, "c3", b'"fine"').answer == '"fine"'
    made.close()


def test_a_line_too_many_does_not_answer_the_next_case(tmp_path):
    body = """
        print(json.dumps([os.getpid(), case]))
        if case == "talks":
            print(json.dumps("too late"))
            open(written, "w").close()
        if case == "ends":
            sys.exit(0)
    """
    written = tmp_path / "written"
    made = staying(tmp_path, body, before=f"written = {str(written)!r}\n")
    asked = []
    for case in ("talks", "ends", "last"):
        asked.append(json.loads(made.ask(0, case, json.dumps(case).encode()).answer or "[0, 0]"))
        while case == "talks" and not written.exists():
            time.sleep(0.01)
        while case == "ends" and made._slots[0][0]._process.poll() is None:
            time.sleep(0.01)
    made.close()
    assert [case for _, case in asked[1:]] == ["ends", "last"]
    assert len({process for process, _ in asked}) == 3


@pytest.mark.parametrize("walls", BOTH)
def test_a_time_out_ends_everything_that_it_started(tmp_path, walls):
    mark = f"1{os.getpid()}7"
    body = f"""
        if case == "slow":
            import subprocess, time
            subprocess.Popen(["sleep", "{mark}"], start_new_session=True)
            time.sleep(60)
        print(json.dumps(case))
    """
    made = staying(tmp_path, body, walls, timeout=Fraction(6))
    reply = made.ask(0, "c1", b'"slow"')
    assert (reply.reason, reply.timed_out) == ("no answer within 6 s", True)
    assert not alive(f"sleep {mark}")
    assert made.ask(0, "c2", b'"quick"').answer == '"quick"'
    made.close()


def test_what_it_prints_is_marked_with_its_case(tmp_path):
    made = staying(tmp_path, "print('about', case, file=sys.stderr); print('{}')")
    for case in ("one", "two"):
        made.ask(0, case, json.dumps(case).encode())
    made.close()
    log = (tmp_path / "logs" / "subject-1.log").read_text()
    assert log == "about one\n\n^ printed during case one\nabout two\n\n^ printed during case two\n"


def test_a_program_that_cannot_be_started(tmp_path):
    made = staying(tmp_path, "pass")
    made._argv = ("/nowhere/at/all",)
    assert "cannot be started" in made.ask(0, "c1", b"1").reason
    made.close()


def test_interrupting_ends_what_runs(tmp_path):
    made = staying(tmp_path, "import time; time.sleep(200)", timeout=None)
    threading.Timer(0.5, made.interrupt).start()
    begun = time.monotonic()
    assert made.ask(0, "c1", b"1").answer is None
    assert made.ask(1, "c2", b"1").answer is None
    assert time.monotonic() - begun < 100
    made.close()


@pytest.mark.parametrize("walls", BOTH)
def test_calls_belong_to_the_case_that_is_asked(tmp_path, walls):
    body = """
        found = call(given["environment"]["PROTOC_EMBEDDING_URL"])
        print(json.dumps({"case": case, "model": found["model"]}))
    """
    with Server(answer()) as server, gateway(tmp_path, declared(server.url)) as made:
        asked = staying(tmp_path, body, walls, before=CALLS, gateway=made)

        def one(number: int) -> None:
            case = f"c{number}"
            try:
                reply = asked.ask(number % 2, case, json.dumps(case).encode(), made.addresses(case))
            finally:
                made.end(case)
            assert json.loads(reply.answer or reply.reason) == {"case": case, "model": "m-1"}

        with ThreadPoolExecutor(2) as pool:
            for first in range(0, 6, 2):
                list(pool.map(one, (first, first + 1)))
        asked.close()
    assert sorted(body["case"] for body in events(tmp_path, "attempt_begun")) == [f"c{number}" for number in range(6)]
