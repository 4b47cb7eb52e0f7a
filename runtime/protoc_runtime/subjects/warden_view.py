"""The file system that a program behind walls sees: an empty root with what it may read, and folders of its own.

Loaded by `warden.py` as a file, with the standard library only. A view is a JSON object: `reads` (read only), `writes`
and `hides` (empty where they lie within these, and what lies within them is shown) are absolute paths without links in
them, `links` maps the path of a link to its target. Everything else does not exist.

The former root is left behind by `pivot_root`, and the program is started without any capability and without a way to
get one, root included, so that nothing of this can be undone from inside.
"""

from __future__ import annotations

import ctypes
import os
import struct

TYPE_CHECKING = False  # `typing` would cost every program its import
if TYPE_CHECKING:
    from typing import Any

BIND, RECURSIVE, DETACH, PRIVATE = 0x1000, 0x4000, 2, (1 << 18) | (1 << 14)
NO_SUID, NO_DEV, NO_EXEC = 2, 4, 8
READ_ONLY_ATTRIBUTE, NO_SUID_ATTRIBUTE, NO_DEV_ATTRIBUTE = 1, 2, 4
SET_ATTRIBUTES, HERE, ALL_BELOW = 442, -100, 0x8000  # mount_setattr, AT_FDCWD, AT_RECURSIVE
PIVOT_ROOT = {"x86_64": 155, "aarch64": 41, "riscv64": 41, "ppc64le": 203, "s390x": 217}
DROP_BOUND, NO_NEW_PRIVILEGES, CAPABILITIES = 24, 38, 64
DEVICES = ("null", "zero", "full", "random", "urandom")
STREAMS = {"fd": "/proc/self/fd", "stdin": "/proc/self/fd/0", "stdout": "/proc/self/fd/1", "stderr": "/proc/self/fd/2"}
OLD, NEW, NOTHING = "/old", "/new", "/nothing"
SHARED, MEMORY = "/tmp", "/dev/shm"  # noqa: S108 - new ones, which nobody else sees
SCRATCH = "mode=1777,size=512m,nr_inodes=64k"  # a file without a byte costs memory, too


def close_files(libc: ctypes.CDLL, view: dict[str, Any]) -> None:
    """Put this process, the first of its name spaces, into the view. Raises OSError."""
    mounts = Mounts(libc)
    mounts.begin()
    mounts.devices()
    for link, target in sorted(view["links"].items()):
        mounts.link(link, target)
    writes = set(view["writes"])
    hides = set(view["hides"])
    for path in sorted({*view["reads"], *writes, *hides}):
        mounts.hide(path) if path in hides else mounts.show(path, writable=path in writes)
    mounts.end()
    drop_everything(libc)


class Mounts:
    """The mounts of a view, made beside the former root."""

    def __init__(self, libc: ctypes.CDLL) -> None:
        self._libc = libc
        self._hidden: list[str] = []

    def begin(self) -> None:
        """A new root that holds the former one at `OLD`, and an empty one at `NEW`."""
        self._mount("none", "/", "", PRIVATE)
        self._mount("tmpfs", "/proc", "tmpfs", NO_SUID | NO_DEV, "mode=755")
        os.chdir("/proc")
        os.mkdir("." + OLD)
        self._pivot(".", "." + OLD)
        os.chdir("/")
        os.mkdir(NEW)
        with open(NOTHING, "x", encoding="ascii"):
            pass
        self._mount("tmpfs", NEW, "tmpfs", NO_SUID | NO_DEV, "mode=755")
        for folder in (SHARED, "/proc", "/dev"):
            os.mkdir(NEW + folder)
        self._mount("tmpfs", NEW + SHARED, "tmpfs", NO_SUID | NO_DEV, SCRATCH)
        self._mount("proc", NEW + "/proc", "proc", NO_SUID | NO_DEV | NO_EXEC)

    def devices(self) -> None:
        """The few devices that every program expects."""
        for name in DEVICES:
            if os.path.exists(f"{OLD}/dev/{name}"):
                with open(f"{NEW}/dev/{name}", "x", encoding="ascii"):
                    pass
                self._mount(f"{OLD}/dev/{name}", f"{NEW}/dev/{name}", "", BIND)
        for name, target in STREAMS.items():
            os.symlink(target, f"{NEW}/dev/{name}")
        os.mkdir(NEW + MEMORY)
        self._mount("tmpfs", NEW + MEMORY, "tmpfs", NO_SUID | NO_DEV, SCRATCH)

    def link(self, path: str, target: str) -> None:
        """A link of the former root, where it is."""
        os.makedirs(os.path.dirname(NEW + path), exist_ok=True)
        if not os.path.lexists(NEW + path):
            os.symlink(target, NEW + path)

    def show(self, path: str, *, writable: bool) -> None:
        """A file or folder at its own place."""
        source, place = OLD + path, NEW + path
        if not os.path.exists(place):
            os.makedirs(os.path.dirname(place), exist_ok=True)
            if os.path.isdir(source):
                os.mkdir(place)
            else:
                with open(place, "x", encoding="ascii"):
                    pass
        self._mount(source, place, "", BIND | RECURSIVE)
        self._set(place, (0 if writable else READ_ONLY_ATTRIBUTE) | NO_SUID_ATTRIBUTE | NO_DEV_ATTRIBUTE, ALL_BELOW)

    def hide(self, path: str) -> None:
        """Something empty in the place of what would be visible; what is within it and shown comes later."""
        place = NEW + path
        if os.path.isdir(place):
            self._mount("tmpfs", place, "tmpfs", NO_SUID | NO_DEV, "mode=755")
        elif os.path.exists(place):
            self._mount(NOTHING, place, "", BIND)
        else:
            return
        self._hidden.append(place)

    def end(self) -> None:
        """Leave the former root behind."""
        for place in (*self._hidden, NEW):
            self._set(place, READ_ONLY_ATTRIBUTE, 0)
        os.chdir(NEW)
        self._pivot(".", ".")
        self._check(self._libc.umount2(b".", DETACH))
        os.chdir("/")

    def _mount(self, source: str, place: str, kind: str, flags: int, data: str = "") -> None:
        arguments = (source.encode(), place.encode(), kind.encode() or None, flags, data.encode() or None)
        self._check(self._libc.mount(*arguments), place)

    def _set(self, place: str, attributes: int, how: int) -> None:
        wanted = struct.pack("QQQQ", attributes, 0, 0, 0)
        self._check(self._libc.syscall(SET_ATTRIBUTES, HERE, place.encode(), how, wanted, len(wanted)), place)

    def _pivot(self, new: str, old: str) -> None:
        machine = os.uname().machine
        if machine not in PIVOT_ROOT:
            raise OSError(0, f"unknown on {machine}")
        self._check(self._libc.syscall(PIVOT_ROOT[machine], new.encode(), old.encode()), "the root")

    def _check(self, status: int, place: str = "") -> None:
        if status != 0:
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number), place.removeprefix(NEW).removeprefix(OLD))


def drop_everything(libc: ctypes.CDLL) -> None:
    """Let no program that is started from here on have, or gain, a capability."""
    for number in range(CAPABILITIES):
        libc.prctl(DROP_BOUND, number, 0, 0, 0)
    libc.prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0)
