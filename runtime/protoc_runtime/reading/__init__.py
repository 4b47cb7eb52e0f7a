"""Rows in: files and Python rows become columns, and every fault of them is told at once.

`read_tables` reads a folder, `read_rows` takes rows that exist as Python values; both give `TableData`. Nothing is
converted by guess: a number is the exact decimal that was written.
"""

from __future__ import annotations

from protoc_runtime.reading.canonical import content_digest, raw_rows, to_rows, write_jsonl
from protoc_runtime.reading.tables import read_rows, read_tables

__all__ = ["content_digest", "raw_rows", "read_rows", "read_tables", "to_rows", "write_jsonl"]
