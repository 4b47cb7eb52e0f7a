"""Work in a child process: its limits, its end, and what its parent is told."""

from __future__ import annotations

import errno
import faulthandler
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from protoc_compiler.proof.apart import Ended, FailedApart, apart

ROOM = 1 << 30


def forever() -> None:
    while True:
        pass


def killed(number: int) -> None:
    faulthandler.disable()  # of the tests: it would tell of the crash at length
    os.kill(os.getpid(), number)
    forever()


def wrong() -> None:
    raise ValueError("so")


def test_the_work_is_done_elsewhere_and_its_result_is_here() -> None:
    large = "x" * 1_000_000  # more than a socket holds
    child, found = apart(lambda: (os.getpid(), large * 3), 10, ROOM)
    assert found == large * 3
    assert child != os.getpid()
    with pytest.raises(ProcessLookupError):
        os.kill(child, 0)  # nothing is left of it, not even how it ended


def test_what_takes_too_long_is_ended() -> None:
    start = os.times()
    with pytest.raises(Ended, match=r"^it was not done after 1 s of processor time$"):
        apart(forever, 1, ROOM)
    assert 0.8 < os.times().children_user + os.times().children_system - start[2] - start[3] < 2


def test_what_takes_too_much_memory_is_ended() -> None:
    with pytest.raises(Ended, match=r"^it needs more than 64 MiB of memory$"):
        apart(lambda: len(bytes(200 << 20)), 10, 64 << 20)
    assert apart(lambda: len(bytes(200 << 20)), 10, 400 << 20) == 200 << 20


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSEGV, signal.SIGINT, signal.SIGTERM])
def test_a_child_that_a_signal_ends_is_told_with_the_signal(number: signal.Signals) -> None:
    with pytest.raises(Ended, match=rf"^it was ended by signal {number.value} \("):
        apart(lambda: killed(number), 10, ROOM)


def test_a_child_that_leaves_without_a_word_is_told() -> None:
    with pytest.raises(Ended, match=r"^it ended without an answer$"):
        apart(lambda: os._exit(0), 10, ROOM)


def test_an_error_in_the_child_is_one_here_with_its_traceback() -> None:
    with pytest.raises(FailedApart, match=r"(?s)Traceback.*in wrong.*ValueError: so"):
        apart(wrong, 10, ROOM)
    with pytest.raises(FailedApart, match="pickle"):
        apart(lambda: lambda: None, 10, ROOM)


def test_a_system_that_starts_no_process_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def none() -> int:
        raise BlockingIOError(errno.EAGAIN, "no more of them")

    monkeypatch.setattr(os, "fork", none)
    with pytest.raises(Ended, match=r"^no process could be started for it: no more of them$"):
        apart(os.getpid, 10, ROOM)


def test_without_fork_the_work_is_done_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "fork")
    assert apart(os.getpid, 10, ROOM) == os.getpid()


def test_no_file_stays_open() -> None:
    def files() -> list[str]:
        return sorted(os.listdir("/proc/self/fd"))

    before = files()
    apart(os.getpid, 10, ROOM)
    with pytest.raises(Ended):
        apart(lambda: os._exit(0), 10, ROOM)
    assert files() == before


# --- a whole process --------------------------------------------------------------------------------------------------

BEGINNING = "import os, sys, time; from pathlib import Path; from protoc_compiler.proof.apart import apart\n"
ENDLESS = """
def work():
    Path(sys.argv[1]).with_suffix(".new").write_text(str(os.getpid()))
    Path(sys.argv[1]).with_suffix(".new").rename(sys.argv[1])
    while True:
        pass
apart(work, 100, 1 << 30)
"""


def test_nothing_is_written_twice_and_what_the_child_prints_is_not_written() -> None:
    code = 'print("before"); apart(lambda: (print("inside", flush=True), os.system("echo more")), 5, 1 << 30)\n'
    done = subprocess.run(
        [sys.executable, "-c", BEGINNING + code + 'print("after")'], capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "before\nafter\n", "")


def gone(child: int) -> bool:
    """Whether a process has ended, if somebody has waited for it or not."""
    try:
        return Path(f"/proc/{child}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except (FileNotFoundError, ProcessLookupError):
        return True


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_the_child_ends_with_its_parent(number: signal.Signals, tmp_path: Path) -> None:
    told = tmp_path / "child"
    with subprocess.Popen(
        [sys.executable, "-c", BEGINNING + ENDLESS, str(told)], stderr=subprocess.PIPE, text=True
    ) as parent:
        until = time.monotonic() + 60
        while not told.exists():
            assert time.monotonic() < until
            time.sleep(0.01)
        child = int(told.read_text())
        assert not gone(child)
        parent.send_signal(number)  # to the parent alone
        _, errors = parent.communicate(timeout=60)
    assert parent.returncode == -number
    assert ("KeyboardInterrupt" in errors) == (number == signal.SIGINT)
    while not gone(child):
        assert time.monotonic() < until
        time.sleep(0.01)
