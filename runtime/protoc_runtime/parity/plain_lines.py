"""Lines of JSON that are as they should be, read by polars: flat objects without escapes, all keys in one order.

A file with any other line is not read here, so that faults are told by the one reader that knows them all.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from protoc_runtime.parity.records import Parity
from protoc_runtime.record import record

if TYPE_CHECKING:
    import polars as pl

LARGEST = 1 << 30  # bytes
_S = r"[ \t\r]*"
_CHARS = r'[^"\\\x00-\x1f]*'
_NUMBER = r"-?(?:0|[1-9][0-9]{0,14})(?:\.[0-9]{1,40})?(?:[eE][+-]?[0-9]{1,2})?"
_VALUE = rf'(?:"{_CHARS}"|{_NUMBER}|true|false|null)'
_MEMBER = re.compile(rf'{_S}"({_CHARS})"{_S}:{_S}{_VALUE}{_S}([,}}])')


@record
class Columns:
    """What is compared of every row: ids, routes, and scores as they are written, with a point."""

    ids: pl.Series
    routes: pl.Series
    scores: pl.Series


def read(data: bytes, parity: Parity) -> Columns | None:
    """The columns of a file in which every row is well-formed and tells of no error; None for any other file."""
    import polars as pl

    if len(data) > LARGEST or b"\\" in data or data.startswith(b"\xef\xbb\xbf"):
        return None
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return None
    lines = pl.Series([text]).str.split("\n").explode()
    lines = lines.filter(lines.str.contains(r"[^\x09-\x0d\x20]"))
    pattern = _pattern(lines[0], parity) if lines.len() else ""
    if not pattern:
        return None
    found = _found(lines, pattern)
    ids, scores = found["id"], found["score"]
    if scores.has_nulls() or (ids.str.strip_chars() == "").any():
        return None
    return Columns(ids, found["route"], _pointed(scores))


def _found(lines: pl.Series, pattern: str) -> pl.DataFrame:
    """The groups of a pattern in every line, on all cores."""
    import polars as pl

    size = -(-lines.len() // pl.thread_pool_size())
    parts = (lines.slice(start, size).to_frame("line").lazy() for start in range(0, lines.len(), size))
    groups = pl.col("line").str.extract_groups(pattern)
    return pl.concat(pl.collect_all([part.select(groups).unnest("line") for part in parts]))


def _pattern(line: str, parity: Parity) -> str:
    """What every line must match, by the first one: its keys in their order; "" where that is no plain line."""
    keys, at = _keys(line)
    due = {
        parity.id: rf'"(?<id>{_CHARS})"', parity.route: rf'(?:"(?<route>{_CHARS})"|null)',
        parity.score: rf"(?<score>{_NUMBER})", parity.error: '(?:null|"")',
    }  # fmt: skip
    due |= {parity.violation: "false"} if parity.violation else {}
    if line[at:].strip(" \t\r") or len(keys) != len(set(keys)) or not set(due) <= set(keys):
        return ""
    members = (rf'{_S}"{re.escape(key)}"{_S}:{_S}{due.get(key, _VALUE)}{_S}' for key in keys)
    return rf"^{_S}\{{{','.join(members)}\}}{_S}$"


def _keys(line: str) -> tuple[list[str], int]:
    """The keys of a flat object, and where it ends; none where it is none."""
    keys: list[str] = []
    at = len(line) - len(line.lstrip(" \t\r")) + 1
    if line[at - 1 : at] != "{":
        return [], 0
    while found := _MEMBER.match(line, at):
        keys.append(found[1])
        at = found.end()
        if found[2] == "}":
            return keys, at
    return [], 0


def _pointed(scores: pl.Series) -> pl.Series:
    """Whole numbers with a point, as all scores are held."""
    import polars as pl

    whole = ~scores.str.contains(r"[.eE]")
    if not whole.any():
        return scores
    return scores.to_frame("score").select(pl.when(whole).then(pl.col("score") + ".0").otherwise("score")).to_series()
