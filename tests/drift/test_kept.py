"""What is kept of a value is that of this very value."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from protoc_compiler import core
from protoc_compiler.core.types import NUMBER
from protoc_compiler.drift import kept
from protoc_compiler.drift.deltas import meaning
from protoc_compiler.drift.forms import LARGEST, TooLarge
from protoc_compiler.drift.kept import Kept
from protoc_compiler.drift.normal import Normal


def test_it_is_made_once_for_each_object() -> None:
    made: list[Any] = []
    function = Kept(lambda value: made.append(value) or len(made))
    one, other = ["a"], ["a"]
    assert [function(one), function(other), function(one)] == [1, 2, 1]


def test_what_was_kept_first_may_be_made_again() -> None:
    values = [[at] for at in range(kept.LARGEST + 1)]
    function = Kept(tuple)
    assert [function(value) for value in values] == [tuple(value) for value in values]


def test_no_more_is_kept_than_is_asked_for() -> None:
    made: list[Any] = []
    function = Kept(lambda value: made.append(value) or len(made), most=1)
    one, other = ["a"], ["b"]
    assert [function(one), function(other), function(one)] == [1, 2, 3]


def test_equal_literals_keep_what_they_mean() -> None:
    whole, broken = core.Const(NUMBER, 1), core.Const(NUMBER, Fraction(1))
    assert whole == broken
    assert [meaning(value)["value"] for value in (whole, broken, whole)] == ["1", "1/1", "1"]


def _read(name: str) -> core.Global:
    return core.Global(NUMBER, "metrics", name)


def _doubling(deep: int) -> core.Protocol:
    """Metrics each of which reads the one below twice, so that the uppermost stands for 2^deep of the lowest."""
    lowest = core.Item("metrics", "m0", NUMBER, core.Const(NUMBER, 1), "1")
    others = [
        core.Item("metrics", f"m{at + 1}", NUMBER, core.Arithmetic(NUMBER, "+", _read(f"m{at}"), _read(f"m{at}")), "")
        for at in range(deep)
    ]
    return core.Protocol("p", 1, "", (), (), (), (), None, (), (), (lowest, *others), (), (), ())


def _doubled(deep: int) -> Normal:
    protocol = _doubling(deep)
    return Normal(protocol, frozenset(("item", "metrics", item.name) for item in protocol.items))


def test_what_a_name_stands_for_counts_each_time() -> None:
    normal = _doubled(3)
    assert normal.of(_read("m3")) == ("const", "number", 8)
    assert normal.size == 2 * (1 + 2 + 4 + 8)  # each name, and the formula that it stands for


def test_a_formula_that_would_be_too_large_is_so_though_its_parts_are_kept() -> None:
    deep = LARGEST.bit_length()
    with pytest.raises(TooLarge):
        _doubled(deep).of(_read(f"m{deep}"))
