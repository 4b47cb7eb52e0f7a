"""Faults of types: E05xx."""

from __future__ import annotations

from protoc_runtime.diagnostics import Kind

WRONG_TYPE = Kind(
    "E0501",
    "wrong-type",
    "error",
    "{what} must be {expected}, and this is {found}",
    "{hint}",
    "Every formula has a type, and nothing is converted by accident.",
    "metrics:\n  n: sum(name over cases)",
)
INCOMPARABLE = Kind(
    "E0502",
    "incomparable",
    "error",
    "{left} cannot be compared with {right}",
    "{hint}",
    "A comparison needs two sides of one kind. Enums are compared with their members, references with keys.",
    "metrics:\n  n: count(cases where name > 3)",
)
UNIT_MISMATCH = Kind(
    "E0503",
    "unit-mismatch",
    "error",
    "{left} meets {right}",
    "{hint}",
    "Durations, sizes and money have units and never meet a plain number or another unit.",
    "gates:\n  fast: {says: At most 250., must: p95(latency over cases) <= 250}",
)
NOT_ORDERED = Kind(
    "E0504",
    "not-ordered",
    "error",
    "{found} has no order for `{op}`",
    "compare with == or !=, or with numbers, durations, times or dates",
    "Only numbers, quantities, times and dates are ordered.",
    "metrics:\n  n: count(cases where label < human)",
)
WRONG_ARGUMENTS = Kind(
    "E0505",
    "wrong-arguments",
    "error",
    "`{function}` takes {expected}, and here it has {found}",
    "{hint}",
    "The language reference lists what each function of the library takes.",
    "metrics:\n  n: rate(cases)",
)
MISSING_OPTION = Kind(
    "E0506",
    "missing-option",
    "error",
    "`{function}` needs the option `{name}`",
    "add it: `{name} = ...`",
    "What decides a result must be written down, so some options have no default.",
    "metrics:\n  n: quantile(size over cases)",
)
REAL_THRESHOLD = Kind(
    "E0507",
    "real-threshold",
    "error",
    "a real number (a root, a Wilson bound, a correlation) cannot meet a threshold as it stands",
    "round it by name, `round(x, digits = 4)`, or compare squares (`signed_square`, a variance)",
    "Real values are computed to 50 digits and shown with 12; an exact decision needs a rounding that is written down, "
    "or an exact test.",
    "gates:\n  low: {says: At least 0.5., must: wilson(count(cases), 9).low >= 0.5}",
)
NOT_ROWS = Kind(
    "E0508",
    "not-rows",
    "error",
    "{what} needs rows of a table, and `{found}` is {kind}",
    "{hint}",
    "Rows are named by a table or a table definition, filtered with `where` and `matching`.",
    "metrics:\n  n: count(3)",
)
ROWS_NOT_VALUE = Kind(
    "E0509",
    "rows-as-value",
    "error",
    "these are rows of `{name}`, and a value is needed here",
    "count them, or ask with `some` or `no`",
    "A filtered table is a set of rows, not a number.",
    "metrics:\n  n: 1 + (cases where size > 2)",
)
BRANCHES_DIFFER = Kind(
    "E0510",
    "branches-differ",
    "error",
    "the lines of this list give {one} and {other}",
    "every line of a first-match list gives a value of one type, or `undefined`",
    "A list has one type, whichever line is taken.",
    'definitions:\n  cases.x:\n    - 3 when size < 3\n    - "many" otherwise',
)
BAD_POWER = Kind(
    "E0511",
    "bad-power",
    "error",
    "`^` takes a number and a natural exponent",
    "write `x ^ 2`",
    "Only whole powers keep rational numbers exact.",
    "metrics:\n  n: 2 ^ 0.5",
)
NO_ORDER = Kind(
    "E0512",
    "no-order",
    "error",
    "`{function}` needs an order, and `{table}` declares none",
    "add `order: COLUMN` to the table, or `ordered by COLUMN` to the rows",
    "First, last, earlier and latest read a declared order; the order of lines counts only where the table says "
    "`order: file`.",
    "metrics:\n  n: first(cases).size",
)
NOT_ITERABLE = Kind(
    "E0513",
    "not-a-collection",
    "error",
    "`in` needs a list, a range, a set or a column of a table, and this is {found}",
    "write `x in [a, b]`, `x in 1..5`, `x in tags`, or `x in T.column`",
    "Membership is asked of something that has members.",
    "metrics:\n  n: count(cases where size in 3)",
)
NOT_CONSTANT = Kind(
    "E0514",
    "not-constant",
    "error",
    "{what} must be a constant",
    "write the value itself",
    "Levels, seeds and counts of draws are part of what is registered, so they cannot depend on data.",
    "metrics:\n  w: wilson(3, 9, level = rate(ok over cases)).low",
)
NO_FIELD = Kind(
    "E0515",
    "no-field",
    "error",
    "{found} has no field `{name}`",
    "{hint}",
    "A dot reads a column of a row or a field of a result such as `wilson(...).low`.",
    "metrics:\n  n: wilson(3, 9).lower",
)
BAD_LITERAL = Kind(
    "E0516",
    "bad-literal",
    "error",
    "`{found}` is not {expected}",
    "{hint}",
    "A cell of a listed table, a label of a wide file, a frozen value or a duration stands in the form of its type.",
    "procedure:\n  subject: {python: a.py:f, of: cases, sees: [text], timeout: 0.9}",
)
RULE_NOT_BOOL = Kind(
    "E0517",
    "rule-not-condition",
    "error",
    "`{name}` must be a condition, and this is {found}",
    "compare it with a threshold",
    "A blocker fires, a gate holds and a check is something: each is true, false or undefined.",
    "gates:\n  g: {says: Accurate., must: accuracy}",
)
GROUP_UNDEFINED = Kind(
    "E0518",
    "with-not-metric",
    "error",
    "`with` lists metrics, and `{name}` is none",
    "{hint}",
    "`with` computes study metrics once per group; name entries of `metrics` or numbers of `definitions`.",
    "definitions:\n  strata: {is: cases grouped by stratum, with: [acuracy]}",
)

NOT_RESAMPLED = Kind(
    "E0519",
    "metric-does-not-follow",
    "error",
    "the interval `{interval}` draws `{drawn}` anew, but `{metric}` reads {what}",
    "{hint}",
    "A resampled metric is computed anew on the drawn rows. A rule never is, and neither are rows that do not belong "
    "to the draw; a metric that reads one of these would mix drawn rows with the full data.",
    "intervals:\n  ci:\n    metric: share\n    resample: cases\n    draws: 100\n    generator: mersenne twister\n"
    "    seed: 7\n    level: 95%\n    low: share_low",
)
UNKNOWN_GENERATOR = Kind(
    "E0520",
    "unknown-generator",
    "error",
    "there is no generator `{name}`",
    "write `generator: mersenne twister`",
    "A draw is reproducible only if the generator and the rule by which it picks rows are part of the language.",
    "intervals:\n  ci: {metric: share, resample: cases, draws: 9, generator: dice, seed: 7, level: 95%, low: a}",
)
DIFFERENT_PLACEHOLDERS = Kind(
    "E0521",
    "different-placeholders",
    "error",
    "`{one}` and `{other}` do not have the same placeholders",
    "an interval and its outputs have one entry per entry of the metric: give all of them the same `<...>`",
    "The bounds of `<judges>.auc` belong to one judge each.",
    "intervals:\n  ci: {metric: <judges>.auc, resample: scores, draws: 9, generator: mersenne twister, seed: 7, "
    "level: 95%, low: auc_low}",
)
BAD_CUSTOM = Kind(
    "E0540",
    "bad-custom-metric",
    "error",
    "the function `{target}` cannot be a metric: {reason}",
    "{hint}",
    "A custom metric is a function in a file beside the spec. Its text is part of the protocol: it stands in the spec "
    "digest, the seal and the generated package. What goes in and what comes out has a type, so that a change of the "
    "data is noticed before the function sees it.",
    "metrics:\n  odd: {python: absent.py:odd, takes: [count(cases)], gives: decimal}",
)
ROWS_IN_A_VALUE = Kind(
    "E0545",
    "rows-in-a-value",
    "error",
    "`{name}` has a map of columns for its type, which makes a list of rows; here one value is due",
    "{hint}",
    "A map of columns inside a row of a file or of the subject's answer is a list of rows of their own. Records, "
    "listed tables and rows that are inside a row already hold single values.",
    "data:\n  records:\n    seal: {from: seal, columns: {time: time}}",
)

OUT_OF_RANGE = Kind(
    "E0546",
    "number-out-of-range",
    "error",
    "{what} is {found}; it must be {expected}",
    "mend the number; a share is written `0.95` or `95%`",
    "Outside of its range the function has no value, or would never end, so everything that is made of it would be "
    "undefined whatever the rows say.",
    "metrics:\n  low: wilson(hits, n, level = 950%).low",
)

VERDICT_WITHOUT_WORD = Kind(
    "E0547",
    "verdict-without-word",
    "error",
    "a line of the verdict must give a word, and this gives {found}",
    "write a word, such as `UNCLEAR`, and leave it out of `report.released`",
    "A run ends with a word that people, the registry and later phases can read. `undefined`, a number and a text are "
    "none.",
    "verdict:\n  - undefined when some blockers have fired\n  - PASS when all gates have held\n  - FAIL otherwise",
)

KINDS = tuple(value for value in list(globals().values()) if isinstance(value, Kind))
