"""What a change of expectations does to the verdict: data that is refused is not released.

An expectation that only one side has, or has otherwise, becomes the first line of its verdict: where it does not hold,
the data is refused. Both sides then take the same data, and the proof engine and the search for cases tell of their
verdicts what they tell of any two.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from protoc_compiler import core
from protoc_compiler.drift.forms import Form, TooLarge
from protoc_compiler.drift.model import Delta, Effect
from protoc_compiler.drift.normal import Normal
from protoc_compiler.drift.reads import Thing
from protoc_compiler.proof.answers import Answer, Finding
from protoc_runtime.record import replace

REFUSED = "data refused"  # no word of an author has a space
_UNKNOWN = Answer("unknown")
_OPEN = Finding("verdict", "verdict", "verdict", _UNKNOWN, _UNKNOWN)


def effect_of(
    old: core.Protocol, new: core.Protocol, deltas: Iterable[Delta], reached: frozenset[Thing], otherwise: Effect
) -> Effect:
    """The effect on the verdict, as far as it can be told; else what is said of it `otherwise`. `reached`: what means
    something else in the two."""
    if any(map(_of_other_rows, deltas)):
        return otherwise
    made = refusing(old, new, reached)
    if made is None:
        return otherwise
    from protoc_compiler import proof
    from protoc_compiler.drift.tried import Tried
    from protoc_compiler.drift.wording import effect

    sides, whole = made
    told = _OPEN  # rows that are not scored can be refused, too: cases still show, but nothing is proved
    if whole:
        found = proof.compare(*sides)
        if not found.alike:
            return otherwise
        told = found.verdict
        if told.status != "undecided":
            return effect("verdict", told)
    if otherwise.direction in ("looser", "stricter"):  # the expectations alone rule out the other way
        told = told.only(otherwise.direction)
    return Tried(*sides).effect("verdict", told, otherwise)


def _of_other_rows(delta: Delta) -> bool:
    """Whether other rows can be read, whatever is expected of them."""
    return delta.subject == "COLUMN" and (None in (delta.old, delta.new) or delta.field in ("type", "optional"))


def refusing(
    old: core.Protocol, new: core.Protocol, reached: frozenset[Thing]
) -> tuple[tuple[core.Protocol, core.Protocol], bool] | None:
    """Both, with the expectations that they do not share as lines of their verdicts, and whether these say just what
    the expectations say; None where they cannot be."""
    try:
        forms = [_forms(side, reached) for side in (old, new)]
    except TooLarge:
        return None
    shared = set(forms[0].values()) & set(forms[1].values())
    made, whole = [], True
    for side, own in zip((old, new), forms, strict=True):
        moved = [item for table in side.tables for item in table.expect if own[item.name] not in shared]
        lines = [_of_scored(side, item) for item in moved]
        records = {item.name for table in side.tables if table.record for item in table.expect}
        if None in lines or any(item.name in records for item in moved):  # that it has one row is taken for granted
            return None
        whole = whole and all(line == item.expr for line, item in zip(lines, moved, strict=True))
        made.append(_refusing(side, moved, [line for line in lines if line is not None]))
    return (made[0], made[1]), whole


def _forms(side: core.Protocol, reached: frozenset[Thing]) -> dict[str, Form]:
    made = {}
    for table in side.tables:
        for item in table.expect:
            made[item.name] = Normal(side, reached).of(item.expr)
    return made


def _of_scored(side: core.Protocol, item: core.Item) -> core.Expr | None:
    """What an expectation says of the rows that are scored, which alone a verdict sees: where that is not so, the data
    is refused whatever the other rows are. None where it says nothing of them."""
    from protoc_compiler.proof.closing import Closing, TooDeep
    from protoc_compiler.proof.scored import Scored

    if item.per:
        return None
    try:
        closing = Closing(side)
        kept = {one.name: value for one, value in Scored(side, closing).expectations() if one is not None}
        if item.name not in kept:
            return None
        if kept[item.name] == closing.close(item.expr, {}, 0):
            return item.expr
    except TooDeep:
        return None
    one = item.expr
    if not isinstance(one, core.Quantified) or one.quantifier != "all" or one.condition is None:
        return None
    return replace(one, quantifier="no", condition=core.Not(core.BOOL, core.Is(core.BOOL, one.condition, "true")))


def _refusing(side: core.Protocol, moved: Collection[core.Item], lines: Collection[core.Expr]) -> core.Protocol:
    if not moved:
        return side
    names = {item.name for item in moved}
    tables = [replace(table, expect=tuple(one for one in table.expect if one.name not in names)) for table in
              side.tables]  # fmt: skip
    items = [_with_line(item, lines) if item.space == "verdict" else item for item in side.items]
    return replace(side, tables=tuple(tables), items=tuple(items))


def _with_line(verdict: core.Item, conditions: Collection[core.Expr]) -> core.Item:
    """A verdict that first asks for what is expected."""
    kind = replace(verdict.type, members=(*verdict.type.members, REFUSED))
    broken = core.Not(core.BOOL, core.And(core.BOOL, tuple(core.Is(core.BOOL, one, "true") for one in conditions)))
    lines: tuple[tuple[core.Expr, core.Expr], ...] = ((broken, core.Const(kind, REFUSED)),)
    otherwise = verdict.expr
    if isinstance(otherwise, core.Choose):
        lines, otherwise = (*lines, *otherwise.lines), otherwise.otherwise
    made = core.Choose(kind, lines, otherwise)
    return replace(verdict, type=kind, expr=made, words=(*verdict.words, REFUSED), text=f"{REFUSED}; {verdict.text}")
