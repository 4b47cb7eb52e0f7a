"""Answers in Parquet."""

import os

import polars as pl

os.mkdir("data")
pl.DataFrame({"answer": ["a1", "a2", "a3"], "right": [True, False, True]}).write_parquet("data/answers.parquet")
