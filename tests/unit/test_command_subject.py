"""A command, and a service: whatever they do ends in one reply, and nothing of them stays behind."""

from __future__ import annotations

import http.server
import json
import os
import sys
import textwrap
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from protoc_runtime.declared import Subject
from protoc_runtime.subjects.command import Commands, Place, closed_environment
from protoc_runtime.subjects.http import Services
from protoc_runtime.subjects.pool import LoadFault, Reply
from protoc_runtime.subjects.program import LARGEST_LOG, LARGEST_OUTPUT
from protoc_runtime.subjects.walls import Walls, find_walls
from providers.conformance import Server, answer
from providers.running import KEY, declared, events, forbidden, gateway

OPEN = Walls(False, "a test")
FOUND = find_walls()
CLOSED = pytest.param(FOUND, id="closed", marks=pytest.mark.skipif(not FOUND.closed, reason=FOUND.how))
BOTH = [pytest.param(OPEN, id="open"), CLOSED]
CALLS = """
import json, os, sys, urllib.request
def call(url, path="/v1/embeddings", body={"model": "m-1", "input": "x"}):
    request = urllib.request.Request(url + path, json.dumps(body).encode(), {"content-type": "application/json"})
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    return json.loads(opener.open(request, timeout=60).read())
"""


def subject(program: str, **changes: Any) -> Subject:
    """A command subject that runs this Python text."""
    values: dict[str, Any] = {
        "kind": "command", "target": "python", "unit": "cases", "sees": ("text",), "gives": ("answers",), "code": (),
        "timeout": Fraction(60), "concurrency": 2, "cites": (), "directory": "empty", "environment": (),
        "argv": (sys.executable, "-c", textwrap.dedent(program)),
    }  # fmt: skip
    return Subject(**{**values, **changes})


def commands(folder: Path, declared_subject: Subject, walls: Walls = OPEN, **more: Any) -> Commands:
    """What asks the command."""
    environment = {"PATH": os.environ["PATH"], **more.pop("environment", {})}
    place = Place(folder, more.pop("target", None))
    return Commands(declared_subject, place, folder / "logs", environment=environment, walls=walls, **more)


def ask(folder: Path, program: str, walls: Walls = OPEN, row: bytes = b'{"text": "x"}', **more: Any) -> Reply:
    """The reply of a program to one case."""
    return commands(folder, subject(program, **more), walls).ask(0, "c1", row)


def alive(mark: str) -> list[str]:
    """The processes whose command line holds a text."""
    found = []
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                line = Path("/proc", name, "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            except OSError:
                continue
            if mark in line and "pytest" not in line:
                found.append(line)
    return found


@pytest.mark.parametrize("walls", BOTH)
def test_json_in_and_json_out(tmp_path, walls):
    program = """
        import json, sys
        case = json.load(sys.stdin)
        print(json.dumps({"answers": {"said": case["text"] + "ü", "number": 0.10}}))
    """
    begun = time.monotonic()
    reply = ask(tmp_path, program, walls, b'{"text": "a"}')
    assert json.loads(reply.answer or "") == {"answers": {"said": "aü", "number": 0.1}}
    assert (reply.reason, reply.timed_out) == ("", False)
    assert 0 < reply.wall <= time.monotonic() - begun


@pytest.mark.parametrize("walls", BOTH)
@pytest.mark.parametrize(
    ("program", "reason"),
    [
        ("", "its output is empty"),
        ("print('hello')", "its output is not JSON"),
        ("print('{}{}')", "its output is not JSON"),
        ("print('{\"a\": NaN}')", "NaN is not a number"),
        ('print(\'{"a": 1, "a": 2}\')', "a key is repeated"),
        ("print('[' * 100000)", "nested too deep"),
        ("print('[' * 100 + ']' * 100)", "nested deeper"),
        ("import os; os.write(1, b'\\xff')", "not UTF-8"),
        ("import sys; print('{}'); sys.exit(3)", "exit status 3"),
        ("import os; os.kill(os.getpid(), 9)", "SIGKILL"),
        ('print(\'{"a": "\\\\ud800"}\')', "not valid Unicode"),
    ],
)
def test_what_is_no_answer(tmp_path, walls, program, reason):
    reply = ask(tmp_path, program, walls)
    assert reply.answer is None
    assert reason in reply.reason


@pytest.mark.parametrize("walls", BOTH)
def test_a_program_that_does_not_read_and_a_large_case(tmp_path, walls):
    assert ask(tmp_path, "print('{}')", walls, b'"' + b"x" * 10**7 + b'"').answer == "{}"
    program = "import sys; print(len(sys.stdin.read()))"
    assert ask(tmp_path, program, walls, b'"' + b"x" * 10**7 + b'"').answer == str(10**7 + 2)


@pytest.mark.parametrize("walls", BOTH)
def test_a_time_out_ends_everything(tmp_path, walls):
    """Children, forks of forks, sessions of their own, ignored signals: none survives, and none delays the reply."""
    mark = f"mark-{os.getpid()}-{time.monotonic_ns()}"
    program = f"""
        import os, signal, subprocess, sys, time
        for number in range(1, 65):
            if number not in (9, 19, 32, 33):
                try: signal.signal(number, signal.SIG_IGN)
                except (OSError, ValueError): pass
        loop = "import signal, time; signal.signal(15, signal.SIG_IGN); time.sleep(200)"
        subprocess.Popen([sys.executable, "-c", loop, "{mark}"], start_new_session=True)
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                subprocess.Popen([sys.executable, "-c", loop, "{mark}"], start_new_session=True)
            os._exit(0)
        print("{{}}", flush=True)
        time.sleep(200)
    """
    begun = time.monotonic()
    reply = ask(tmp_path, program, walls, timeout=Fraction(3))
    assert reply.timed_out
    assert reply.reason == "no answer within 3 s"
    assert time.monotonic() - begun < 60
    assert alive(mark) == []


@pytest.mark.parametrize("walls", BOTH)
def test_what_a_program_leaves_behind_ends_with_it(tmp_path, walls):
    mark = f"mark-{os.getpid()}-{time.monotonic_ns()}"
    program = f"""
        import subprocess, sys
        subprocess.Popen([sys.executable, "-c", "import time; time.sleep(200)", "{mark}"], start_new_session=True)
        print("{{}}")
    """
    begun = time.monotonic()
    assert ask(tmp_path, program, walls).answer == "{}"
    assert time.monotonic() - begun < 60
    assert alive(mark) == []


@pytest.mark.parametrize("walls", BOTH)
def test_a_gigabyte_of_output_is_not_taken(tmp_path, walls):
    program = """
        import os
        block = b"x" * (1 << 20)
        for _ in range(1024): os.write(1, block)
    """
    begun = time.monotonic()
    reply = ask(tmp_path, program, walls)
    assert reply.answer is None
    assert str(LARGEST_OUTPUT) in reply.reason
    assert time.monotonic() - begun < 60


@pytest.mark.parametrize("walls", BOTH)
def test_standard_error_goes_to_the_log_up_to_a_bound(tmp_path, walls):
    program = """
        import os
        os.write(2, b"a word\\n")
        for _ in range(64): os.write(2, b"x" * (1 << 20))
        print("{}")
    """
    assert ask(tmp_path, program, walls).answer == "{}"
    log = (tmp_path / "logs" / "subject-1.log").read_text()
    assert log.startswith("a word\n")
    assert "^ printed during case c1, and " in log
    assert len(log) < LARGEST_LOG + 200


@pytest.mark.parametrize("walls", BOTH)
def test_interrupting_ends_what_runs(tmp_path, walls):
    made = commands(tmp_path, subject("import time; time.sleep(200)", timeout=None), walls)
    with ThreadPoolExecutor(2) as threads:
        waiting = [threads.submit(made.ask, slot, "c", b"{}") for slot in range(2)]
        time.sleep(0.5)
        begun = time.monotonic()
        made.interrupt()
        assert {one.result().answer for one in waiting} == {None}
    assert time.monotonic() - begun < 60


# --- what it sees ---------------------------------------------------------------------------------------------------

ENVIRONMENT = "import json, os; print(json.dumps({'e': dict(os.environ), 'cwd': os.getcwd(), 'files': os.listdir()}))"


@pytest.mark.parametrize("walls", BOTH)
def test_the_environment_is_a_closed_list(tmp_path, walls, monkeypatch):
    monkeypatch.setenv("SOMETHING_ELSE", "x")
    given = {
        "PATH": os.environ["PATH"], "TEST_KEY": KEY, "TEST_URL": "http://x", "ALLOWED": "yes", "COPY": f"a {KEY}",
        "LANG": "de_DE", "OTHER": "no",
    }  # fmt: skip
    made = subject(ENVIRONMENT, environment=("ALLOWED", "COPY", "LANG", "TEST_KEY", "TEST_URL"))
    provider = declared("", base_url_env="TEST_URL")
    environment = closed_environment(made, [provider, forbidden()], given)
    asked = Commands(made, Place(tmp_path), tmp_path / "logs", environment=environment, walls=walls)
    addresses = {"embedding": {"url": "http://127.0.0.1:1/t/embedding"}}
    found = json.loads(asked.ask(0, "c1", b"{}", addresses).answer or "")
    seen = found["e"]
    assert {name for name in seen if name not in ("LC_CTYPE",)} == {
        "PATH", "ALLOWED", "LANG", "TZ", "PYTHONHASHSEED", "PYTHONDONTWRITEBYTECODE", "PYTHONUTF8", "HOME", "TMPDIR",
        "PROTOC_EMBEDDING_URL",
    }  # fmt: skip
    assert (seen["ALLOWED"], seen["LANG"]) == ("yes", "de_DE")
    assert found["files"] == []
    assert not Path(seen["HOME"]).exists()
    assert not Path(found["cwd"]).exists()


def test_where_it_runs(tmp_path):
    (tmp_path / "tree").mkdir()
    (tmp_path / "beside").mkdir()
    place = {"target": str(tmp_path / "tree"), "beside": str(tmp_path / "beside"), "": str(tmp_path)}
    for directory, expected in place.items():
        made = commands(tmp_path, subject(ENVIRONMENT, directory=directory), target=tmp_path / "tree")
        assert json.loads(made.ask(0, "c", b"{}").answer or "")["cwd"] == expected
    first, second = (json.loads(ask(tmp_path, ENVIRONMENT).answer or "")["cwd"] for _ in range(2))
    assert first != second


@pytest.mark.parametrize(
    ("argv", "directory", "found"),
    [
        (("python3",), "empty", True),
        (("no-such-program",), "empty", False),
        (("./run.sh",), "", True),
        (("./run.sh",), "empty", False),
        (("./plain.txt",), "", False),
        (("run.sh",), "", False),
        ((sys.executable,), "", True),
        (("python3",), "nowhere", False),
    ],
)
def test_a_program_that_is_not_there_is_told_before_anything_is_read(tmp_path, argv, directory, found):
    (tmp_path / "run.sh").write_text("#!/bin/sh\n")
    (tmp_path / "run.sh").chmod(0o755)
    (tmp_path / "plain.txt").touch()
    made = commands(tmp_path, subject("", argv=argv, directory=directory))
    if found:
        made.check()
    else:
        with pytest.raises(LoadFault):
            made.check()


@pytest.mark.parametrize("walls", BOTH)
def test_the_runner_cannot_be_looked_into(tmp_path, walls):
    """A credential in the environment of the runner is not read from /proc; the superuser of the machine may."""
    program = f"""
        import json
        try: print(json.dumps(open("/proc/{os.getpid()}/environ", "rb").read().decode("latin-1")))
        except OSError as error: print(json.dumps(type(error).__name__))
    """
    reply = ask(tmp_path, program, walls)
    if walls.closed:
        assert "Error" in (reply.answer or "")
    else:
        assert reply.answer is not None


# --- the network ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("walls", BOTH)
def test_calls_through_the_gateway(tmp_path, walls):
    program = CALLS + "print(json.dumps(call(os.environ['PROTOC_EMBEDDING_URL'])['model']))"
    with Server(answer()) as server, gateway(tmp_path, declared(server.url)) as made:
        asked = commands(tmp_path, subject(program, concurrency=4), walls, gateway=made)

        def one(number: int) -> Reply:
            case = f"c{number}"
            try:
                return asked.ask(number % 4, case, b"{}", made.addresses(case))
            finally:
                made.end(case)

        with ThreadPoolExecutor(4) as threads:
            replies = list(threads.map(one, range(8)))
        assert [(reply.answer, reply.reason) for reply in replies] == [('"m-1"', "")] * 8
        assert len(server.asked) == 8
    assert sorted(body["case"] for body in events(tmp_path, "attempt_begun")) == [f"c{n}" for n in range(8)]


BYPASS = """
found = {{}}
def attempt(name, function):
    try: found[name] = bool(function())
    except BaseException as error: found[name] = type(error).__name__
import socket, subprocess
attempt("direct", lambda: call("{url}"))
attempt("any", lambda: socket.create_connection(("192.0.2.1", 80), 1))
attempt("name", lambda: socket.getaddrinfo("example.org", 80))
attempt("enter", lambda: subprocess.run(["nsenter", "-t", "{pid}", "-n", "true"], capture_output=True).returncode == 0)
attempt("first", lambda: subprocess.run(["nsenter", "-t", "1", "-n", sys.executable, "-c", "import socket; "
    "socket.create_connection(('127.0.0.1', {port}), 1)"], capture_output=True).returncode == 0)
attempt("gateway", lambda: call(os.environ["PROTOC_EMBEDDING_URL"]))
print(json.dumps(found))
"""


@pytest.mark.skipif(not FOUND.closed, reason=FOUND.how)
def test_a_program_behind_walls_cannot_pass_the_gateway_by(tmp_path):
    with Server(answer()) as server, gateway(tmp_path, declared(server.url)) as made:
        program = CALLS + BYPASS.format(url=server.url, port=server.port, pid=os.getpid())
        asked = commands(tmp_path, subject(program), gateway=made, walls=FOUND)
        found = json.loads(asked.ask(0, "c1", b"{}", made.addresses("c1")).answer or "")
        assert found.pop("gateway") is True
        assert True not in found.values(), found
        assert len(server.asked) == 1


def test_without_walls_a_program_can_pass_it_by_and_this_is_said(tmp_path):
    with Server(answer()) as server, gateway(tmp_path, declared(server.url)) as made:
        program = CALLS + f"print(json.dumps(call('{server.url}')['model']))"
        asked = commands(tmp_path, subject(program), gateway=made)
        assert asked.ask(0, "c1", b"{}", made.addresses("c1")).answer == '"m-1"'
        assert asked.walls.closed is False
    assert events(tmp_path, "attempt_begun") == []


@pytest.mark.skipif(not FOUND.closed, reason=FOUND.how)
def test_two_cases_do_not_reach_each_other(tmp_path):
    """A server that one case leaves open, or runs beside, is no way to another case."""
    program = """
        import json, socket, sys, time
        if json.load(sys.stdin)["text"] == "listen":
            with socket.create_server(("127.0.0.1", 45671)):
                time.sleep(2)
            print("1")
        else:
            time.sleep(1)
            try: socket.create_connection(("127.0.0.1", 45671), 1); print("2")
            except OSError: print("3")
    """
    made = commands(tmp_path, subject(program), FOUND)
    with ThreadPoolExecutor(2) as threads:
        rows = (b'{"text": "listen"}', b'{"text": "call"}')
        replies = list(threads.map(lambda pair: made.ask(pair[0], "c", pair[1]).answer, enumerate(rows)))
    assert replies == ["1", "3"]


def test_walls_are_said_to_be_there_or_why_not():
    assert find_walls().how
    assert isinstance(find_walls().closed, bool)


# --- a service ------------------------------------------------------------------------------------------------------


@contextmanager
def service(act: Any) -> Iterator[str]:
    """A service that answers with what `act` makes of the handler and the case."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            act(self, json.loads(self.rfile.read(int(self.headers["content-length"]))))

        def log_message(self, *_: Any) -> None:
            return

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/ask"
    finally:
        server.shutdown()
        server.server_close()


def send(handler: Any, body: bytes, status: int = 200, **headers: str) -> None:
    handler.send_response(status)
    for name, value in {"content-length": str(len(body)), **headers}.items():
        handler.send_header(name, value)
    handler.end_headers()
    handler.wfile.write(body)


def asked_service(url: str, timeout: Fraction = Fraction(60)) -> Services:
    return Services(subject("", kind="http", target=url, argv=(), timeout=timeout))


def test_a_service_gets_the_case_and_the_addresses():
    def act(handler: Any, case: Any) -> None:
        send(handler, json.dumps({"case": case, "url": handler.headers["protoc-embedding-url"]}).encode())

    with service(act) as url:
        made = asked_service(url)
        made.check()
        reply = made.ask(0, "c1", b'{"text": "x"}', {"embedding": {"url": "http://127.0.0.1:1/t/embedding"}})
    assert json.loads(reply.answer or "") == {"case": {"text": "x"}, "url": "http://127.0.0.1:1/t/embedding"}


def trickle(handler: Any, case: Any) -> None:
    """One byte in a while, for ever."""
    handler.send_response(200)
    handler.end_headers()
    try:
        for _ in range(2000):
            handler.wfile.write(b" ")
            time.sleep(0.05)
    except OSError:
        return


@pytest.mark.parametrize(
    ("act", "reason"),
    [
        (lambda handler, case: send(handler, b"{}", 500), "status 500"),
        (lambda handler, case: send(handler, b"", 302, location="http://127.0.0.1:9/"), "status 302"),
        (lambda handler, case: send(handler, b"hello"), "not JSON"),
        (lambda handler, case: send(handler, b"x" * (LARGEST_OUTPUT + 1)), str(LARGEST_OUTPUT)),
        (lambda handler, case: handler.connection.close(), "exchange failed"),
        (trickle, "no answer within 3 s"),
    ],
)
def test_what_is_no_answer_of_a_service(act, reason):
    with service(act) as url:
        reply = asked_service(url, Fraction(3) if act is trickle else Fraction(60)).ask(0, "c1", b"{}")
    assert reply.answer is None
    assert reason in reply.reason
    assert reply.timed_out == ("within" in reason)


def test_a_service_that_is_not_there():
    for url in ("http://127.0.0.1:9/", "ftp://example.org", "http://[bad"):
        with pytest.raises(LoadFault):
            asked_service(url).check()


def test_interrupting_a_service():
    with service(trickle) as url:
        made = asked_service(url, Fraction(60))
        with ThreadPoolExecutor(1) as threads:
            waiting = threads.submit(made.ask, 0, "c", b"{}")
            time.sleep(0.5)
            made.interrupt()
            assert waiting.result(50).answer is None
