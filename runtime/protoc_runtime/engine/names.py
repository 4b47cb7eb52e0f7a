"""Which library functions the engine has, without loading it."""

from __future__ import annotations

AGGREGATES = (
    "auc",
    "benjamini_hochberg",
    "brier",
    "cohen_kappa",
    "correlation",
    "count",
    "cut_off",
    "distinct",
    "ece",
    "fleiss_kappa",
    "harmonic_mean",
    "list",
    "longest_run",
    "mad",
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
    "sign_test",
    "spearman",
    "sum",
    "variance",
)
FUNCTIONS = (
    "abs",
    "benjamini_hochberg",
    "binomial_test",
    "bonferroni",
    "chars",
    "clopper_pearson",
    "day",
    "fisher",
    "floor",
    "holm",
    "indicator",
    "max",
    "min",
    "newcombe",
    "newcombe_side",
    "occurrences",
    "offset",
    "round",
    "size",
    "slice",
    "sqrt",
    "wilson",
)
# a family keeps its undefined members: an option of the function says what becomes of them
FAMILIES = ("benjamini_hochberg", "bonferroni", "holm")
# what computes at most so much of a value of the rows, and stops the run where it is asked for more
CAPPED = ("binomial_test", "clopper_pearson", "fisher", "mcnemar", "sign_test")
# the same where this option is no constant
CAPPED_OPTIONS = {"newcombe": "level", "newcombe_side": "level", "quantile": "at", "round": "digits", "wilson": "level"}
