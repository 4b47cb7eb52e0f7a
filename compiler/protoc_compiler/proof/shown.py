"""A witness in the words of its protocol: the metrics that are counts, for all rows and in each group."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

from protoc_compiler.proof.answers import Named, Value, Witness
from protoc_compiler.proof.ask import Possible
from protoc_compiler.proof.rules import Side
from protoc_compiler.proof.space import Symbol

_ONE = (((), Fraction(1)),)


def witness_of(side: Side, found: Possible, old: str, new: str, before: Side | None = None) -> Witness:
    """The witness for people, not replayed yet. `before`: the old side, where there is one."""
    names = count_names(side)
    counts = found.counts()
    shown = tuple((name, counts[symbol]) for name, symbol in names if symbol in counts)
    now = dict(shown)
    then = now if before is None else {name: counts[at] for name, at in count_names(before) if at in counts}
    every = [*now, *(name for name in then if name not in now)]
    made = tuple(number_of(name, then.get(name), now.get(name)) for name in every)
    return Witness(shown, _in_groups(side, found, names), found.errors, old, new, measured=made)


def number_of(name: str, old: int | None, new: int | None) -> Value:
    """A number of rows on the two sides."""
    told = tuple(str(one) if one is not None else None for one in (old, new))
    return Value(name, told[0], told[1], plain=(told[0], told[1]))


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
