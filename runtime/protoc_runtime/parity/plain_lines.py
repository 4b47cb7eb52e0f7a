"""Lines of JSON that are as they should be, read by polars: flat objects without escapes, all laid out as the first.

The first line tells what stands around its values. One expression matches every line that differs from it in values
alone, each of them well-formed, and takes out what is compared. Without escapes a quotation mark does nothing but begin
and end texts, so that a line is matched in one way only. A file with any other line is not read here: the one reader
that knows all faults tells them.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from protoc_runtime.parity.records import Parity
from protoc_runtime.record import record

if TYPE_CHECKING:
    import polars as pl

LARGEST = 1 << 30  # bytes
NONE = "\x01"  # parts no line: no text may have it
FEW = 9  # members whose groups one pass over a line takes out; with more, matching alone is quicker by far
_S = r"[ \t]*"
_CHARS = r'[^"\\\x00-\x1f]*'
_WHOLE = "-?(?:0|[1-9][0-9]{0,14})"
_NUMBER = rf"{_WHOLE}(?:\.[0-9]{{1,40}})?(?:[eE][+-]?[0-9]{{1,2}})?"
_VALUE = rf'(?:"{_CHARS}"|{_WHOLE}(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null)'
_MEMBER = re.compile(rf'({_S}"({_CHARS})"{_S}:{_S}){_VALUE}({_S}[,}}])')


@record
class Columns:
    """What is compared of every row: ids, routes, and scores as they are written, with a point."""

    ids: pl.Series
    routes: pl.Series
    scores: pl.Series


def read(data: bytes, parity: Parity) -> Columns | None:
    """The columns of a file in which every row is well-formed and tells of no error; None for any other file."""
    if len(data) > LARGEST or b"\\" in data or NONE.encode() in data:
        return None
    members = _members(_first(data))
    keys, due = [member.key for member in members], set(parity.columns)
    if len(keys) != len(set(keys)) or len(due) != len(parity.columns) or not due <= set(keys):
        return None
    frame = _matched(data, members, parity)
    if frame is None or frame["id"].null_count() or not frame["id"].str.contains(r"\S").all():
        return None
    return Columns(frame["id"], frame["route"], _with_points(frame["score"]))


# --- the first line -------------------------------------------------------------------------------------------------


def _first(data: bytes) -> str:
    """The first line; "" for one that is no text."""
    end = data.find(b"\n")
    try:
        return (data[:end] if end >= 0 else data).removesuffix(b"\r").decode()
    except UnicodeDecodeError:
        return ""


@record
class _Member:
    """A key, and what stands before and after its value."""

    before: str
    key: str
    after: str


def _members(line: str) -> list[_Member]:
    """The members of a flat object with all that stands around their values; none where the line is none."""
    made: list[_Member] = []
    indent, brace, _ = line.partition("{")
    before, at = indent + brace, len(indent) + 1
    while brace and not indent.strip(" \t") and (found := _MEMBER.match(line, at)):
        at = found.end()
        rest = line[at:] if found[3].endswith("}") else ""
        made.append(_Member(before + found[1], found[2], found[3] + rest))
        if found[3].endswith("}"):
            return [] if rest.strip(" \t") else made
        before = ""
    return []


def _values(parity: Parity) -> dict[str, str]:
    """What a value must match, by key, and what of it is compared. An id is not blank besides."""
    return {
        parity.id: f'"(?P<id>{_CHARS})"', parity.route: f'(?:"(?P<route>{_CHARS})"|null)',
        parity.score: f"(?P<score>{_NUMBER})", parity.error: '(?:""|null)', parity.violation: "false",
    }  # fmt: skip


# --- all lines ------------------------------------------------------------------------------------------------------


def _matched(data: bytes, members: list[_Member], parity: Parity) -> pl.DataFrame | None:
    """The columns `id`, `route` and `score` of all lines, where one does not match without an id; None for what is no
    text."""
    import polars as pl

    try:
        lines = pl.scan_csv(
            data, schema={"line": pl.String()}, separator=NONE, quote_char=None, has_header=False,
            empty_string_is_null=False,
        )  # fmt: skip
        return lines.select(_taken(members, parity)).collect(engine="streaming")
    except pl.exceptions.PolarsError:
        return None


def _taken(members: list[_Member], parity: Parity) -> list[pl.Expr]:
    """What is compared of a line."""
    import polars as pl

    line, values = pl.col("line"), _values(parity)
    around = {each.key: (re.escape(each.before), re.escape(each.after)) for each in members}
    whole = f"^{''.join(before + values.get(key, _VALUE) + after for key, (before, after) in around.items())}$"
    if len(members) <= FEW:
        return [line.str.extract_groups(whole).struct.unnest()]
    keys = {"id": parity.id, "route": parity.route, "score": parity.score}
    found = {name: line.str.extract(around[key][0] + values[key]) for name, key in keys.items()}
    found["id"] = pl.when(line.str.contains(whole)).then(found["id"])
    return [taken.alias(name) for name, taken in found.items()]


def _with_points(scores: pl.Series) -> pl.Series:
    """The scores, whole numbers with a point, as all of them are held."""
    import polars as pl

    whole = ~scores.str.contains("[.eE]")
    if not whole.any():
        return scores
    return scores.to_frame().select(pl.when(whole).then(pl.first() + ".0").otherwise(pl.first())).to_series()
