"""Conditions that compare one number with different constants: which answers to them go together."""

from __future__ import annotations

from protoc_compiler import core
from protoc_compiler.analysis.bands import Stretch, band, everything, meet, within
from protoc_compiler.analysis.shapes import shape
from protoc_compiler.decided import Decider

Answer = bool | None
_THROUGH = ("definitions", "metrics", "checks")  # a blocker fires where it is undefined; gates are for the proofs


class Related:
    """The stretches of numbers for which conditions are true, by what they compare."""

    def __init__(self, decider: Decider) -> None:
        self.decider = decider
        self._known: dict[core.Expr, tuple[str, Stretch] | None] = {}

    def together(self, one: core.Expr, answer: Answer, other: core.Expr, other_answer: Answer) -> bool:
        """Whether some number gives these two conditions these two answers."""
        first, second = self._stretch(one), self._stretch(other)
        if first is None or second is None or first[0] != second[0]:
            return True
        if answer is None or other_answer is None:
            return answer is other_answer
        if answer and other_answer:
            return meet(first[1], second[1])
        if not answer and not other_answer:
            return not everything(first[1], second[1])
        inner, outer = (first[1], second[1]) if answer else (second[1], first[1])
        return not within(inner, outer)

    def compared(self, value: core.Expr) -> str | None:
        """The shape of what a condition compares with numbers; None of one that compares nothing so."""
        found = self._stretch(value)
        return None if found is None else found[0]

    def _stretch(self, value: core.Expr) -> tuple[str, Stretch] | None:
        if value not in self._known:
            found = band(self._with_constants(self._formula(value)))
            self._known[value] = (shape(found[0]), found[1]) if found is not None else None
        return self._known[value]

    def _formula(self, value: core.Expr) -> core.Expr:
        """What a name stands for, as long as it is neither withheld nor a rule that decides what undefined means."""
        while isinstance(value, core.Global) and value.space in _THROUGH:
            item = self.decider.items.get((value.space, value.name))
            if item is None or item.withheld is not None:
                break
            value = item.expr
        return value

    def _with_constants(self, value: core.Expr) -> core.Expr:
        if isinstance(value, core.Compare):
            return core.Compare(value.type, tuple(map(self._constant, value.operands)), value.ops)
        return value

    def _constant(self, value: core.Expr) -> core.Expr:
        """A frozen value, or a number that has a name, as the number itself."""
        if isinstance(value, core.Global) and value.space == "freeze":
            return core.Const(value.type, self.decider.frozen.get(value.name))
        named = self._formula(value)
        return named if isinstance(named, core.Const) else value
