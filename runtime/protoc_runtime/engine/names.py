"""Which library functions the engine has, without loading it."""

from __future__ import annotations

AGGREGATES = (
    "auc",
    "benjamini_hochberg",
    "correlation",
    "count",
    "cut_off",
    "distinct",
    "list",
    "longest_run",
    "max",
    "max_drawdown",
    "mcnemar",
    "mean",
    "median",
    "min",
    "p95",
    "product",
    "quantile",
    "rate",
    "spearman",
    "sum",
    "variance",
)
FUNCTIONS = (
    "abs",
    "chars",
    "day",
    "floor",
    "holm",
    "indicator",
    "max",
    "min",
    "occurrences",
    "offset",
    "round",
    "size",
    "slice",
    "sqrt",
    "wilson",
)
