"""The file system that a program behind walls is shown: the system, its interpreter, and what the protocol names.

What is on the list is shown read only; everything else is not there: the spec with its labels, earlier runs, the
registry, git's objects, the homes of people. A list of what may be seen cannot forget a file as a list of what may not
can.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from protoc_runtime.subjects.program import View

SYSTEM = (
    *("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/opt", "/nix/store"),
    "/sys/devices/system/cpu",
)
SECRET = ("/etc/shadow", "/etc/gshadow", "/etc/shadow-", "/etc/gshadow-", "/etc/ssh", "/etc/ssl/private")
_OWN = ("/tmp", "/proc", "/dev", "/")  # noqa: S108 - where a view has something of its own, or would be no wall


def view_for(
    argv: Sequence[str],
    environment: Mapping[str, str],
    *,
    reads: Iterable[Path] = (),
    writes: Iterable[Path] = (),
    hides: Iterable[Path] = (),
) -> View:
    """What a program sees that is started as `argv` in `environment`: `reads` and `writes` are absolute paths beside
    the system's; of them `hides` are shown empty. What does not exist is left out."""
    links: dict[str, str] = {}
    readable = [*SYSTEM, *_installation(argv, environment)]
    chosen = {_real(path, links) for path in readable} - {*_OWN, *_homes()}
    chosen |= {_real(str(path), links) for path in reads}
    own = {_real(str(path), links) for path in writes}
    hidden = {_real(str(path), {}) for path in (*SECRET, *hides)} - chosen - own
    kinds = dict.fromkeys(hidden, "hides") | dict.fromkeys(chosen, "reads") | dict.fromkeys(own, "writes")
    kinds = {path: kind for path, kind in kinds.items() if os.path.exists(path)}
    needed = sorted(path for path, kind in kinds.items() if kind != "reads" or _above(path, kinds) != "reads")
    outside = {link: target for link, target in links.items() if not _above(link, kinds)}
    shown, written, empty = (
        tuple(path for path in needed if kinds[path] == kind) for kind in ("reads", "writes", "hides")
    )
    return View(shown, written, empty, tuple(sorted(outside.items())))


def _above(path: str, kinds: Mapping[str, str]) -> str:
    """How the nearest folder above a path is shown; "" where none is."""
    while path not in ("", "/"):
        path = os.path.dirname(path)
        if path in kinds:
            return kinds[path]
    return ""


def _real(path: str, links: dict[str, str]) -> str:
    """The path without links; those on the way are noted with their targets."""
    done, left, hops = "/", os.path.abspath(path).strip("/").split("/"), 0
    while left and hops < 40:
        part = left.pop(0)
        here = os.path.join(done, part)
        if part == "..":
            done = os.path.dirname(done)
        elif part in ("", "."):
            continue
        elif os.path.islink(here):
            target = os.readlink(here)
            links[here] = target
            hops += 1
            done = "/" if os.path.isabs(target) else done
            left = [*target.strip("/").split("/"), *left]
        else:
            done = here
    return done


def _homes() -> set[str]:
    """Folders that hold too much, though a program may be installed in them."""
    home = os.path.realpath(os.path.expanduser("~"))
    return {home, os.path.join(home, ".local"), "/home", "/root"}


def _installation(argv: Sequence[str], environment: Mapping[str, str]) -> Iterator[str]:
    """The folders of PATH, and what the program and this interpreter are installed in."""
    search = environment.get("PATH", os.defpath)
    programs = [sys.executable]
    for folder in filter(os.path.isabs, search.split(os.pathsep)):
        yield os.path.dirname(folder) if os.path.basename(folder) == "shims" else folder
        yield from _environment_of(folder)
    for name in argv[:1]:
        found = name if os.path.isabs(name) else shutil.which(name, path=search)
        programs += [found] if found else []
    for program in programs:
        yield from _installed(program)


def _environment_of(folder: str) -> Iterator[str]:
    """A virtual environment whose programs are in the folder, and the Python that it was made from."""
    above = os.path.dirname(folder)
    settings = os.path.join(above, "pyvenv.cfg")
    if not os.path.isfile(settings):
        return
    yield above
    with open(settings, encoding="utf-8", errors="replace") as file:
        homes = [line.partition("=")[2].strip() for line in file if line.partition("=")[0].strip() == "home"]
    for home in homes:
        yield from _installed(os.path.join(home, "python"))


def _installed(program: str) -> Iterator[str]:
    """A program's file, its environment, and the folder above its `bin`."""
    yield program
    yield from _environment_of(os.path.dirname(program))
    for each in (program, os.path.realpath(program)):
        folder = os.path.dirname(each)
        if os.path.basename(folder) == "bin" and os.path.isdir(os.path.join(os.path.dirname(folder), "lib")):
            yield os.path.dirname(folder)
