"""E07xx: the words of a rule and its formula contradict each other."""

from __future__ import annotations

from protoc_runtime.diagnostics import Kind

_WHY = (
    "Every blocker, gate and check has words and a formula side by side, and a reader signs the words. A number that "
    "is changed in one of them alone is the commonest way for the two to part, so the compiler compares them: a number "
    "in digits in `says` must occur in the formula, and a number of the formula other than 0, 1 and 2 must occur in "
    "`says`, in digits or spelt out. Names of constants in `definitions` stand for their values."
)
NOT_IN_FORMULA = Kind(
    "E0701",
    "number-not-in-formula",
    "error",
    "the words of `{rule}` say {said}, which does not occur in its formula{instead}",
    "{first}mend the one of the two that is wrong; a number that is no part of the rule is written in words",
    _WHY,
    "gates:\n  accuracy:\n    says: Accuracy is at least 0.80.\n    must: accuracy >= 2",
)
NOT_IN_WORDS = Kind(
    "E0702",
    "number-not-in-words",
    "error",
    "the formula of `{rule}` has {found}, which its words do not say",
    "say the number in `says`, in digits or spelt out, or mend the formula",
    _WHY,
    "gates:\n  enough:\n    says: Enough cases are complete.\n    must: complete_cases >= 12",
)
OTHER_DIRECTION = Kind(
    "E0703",
    "words-go-another-way",
    "error",
    "the words of `{rule}` say {said}, and the formula has {found}",
    "`at least` is >=, `at most` <=, `more than` and `above` >, `less than` and `below` <: mend the one that is wrong",
    "A reader signs the words, and the formula decides. Turned round, or with the edge on the other side, the same "
    "number lets other systems pass. Only phrases that stand beside the number are compared, and only where the "
    "rule has one comparison with it and no negation.",
    "gates:\n  accuracy:\n    says: Accuracy is at most 0.80.\n    must: accuracy >= 0.80",
)
KINDS = (NOT_IN_FORMULA, NOT_IN_WORDS, OTHER_DIRECTION)
