"""Forms and what is done with them: conditions joined and negated, sums added, multiplied and compared.

A form is a nest of tuples whose first entry says what it is. Undefined is respected: nothing is folded that would make
an undefined value defined.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from fractions import Fraction
from math import ceil, floor, gcd, lcm

from protoc_compiler import core

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeAlias

Form: TypeAlias = "tuple[Any, ...]"
LARGEST = 20_000
MINUS, ZERO, ONE = Fraction(-1), Fraction(0), Fraction(1)
TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}
OPPOSITE = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}
TRUE, FALSE = ("const", "bool", True), ("const", "bool", False)
UNDEFINED = ("const", "undefined", None)
Terms = dict[tuple[Form, ...], Fraction]


class TooLarge(Exception):
    """A formula whose expanded form nobody would want to compare."""


def in_order(parts: Collection[Any]) -> list[Any]:
    """Forms, or what is made of them, in an order of their own; of one alone nothing need be written out."""
    return sorted(parts, key=repr) if len(parts) > 1 else list(parts)


def _in_order_of_words(forms: Collection[Form]) -> list[Form]:
    """The same of forms alone. Most begin with different words, and to write a whole form out takes long."""
    by_word: dict[str, list[Form]] = {}
    for form in forms:
        by_word.setdefault(repr(form[0]), []).append(form)
    return [form for word in sorted(by_word) for form in in_order(by_word[word])]


def single(atom: Form) -> Terms:
    """One atom as a sum; of a number the constant."""
    if atom[0] == "const" and atom[1] in ("number", "quantity"):
        return {(): atom[2]}
    return {(atom,): ONE}


def const(kind: core.Type, known: core.Value) -> Form:
    """The form of a literal."""
    if known is None:
        return UNDEFINED
    if isinstance(known, str):
        return ("const", "word", known)
    if isinstance(known, bool):
        return ("const", "bool", known)
    if isinstance(known, (int, Fraction)):
        return ("const", "quantity" if kind.unit else "number", Fraction(known))
    return ("const", "time", known.isoformat())


def joined(word: str, parts: list[Form]) -> Form:
    """`and` or `or` of parts: flat, sorted, each once; what decides nothing is left out."""
    neutral, deciding = (TRUE, FALSE) if word == "and" else (FALSE, TRUE)
    flat: dict[Form, None] = {}
    for part in parts:
        flat.update(dict.fromkeys(part[1:] if part[0] == word else (part,)))
    flat.pop(neutral, None)
    if deciding in flat:
        return deciding
    if len(flat) <= 1:
        return next(iter(flat), neutral)
    return (word, *_in_order_of_words(flat))


def all_of(tests: tuple[Form, ...]) -> Form:
    """Several filters as one condition."""
    return joined("and", list(tests)) if tests else TRUE


def negate(form: Form) -> Form:
    """The form of `not`; true just where the form is false."""
    word = form[0]
    if word == "not":
        return tuple(form[1])
    if word == "cmp":
        return ("cmp", OPPOSITE[form[1]], *form[2:])
    if word in ("and", "or"):
        return joined("or" if word == "and" else "and", [negate(part) for part in form[1:]])
    if form in (TRUE, FALSE):
        return FALSE if form == TRUE else TRUE
    return ("not", form)


def compared(op: str, left: Terms, right: Terms, whole: bool) -> Form:
    """A comparison of sums: ("cmp", op, sum without its constant, number), the sum scaled to whole coefficients."""
    terms = added(left, scaled(right, MINUS))
    bound = -terms.pop((), ZERO)
    if not terms:
        return ("const", "bool", _HOLDS[op](ZERO, bound))
    first = next((terms[key] for key in in_order(terms) if terms[key]), ONE)
    known = [value for value in terms.values() if value]
    size = Fraction(lcm(*(v.denominator for v in known)), gcd(*(v.numerator for v in known))) if known else ONE
    turned = not known and op in (">", ">=")  # `a > a`: nothing tells which side is which
    scale = size if first.numerator > 0 and not turned else -size
    op = op if scale.numerator > 0 else TURNED[op]
    if scale != 1:
        bound *= scale
    if not known and op in ("==", "!="):  # `0 / a == 1`: nothing tells which side is which here, too
        bound = abs(bound)
    if whole:
        op, bound = _tight(op, bound)
    return ("cmp", op, summed(scaled(terms, scale)), ("const", "number", bound))


_HOLDS: dict[str, Callable[[Fraction, Fraction], bool]] = {
    "<": lambda a, b: a < b, "<=": lambda a, b: a <= b, ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b, "==": lambda a, b: a == b, "!=": lambda a, b: a != b,
}  # fmt: skip


def _tight(op: str, bound: Fraction) -> tuple[str, Fraction]:
    """The same comparison of a whole number, with `>=` or `<=` and a whole bound."""
    if op in (">", ">="):
        return ">=", Fraction(floor(bound) + 1 if op == ">" else ceil(bound))
    if op in ("<", "<="):
        return "<=", Fraction(ceil(bound) - 1 if op == "<" else floor(bound))
    return op, bound


def summed(terms: Terms) -> Form:
    """The form of a sum; of one atom alone the atom."""
    if len(terms) == 1:
        (product, factor), *_ = terms.items()
        if len(product) == 1 and factor == 1:
            return product[0]
        if not product:
            return ("const", "number", factor)
    return ("sum", tuple(in_order(terms.items())))


def scaled(terms: Terms, factor: Fraction) -> Terms:
    """A sum times a number."""
    if factor == 1:
        return terms
    if factor == -1:
        return {product: -value for product, value in terms.items()}
    return {product: value * factor for product, value in terms.items()}


def added(left: Terms, right: Terms) -> Terms:
    """Two sums as one."""
    made = dict(left)
    for product, value in right.items():
        made[product] = made[product] + value if product in made else value
    return made


def multiplied(left: Terms, right: Terms) -> Terms:
    """The product of two sums, written out."""
    made: Terms = {}
    for one, factor in left.items():
        for other, value in right.items():
            product = tuple(in_order((*one, *other)))
            more = factor * value
            made[product] = made[product] + more if product in made else more
            if len(made) > LARGEST:
                raise TooLarge
    return made


def divided(left: Terms, right: Terms) -> Terms:
    """A quotient: the left sum times what the right one is the inverse of."""
    if set(right) == {()} and right[()]:
        return scaled(left, 1 / right[()])
    first = next((right[key] for key in in_order(right) if right[key]), ONE)
    return scaled(multiplied(left, single(("inverse", summed(scaled(right, 1 / first))))), 1 / first)
