"""The forms of a formula that are not operators: choices, chains, membership, defaults, casts, lists."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from fractions import Fraction
from typing import Any

import polars as pl

from protoc_runtime.catalogue import rules as kinds
from protoc_runtime.engine.context import INDEX, ONE, Context, common, positions
from protoc_runtime.engine.faults import EngineError, stop
from protoc_runtime.engine.library.counting import some
from protoc_runtime.engine.numbers import numbers
from protoc_runtime.engine.objects import Objects
from protoc_runtime.engine.plain import Plain, holds_json
from protoc_runtime.engine.rows import Rows
from protoc_runtime.engine.series import defined, filled, repeated, taken
from protoc_runtime.engine.vec import Bools, Nothing, Vec, aligned, as_bools, equal, lift, lifts, merge, nulls, where

undefined = Nothing(ONE)


class Joined(Bools):
    """An `all:` or `any:` rule together with each of its conditions, which the results show one by one."""

    parts: Mapping[str, Bools]


def all_of(parts: Mapping[str, Vec]) -> Joined:
    """True where every condition is (Kleene)."""
    return _joined(parts, lambda a, b: a & b)


def any_of(parts: Mapping[str, Vec]) -> Joined:
    """True where some condition is (Kleene)."""
    return _joined(parts, lambda a, b: a | b)


def _joined(parts: Mapping[str, Vec], join: Callable[[Bools, Vec], Bools]) -> Joined:
    vecs = [as_bools(lift(vec)) for vec in parts.values()]
    whole = vecs[0]
    for vec in vecs[1:]:
        whole = join(whole, vec)
    made = Joined(whole.context, whole.data)
    made.parts = dict(zip(parts, vecs, strict=True))
    return made


def choose(*lines: tuple[object, object], otherwise: object, inside: Context | None = None) -> Vec:
    """The value of the first line (condition, value) whose condition is true, else `otherwise`.

    An undefined condition that is reached makes the choice undefined. A part that can stop the run is a function of
    the rows that reach it: of those `inside` that no line before has decided.
    """
    if inside is not None:
        return _reached(lines, otherwise, inside)
    conditions = [as_bools(lift(condition)) for condition, _ in lines]
    vecs = aligned(*(lift(part) for line in lines for part in line), lift(otherwise))
    pick = repeated(len(lines), vecs[0].context.size, pl.Int32)
    for number in reversed(range(len(lines))):
        met = as_bools(vecs[2 * number]).data
        here = repeated(number, len(pick), pl.Int32)
        pick = here.zip_with(filled(met, False), pick)
        pick = where(defined(met), pick)
    return _telling(merge([*vecs[1:-1:2], vecs[-1]], pick), conditions)


def _reached(lines: Sequence[tuple[object, object]], otherwise: object, inside: Context) -> Vec:
    waiting = repeated(True, inside.size, pl.Boolean)
    pick = nulls(inside.size, pl.Int32())
    values, conditions = [], []
    for number, (condition, value) in enumerate((*lines, (True, otherwise))):
        conditions.append(as_bools(_part(condition, inside, waiting)))
        met = conditions[-1].data
        here = waiting & filled(met, False)
        values.append(_part(value, inside, here))
        pick = repeated(number, inside.size, pl.Int32).zip_with(here, pick)
        waiting = waiting & ~filled(met, True)
    return _telling(merge(values, pick), conditions[:-1])


def _telling(made: Vec, conditions: Sequence[Bools]) -> Vec:
    """A choice of the study together with its conditions, so that results can tell why it has no value."""
    if made.context is ONE:
        made = copy(made)
        made.conditions = tuple(conditions)
    return made


def _part(part: object, inside: Context, reached: pl.Series) -> Vec:
    """A part of a line for all rows; undefined where a function of it is not reached."""
    if not callable(part):
        return lift(part).to(inside)
    if not reached.any():
        return Nothing(inside)
    if not isinstance(inside, Rows):
        return lift(part()).to(inside)
    rows = inside.only(reached)
    place = pl.select(pl.when(reached).then(reached.cast(INDEX).cum_sum() - 1)).to_series()
    return lift(part(rows)).to(rows).take(place.cast(INDEX), inside)


def where_reached(part: Callable[..., object], home: Context, inner: Rows) -> Vec:
    """A part that can stop the run and reads nothing of `inner`, for the tuples of `home` that have rows there.

    Elsewhere nothing would be computed row by row, so nothing there stops the run.
    """
    if not isinstance(home, Rows) or not inner.within(home):
        reached = pl.repeat(inner.size > 0, home.size, dtype=pl.Boolean, eager=True)
    else:
        reached = positions(home.size).is_in(inner.index_in(home).unique().implode())
    return _part(part, home, reached)


def default(value: object, instead: object) -> Vec:
    """The value, or the other one where it is undefined."""
    first, second = aligned(lift(value), lift(instead))
    return merge([first, second], (~first.defined()).cast(pl.Int32))


class Withheld:
    """A value that is undefined, and marked so, where the condition is not false: fail closed where it is undefined."""

    def __init__(self, value: object, condition: object) -> None:
        self.value = value
        self.condition = as_bools(lift(condition))


def chain(first: object, *steps: tuple[str, object]) -> Bools:
    """A chain of comparisons, strict as a whole: `chain(a, ("<", b), ("<=", c))`."""
    vecs = aligned(lift(first), *(lift(vec) for _, vec in steps))
    made, defined = None, vecs[0].defined()
    for (op, _), left, right in zip(steps, vecs, vecs[1:], strict=False):
        met: Bools = _TESTS[op](left, right)
        made = met if made is None else made & met
        defined = defined & right.defined()
    if made is None:
        raise EngineError("a chain without a comparison")
    return made.masked(defined)


_TESTS: dict[str, Callable[[Any, Any], Bools]] = {
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}


def between(item: object, low: object, high: object) -> Bools:
    """low <= item <= high, strict."""
    return chain(low, ("<=", item), ("<=", high))


def in_list(item: object, *members: object) -> Bools:
    """True where a member equals the item; else undefined where the item or a member is undefined."""
    vec = lift(item)
    made = Bools(vec.context, ~vec.defined()).masked(vec.defined())
    for member in members:
        made = made | equal(vec, lift(member))
    return made


def in_set(item: object, collection: object) -> Bools:
    """Whether a set or list holds the item, strict."""
    one, many = aligned(lift(item), lift(collection))
    pairs = zip(one.values(), many.values(), strict=True)
    made = [None if value is None or items is None else value in items for value, items in pairs]
    return Bools(one.context, pl.Series(made, dtype=pl.Boolean))


def in_column(item: object, rows: Rows, value: object) -> Bools:
    """True where one of the rows has this value; else undefined where the item or one of the values is undefined.

    `rows` are opened either in the item's context, or outside of it and are then looked at once.
    """
    made = _in_rows(lift(item), rows, lift(value).to(rows))
    if rows.short is None:
        return made
    context = common(made.context, rows.outer)
    return made.to(context).masked(~taken(rows.short, context.index_in(rows.outer)))


def _in_rows(vec: Vec, rows: Rows, values: Vec) -> Bools:
    outer, inner = vec.keys(values)
    if rows.outer.size == 1:
        found = outer.is_in(inner.drop_nulls().implode()).fill_null(False)
        known = vec.defined() if inner.null_count() == 0 else vec.defined() & found
        return Bools(vec.context, found).masked(known)
    if vec.context.within(rows.outer):
        return _in_outer(vec, rows, outer, inner)
    if not rows.outer.within(vec.context):
        raise EngineError("rows that were opened neither in the item's context nor outside of it")
    return some(rows, equal(vec, values)).masked(vec.to(rows.outer).defined())


def _in_outer(vec: Vec, rows: Rows, mine: pl.Series, theirs: pl.Series) -> Bools:
    """Membership among rows that were opened once for each tuple of an outer context."""
    asked = pl.DataFrame({"outer": vec.context.index_in(rows.outer), "key": mine})
    known = pl.DataFrame({"outer": rows.index_in(rows.outer), "key": theirs})
    hits = known.drop_nulls().unique().with_columns(hit=True)
    open_ = known.filter(pl.col("key").is_null()).select("outer").unique().with_columns(gap=True)
    met = asked.join(hits, on=["outer", "key"], how="left", maintain_order="left")
    met = met.join(open_, on="outer", how="left", maintain_order="left")
    found = met["hit"].fill_null(False)
    return Bools(vec.context, found).masked(vec.defined() & (found | ~met["gap"].fill_null(False)))


def list_of(*items: object) -> Objects:
    """A list; undefined where an item is."""
    vecs = aligned(*(lift(item) for item in items)) if items else []
    if not vecs:
        return Objects(ONE, [()])
    columns = zip(*(vec.values() for vec in vecs), strict=True)
    return Objects(vecs[0].context, [None if any(v is None for v in row) else tuple(row) for row in columns])


def cast(value: object, kind: str) -> Vec:
    """A tagged value read as bool, int, number or text; one of another kind stops the run."""
    vec = lift(value)
    if isinstance(vec, Nothing):
        return vec
    if isinstance(vec, Plain) and vec.kind == "any" and holds_json(vec.data):  # which `values` gives as a text
        stop(kinds.OTHER_KIND, found="a list or object", expected=_SHOWN.get(kind, f"a {kind}"))
    made = [None if one is None else _read(one, kind) for one in vec.values()]
    if kind == "bool":
        return Bools(vec.context, pl.Series(made, dtype=pl.Boolean))
    if kind in ("int", "number", "quantity"):
        return numbers(vec.context, made, whole=kind == "int")
    return Plain(vec.context, pl.Series(made, dtype=pl.String), "text")


_SHOWN = {"bool": "a truth value", "int": "a whole number", "digest": "a text", "enum": "a text"}


def _read(value: Any, kind: str) -> Any:
    accepted: Any = {"bool": bool, "int": int, "number": (int, Fraction), "quantity": (int, Fraction)}.get(kind, str)
    if not isinstance(value, accepted) or (isinstance(value, bool) and kind != "bool"):
        shown = repr(str(value)) if isinstance(value, Fraction) else repr(value)
        stop(kinds.OTHER_KIND, found=shown, expected=_SHOWN.get(kind, f"a {kind}"))
    return value


@lifts(tuple)
def _tuple(value: tuple[Any, ...]) -> Objects:
    return Objects(ONE, [value])
