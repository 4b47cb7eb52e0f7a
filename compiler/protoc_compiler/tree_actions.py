"""Builds the nodes of `syntax` from what the grammar's rules have recognised; one function per rule."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from fractions import Fraction
from itertools import pairwise

from protoc_compiler import syntax
from protoc_compiler.catalogue import syntax as kinds
from protoc_compiler.lexer import Token
from protoc_runtime.diagnostics import Kind, Span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeAlias

Kids: TypeAlias = "list[Any]"
Locate = Callable[[int, int], Span]


OPTIONS = frozenset({"at", "digits", "group", "level", "method", "missing", "n", "of", "seed"})


class Misuse(Exception):
    """A form that the grammar takes and the language does not."""

    def __init__(self, kind: Kind, span: Span, **values: object) -> None:
        super().__init__(kind.name)
        self.kind = kind
        self.span = span
        self.values: dict[str, Any] = values


def decimal(text: str) -> Fraction:
    """The exact value of a literal such as `1_000.05`."""
    return Fraction(text.replace("_", ""))


def number_form(text: str) -> str:
    """What to write instead of `text`, a number with leading zeros, stray underscores or several points."""
    groups = text.split(".")
    if len(groups) > 2:
        thousands = all(len(group) == 3 and group.isdigit() for group in groups[1:])
        return f"`{'_'.join(groups)}`" if thousands else "a number with one decimal point"
    if len(text) == 3 and text.isdigit():
        return f"`1_{text}` for a number with thousands, `{int(text)}` otherwise"
    whole, point, digits = text.partition(".")
    return f"`{whole.replace('_', '').lstrip('0') or '0'}{point}{digits}`"


_ODD_NUMBER = r"0[0-9_]|[0-9_]*_(_|[^0-9]|$)"


def literal(token: Token, locate: Locate) -> syntax.Number:
    """A number or a percentage."""
    span = locate(token.start, token.end)
    text = token.text
    if ("_" in text or (text[0] == "0" and text[1:2].isdigit())) and re.match(_ODD_NUMBER, text):
        raise Misuse(kinds.NUMBER_FORM, span, found=token.text, form=number_form(token.text))
    if token.kind == "PERCENT":
        return syntax.Number(span, decimal(token.text.rstrip("% ")) / 100, token.text, True)
    return syntax.Number(span, decimal(token.text), token.text, False)


def name(token: Token, locate: Locate) -> syntax.Name:
    """A bare name."""
    return syntax.Name(locate(token.start, token.end), token.text)


def _number(kids: Kids, span: Span, locate: Locate) -> syntax.Expr:
    return literal(kids[0], locate)


def _quantity(kids: Kids, span: Span, locate: Locate) -> syntax.Expr:
    text = kids[0].text
    digits = text.rstrip("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
    return syntax.Quantity(span, decimal(digits.rstrip()), text[len(digits) :], text)


def _date(kids: Kids, span: Span, locate: Locate) -> syntax.Expr:
    from datetime import datetime

    try:
        datetime.fromisoformat(kids[0].text.removesuffix("Z"))
    except ValueError:
        raise Misuse(kinds.DATE_FORM, span, found=kids[0].text, problem="is not a day of the calendar") from None
    return syntax.Date(span, kids[0].text)


def _string(kids: Kids, span: Span, locate: Locate) -> syntax.Expr:
    return syntax.String(span, kids[0].text[1:-1])


def _constant(kids: Kids, span: Span, locate: Locate) -> syntax.Expr:
    if kids[0].text == "defined":
        raise Misuse(kinds.FOREIGN_WORD, span, found="defined", form="write `x is defined`")
    return syntax.Constant(span, kids[0].text)


def _name(kids: Kids, span: Span, locate: Locate) -> syntax.Expr:
    return syntax.Name(span, kids[0].text)


def _field(kids: Kids, span: Span, locate: Locate) -> syntax.Expr:
    if isinstance(kids[0], syntax.Number):
        found = kids[0].text + kids[1].text
        raise Misuse(kinds.NUMBER_FORM, span, found=found, form=number_form(found))
    return syntax.Field(span, kids[0], kids[1].text[1:])


def _paren(kids: Kids, span: Span, locate: Locate) -> syntax.Expr:
    return syntax.Paren(span, kids[0])


def _list(kids: Kids, span: Span, locate: Locate) -> syntax.Expr:
    return syntax.ListOf(span, tuple(kids))


def _args(kids: Kids, span: Span, locate: Locate) -> tuple[Any, ...]:
    return tuple(kids)


def _option(kids: Kids, span: Span, locate: Locate) -> syntax.Option:
    return syntax.Option(span, kids[0].text, kids[1])


def _split(args: tuple[Any, ...]) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    options = tuple(arg for arg in args if isinstance(arg, syntax.Option))
    return tuple(arg for arg in args if not isinstance(arg, syntax.Option)), options


def _call(kids: Kids, span: Span, locate: Locate) -> syntax.Expr:
    values, options = _split(kids[1])
    _in_order(kids[1])
    return syntax.Call(span, kids[0].text, values, None, options)


def _in_order(args: tuple[Any, ...]) -> None:
    """Values stand before options."""
    for before, after in pairwise(args):
        if isinstance(before, syntax.Option) and not isinstance(after, syntax.Option):
            raise Misuse(kinds.VALUE_AFTER_OPTION, after.span, option=before.name)


def _aggregate(kids: Kids, span: Span, locate: Locate) -> syntax.Expr:
    function, values, rows = kids[0].text, kids[1], kids[2]
    options = kids[3] if len(kids) > 3 else ()
    for value in values:
        if isinstance(value, syntax.Option) and value.name not in OPTIONS:
            raise Misuse(kinds.SINGLE_EQUALS, value.span)
        if isinstance(value, syntax.Option):
            _known(function, span, values)
            mend = _ranked(function, values) or f"`{function}(x over T, {value.name} = ...)`"
            raise Misuse(kinds.OPTION_BEFORE_OVER, value.span, option=value.name, mend=mend)
        if isinstance(value, syntax.Table):
            raise Misuse(kinds.FILTER_BEFORE_OVER, value.span, function=function)
    for option in options:
        if not isinstance(option, syntax.Option):
            _known(function, span, options)
            mend = _ranked(function, options)
            mend = f": {mend}" if mend else f"; another column stands before `over`: `{function}(x, y over T)`"
            raise Misuse(kinds.VALUE_AFTER_ROWS, option.span, function=function, mend=mend)
    return syntax.Call(span, function, values, rows, options)


def _ranked(function: str, given: Iterable[Any]) -> str:
    """How a quantile with such operands is written; nothing of another function."""
    if function != "quantile":
        return ""
    from protoc_compiler import other_names

    return other_names.ranked(given)


def _known(function: str, span: Span, given: Iterable[Any]) -> None:
    """Of a function that there is not, what its operands are is no matter."""
    from protoc_compiler import library

    if not library.forms(function):
        from protoc_compiler import other_names
        from protoc_compiler.catalogue import names

        raise Misuse(names.UNKNOWN_FUNCTION, span, name=function, hint=other_names.hint(function, given))


def _signed(kids: Kids, span: Span, locate: Locate) -> syntax.Expr:
    if kids[0].text == "-":
        return syntax.Negative(span, kids[1])
    return kids[1]  # type: ignore[no-any-return]


def _power(kids: Kids, span: Span, locate: Locate) -> syntax.Expr:
    exponent = literal(kids[1], locate)
    if exponent.value.denominator != 1 or exponent.value > 100:
        raise Misuse(kinds.EXPONENT, exponent.span, found=exponent.text)
    return syntax.Power(span, kids[0], exponent)


def _binary(kids: Kids, span: Span, locate: Locate) -> syntax.Expr:
    return syntax.Arithmetic(span, kids[1].text, kids[0], kids[2])


def _chain(kids: Kids, span: Span, locate: Locate) -> syntax.Expr:
    return syntax.Chain(span, tuple(kids[0::2]), tuple(token.text for token in kids[1::2]))


def _range(kids: Kids, span: Span, locate: Locate) -> syntax.Expr:
    return syntax.Range(span, kids[0], kids[1])


def _in(kids: Kids, span: Span, locate: Locate) -> syntax.Expr:
    return syntax.In(span, kids[0], kids[1], False)


def _not_in(kids: Kids, span: Span, locate: Locate) -> syntax.Expr:
    return syntax.In(span, kids[0], kids[1], True)


def _is(kids: Kids, span: Span, locate: Locate) -> syntax.Expr:
    return syntax.Is(span, kids[0], kids[1].text, False)


def _is_not(kids: Kids, span: Span, locate: Locate) -> syntax.Expr:
    return syntax.Is(span, kids[0], kids[1].text, True)


def _not(kids: Kids, span: Span, locate: Locate) -> syntax.Expr:
    return syntax.Not(span, kids[0])


def _and(kids: Kids, span: Span, locate: Locate) -> syntax.Expr:
    return syntax.And(span, tuple(kids))


def _or(kids: Kids, span: Span, locate: Locate) -> syntax.Expr:
    return syntax.Or(span, tuple(kids))


def _quantified(kids: Kids, span: Span, locate: Locate) -> syntax.Expr:
    return syntax.Quantified(span, kids[0].text, kids[1], kids[2] if len(kids) > 2 else None)


def _table(kids: Kids, span: Span, locate: Locate) -> syntax.Expr:
    return _scope(kids, span, None, None)


def _scoped(kids: Kids, span: Span, locate: Locate) -> syntax.Expr:
    return _scope(kids[1:], span, kids[0].text, None)


def _latest(kids: Kids, span: Span, locate: Locate) -> syntax.Expr:
    number = literal(kids[0], locate)
    if number.value.denominator != 1 or number.value == 0:
        raise Misuse(kinds.LATEST_COUNT, number.span, found=number.text)
    return _scope(kids[1:], span, "latest", int(number.value))


def _scope(kids: Kids, span: Span, prefix: Any, latest: int | None) -> syntax.Table:
    source, *rest = kids
    if isinstance(source, syntax.Call) and source.rows is not None and rest:
        raise Misuse(kinds.FILTER_OUTSIDE, rest[0].span, function=source.name)
    alias = rest.pop(0) if rest and isinstance(rest[0], syntax.Name) else None
    return syntax.Table(span, source, prefix, latest, alias, tuple(rest))


def _names(kids: Kids, locate: Locate) -> tuple[syntax.Name, ...]:
    return tuple(name(token, locate) for token in kids)


def _alias(kids: Kids, span: Span, locate: Locate) -> syntax.Name:
    return name(kids[0], locate)


def _combined(kids: Kids, span: Span, locate: Locate) -> syntax.Expr:
    return syntax.Combined(span, kids[0].text.split()[0], _names(kids[1:], locate))


def _where(kids: Kids, span: Span, locate: Locate) -> syntax.Where:
    return syntax.Where(span, kids[0])


def _matching(kids: Kids, span: Span, locate: Locate) -> syntax.Matching:
    return syntax.Matching(span, _names(kids, locate))


def _ordered(kids: Kids, span: Span, locate: Locate) -> syntax.Ordered:
    return syntax.Ordered(span, tuple(kids))


def _grouped(kids: Kids, span: Span, locate: Locate) -> syntax.Grouped:
    return syntax.Grouped(span, _names(kids, locate))


def _when(kids: Kids, span: Span, locate: Locate) -> syntax.Line:
    return syntax.Line(span, kids[0], kids[1])


def _otherwise(kids: Kids, span: Span, locate: Locate) -> syntax.Line:
    return syntax.Line(span, kids[0], None)


ACTIONS: dict[str, Callable[[Kids, Span, Locate], Any]] = {
    "number": _number,
    "percent": _number,
    "quantity": _quantity,
    "date": _date,
    "string": _string,
    "constant": _constant,
    "name": _name,
    "field": _field,
    "paren": _paren,
    "list": _list,
    "args": _args,
    "option": _option,
    "call": _call,
    "aggregate": _aggregate,
    "aggregate_with": _aggregate,
    "signed": _signed,
    "power": _power,
    "binary": _binary,
    "chain": _chain,
    "range": _range,
    "in_": _in,
    "not_in": _not_in,
    "is_": _is,
    "is_not": _is_not,
    "not_": _not,
    "and_": _and,
    "or_": _or,
    "quantified": _quantified,
    "table": _table,
    "scoped_table": _scoped,
    "latest_table": _latest,
    "alias": _alias,
    "combined": _combined,
    "where": _where,
    "matching": _matching,
    "ordered": _ordered,
    "grouped": _grouped,
    "when": _when,
    "otherwise": _otherwise,
}
