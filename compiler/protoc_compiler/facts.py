"""What is known at one place of a formula: conditions that hold there, conditions that do not, values that are defined.

Facts are read off guards (`x is defined and x > 3`), earlier lines of a list, filters and subset tables. Two
expressions are one fact if their trees are equal up to the names of the rows that they open themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache

from protoc_compiler import core
from protoc_compiler.core import tree
from protoc_runtime.record import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

_Sets: TypeAlias = "tuple[frozenset[core.Expr], frozenset[core.Expr], frozenset[core.Expr]]"
_NOTHING: _Sets = (frozenset(), frozenset(), frozenset())


class Facts:
    """An immutable set of facts; `true` and `false` make larger ones.

    What follows from its conditions is found when it is first asked for: most formulas are proved without any.
    """

    def __init__(
        self, above: Facts | None = None, conditions: Callable[[], Iterable[core.Expr]] = tuple, truth: bool = True
    ) -> None:
        self.none = above is None
        self._above = above
        self._conditions = conditions
        self._truth = truth
        self._found: _Sets | None = None

    def true(self, *conditions: core.Expr) -> Facts:
        """With conditions that hold."""
        return Facts(self, lambda: conditions) if conditions else self

    def false(self, *conditions: core.Expr) -> Facts:
        """With conditions that do not hold (they are defined and false)."""
        return Facts(self, lambda: conditions, False) if conditions else self

    def later(self, conditions: Callable[[], Iterable[core.Expr]]) -> Facts:
        """With conditions that hold, which are made when they are asked for."""
        return Facts(self, conditions)

    def _sets(self) -> _Sets:
        """What holds, what does not, and what is defined."""
        chain: list[Facts] = []
        last: Facts | None = self
        while last is not None and last._found is None:
            chain.append(last)
            last = last._above
        found = _NOTHING if last is None or last._found is None else last._found
        if chain:
            every = [_following(each, one._truth) for one in chain for each in one._conditions()]
            # In one step: of hundreds of conditions, each union would be of all before.
            found = tuple([known.union(*more) for known, *more in zip(found, *every, strict=True)])
            self._found = found
        return found

    def knows(self, value: core.Expr) -> bool:
        """Whether a value is known to be defined here."""
        defined = self._sets()[2]
        return bool(defined) and alike(value) in defined

    def nonzero(self, value: core.Expr) -> bool:
        """Whether a number is known not to be zero."""
        value = alike(value)
        holds, fails, _ = self._sets()
        for test in fails:
            if _compares(test, value, ("==", "<=", "<")):
                return True
        return any(_compares(test, value, ("!=", ">")) for test in holds)


def _compares(test: core.Expr, value: core.Expr, ops: tuple[str, ...]) -> bool:
    if not isinstance(test, core.Compare) or len(test.ops) != 1:
        return False
    left, right = test.operands
    at_zero = isinstance(right, core.Const) and right.value == 0
    positive = isinstance(right, core.Const) and isinstance(right.value, int) and right.value >= 1
    if left != value:
        return False
    if test.ops[0] in ("<", "<=") and test.ops[0] in ops:
        return (at_zero and test.ops[0] == "<=") or positive
    return at_zero and test.ops[0] in ops


@lru_cache(maxsize=1 << 12)  # the same filters and lines are met from many places
def _following(condition: core.Expr, holds: bool) -> _Sets:
    """All that is known from one condition."""
    yes: set[core.Expr] = set()
    no: set[core.Expr] = set()
    _spread(condition, holds, yes, no)
    return frozenset(yes), frozenset(no), frozenset(_defined(yes, no))


def _spread(condition: core.Expr, holds: bool, yes: set[core.Expr], no: set[core.Expr]) -> None:
    """Add a condition and what follows from it."""
    (yes if holds else no).add(alike(condition))
    if isinstance(condition, core.Not):
        _spread(condition.operand, not holds, yes, no)
    elif (isinstance(condition, core.And) and holds) or (isinstance(condition, core.Or) and not holds):
        for part in condition.parts:
            _spread(part, holds, yes, no)
    elif isinstance(condition, core.Is) and condition.state in ("true", "false") and holds:
        _spread(condition.operand, condition.state == "true", yes, no)


def _defined(holds: Iterable[core.Expr], fails: Iterable[core.Expr]) -> Iterable[core.Expr]:
    for condition in holds:
        yield from _operands(condition)
        if isinstance(condition, core.Is) and condition.state == "defined":
            yield from _value(condition.operand)
    for condition in fails:
        yield from _operands(condition)
        if isinstance(condition, core.Is) and condition.state == "undefined":
            yield from _value(condition.operand)


def _operands(condition: core.Expr) -> Iterable[core.Expr]:
    """A strict condition that is true or false has defined operands; `is` says nothing about its own."""
    if isinstance(condition, core.Is):
        return
    yield alike(condition)
    if isinstance(condition, core.Compare):
        for operand in condition.operands:
            yield from _value(operand)
    elif isinstance(condition, core.InRange):
        for operand in (condition.item, condition.low, condition.high):
            yield from _value(operand)
    elif isinstance(condition, core.InSet):
        yield from _value(condition.item)
        yield from _value(condition.collection)
    elif isinstance(condition, (core.InList, core.InColumn)):
        yield from _value(condition.item)


def _value(value: core.Expr) -> Iterable[core.Expr]:
    """A defined value, and what it strictly rests on."""
    yield alike(value)
    if isinstance(value, core.Column):
        yield from _value(value.row)
    elif isinstance(value, core.Arithmetic):
        yield from _value(value.left)
        yield from _value(value.right)
    elif isinstance(value, (core.Negative, core.Cast)):
        yield from _value(value.operand)
    elif isinstance(value, core.Call):
        for arg in value.args:
            yield from _value(arg)
    elif isinstance(value, core.Part):
        yield from _value(value.struct)


# --- equality up to the names of opened rows ------------------------------------------------------------------------


def alike(value: core.Expr) -> core.Expr:
    """The expression with the rows that it opens itself named in order of appearance."""
    return value if type(value) in _CLOSED else _renamed(value)


@lru_cache(maxsize=1 << 14)
def _renamed(value: core.Expr) -> core.Expr:
    names = {old: f"opened{place}" for place, old in enumerate(tree.opened(value))}
    if not names:
        return value
    made: core.Expr = tree.about(value, lambda row: replace(row, var=names.get(row.var, row.var)), names.__getitem__)
    return made


_CLOSED = (core.Const, core.RowVar, core.Global)  # most values by far, and nothing is inside them
