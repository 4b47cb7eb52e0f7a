"""A witness in the words of its protocol: the metrics that are counts, for all rows and in each group."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from fractions import Fraction

from protoc_compiler import core
from protoc_compiler.drift.reads import readers
from protoc_compiler.proof.answers import Named, Witness
from protoc_compiler.proof.ask import Possible
from protoc_compiler.proof.rules import Side
from protoc_compiler.proof.space import Symbol

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_MOST = 8  # numbers that are shown of what was measured
_ONE = (((), Fraction(1)),)


def witness_of(side: Side, found: Possible, old: str, new: str) -> Witness:
    """The witness for people, not replayed yet."""
    names = count_names(side)
    counts = found.counts()
    shown = tuple((name, counts[symbol]) for name, symbol in names if symbol in counts)
    return Witness(shown, _in_groups(side, found, names), found.errors, old, new)


def measured_of(
    protocol: core.Protocol, rules: Iterable[tuple[str, str]], tables: Mapping[str, int], metrics: Mapping[str, Any]
) -> tuple[tuple[str, str], ...]:
    """The numbers of rows of tables, and of metrics that one of these rules reads, as the compiled protocol has
    computed them (`metrics`, as in the JSON of `score`)."""
    wanted = {("item", space, name) for space, name in rules}
    made = [(name, str(number)) for name, number in tables.items()]
    for item in protocol.of("metrics"):
        value = metrics.get(item.name)
        if not item.per and value is not None and wanted & readers(protocol).above([("item", "metrics", item.name)]):
            made.append((item.name, _number(value)))
    return tuple(made[:_MOST])


def _number(value: Any) -> str:
    if not isinstance(value, dict):
        return str(value)
    if "num" not in value:
        return str(next(iter(value.values())))
    number = f"{value['num']}" if value["den"] == 1 else f"{value['num']}/{value['den']}"
    return f"{number} {value['unit']}" if "unit" in value else number


def count_names(side: Side) -> list[tuple[str, int]]:
    """The metrics that are the number of rows with a condition, with their symbols."""
    made = []
    for item in side.protocol.of("metrics"):
        if not item.per and item.type.kind == "int":
            number = side.translator.number(side.closing.item("metrics", item.name), None)
            if number is not None and len(number.above) == 1 and number.below == _ONE:
                ((monomial, factor),) = number.above
                if len(monomial) == 1 and factor == 1:
                    made.append((item.name, monomial[0]))
    return made


def _in_groups(side: Side, found: Possible, names: list[tuple[str, int]]) -> tuple[tuple[int, Named], ...]:
    groups = found.grouping
    if groups is None or not found.groups:
        return ()
    inside = []
    for name, symbol in names:
        one = side.space.symbols[symbol]
        local = side.space.known_symbol(Symbol(one.root, groups.grouping, one.test))
        if local is not None and local in groups.symbols:
            inside.append((name, local))
    seen = Counter(
        tuple(
            (name, sum(rows for rows, has in zip(vector, groups.classes, strict=True) if local in has))
            for name, local in inside
        )
        for vector in found.groups
    )
    return tuple((times, counts) for counts, times in sorted(seen.items(), key=lambda pair: (-pair[1], pair[0])))
