"""What splits cannot mean, found without data."""

from __future__ import annotations

from protoc_runtime.diagnostics import Kind

CONTRADICTION = Kind(
    "E2301",
    "split-contradiction",
    "error",
    "split {split} contradicts itself: {reason}",
    "{hint}",
    "The life of a split goes one way. Rows for confirmation, calibration or a blind test are never tuned on, not "
    "even afterwards; rows that are consumed are read for nothing; and a bound on candidates means something only "
    "where more than one of them may read the same rows.",
    "data:\n  splits:\n    fresh: {role: confirmation, may: [tune]}",
)

KINDS = (CONTRADICTION,)
