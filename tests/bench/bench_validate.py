"""Validating rows: Parquet against reading it with a uniqueness check in polars, JSONL against bare pydantic."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

from common import Figure, Size, alternating, scratch, show, shown_seconds

from protoc_runtime.declared import Declared, load
from protoc_runtime.diagnostics import Findings

PARQUET, JSONL = 2_000_000, 200_000
ROUTES = ("billing", "refund", "other")
SPEC = """protoc: 1
protocol: {id: rows, version: 1, title: Rows}
question: {asks: Are the rows right?}
data:
  tables:
    cases:
      key: case
      columns: {case: text, route: [billing, refund, other], words: int, score: decimal, right: bool}
verdict:
  - DONE otherwise
report: {released: [DONE]}
"""


def run(size: Size) -> list[Figure]:
    """Both formats; every row is valid, which is the usual case and the one that costs most per row."""
    return [parquet(size), jsonl(size)]


@cache
def study() -> Declared:
    """A protocol with one table of cases, keyed by case."""
    from protoc_compiler import identity, pipeline

    found = pipeline.examine("rows.yaml", SPEC.encode())
    assert found.protocol is not None, [item.message for item in found.findings]
    return load(identity.canonical(found.protocol))


def validated(folder: Path) -> None:
    """All of every row read and checked, the key included."""
    from protoc_runtime.reading import read_tables

    findings = Findings()
    read_tables(study(), folder, findings=findings)
    assert not findings.failed, next(iter(findings)).message


def parquet(size: Size) -> Figure:
    """Reading with `unique` on the key, as somebody would write it in polars."""
    import polars as pl

    rows = size.of(PARQUET)
    folder = scratch() / "parquet"
    folder.mkdir()
    at = pl.int_range(rows)
    routes = dict(enumerate(ROUTES))
    frame = pl.select(
        case=pl.format("case-{}", at), route=(at % 3).replace_strict(routes), words=at % 500,
        score=pl.format("0.{}", (at % 1000).cast(pl.String).str.zfill(3)).cast(pl.Float64), right=at % 7 != 0,
    )  # fmt: skip
    path = folder / "cases.parquet"
    frame.write_parquet(path)
    found = alternating(
        {"ours": lambda: validated(folder), "plain": lambda: pl.read_parquet(path)["case"].is_unique().all()},
        size.rounds,
    )
    return Figure(
        "validate Parquet, keys unique", f"{rows:,} rows of 5 columns", shown_seconds(found["ours"]),
        f"polars read and is_unique {shown_seconds(found['plain'])}", found["ours"] / found["plain"], 2,
    )  # fmt: skip


def jsonl(size: Size) -> Figure:
    """Each line through a pydantic model and dropped: nothing is kept, and no key is compared."""
    from typing import Literal

    from pydantic import BaseModel, ConfigDict

    class Case(BaseModel):
        model_config = ConfigDict(strict=True, extra="forbid")
        case: str
        route: Literal["billing", "refund", "other"]
        words: int
        score: float
        right: bool

    rows = size.of(JSONL)
    folder = scratch() / "jsonl"
    folder.mkdir()
    path = folder / "cases.jsonl"
    with path.open("w", encoding="utf-8") as file:
        for at in range(rows):
            row = {"case": f"case-{at}", "route": ROUTES[at % 3], "words": at % 500, "score": at % 1000 / 1000}
            file.write(json.dumps({**row, "right": at % 7 != 0}) + "\n")

    def bare() -> None:
        with path.open("rb") as lines:
            for line in lines:
                Case.model_validate_json(line)

    found = alternating({"ours": lambda: validated(folder), "plain": bare}, size.rounds)
    speed = {name: rows / seconds / 1000 for name, seconds in found.items()}
    return Figure(
        "validate JSONL, keys unique", f"{rows:,} rows of 5 columns", f"{speed['ours']:.0f} thousand rows/s",
        f"bare pydantic {speed['plain']:.0f} thousand rows/s", speed["ours"] / speed["plain"], 0.7, True,
    )  # fmt: skip


if __name__ == "__main__":
    show(run)
