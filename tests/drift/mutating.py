"""Changes each key and value of a spec once: taken out, replaced, renamed, or put behind its neighbour."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator
from typing import Any

from drift.specs import Bare, Plain

Path = tuple[Any, ...]
_SWAPS = (
    (">=", ">"), ("<=", "<"), (" > ", " >= "), (" < ", " <= "), (" == ", " != "), (" and ", " or "), ("some ", "no "),
    ("no ", "some "), ("all ", "no "), ("min(", "max("), ("rate(", "mean("),
)  # fmt: skip
_WORDS = {
    "true": "false", "false": "true", "tune": "score", "score": "tune", "score once": "score", "runner": "attestation",
    "attestation": "runner", "recorded": "honoured", "fires": "does not fire", "does not fire": "fires",
    "int": "decimal", "text": "text?", "text?": "text", "int?": "int", "bool": "bool?", "time": "time?",
    "digest": "digest?", "heldout": "development", "development": "heldout", "digests": "bodies", "USD": "EUR",
    "ms": "s", "target": "empty", "empty": "target", "receipt": "summary", "cases": "summary",
}  # fmt: skip


def mutants(spec: Plain) -> Iterator[tuple[str, Plain]]:
    """(what was done, the changed spec)."""
    for path in _paths(spec):
        name = "/".join(map(str, path))
        yield f"without {name}", _without(spec, path)
        value = _at(spec, path)
        if isinstance(value, str):
            for at, other in enumerate(_others(str(value))):
                yield f"{name} otherwise {at}", _with(spec, path, Bare(other) if isinstance(value, Bare) else other)
        if isinstance(path[-1], str):
            yield f"{name} renamed", _keyed(spec, path, f"{path[-1]}_x")
        moved = _behind(spec, path)
        if moved is not None:
            yield f"{name} behind its neighbour", moved


def _paths(value: Plain, path: Path = ()) -> Iterator[Path]:
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in inside:
        yield (*path, key)
        yield from _paths(part, (*path, key))


def _at(spec: Plain, path: Path) -> Plain:
    for key in path:
        spec = spec[key]
    return spec


def _others(text: str) -> Iterator[str]:
    if text in _WORDS:
        yield _WORDS[text]
        return
    number = re.search(r"(?<![\w.])\d+(?:\.\d+)?(?![\w.])", text)
    if number:
        value = number.group()
        longer = value[:-1] + ("1" if value[-1] != "1" else "2")
        yield text[: number.start()] + longer + text[number.end() :]
    for one, other in _SWAPS:
        if one in text:
            yield text.replace(one, other, 1)
            break
    yield f"{text}_x" if " " not in text else f"{text} x"


def _changed(spec: Plain, path: Path) -> tuple[Plain, Plain]:
    """A copy along the path, and the copy of what holds its last key."""
    made = copy.copy(spec)
    holder = made
    for key in path[:-1]:
        holder[key] = copy.copy(holder[key])
        holder = holder[key]
    return made, holder


def _without(spec: Plain, path: Path) -> Plain:
    made, holder = _changed(spec, path)
    del holder[path[-1]]
    return made


def _with(spec: Plain, path: Path, value: Plain) -> Plain:
    made, holder = _changed(spec, path)
    holder[path[-1]] = value
    return made


def _keyed(spec: Plain, path: Path, key: str) -> Plain:
    made, holder = _changed(spec, path)
    entries = [(key if name == path[-1] else name, value) for name, value in holder.items()]
    holder.clear()
    holder.update(entries)
    return made


def _behind(spec: Plain, path: Path) -> Plain | None:
    made, holder = _changed(spec, path)
    if isinstance(holder, list):
        if path[-1] + 1 >= len(holder):
            return None
        at = path[-1]
        holder[at], holder[at + 1] = holder[at + 1], holder[at]
        return made
    keys = list(holder)
    at = keys.index(path[-1])
    if at + 1 >= len(keys):
        return None
    keys[at], keys[at + 1] = keys[at + 1], keys[at]
    entries = [(key, holder[key]) for key in keys]
    holder.clear()
    holder.update(entries)
    return made
