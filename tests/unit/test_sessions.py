"""An agent's session: whatever the agent does ends in one outcome with its reason, and nothing of it is left."""

from __future__ import annotations

import io
import json
import os
import socket
import sys
import textwrap
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, redirect_stdout
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from protoc_runtime.agents.cells import Cells, Left
from protoc_runtime.agents.prompt import Prompt
from protoc_runtime.agents.records import Configured, Session, Usage
from protoc_runtime.agents.response import Response
from protoc_runtime.agents.rows import session_rows
from protoc_runtime.agents.session import Fixed, Sessions, trace_name
from protoc_runtime.agents.stream import read_stream
from protoc_runtime.canonical import digest_bytes
from protoc_runtime.declared import Subject
from protoc_runtime.ledger import Ledger
from protoc_runtime.subjects.command import Place
from protoc_runtime.subjects.pool import Reply
from protoc_runtime.subjects.program import Ended
from protoc_runtime.subjects.walls import find_walls

FOUND = find_walls()
WALLED = pytest.mark.skipif(not (FOUND.files and FOUND.closed), reason=f"{FOUND.how}; {FOUND.files_how}")
SANDBOXES = ["", pytest.param("read-only", marks=WALLED)]
USAGE = (Usage("input", "input_tokens"), Usage("cached", "cached_input_tokens", "input"))
BEGIN = """
import json, os, sys, time
def emit(kind, **more): print(json.dumps({"type": kind, **more}), flush=True)
def item(kind, **more): emit("item.completed", item={"id": "i", "type": kind, **more})
def say(answer): item("agent_message", text=answer if isinstance(answer, str) else json.dumps(answer))
def done(**usage): emit("turn.completed", usage={"input_tokens": 7, "cached_input_tokens": 2, **usage})
prompt = sys.stdin.read()
emit("thread.started", thread_id="t1")
emit("turn.started")
"""


def written(program: str) -> bytes:
    """What a program writes after the beginning of a stream."""
    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
    with redirect_stdout(out), patched_stdin():
        exec(compile(BEGIN + textwrap.dedent(program), "agent.py", "exec"), {})
    return out.buffer.getvalue()  # type: ignore[attr-defined]


@contextmanager
def patched_stdin() -> Iterator[None]:
    """An empty standard input."""
    before, sys.stdin = sys.stdin, io.StringIO()
    try:
        yield
    finally:
        sys.stdin = before


class Room:
    """A folder with an agent, and what asks it."""

    def __init__(self, folder: Path, ledger: Ledger, sandbox: str) -> None:
        self.folder, self.ledger, self.sandbox = folder, ledger, sandbox
        (folder / "PROMPT.txt").write_text("Read {{text}} now.", encoding="utf-8")

    def sessions(self, program: str, **changes: Any) -> Sessions:
        """What asks this program; it runs after the beginning of a stream."""
        (self.folder / "agent.py").write_text(BEGIN + textwrap.dedent(program), encoding="utf-8")
        timeout, begin = changes.pop("timeout", 60), changes.pop("environment", {})
        session = Session(
            "PROMPT.txt", sandbox=self.sandbox, network="closed" if self.sandbox else "",
            allowed=("agent_message", "reasoning"), **{"usage": USAGE, **changes},
        )  # fmt: skip
        subject = Subject(
            "command", "agent", "cases", ("text",), ("proposed",), ("agent.py",), Fraction(timeout), 2, (),
            argv=("python3", "agent.py"), directory="empty", session=session,
        )  # fmt: skip
        response = Response.load(self.folder, session.response) if session.response else None
        environment = {"PATH": os.environ["PATH"], "PYTHONDONTWRITEBYTECODE": "1", **begin}
        made = Cells(
            subject, Place(self.folder), self.folder / "logs", environment=environment, gateway=None,
            schema=None if response is None else response.data,
        )  # fmt: skip
        prompt = Prompt.load(self.folder, "PROMPT.txt", subject.sees)
        fixed = Fixed(session, prompt, response, {"model": "tiny-1"}, self.folder / "raw", True)
        return Sessions(made, subject, fixed, self.ledger, self.folder)

    def ask(self, program: str, text: str = "some words", **changes: Any) -> Reply:
        """The reply of a new session."""
        return self.sessions(program, **changes).ask(0, "c1", json.dumps({"text": text}).encode())

    def judge(self, program: str, status: int = 0, **changes: Any) -> Reply:
        """The reply to a stream that a program would write, without its process."""
        made = self.sessions("", **changes)
        ended = Ended(written(program), 0.1, status)
        made._ledger.append("session_begun", {"case": "c1", "n": 1, "at_once": 1, "sandboxed": False})
        return made._close({"case": "c1", "n": 1}, Left(ended, False))

    def rows(self, source: str, session: Session | None = None) -> list[dict[str, Any]]:
        """The rows of one of the three tables."""
        given = session or Session("PROMPT.txt", usage=USAGE)
        return session_rows(self.ledger.events(), given, {"c1": "c1", "c2": "c2", "c3": "c3"})[source]


@pytest.fixture(params=SANDBOXES, ids=["open", "sandbox"])
def room(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Room]:
    with Ledger.open(tmp_path / "ledger.jsonl") as ledger:
        yield Room(tmp_path, ledger, request.param)


@pytest.fixture
def plain(tmp_path: Path) -> Iterator[Room]:
    with Ledger.open(tmp_path / "ledger.jsonl") as ledger:
        yield Room(tmp_path, ledger, "")


@pytest.fixture
def walled(tmp_path: Path) -> Iterator[Room]:
    with Ledger.open(tmp_path / "ledger.jsonl") as ledger:
        yield Room(tmp_path, ledger, "read-only")


def test_a_session_in_good_order(room: Room) -> None:
    reply = room.ask("""
        item("reasoning", text="it may be so")
        say({"prompt": prompt, "cwd": os.listdir(".")})
        done(output_tokens=3)
    """)
    assert json.loads(reply.answer or "") == {"prompt": "Read some words now.", "cwd": []}
    (call,) = room.rows("ledger of subject")
    assert (call["failed"], call["reason"], call["prompt"], call["at_once"]) == (False, None, "Read some words now.", 1)
    assert call["sandboxed"] is bool(room.sandbox)
    assert call["wall"] > 0
    kinds = ["thread.started", "turn.started", "reasoning", "agent_message", "turn.completed"]
    assert [(row["kind"], row["allowed"]) for row in room.rows("events of subject")] == [(kind, True) for kind in kinds]
    (turn,) = room.rows("turns of subject")
    assert (turn["kind"], turn["input"], turn["cached"], turn["malformed"]) == ("completed", 7, 2, False)
    assert json.loads(turn["reported"]) == {"input_tokens": 7, "cached_input_tokens": 2, "output_tokens": 3}


def test_the_trace_is_kept_apart_ignored_by_git_and_fingerprinted(plain: Room) -> None:
    plain.ask("say({}); done()")
    ended = next(event for event in plain.ledger.events() if event.kind == "session_ended")
    trace = plain.folder / "raw" / trace_name("c1", 1)
    assert ended.body["trace"] == {
        "file": trace.name, "sha256": digest_bytes(trace.read_bytes()), "bytes": trace.stat().st_size,
    }  # fmt: skip
    assert (plain.folder / "raw" / ".gitignore").read_text() == "*\n"
    assert trace_name("../a b/ü" * 30, 2) != trace_name("../a b/ü" * 31, 2)
    assert "/" not in trace_name("../a", 1)
    assert not trace_name(".hidden", 1).startswith(".")


@pytest.mark.parametrize(
    ("program", "kind"),
    [
        ('item("command_execution", command="ls"); say({}); done()', "command_execution"),
        ('emit("item.started", item={"id": "i", "type": "web_search"}); say({}); done()', "web_search"),
        ('say({}); done(); emit("session.extended")', "session.extended"),
        ('print("I would rather talk."); say({}); done()', "unreadable"),
        ('print(\'{"type": "turn.started", "type": "turn.completed"}\'); say({}); done()', "unreadable"),
        ('print("[" * 5000); say({}); done()', "unreadable"),
        ('emit("item.completed"); say({}); done()', "unreadable"),
        ('emit("item.completed", item={"type": "a b"}); say({}); done()', "unreadable"),
        ('sys.stdout.buffer.write(b"\\xff\\xfe\\n"); sys.stdout.flush(); say({}); done()', "unreadable"),
    ],
)
def test_an_event_that_is_not_allowed_quarantines(plain: Room, program: str, kind: str) -> None:
    reply = plain.judge(program)
    assert reply.quarantined
    assert reply.answer is None
    assert reply.reason.startswith(f"events that are not allowed: {kind}")
    assert [row["kind"] for row in plain.rows("events of subject") if not row["allowed"]] == [kind]


@pytest.mark.parametrize(
    ("program", "reason"),
    [
        ('say("no JSON at all"); done()', "its answer is not JSON"),
        ('say(""); done()', "its answer is empty"),
        ('say("{\\"a\\": NaN}"); done()', "its answer is not JSON"),
        ('say("{\\"a\\": 1, \\"a\\": 2}"); done()', "a key is repeated"),
        ("done()", "the session gave no message"),
        ("say({})", "no completed turn"),
        ('say({}); emit("turn.failed", error={"message": "the model\\nis away"})', "the model is away"),
        ('say({}); done(); emit("error", message="lost")', "told of an error: lost"),
        ('emit("item.completed", item={"id": "i", "type": "agent_message", "text": 7}); done()', "gave no message"),
    ],
)  # fmt: skip
def test_what_is_no_answer_is_a_failure(plain: Room, program: str, reason: str) -> None:
    reply = plain.judge(program)
    assert (reply.answer, reply.quarantined, reply.timed_out) == (None, False, False)
    assert reason in reply.reason
    (call,) = plain.rows("ledger of subject")
    assert (call["failed"], call["reason"]) == (True, reply.reason)


def test_an_answer_of_another_shape_is_a_failure_that_repeats_nothing(plain: Room) -> None:
    schema = {"type": "object", "required": ["proposed"], "properties": {"proposed": {"maxItems": 6}}}
    (plain.folder / "response.schema.json").write_text(json.dumps(schema))
    good = plain.ask(
        'say({"proposed": json.load(open(os.environ["PROTOC_RESPONSE_SCHEMA"]))["required"]}); done()',
        response="response.schema.json",
    )
    assert json.loads(good.answer or "") == {"proposed": ["proposed"]}
    bad = plain.judge('say({"proposed": ["a secret"] * 7}); done()', response="response.schema.json")
    assert bad.reason == "its answer does not have the shape of response.schema.json: /proposed breaks `maxItems`"


def test_what_is_forbidden_quarantines_whatever_comes_after_it(plain: Room) -> None:
    reply = plain.ask('item("command_execution"); time.sleep(60)', timeout=6)
    assert (reply.quarantined, reply.reason) == (
        True, "events that are not allowed: command_execution; no answer within 6 s",
    )  # fmt: skip
    reply = plain.ask("say({}); done(); sys.exit(3)")
    assert (reply.quarantined, reply.reason) == (False, "the program ended with exit status 3")


# --- usage ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("usage", "counts", "malformed"),
    [
        ('{"input_tokens": "7", "cached_input_tokens": 2}', (None, 2), True),
        ('{"input_tokens": -7, "cached_input_tokens": 0}', (None, 0), True),
        ('{"input_tokens": 7.0}', (None, None), True),
        ('{"input_tokens": true}', (None, None), True),
        ('{"input_tokens": 1e3}', (None, None), True),
        ('{"input_tokens": 99999999999999999999}', (None, None), True),
        ('{"input_tokens": 0}', (0, None), False),
        ('{"input_tokens": null, "more": [1.50, "x"]}', (None, None), False),
        ('"many"', (None, None), True),
        ("null", (None, None), False),
    ],
)
def test_usage_is_taken_as_it_is_told_and_unknown_is_not_zero(
    plain: Room, usage: str, counts: tuple[Any, Any], malformed: bool
) -> None:
    reply = plain.judge(f"""say({{}}); print('{{"type": "turn.completed", "usage": {usage}}}')""")
    assert reply.answer == "{}"
    (turn,) = plain.rows("turns of subject")
    assert ((turn["input"], turn["cached"]), turn["malformed"]) == (counts, malformed)
    assert turn["reported"] == (None if usage == "null" else usage)


def test_each_turn_is_told_by_itself(plain: Room) -> None:
    plain.judge('say("first"); done(); emit("turn.started"); emit("turn.failed", usage={"input_tokens": 1}); '
              'emit("turn.started"); say({}); done(input_tokens=9)')  # fmt: skip
    turns = plain.rows("turns of subject")
    assert [(turn["n"], turn["kind"], turn["input"]) for turn in turns] == [
        (1, "completed", 7), (2, "failed", 1), (3, "completed", 9),
    ]  # fmt: skip


# --- hostile processes ----------------------------------------------------------------------------------------------


def alive(mark: str) -> list[str]:
    """The processes whose command line or name holds a text."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            line = Path("/proc", name, "cmdline").read_bytes().decode(errors="replace")
        except OSError:
            continue
        if mark in line:
            found.append(line)
    return found


def test_one_that_ignores_its_end_is_killed_with_all_that_it_started(room: Room) -> None:
    mark = f"mark-{os.getpid()}-{time.monotonic_ns()}"
    begun = time.monotonic()
    reply = room.ask(f"""
        import signal, subprocess
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        for _ in range(2):
            if os.fork() == 0:
                os.setsid()
                if os.fork() == 0:
                    signal.signal(signal.SIGTERM, signal.SIG_IGN)
                    os.execvp("sleep", ["sleep", "300", "{mark}"]) if False else None
                    os.execvp("python3", ["python3", "-c", "import time; time.sleep(300)", "{mark}"])
                os._exit(0)
        time.sleep(300)
    """, timeout=2)  # fmt: skip
    assert (reply.timed_out, reply.reason) == (True, "no answer within 2 s")
    assert time.monotonic() - begun < 120
    assert alive(mark) == []
    (call,) = room.rows("ledger of subject")
    assert call["failed"]


def test_a_child_that_outlives_a_good_session_is_ended_with_it(room: Room) -> None:
    mark = f"mark-{os.getpid()}-{time.monotonic_ns()}"
    reply = room.ask(f"""
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                os.execvp("python3", ["python3", "-c", "import time; time.sleep(300)", "{mark}"])
            os._exit(0)
        say({{}}); done()
    """)  # fmt: skip
    assert reply.answer == "{}"
    assert alive(mark) == []


def test_two_gigabytes_of_output_are_cut(plain: Room) -> None:
    reply = plain.ask("""
        while True:
            sys.stdout.write("x" * (1 << 20))
    """)
    assert reply.answer is None
    assert "more than" in reply.reason
    (trace,) = (plain.folder / "raw").glob("*.jsonl")
    assert trace.stat().st_size < 20 << 20


@WALLED
def test_a_sandbox_hides_the_runner_its_files_and_the_network(walled: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RUNNERS_OWN", "kept-from-the-agent")
    (walled.folder / "labels.txt").write_text("kept-from-the-agent")
    listener = socket.create_server(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    reply = walled.ask(f"""
        import socket
        told, seen = {{"environment": dict(os.environ)}}, ""
        for name in filter(str.isdigit, os.listdir("/proc")):
            try:
                seen += open(f"/proc/{{name}}/environ").read()
            except OSError:
                pass
        told["seen"] = seen
        def tried(do):
            try:
                return do() or "done"
            except OSError as error:
                return type(error).__name__
        told["network"] = tried(lambda: socket.create_connection(("127.0.0.1", {port}), timeout=20).close())
        told["name"] = tried(lambda: socket.getaddrinfo("example.org", 80) and None)
        told["file"] = tried(lambda: open({str(walled.folder / 'labels.txt')!r}).read())
        told["write"] = tried(lambda: open("here", "w").close())
        told["spec"] = tried(lambda: open({str(walled.folder / 'new')!r}, "w").close())
        say(told); done()
    """)  # fmt: skip
    assert reply.reason == ""
    told = json.loads(reply.answer or "{}")
    assert "kept-from-the-agent" not in json.dumps(told)
    assert "RUNNERS_OWN" not in told["environment"]
    assert told["network"] != "done"
    assert told["name"] == "gaierror"
    assert told["file"] in ("FileNotFoundError", "PermissionError")
    assert told["write"] == "OSError"
    listener.close()
    assert not (walled.folder / "new").exists()


# --- configuration, concurrency, resuming ---------------------------------------------------------------------------

MODEL = Configured("model", file="agent.toml", key="profile.model")


def test_the_configuration_is_read_before_each_session_and_another_one_is_not_asked(plain: Room) -> None:
    (plain.folder / "agent.toml").write_text('[profile]\nmodel = "tiny-1"\n')
    session = Session("PROMPT.txt", configured=(MODEL,))
    made = plain.sessions("say({}); done()", configured=(MODEL,))
    assert made.ask(0, "c1", b'{"text": ""}').answer == "{}"
    (plain.folder / "agent.toml").write_text('[profile]\nmodel = "huge-2"\n')
    reply = made.ask(0, "c2", b'{"text": ""}')
    assert reply.reason == "nobody was asked: model is huge-2, not tiny-1"
    (plain.folder / "agent.toml").unlink()
    assert made.ask(0, "c3", b'{"text": ""}').reason == "nobody was asked: model is unknown, not tiny-1"
    calls = plain.rows("ledger of subject", session)
    assert [(call["model"], call["failed"], call["wall"] is None) for call in calls] == [
        ("tiny-1", False, False), ("huge-2", True, True), (None, True, True),
    ]  # fmt: skip
    assert all(call["verified_at"] <= call["started_at"] for call in calls)
    assert len(list((plain.folder / "raw").glob("*.jsonl"))) == 1


def test_a_command_of_the_tool_tells_of_it_too(room: Room) -> None:
    (room.folder / "tool.py").write_text("print('tiny-1')\nprint('more')\n")
    asked = Configured("model", argv=("python3", "tool.py"))
    made = room.sessions("say({}); done()", configured=(asked,))
    if room.sandbox:  # behind walls a file of the tool is there only if the protocol pins it as code
        assert made.ask(0, "c1", b'{"text": ""}').reason.startswith("nobody was asked: model is unknown")
    else:
        assert made.ask(0, "c1", b'{"text": ""}').answer == "{}" or FOUND.files


def test_a_case_whose_session_was_cut_off_is_not_asked_again(plain: Room) -> None:
    plain.ledger.append("session_begun", {"case": "c1", "n": 1, "at_once": 1, "sandboxed": False, "prompt": "p"})
    reply = plain.ask("say({}); done()", retry="never")
    assert (reply.answer, "no retries" in reply.reason) == (None, True)
    (call,) = plain.rows("ledger of subject")
    assert (call["failed"], call["wall"]) == (True, None)
    assert plain.ask("say({}); done()").answer == "{}"  # where the protocol does not say so, it is asked once more
    assert [call["n"] for call in plain.rows("ledger of subject")] == [1, 2]


def test_sessions_that_are_under_way_at_once_are_counted(plain: Room) -> None:
    meeting = socket.create_server(("127.0.0.1", 0))
    made = plain.sessions(f"""
        import socket
        socket.create_connection(("127.0.0.1", {meeting.getsockname()[1]})).recv(1)  # each waits for the other
        say({{}}); done()
    """)  # fmt: skip
    with meeting, ThreadPoolExecutor(2) as threads:
        waiting = [threads.submit(made.ask, slot, f"c{slot + 1}", b'{"text": ""}') for slot in range(2)]
        meeting.settimeout(60)
        for both in [meeting.accept()[0] for _ in range(2)]:
            both.close()
        assert [each.result(timeout=100).answer for each in waiting] == ["{}", "{}"]
    assert sorted(call["at_once"] for call in plain.rows("ledger of subject")) == [1, 2]


def test_an_interrupted_session_ends_at_once(plain: Room) -> None:
    made = plain.sessions("time.sleep(200)", timeout=200)
    with ThreadPoolExecutor(1) as threads:
        waiting = threads.submit(made.ask, 0, "c1", b'{"text": ""}')
        time.sleep(0.7)
        made.interrupt()
        assert waiting.result(timeout=100).answer is None


def test_a_whole_event_counts_though_its_line_has_no_end() -> None:
    """One that writes no last line feed and waits for its time-out hides nothing."""
    forbidden, begun = b'{"type": "item.completed", "item": {"type": "command_execution"}}', b'{"type": "item.comp'
    for last, kinds in ((forbidden, ("command_execution",)), (begun, ()), (b"", ())):
        assert read_stream(b'{"type": "turn.started"}\n' + last, ("agent_message",), (), cut=True).forbidden == kinds
