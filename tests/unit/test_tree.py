"""Walks over formulas find every node, and copy no more than what changes."""

from __future__ import annotations

import re

from protoc_compiler import core
from protoc_compiler.core import formulas, tree
from protoc_compiler.core.formulas import Expr, Match, Rows
from protoc_runtime.record import replace

KINDS = [kind for kind in vars(formulas).values() if isinstance(kind, type) and issubclass(kind, (Expr, Rows, Match))]
HOLDING = {"Expr", "Rows", "Match"}
PLAIN = {"Type", "Value", "Fraction", "str", "int", "tuple", "None", "Literal"}
ONE, TWO = core.Const(core.INT, 1), core.Const(core.INT, 2)
ROW = core.RowVar(core.Type("row", table="t"), "self")
INNER = core.Rows("r1", "t", match=(core.Match("c", ONE),), where=(core.Not(core.BOOL, TWO),), order=(ROW,), base=ROW)
COUNT = core.Aggregate(core.INT, "count", INNER, (TWO,), (("n", ONE),))
WHOLE = core.Choose(core.INT, ((core.Is(core.BOOL, ROW, "defined"), COUNT),), ONE)


def test_a_field_holds_nodes_or_says_that_it_is_something_else():
    for kind in KINDS:
        for name, words in kind.__annotations__.items():
            known = set(re.findall(r"[A-Za-z]\w*", re.sub(r"Literal\[[^]]*\]", "", words)))
            assert known <= HOLDING | PLAIN, (kind.__name__, name)


def test_nodes_come_in_the_order_of_the_fields():
    assert tree.nodes(WHOLE) == [core.Is(core.BOOL, ROW, "defined"), COUNT, ONE]
    assert tree.nodes(COUNT) == [INNER, TWO, ONE]
    assert tree.nodes(INNER) == [ROW, core.Match("c", ONE), core.Not(core.BOOL, TWO), ROW]


def test_everything_inside_is_found_once_for_each_place():
    inside = [ROW, ONE, core.Not(core.BOOL, TWO), TWO, ROW, TWO, ONE]
    assert list(tree.parts(WHOLE)) == [WHOLE, core.Is(core.BOOL, ROW, "defined"), ROW, COUNT, *inside, ONE]
    assert tree.rows_in(WHOLE) == (INNER,)
    assert tree.opened(WHOLE) == ("r1",)


def test_what_does_not_change_is_not_copied():
    other = replace(ROW, var="other")
    made = tree.about(WHOLE, lambda _: other, {"r1": "r2"}.__getitem__)
    assert tree.rows_in(made)[0] == replace(INNER, var="r2", order=(other,), base=other)
    assert made.otherwise is ONE
    assert tree.about(WHOLE, lambda row: row) is WHOLE
