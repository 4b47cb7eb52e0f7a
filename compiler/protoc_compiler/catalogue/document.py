"""What is refused in the shape of a spec: sections, keys, kinds of values, lists, names."""

from __future__ import annotations

from protoc_runtime.diagnostics import Kind

HEAD = "protoc: 1\nprotocol: {id: demo, version: 1, title: t}\n"
DATA = "data:\n  tables:\n    t: {key: a, columns: {a: text}}\n"
END = "verdict:\n  - FAIL otherwise\n"


def _spec(middle: str = "", *, head: str = HEAD, data: str = DATA, end: str = END) -> str:
    return head + data + middle + end


UNKNOWN_KEY = Kind(
    "E0201",
    "unknown-key",
    "error",
    "`{key}` is no key of {where}",
    "{hint}",
    "A key that the language does not know is never skipped: a misspelled `must` would make a gate that gates nothing.",
    _spec("gates:\n  g: {says: w, must: 1 == 1, note: x}\n"),
)
MISSING_KEY = Kind(
    "E0202",
    "missing-key",
    "error",
    "{where} lacks `{key}`",
    "add `{key}:` with {what}",
    "Without this key the entry has no meaning.",
    _spec("metrics:\n  m: {says: w}\n"),
)
WRONG_KIND = Kind(
    "E0203",
    "wrong-kind",
    "error",
    "{found} where {expected} is due",
    "{hint}",
    "Each place of a spec takes a text, a formula, a list or a map; which one is in the language reference, and in the "
    "JSON Schema that editors use.",
    _spec(end=END + "limits: none\n"),
)
EMPTY = Kind(
    "E0204",
    "empty-value",
    "error",
    "`{key}` has no value",
    "give it {expected}, or delete the key",
    "An empty value says nothing; YAML readers would take it as null.",
    _spec("metrics:\n  m:\n"),
)
MISTAKEN_KEY = Kind(
    "E0205",
    "mistaken-key",
    "error",
    "`{key}` is no key of {where}: this stands under `{right}`",
    "write `{right}:`",
    "Words always stand under `says`. Formulas stand under `is` in definitions, metrics and checks, under `must` in "
    "gates and under `when` in blockers, so that each reads as a sentence.",
    _spec("gates:\n  g: {says: w, must: 1 == 1, when: 1 == 1}\n"),
)
SECTION_ORDER = Kind(
    "E0206",
    "section-order",
    "error",
    "section `{key}` stands behind `{before}`",
    "`protoc fmt` puts the sections in the order of the language",
    "All specs have their sections in the order of a protocol paper, so that a reader knows where to look.",
    HEAD + END + DATA,
)
KEY_ORDER = Kind(
    "E0207",
    "key-order",
    "error",
    "`{key}` stands behind `{before}` in {where}",
    "`protoc fmt` puts the keys in the order of the language",
    "The keys of data, procedure and report have one order, so that a reader knows where to look.",
    _spec("report:\n  duties: [a]\n  released: [PASS]\n", end="").replace("report", END + "report"),
)
BAD_ID = Kind(
    "E0209",
    "bad-id",
    "error",
    "`{found}` is no protocol id",
    "use at most 100 lower-case letters, digits and single hyphens, starting with a letter, without the version: "
    "`{suggestion}`",
    "The id names the generated package and the folders of runs, so it is kebab-case and short.",
    _spec(head=HEAD.replace("demo", "Demo_X")),
)
BAD_VERSION = Kind(
    "E0210",
    "bad-version",
    "error",
    "`{found}` is no version",
    "a version is a whole number from 1, without leading zeros: `version: 1`",
    "Versions of a protocol are counted: a changed protocol is the next number, never the same one.",
    _spec(head=HEAD.replace("version: 1", "version: 1.0")),
)
BAD_LANGUAGE = Kind(
    "E0211",
    "language-version",
    "error",
    "language version `{found}` is not known",
    "this version of the tool reads `protoc: 1`",
    "The first line says which version of the language the spec is written in, so that a later tool reads it the same "
    "way.",
    _spec(head=HEAD.replace("protoc: 1", "protoc: 2")),
)
BAD_NAME = Kind(
    "E0212",
    "bad-name",
    "error",
    "`{found}` cannot be a name here",
    "{hint}",
    "Names are used in formulas: letters, digits and underscores, starting with a letter. Metrics, definitions and "
    "rules may have several parts with dots, and placeholders such as `recall.<fields>`.",
    _spec("metrics:\n  my-metric: 1\n"),
)
RESERVED = Kind(
    "E0213",
    "reserved-name",
    "error",
    "`{found}` is a word of the language and cannot be a name",
    "choose another name",
    "A formula could not read a name that is also a word of the grammar, or one of the tables that the language "
    "provides (`gates`, `blockers`, `checks`, and `position` inside a cell).",
    _spec("metrics:\n  where: 1\n"),
)
REPEATED = Kind(
    "E0214",
    "repeated-item",
    "error",
    "`{found}` stands twice in this list",
    "delete one of the two",
    "The list names each thing once; a repetition is a slip, often of copying.",
    _spec("report:\n  released: [PASS, PASS]\n", end="").replace("report", END + "report"),
)
NO_WORDS = Kind(
    "E0215",
    "rule-without-words",
    "error",
    "{where} has no words",
    "add `says:` with the rule in plain words, with the numbers of the formula",
    "Every blocker, gate and check has words beside its formula. The reader signs the words, the tool runs the "
    "formula, and the two are compared.",
    _spec("gates:\n  g: {must: 1 == 1}\n"),
)
NO_OTHERWISE = Kind(
    "E0216",
    "no-otherwise",
    "error",
    "the list does not end in an `otherwise` line",
    "add a last line `VALUE otherwise`",
    "A first-match list gives a value for every case, so its last line has no condition.",
    _spec(end="verdict:\n  - PASS when 1 == 1\n"),
)
EARLY_OTHERWISE = Kind(
    "E0217",
    "early-otherwise",
    "error",
    "no line behind this `otherwise` is ever reached",
    "put the `otherwise` line last",
    "The first line whose condition is true decides, and `otherwise` is always true.",
    _spec(end="verdict:\n  - FAIL otherwise\n  - PASS otherwise\n"),
)
BAD_CHOICE = Kind(
    "E0218",
    "bad-choice",
    "error",
    "`{found}` is not {what}",
    "{hint}",
    "The value is one of a closed list.",
    _spec("procedure:\n  steps:\n    - {says: w, by: me}\n"),
)
BAD_FORM = Kind(
    "E0219",
    "bad-form",
    "error",
    "`{found}` is not {plan}",
    "write {plan}",
    "The value has a fixed form.",
    _spec(data="data:\n  tables:\n    t: {key: a, columns: {a: set text}}\n"),
)
BAD_FREEZE = Kind(
    "E0220",
    "bad-frozen-value",
    "error",
    "`{found}` is no value that can be frozen",
    'write a number, a text in quotes (`model: "m-1"`), `sha256:` and 64 hex digits, or `{{file: PATH}}`',
    "What is frozen is compared before the first call, so it is a value or a digest, never a description. What only "
    "people can check belongs in `procedure.steps`.",
    _spec("procedure:\n  freeze:\n    model: whatever is configured\n"),
)
EITHER_OR = Kind(
    "E0221",
    "either-or",
    "error",
    "{where} has {found}",
    "{hint}",
    "The keys exclude each other, or one of them is needed.",
    _spec(data="data:\n  tables:\n    t: {key: a, rows: [x], file: f}\n"),
)
NOT_SECTION = Kind(
    "E0222",
    "misplaced-section",
    "error",
    "`{key}` stands inside {where}, but belongs to {home}",
    "move it there; look at its indentation",
    "The key is known to the language, at another place.",
    _spec("report:\n  gates: {g: {says: w, must: 1 == 1}}\n", end="").replace("report", END + "report"),
)
OPEN_CLAIM = Kind(
    "E0223",
    "empty-claim",
    "error",
    "the claim `{found}` says neither when it may be made nor that it may not",
    "add `may: when VERDICT` or `never: ...`",
    "A claim is tied to verdicts, or forbidden.",
    _spec("report:\n  claims:\n    it works: {says: w}\n", end="").replace("report", END + "report"),
)

KINDS = (
    UNKNOWN_KEY,
    MISSING_KEY,
    WRONG_KIND,
    EMPTY,
    MISTAKEN_KEY,
    SECTION_ORDER,
    KEY_ORDER,
    BAD_ID,
    BAD_VERSION,
    BAD_LANGUAGE,
    BAD_NAME,
    RESERVED,
    REPEATED,
    NO_WORDS,
    NO_OTHERWISE,
    EARLY_OTHERWISE,
    BAD_CHOICE,
    BAD_FORM,
    BAD_FREEZE,
    EITHER_OR,
    NOT_SECTION,
    OPEN_CLAIM,
)
