"""Whether one condition is true whenever another is: a small sound calculus on normal forms.

It proves nothing about data, and does not find every consequence: it is the quick first answer, and the only one where
a rule reads what cannot be counted. Truth is that of the language: an undefined condition is not true.
"""

from __future__ import annotations

from protoc_compiler.drift.forms import FALSE, TRUE, Form, joined, negate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_DEEP = 40


def entails(first: Form, second: Form, depth: int = 0) -> bool:
    """Whether `second` is true wherever `first` is; False means that no proof was found."""
    if depth > _DEEP:
        return False
    if first in (second, FALSE) or second == TRUE:
        return True
    below = depth + 1
    if first[0] == "or":
        return all(entails(part, second, below) for part in first[1:])
    if second[0] == "and":
        return all(entails(first, part, below) for part in second[1:])
    if second[0] == "or" and any(entails(first, part, below) for part in second[1:]):
        return True
    if first[0] == "and" and any(entails(part, second, below) for part in first[1:]):
        return True
    return _wrapped(first, second, below) or _leaf(first, second, below)


def _wrapped(first: Form, second: Form, depth: int) -> bool:
    """Values with a default, and tests of being true."""
    if second[0] == "is" and second[1] == "true":
        return entails(first, second[2], depth)
    if second[0] == "not" and second[1][:2] == ("is", "true") and entails(first, negate(second[1][2]), depth):
        return True
    if first[0] == "is" and first[1] == "true":
        return entails(first[2], second, depth)
    if second[0] == "Default" and entails(first, second[1], depth):
        return True
    if first[0] == "Default" and first[2] == FALSE:
        return entails(first[1], second, depth)
    if first[0] == second[0] == "not" and first[1][:2] == second[1][:2] == ("is", "true"):
        return entails(second[1][2], first[1][2], depth)
    if first[0] == second[0] == "not" and first[1][0] == second[1][0] == "Default":
        return _not_default(first[1], second[1], depth)
    return False


def _not_default(first: Form, second: Form, depth: int) -> bool:
    """`not (x, or V where undefined)`: false where x is, and where V is false."""
    same = first[2] == second[2] or (first[2] == TRUE and second[2] == FALSE)
    return same and (
        first[1] == second[1] or (first[2] == TRUE and entails(negate(first[1]), negate(second[1]), depth))
    )


def _leaf(first: Form, second: Form, depth: int) -> bool:
    if first[0] == second[0] == "cmp" and first[2] == second[2]:
        return _bounds(first, second)
    if first[0] == second[0] == "some":
        inside = _same_rows(first[1], second[1])
        return inside and entails(_tested(first), _tested(second), depth)
    if first[0] == second[0] == "all" and first[1] == second[1]:
        return entails(first[2], second[2], depth)
    if second[0] == "not" and second[1][0] == "some":
        return _none(first, second[1], depth)
    return False


def _none(first: Form, some: Form, depth: int) -> bool:
    """`no` rows have something: since fewer rows had, or since all rows have the opposite."""
    if first[0] == "not" and first[1][0] == "some" and _same_rows(first[1][1], some[1]):
        return entails(negate(_tested(first[1])), negate(_tested(some)), depth)
    if first[0] == "all" and _same_rows(first[1], some[1]):
        opposite = negate(_tested(some))
        filters = [negate(test) for test in first[1][-2]]
        return entails(joined("or", [*filters, first[2]]) if filters else first[2], opposite, depth)
    return False


def _same_rows(first: Form, second: Form) -> bool:
    """The same rows but for their filters, which must not depend on what stands around them."""
    return first[:-2] == second[:-2]


def _tested(form: Form) -> Form:
    return joined("and", [*form[1][-2], form[2]])


def _bounds(first: Form, second: Form) -> bool:
    """Two comparisons of one sum with constants."""
    if first[3][0] != "const" or second[3][0] != "const" or first[3][1] != second[3][1]:
        return False
    if first[3][1] not in ("number", "quantity", "time"):
        return bool(first[1] == "==" and second[1] == "!=" and first[3][2] != second[3][2])
    return _numbers(first[1], first[3][2], second[1], second[3][2])


def _numbers(op: str, value: Any, other: str, bound: Any) -> bool:
    if op == "==":
        return bool({
            "==": value == bound, "!=": value != bound, "<": value < bound, "<=": value <= bound,
            ">": value > bound, ">=": value >= bound,
        }[other])  # fmt: skip
    if other == "!=":
        above = op in (">", ">=") and (value > bound or (op == ">" and value == bound))
        below = op in ("<", "<=") and (value < bound or (op == "<" and value == bound))
        return above or below or (op == "!=" and value == bound)
    if op in (">", ">=") and other in (">", ">="):
        return bool(value > bound or (value == bound and (op == ">" or other == ">=")))
    if op in ("<", "<=") and other in ("<", "<="):
        return bool(value < bound or (value == bound and (op == "<" or other == "<=")))
    return False
