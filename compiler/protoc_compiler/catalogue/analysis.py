"""What a protocol cannot mean, found without data: E08xx, W08xx, N08xx, W0704 and E0705."""

from __future__ import annotations

from protoc_runtime.diagnostics import Kind

NEVER_TRUE = Kind(
    "E0801",
    "never-true",
    "error",
    "this can never be true: {what} is {bounds}",
    "{hint}",
    "A rule that no data can satisfy (or break) says nothing. Shares lie between 0 and 1, counts are never negative.",
    "gates:\n  g: {says: Accuracy at least 90., must: accuracy >= 90}",
)
ALWAYS_TRUE = Kind(
    "E0802",
    "always-true",
    "error",
    "this can never be false: {what} is {bounds}",
    "{hint}",
    "A gate that cannot fail is no gate.",
    "gates:\n  g: {says: Accuracy at least 0., must: accuracy >= 0}",
)
BETWEEN_COUNTS = Kind(
    "N0803",
    "threshold-between-counts",
    "note",
    "of {total}, {threshold} means {meaning}",
    "nothing to mend: the decision is exact",
    "A threshold that no count meets exactly is decided by the next one; readers like to know which.",
    "gates:\n  g: {says: Accuracy at least 0.90., must: accuracy >= 0.90}",
)
UNREACHABLE = Kind(
    "E0804",
    "unreachable-line",
    "error",
    "no run can reach this line: {reason}",
    "delete it, or put it before the line that takes its cases",
    "Lines are tried in order and the first that is true decides. A line that is never reached looks like a rule and "
    "is none.",
    "verdict:\n  - PASS when gates.a\n  - GOOD when gates.a and gates.b\n  - FAIL otherwise",
)
IMPLIED = Kind(
    "W0805",
    "implied-gate",
    "warning",
    "the gate `{name}` holds whenever `{other}` does",
    "delete it, or raise its threshold",
    "Two thresholds on one number: only the stricter one decides anything.",
    "gates:\n  a: {says: At least 0.8., must: accuracy >= 0.8}\n  b: {says: At least 0.7., must: accuracy >= 0.7}",
)
LITERAL_COUNT = Kind(
    "W0806",
    "literal-count",
    "warning",
    "{number} is the expected `count({table})`",
    "write `count({table})`: the denominator then follows the data that are sealed",
    "A number that repeats the size of a table goes stale silently when the table changes.",
    "metrics:\n  accuracy: count(cases where right) / 96",
)
ONCE_READ_TWICE = Kind(
    "E0807",
    "once-read-twice",
    "error",
    "the split `{split}` may be scored once, and the phases {phases} both read it",
    "let one phase read it, or take another split",
    "Held-out data that an earlier phase has read is not held out any more.",
    "procedure:\n  phases:\n    - {phase: a, reads: [test], use: score}\n    - {phase: b, reads: [test], use: score}",
)
USE_NOT_ALLOWED = Kind(
    "E0808",
    "use-not-allowed",
    "error",
    "the phase `{phase}` uses `{split}` to {use}, and its split may only {may}",
    "read another split, or say `{use}` under `may` of the split",
    "The uses of a split are a closed list.",
    "procedure:\n  phases:\n    - {phase: tune, reads: [test], use: tune}",
)
NO_SUBJECT = Kind(
    "E0809",
    "no-subject",
    "error",
    "the table `{table}` comes from the subject, and `procedure.subject` is missing",
    "say what is evaluated under `procedure.subject`, or give the table a file",
    "Rows `from: subject` are what the evaluated system answers, so there must be one.",
    "data:\n  tables:\n    answers: {from: subject, key: case, columns: {case: cases, right: bool}}",
)
NOTHING_RELEASED = Kind(
    "W0810",
    "nothing-released",
    "warning",
    "no verdict is released, so every run ends with exit status 1",
    "list the verdicts that count as success under `report.released`",
    "Other programs read the exit status; which verdicts are released is declared, never assumed.",
    "report:\n  released: []",
)
FAMILY_OF_ONE = Kind(
    "W0821",
    "family-of-one",
    "warning",
    "`{function}` adjusts for a family of {size}, which changes nothing",
    "name every test of the family, `holm(p_one, [p_one, p_two])`, or take the p-value itself",
    "A correction for multiplicity is for the tests that could have been reported instead. A family of one test is "
    "nearly always a list that was not finished.",
    "metrics:\n  p: mcnemar(right, hard over cases).p\n  adjusted: holm(p, [p])",
)
TEST_TOO_SMALL = Kind(
    "E0822",
    "test-too-small",
    "error",
    "`{function}` over at most {many} rows never has a p below {least}, so {threshold} is never reached",
    "plan more rows, or say the result without a test",
    "An exact test on few rows cannot come out significant, whatever they are: with n discordant pairs its p is at "
    "least 2 / 2^n. A gate on it would fail before anything is run.",
    "gates:\n  g: {says: p at most 0.05., must: 'mcnemar(right, hard over cases).p <= 0.05'}   # of 5 cases",
)
OTHER_CASES = Kind(
    "W0823",
    "other-cases",
    "warning",
    "this compares rows of `{table}` that differ in {columns}: they are different cases",
    "let both sides keep the same cases, and differ in the arm alone",
    "A difference between arms says something of the arms only if both are computed on the same cases. Where two "
    "filters differ in the arm and in something else, the difference may come from either.",
    "metrics:\n  delta: rate(right over cases where kind == easy and topic == algebra) - "
    "rate(right over cases where kind == hard and topic == chance)",
)
NOT_TOTAL = Kind(
    "W0824",
    "mapping-not-total",
    "warning",
    "the listed table `{table}` has no row for {missing}",
    "add a row for each member of `{key}`, or give a smaller type to the key",
    "A table whose key is an enum, or refers to another listed table, says what becomes of each member. One that "
    "leaves some out would leave their outcome undefined; keys are unique, so none is said twice.",
    "data:\n  tables:\n    meanings: {key: kind, columns: {kind: [easy, hard]}, rows: {easy: {score: 1}}}",
)
OVERLAPPING = Kind(
    "W0825",
    "overlapping-regions",
    "warning",
    "the regions of `{first}` and `{second}` overlap: a value in both counts as `{first}`, whose line comes first",
    "let one region end where the other begins: `>= 0.1` beside `< 0.1`",
    "Two outcomes that a protocol calls by different names should not hold at once. The first line decides, but a "
    "reader of the second would not know; where one region wholly contains the other, the order says what is meant.",
    "verdict:\n  - PASS when accuracy >= 0.5\n  - FAIL when accuracy <= 0.5\n  - NONE otherwise",
)

CASES_WITHOUT_ROWS = Kind(
    "W0828",
    "cases-without-rows",
    "warning",
    "`{metric}` is over the rows of `{table}`, a case that fails has none, and no rule asks whether all have theirs",
    "count over the cases instead (`rate(right over cases)`, with `if_undefined: false` for a case without a row), or "
    "add a blocker: `some cases have count({table}) < 1`",
    "A case whose subject raised, timed out or answered something else has no row of its own. What is counted over "
    "those rows leaves it out, so a system that fails on its hard cases would look better than one that answers them.",
    "metrics:\n  accuracy: rate(right over answers)   # `answers` comes from the subject\n",
)
RELEASED_DESPITE_BLOCKER = Kind(
    "E0826",
    "released-despite-blocker",
    "error",
    "the blocker `{blocker}` may fire and this line still gives `{word}`, which is released",
    "put {line} before it, or ask here that no blockers have fired",
    "A blocker says what stops a release. The verdict decides by its lines alone, in order, so a released line must "
    "not be reached while a blocker has fired, unless this is the word that the blocker forces. One with a placeholder "
    "has fired where it did for any row.",
    "verdict:\n  - PASS when all gates have held\n  - INVALID when some blockers have fired\n  - FAIL otherwise",
)
OTHER_STATISTIC = Kind(
    "W0704",
    "other-statistic",
    "warning",
    "the words of `{rule}` say `{said}`, and nothing that its formula reads is one",
    "compute what the words say, `{formula}`, or mend the words",
    "A limit on the 95th percentile and one on the mean or the median are far apart. The words name the statistic, so "
    "it is sought behind the formula, through all names.",
    "gates:\n  fast: {says: The 95th percentile is at most 3 s., must: median(wall over answers) <= 3 s}",
)
WORSE_SIDE = Kind(
    "E0705",
    "worse-side",
    "error",
    "`{rule}` {asks} `{metric}` is {found} its limit, and {better} values of `{metric}` are better",
    "turn the comparison round, or mend `better` of the metric; a band stands in one rule: `{metric} in LOW..HIGH`",
    "A share of failures that is compared as if it were one of successes passes every bad system. A metric that says "
    "which of its values are better is held against each limit that a gate or blocker must keep by itself. Not "
    "compared are equality, limits on both sides, alternatives of `or`, and two metrics with each other.",
    "metrics:\n  violated: {is: rate(broken over cases), better: lower}\n"
    "gates:\n  clean: {says: At least 90%., must: violated >= 90%}",
)
NOTHING_DRAWN = Kind(
    "E0830",
    "nothing-drawn",
    "error",
    "the interval `{interval}` draws `{drawn}` within its own key `{key}`: each stratum has one row",
    "name a column under `within` that several rows share, or leave it out",
    "A stratum is drawn by itself, with as many rows as it has. With one row in each, every draw is the rows as they "
    "are, and both bounds are the metric itself.",
    "intervals:\n  ci: {metric: share, resample: cases, within: case, draws: 1_000, ...}",
)
FEW_DRAWS = Kind(
    "W0831",
    "few-draws",
    "warning",
    "{draws} draws are too few for the level {level}: the bounds of `{interval}` are the smallest and the largest draw",
    "draw {least} times or more; 1000 and more are usual",
    "The bounds are items of the sorted draws. With fewer than 2 / (1 - level) of them no draw lies beyond a bound, so "
    "the interval covers whatever came out, and is wider the more is drawn.",
    "intervals:\n  ci: {metric: share, resample: cases, draws: 10, level: 95%, ...}",
)
NO_SHARE = Kind(
    "E0832",
    "no-share",
    "error",
    "{what} is {found}, which is no share between 0 and 1",
    "{hint}",
    "Probabilities and the levels of intervals are shares: 95% is 0.95, not 95.",
    "metrics:\n  p: binomial_test(8, 10, 50).p",
)
LOW_LEVEL = Kind(
    "W0833",
    "low-level",
    "warning",
    "the level of {what} is {level}, so it covers hardly anything",
    "the level is the confidence, not the error: `{other}`",
    "An interval at the level 5% leaves out the truth 19 times in 20. It is nearly always the share of errors that was "
    "written for the level.",
    "metrics:\n  low: wilson(8, 10, level = 5%).low",
)
SAME_FORMULA = Kind(
    "W0834",
    "same-formula",
    "warning",
    "`{name}` has the same formula as `{other}`",
    "mend the one that was copied, or delete it",
    "Two names promise two things. Where a formula was copied and the arm, the rater or the column was not changed, "
    "the two are compared later and always agree.",
    "metrics:\n  precision: rate(right over cases)\n  recall: rate(right over cases)",
)
WITH_ITSELF = Kind(
    "W0835",
    "with-itself",
    "warning",
    "{what} are the same",
    "name the other one",
    "A thing compared with itself, or a condition that is asked twice, decides nothing. What was meant instead is not "
    "asked at all.",
    "metrics:\n  agreement: cohen_kappa(kind, kind over cases)",
)
UNREAD = Kind(
    "W0836",
    "listed-and-unread",
    "warning",
    "nothing reads {what}",
    "name it in the rule that it is for, or delete it",
    "Thresholds and settings that stand in a listed table look like rules. One that no formula reads decides nothing, "
    "and a reader of the protocol will think that it does.",
    "data:\n  tables:\n    kinds: {key: kind, rows: {easy: {at_least: 80%}, hard: {at_least: 60%}}}",
)
TWO_SCALES = Kind(
    "W0837",
    "two-scales",
    "warning",
    "the column `{column}` has `{found}` beside `{other}`",
    "write `{found}%`, or give both the same scale",
    "80% is 0.8. A plain 80 among percentages is a hundred times as much, and no share ever reaches it.",
    "data:\n  tables:\n    kinds: {key: kind, rows: {easy: {at_least: 80}, hard: {at_least: 60%}}}",
)
GATE_NOT_ASKED = Kind(
    "W0838",
    "gate-not-asked",
    "warning",
    "no verdict asks the gate `{name}`, so it decides nothing",
    "ask it in the verdict (`all gates have held`), or make it a check",
    "A gate says what must hold. If no line of a verdict reads it, the verdict is the same whether it holds or not. "
    "What is only to be printed is a check.",
    "gates:\n  a: {...}\n  b: {...}\nverdict:\n  - PASS when gates.a is true\n  - FAIL otherwise",
)
RELEASED_ON_FAILURE = Kind(
    "W0839",
    "released-on-failure",
    "warning",
    "`{word}` is released, and nothing is released when all gates hold",
    "release the verdict of the line that asks whether all gates have held",
    "What is released counts as success for every program that reads the exit status. Here it comes about only if a "
    "gate fails.",
    "report:\n  released: [FAIL]",
)
RELEASED_WITHOUT_GATES = Kind(
    "W0840",
    "released-without-gates",
    "warning",
    "this line gives `{word}`, which is released, though every gate may have failed; the line of `{other}` asks them",
    "ask here, too, that the gates have held, or put the line behind those that ask them",
    "Lines are tried in order. A stronger result whose line forgets the gates is released although they have failed.",
    "verdict:\n  - BEST when score > 0.9\n  - GOOD when all gates have held\n  - FAIL otherwise",
)
RELEASED_UNDEFINED = Kind(
    "W0841",
    "released-undefined",
    "warning",
    "this line gives `{word}`, which is released, where {rules} are undefined: they have not failed, nor held",
    "write `all {rules} have held`",
    "A gate or check over nothing is undefined. It has not held; it has not failed either, so `no gates have failed` "
    "and `no checks have failed` pass it.",
    "verdict:\n  - PASS when no gates have failed\n  - FAIL otherwise",
)
OTHER_MEMBERS = Kind(
    "W0842",
    "other-members",
    "warning",
    "these labels are compared, and only one side can be {first}, only the other {second}",
    "spell the members of both alike, or make them one listed table",
    "Two enums that were written out twice part easily: `partly` and `partial` are never equal, and every such pair "
    "counts as a difference.",
    "definitions:\n  answers.agrees: grade == other_grade",
)
LABEL_SEEN = Kind(
    "W0843",
    "label-seen",
    "warning",
    "an answer is compared with `{column}`, and the subject sees `{column}`",
    "leave `{column}` out of `sees`",
    "What the subject sees is what it may answer with. A label that reaches it makes every comparison with this label "
    "worthless.",
    'procedure:\n  subject: {python: "subject.py:answer", of: cases, sees: [text, label]}',
)

KINDS = tuple(value for value in list(globals().values()) if isinstance(value, Kind))
