"""What else an agent that means harm may do: each ends in one outcome, with its reason, and nothing of it is left."""

from __future__ import annotations

import json
import os
import signal
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from protoc_runtime.agents.cells import FILLED, LARGEST_DISK
from protoc_runtime.record import replace
from protoc_runtime.subjects.program import LARGEST_OUTPUT, Program, Running, no_listener
from unit.test_sessions import WALLED, Room, alive, plain, room, walled

__all__ = ["plain", "room", "walled"]
FILL = """
def fill(path, megabytes=2048):
    with open(path, "wb") as file:
        for _ in range(megabytes):
            file.write(os.urandom(1 << 10) * (1 << 10))
"""


@pytest.fixture(autouse=True)
def nothing_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Every folder of a session is gone after it."""
    place = tmp_path / "temporary"
    place.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    yield
    assert os.listdir(place) == []


# --- writing too much -----------------------------------------------------------------------------------------------


def test_two_gigabytes_in_one_file_are_too_much(room: Room) -> None:
    """Behind walls there is memory to write to, else the folder of the session."""
    reply = room.ask(FILL + """
path = os.path.expanduser("~/big") if os.environ["HOME"] == "/tmp" else "big"
try:
    fill(path)
except OSError as error:
    say({"told": error.strerror}); done()
time.sleep(5)
""")  # fmt: skip
    assert (reply.answer, reply.reason) == (None, FILLED)
    (call,) = room.rows("ledger of subject")
    assert (call["failed"], call["reason"]) == (True, FILLED)


def test_two_gigabytes_in_many_files_are_too_much(room: Room) -> None:
    begun = time.monotonic()
    reply = room.ask(FILL + """
home = os.environ["HOME"] if os.environ["HOME"] == "/tmp" else "."
for number in range(64):
    fill(f"{home}/{number}", 32)
say({}); done()
""")  # fmt: skip
    assert (reply.answer, reply.reason) == (None, FILLED)
    assert time.monotonic() - begun < 120


@WALLED
@pytest.mark.parametrize("folder", ["/tmp", "/dev/shm"])
def test_memory_counts_although_its_file_was_unlinked(walled: Room, folder: str) -> None:
    reply = walled.ask(f"""
        file = open("{folder}/gone", "wb")
        os.unlink("{folder}/gone")
        for _ in range(60):
            file.write(bytes(1 << 20))
        more = open("{folder}/more", "wb")
        more.write(bytes(30 << 20)); more.flush()
        time.sleep(20)  # it is looked at several times a second, and ended then
        say({{}}); done()
    """)  # fmt: skip
    assert (reply.answer, reply.reason) == (None, FILLED)


@WALLED
def test_what_stays_below_the_bound_is_nobodys_matter(walled: Room) -> None:
    reply = walled.ask("""
        for name in ("/tmp/a", "/dev/shm/b"):
            with open(name, "wb") as file:
                file.write(bytes(20 << 20))
        say({}); done()
    """)  # fmt: skip
    assert reply.answer == "{}"


def test_a_program_that_does_not_ignore_the_signal_is_ended_by_it(room: Room) -> None:
    place = "/tmp" if room.sandbox else "."
    reply = room.ask(f"""
        import signal
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
        with open("{place}/sparse", "wb") as file:  # it takes no room, and so is not seen by who measures
            file.truncate({LARGEST_DISK})
            file.seek({LARGEST_DISK} + 8192)
            file.write(b"x")
        say({{}}); done()
    """)  # fmt: skip
    assert (reply.answer, reply.reason) == (None, FILLED)


def test_without_any_wall_a_file_is_bounded_too(tmp_path: Path) -> None:
    """Where the machine has no name spaces: a limit that every child inherits."""
    code = "import signal, sys; signal.signal(signal.SIGXFSZ, signal.SIG_DFL); open('big', 'wb').write(bytes(3 << 20))"
    about = Program((sys.executable, "-c", code), tmp_path, {}, walls=False, most=1 << 20)
    with open(os.devnull, "wb") as log:
        ended = Running(about, log, no_listener).run(b"", 60)
        assert (ended.filled, ended.status) == (True, -signal.SIGXFSZ)
        assert (tmp_path / "big").stat().st_size <= (1 << 20) + 4096
        ended = Running(replace(about, most=0), log, no_listener).run(b"", 60)
    assert (ended.filled, ended.status) == (False, 0)


def test_empty_files_without_number_are_too_much(plain: Room) -> None:
    reply = plain.ask("""
        number = 0
        while True:
            open(f"empty{number}", "w").close()
            number += 1
    """)  # fmt: skip
    assert (reply.answer, reply.reason) == (None, FILLED)


@WALLED
def test_empty_files_in_memory_come_to_an_end(walled: Room) -> None:
    reply = walled.ask("""
        number = 0
        try:
            while number < 1_000_000:
                open(f"/tmp/empty{number}", "w").close()
                number += 1
        except OSError as error:
            say({"number": number, "told": error.strerror}); done()
    """)  # fmt: skip
    told = json.loads(reply.answer or "{}")
    assert told["told"] == "No space left on device"
    assert told["number"] < 1 << 16


def test_folders_deeper_than_a_path_are_too_much_and_are_removed(plain: Room) -> None:
    reply = plain.ask("""
        for number in range(3_000):
            os.mkdir("down")
            os.chdir("down")
        say({}); done()
    """)  # fmt: skip
    assert (reply.answer, reply.reason) == (None, FILLED)


# --- processes ------------------------------------------------------------------------------------------------------


def test_one_that_calls_itself_otherwise_is_found_all_the_same(room: Room) -> None:
    mark = f"mark-{os.getpid()}-{time.monotonic_ns()}"
    reply = room.ask(f"""
        import ctypes
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                ctypes.CDLL(None).prctl(15, b"kworker) R 1 (", 0, 0, 0)  # what stands in its /proc/PID/stat
                for number in (0, 1, 2):
                    os.close(number)
                child = os.fork()
                if child == 0:
                    os.execvp("python3", ["[kworker/0:1]", "-c", "import time; time.sleep(300)", "{mark}"])
                time.sleep(300)
            os._exit(0)
        time.sleep(1)
        say({{}}); done()
    """)  # fmt: skip
    assert reply.answer == "{}"
    assert alive(mark) == []


def test_one_that_kills_what_stands_over_it_is_ended_too(room: Room) -> None:
    """Behind walls the first process cannot be killed from within; without them its group is ended by the runner."""
    mark = f"mark-{os.getpid()}-{time.monotonic_ns()}"
    reply = room.ask(f"""
        import signal
        os.kill(os.getppid(), signal.SIGKILL)
        time.sleep(1)
        if os.getppid() != 1 or os.getpid() > 100:
            os.execvp("python3", ["python3", "-c", "import time; time.sleep(300)", "{mark}"])
        say({{}}); done()
    """)  # fmt: skip
    assert reply.answer == "{}" or "no exit status" in reply.reason
    assert alive(mark) == []


def test_many_children_at_once_are_all_ended(room: Room) -> None:
    mark = f"mark-{os.getpid()}-{time.monotonic_ns()}"
    reply = room.ask(f"""
        for number in range(20):
            if os.fork() == 0:
                os.setsid()
                if number % 2 == 0 and os.fork():
                    os._exit(0)
                os.execvp("sleep", ["sleep", "300.{mark[5:].replace("-", "")}"])
        say({{}}); done()
    """)  # fmt: skip
    assert reply.answer == "{}"
    assert alive(f"300.{mark[5:].replace('-', '')}") == []


def test_nothing_but_its_streams_is_open_when_it_starts(room: Room) -> None:
    """No descriptor of the runner or the warden is passed on: neither the ledger nor the channel between the two."""
    reply = room.ask("""
        found = {}
        for number in range(3, 256):
            try:
                found[number] = os.readlink(f"/proc/self/fd/{number}")
            except OSError:
                continue
        say({"found": found}); done()
    """)  # fmt: skip
    assert json.loads(reply.answer or "{}") == {"found": {}}


def test_what_is_written_to_the_end_that_is_read_changes_nothing(room: Room) -> None:
    """Its standard input is a pipe that it may open for writing: what it puts there only it can read."""
    reply = room.ask("""
        told = "written"
        try:
            with open("/proc/self/fd/0", "wb", buffering=0) as file:
                file.write(b'{"status": 0}\\n' * 10)
        except OSError:
            told = "refused"
        say({"told": told}); done()
    """)  # fmt: skip
    assert json.loads(reply.answer or "{}")["told"] in ("written", "refused")
    (call,) = room.rows("ledger of subject")
    assert not call["failed"]


def test_one_that_removes_its_own_folder_is_answered_for(room: Room) -> None:
    reply = room.ask("""
        import shutil
        here = os.getcwd()
        shutil.rmtree(here, ignore_errors=True)
        shutil.rmtree(os.path.dirname(here), ignore_errors=True) if "protoc-" in here else None
        say({"there": os.path.exists(here)}); done()
    """)  # fmt: skip
    assert json.loads(reply.answer or "{}") == {"there": bool(room.sandbox)}


def test_a_link_out_of_its_folder_leads_nothing_astray(plain: Room, tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    kept.mkdir()
    (kept / "file").write_bytes(os.urandom(100))
    (kept / "file").chmod(0o400)
    reply = plain.ask(f"""
        os.symlink({str(kept)!r}, "out")
        os.symlink({str(kept / "file")!r}, "file")
        os.symlink("/", "root")
        say({{}}); done()
    """)  # fmt: skip
    assert reply.answer == "{}"
    assert os.listdir(kept) == ["file"]
    assert (kept / "file").stat().st_mode & 0o777 == 0o400


# --- the stream -----------------------------------------------------------------------------------------------------


def test_one_line_without_an_end_is_cut(plain: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    reply = plain.ask("""
        sys.stdout.write('{"type": "item.completed", "item": {"type": "agent_message", "text": "')
        while True:
            sys.stdout.write("x" * (1 << 20))
    """)
    assert reply.answer is None
    assert reply.reason == f"it wrote more than {LARGEST_OUTPUT} bytes to its standard output"
    assert plain.rows("events of subject")[-1]["kind"] != "agent_message"


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        (r'{"type": "item.completed", "type": "turn.completed", "item": {"type": "agent_message"}}', "unreadable"),
        (r'{"type": "item.completed", "item": {"type": "web_search", "type": "agent_message"}}', "unreadable"),
        (r'{"type": "turn.completed", "usage": {"input_tokens": NaN}}', "unreadable"),
        (r'{"type": "turn.completed", "usage": {"input_tokens": Infinity}}', "unreadable"),
        (r'{"type": "item.completed", "item": {"type": "agent_message\u0000"}}', "unreadable"),
        (r'{"type": "item.completed", "item": {"type": "agent_messag\u0435"}}', "unreadable"),
        (r'{"type": "item.completed", "item": {"type": ["agent_message"]}}', "unreadable"),
        (r'{"type": "Item.Completed", "item": {"type": "agent_message"}}', "Item.Completed"),
        (r'{"type": "item.completed", "item": {"type": "agent_message ", "text": "{}"}}', "unreadable"),
        (r'["item.completed"]', "unreadable"),
        (r"null", "unreadable"),
    ],
)
def test_an_event_of_another_form_quarantines(plain: Room, line: str, kind: str) -> None:
    reply = plain.judge(f"print({line!r}); say({{}}); done()")
    assert (reply.quarantined, reply.answer) == (True, None)
    assert [row["kind"] for row in plain.rows("events of subject") if not row["allowed"]] == [kind]


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        (b'{"type": "item.completed", "item": {"type": "agent_message", "text": "\xff"}}', None),
        (b'{"type": "item.completed", "item": {"type": "agent_message", "text": "\xed\xa0\x80"}}', None),
        (b'\xef\xbb\xbf{"type": "item.completed", "item": {"type": "agent_message", "text": "{}"}}', None),
        (b'{"type": "item.completed", "item": {"type": "agent_message", "text": "\\"\\ud800\\""}}', None),
    ],
)
def test_bytes_that_are_no_text_are_no_answer(plain: Room, line: bytes, answer: str | None) -> None:
    reply = plain.ask(f"""
        sys.stdout.buffer.write({line!r} + b"\\n"); sys.stdout.flush()
        done()
    """)  # fmt: skip
    assert reply.answer is answer
    assert reply.quarantined or "answer" in reply.reason


@pytest.mark.parametrize(
    "count",
    ["1.5", "7.0", "true", "false", "1e2", "-1", "-0.0", str(2**70), str(-(2**70)), '"7"', "[7]", "{}", "9" * 5000],
)
def test_a_count_that_is_none_is_unknown_and_never_added(plain: Room, count: str) -> None:
    usage = f'{{"input_tokens": {count}, "cached_input_tokens": 1}}'
    reply = plain.judge(f"""say({{}}); print('{{"type": "turn.completed", "usage": {usage}}}')""")
    turns = plain.rows("turns of subject")
    if reply.quarantined:  # a number that no JSON reader has to take
        assert len(count) > 4000
        return
    assert [(turn["input"], turn["cached"], turn["malformed"]) for turn in turns] == [(None, 1, True)]
    assert turns[0]["reported"] == usage
