"""The shape of `procedure.manifest` and `procedure.parity`: what pins a candidate, and how a runtime is compared."""

from __future__ import annotations

from protoc_compiler.sections_common import CITES, NAME, SAYS, setting
from protoc_compiler.shape import Cell, Either, FormulaShape, Items, Key, Keys, Named, Words

_PATHS = Items("a list of fields", "Fields or groups of the manifest, by their paths.", Words("a path"), True, True)
_TYPE = Words(
    "a type", "`text`, `positive int`, `digest`, `revision or version`, `metrics of NAME`; `?` behind it where it "
    "may be null or absent."
)  # fmt: skip
_FIELD = Either(
    "a type, or a block with `type` or `is`", scalar=_TYPE,
    items=Items("a list of words", "The words that may stand there.", Words("a word"), True),
    keys=Keys(
        "a block with `type` or `is`", path="procedure.manifest.fields",
        keys=(
            Key("type", Either("a type", scalar=_TYPE, items=Items("a list of words", "", Words("a word"), True))),
            Key("is", Cell("a value", "The one value that may stand there.")),
            SAYS,
            Key("as", Words("a name", "The column of a record `from: manifest` that holds it.", pattern=NAME,
                            plan="a name of letters, digits and underscores")),
            Key("collect", Words("a source", "What fills it in a new manifest: `source revision`, `python`, "
                                 "`hardware`, `now`, `dependency lock FILE`, `digest of FILE`.")),
            CITES,
        ),
    ),
)  # fmt: skip
_PHASE = Keys(
    "a map", path="procedure.manifest.phases",
    keys=(
        Key("phase", Words("a name", pattern=NAME, plan="a name of letters, digits and underscores"), True),
        Key("status", Words("a word", "The status that the manifest has then.", pattern=r"[A-Za-z][A-Za-z0-9_-]*",
                            plan="a word such as `frozen-dev`"), True),
        Key("needs", _PATHS),
        SAYS,
        CITES,
    ),
)  # fmt: skip
MANIFEST = Keys(
    "a map", "The file that pins a candidate: its fields, and what each phase needs.", path="procedure.manifest",
    mistaken=(("path", "file"), ("required", "phases")),
    keys=(
        SAYS,
        Key("file", Words("a path", "Where a run finds it, beside the spec. Its bytes go into the bundle.")),
        Key("status", Words("a field", "The field that tells the status."), True),
        Key("phases", Items("a list of phases", "In order; a later one needs what the earlier ones need.", _PHASE),
            True),
        Key("closed", _PATHS),
        Key("fields", Named("a map of fields", "Each field by its path.", _FIELD, "words"), True),
        CITES,
    ),
)  # fmt: skip
_NUMBER = setting(FormulaShape("a number", "A number, or `freeze.NAME`."))
PARITY = Keys(
    "a map", "Which columns of two runtimes' rows are compared.", path="procedure.parity",
    mistaken=(("case", "id"), ("key", "id"), ("authority", "violation")),
    keys=(
        SAYS,
        Key("id", setting(Words("a column", "The case; the same cases on both sides.")), True),
        Key("route", setting(Words("a column", "The selected route; the same for every case.")), True),
        Key("score", setting(Words("a column", "The score that decides whether a case is executed.")), True),
        Key("threshold", _NUMBER, True),
        Key("error", setting(Words("a column", "The error; empty or null on every row.")), True),
        Key("violation", setting(Words("a column", "Whether authority was violated; false on every row."))),
        Key("summary", setting(Items("a list of counts", "Counts of the file's `summary`; all 0.", Words("a name"),
                                     True, True))),
        Key("low", _NUMBER),
        Key("high", _NUMBER),
    ),
)  # fmt: skip
