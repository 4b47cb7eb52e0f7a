"""What generated rules import."""

from protoc_runtime.engine.custom import custom
from protoc_runtime.engine.declare import Rules
from protoc_runtime.engine.derived import Groups, grouped
from protoc_runtime.engine.draws import Study
from protoc_runtime.engine.forms import (
    Withheld,
    all_of,
    any_of,
    between,
    cast,
    chain,
    choose,
    default,
    in_column,
    in_list,
    in_set,
    list_of,
    undefined,
    where_reached,
)
from protoc_runtime.engine.rows import Rows
from protoc_runtime.engine.vec import Vec, lift

__all__ = [
    "Groups",
    "Rows",
    "Rules",
    "Study",
    "Vec",
    "Withheld",
    "all_of",
    "any_of",
    "between",
    "cast",
    "chain",
    "choose",
    "custom",
    "default",
    "grouped",
    "in_column",
    "in_list",
    "in_set",
    "lift",
    "list_of",
    "undefined",
    "where_reached",
]
