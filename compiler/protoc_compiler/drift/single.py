"""Whether one condition on a single number is true whenever another is: `abs(x) <= 2` where `x^2 <= 4`.

Both are looked at on every root of all that they compare, on every stretch between two roots, and where the number is
missing: on each of these they have one outcome, in the three values of the language. A division by zero is undefined.
Nothing is rounded, and only numbers that are exact are looked at; the answer is complete for them.
"""

from __future__ import annotations

from fractions import Fraction

from protoc_compiler.drift.forms import Form
from protoc_compiler.drift.roots import ONE, Poly, Spot, TooHigh, X, added, product, sign, spots

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    from protoc_compiler.drift.ranges import Range

Quotient: TypeAlias = "tuple[Poly, Poly]"
_LARGEST = 40  # terms of a sum
_ROUNDS = 24
_LOGIC = ("and", "or", "not", "is", "cmp")


class _Other(Exception):
    """A part that is not looked at."""


class _Asked(Exception):
    """A polynomial whose sign is not known yet."""

    def __init__(self, poly: Poly) -> None:
        super().__init__()
        self.poly = poly


def number_of(*conditions: Form) -> Form | None:
    """The one number that conditions are about, if they are about nothing else; None also where each of them is a
    plain limit of it, of which more is known without this."""
    found: set[Form] = set()
    try:
        plain = [_named(condition, found) for condition in conditions]
    except _Other:
        return None
    return next(iter(found)) if len(found) == 1 and not all(plain) else None


def _named(form: Form, found: set[Form]) -> bool:
    """Note the numbers that a condition or value reads; whether it is one of them compared with a constant. Raises
    `_Other`."""
    match form:
        case ("and" | "or", *parts):
            for part in parts:
                _named(part, found)
            return False
        case ("not", inner):
            return _named(inner, found)
        case ("is", state, inner):
            read = _read if state in ("defined", "undefined") and inner[0] not in _LOGIC else _named
            read(inner, found)
            return False
        case ("Default", inner, other):
            _named(inner, found)
            _named(other, found)
            return False
        case ("cmp", _, value, ("const", "number", _)):
            return not _read(value, found)
        case ("const", "bool", bool()):
            return True
    raise _Other


def _read(value: Form, found: set[Form]) -> bool:
    """Whether a value is calculated of a number."""
    match value:
        case ("const", "number" | "quantity", _):
            return True
        case ("sum", terms) if len(terms) <= _LARGEST:
            for atoms, _ in terms:
                for atom in atoms:
                    _read(atom, found)
            return True
        case ("inverse", inner) | ("call", "abs", (inner,), ()):
            _read(inner, found)
            return True
        case ("Default", inner, other):
            _read(inner, found)
            _read(other, found)
            return True
        case ("column" | "value" | "entry" | "aggregate", *_):
            found.add(value)
            return False
    raise _Other


def follows(first: Form, second: Form, about: Form, whole: bool, limits: Range, always: bool) -> bool:
    """Whether the second is true wherever the first is. `whole`: the number is one; `limits`: those that it has;
    `always`: it is never missing."""
    ends = [((-end, ONE), way) for end, way in zip(limits, (1, -1), strict=True) if end is not None]
    known: set[Poly] = {poly for poly, _ in ends}
    for _ in range(_ROUNDS):
        try:
            if not always and not _implied(first, second, _Reading(about, None, known)):
                return False
            inside = (spot for spot in spots(known, whole) if all(spot.sign(poly) * way >= 0 for poly, way in ends))
            return all(_implied(first, second, _Reading(about, spot, known)) for spot in inside)
        except _Asked as asked:
            known.add(asked.poly)
        except TooHigh:
            break
    return False


class _Reading:
    """Values and conditions on one spot; without one the number is missing."""

    def __init__(self, about: Form, spot: Spot | None, known: set[Poly]) -> None:
        self.about, self.spot, self.known = about, spot, known

    def holds(self, form: Form) -> bool | None:
        """The outcome of a condition."""
        match form:
            case ("and" | "or" as word, *parts):
                found = [self.holds(part) for part in parts]
                deciding = word == "or"
                return deciding if deciding in found else None if None in found else not deciding
            case ("not", inner):
                held = self.holds(inner)
                return None if held is None else not held
            case ("is", "true" | "false" as state, inner):
                return self.holds(inner) is (state == "true")
            case ("is", state, inner):
                missing = (self.holds(inner) if inner[0] in _LOGIC else self.value(inner)) is None
                return missing is (state == "undefined")
            case ("Default", inner, other):
                held = self.holds(inner)
                return self.holds(other) if held is None else held
            case ("cmp", op, value, ("const", _, bound)):
                return self._compared(op, self.value(value), bound)
        return bool(form[2])

    def _compared(self, op: str, value: Quotient | None, bound: Fraction) -> bool | None:
        if value is None:
            return None
        side = self._sign((added(value[0], value[1], -bound), value[1]))
        return {"<": side < 0, "<=": side <= 0, ">": side > 0, ">=": side >= 0, "==": side == 0, "!=": side != 0}[op]

    def value(self, form: Form) -> Quotient | None:
        """A value as a quotient; None where it is undefined."""
        if form == self.about:
            return (X, (ONE,)) if self.spot is not None else None
        match form:
            case ("const", _, number):
                return ((number,) if number else ()), (ONE,)
            case ("sum", terms):
                return self._sum(terms)
            case ("inverse", inner):
                found = self.value(inner)
                return (found[1], found[0]) if found is not None and self._sign(found) else None
            case ("call", _, (inner,), _):
                found = self.value(inner)
                below = found is not None and self._sign(found) < 0
                return (added((), found[0], -ONE), found[1]) if found is not None and below else found
        found = self.value(form[1])  # a value with a default
        return self.value(form[2]) if found is None else found

    def _sum(self, terms: tuple[tuple[tuple[Form, ...], Fraction], ...]) -> Quotient | None:
        made: Quotient = (), (ONE,)
        for atoms, factor in terms:
            part: Quotient = ((factor,) if factor else ()), (ONE,)
            for atom in atoms:
                found = self.value(atom)
                if found is None:
                    return None
                part = product(part[0], found[0]), product(part[1], found[1])
            made = added(product(made[0], part[1]), product(part[0], made[1])), product(made[1], part[1])
        return made

    def _sign(self, value: Quotient) -> int:
        return self._of(value[0]) * self._of(value[1])

    def _of(self, poly: Poly) -> int:
        if len(poly) < 2 or self.spot is None:
            return sign(poly, Fraction(0))
        if poly not in self.known:
            raise _Asked(poly)
        return self.spot.sign(poly)


def _implied(first: Form, second: Form, reading: _Reading) -> bool:
    return reading.holds(first) is not True or reading.holds(second) is True
