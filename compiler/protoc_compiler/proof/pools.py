"""Values to try in the cells of made-up rows: the constants of the formulas, and some others beside them."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, date, datetime
from fractions import Fraction
from itertools import pairwise

from protoc_compiler import core
from protoc_compiler.core.tree import parts
from protoc_compiler.proof.interpret import Row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_NUMBERS = ("int", "number", "quantity")
_DIGESTS = ("0" * 40, "1" * 40, "0" * 64)


class Pools:
    """Values by type, from the formulas that matter."""

    def __init__(self, formulas: Iterable[core.Expr], listed: dict[str, list[Row]]) -> None:
        self.listed = listed
        self.constants: dict[str, list[Any]] = {}
        self._known: dict[tuple[core.Type, bool], list[Any]] = {}
        for formula in formulas:
            for part in parts(formula):
                if isinstance(part, core.Const) and part.value is not None:
                    found = self.constants.setdefault(part.type.kind, [])
                    if part.value not in found:
                        found.append(part.value)

    def add(self, kind: str, values: Iterable[Any]) -> None:
        """More constants of a type."""
        found = self.constants.setdefault(kind, [])
        found += [value for value in sorted(values, key=str) if value not in found]
        self._known.clear()

    def of(self, kind: core.Type, optional: bool) -> list[Any]:
        """Values of a type, the plainest first; the same for the same formulas. The list is kept: leave it as it
        is."""
        key = (kind, optional)
        if key not in self._known:
            self._known[key] = self._made(kind, optional)
        return self._known[key]

    def _made(self, kind: core.Type, optional: bool) -> list[Any]:
        missing = [None] if optional else []
        if kind.kind == "bool":
            return [True, False, *missing]
        if kind.kind == "enum":
            return [*kind.members, *missing]
        if kind.kind in _NUMBERS:
            return [*self._numbers(kind.kind == "int"), *missing]
        if kind.kind == "row":
            return [*self.listed.get(kind.table, []), *missing]
        if kind.kind in ("set", "list") and kind.item is not None:
            items = self.of(kind.item, False)
            return [(), *((item,) for item in items), tuple(items[:2]), *missing]
        return [*self._others(kind.kind), *missing]

    def _numbers(self, integer: bool) -> list[Fraction]:
        own = [Fraction(value) for kind in _NUMBERS for value in self.constants.get(kind, [])]
        between = [(low + high) / 2 for low, high in pairwise(sorted({Fraction(0), *own}))]
        made = [Fraction(1), Fraction(0), Fraction(2), *own, *(map(round, between) if integer else between)]
        for value in own:
            made += [value - 1, value + 1, *([] if integer else [value / 2, value * 2])]
        kept = [value for value in dict.fromkeys(made) if value >= 0 and (not integer or value.denominator == 1)]
        return kept[:40]

    def _others(self, kind: str) -> list[Any]:
        if kind == "digest":
            own = [
                value for value in self.constants.get("digest", []) + self.constants.get("text", []) if _digest(value)
            ]
            return [*own, *_DIGESTS]
        if kind == "time":
            return [*self.constants.get("time", []), *(datetime(2000, 1, day, tzinfo=UTC) for day in (1, 2))]
        if kind == "date":
            return [*self.constants.get("date", []), *(date(2000, 1, day) for day in (1, 2))]
        return self._texts()

    def _texts(self) -> list[str]:
        own = [value for value in self.constants.get("text", []) if not _digest(value)]
        return ["a", "b", *own[:12]]


def _digest(value: Any) -> bool:
    return isinstance(value, str) and len(value) in (40, 64) and not set(value) - set("0123456789abcdef")
