"""Parquet whose column `words` has floats."""

import datetime

import polars as pl

row = {
    "case": "c1",
    "words": 3.0,
    "score": 0.5,
    "route": "billing",
    "opened": datetime.datetime(2026, 8, 10, 12, 30, tzinfo=datetime.UTC),
    "day": datetime.date(2026, 8, 10),
    "sha": "a" * 40,
    "tags": ["new"],
    "limit": "usual",
}
pl.DataFrame([row]).write_parquet("rows/cases.parquet")
