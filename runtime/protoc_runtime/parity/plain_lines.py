"""Lines of JSON that are as they should be, read by polars: flat objects without escapes, all laid out as the first.

Without escapes a quotation mark does nothing but begin and end texts, so that lines of one layout are a table whose
columns stand between quotation marks: in turns what is outside of texts, and texts. What is outside, and every key,
must be that of the first line, but for its numbers; the lengths of all columns must come to the length of the file. A
file with any other line is not read here, so that faults are told by the one reader that knows them all.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from protoc_runtime.parity.records import Parity
from protoc_runtime.record import record

if TYPE_CHECKING:
    import polars as pl

LARGEST = 1 << 30  # bytes
NULL = "\x01"  # stands for null where a text may be, and can be in no text itself
_S = r"[ \t]*"
_CHARS = r'[^"\\\x00-\x1f]*'
_NUMBER = r"-?(?:0|[1-9][0-9]{0,14})(?:\.[0-9]{1,40})?(?:[eE][+-]?[0-9]{1,2})?"
_SCALAR = rf"(?:{_NUMBER}|true|false|null)"
_MEMBER = re.compile(rf'{_S}"({_CHARS})"({_S}:{_S})("{_CHARS}"|{_SCALAR}){_S}([,}}])')
_OUTSIDE = re.compile(rf"({_S}:{_S})({_SCALAR})({_S}[,}}].*)")


@record
class Columns:
    """What is compared of every row: ids, routes, and scores as they are written, with a point."""

    ids: pl.Series
    routes: pl.Series
    scores: pl.Series


def read(data: bytes, parity: Parity) -> Columns | None:
    """The columns of a file in which every row is well-formed and tells of no error; None for any other file."""
    if len(data) > LARGEST or b"\\" in data or NULL.encode() in data:
        return None
    members = _members(_first(data))
    keys = [key for key, _, _ in members]
    due = set(parity.columns)
    if len(keys) != len(set(keys)) or len(due) != len(parity.columns) or not due <= set(keys):
        return None
    for key, colon, value in members if b"null" in data else ():
        if key in (parity.route, parity.error) or value.startswith('"'):
            data = data.replace(f'"{key}"{colon}null'.encode(), f'"{key}"{colon}"{NULL}"'.encode())
    places = list(_places(_first(data).split('"')))
    patterns = {place.name: _pattern(place, parity) for place in places if place.key is not None}
    frame = _table(data, len(places)) if all(patterns.values()) else None
    if frame is None or not _all_hold(frame, places, patterns, _without_ends(data, frame.height)):
        return None
    return _columns(frame, {place.key: place.name for place in places if place.key is not None}, parity)


# --- the first line -------------------------------------------------------------------------------------------------


def _first(data: bytes) -> str:
    """The first line; "" for one that is no text."""
    end = data.find(b"\n")
    try:
        return (data[:end] if end >= 0 else data).removesuffix(b"\r").decode()
    except UnicodeDecodeError:
        return ""


def _members(line: str) -> list[tuple[str, str, str]]:
    """Key, colon with its spaces, and value of each member of a flat object; none where the line is none."""
    made: list[tuple[str, str, str]] = []
    before, brace, _ = line.partition("{")
    at = len(before) + 1
    while brace and not before.strip(" \t") and (found := _MEMBER.match(line, at)):
        made.append((found[1], found[2], found[3]))
        at = found.end()
        if found[4] == "}":
            return [] if line[at:].strip(" \t") else made
    return []


@record
class _Place:
    """One column of the table. `key`: whose value it holds, a text, or something else that stands between the two of
    `around`; without a key it is `text` in every line."""

    name: str
    text: str
    key: str | None = None
    around: tuple[str, str] | None = None


def _places(parts: list[str]) -> Iterator[_Place]:
    """The columns by the first line, cut up at its quotation marks."""
    for at, part in enumerate(parts):
        name = f"c{at}"
        if at % 2:
            is_key = parts[at + 1].lstrip(" \t").startswith(":")
            yield _Place(name, part, None if is_key else parts[at - 2])
        elif found := _OUTSIDE.fullmatch(part):
            yield _Place(name, part, parts[at - 1], (found[1], found[3]))
        else:
            yield _Place(name, part)


# --- all lines ------------------------------------------------------------------------------------------------------


def _pattern(place: _Place, parity: Parity) -> str:
    """What a column must match in every line; "" where it cannot hold what is due."""
    key = place.key or ""
    numbers = {parity.score: _NUMBER, parity.violation: "false"}
    texts = {
        parity.id: rf"^{_CHARS}[^\x00-\x1f\s]{_CHARS}$", parity.error: rf"^{NULL}?$",
        parity.route: rf"^(?:{_CHARS}|{NULL})$",
    }  # fmt: skip
    if place.around is None:
        return "" if key in numbers else texts.get(key, texts[parity.route])
    before, after = map(re.escape, place.around)
    return "" if key in texts else f"^{before}{numbers.get(key, _SCALAR)}{after}$"


def _table(data: bytes, width: int) -> pl.DataFrame | None:
    """All lines cut up at their quotation marks; None where one has more of them than the first, or is no text."""
    import polars as pl

    schema = {f"c{at}": pl.String() for at in range(width)}
    try:
        return pl.read_csv(
            data, schema=schema, separator='"', quote_char=None, has_header=False, empty_string_is_null=False
        )
    except pl.exceptions.PolarsError:
        return None


def _without_ends(data: bytes, lines: int) -> int:
    """How many bytes a file of so many lines has without their ends."""
    carriage = data.count(b"\r\n") if b"\r" in data else 0
    return len(data) - carriage - lines + (not data.endswith(b"\n"))


def _all_hold(frame: pl.DataFrame, places: list[_Place], patterns: Mapping[str, str], size: int) -> bool:
    """Whether every line is as it should be, and the columns are all of the file: `size` bytes without line ends."""
    import polars as pl

    equal = [pl.col(place.name) == place.text for place in places if place.key is None]
    match = [pl.col(name).str.contains(pattern) for name, pattern in patterns.items()]
    lengths = [pl.col(name).str.len_bytes().cast(pl.Int64).sum() for name in patterns]
    same = sum(len(place.text.encode()) + 1 for place in places if place.key is None) + len(patterns) - 1
    holds, length = frame.select(
        (pl.min_horizontal(each.sum() for each in (*equal, *match)) == pl.len()).alias("holds"),
        pl.sum_horizontal(lengths).alias("length"),
    ).row(0)
    return bool(holds) and length + same * frame.height == size


def _columns(frame: pl.DataFrame, named: Mapping[str, str], parity: Parity) -> Columns:
    """The columns that are compared; whole numbers with a point, as all scores are held."""
    import polars as pl

    route, score = pl.col(named[parity.route]), pl.col(named[parity.score]).str.strip_chars(" \t:,}")
    made = frame.select(
        pl.col(named[parity.id]).alias("id"),
        pl.when(route != NULL).then(route).alias("route"),
        pl.when(score.str.contains(r"[.eE]")).then(score).otherwise(score + ".0").alias("score"),
    )
    return Columns(made["id"], made["route"], made["score"])
