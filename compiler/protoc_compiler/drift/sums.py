"""Whether one comparison of sums is true whenever another is: `a <= 1.08 b` where `a <= 1.2 b`, if `b` is not negative.

Both are brought to the form `sum <= number`. The second follows where it is a multiple of the first, and what is left
over cannot exceed what the limits leave: by the ranges of its atoms, or since it takes a greater value away from a
lesser one (a median from a 95th percentile, a share of rows from that of a wider condition). Sound and not complete.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction

from protoc_compiler.drift.forms import MINUS, Form, Terms, added, scaled, single
from protoc_compiler.drift.ranges import Range
from protoc_compiler.drift.ranks import Rank, at_most, ranked

RangeOf = Callable[[tuple[Form, ...]], Range]  # of a product of atoms
Moves = Callable[[Form, Form, bool], bool]  # whether a value is defined where another is, and not below (or above) it
Placed = tuple[Rank, Fraction, tuple[Form, ...]]  # a value among those of the same rows, how often it is taken
_LARGEST = 64


def terms_of(form: Form) -> Terms:
    """A form as a sum of products."""
    return dict(form[1]) if form[0] == "sum" else single(form)


def follows(first: Form, second: Form, range_of: RangeOf, moves: Moves) -> bool:
    """Whether a comparison with a number is true wherever another one is."""
    if not (_numeric(first) and _numeric(second)) or second[1] not in ("<", "<=", ">", ">="):
        return False
    if not _defined(terms_of(first[2]), terms_of(second[2]), moves):
        return False
    goal, limit, strict = next(_upper(second))
    return any(_reached(given, goal, limit, strict, range_of, moves) for given in _upper(first))


def never_above(known: Form, other: Form, range_of: RangeOf, moves: Moves, *, known_is_least: bool) -> bool:
    """Whether of two numbers the lesser one is never above the other, which is defined wherever the known one is."""
    one, two = terms_of(known), terms_of(other)
    if len(one) + len(two) > _LARGEST or not _defined(one, two, moves):
        return False
    most = _most(added(*((one, scaled(two, MINUS)) if known_is_least else (two, scaled(one, MINUS)))), range_of, moves)
    return most is not None and most <= 0


def leftover(first: Form, second: Form) -> list[tuple[Form, ...]]:
    """The products by whose factors two comparisons differ, where nothing but factors and numbers does: their signs
    decide which of the two is the stricter one."""
    if not (_numeric(first) and _numeric(second)):
        return []
    one, other = terms_of(first[2]), terms_of(second[2])
    if first[1] != second[1] or set(one) != set(other) or len(one) > _LARGEST:
        return []
    shared = next(iter(one))
    ratio = other[shared] / one[shared] if one[shared] else Fraction(1)
    return [product for product, factor in one.items() if other[product] != ratio * factor]


def _numeric(form: Form) -> bool:
    return bool(form[0] == "cmp" and form[3][:2] == ("const", "number"))


def _upper(form: Form) -> Iterator[tuple[Terms, Fraction, bool]]:
    """A comparison as sums that are at most (or, strictly, less than) a number."""
    _, op, value, (_, _, number) = form
    terms = terms_of(value)
    if op in ("<", "<=", "=="):
        yield terms, number, op == "<"
    if op in (">", ">=", "=="):
        yield scaled(terms, MINUS), -number, op == ">"


def _defined(first: Terms, second: Terms, moves: Moves) -> bool:
    """Whether the second sum is defined wherever the first is."""
    known = {atom for product in first for atom in product}
    groups = {found[0] for atom in known if (found := ranked(atom)) is not None}
    asked = {atom for product in second for atom in product} - known
    return all(
        ((found := ranked(atom)) is not None and found[0] in groups)
        or any(moves(one, atom, up) for one in known for up in (True, False))
        for atom in asked
    )


def _reached(
    given: tuple[Terms, Fraction, bool], goal: Terms, limit: Fraction, strict: bool, range_of: RangeOf, moves: Moves
) -> bool:
    terms, number, less = given
    if len(terms) + len(goal) > _LARGEST:
        return False
    for times in _factors(terms, goal, range_of, moves):
        most = _most(added(goal, scaled(terms, -times)), range_of, moves)
        if most is None:
            continue
        reached = most + times * number
        if reached < limit or (reached == limit and (not strict or (less and times > 0))):
            return True
    return False


def _factors(terms: Terms, goal: Terms, range_of: RangeOf, moves: Moves) -> list[Fraction]:
    """By which the first sum may be taken so that parts of both cancel."""
    own = {goal[product] / factor for product, factor in terms.items() if factor and goal.get(product)}
    own |= {
        part / factor
        for product, factor in terms.items()
        for other, part in goal.items()
        if factor and part and (_related(product, other) or _ordered(product, other, range_of, moves))
    }
    return sorted({factor for factor in own if factor > 0} | {Fraction(0)})


def _related(one: tuple[Form, ...], other: tuple[Form, ...]) -> bool:
    found = [ranked(product[0]) for product in (one, other) if len(product) == 1]
    return len(found) == 2 and found[0] is not None and found[1] is not None and found[0][0] == found[1][0]


def _ordered(one: tuple[Form, ...], other: tuple[Form, ...], range_of: RangeOf, moves: Moves) -> bool:
    """Whether it is known which of two products is never the greater one."""
    return _below(one, other, range_of, moves) or _below(other, one, range_of, moves)


def _below(least: tuple[Form, ...], most: tuple[Form, ...], range_of: RangeOf, moves: Moves) -> bool:
    """Whether a product is never above another: they differ in one factor, and the others are not negative."""
    mine, theirs = [*least], [*most]
    for atom in least:
        if atom in theirs:
            mine.remove(atom)
            theirs.remove(atom)
    if len(mine) != 1 or len(theirs) != 1:
        return False
    (one,), (other,) = mine, theirs
    if not (moves(one, other, True) or moves(other, one, False)):
        return False
    shared = [*least]
    shared.remove(one)
    low = range_of(tuple(shared))[0]
    return low is not None and low >= 0


def _cancelled(terms: Terms, range_of: RangeOf, moves: Moves) -> Terms:
    """A sum that is not below another, from which greater values are taken away as often as lesser ones are added."""
    left = {product: factor for product, factor in terms.items() if factor}
    for more in [product for product, factor in left.items() if factor > 0]:
        for less in [product for product, factor in left.items() if factor < 0]:
            if left[more] > 0 > left[less] and _below(more, less, range_of, moves):
                both = min(left[more], -left[less])
                left[more] -= both
                left[less] += both
    return {product: factor for product, factor in left.items() if factor}


def _most(terms: Terms, range_of: RangeOf, moves: Moves) -> Fraction | None:
    """The greatest that a sum can be, None where nothing limits it."""
    left = _cancelled(terms, range_of, moves)
    groups: dict[Form, list[Placed]] = {}
    for product, factor in left.items():
        found = ranked(product[0]) if len(product) == 1 else None
        if found is not None:
            groups.setdefault(found[0], []).append((found[1], factor, product))
    most = Fraction(0)
    for placed in groups.values():
        chain = _chain(placed)
        if chain is not None:
            most_of = _of_chain(chain, range_of)
            if most_of is None:
                return None
            most += most_of
            for _, _, product in placed:
                del left[product]
    for product, factor in left.items():
        one = _times(factor, range_of(product))
        if one is None:
            return None
        most += one
    return most


def _chain(placed: list[Placed]) -> list[Placed] | None:
    """Values of the same rows from the least to the greatest; None where that is not known of some."""
    made: list[Placed] = []
    for one in placed:
        place = next((at for at, other in enumerate(made) if at_most(one[0], other[0])), len(made))
        made.insert(place, one)
    sorted_out = all(at_most(made[at][0], made[at + 1][0]) for at in range(len(made) - 1))
    return made if sorted_out else None


def _of_chain(chain: list[Placed], range_of: RangeOf) -> Fraction | None:
    """The greatest of a sum of values that rise: what the upper ones have more than the lower ones only takes away."""
    behind = Fraction(0)
    for at in range(len(chain) - 1, 0, -1):
        behind += chain[at][1]
        if behind > 0 and not at_most(chain[at][0], chain[at - 1][0]):  # of one rank they are the same
            return None
    return _times(behind + chain[0][1], range_of(chain[0][2]))


def _times(factor: Fraction, known: Range) -> Fraction | None:
    """The greatest of a value times a number."""
    if not factor:
        return Fraction(0)
    end = known[1] if factor > 0 else known[0]
    return None if end is None else factor * end
