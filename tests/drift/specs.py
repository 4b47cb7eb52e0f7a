"""Specs as plain values, for tests that change one thing in them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from protoc_compiler import core, source
from protoc_compiler.drift.reading import Source, read
from protoc_compiler.nodes import Mapping, Node, Scalar
from protoc_runtime.diagnostics import Findings, Refused

ROOT = Path(__file__).resolve().parents[2]
SEEDS = tuple(sorted((ROOT / "specs").glob("*/protocol.yaml")))
Plain = Any  # a text, a list or a dict


class Bare(str):
    """A text that stands without quotes: `3` is then a number where a value of any type may stand."""


def plain(data: bytes, name: str) -> Plain:
    """The values of a YAML file, every scalar as its text."""
    root = source.read(data, name, Findings())
    assert root is not None
    return _plain(root)


def _plain(node: Node) -> Plain:
    if isinstance(node, Scalar):
        return Bare(node.text) if node.style == "plain" else node.text
    if isinstance(node, Mapping):
        return {key.text: _plain(value) for key, value in node.entries}
    return [_plain(item) for item in node.items]


def written(value: Plain) -> bytes:
    """A spec with these values, in block style."""
    return ("\n".join(_lines(value)) + "\n").encode("utf-8")


def _lines(value: Plain) -> Iterator[str]:
    if isinstance(value, str):
        yield str(value) if isinstance(value, Bare) else json.dumps(value, ensure_ascii=False)
    elif not value:
        yield "{}" if isinstance(value, dict) else "[]"
    elif isinstance(value, dict):
        for key, part in value.items():
            name = key if key.replace("_", "").replace(" ", "").isalnum() else json.dumps(key, ensure_ascii=False)
            yield from _entry(f"{name}:", list(_lines(part)), isinstance(part, str) or not part)
    else:
        for part in value:
            first, *rest = _lines(part)
            yield f"- {first}"
            yield from (f"  {line}" for line in rest)


def _entry(head: str, lines: list[str], short: bool) -> Iterator[str]:
    if short:
        yield f"{head} {lines[0]}"
    else:
        yield head
        yield from (f"  {line}" for line in lines)


def resolved(value: Plain, path: Path) -> Source | None:
    """The spec if it resolves; files beside it are those beside `path`."""
    try:
        return read(str(path), path.name, written(value))
    except Refused:
        return None


def protocol(value: Plain, path: Path) -> core.Protocol | None:
    """Its protocol, if it resolves."""
    found = resolved(value, path)
    return found.protocol if found is not None else None
