"""Comparing two runtimes row by row against a join that somebody would write in polars, on the same files."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

from common import Figure, Size, alternating, scratch, show, shown_seconds

ROWS = 1_000_000
THRESHOLD = 0.95


def run(size: Size) -> list[Figure]:
    """Both read the two files, find cases of one side alone, other routes and other decisions, and sum drift up."""
    rows = size.of(ROWS)
    return [_figure(_files(rows, ending), rows, ending, size) for ending in ("parquet", "jsonl")]


def _figure(files: tuple[Path, Path], rows: int, ending: str, size: Size) -> Figure:
    found = alternating({"ours": lambda: _ours(*files), "plain": lambda: _plain(*files)}, size.rounds)
    return Figure(
        f"parity of two runtimes, {ending}", f"{rows:,} rows a side, shuffled, scores of 16 digits; reading included",
        shown_seconds(found["ours"]), f"polars join by hand {shown_seconds(found['plain'])}",
        found["ours"] / found["plain"], 2,
    )  # fmt: skip


def _files(rows: int, ending: str) -> tuple[Path, Path]:
    import random

    import polars as pl

    draw = random.Random(7)
    scores = [draw.random() for _ in range(rows)]
    made = []
    for name, shift in (("reference", 0.0), ("candidate", 1e-9)):
        order = list(range(rows))
        draw.shuffle(order)
        frame = pl.DataFrame(
            {
                "case_id": [f"case-{at:07d}" for at in order],
                "predicted": [f"operation-{at % 40}" for at in order],
                "supported_probability": [
                    min(1.0, scores[at] + shift * (abs(scores[at] - THRESHOLD) > 1e-6)) for at in order
                ],
                "error": [""] * rows,
            }
        )
        path = scratch() / f"{name}.{ending}"
        frame.write_parquet(path) if ending == "parquet" else frame.write_ndjson(path)
        made.append(path)
    return made[0], made[1]


def _ours(reference: Path, candidate: Path) -> None:
    from protoc_runtime.parity.comparing import compare
    from protoc_runtime.parity.records import Parity
    from protoc_runtime.parity.rows import read_both

    parity = Parity("case_id", "predicted", "supported_probability", Fraction(19, 20), "error")
    found = compare(parity, *read_both(reference, candidate, parity))
    assert found.holds, [check for check in found.checks if not check.holds]


def _plain(reference: Path, candidate: Path) -> None:
    import polars as pl

    reading = pl.read_parquet if reference.suffix == ".parquet" else pl.read_ndjson
    sides = [reading(path) for path in (reference, candidate)]
    joined = sides[0].join(sides[1], on="case_id", how="full", suffix="_2", coalesce=True)
    assert joined.height == sides[0].height == sides[1].height
    assert (joined["predicted"] == joined["predicted_2"]).all()
    one, other = joined["supported_probability"], joined["supported_probability_2"]
    assert ((one >= THRESHOLD) == (other >= THRESHOLD)).all()
    drift, margin = (one - other).abs(), (one - THRESHOLD).abs()
    assert drift.max() is not None
    assert drift.mean() is not None
    assert [drift.quantile(q, "nearest") for q in (0.5, 0.95)] + [margin.quantile(q, "nearest") for q in (0.05, 0.5)]


if __name__ == "__main__":
    show(run)
