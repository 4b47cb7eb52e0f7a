"""What a program behind walls sees of the file system, and that it cannot get at more."""

from __future__ import annotations

import json
import os
import shutil
import sys
import textwrap
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from protoc_runtime.declared import Subject
from protoc_runtime.subjects.command import Commands, Place
from protoc_runtime.subjects.program import Ended, Program, Running, View, no_listener
from protoc_runtime.subjects.view import view_for
from protoc_runtime.subjects.walls import Walls, find_walls, without_providers

FOUND = find_walls()
closed = pytest.mark.skipif(not FOUND.files, reason=FOUND.files_how)
ENVIRONMENT = {"PATH": os.environ["PATH"]}


def run(folder: Path, *argv: str, view: View | None, walls: bool = False) -> Ended:
    """The end of a program in a folder."""
    with (folder / "log").open("wb") as log:
        return Running(Program(argv, folder, ENVIRONMENT, walls, view=view), log, no_listener).run(b"", 30.0)


def python(folder: Path, program: str, **parts: Any) -> Any:
    """What a Python program behind walls writes; `parts` are those of the view beside its own folder."""
    own = folder / "own"
    own.mkdir()
    parts["writes"] = [own, *parts.get("writes", [])]
    ended = run(
        own, sys.executable, "-c", textwrap.dedent(program), view=view_for((sys.executable,), ENVIRONMENT, **parts)
    )
    assert (ended.status, ended.fault) == (0, ""), (own / "log").read_text()
    return json.loads(ended.output)


@closed
def test_only_what_is_named_is_there(tmp_path):
    seen, hidden = tmp_path / "seen", tmp_path / "seen" / "labels"
    hidden.mkdir(parents=True)
    (seen / "code.py").write_text("1")
    (hidden / "labels.jsonl").write_text("secret")
    (seen / "registry.jsonl").write_text("secret")
    (tmp_path / "other").write_text("secret")
    program = f"""
        import json, os
        print(json.dumps([sorted(os.listdir({str(tmp_path)!r})), sorted(os.listdir({str(seen)!r})),
                          os.listdir({str(hidden)!r}), open({str(seen / "registry.jsonl")!r}).read(), os.getcwd()]))
    """
    found = python(tmp_path, program, reads=[seen], hides=[hidden, seen / "registry.jsonl"])
    assert found == [["own", "seen"], ["code.py", "labels", "registry.jsonl"], [], "", str(tmp_path / "own")]


@closed
def test_what_may_be_read_cannot_be_written_and_the_own_folder_can(tmp_path):
    seen, mine = tmp_path / "seen", f"/tmp/{tmp_path.parent.parent.name}-{tmp_path.parent.name}-{tmp_path.name}-x"
    seen.mkdir()
    program = f"""
        import json
        made = []
        for path in ({str(seen / "x")!r}, "/x", "/usr/x", "/etc/x", "own.txt", {mine!r}, "/dev/shm/x"):
            try:
                open(path, "w").write("x"); made.append(path)
            except OSError:
                pass
        print(json.dumps(made))
    """
    assert python(tmp_path, program, reads=[seen]) == ["own.txt", mine, "/dev/shm/x"]
    assert (tmp_path / "own" / "own.txt").read_text() == "x"
    assert not Path(mine).exists()


@closed
def test_a_folder_within_a_hidden_one_can_be_shown(tmp_path):
    (tmp_path / "all" / "hidden" / "shown").mkdir(parents=True)
    (tmp_path / "all" / "hidden" / "labels").write_text("secret")
    top, hidden = tmp_path / "all", tmp_path / "all" / "hidden"
    program = f"import json, os; print(json.dumps([os.listdir({str(hidden)!r}), os.listdir({str(top)!r})]))"
    assert python(tmp_path, program, reads=[top, hidden / "shown"], hides=[hidden]) == [["shown"], ["hidden"]]


@closed
def test_nobody_inside_can_undo_a_wall(tmp_path):
    """Not even root: no capability is left, and none can be gained in name spaces of one's own."""
    seen = tmp_path / "seen"
    seen.mkdir()
    program = f"""
        import ctypes, json
        libc = ctypes.CDLL(None, use_errno=True)
        status = open("/proc/self/status").read()
        capable = [line.split()[1] for line in status.splitlines() if line.startswith("Cap")]
        place = {str(seen)!r}.encode()
        before = [libc.umount2(place, 2), libc.mount(b"none", place, None, 32 | 4096, None),
                  libc.chroot(b"/proc/1/root")]
        libc.unshare(0x10000000 | 0x00020000)
        after = [libc.umount2(place, 2), libc.mount(b"none", place, None, 32 | 4096, None)]
        try:
            open({str(seen / "x")!r}, "w")
            after.append("written")
        except OSError:
            pass
        print(json.dumps([set(capable) == {{"0" * 16}}, before, after]))
    """
    assert python(tmp_path, program, reads=[seen]) == [True, [-1, -1, -1], [-1, -1]]


@closed
def test_a_path_through_a_link_leads_where_it_did(tmp_path):
    (tmp_path / "truth").mkdir()
    (tmp_path / "truth" / "file").write_text("here")
    (tmp_path / "link").symlink_to("truth")
    path = str(tmp_path / "link" / "file")
    program = f"import json; print(json.dumps(open({path!r}).read()))"
    assert python(tmp_path, program, reads=[tmp_path / "link"]) == "here"


@closed
def test_the_processes_of_others_are_not_there(tmp_path):
    found = python(tmp_path, "import json, os; print(json.dumps([n for n in os.listdir('/proc') if n.isdigit()]))")
    assert len(found) <= 2


@closed
@pytest.mark.skipif(not FOUND.closed, reason=FOUND.how)
def test_both_walls_at_once(tmp_path):
    program = "import socket; socket.create_connection(('1.1.1.1', 53), 2)"
    view = view_for((sys.executable,), ENVIRONMENT, writes=[tmp_path])
    assert run(tmp_path, sys.executable, "-c", program, view=view, walls=True).status == 1
    assert "Network is unreachable" in (tmp_path / "log").read_text()


@closed
def test_a_folder_that_is_not_in_the_view_is_a_fault(tmp_path):
    ended = run(tmp_path, "true", view=view_for(("true",), ENVIRONMENT))
    assert "no closed file system" in ended.fault


def test_homes_and_their_likes_are_not_shown_because_a_program_is_in_them(tmp_path, monkeypatch):
    home = tmp_path / "home"
    (home / ".local" / "bin").mkdir(parents=True)
    (home / ".local" / "lib").mkdir()
    program = home / ".local" / "bin" / "tool"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.setenv("HOME", str(home))
    view = view_for(("tool",), {"PATH": f"{home}:{program.parent}"})
    assert str(program.parent) in view.reads
    assert not {str(home), str(home / ".local")} & set(view.reads)


def test_a_virtual_environment_is_shown_with_its_python(tmp_path):
    base, made = tmp_path / "base", tmp_path / "made"
    for folder in (base / "bin", base / "lib", made / "bin"):
        folder.mkdir(parents=True)
    (base / "bin" / "python").write_text("")
    (made / "pyvenv.cfg").write_text(f"home = {base / 'bin'}\n")
    view = view_for(("python",), {"PATH": str(made / "bin")})
    assert {str(base), str(made)} <= set(view.reads)


def subject(program: str, **changes: Any) -> Subject:
    """A command subject that runs this Python text."""
    values: dict[str, Any] = {
        "kind": "command", "target": "python", "unit": "cases", "sees": ("text",), "gives": ("answers",), "code": (),
        "timeout": Fraction(10), "concurrency": 1, "cites": (), "directory": "empty", "environment": (),
        "argv": (sys.executable, "-c", textwrap.dedent(program)),
    }  # fmt: skip
    return Subject(**{**values, **changes})


def asked(spec: Path, made: Subject, *hides: Path) -> Any:
    """The answer of a command, behind the walls of files where there are any."""
    logs = spec.parent / "logs"
    place = Place(spec, None, hides)
    commands = Commands(made, place, logs, environment=ENVIRONMENT, walls=without_providers(FOUND))
    reply = commands.ask(0, "c1", b"{}")
    return reply.answer and json.loads(reply.answer), reply.reason


LOOKING = """
import json
def read(path):
    try:
        return open(path).read()
    except OSError:
        return None
"""


@closed
def test_a_command_cannot_read_the_labels_beside_its_code(tmp_path):
    spec = tmp_path / "specs" / "one"
    (spec / "data").mkdir(parents=True)
    (spec / "data" / "cases.jsonl").write_text("the labels")
    (spec / "code.py").write_text("code")
    program = LOOKING + "print(json.dumps([read('code.py'), read('data/cases.jsonl')]))"
    assert asked(spec, subject(program, directory="."), spec, spec / "data" / "cases.jsonl") == (["code", ""], "")
    program = (
        LOOKING + f"print(json.dumps([read({str(spec / 'code.py')!r}), read({str(spec / 'data/cases.jsonl')!r})]))"
    )
    assert asked(spec, subject(program), spec) == ([None, None], "")
    assert asked(spec, subject(program, code=("code.py",)), spec) == (["code", None], "")


@closed
def test_a_command_reads_what_the_protocol_names(tmp_path, monkeypatch):
    spec, model = tmp_path / "spec", tmp_path / "model"
    spec.mkdir()
    model.mkdir()
    (model / "weights").write_text("w")
    monkeypatch.setenv("MODEL", str(model))
    program = LOOKING + f"print(json.dumps(read({str(model / 'weights')!r})))"
    assert asked(spec, subject(program)) == (None, "")
    assert asked(spec, subject(program, files=("../model",))) == ("w", "")
    assert asked(spec, subject(program, files=(str(model),))) == ("w", "")
    assert asked(spec, subject(program, files=("env MODEL",))) == ("w", "")


@closed
def test_a_sealed_folder_cannot_be_changed_by_the_first_case(tmp_path):
    spec = tmp_path / "spec"
    (spec / "code").mkdir(parents=True)
    program = "import json; open('changed', 'w'); print('{}')"
    answer, reason = asked(spec, subject(program, directory="code"))
    assert (answer, reason) == (None, "the program ended with exit status 1")
    assert not (spec / "code" / "changed").exists()


def test_what_cannot_be_had_is_said(tmp_path):
    open_ = without_providers(Walls(False, "no", False, "no closed file system: Operation not permitted"))
    assert open_.told() == {
        "closed": False, "how": "the protocol declares no provider, so the network is left open",
        "files": False, "files_how": "no closed file system: Operation not permitted",
    }  # fmt: skip
    assert shutil.which("true")
    assert run(tmp_path, "true", view=None).status == 0
