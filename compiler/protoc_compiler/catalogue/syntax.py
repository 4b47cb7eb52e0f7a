"""E04xx: a formula that cannot be read. Each example is one formula, or one line of a first-match list."""

from __future__ import annotations

from protoc_runtime.diagnostics import Kind


def _kind(number: str, name: str, message: str, hint: str, why: str, example: str) -> Kind:
    return Kind(number, name, "error", message, hint, why, example)


TOO_LONG = _kind(
    "E0401",
    "formula-too-long",
    "this formula has {length} characters, the limit is {limit}",
    "give parts of it names of their own in definitions",
    "A formula that a reviewer signs must be readable in one go. Named intermediate tables, columns and numbers "
    "in `definitions` say the same in pieces that can be checked one by one.",
    "accuracy >= 0.90 or " * 250 + "accuracy >= 0.90",
)
TOO_DEEP = _kind(
    "E0402",
    "formula-too-deep",
    "this formula is nested more than {limit} levels deep",
    "give the inner parts names of their own in definitions",
    "Parentheses within parentheses, long sums and long paths all nest. What is nested this deeply cannot be reviewed; "
    "a named definition for an inner part makes it flat.",
    "(" * 70 + "x" + ")" * 70,
)
PASTED = _kind(
    "E0404",
    "pasted-character",
    "`{found}` ({meaning}) is not part of the formula language",
    "write {form}",
    "Word processors and papers use typographic characters for operators and quotation marks. Formulas use the ones on "
    "every keyboard, so that each formula has one spelling and every tool shows it alike.",
    "accuracy ≥ 0.90",
)
FOREIGN_OPERATOR = _kind(
    "E0405",
    "foreign-operator",
    "`{found}` is not an operator here",
    "write {form}",
    "Operators of programming languages have words here: `and`, `or`, `not`. Equality is `==`, a power is `^`, and the "
    "sign of a comparison stands before its equals sign.",
    "accuracy >= 0.90 && failed == 0",
)
SINGLE_EQUALS = _kind(
    "E0406",
    "single-equals",
    "`=` does not compare",
    "write `==` to compare; `=` only names an option inside a call, as in `wilson(hits, n, level = 95%)`",
    "One equals sign gives an option of a function its value. A comparison is written with two, so that the two are "
    "never confused.",
    "failed = 0",
)
IF_ELSE = _kind(
    "E0407",
    "if-then-else",
    "`{found}` does not exist in formulas",
    "{form}",
    "A first-match list is the only way to choose: `VALUE when CONDITION` lines, the last one `VALUE otherwise`. It "
    "reads from top to bottom, and the checker can prove that it covers every case.",
    "if failed == 0 then 1 else 0",
)
MISSING_LEFT = _kind(
    "E0408",
    "comparison-without-left-side",
    "`{found}` has nothing on its left",
    "{form}",
    "`and` and `or` join whole conditions; the left side of a comparison is not carried over from the one before. A "
    "range is written as a chain, `3 < x < 5`, or as `x in 3..5` where both ends are included.",
    "x > 3 and < 5",
)
NOT_PLACE = _kind(
    "E0409",
    "misplaced-not",
    "`not` cannot stand here",
    "write {form}",
    "`not` stands before a whole condition (`not (a == b)`), in `not in`, and in `is not true`, `is not defined`. Two "
    "values that differ are `a != b`.",
    "status not completed",
)
IS_VALUE = _kind(
    "E0410",
    "is-before-a-value",
    "`is` is followed by `{found}`, and only true, false, defined and undefined may follow it",
    "write {form}",
    "`is` asks about truth and definedness, and its answer is always defined. Values are compared with `==` and `!=`, "
    "which are undefined where a side is.",
    "status is completed",
)
MISSING_OVER = _kind(
    "E0411",
    "missing-over",
    "in `{function}(...)` the rows `{found}` follow without `over`",
    "write `{function}(... over {found})`",
    "In an aggregate, what stands before `over` is read in each row, and what stands behind it are the rows: "
    "`rate(correct over answered where condition == clean)`.",
    "rate(correct answered)",
)
CALL_PARENTHESES = _kind(
    "E0412",
    "call-without-parentheses",
    "`{function}` is a function and `{found}` follows without parentheses",
    "write `{form}`",
    "A function is followed by its arguments in parentheses. What is inside is then clear, also where the rows have "
    "filters of their own.",
    "count cases where complete",
)
FILTER_BEFORE_OVER = _kind(
    "E0413",
    "filter-before-over",
    "in `{function}(...)` a table with a filter stands before `over`",
    "the filter belongs to the rows: `{function}(x over T where condition)`",
    "Before `over` stands what is read in each row; which rows there are is said behind it.",
    "mean(score where complete over cases)",
)
FILTER_OUTSIDE = _kind(
    "E0414",
    "filter-after-the-call",
    "this filter follows `{function}(...)`, which is a value and has no rows",
    "move it inside: `{function}(x over T where condition)`",
    "`where` chooses rows, so it stands directly behind the table that it filters, inside the parentheses of the "
    "aggregate.",
    "mean(score over cases) where complete",
)
PERCENT_OPERATOR = _kind(
    "E0415",
    "percent-operator",
    "`%` is not an operator",
    "{form}",
    "`%` belongs to a number: `85%` is 0.85. There is no remainder operator.",
    "position % 3 == 0",
)
WORDS_IN_A_ROW = _kind(
    "E0416",
    "words-in-a-row",
    "`{first}` and `{second}` stand side by side without an operator",
    "{form}",
    "A name is one word: letters, digits and underscores. Two names need an operator between them, such as `and`, `==` "
    "or `+`. Text stands in double quotes.",
    "false positives <= 3",
)
OTHERWISE = _kind(
    "E0417",
    "incomplete-line",
    "{found}",
    "a line is `VALUE when CONDITION`, and the last one `VALUE otherwise`",
    "A first-match list gives the value of the first line whose condition is true; the last line has no condition and "
    "takes every case that is left.",
    "otherwise",
)
LINE_WORD = _kind(
    "E0418",
    "line-outside-a-list",
    "`{found}` belongs to the lines of a first-match list, and this is a single formula",
    "make it a list: one `- VALUE when CONDITION` a line, the last one `- VALUE otherwise`",
    "`when` and `otherwise` choose between the lines of a list. A single formula has no lines to choose from.",
    "gates.accuracy when measured is true",
)
SINGLE_QUOTES = _kind(
    "E0419",
    "single-quotes",
    "text in a formula stands in double quotes, not in `{found}`",
    "{form}",
    "One kind of quotation marks for text keeps formulas alike. A member of an enum, such as `status == completed`, "
    "needs none.",
    "status == 'completed'",
)
RESERVED = _kind(
    "E0420",
    "reserved-word",
    "`{found}` is a word of the formula language and cannot be a name here",
    "{form}",
    "Words such as `over`, `where`, `when`, `some` and `is` have their meaning everywhere in formulas, so nothing can "
    "be called by them. After a dot they are ordinary names: `config.by`.",
    "over > 3",
)
UNCLOSED = _kind(
    "E0421",
    "unclosed-bracket",
    "`{found}` is never closed",
    "add `{closing}` where it ends",
    "Each opening bracket needs its closing one.",
    "(fp + fn) / (n + m",
)
UNOPENED = _kind(
    "E0422",
    "unopened-bracket",
    "`{found}` closes nothing",
    "{form}",
    "Each closing bracket needs its opening one, of the same kind.",
    "(fp + fn)) / n",
)
NUMBER_FORM = _kind(
    "E0423",
    "number-form",
    "`{found}` is not a form of number here",
    "write {form}",
    "Numbers are exact decimals in one form: digits, optionally with `_` between thousands, and a decimal point with "
    "digits on both sides: `12`, `1_000`, `0.05`, `85%`.",
    "p_value < .05",
)
UNKNOWN_UNIT = _kind(
    "E0424",
    "unknown-unit",
    "`{found}` follows the number {number} and is not a unit",
    "{form}",
    "Units are ms, s, min, h for durations, B, KiB, MiB, GiB for sizes, USD and EUR for money. A number of things has "
    "no unit: `count(cases) == 12`.",
    "latency <= 250 msec",
)
INCOMPLETE = _kind(
    "E0425",
    "incomplete-formula",
    "`{found}` is followed by {end}, where {expected} should stand",
    "write what is missing behind `{found}`",
    "An operator, an opening word such as `where` or `over`, or a comma announces something that does not come.",
    "accuracy >=",
)
MISSING_HAVE = _kind(
    "E0426",
    "missing-have",
    "`{quantifier} {rows}` is followed by `{found}` without `have`",
    "write `{quantifier} {rows} have ...`",
    "`all`, `some` and `no` are followed by rows, and then by `have` and a condition that is read in each row: "
    "`all strata have accuracy >= 0.75`.",
    "all strata accuracy >= 0.75",
)
FOREIGN_QUANTIFIER = _kind(
    "E0427",
    "foreign-quantifier",
    "`{found}` is not a quantifier here",
    "write {form}",
    "There are three quantifiers: `all T have c`, `some T have c`, `no T have c`. `some T` alone asks whether there is "
    "a row.",
    "every case have complete",
)
QUANTIFIER_PLACE = _kind(
    "E0428",
    "quantifier-needs-parentheses",
    "`{found}` can only stand at the start of a formula or in parentheses",
    "put it and all that belongs to it in parentheses: `({found} ...)`",
    "A quantifier reaches as far to the right as it can. In the middle of a formula a reader could not see where it "
    "ends, so parentheses show it.",
    "complete and all spans have grounded",
)
TABLE_PLACE = _kind(
    "E0429",
    "table-needs-parentheses",
    "a table with `{found}` cannot stand in the middle of a formula",
    "{form}",
    "Filters reach as far to the right as they can. Behind an operator, parentheses show where the table ends.",
    "case in cases where complete",
)
UNKNOWN_CHARACTER = _kind(
    "E0430",
    "unknown-character",
    "`{found}` is not part of the formula language",
    "{form}",
    "Formulas are made of names, numbers, text in double quotes, and the operators + - * / ^ == != < <= > >= with "
    "parentheses, square brackets, commas and dots.",
    "cost <= $5",
)
UNCLOSED_TEXT = _kind(
    "E0431",
    "unclosed-text",
    "this text {problem}",
    'text is any characters but `"` and `\\` between two double quotes on one line',
    "A text starts and ends with a double quote. It has no escapes, so it shows exactly what is compared.",
    'status == "completed',
)
OPTION_BEFORE_OVER = _kind(
    "E0432",
    "option-before-over",
    "the option `{option}` stands before `over`",
    "options follow the rows: {mend}",
    "In an aggregate, what stands before `over` is read per row. Options are read once, so they follow the rows.",
    "quantile(latency, at = 95% over calls)",
)
VALUE_AFTER_OPTION = _kind(
    "E0433",
    "value-after-option",
    "a value follows the option `{option}`",
    "put the values first and the options last",
    "Values are told by their place, options by their name; options come last.",
    "wilson(level = 95%, hits, n)",
)
VALUE_AFTER_ROWS = _kind(
    "E0434",
    "value-after-rows",
    "in `{function}(...)` this follows the rows and has no name",
    "what follows the rows are options, `name = value`{mend}",
    "An aggregate is read as columns, `over`, rows, then named options.",
    "quantile(latency over calls, 95%)",
)
EXPONENT = _kind(
    "E0435",
    "exponent",
    "the exponent `{found}` is not a whole number from 0 to 100",
    "write a whole number such as `^ 2`; a square root is `sqrt(x)`",
    "Powers stay exact fractions only with whole exponents that are written in the formula.",
    "x ^ 0.5",
)
LATEST_COUNT = _kind(
    "E0436",
    "latest-count",
    "`latest` takes a whole number of rows, and `{found}` follows",
    "write `latest 20 T`; the single latest row is `last(T)`",
    "`latest 20 T` means the 20 rows that end here in the table's declared order.",
    "mean(r over latest oos)",
)
ORDER_DIRECTION = _kind(
    "E0437",
    "order-direction",
    "`{found}` is not part of an order",
    "{form}",
    "`ordered by` sorts upwards. The negative of a number sorts downwards: `ordered by -score then name`.",
    "first(cases ordered by score desc)",
)
FOREIGN_WORD = _kind(
    "E0438",
    "foreign-word",
    "`{found}` is not a word of the formula language",
    "{form}",
    "Formulas have a small set of words, listed in the reference, and each condition has one spelling.",
    "score between 3 and 5",
)
RANGE_PLACE = _kind(
    "E0439",
    "range-outside-in",
    "`..` only stands behind `in`",
    "write `x in 3..5`, with both ends included",
    "A range is not a value; it is one side of a membership test.",
    "score == 3..5",
)
UNEXPECTED = _kind(
    "E0440",
    "unexpected-token",
    "found `{found}` {after}, expected {expected}",
    "{form}",
    "The formula cannot be read beyond this place. The message names what could stand there.",
    "(a, b)",
)
DATE_FORM = _kind(
    "E0441",
    "date-form",
    "`{found}` {problem}",
    "write `2026-08-10`, or `2026-08-10T09:00Z` with a time of day in UTC",
    "Dates are written year, month, day with leading zeros, and times of day end in `Z`: a protocol that is read in "
    "another time zone must mean the same moment.",
    "registered_at < 2026-13-01",
)
METHOD_CALL = _kind(
    "E0442",
    "method-call",
    "`{found}` is called like a method",
    "write `{form}`",
    "Functions stand before what they are applied to. A dot reads a column, a field or an entry.",
    "cases.count(complete)",
)

KINDS = tuple(value for value in list(globals().values()) if isinstance(value, Kind))
