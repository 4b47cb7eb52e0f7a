"""A small table for tests of the reader, and one file per kind of fault."""

from __future__ import annotations

from pathlib import Path

from protoc_compiler import core, identity
from protoc_compiler.core import Type
from protoc_runtime import declared
from protoc_runtime.diagnostics import Diagnostic, Findings
from protoc_runtime.reading import read_tables
from protoc_runtime.tables import TableData
from unit.protocols import col, protocol

LIMITS = core.Table(
    "limits",
    "input",
    "limits",
    key=("limit",),
    source="file",
    columns=(col("limit", core.TEXT),),
)
FULL = core.Table(
    "cases",
    "input",
    "cases",
    key=("case",),
    source="file",
    columns=(
        col("case", core.TEXT),
        col("words", core.INT),
        col("score", core.NUMBER, optional=True),
        col("route", Type("enum", members=("billing", "refund")), optional=True),
        col("opened", core.TIME, optional=True),
        col("day", core.DATE, optional=True),
        col("sha", core.DIGEST, optional=True),
        col("tags", Type("set", item=core.TEXT), optional=True),
        col("extra", core.ANY, optional=True),
        col("limit", Type("row", table="limits"), optional=True),
    ),
)
REST = '"score":null,"route":null,"opened":null,"day":null,"sha":null,"tags":null,"extra":null,"limit":null'


def line(case: str = '"c1"', words: str = "3", **cells: str) -> str:
    """A row of `cases` as JSON; the cells are JSON texts."""
    rest = dict(part.split(":") for part in REST.replace('"', "").split(","))
    names = {"case": case, "words": words} | rest | cells
    return "{" + ",".join(f'"{name}":{cell}' for name, cell in names.items()) + "}"


def study(*tables: core.Table, **parts: object) -> declared.Declared:
    """What a protocol with these tables declares."""
    return declared.load(identity.canonical(protocol(tables or (LIMITS, FULL), **parts)))


def read(
    folder: Path, given: declared.Declared | None = None, **options: object
) -> tuple[dict[str, TableData], list[Diagnostic]]:
    """The tables of a folder, and all findings."""
    findings = Findings()
    made = read_tables(given or study(), folder, findings=findings, **options)  # type: ignore[arg-type]
    return made, list(findings)


def put(folder: Path, name: str, content: str | bytes) -> Path:
    """A data file; `limits.jsonl` is put beside it."""
    (folder / "limits.jsonl").write_text('{"limit":"low"}\n{"limit":"high"}\n', encoding="utf-8")
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
    return path
