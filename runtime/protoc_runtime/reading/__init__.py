"""Rows in: files and Python rows become columns, and every fault of them is told at once.

`read_tables` reads a folder, `read_rows` takes rows that exist as Python values; both give `TableData`. Nothing is
converted by guess: a number is the exact decimal that was written. The names below are loaded when they are first
used, so that the layout of rows can be read without polars.
"""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from protoc_runtime.reading.canonical import raw_rows, to_rows, write_jsonl
    from protoc_runtime.reading.content import content_digest
    from protoc_runtime.reading.tables import read_rows, read_tables

__all__ = ["content_digest", "raw_rows", "read_rows", "read_tables", "to_rows", "write_jsonl"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__} has no {name}")
    module = {"read_rows": "tables", "read_tables": "tables", "content_digest": "content"}.get(name, "canonical")
    return getattr(import_module(f"{__name__}.{module}"), name)
