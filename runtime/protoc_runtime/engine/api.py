"""What generated rules import."""

from protoc_runtime.engine.declare import Rules
from protoc_runtime.engine.derived import grouped
from protoc_runtime.engine.forms import (
    Withheld,
    all_of,
    any_of,
    between,
    cast,
    chain,
    choose,
    column,
    default,
    in_column,
    in_list,
    in_set,
    list_of,
    part,
    undefined,
)
from protoc_runtime.engine.study import Study
from protoc_runtime.engine.vec import lift

__all__ = [
    "Rules",
    "Study",
    "Withheld",
    "all_of",
    "any_of",
    "between",
    "cast",
    "chain",
    "choose",
    "column",
    "default",
    "grouped",
    "in_column",
    "in_list",
    "in_set",
    "lift",
    "list_of",
    "part",
    "undefined",
]
