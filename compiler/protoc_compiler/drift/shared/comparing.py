"""What the kinds of change of formulas share."""

from __future__ import annotations

from collections.abc import Callable

from protoc_compiler import core
from protoc_compiler.drift.deltas import named
from protoc_compiler.drift.effects import RULES, Context
from protoc_compiler.drift.entails import way
from protoc_compiler.drift.forms import Form, all_of
from protoc_compiler.drift.model import Delta
from protoc_compiler.drift.normal import Normal
from protoc_compiler.drift.shapes import filterless, filters, numberless, numbers
from protoc_compiler.drift.things import SPACES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_OF_ROWS = {"equivalent": "same", "stricter": "narrowed", "looser": "widened"}  # of a condition, of rows that meet it
_NAMED = 3  # things that have changed, too


def moved(delta: Delta, context: Context, such: Callable[[Any, Any], bool]) -> str | None:
    """How the numbers of a formula moved, where nothing else differs and all of them moved in this way: as they are
    written, for in a normal form a factor on the other side has the other sign."""
    before, after, *_ = context.formulas(delta)
    if before == after or numberless(before) != numberless(after):
        return None
    pairs = [pair for pair in zip(numbers(before), numbers(after), strict=True) if pair[0] != pair[1]]
    from protoc_compiler.drift import literals

    old, new = (side.text if side is not None else "" for side in (delta.old, delta.new))
    found = literals.moved(old, new, pairs, (delta.before, delta.after))
    if any(each.before is None or each.after is None for each in found):  # more is calculated than is told apart here
        alike = all(such(*pair) for pair in pairs)
    else:
        alike = all(such(each.before, each.after) for each in found)
    return literals.told(found) + _of_filters(before, after) if alike else None


def _of_filters(before: Form, after: Form) -> str:
    """Behind numbers that only filters have: that they are no limits of the value itself."""
    return f" in a filter: it reads {filtered(before, after)}" if filterless(before) == filterless(after) else ""


def filtered(before: Form, after: Form) -> str:
    """How the filters of two forms compare."""
    found: set[str] = set()
    for old, new in zip(filters(before), filters(after), strict=True):
        if old != new:
            found.add(_narrower(all_of(old), all_of(new)))
    return {"narrowed": "fewer rows", "widened": "more rows", "same": "the same rows"}.get(
        found.pop() if len(found) == 1 else "", "other rows"
    )


def _narrower(old: Form, new: Form) -> str:
    return _OF_ROWS.get(way(old, new), "other")


def population(delta: Delta, context: Context) -> str:
    """How the rows of a defined table compare with those before: narrowed, widened, same or other."""
    if delta.before is None or delta.after is None:
        return "other"
    forms = [Normal(side).rows(rows, {})[0] for side, rows in ((context.old, delta.before), (context.new, delta.after))]
    before, after = forms
    if (*before[:-2], before[-1]) != (*after[:-2], after[-1]):
        return "other"
    return _narrower(all_of(before[-2]), all_of(after[-2]))


Line = tuple[Form, Form]


def lines(context: Context, delta: Delta) -> tuple[tuple[Line, ...] | None, tuple[Line, ...] | None]:
    """The lines of both first-match lists as (condition, value); None where one is none."""
    made = []
    for side, value in ((context.old, delta.before), (context.new, delta.after)):
        normal = Normal(side)
        if not isinstance(value, core.Choose):
            return None, None
        found = [(normal.of(condition), normal.of(result)) for condition, result in value.lines]
        made.append((*found, (("otherwise",), normal.of(value.otherwise))))
    return made[0], made[1]


def besides(delta: Delta, context: Context) -> str:
    """`; it reads ..., which has changed, too`, where the rule's own formula only got looser, or only stricter; ""
    where nothing else has changed, or the formula by itself is not known to have one direction either."""
    space = SPACES.get(delta.subject, "")
    if space not in RULES or delta.field != "expr":
        return ""
    _, _, before, after = context.formulas(delta)
    if way(before, after, context.given) not in ("looser", "stricter"):
        return ""
    rule = ("item", space, delta.thing.name)
    found = dict.fromkeys(
        other.thing.shown for other in context.deltas
        if rule not in named(other) and rule in context.above(named(other))
    )  # fmt: skip
    if not found:
        return ""
    names = [f"`{name}`" for name in found]
    told = ", ".join(names[:_NAMED]) + (f" and {len(names) - _NAMED} more" if len(names) > _NAMED else "")
    return f"; it reads {told}, which {'has' if len(names) == 1 else 'have'} changed, too"
