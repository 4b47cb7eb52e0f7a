"""Conditions about counts, as numbered nodes: equal conditions are one node, whoever wrote them.

A value of a node is a set of outcomes, as bits: it may be true, false, undefined. Three-valued logic is that of the
language: `and`, `or`, `not` are Kleene. A polynomial is over symbols (each the number of rows with a condition), with
whole coefficients; `sign` nodes compare one with zero.
"""

from __future__ import annotations

from fractions import Fraction
from math import gcd

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

TRUE, FALSE, UNDEFINED = 1, 2, 4
KNOWN, ANYTHING = TRUE | FALSE, TRUE | FALSE | UNDEFINED
Poly = tuple[tuple[tuple[int, ...], int], ...]  # sorted (monomial, coefficient); a monomial is sorted symbols
Terms = dict[tuple[int, ...], Fraction]


def constant(value: Fraction | int) -> Terms:
    """A polynomial that is a number."""
    return {(): Fraction(value)} if value else {}


def plus(left: Terms, right: Terms, factor: Fraction | int = 1) -> Terms:
    """left + factor * right"""
    made = dict(left)
    for monomial, coefficient in right.items():
        added = coefficient if factor == 1 else coefficient * factor
        known = made.get(monomial)
        total = added if known is None else known + added
        if total:
            made[monomial] = total
        else:
            made.pop(monomial, None)
    return made


def times(left: Terms, right: Terms) -> Terms:
    """left * right"""
    made: Terms = {}
    for one, a in left.items():
        for other, b in right.items():
            monomial = tuple(sorted(one + other))
            known = made.get(monomial)
            made[monomial] = a * b if known is None else known + a * b
    return {monomial: value for monomial, value in made.items() if value}


def whole(terms: Terms) -> Poly:
    """The polynomial times the positive number that makes its coefficients whole and without a common factor."""
    below = 1
    for value in terms.values():
        below = below * value.denominator // gcd(below, value.denominator)
    scaled = {monomial: int(value * below) for monomial, value in terms.items()}
    common = 0
    for number in scaled.values():
        common = gcd(common, number)
    return tuple(sorted((monomial, number // common) for monomial, number in scaled.items()))


class Nodes:
    """The numbered nodes; children always have smaller numbers."""

    def __init__(self) -> None:
        self.all: list[tuple[Any, ...]] = []
        self._known: dict[tuple[object, ...], int] = {}
        self.true = self.add("const", TRUE)
        self.false = self.add("const", FALSE)
        self.undefined = self.add("const", UNDEFINED)

    def add(self, *node: object) -> int:
        """The number of a node."""
        found = self._known.get(node)
        if found is None:
            found = self._known[node] = len(self.all)
            self.all.append(node)
        return found

    def both(self, *parts: int) -> int:
        """and"""
        kept = sorted({inner for part in parts for inner in self._inside("and", part)} - {self.true})
        if self.false in kept:
            return self.false
        return self.true if not kept else kept[0] if len(kept) == 1 else self.add("and", *kept)

    def either(self, *parts: int) -> int:
        """or"""
        kept = sorted({inner for part in parts for inner in self._inside("or", part)} - {self.false})
        if self.true in kept:
            return self.true
        return self.false if not kept else kept[0] if len(kept) == 1 else self.add("or", *kept)

    def _inside(self, op: str, part: int) -> tuple[int, ...]:
        node = self.all[part]
        return node[1:] if node[0] == op else (part,)

    def negated(self, part: int) -> int:
        """not"""
        node = self.all[part]
        if node[0] == "not":
            return int(node[1])
        swapped = {self.true: self.false, self.false: self.true, self.undefined: self.undefined}
        return swapped[part] if part in swapped else self.add("not", part)

    def outcome(self, part: int, outcomes: int) -> int:
        """Whether the outcome is one of these: never undefined itself."""
        node = self.all[part]
        if node[0] == "const":
            return self.true if node[1] & outcomes else self.false
        return self.add("in", part, outcomes)

    def choice(self, test: int, then: int, otherwise: int) -> int:
        """`then` where the test is true, `otherwise` where it is false, else undefined."""
        if test == self.true or then == otherwise == self.undefined:
            return then
        if test == self.false:
            return otherwise
        return self.add("choice", test, then, otherwise)

    def sign(self, terms: Terms, op: str) -> int:
        """`terms op 0`, op one of <, <=, ==; two that say the same are one node."""
        if not [monomial for monomial in terms if monomial]:
            value = terms.get((), Fraction(0))
            held = {"<": value < 0, "<=": value <= 0, "==": value == 0}[op]
            return self.true if held else self.false
        poly = whole(terms)
        if op == "==" and poly[-1][1] < 0:
            poly = tuple((monomial, -number) for monomial, number in poly)
        if op == "<":  # over whole numbers: p < 0 is p + 1 <= 0, unless a common factor was taken out of the rest
            return self.negated(self.sign({monomial: Fraction(-number) for monomial, number in poly}, "<="))
        if op == "==":
            return self.add("sign", poly, op)
        made = _rounded(poly)
        if made[-1][1] < 0:  # p <= 0 is not (1 - p <= 0): of the two, the one with a positive coefficient is written
            turned = plus(constant(1), {monomial: Fraction(number) for monomial, number in made}, -1)
            return self.negated(self.add("sign", _rounded(whole(turned)), op))
        return self.add("sign", made, op)


def _rounded(poly: Poly) -> Poly:
    """`p <= 0` over whole numbers with its constant rounded to what can be attained: 10 x - 87 <= 0 is x - 8 <= 0."""
    rest = [(monomial, number) for monomial, number in poly if monomial]
    common = 0
    for _, number in rest:
        common = gcd(common, number)
    number = dict(poly).get((), 0)
    # common * r + number <= 0  <=>  r <= floor(-number / common)
    limit = -number // common
    made = [(monomial, value // common) for monomial, value in rest]
    return tuple(sorted([*made, ((), -limit)] if limit else made))
