"""Mutations of texts and bytes, drawn by hypothesis, and what a command may do with the result."""

from __future__ import annotations

import io
import os
import re
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

from hypothesis import strategies as st

from protoc_compiler.catalogue import all_kinds
from protoc_compiler.cli import main

LONG = os.environ.get("PROTOC_LONG") == "1"
SECONDS = 10
KNOWN = {kind.id for kind in all_kinds()}
TOKENS = [
    b"\x00", b"\xff", b"\xed\xa0\x80", b"\xef\xbb\xbf", b"\r\n", b"\t", b"\n", b"\n\n", b" ", b"  ", b":", b": ",
    b"- ", b"#", b"&a ", b"*a", b"!!x ", b"%YAML", b"---\n", b"...\n", b"? ", b"| \n", b"> \n", b"<<: ", b"{",
    b"}", b"[", b"]", b",", b'"', b"'", b"\\", b"\\u0000", b"\\ud800", "\u202e".encode(), "\u0430".encode(),
    "e\u0301".encode(), "\U0001f600".encode(), b"null", b"true", b"NaN", b"-Infinity", b"1e999", b"9" * 400,
    b"0.1", b"-0", b"75%", b"1/0", b"0 / 0", b"^ 100", b"(", b")", b"all ", b"some ", b"not ", b" where ",
    b" over ", b" is ", b"undefined", b"rate(", b"count(", b"sum(", b"only(", b"list(", b"wilson(", b"bootstrap(",
    b"quantile(", b" grouped by ", b"cases", b"gates.", b"metrics", b"{{ x }}", b'"""',
]  # fmt: skip

KINDS = ["insert", "replace", "delete", "repeat", "flip", "swap lines", "drop line", "copy line", "indent"]


@st.composite
def edits(draw: st.DrawFn) -> list[tuple[str, float, float, bytes]]:
    """A few edits: what to do, where (a share of the length), with which other place or bytes."""
    place = st.floats(0, 1, exclude_max=True)
    one = st.tuples(
        st.sampled_from(KINDS),
        place,
        place,
        st.one_of(st.sampled_from(TOKENS), st.binary(max_size=6), st.text(max_size=6).map(_encoded)),
    )
    return draw(st.lists(one, min_size=1, max_size=6))


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def mutated(data: bytes, changes: list[tuple[str, float, float, bytes]]) -> bytes:
    """The bytes after these edits."""
    for what, here, there, token in changes:
        if "line" in what or what == "indent":
            data = _lines(data, what, here, there)
            continue
        at, other = int(here * len(data)), int(there * len(data))
        size = other % 40
        if what == "insert":
            data = data[:at] + token + data[at:]
        elif what == "replace":
            data = data[:at] + token + data[at + len(token) :]
        elif what == "delete":
            data = data[:at] + data[at + size :]
        elif what == "repeat":
            data = data[:at] + data[at : at + size] * 3 + data[at + size :]
        elif data:
            data = data[:at] + bytes([data[at] ^ (1 << other % 8)]) + data[at + 1 :]
    return data


def _lines(data: bytes, what: str, here: float, there: float) -> bytes:
    lines = data.split(b"\n")
    one, two = int(here * len(lines)), int(there * len(lines))
    if what == "swap lines":
        lines[one], lines[two] = lines[two], lines[one]
    elif what == "drop line":
        del lines[one]
    elif what == "copy line":
        lines.insert(two, lines[one])
    else:
        lines[one] = b"  " + lines[one] if two % 2 else lines[one].removeprefix(b"  ")
    return b"\n".join(lines)


@contextmanager
def in_time() -> Iterator[None]:
    """Fail what needs more than ten seconds of the processor, or hangs; a machine that is busy is no fault."""

    def late(number: int, frame: FrameType | None) -> None:
        raise AssertionError(f"it hangs: {frame}")

    before = [signal.signal(number, late) for number in (signal.SIGALRM, signal.SIGPROF)]
    signal.alarm(10 * SECONDS)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.setitimer(signal.ITIMER_PROF, 0)
        for number, handler in zip((signal.SIGALRM, signal.SIGPROF), before, strict=True):
            signal.signal(number, handler)


def well_behaved(*arguments: Any) -> int:
    """Run a command: it ends in time with 0, 1 or 2, in known diagnostics, without a failure of the tool."""
    out, err = io.StringIO(), io.StringIO()
    with in_time():
        status = main([str(argument) for argument in arguments], io.StringIO(), out, err)
    told = err.getvalue()
    assert status in (0, 1, 2), (status, told)
    assert "internal failure" not in told, told
    assert "Traceback" not in told + out.getvalue(), told
    assert status != 2 or told.startswith("protoc"), told
    ids = set(re.findall(r"(?<![\w.])[EWN]\d{4}(?= [a-z][a-z0-9-]+ )", told))
    assert ids <= KNOWN, ids - KNOWN
    return status


def corpus(folder: Path) -> list[Path]:
    """The specs of this repository, and those of the folder of field data where there is one."""
    root = Path(__file__).resolve().parents[2]
    shared = Path(os.environ.get("PROTOC_SHARED", root.parent / "shared"))
    templates = root / "compiler" / "protoc_compiler" / "templates"
    found = [*root.glob("specs/*/protocol.yaml"), *templates.glob("*/specs/*/protocol.yaml")]
    found += sorted((shared / "design" / "language" / "specs").glob("*.yaml"))
    assert found, folder
    return sorted(found)
