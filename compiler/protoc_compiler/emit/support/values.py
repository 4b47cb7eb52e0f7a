"""Values: exact numbers, three-valued logic, comparison. Undefined is None everywhere."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from decimal import ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction
from typing import Any, NamedTuple

WORKING = Context(prec=70, rounding=ROUND_HALF_EVEN)  # reals are computed with more digits than they promise
PROMISED = Context(prec=50, rounding=ROUND_HALF_EVEN)

LARGEST_TEST = 200_000  # the bits of the whole numbers of an exact test, one for each observation


class Unworkable(Exception):
    """The rows cannot be worked with: they break their declaration, or the protocol cannot be applied to them."""


class NoRows(Unworkable):
    """The rows are undefined: a filter or a key of groups is, or `earlier` and `latest` have no place to count from."""


class Stopped(Unworkable):
    """What stops the evaluation of the rules over rows; `fault` is the id that `protoc score` tells it under."""

    def __init__(self, fault: str, words: str) -> None:
        super().__init__(f"[{fault}] {words}")
        self.fault = fault


def capped(limit: int, function: str, found: int, what: str) -> None:
    """Stop where a function is asked for more than it computes: its work grows with a value and not with the rows."""
    if found > limit:
        raise Stopped("E1260", f"`{function}` is asked for {found:,} {what}, and computes at most {limit:,}")


class Ratio(Fraction):
    """A quotient of counts. It is compared by value and shown as counted: 87/96, not 29/32."""

    raw: tuple[int, int]

    def __new__(cls, num: int, den: int) -> Ratio:
        made = super().__new__(cls, num, den)
        made.raw = (num, den) if den > 0 else (-num, -den)
        return made


class Real(NamedTuple):
    """A number that is not rational in general: 50 digits of it, and why it is real."""

    number: Decimal
    why: str


class Anything(NamedTuple):
    """A value of a column of type `any`: its kind (number, text, bool, json) and the value."""

    kind: str
    value: Any


def real(number: Decimal, why: str) -> Real:
    """A real with the digits that are promised."""
    return Real(PROMISED.plus(number), why)


def decimal_of(x: Any) -> Decimal:
    """An exact number or a real as a decimal of working precision."""
    if isinstance(x, Real):
        return x.number
    return WORKING.divide(Decimal(x.numerator), Decimal(x.denominator))


# --- three-valued logic -----------------------------------------------------------------------------------------


GAPS: list[bool] = []  # of each `if_enough` that is computing, the innermost last: whether a filter was undefined in it


def holds(condition: bool | None) -> bool:
    """A filter's condition. Where it is undefined, it is undefined which rows are meant: see `if_enough`. The other
    rows are looked at all the same, since one may hold what stops the evaluation."""
    if condition is None:
        if not GAPS:
            raise NoRows("a filter's condition is undefined")
        GAPS[-1] = True
        return False
    return condition


def if_enough(compute: Callable[[], Any]) -> Any:
    """What is asked of rows that may be undefined: undefined where they are."""
    GAPS.append(False)
    try:
        made = compute()
        return None if GAPS[-1] else made
    except NoRows:
        return None
    finally:
        GAPS.pop()


def not_(x: bool | None) -> bool | None:
    """False of true, true of false, undefined of undefined."""
    return None if x is None else not x


def all_of(*parts: bool | None) -> bool | None:
    """False if one is false; else undefined if one is undefined; else true."""
    if False in parts:
        return False
    return None if None in parts else True


def any_of(*parts: bool | None) -> bool | None:
    """True if one is true; else undefined if one is undefined; else false."""
    if True in parts:
        return True
    return None if None in parts else False


def every(conditions: Iterable[bool | None]) -> bool | None:
    """`all ROWS have CONDITION`: over no rows undefined. Every row is looked at, whatever the first ones say."""
    found = list(conditions)
    return all_of(*found) if found else None


def some(conditions: Iterable[bool | None]) -> bool | None:
    """`some ROWS have CONDITION`: over no rows false."""
    return any_of(*conditions)


def none(conditions: Iterable[bool | None]) -> bool | None:
    """`no ROWS have CONDITION`: over no rows true."""
    return not_(some(conditions))


def is_true(x: bool | None) -> bool:
    """`x is true`, always defined."""
    return x is True


def is_false(x: bool | None) -> bool:
    """`x is false`, always defined."""
    return x is False


def is_defined(x: Any) -> bool:
    """`x is defined`."""
    return x is not None


def is_undefined(x: Any) -> bool:
    """`x is undefined`."""
    return x is None


def first_match(*lines: tuple[Callable[[], bool | None], Callable[[], Any]], otherwise: Callable[[], Any]) -> Any:
    """The value of the first line whose condition is true."""
    for condition, value in lines:
        met = condition()
        if met is None:
            return None
        if met:
            return value()
    return otherwise()


def if_undefined(x: Any, value: Any) -> Any:
    """The value, or what the author says where there is none."""
    return value if x is None else x


# --- comparison -------------------------------------------------------------------------------------------------


def anything(x: Any) -> Anything:
    """A typed value as one of type `any`."""
    if isinstance(x, Anything):
        return x
    if isinstance(x, bool):
        return Anything("bool", x)
    if isinstance(x, (int, Fraction)):
        return Anything("number", Fraction(x))
    return Anything("text", x if isinstance(x, str) else x.isoformat())


PLAIN = (str, int, bool)  # two of one of these types are equal where Python says so


def same(a: Any, b: Any) -> bool:
    """Whether two defined values are equal; a row equals itself and its key."""
    if type(a) is type(b) and type(a) in PLAIN:
        return bool(a == b)
    if isinstance(a, Anything) is not isinstance(b, Anything):
        return anything(a) == anything(b)
    if isinstance(a, Real) or isinstance(b, Real):
        return order(a, b) == 0
    if hasattr(a, "cells") is not hasattr(b, "cells"):
        row, key = (a, b) if hasattr(a, "cells") else (b, a)
        return bool(row.key == (key if isinstance(key, tuple) else (key,)))
    return isinstance(a, bool) is isinstance(b, bool) and bool(a == b)


def order(a: Any, b: Any) -> int:
    """-1, 0 or 1. Reals are compared on their 50 digits, less five for the last roundings."""
    if isinstance(a, Real) or isinstance(b, Real):
        apart = WORKING.subtract(decimal_of(a), decimal_of(b))
        size = max(abs(decimal_of(a)), abs(decimal_of(b)), Decimal(1))
        return 0 if abs(apart) < size.scaleb(-45) else -1 if apart < 0 else 1
    return int(a > b) - int(a < b)


def eq(a: Any, b: Any) -> bool | None:
    """`a == b`."""
    return None if a is None or b is None else same(a, b)


def ne(a: Any, b: Any) -> bool | None:
    """`a != b`."""
    return None if a is None or b is None else not same(a, b)


def lt(a: Any, b: Any) -> bool | None:
    """`a < b`."""
    return None if a is None or b is None else order(a, b) < 0


def le(a: Any, b: Any) -> bool | None:
    """`a <= b`."""
    return None if a is None or b is None else order(a, b) <= 0


def gt(a: Any, b: Any) -> bool | None:
    """`a > b`."""
    return None if a is None or b is None else order(a, b) > 0


def ge(a: Any, b: Any) -> bool | None:
    """`a >= b`."""
    return None if a is None or b is None else order(a, b) >= 0


COMPARED = {"==": eq, "!=": ne, "<": lt, "<=": le, ">": gt, ">=": ge}


def chain(*parts: Any) -> bool | None:
    """`a < b <= c`, written as operands and signs in turn: undefined if one operand is."""
    operands, signs = parts[::2], parts[1::2]
    if None in operands:
        return None
    pairs = zip(operands, signs, operands[1:], strict=False)
    return all(COMPARED[sign](left, right) for left, sign, right in pairs)


def within(x: Any, low: Any, high: Any) -> bool | None:
    """`x in low..high`, both ends included."""
    return None if x is None or low is None or high is None else order(low, x) <= 0 <= order(high, x)


def among(x: Any, members: Iterable[Any] | None) -> bool | None:
    """`x in [...]`: true if one equals; else undefined if x or a member is undefined."""
    if x is None or members is None:
        return None
    unknown = False
    for member in list(members):
        if member is None:
            unknown = True
        elif same(x, member):
            return True
    return None if unknown else False


# --- arithmetic -------------------------------------------------------------------------------------------------


def strict(exact: Callable[[Any, Any], Any], rounded: Callable[[Decimal, Decimal], Decimal], a: Any, b: Any) -> Any:
    """An operation on two numbers: exact on rationals, 50 digits where one is real, undefined where one is."""
    if a is None or b is None:
        return None
    if isinstance(a, Real) or isinstance(b, Real):
        return real(rounded(decimal_of(a), decimal_of(b)), a.why if isinstance(a, Real) else b.why)
    return exact(a, b)


def plus(a: Any, b: Any) -> Any:
    """`a + b`."""
    return strict(lambda x, y: x + y, WORKING.add, a, b)


def minus(a: Any, b: Any) -> Any:
    """`a - b`."""
    return strict(lambda x, y: x - y, WORKING.subtract, a, b)


def times(a: Any, b: Any) -> Any:
    """`a * b`."""
    return strict(lambda x, y: x * y, WORKING.multiply, a, b)


def over(a: Any, b: Any) -> Any:
    """`a / b`; undefined where b is 0."""
    if b is not None and order(b, 0) == 0:
        return None
    return strict(lambda x, y: Fraction(x) / y, WORKING.divide, a, b)


def counts(a: int | None, b: int | None) -> Ratio | None:
    """`a / b` of whole numbers: the counts are kept; undefined where b is 0."""
    return None if a is None or not b else Ratio(a, b)


def power(a: Any, exponent: int) -> Any:
    """`a ^ N`."""
    if isinstance(a, Real):
        return real(WORKING.power(a.number, exponent), a.why)
    return None if a is None else a**exponent if isinstance(a, int) else Fraction(a) ** exponent


def negative(a: Any) -> Any:
    """`-a`."""
    return minus(0, a)
