"""What an aggregate makes of rows that stand in the spec, each known by itself: a number where it reads nothing else.

Undefined is strict here: an aggregate with an undefined operand is undefined. What depends on the order of the rows is
left alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import prod

from protoc_compiler import core
from protoc_compiler.drift.forms import (
    FALSE,
    TRUE,
    UNDEFINED,
    ZERO,
    Form,
    Terms,
    added,
    in_order,
    scaled,
    summed,
)
from protoc_compiler.library import forms, ordered_functions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Protocol

    class Forms(Protocol):
        """What makes the forms of one protocol."""

        def form(self, value: core.Expr, env: Any) -> Form:
            """The form of a formula."""

        def terms(self, value: core.Expr, env: Any) -> Terms:
            """A formula as a sum."""

        def options(self, options: tuple[tuple[str, core.Expr], ...], env: Any) -> Form:
            """The forms of named options."""


_STRICT = ("sum", "product", "mean", "rate", "min", "max", "median", "distinct")
_NUMBERS = ("number", "quantity")
_TOLD_APART = (*_NUMBERS, "word", "bool")  # constants that are the same value only where they are the same


def of_rows(normal: Forms, value: core.Aggregate, outer: Any, inner: Sequence[Any]) -> Form | None:
    """The form of an aggregate over rows, read under `outer` and each of them under its own environment; None where
    nothing is known."""
    function = value.function
    if function == "count":
        return _number(Fraction(len(inner)))
    if "over" not in forms(function) or function in ordered_functions() or value.type.kind == "struct":
        return None
    if function in _STRICT and not value.options and len(value.args) == 1:
        (arg,) = value.args
        if function in ("sum", "mean"):
            return _sum([normal.terms(arg, env) for env in inner], mean=function == "mean")
        known = _known(function, [normal.form(arg, env) for env in inner])
        if known is not None:
            return known
    made = [tuple(normal.form(arg, env) for arg in value.args) for env in inner]
    return ("taken", function, tuple(in_order(made)), normal.options(value.options, outer))


def _sum(rows: list[Terms], *, mean: bool) -> Form:
    if any(UNDEFINED in product for terms in rows for product in terms) or (mean and not rows):
        return UNDEFINED
    made: Terms = {}
    for terms in rows:
        made = added(made, terms)
    if len(made) > 1 and made.get((), ZERO) == 0:
        made.pop((), None)
    return summed(scaled(made, Fraction(1, len(rows))) if mean else made or {(): ZERO})


def _known(function: str, values: list[Form]) -> Form | None:
    """The value of an aggregate that does not depend on anything else, or of a least or greatest value that of these
    values."""
    if UNDEFINED in values:
        return UNDEFINED
    if function == "distinct":
        apart = all(value[0] == "listed" or (value[0] == "const" and value[1] in _TOLD_APART) for value in values)
        return _number(Fraction(len(set(values)))) if apart else None
    if not values:
        return _number(Fraction(1)) if function == "product" else UNDEFINED
    if function == "rate":
        if not all(value in (TRUE, FALSE) for value in values):
            return None
        return _number(Fraction(values.count(TRUE), len(values)))
    if all(value[0] == "const" and value[1] in _NUMBERS for value in values):
        return ("const", values[0][1], _OF_NUMBERS[function]([value[2] for value in values]))
    if function not in ("min", "max") or any(value[:1] == ("const",) and value[1] not in _NUMBERS for value in values):
        return None
    few = in_order(dict.fromkeys(values))
    return few[0] if len(few) == 1 else ("call", function, tuple(few), ())


def _number(value: Fraction) -> Form:
    return ("const", "number", value)


def _median(values: list[Fraction]) -> Fraction:
    found, half = sorted(values), len(values) // 2
    return found[half] if len(found) % 2 else (found[half - 1] + found[half]) / 2


_OF_NUMBERS: dict[str, Callable[[list[Fraction]], Fraction]] = {
    "product": lambda values: prod(values, start=Fraction(1)), "min": min, "max": max, "median": _median,
}  # fmt: skip


__all__ = ["of_rows"]
