"""E125x: what stops the evaluation of the rules over rows."""

from __future__ import annotations

from protoc_runtime.diagnostics import Kind

SEVERAL_ROWS = Kind(
    "E1250",
    "several-rows",
    "error",
    "`only` found {count} rows of {table} where the protocol says there is at most one",
    "mend the rows, or write `first` or `last` with a declared order if one of several is meant",
    "`only(T where ...)` reads the one row. Where the data have several, choosing one of them would be a rule that "
    "nobody has registered, so the evaluation stops.",
    "two rows of one case and arm, read by `only(answers where arm == control)`",
)
ORDER_TIES = Kind(
    "E1251",
    "order-ties",
    "error",
    "two rows of {table} stand at the same place of its order",
    "add a column to the order that tells such rows apart, usually the key",
    "`first`, `last`, `earlier`, `latest` and running sums would depend on how rows happen to be stored.",
    "two rows with the same value of the column in `order:`",
)
ORDER_UNDEFINED = Kind(
    "E1252",
    "order-undefined",
    "error",
    "a row of {table} has no place in its order: a value that is ordered by is undefined",
    "order by columns that are always defined, or leave such rows out with `where`",
    "A row without a place in the order would be first, last or nowhere by accident.",
    "a null in the column of `order:`",
)
OTHER_KIND = Kind(
    "E1253",
    "value-of-another-kind",
    "error",
    "the value {found} is used as {expected}",
    "mend the row, or compare the value with one of its own kind",
    "A column of type `any` holds values of several kinds. Where a formula uses one as a number, a text or a truth "
    "value, the row must hold such a value.",
    'a row {"name": "forward_months", "value": "twelve"} used as a number',
)
MISSING_TABLE = Kind(
    "E1254",
    "table-missing",
    "error",
    "there are no rows for the table {table}",
    "give the file of this table, also when it has no rows",
    "A table that is absent is not a table without rows: rules over it would pass without evidence.",
    "evaluate the rules without the file of a declared table",
)
TOO_MANY_PAIRS = Kind(
    "E1255",
    "too-many-pairs",
    "error",
    "a formula compares every one of {outer} rows with each of {inner} rows of {table}",
    "add `matching`, or a condition that sets a column of one table equal to one of the other",
    "Without a column that the two tables share, the engine has to look at every pair, and these would not fit into "
    "memory.",
    "`count(cases as other where other.score > score)` over a million cases",
)
NO_DIGEST = Kind(
    "E1256",
    "digest-missing",
    "error",
    "no digest is known for {name}",
    "put the file beside the rows, or give its digest together with them",
    "A rule compares the digest of a file, so the evaluation has to know it.",
    "evaluate `digest(T) == ...` from rows that were not read from a file",
)
SAMPLE_TOO_LARGE = Kind(
    "E1257",
    "sample-too-large",
    "error",
    "a sample of {wanted} rows is asked of {table}, which has {size}",
    "sample fewer rows, or give the rows that the protocol expects",
    "A sample is drawn without repetition, so a smaller table cannot give it.",
    "`sample(cases, 50, seed = 1)` over 40 cases",
)
NOT_IN_FAMILY = Kind(
    "E1258",
    "not-in-family",
    "error",
    "`{function}` is asked to adjust p = {p}, which is no member of the family given to it",
    "name the same p-value in the family: `holm(p_one, [p_one, p_two])`",
    "A p-value is adjusted for the family that it belongs to. With another family the result would mean nothing.",
    "`holm(p_one, [p_two, p_three])`",
)
CUSTOM_FAILED = Kind(
    "E1259",
    "custom-metric-failed",
    "error",
    "the function `{target}` of the metric `{name}` failed: {reason}",
    "mend the function and compile again; None is how it says that there is no value",
    "A custom metric is a function of the author's, run in a process of its own. What it raises, another type than "
    "`gives` says, or a longer time than its `timeout` ends the evaluation: a value is never made up for it.",
    "`gini: {python: gini.py:gini, takes: [...], gives: decimal}` where the function divides by zero",
)
TOO_MUCH = Kind(
    "E1260",
    "too-much-work",
    "error",
    "`{function}` is asked for {found}, and computes {most}",
    "mend the rows where the number is no real one; of so many observations an interval (`wilson`, `newcombe`) says as "
    "much as an exact test",
    "The work of such a function grows with the value of a number and not with the rows: one cell of a file could "
    "take all time and all memory. What it computes is declared, and both computations stop at the same point.",
    "`binomial_test(hits, n, 0.5)` where a row says that n is 9007199254740991",
)

KINDS = (
    SEVERAL_ROWS,
    ORDER_TIES,
    ORDER_UNDEFINED,
    OTHER_KIND,
    MISSING_TABLE,
    TOO_MANY_PAIRS,
    NO_DIGEST,
    SAMPLE_TOO_LARGE,
    NOT_IN_FAMILY,
    CUSTOM_FAILED,
    TOO_MUCH,
)
