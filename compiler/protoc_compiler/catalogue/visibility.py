"""E2601 to E2619: who may see what, marks, raters, recorded facts of a review, claims that wait for one."""

from __future__ import annotations

from protoc_runtime.diagnostics import Kind

SEEN = Kind(
    "E2601",
    "withheld-column-seen",
    "error",
    "{who} can see `{hidden}`, which is hidden from {whom}: {path}",
    "take `{place}` out, show it in a later judgement, or change `procedure.visibility`",
    "`procedure.visibility` is proved, not trusted: every road to the subject and to a rater is followed through "
    "derived columns, the rows that are chosen and their order. What is computed from a withheld column carries it.",
    "procedure:\n  visibility:\n    cases.pick: [raters]\n  adjudication:\n    inventory: {sees: [text, pick], ...}",
)
WHO = Kind(
    "E2603",
    "unknown-person",
    "error",
    "`{name}` is nobody who could see a column",
    "{hint}",
    "A column is hidden from `subject`, from `raters`, from a rater that a judgement declares under `raters`, or from "
    "`public`: who reads receipt, packets and files of rows.",
    "visibility:\n  cases.pick: [QA9]",
)
UNTIL = Kind(
    "E2604",
    "unknown-stage",
    "error",
    "`{name}` says no time: {reason}",
    "{hint}",
    "`QA1 until inventory` hides a column from QA1 until QA1 has saved the judgement `inventory`. Only who takes part "
    "in a judgement can have saved it.",
    "visibility:\n  cases.pick: [subject until inventory]",
)
FILLED_KEY = Kind(
    "E2605",
    "key-of-what-is-filled",
    "error",
    "`{fills}` has the key {key}, and `{name}` needs {other}",
    "write `key: {other}` and declare these columns",
    "A row that a rater fills is named by the judged row; beside that by `rater` where several judge, and by `n` where "
    "one judged row has several marks.",
    "gold: {from: adjudication, key: case, ...}    # with `marks` it is [case, n]",
)
RATERS = Kind(
    "E2606",
    "raters-differ",
    "error",
    "`{table}.rater` must be text or `[{raters}]`, it is {found}",
    "write `rater: [{raters}]`",
    "The column `rater` tells who judged: its members are the names under `raters`, no more and no fewer.",
    "columns: {case: cases, rater: [QA1, QA3], ...}    # with `raters: [QA1, QA2]`",
)
NOT_SEEN = Kind(
    "E2607",
    "not-among-what-is-seen",
    "error",
    "`{key}: {name}` of `{judgement}` is no {what} in its `sees`",
    "{hint}",
    "A rater marks a text that stands on the sheet, and chooses among labels that stand there.",
    "adjudication:\n  inventory: {marks: text, sees: [title], ...}",
)
FOLLOWS = Kind(
    "E2608",
    "judgements-in-a-circle",
    "error",
    "`{name}` cannot follow itself: {path}",
    "let the later judgement follow the earlier one, and not the other way round",
    "Judgements are shown one after another, so there is a first one.",
    "adjudication:\n  one: {follows: two, ...}\n  two: {follows: one, ...}",
)
UNKNOWN_JUDGEMENT = Kind(
    "E2609",
    "unknown-judgement",
    "error",
    "there is no judgement `{name}`",
    "{hint}",
    "`follows`, `until` and `never: before ...` name an entry of `procedure.adjudication`.",
    "report:\n  claims:\n    accuracy gains: {never: before the review}",
)
FACTS = Kind(
    "E2610",
    "not-recorded-of-a-review",
    "error",
    "`{table}` cannot be filled with what is recorded of judgements: {problem}",
    "{hint}",
    "Beside what people tell, a table `from: adjudication` may hold what is recorded of it: `JUDGEMENT_saved_at` and "
    "`first_JUDGEMENT_shown_at`, for each row of the key of one of these judgements.",
    "reviews: {from: adjudication, key: case, columns: {case: cases, inventory_saved_at: text}}",
)
TIMES_OF_ALL = Kind(
    "W2611",
    "times-of-different-raters",
    "warning",
    "`{table}` has no `rater`, so `{saved}` is when the last of {who} has saved `{judgement}`, and `{shown}` when the "
    "first rater is shown `{later}`, which may come earlier although every rater has kept the order",
    "write `key: [{key}]` and the column `rater: [{raters}]`: then each rater's own times are compared",
    "A rater is shown a judgement after having saved the earlier one, and does not wait for the others. Of all raters "
    "together the first one shown is then often before the last one saved, and a blocker that compares the two fires "
    "although nobody was swayed.",
    "reviews.blind: inventory_saved_at < first_proposal_shown_at    # two raters, and `reviews` has `key: case`",
)

KINDS = tuple(value for value in list(globals().values()) if isinstance(value, Kind))
