"""The shape of `procedure.phases`: what each reads, and the state machine that they make."""

from __future__ import annotations

from protoc_compiler.sections_common import CITES, FORMULA, SAYS, TEXT, USES
from protoc_compiler.shape import Either, Items, Key, Keys, Named, Words
from protoc_runtime.phases.records import EVIDENCE

_NAMES = Items("a phase or a list of phases", "The phases that may be entered next.", Words("a phase"), True, True)
_PHRASE = Either(
    "text, or a block with `says`", scalar=TEXT,
    keys=Keys("a block with `says`", path="procedure.phases.duties", keys=(Key("says", TEXT, True), CITES)),
)  # fmt: skip
_EVIDENCE = Either(
    "a kind of evidence, or a block with `name` and `says`", "What the receipt of the phase must hold.",
    scalar=Words("a kind of evidence", choices=EVIDENCE),
    keys=Keys("a block with `name` and `says`", "What only a person can add.", path="procedure.phases.records", keys=(
        Key("name", Words("a name"), True), Key("says", TEXT, True), CITES)),
)  # fmt: skip
PHASE = Keys(
    "a map", path="procedure.phases", mistaken=(("next", "then"), ("guard", "enter"), ("may_change", "may change")),
    keys=(
        Key("phase", Words("a name"), True),
        SAYS,
        Key("owner", Words("text", "Who answers for the phase.")),
        Key("reads", Items("a list of splits", "The splits that the phase reads.", Words("a split"), True, True), True),
        Key("use", Words("a use", "`tune` or `score`.", choices=USES[:2]), True),
        Key("enter", FORMULA),
        Key("once", Words("`true` or `false`", "Whether one run ends the phase, whatever its verdict.",
                          choices=("true", "false"))),
        Key("ends", Items("a verdict or a list of verdicts", "After a run with one of them the phase is over.",
                          Words("a verdict"), True, True)),
        Key("then", Named("a map of verdicts", "With which verdict the study may go on to which phases.", _NAMES,
                          "words")),
        Key("may change", Items("a list of paths", "The pinned files that may differ from those of the run that led "
                                "here.", Words("a path"), True, True)),
        Key("same", Items("a list of columns", "Columns of the subject's tables (`decisions.route`) that are compared "
                          "with those of the run that led here.", Words("a column"), True, True)),
        Key("parity", Words("a path", "The report of `protoc parity`, beside the spec, without which the phase does "
                            "not lead on.")),
        Key("never", Items("a list of texts", "What the phase must not do, in words.", TEXT, True, True)),
        Key("records", Items("a list of evidence", "What is preserved of the phase.", _EVIDENCE, True)),
        Key("duties", Named("a map of duties", "What people do after a run of the phase.", _PHRASE)),
        CITES,
    ),
)  # fmt: skip
