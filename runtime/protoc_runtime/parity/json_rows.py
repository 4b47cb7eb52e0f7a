"""Rows of `.json` and `.jsonl` files one by one, numbers that are not whole as the bytes of their digits."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from protoc_runtime.manifests.meaning import PLACES, Twice, Unreadable, collect_pairs
from protoc_runtime.reading.jsonl import no_collector

LINES = 1_000  # that are parsed at once
_DECODER = json.JSONDecoder(object_pairs_hook=collect_pairs, parse_float=str.encode, parse_constant=float)


def read(data: bytes, take: Callable[[Any], None], *, lines: bool) -> Mapping[str, Any] | None:
    """Give every row of a file away, one per line or those of a document; its summary, if it has one. Raises
    Unreadable."""
    with no_collector():
        return _given(data, take, lines)


def _given(data: bytes, take: Callable[[Any], None], lines: bool) -> Mapping[str, Any] | None:
    if lines:
        for row in _lines(data):
            take(row)
        return None
    document = _decoded(data)
    for each in (document, document.get("summary")) if isinstance(document, Mapping) else ():
        if isinstance(each, Twice):
            raise Unreadable(f"`{each.again[0]}` is written twice")
    rows = document.get("rows") if isinstance(document, Mapping) else document
    if not isinstance(rows, list):
        raise Unreadable("it is neither a list of rows nor an object with a list `rows`")
    for row in rows:
        take(row)
    summary = document.get("summary") if isinstance(document, Mapping) else None
    return summary if isinstance(summary, Mapping) else None


def small(digits: bytes) -> bool:
    """Whether the exponent of a number is one that anybody measures."""
    _, _, exponent = digits.lower().partition(b"e")
    return not exponent or abs(int(exponent)) < PLACES


def _lines(data: bytes) -> Iterator[Any]:
    """The values of all lines. Between those that are parsed at once stands a text that occurs in none of them, so
    that no value reaches over the end of its line."""
    between = secrets.token_hex(16)
    lines = [line for line in data.split(b"\n") if line.strip()]
    for start in range(0, len(lines), LINES):
        part = lines[start : start + LINES]
        try:
            made = _decoded(b"[" + f',"{between}",'.encode().join(part) + b"]")
        except Unreadable:
            made = []
        if len(made) == 2 * len(part) - 1 and made[1::2].count(between) == len(part) - 1:
            yield from made[::2]
        else:
            yield from map(_decoded, part)


def _decoded(data: bytes) -> Any:
    try:
        return _DECODER.decode(data.decode("utf-8-sig"))
    except RecursionError:
        raise Unreadable("it is nested too deeply") from None
    except ValueError as fault:
        raise Unreadable(str(fault)) from None
