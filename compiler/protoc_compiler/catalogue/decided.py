"""Faults of undefined values: E06xx."""

from __future__ import annotations

from protoc_runtime.diagnostics import Kind

UNDECIDED = Kind(
    "E0601",
    "undecided-condition",
    "error",
    "this condition may be undefined: {reason}",
    "say what undefined means: `(...) is true`, `... is defined and ...`, or give the definition an `if_undefined`",
    "A filter keeps or drops each row, and a `when` takes a line or not: there is no third way. Where a condition can "
    "be undefined the author decides, so that nothing is counted or dropped by accident.",
    "definitions:\n  right: cases where found == expected",
)
NULLABLE_GROUP = Kind(
    "E0602",
    "undecided-group",
    "error",
    "`{name}` may be undefined, and rows without it would belong to no group",
    "group `{table} where {name} is defined`, or give the column an `if_undefined`",
    "Every row belongs to exactly one group, or is left out in plain words.",
    "definitions:\n  bins: cases grouped by bin",
)
NEVER_UNDEFINED = Kind(
    "W0603",
    "needless-default",
    "warning",
    "`if_undefined` has no effect: `{name}` is never undefined",
    "delete it",
    "A default that can never be taken suggests that the formula is not what its author thinks.",
    "definitions:\n  cases.big: {is: size > 3, if_undefined: false}",
)
KINDS = tuple(value for value in list(globals().values()) if isinstance(value, Kind))
