"""Faults of names: E03xx."""

from __future__ import annotations

from protoc_runtime.diagnostics import Kind

DUPLICATE_NAME = Kind(
    "E0301",
    "duplicate-name",
    "error",
    "`{name}` is defined twice",
    "tables, definitions and metrics share one name space; give one of the two another name",
    "A reader must be able to look a name up and find one thing. Tables, definitions and metrics therefore share one "
    "name space; rules have their own (`gates.X`, `blockers.X`, `checks.X`), and the entries of each space are unique.",
    "definitions:\n  limit: 3\nmetrics:\n  limit: count(cases)",
)
CIRCULAR = Kind(
    "E0303",
    "circular-definition",
    "error",
    "`{name}` depends on itself: {path}",
    "break the circle: one of these must be defined without the others",
    "Definitions may stand in any order, but each must finally rest on data or constants.",
    "definitions:\n  a: b + 1\n  b: a + 1",
)
UNKNOWN_TABLE = Kind(
    "E0304",
    "unknown-table",
    "error",
    "there is no table `{name}`",
    "{hint}",
    "A type name, a reference, a placeholder or the rows of a formula name a table that `data.tables`, `data.records`, "
    "`data.splits` or `definitions` must declare.",
    "metrics:\n  n: count(casess)",
)
UNKNOWN_COLUMN = Kind(
    "E0305",
    "unknown-column",
    "error",
    "`{table}` has no column `{name}`",
    "{hint}",
    "The columns of a table are those that it declares and those that `definitions` add to it (`{table}.name: ...`).",
    "definitions:\n  long: cases where lenght > 3",
)
UNKNOWN_FUNCTION = Kind(
    "E0306",
    "unknown-function",
    "error",
    "there is no function `{name}`",
    "{hint}",
    "The library is closed: every function is listed with its types in the language reference.",
    "metrics:\n  m: average(score over cases)",
)
NO_SUBJECT = Kind(
    "E0339",
    "subject-without-function",
    "error",
    "`{target}` cannot be the subject: {reason}",
    "{hint}",
    "The subject's file is only read here, never run, so that a spelling mistake in its name is seen before anything "
    "is sealed. A file that is not there yet is told when the protocol is sealed.",
    "procedure:\n  subject: {python: subject.py:anwser, of: cases, sees: [text]}    # subject.py has `answer`",
)
UNKNOWN_OPTION = Kind(
    "E0307",
    "unknown-option",
    "error",
    "`{function}` has no option `{name}`",
    "{hint}",
    "Options stand after the operands and are named, so that a reader sees what `95%` is.",
    "metrics:\n  m: quantile(score over cases, q = 0.9)",
)
UNKNOWN_PLACEHOLDER = Kind(
    "E0308",
    "unknown-placeholder",
    "error",
    "`<{name}>` in the name `{whole}` names no table",
    "{hint}",
    "A placeholder makes one entry per row of a table; it takes the name of a table or of a table definition.",
    "metrics:\n  recall.<feilds>: rate(hit over cases)",
)
COLUMN_OF_SUBSET = Kind(
    "E0309",
    "column-of-subset",
    "error",
    "`{table}` is a subset of `{root}`: a column belongs to the whole table",
    "define `{root}.{column}`; rows of `{table}` have it too",
    "The rows of a subset are rows of its source, so a column that is defined once for the source can be read in every "
    "subset of it.",
    "definitions:\n  long: cases where size > 3\n  long.double: 2 * size",
)
RULE_NOT_METRIC = Kind(
    "E0310",
    "rule-read-as-value",
    "error",
    "`{name}` is a {space_one}; nothing else has this name",
    "write `{space}.{name}` where the rule is meant",
    "Rules have a name space of their own, because protocols use one word for a metric and its gate. The bare name "
    "always means the metric.",
    "verdict:\n  - PASS when enough\n  - FAIL otherwise",
)
TABLE_AS_VALUE = Kind(
    "E0311",
    "table-as-value",
    "error",
    "`{name}` is a table, and a value is needed here",
    "{hint}",
    "A table has no value of its own, and `cases.size` is no value either: each row has its own. Only a record, or a "
    "table that is expected to have one row, reads like a row.",
    "metrics:\n  n: cases + 1\n  large: cases.size > 3",
)
UNKNOWN_NAME = Kind(
    "E0312",
    "unknown-name",
    "error",
    "nothing here is called `{name}`",
    "{hint}",
    "A bare name is looked up in the rows in scope, innermost first, then among definitions, metrics and records. "
    "Beside an operand of an enum type it may also be a member of that enum.",
    "metrics:\n  n: cuont",
)
UNKNOWN_RULE = Kind(
    "E0313",
    "unknown-rule",
    "error",
    "there is no rule `{space}.{name}`",
    "{hint}",
    "Verdict lines and formulas read rules by their id: `gates.P2.1`, `blockers.P1.4`, `checks.significant`.",
    "verdict:\n  - PASS when gates.P9\n  - FAIL otherwise",
)
UNKNOWN_VERDICT = Kind(
    "E0314",
    "unknown-verdict",
    "error",
    "no line of the verdict gives `{name}`",
    "the verdict gives {words}",
    "`released` and `forces` name words of the main verdict. A word that no line gives would never be seen.",
    "report:\n  released: [GOOD_]",
)
UNUSED = Kind(
    "W0315",
    "unused-definition",
    "warning",
    "nothing uses the definition `{name}`",
    "delete it, or report it under `metrics`",
    "A definition that nothing reads is often a misspelt or forgotten rule.",
    "definitions:\n  limit: 3",
)
AMBIGUOUS_NAME = Kind(
    "E0316",
    "ambiguous-name",
    "error",
    "`{name}` can mean {one} or {other} here",
    "{hint}",
    "The language does not choose in silence between two readings.",
    "definitions:\n  late: 3\nmetrics:\n  n: count(cases where state == late)",
)
NO_ROW_IN_SCOPE = Kind(
    "E0317",
    "no-row-in-scope",
    "error",
    "`{what}` needs a current row of `{table}`, and there is none here",
    "{hint}",
    "`earlier T`, `latest N T` and `matching` relate rows to the row that is being looked at.",
    "metrics:\n  n: count(earlier cases)",
)
AMBIGUOUS_NARROWING = Kind(
    "E0318",
    "ambiguous-narrowing",
    "error",
    "`{table}` refers to `{target}` in several columns ({columns}), so it is not clear which one narrows",
    "say it: `entire {table}` followed by a `where` with the column that is meant",
    "In a row of `{target}` a table that refers to it means its rows of this row. With two such columns there are two "
    "readings.",
    "metrics:\n  n: sum(count(pairs) over cases)",
)
UNKNOWN_OBSERVED = Kind(
    "E0319",
    "not-observed",
    "error",
    "`{source}` does not record `{name}`",
    "{hint}",
    "The columns of tables and records that the tool itself observes are a closed list: only what is really recorded "
    "can be used as evidence.",
    "data:\n  records:\n    seal: {from: seal, signer: text}",
)
UNKNOWN_SPLIT = Kind(
    "E0320",
    "unknown-split",
    "error",
    "there is no split `{name}`",
    "{hint}",
    "Phases read splits that `data.splits` declares.",
    "procedure:\n  phases:\n    - {phase: score, reads: [tset], use: score}",
)
UNKNOWN_MEMBER = Kind(
    "E0321",
    "unknown-member",
    "error",
    "`{name}` is not one of {members}",
    "{hint}",
    "A bare word beside an enum must be one of its members.",
    "metrics:\n  n: count(cases where label == humn)",
)
SELF_COMPARISON = Kind(
    "E0322",
    "compares-with-itself",
    "error",
    "both sides of this comparison are the same `{name}` of the same row",
    "give the outer row a name (`scores as other`) and write `other.{name}` for it",
    "A bare name means the innermost row that has such a column. To compare two rows of one table, one of them needs "
    "an alias.",
    "definitions:\n  rivals: cases where size == size",
)
MIXED_LIST = Kind(
    "E0323",
    "mixed-list",
    "error",
    "this list gives words and values: `{word}` is a word, `{value}` a value",
    "write `({word})` where the value of that name is meant, or give words throughout",
    "A first-match list gives words or values, never both. A bare name at the head of a line is a word.",
    "definitions:\n  cases.kind:\n    - small when size < 3\n    - (size) otherwise",
)
NARROWS_NOTHING = Kind(
    "E0324",
    "matching-column",
    "error",
    "`matching {name}`: {problem}",
    "{hint}",
    "`T matching a and b` keeps the rows of T that equal the nearest row in scope in these columns, so both must have "
    "them.",
    "definitions:\n  cases.twins: count(cases as other matching sise)",
)

SHADOWED = Kind(
    "W0325",
    "shadowed-column",
    "warning",
    "`{name}` is the column of `{inner}` here, and the row of `{outer}` in scope has a column of this name too",
    "give the inner rows an alias (`{inner} as other`, then `other.{name}`), so that `{name}` is that of `{outer}`; or "
    "give one of the columns another name",
    "A bare name is sought in the innermost row first. Where a row farther out has a column of the same name, "
    "`notes where case.team == team` compares a note with itself or with its case, and no reader can tell which was "
    "meant.",
    "definitions:\n  cases.notes_of_team: count(notes where size == case.size)",
)
HIDDEN_VALUE = Kind(
    "W0326",
    "hidden-value",
    "warning",
    "`{name}` means the column of `{table}` here, and there is a {space} of this name too",
    "give the {space} another name, so that no reader takes one for the other",
    "Inside rows a bare name means the column. Where a definition or metric of the same name and kind exists, a reader "
    "cannot see which of the two was meant.",
    "definitions:\n  size: 3\nmetrics:\n  n: count(cases where seq > size)",
)
WORDS_NAME_VALUES = Kind(
    "E0327",
    "words-name-values",
    "error",
    "every word of this list is also the name of a value here: {words}",
    "write `({word})` where the value is meant, or choose other words",
    "A bare name at the head of a line is a word, never the value of that name. A list whose words are all names of "
    "values is most likely meant to give the values.",
    "definitions:\n  cases.use:\n    - size when seq > 3\n    - seq otherwise",
)
ENTRY_WITHOUT_ROW = Kind(
    "E0328",
    "entry-without-row",
    "error",
    "`{name}` has one entry per row of {tables}, and no such row is in scope here",
    "name one (`{one}`), or read it in rows of {tables}",
    "A name with a placeholder stands for many values. Which one is meant must be clear from the rows in scope or from "
    "a key.",
    "metrics:\n  share.<topics>: rate(good over cases)\n  double: 2 * share",
)
NOT_NARROWED = Kind(
    "W0335",
    "not-narrowed",
    "warning",
    "`{table}` means all its rows here, not those of the current row of `{target}`: narrowing follows one reference, "
    "and there are several in `{path}`",
    "write `{table} where {path} == {key}`, or `entire {table}` if all rows are meant",
    "In a row of a table, another one that refers to it means its rows of this row. A table that reaches it only by "
    "way of a third one is not narrowed: every entry of `accuracy.<topics>: rate(right over answers)` would be the "
    "same number, that of all topics together.",
    "metrics:\n  right.<topics>: rate(right over answers)   # an answer refers to a case, and the case to a topic",
)
NARROWED_TWICE = Kind(
    "W0337",
    "narrowed-twice",
    "warning",
    "`{table}` means only its rows whose `{by}` is the current row of `{target}`, and the condition asks for `{path}` "
    "too",
    "write `entire {table} where ...` if `{path}` alone is meant, with `matching` for other rows in scope",
    "A table that refers to the row in scope is narrowed by this reference already. A condition that reaches the same "
    "table another way narrows further: `answers where case.topic == topic`, where an answer names a topic itself, "
    "keeps the answers that name the right one, so that every share of right ones is 1.",
    "metrics:\n  right.<topics>: rate(good over guesses where case.topic == topic)   # guesses have a column `topic`",
)
HALF_MATCHED = Kind(
    "W0340",
    "half-matched",
    "warning",
    "`{table} matching {matched}` keeps rows whatever their `{column}` is; the current row of `{other}` has a "
    "`{column}`, too, which is not matched",
    "write `{table} matching {column} and {matched}`, or `entire {table} matching {matched}` if all of them are meant",
    "Rows of two tables that refer to the same third one are not narrowed to each other. What matches in another "
    "column alone is taken from anywhere: a document that was found for some other question would count as found.",
    "definitions:\n  relevant.found: some hits matching doc   # both have a `query`, and a document answers several",
)
ROW_NOT_READ = Kind(
    "W0338",
    "row-not-read",
    "warning",
    "what is asked here of each row of `{table}` reads nothing of the row: it is the same for all of them",
    "name a column or an entry of the row, or ask it once, without the rows",
    "A metric or definition without a placeholder has one value for the study, also where it is named inside of rows.",
    "gates:\n  g: {says: Every topic is at least 0.8., must: all topics have accuracy >= 0.8}",
)
SAME_FOR_ALL = Kind(
    "W0336",
    "same-for-all",
    "warning",
    "`{name}` has the same value for every row of `{table}`: its formula never reads the row",
    "name the column, the entries or the filter that belongs to the row; or make it a definition without `{table}`",
    "A column, or an entry per row, is computed once for each row. A formula that reads nothing of the row is nearly "
    "always one that names the wrong thing: `wer.new`, the rate of all, where the rate of this row was meant.",
    "definitions:\n  topics.share: rate(good over entire cases)",
)
KEY_WITHOUT_CASE = Kind(
    "E0334",
    "key-without-case",
    "error",
    "the subject fills `{table}` case by case, but its key has no column that refers to `{unit}`",
    "{hint}",
    "The subject answers one case at a time and knows nothing of the others. With a key that does not hold the case, "
    "two right answers could have the same key, and a run could not keep both.",
    "data:\n  tables:\n    answers: {from: subject, key: id, columns: {id: text, case: cases}}",
)

KINDS = tuple(value for value in list(globals().values()) if isinstance(value, Kind))
