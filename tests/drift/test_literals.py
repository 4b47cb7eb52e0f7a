"""Numbers that moved are told as they are written, with their units and signs, never as a normal form has them."""

from __future__ import annotations

from fractions import Fraction

import pytest

from protoc_compiler import core
from protoc_compiler.drift.literals import OTHER, moved
from protoc_compiler.drift.literals import told as shown

FACTOR = "slowest.cheap <= 1.2 * slowest.current"


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (FACTOR, FACTOR.replace("1.2", "1.08"), "1.2 -> 1.08"),
        ("variance > 20 ^ 2", "variance > 21 ^ 2", "20 ^ 2 -> 21 ^ 2"),
        ("share > 1 / 5", "share > 2 / 5", "1 / 5 -> 2 / 5"),
        ("share > 1 / n", "share > 2 / n", "1 -> 2"),
        ("accuracy >= 90%", "accuracy >= 0.88", "90% -> 0.88"),
        ("accuracy >= 90%", "accuracy >= 9 / 10", OTHER),
        ("slow <= 3 s and size > 1_000 B", "slow <= 250 ms and size > 2 KiB", "3 s -> 250 ms, 1_000 B -> 2 KiB"),
        ("effect >= -0.05", "effect >= -0.02", "-0.05 -> -0.02"),
        ("effect - 0.05 >= 0", "effect - 0.02 >= 0", "0.05 -> 0.02"),
        ("at < 2026-08-10", "at < 2026-09-01", "2026-08-10 -> 2026-09-01"),
        ("accuracy >= 90% or accuracy >= 9", "hits >= 88% or hits >= 9", "90% -> 88%"),
        ("all of: a >= 0.90; b < 3", "all of: a >= 0.9; b < 4", "3 -> 4"),
        ("a > 1 and b > 1", "a > 2 and b > 2", "1 -> 2"),
    ],
)
def test_what_the_author_wrote_is_told(old: str, new: str, told: str) -> None:
    pairs = [(Fraction(5), Fraction(25)), (Fraction(-6), Fraction(-27))]
    assert shown(moved(old, new, pairs, (_x(), _x()))) == told


def test_a_number_that_stands_in_both_formulas_is_told_where_they_are_written_in_other_words() -> None:
    sides = (_x(9), _x(8))
    assert shown(moved("x >= 9", "8 <= x", [(Fraction(9), Fraction(8))], sides)) == "9 -> 8"
    shares = _x(Fraction(3, 4)), _x(Fraction(3, 5))
    pairs = [(Fraction(3, 4), Fraction(3, 5))]
    assert shown(moved("x >= 75%", "60% <= x", pairs, shares)) == "75% -> 60%"
    assert shown(moved("x >= 0.750", "60% <= x", pairs, shares)) == "0.750 -> 60%"
    assert shown(moved("x >= 75% or y < 0.75", "60% <= x", pairs, shares)) == "0.75 -> 60%"  # written in two ways
    assert shown(moved("x >= 9", "8 <= x", [(Fraction(9), Fraction(16))], sides)) == OTHER  # which nobody wrote


@pytest.mark.parametrize(
    ("old", "new", "before", "after"),
    [
        (FACTOR, FACTOR.replace("1.2", "1.08"), Fraction(6, 5), Fraction(27, 25)),
        ("share > 1 / 5", "share > 1 / 4", Fraction(1, 5), Fraction(1, 4)),
        ("variance > 20 ^ 2", "variance > 20 ^ 3", 400, 8000),
        ("x > 8 / 2 / 2", "x > 8 / 2 / 4", 2, 1),
        ("effect >= -5%", "effect >= -0.02", Fraction(-1, 20), Fraction(-1, 50)),
        ("slow <= 3 s / 2", "slow <= 250 ms / 2", Fraction(3, 2), Fraction(1, 8)),
        ("x > 1 / 2 ^ 2", "x > 1 / 2 ^ 3", None, None),
        ("x > 1 / 0", "x > 2 / 0", None, None),
        ("at < 2026-08-10", "at < 2026-09-01", "2026-08-10", "2026-09-01"),
    ],
)
def test_which_way_a_number_moved_is_told_by_what_it_comes_to(
    old: str, new: str, before: object, after: object
) -> None:
    (found,) = moved(old, new, [], (_x(), _x()))
    assert (found.before, found.after) == (before, after)


def _x(bound: int | Fraction = 1) -> core.Expr:
    operands = core.Global(core.INT, "metrics", "x"), core.Const(core.INT, bound)
    return core.Compare(core.BOOL, operands, (">=",))
