"""Whether one condition is true whenever another is: a small sound calculus on normal forms.

It proves nothing about data, and does not find every consequence: it is the quick first answer, and the only one where
a rule reads what cannot be counted. Truth is that of the language: an undefined condition is not true.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from protoc_compiler.drift.forms import FALSE, TRUE, UNDEFINED, Form, all_of, joined, negate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from protoc_compiler.drift.model import Direction
    from protoc_compiler.drift.ranges import Range

_DEEP = 40
_CALCULATED = ("sum", "inverse", "call")
_LOGIC = ("cmp", "and", "or", "not", "is", "Default")


def anything() -> Form:
    """That nothing is expected of the data."""
    return TRUE


def unknown(_: Form) -> bool:
    """That it is known of nothing whether it is defined."""
    return False


def unlimited(product: tuple[Form, ...]) -> Range:
    """The range of what nothing is known of; the product of nothing is 1."""
    return (None, None) if product else (Fraction(1), Fraction(1))


def inexact(_: Form) -> str:
    """That nothing is known to be an exact number."""
    return ""


class Given:
    """What is known besides: conditions that the data meets, the range of a product of atoms, what is always defined,
    and which numbers are exact ("number") and whole ("int")."""

    def __init__(
        self, expected: Callable[[], Form] = anything, range_of: Callable[[tuple[Form, ...]], Range] = unlimited,
        defined: Callable[[Form], bool] = unknown, kind_of: Callable[[Form], str] = inexact,
    ) -> None:  # fmt: skip
        self.expected = expected
        self.range_of = range_of
        self.defined = defined
        self.kind_of = kind_of


NOTHING = Given()


def entails(first: Form, second: Form, given: Given = NOTHING, depth: int = 0) -> bool:
    """Whether `second` is true wherever `first` is; False means that no proof was found."""
    if depth > _DEEP:
        return False
    if first in (second, FALSE, UNDEFINED) or second == TRUE:
        return True
    below = depth + 1
    if first[0] == "or":
        return all(entails(part, second, given, below) for part in first[1:])
    if second[0] == "and":
        return all(entails(first, part, given, below) for part in second[1:])
    if second[0] == "or" and any(entails(first, part, given, below) for part in second[1:]):
        return True
    if first[0] == "and" and (second in first[1:] or any(entails(part, second, given, below) for part in first[1:])):
        return True
    return _wrapped(first, second, given, below) or _leaf(first, second, given, below) or _single(first, second, given)


def way(before: Form, after: Form, given: Given = NOTHING) -> Direction:
    """The direction in which a condition was changed: looser where the new one is true wherever the old one was."""
    forth, back = entails(before, after, given), entails(after, before, given)
    return "equivalent" if forth and back else "looser" if forth else "stricter" if back else "undecided"


def _single(first: Form, second: Form, given: Given) -> bool:
    """Two conditions about one exact number alone."""
    if first[0] not in _LOGIC or second[0] not in _LOGIC or given.kind_of is inexact:
        return False
    if first[0] == second[0] == "cmp" and not any(one[2][0] in _CALCULATED for one in (first, second)):
        return False  # limits of numbers as they are
    from protoc_compiler.drift import single  # most conditions are told apart by their limits

    about = single.number_of(first, second)
    kind = given.kind_of(about) if about is not None else ""
    if about is None or not kind:
        return False
    return single.follows(first, second, about, kind == "int", given.range_of((about,)), given.defined(about))


def _wrapped(first: Form, second: Form, given: Given, depth: int) -> bool:
    """Values with a default, and tests of being true."""
    one, other = _opened(first), _opened(second)
    if (one, other) != (first, second):
        return entails(one, other, given, depth)
    if second[0] == "not" and second[1][:2] == ("is", "true") and entails(first, negate(second[1][2]), given, depth):
        return True
    if second[0] == "not" and second[1][:2] == ("is", "false") and entails(first, second[1][2], given, depth):
        return True
    if second[0] == "Default" and entails(first, second[1], given, depth):
        return True
    if first[0] == second[0] == "not" and first[1][:2] == second[1][:2]:
        if first[1][:2] == ("is", "true"):
            return entails(second[1][2], first[1][2], given, depth)
        if first[1][:2] == ("is", "false"):
            return entails(negate(second[1][2]), negate(first[1][2]), given, depth)
    return False


def _opened(form: Form) -> Form:
    """A condition that is true in the same cases, without what makes no difference to that."""
    match form:
        case ("is", "true", inner) | ("Default", inner, ("const", "bool", False)):
            return tuple(inner)
        case ("is", "false", inner) | ("not", ("Default", inner, ("const", "bool", True))):
            return negate(inner)
        case ("Default", inner, ("const", "bool", True)):
            return ("not", ("is", "false", inner))
        case ("not", ("Default", inner, ("const", "bool", False))):
            return ("not", ("is", "true", inner))
        case ("not", ("all", rows, condition)):  # false of some row; of no rows it is undefined
            return ("some", rows, negate(condition))
    return form


def _leaf(first: Form, second: Form, given: Given, depth: int) -> bool:
    if first[0] == second[0] == "cmp":
        if first[2] == second[2]:
            return _bounds(first, second)
        return _summed(first, second, given, depth) or _counted(first, second, given, depth)
    if second[0] == "some":
        return _some(first, second, given, depth)
    if first[0] == second[0] == "all":
        return _all(first, second, given, depth)
    if second[0] == "not" and second[1][0] == "some":
        return _none(first, second[1], given, depth)
    return False


def _summed(first: Form, second: Form, given: Given, depth: int) -> bool:
    if first[3][0] != "const" or second[3][0] != "const":
        return False
    from protoc_compiler.drift.sums import follows  # few comparisons are of other sums

    def moves(known: Form, other: Form, up: bool) -> bool:
        """Whether another value is defined where a known one is, and not below it, or not above it."""
        if known[0] != "aggregate" or known[:2] != other[:2]:
            return False
        from protoc_compiler.drift.rising import Rising

        return Rising(lambda a, b: entails(a, b, given, depth), given.defined, given.range_of).moves(known, other, up)

    return follows(first, second, given.range_of, moves)


def _some(first: Form, some: Form, given: Given, depth: int) -> bool:
    """Some row has something: since one had what implies it, since all had it (then there were rows), or since so many
    were counted."""
    if first[0] in ("some", "all") and _same_rows(first[1], some[1]):
        return entails(_tested(first), _tested(some), given, depth)
    if first[0] == "cmp" and _is_count(first[2]) and _same_rows(first[2][2], some[1]):
        least = ("cmp", ">", first[2], ("const", "number", Fraction(0)))
        return _bounds(first, least) and entails(all_of(first[2][2][-2]), _tested(some), given, depth)
    return False


def _all(first: Form, second: Form, given: Given, depth: int) -> bool:
    """All rows of fewer have what all of more had, if there are any: of no rows it is undefined."""
    if first[1] == second[1]:
        return entails(first[2], second[2], given, depth)
    if not _same_rows(first[1], second[1]):
        return False
    filters = all_of(second[1][-2])
    if not entails(filters, all_of(first[1][-2]), given, depth):
        return False
    if not entails(joined("and", [first[2], filters]), second[2], given, depth):
        return False
    some = ("some", (*second[1][:-2], (), second[1][-1]), filters)
    return entails(first, some, given, depth) or entails(given.expected(), some, given, depth)


def _counted(first: Form, second: Form, given: Given, depth: int) -> bool:
    """So many rows of more, or so few of fewer."""
    if not (_is_count(first[2]) and _is_count(second[2]) and _same_rows(first[2][2], second[2][2])):
        return False
    if not _bounds(first, ("cmp", second[1], first[2], second[3])):
        return False
    one, other = all_of(first[2][2][-2]), all_of(second[2][2][-2])
    if second[1] in (">", ">="):
        return entails(one, other, given, depth)
    return second[1] in ("<", "<=") and entails(other, one, given, depth)


def _is_count(form: Form) -> bool:
    return form[:2] == ("aggregate", "count") and form[3:] == ((), ())


def _none(first: Form, some: Form, given: Given, depth: int) -> bool:
    """`no` rows have something: since fewer rows had, or since all rows have the opposite."""
    if first[0] == "not" and first[1][0] == "some" and _same_rows(first[1][1], some[1]):
        return entails(negate(_tested(first[1])), negate(_tested(some)), given, depth)
    if first[0] == "all" and _same_rows(first[1], some[1]):
        opposite = negate(_tested(some))
        filters = [negate(test) for test in first[1][-2]]
        return entails(joined("or", [*filters, first[2]]) if filters else first[2], opposite, given, depth)
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
