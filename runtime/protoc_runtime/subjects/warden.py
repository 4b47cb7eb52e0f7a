"""The process that stands over one program of a subject: it starts the program, and leaves nothing of it behind.

Run as a script, with the standard library only: `warden.py CHANNEL WALLS PROGRAM [ARGUMENT ...]`. CHANNEL is a socket
to the runner. WALLS is JSON: `network` (a network with nothing but a loopback), `port`, `view` (the file system, see
`warden_view.py`, or null), and `most` (bytes that it may write into a file, and that its folders in memory may hold; 0
for as many as there is room for). With a closed network or a view the program gets name spaces of its own, of users and
processes too. In a closed network the address 127.0.0.1:PORT is a socket that is passed to the runner, which answers it
with the gateway; nothing else can be reached. Port 0 passes none.

The warden tells the runner lines of JSON: `{"status": N}` as `Popen.returncode` has it, `{"fault": WORDS}`, and
`{"filled": true}` where too much was written. When the program has ended, or the runner closes the channel, or is
itself gone, every process of the program is killed, those too that have left its group or its session. Then the warden
ends.
"""

from __future__ import annotations

import array
import ctypes
import json
import os
import select
import signal
import socket
import struct
import sys
import time

TYPE_CHECKING = False  # `typing` would cost every program its import
if TYPE_CHECKING:
    from typing import Any

NEW_NS, NEW_USER, NEW_PID, NEW_NET = 0x00020000, 0x10000000, 0x20000000, 0x40000000
SET_DEATH_SIGNAL, SET_REAPER = 1, 36
PRIVATE = (1 << 18) | (1 << 14)  # MS_PRIVATE | MS_REC
SAFE = 2 | 4 | 8  # MS_NOSUID | MS_NODEV | MS_NOEXEC
GET_FLAGS, SET_FLAGS, UP = 0x8913, 0x8914, 0x1
LONGEST_KILLING = 10.0  # seconds
WATCHED_EVERY = 100  # milliseconds
MEMORIES = ("/tmp", "/dev/shm")  # noqa: S108 - those of a view
PAGE = 4096


class WallFault(Exception):
    """The name spaces cannot be had here; the text says why."""


def main(argv: list[str]) -> int:
    """Stand over one program."""
    channel = socket.socket(fileno=int(argv[1]))
    channel.set_inheritable(False)
    walls = json.loads(argv[2])
    try:
        if walls["most"]:
            _limit_files(walls["most"])
        if walls["network"] or walls["view"] is not None:
            return _behind_walls(channel, walls, argv[3:])
        return _in_the_open(channel, argv[3:])
    except WallFault as fault:
        _tell(channel, {"fault": str(fault)})
        return 1


def _behind_walls(channel: socket.socket, walls: dict[str, Any], program: list[str]) -> int:
    """The program below a first process of its own; with that one the kernel ends every other."""
    _enter(_LIBC, network=walls["network"])
    if walls["network"] and walls["port"]:
        _pass_listener(channel, walls["port"])
    memory = Memory(walls["most"] if walls["view"] is not None else 0)
    first = os.fork()
    if first == 0:
        _LIBC.prctl(SET_DEATH_SIGNAL, signal.SIGKILL)
        os._exit(_first_process(channel, walls["view"], program))
    _wait_for(first, channel, memory)
    if memory.is_filled():
        _tell(channel, {"filled": True})
    os.kill(first, signal.SIGKILL)
    os.waitpid(first, 0)
    return 0


def _first_process(channel: socket.socket, view: dict[str, Any] | None, program: list[str]) -> int:
    try:
        _own_processes(_LIBC) if view is None else _own_files(_LIBC, view)
    except WallFault as fault:
        _tell(channel, {"fault": str(fault)})
        return 1
    if not program:
        _tell(channel, {"status": 0})
        return 0
    child = _start(channel, program)
    while child:
        ended, status = os.wait()
        if ended == child:
            _tell(channel, {"status": os.waitstatus_to_exitcode(status)})
            return 0
    return 1


def _in_the_open(channel: socket.socket, program: list[str]) -> int:
    """The program, its orphans inherited: what it leaves behind is found among the children of this process."""
    if sys.platform == "linux":
        _LIBC.prctl(SET_REAPER, 1)
    child = _start(channel, program)
    if not child:
        return 1
    status = _wait_for(child, channel)
    _kill_children()
    if status is not None:
        _tell(channel, {"status": status})
    return 0


def _start(channel: socket.socket, program: list[str]) -> int:
    """Start the program; 0 if it cannot be, which the runner is told."""
    try:
        return os.posix_spawnp(program[0], program, os.environ, setsigdef=_CHANGED, setsigmask=[])
    except OSError as error:
        _tell(channel, {"fault": f"{program[0]} cannot be started: {error.strerror}"})
        return 0


class Memory:
    """The folders in memory that a view gives, watched from outside: this process moves into the view, too."""

    def __init__(self, most: int) -> None:
        self.most = most
        self._outside = os.stat("/")

    def is_filled(self) -> bool:
        """Whether they hold more than they may; never while the files that are seen here are still the machine's."""
        if not self.most or os.path.samestat(os.stat("/"), self._outside):
            return False
        return sum(map(_held, MEMORIES)) > self.most


def _held(folder: str) -> int:
    try:
        found = os.statvfs(folder)
    except OSError:  # not there yet
        return 0
    return (found.f_blocks - found.f_bfree) * found.f_frsize


def _limit_files(most: int) -> None:
    """A file grows to a page beyond the bound: who measures it then sees that it was too much."""
    import resource

    resource.setrlimit(resource.RLIMIT_FSIZE, (most + PAGE, most + PAGE))


def _wait_for(child: int, channel: socket.socket, memory: Memory | None = None) -> int | None:
    """The child's exit status, or None when the runner wants its end or is gone, or it has filled its memory. A child
    of walls stays a zombie."""
    watched = select.poll()
    watched.register(channel, select.POLLIN | select.POLLHUP)
    pid = os.pidfd_open(child) if hasattr(os, "pidfd_open") else -1
    if pid >= 0:
        watched.register(pid, select.POLLIN)
    bounded = memory is not None and memory.most > 0
    while True:
        ready = {descriptor for descriptor, _ in watched.poll(WATCHED_EVERY if bounded else None if pid >= 0 else 20)}
        found = os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        if found is not None:
            return found.si_status if found.si_code == os.CLD_EXITED else -found.si_status
        if channel.fileno() in ready or (memory is not None and memory.is_filled()):
            return None


def _kill_children() -> None:
    """Kill every child until there is none: those of a killed one become ours, and are killed next."""
    deadline = time.monotonic() + LONGEST_KILLING
    while time.monotonic() < deadline:
        for child in _children():
            try:
                os.kill(child, signal.SIGKILL)
            except ProcessLookupError:
                continue
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                continue
        except ChildProcessError:
            return
        time.sleep(0.001)


def _children() -> list[int]:
    """The processes whose parent is this one."""
    own, found = os.getpid(), []
    for name in os.listdir("/proc") if os.path.isdir("/proc") else []:
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat", "rb") as file:
                    parent = int(file.read().rpartition(b")")[2].split()[1])
            except (OSError, ValueError, IndexError):
                continue
            if parent == own:
                found.append(int(name))
    return found


# --- walls ----------------------------------------------------------------------------------------------------------


def _enter(libc: ctypes.CDLL, *, network: bool) -> None:
    """Go into name spaces of users, processes, mounts and perhaps network, as the same user. Raises WallFault."""
    user, group = os.getuid(), os.getgid()
    if libc.unshare(NEW_USER | NEW_PID | NEW_NS | (NEW_NET if network else 0)) != 0:
        raise WallFault(f"no name spaces: {os.strerror(ctypes.get_errno())}")
    try:
        _write("/proc/self/setgroups", "deny")
        _write("/proc/self/uid_map", f"{user} {user} 1")
        _write("/proc/self/gid_map", f"{group} {group} 1")
        if network:
            _loopback_up()
    except OSError as error:
        raise WallFault(f"no name spaces: {error.strerror}") from None


def _own_processes(libc: ctypes.CDLL) -> None:
    """A /proc that shows the processes of these walls and no other, where the system allows one."""
    libc.mount(b"none", b"/", None, PRIVATE, None)
    libc.mount(b"proc", b"/proc", b"proc", SAFE, None)


def _own_files(libc: ctypes.CDLL, view: dict[str, Any]) -> None:
    """The file system of the view, from the folder in which the program is to run. Raises WallFault."""
    import importlib.util

    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "warden_view.py")
    folder = os.getcwd()
    found = importlib.util.spec_from_file_location("warden_view", path)
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    try:
        module.close_files(libc, view)
        os.chdir(folder)
    except OSError as error:
        where = f" ({error.filename})" if error.filename else ""
        raise WallFault(f"no closed file system: {error.strerror}{where}") from None


def _loopback_up() -> None:
    import fcntl

    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        flags = fcntl.ioctl(control, GET_FLAGS, struct.pack("16sH14s", b"lo", 0, b""))
        (now,) = struct.unpack("H", flags[16:18])
        fcntl.ioctl(control, SET_FLAGS, struct.pack("16sH14s", b"lo", now | UP, b""))


def _pass_listener(channel: socket.socket, port: int) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("127.0.0.1", port))
        listener.listen(1024)
        passed = array.array("i", [listener.fileno()])
        channel.sendmsg([b"L"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, passed)])


def _write(path: str, text: str) -> None:
    with open(path, "w", encoding="ascii") as file:
        file.write(text)


def _tell(channel: socket.socket, message: dict[str, object]) -> None:
    try:
        channel.sendall(json.dumps(message).encode() + b"\n")
    except OSError:
        return  # the runner is gone


_CHANGED = [signal.SIGPIPE, signal.SIGXFSZ]  # what Python ignores and a program expects as it was
_LIBC = ctypes.CDLL(None, use_errno=True)

if __name__ == "__main__":
    sys.exit(main(sys.argv))
