"""What a protocol's rules cannot do at the counts that its data are expected to have: E28xx, W28xx."""

from __future__ import annotations

from protoc_runtime.diagnostics import Kind

UNREACHABLE_BY_COUNTS = Kind(
    "E2801",
    "verdict-out-of-reach",
    "error",
    "no data that are as expected can give the verdict `{word}`, which is released",
    "`protoc explain` tells what each gate asks for; look for a gate that contradicts another, or a wrong divisor",
    "At the counts that the tables are expected to have, no result satisfies all rules that this verdict needs. A "
    "study that nothing can pass says nothing about what it evaluates.",
    "gates:\n  most: {says: At least 75%., must: accuracy >= 75%}\n  few: {says: At most 25%., must: accuracy <= 25%}",
)
NEVER_FAILS = Kind(
    "N2802",
    "gate-never-fails",
    "note",
    "the gate `{name}` cannot fail{when}",
    "nothing to mend if it is there for its readers; else look at its filter and its threshold",
    "Whatever the data are, this gate holds, so it decides nothing.",
    "gates:\n  both: {says: Accuracy at least 75% or below 75%., must: accuracy >= 75% or accuracy < 75%}",
)
NEVER_HOLDS = Kind(
    "E2803",
    "gate-never-holds",
    "error",
    "the gate `{name}` can never hold{when}",
    "look for conditions in it that exclude each other, and for a wrong divisor",
    "Whatever the data are, this gate fails, so nothing can pass.",
    "gates:\n  both: {says: Accuracy at least 75% and below 75%., must: accuracy >= 75% and accuracy < 75%}",
)
BLOCKER_NEVER_FIRES = Kind(
    "W2804",
    "blocker-never-fires",
    "warning",
    "the condition of the blocker `{name}` can never be true",
    "look for conditions in it that exclude each other",
    "A blocker that contradicts itself stops nothing, and looks as if it did.",
    "blockers:\n  b: {says: Accuracy at least 75% and below 75%., when: accuracy >= 75% and accuracy < 75%, "
    "forces: FAIL}",
)
BLOCKER_ALWAYS_FIRES = Kind(
    "E2805",
    "blocker-always-fires",
    "error",
    "the blocker `{name}` always fires",
    "look for a condition in it that is true of all data",
    "A blocker that fires whatever the data are blocks every run.",
    "blockers:\n  b: {says: Accuracy at least 75% or below 75%., when: accuracy >= 75% or accuracy < 75%, "
    "forces: FAIL}",
)
IMPLIED_BY_COUNTS = Kind(
    "N2806",
    "gate-implied-at-counts",
    "note",
    "the gate `{name}` holds whenever {others} hold, at the counts that are expected",
    "nothing to mend: it decides nothing that they have not decided",
    "Which gates decide depends on the number of rows. `protoc explain` tells the least set that implies all others.",
    "gates:\n  most: {says: At least 75%., must: accuracy >= 75%}\n  many: {says: At least 70., must: "
    "count(cases where good) >= 70}",
)
KINDS = tuple(value for value in list(globals().values()) if isinstance(value, Kind))
