"""The shape of a spec, in the order in which it is read: the one description of sections and keys."""

from __future__ import annotations

from protoc_compiler.sections_common import CITES, FORMULA, NAME, SAYS, TEXT, USES, setting
from protoc_compiler.sections_procedure import PROCEDURE
from protoc_compiler.shape import Cell, Either, FormulaShape, Items, Key, Keys, Lines, Named, Words

SOURCES = (
    "file", "subject", "runner", "registry", "audit", "adjudication", "ledger of PROVIDER", "ledger of subject",
    "events of subject", "turns of subject",
)  # fmt: skip
RECORD_SOURCES = (
    "seal", "subject", "runner", "receipt", "git", "manifest", "target", "secret scan", "ledger of PROVIDER",
    "provider PROVIDER", "phase PHASE",
)  # fmt: skip
CONDITIONS = Keys(
    "`all` or `any` with a list of conditions", path="conditions",
    keys=(
        Key("all", Items("a list of conditions", "All must be true; each is reported by itself.", FORMULA)),
        Key("any", Items("a list of conditions", "One must be true; each is reported by itself.", FORMULA)),
    ),
)  # fmt: skip
BODY = Either(
    "a formula, a first-match list, or `all:`/`any:` with conditions", scalar=FORMULA,
    items=Lines("a first-match list", "`VALUE when CONDITION` lines, the last `VALUE otherwise`."), keys=CONDITIONS,
)  # fmt: skip
PHRASE = Either(
    "text, or a block with `says`", scalar=TEXT,
    keys=Keys("a block with `says`", path="words", keys=(Key("says", TEXT, True), CITES)),
)  # fmt: skip

PROTOCOL = Keys(
    "a map", "What this protocol is.", path="protocol",
    keys=(
        Key("id", Words("an id", "Kebab-case, without the version: `web-claims`."), True),
        Key("version", Words("a whole number", "A whole number from 1; a changed protocol gets the next one."), True),
        Key("title", Words("text", "One line that says what is asked."), True),
        Key("registered", Words("text", "The day of registration.")),
        Key("supersedes", Either("text or a map of texts", "What this replaces, and what becomes of it.", TEXT, None,
                                 Named("a map of texts", value=TEXT))),
        Key("status", Words("text", "The state at registration, in words.")),
    ),
)  # fmt: skip
QUESTION = Keys(
    "a map", "What is asked, and of what.", path="question",
    keys=(
        Key("asks", Words("text", "The question, in one sentence."), True),
        Key("unit", Words("text", "What one case is.")),
        Key("direction", Words("text", "Which direction was stated in advance.")),
        Key("scope", Words("text", "What is in and out of scope.")),
        Key("scoring", Words("text", "How answers are scored, in words.")),
        Key("fit", Words("text", "What was fitted beforehand, and on what.")),
    ),
)  # fmt: skip

TYPE_NAME = Words(
    "a type", pattern=rf"(?:(?:set|list) of )?{NAME}\??",
    plan="a type such as `text`, `int?`, `set of text`, or the name of a table",
)  # fmt: skip
ENUM = Items("a list of members", item=Words("a member"), unique=True)
SIMPLE_TYPE = Either("a type, or a list of members", scalar=TYPE_NAME, items=ENUM)
TYPE = Either(
    "a type, a list of members, or a map of columns", scalar=TYPE_NAME, items=ENUM,
    keys=Named("a map of columns", "A list of rows inside the cell.", SIMPLE_TYPE),
)  # fmt: skip
COLUMNS = Named("a map of columns", "Name and type of each column.", TYPE)
UNPIVOT = Keys(
    "a map", "One row per label from each wide row.", path="unpivot",
    keys=(Key("columns", Named("a map of columns", "Long name: pattern of the wide names, with `<label>`.", TEXT),
              True),),
    rest=Named("the label column", "The new column: its members, each with its text in the wide names.",
               Named("a map of labels", value=TEXT, rule="words")),
)  # fmt: skip
TABLE = Keys(
    "a map", path="data.tables", mistaken=(("is", "says"), ("type", "columns"), ("source", "from")),
    keys=(
        SAYS,
        Key("from", Words("a source", "Who fills the table: `file` (default), `subject`, `runner`, `registry`, "
                          "`adjudication`, `ledger of PROVIDER`, `ledger of subject`, `events of subject`, "
                          "`turns of subject`.")),
        Key("file", Words("a file name", "Name of the file, without its ending; the table's name if left out.")),
        Key("unpivot", UNPIVOT),
        Key("key", Items("a column or a list of columns", "What makes a row unique.", Words("a column"), True, True),
            True),
        Key("order", Items("a column or a list of columns", "The order of the rows; `file` is the order of the lines.",
                           Words("a column"), True, True)),
        Key("columns", COLUMNS),
        Key("rows", Either(
            "a list of keys, or a map of rows", "The rows themselves: a table that stands in the spec.",
            items=Items("a list of keys", item=Words("a key"), unique=True),
            keys=Named("a map of rows", value=Named("a map of cells", value=Cell("a value"), may_be_empty=True),
                       rule="words"))),
        Key("expect", Items("a list of formulas", "Checked at the seal and before the first call.", FORMULA,
                            lone=True)),
        Key("duplicates", Words("text", "Equal keys are judged by a gate: `judged by gates.NAME`.",
                                pattern=r"judged by gates\.\S+", plan="`judged by gates.NAME`")),
        CITES,
    ),
)  # fmt: skip
RECORD = Keys(
    "a map", path="data.records", rest=Named("columns", value=TYPE),
    keys=(Key("from", Words("a source", "What the tool observes: `seal`, `subject`, `runner`, `receipt`, `git`, "
                          "`target`, `secret scan`, `ledger of PROVIDER`, `provider PROVIDER`."), True),
          CITES),
)  # fmt: skip
SPLIT = Keys(
    "a map", path="data.splits", mistaken=(("use", "may"), ("uses", "may")),
    keys=(
        SAYS,
        Key("role", Words("a role", "development, heldout, calibration, ..."), True),
        Key("may", Items("a list of uses", "`tune`, `score`, `score once`.", Words("a use", choices=USES), True, True,
                         may_be_empty=True), True),
        Key("was", Words("text", "An earlier role.")),
        Key("baseline", Words("text", "A pinned earlier result that is kept.")),
        Key("cases", Words("a number", "How many rows it has; it may be empty when it is sealed.",
                           pattern=r"[1-9][0-9_]*", plan="a whole number, 900 or 1_800")),
        Key("status", Words("a status", "`consumed`: its rows were spent elsewhere.", choices=("consumed",))),
        Key("disjoint_from", Items("a list of splits", "Splits that it shares nothing with; audited before it is read.",
                                   Words("a split"), True, True)),
        Key("at_most", Words("a bound", "How many different subjects may read it: `2 candidates`.",
                             pattern=r"[1-9][0-9]{0,3} candidates?", plan="`2 candidates`")),
        Key("after", Words("a phase", "The phase after which its rows are made; until then there are none.")),
        CITES,
    ),
)  # fmt: skip
SPLITS = Keys(
    "a map of splits", "Which rows may be read for what.", rest=Named("splits", value=SPLIT),
    keys=(
        Key("never", Items("a list of uses", "What no split may ever be used for, in words.",
                           Either("text, or a block with `says`", scalar=TEXT,
                                  keys=Keys("a block with `says`", path="data.splits.never",
                                            keys=(Key("says", TEXT, True), CITES))), lone=True)),
    ),
)  # fmt: skip
DATA = Keys(
    "a map", "Tables, observed records, splits.", path="data", ordered=True,
    keys=(
        Key("tables", Named("a map of tables", "Files of rows, and tables that stand in the spec.", TABLE)),
        Key("records", Named("a map of records", "One-row tables that the tool observes.", RECORD)),
        Key("splits", SPLITS),
    ),
)  # fmt: skip
ARM = Keys(
    "a map", path="arms",
    keys=(
        SAYS,
        Key("of", Words("a table", "The table with one row per unit."), True),
        Key("row", FormulaShape("a formula", "The row of this arm, for one unit."), True),
    ),
)  # fmt: skip


def _named(path: str, more: tuple[Key, ...] = ()) -> Keys:
    keys = (
        SAYS,
        Key("is", BODY, True),
        Key("if_undefined", FormulaShape("a value", "The value where the formula has none.")),
        Key("with", Items("a list of metrics", "Metrics that are computed once per row of this group table.",
                          Words("a metric"), True, True)),
    )  # fmt: skip
    return Keys("a block with `is`", path=path, keys=(*keys, *more, CITES), mistaken=(("must", "is"), ("when", "is")))


DEFINITION = Either(
    BODY.what + ", or a block with `is`", scalar=FORMULA, items=BODY.items, special=CONDITIONS,
    when_keys=("all", "any"), keys=_named("definition"),
)  # fmt: skip
BETTER = Key("better", Words("`higher` or `lower`", "Which of its values are the better ones: every gate and blocker "
                             "is compared with it.", choices=("higher", "lower")))  # fmt: skip
WITHHELD = (
    Key(
        "withheld when", FormulaShape("a condition", "While it is not false, every entry of the section is undefined.")
    ),
    Key("not withheld", Items("a list of names", "The entries that are not withheld.", Words("a name"), True, True)),
)
DEFINITIONS = Named("a map of definitions", "Tables, columns, rows and numbers, each with its formula.", DEFINITION,
                    "path")  # fmt: skip
CUSTOM = Keys("a block with `python`", path="metrics.python", keys=(
    SAYS,
    Key("python", Words("a function", "`path.py:function`, of a file beside the spec: what the language cannot say.",
                        pattern=rf"[^:]+\.py:{NAME}", plan="`path.py:function`"), True),
    Key("takes", Items("a list of formulas", "The operands of the function, in order.", FORMULA), True),
    Key("gives", Words("a type", "What it gives: `decimal`, `int`, `bool` or `text`; None is undefined.",
                       choices=("decimal", "int", "bool", "text")), True),
    Key("timeout", FormulaShape("a duration", "The time that all its calls may take; 10 s if left out.")),
    BETTER,
    CITES,
))  # fmt: skip
METRIC = Either(DEFINITION.what, scalar=FORMULA, items=BODY.items, keys=Either(
    DEFINITION.what, keys=_named("metric", (BETTER,)), special=CUSTOM, when_keys=("python",)), special=CONDITIONS,
    when_keys=("all", "any"))  # fmt: skip
METRICS = Keys("a map of metrics", "The numbers that are reported.", path="metrics", keys=WITHHELD,
               rest=Named("a map of metrics", value=METRIC, rule="path"))  # fmt: skip
INTERVAL = Keys(
    "a map", path="intervals",
    keys=(
        SAYS,
        Key("metric", Words("a metric", "The metric that is computed anew on each draw."), True),
        Key("resample", Items("a table or a list of row sets", "What is drawn, in this order.", FORMULA, lone=True),
            True),
        Key("follow", Items("a list of row sets", "Tables that follow the draw, and by what.", FORMULA, lone=True)),
        Key("within", FormulaShape("a column", "Strata of the draw.")),
        Key("out_of", FormulaShape("a count", "A count of units of which the rest are zeros.")),
        Key("draws", FormulaShape("a whole number"), True),
        Key("generator", Words("the generator `mersenne twister`", "`mersenne twister`."), True),
        Key("seed", Words("a number or text"), True),
        Key("level", FormulaShape("a percentage"), True),
        *(Key(out, Words("a name", f"The name of the output `{out}`.")) for out in ("low", "high", "kept", "p")),
        CITES,
    ),
)  # fmt: skip


def _rule(path: str, formula: str, words: str, more: tuple[Key, ...] = ()) -> Keys:
    others = tuple((other, formula) for other in ("when", "must", "is") if other != formula)
    keys = (Key("says", Words("words", "The rule in plain words; its numbers are those of the formula."), True),
            Key(formula, Either(BODY.what, words, BODY.scalar, BODY.items, BODY.keys), True), *more, CITES)  # fmt: skip
    return Keys(f"a block with `says` and `{formula}`", path=path, keys=keys, mistaken=others)


BLOCKER = _rule("blocker", "when", "It fires when this is true, or undefined.", (
    Key("forces", Words("a verdict", "The verdict word that it stands for.")),
    Key("if_undefined", Words("`fires` or `does not fire`", choices=("fires", "does not fire"))),
))  # fmt: skip
GATE = _rule("gate", "must", "It holds when this is true; undefined has not held.")
CHECK = _rule("check", "is", "Evaluated and printed; decides nothing unless the verdict names it.")
CHECKS = Keys("a map of checks", "Evaluated and printed.", path="checks", keys=WITHHELD,
              rest=Named("a map of checks", value=CHECK, rule="path"))  # fmt: skip
VERDICT = Lines("a first-match list", "`WORD when CONDITION` lines, the last `WORD otherwise`; the first true decides.")
CLAIM = Either("text, or a block", scalar=TEXT, keys=Keys("a block", path="report.claims", keys=(
    SAYS,
    Key("may", Words("text", "`when VERDICT`, or words.")),
    Key("never", Words("text", "What may not be said, or until when.")),
    Key("status", Words("a word", "A label that stands beside the claim.")),
)))  # fmt: skip
AMENDMENT = Keys("a map", path="report.amendments", keys=(
    Key("changes", Items("a list of names", "What it changes, as `protoc diff` calls it: `gates.right`.",
                         Words("a name"), True, True, True), True),
    Key("removes", Items("a list of names", "What it took out.", Words("a name"), True, True)),
    Key("supersedes", Words("a digest", "The spec digest of the version that it changes.")),
    Key("why", Words("text"), True),
    Key("seen", Items("a list of data", "Which data had been seen.", Words("text"), True, True, True), True),
    Key("at", Words("a time")),
))  # fmt: skip
REPORT = Keys(
    "a map", "What is shown, and which verdicts are released.", path="report", ordered=True,
    keys=(
        Key("released", Items("a list of verdicts", "The verdicts with exit status 0.", Words("a verdict"), True,
                              may_be_empty=True)),
        Key("sealed", setting(Items("a list of names", "Metrics and rules (`gates.P2.1`) that adjudication cannot "
                                    "change: proved on their formulas.", Words("a name"), True, True))),
        *WITHHELD,
        Key("statuses", Named("a map of formulas", "Labels that stand beside the verdict.", DEFINITION, "path")),
        Key("lists", Named("a map of formulas", "What must be listed.", DEFINITION, "path")),
        Key("duties", Items("a list of duties", "What must be reported, in words.", PHRASE)),
        Key("claims", Named("a map of claims", "What may be said, and what never.", CLAIM, "words")),
        Key("amendments", Named("a map of amendments", "Changes after registration.", AMENDMENT, "words")),
    ),
)  # fmt: skip

SPEC = Keys(
    "a map of sections", "A preregistered evaluation protocol.", path="", ordered=True,
    keys=(
        Key("protoc", Words("the language version", "The language version: 1.", choices=("1",)), True),
        Key("protocol", PROTOCOL, True),
        Key("question", QUESTION),
        Key("data", DATA, True),
        Key("arms", Named("a map of arms", "Rows of a unit that are compared.", ARM)),
        Key("procedure", PROCEDURE),
        Key("definitions", DEFINITIONS),
        Key("metrics", METRICS),
        Key("intervals", Named("a map of intervals", "Intervals by resampling.", INTERVAL, "words")),
        Key("blockers", Named("a map of blockers", "What stops a release, whatever the gates say.", BLOCKER, "path")),
        Key("gates", Named("a map of gates", "What must hold.", GATE, "path")),
        Key("checks", CHECKS),
        Key("verdicts", Named("a map of verdicts", "Named sub-verdicts.", Either(
            "a first-match list or a formula", scalar=FORMULA, items=VERDICT), "path")),
        Key("verdict", VERDICT, True),
        Key("report", REPORT),
        Key("attestations", Named("a map of statements", "What only a person can vouch for.", PHRASE)),
        Key("limits", Items("a list of limits", "Known limits, carried into the receipt.", PHRASE)),
    ),
)  # fmt: skip
