"""Keys that nobody can tell apart: blank ones and one text in two Unicode forms are refused, look-alikes warned about.

For look-alikes only keys with characters outside of ASCII are looked at; where there are none this costs one comparison
of lengths.
"""

from __future__ import annotations

import polars as pl

from protoc_runtime.catalogue import rows as kinds
from protoc_runtime.diagnostics import Kind, Related
from protoc_runtime.lookalikes import composed, look, spelled
from protoc_runtime.reading.builder import Raw
from protoc_runtime.reading.faults import shown

Key = tuple[object, ...]


_NOTHING_TO_SEE = r"^\s*$"  # invisible characters are refused in every key


def check(raw: Raw, names: list[str]) -> None:
    """Tell each row whose key is blank (E1043), another row's in another form (E1039), or looks like it (W1040)."""
    texts = [name for name in names if raw.frame[name].dtype == pl.String]
    for name in texts:
        for row in raw.frame.select(pl.col(name).str.contains(_NOTHING_TO_SEE).fill_null(False).arg_true()).to_series():
            raw.faults.add(kinds.BLANK_KEY, raw.faults.span(row), table=raw.layout.table.name, column=name)
    if not texts or not (other := _not_ascii(raw.frame, texts)):
        return
    keys: list[Key] = raw.frame.select(names).rows()
    first: dict[Key, int] = {}
    for row, key in enumerate(keys):
        first.setdefault(key, row)
    seen: dict[Key, int] = {}
    looks: dict[Key, int] = {}
    for row in other:
        key = keys[row]
        whole = tuple(composed(part) if isinstance(part, str) else part for part in key)
        drawn = tuple(look(part) if isinstance(part, str) else part for part in key)
        twin = seen.setdefault(whole, row) if first.get(whole, row) == row else first[whole]
        like = looks.setdefault(drawn, row) if first.get(drawn, row) == row else first[drawn]
        if twin != row and first[key] == row:
            _tell(raw, kinds.TWIN_KEY, row, twin, key)
        elif like not in (row, twin):
            _tell(raw, kinds.ALIKE_KEYS, row, like, key)


def _not_ascii(frame: pl.DataFrame, names: list[str]) -> list[int]:
    """The rows in whose key a character takes several bytes."""
    longer = [pl.col(name).str.len_bytes() != pl.col(name).str.len_chars() for name in names]
    return frame.select(pl.any_horizontal(longer).fill_null(False).arg_true()).to_series().to_list()


def _tell(raw: Raw, kind: Kind, row: int, before: int, key: Key) -> None:
    related = [Related(raw.faults.span(before), "the other row")]
    found = ", ".join(map(_spelled, key))
    raw.faults.add(kind, raw.faults.span(row), related=related, table=raw.layout.table.name, found=found)


def _spelled(part: object) -> str:
    """A part of a key with what is not ASCII named, since it cannot be told by its look."""
    letters = spelled(part) if isinstance(part, str) else ""
    return f"{shown(part)} (with {letters})" if letters else shown(part)
