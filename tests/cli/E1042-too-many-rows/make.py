"""Parquet of a few kilobytes that claims two hundred million rows and one."""

import polars as pl

cases = pl.Series([None], dtype=pl.Null).new_from_index(0, 200_000_001)
pl.DataFrame({"case": cases}).write_parquet("rows/cases.parquet")
