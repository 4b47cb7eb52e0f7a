"""What a comparison of rules may build on: what both protocols expect of their data. What only one of them expects is a
change by itself, and told as one."""

from __future__ import annotations

from collections.abc import Callable

from protoc_compiler import core
from protoc_compiler.drift.entails import Given
from protoc_compiler.drift.forms import TRUE, Form, TooLarge, joined
from protoc_compiler.drift.normal import Normal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from protoc_compiler.drift.ranges import Range, Ranges


def expected_by_both(old: tuple[core.Protocol, Normal], new: tuple[core.Protocol, Normal]) -> Given:
    """The conditions that are expected on both sides, each with what makes its forms, and the ranges of both, of which
    the wider one counts."""
    known = old[0], new[0]
    return Given(_Expected(old, new), _Ranges(*known), _Defined(*known), _Kinds(*known))


def unexpected(*sides: core.Protocol) -> Given:
    """The same of any rows that can be read, whatever is expected of them."""
    return Given(kind_of=_Kinds(*sides))


class _Expected:
    """The conditions that are expected in both protocols; made where they are asked for, which is seldom."""

    def __init__(self, *sides: tuple[core.Protocol, Normal]) -> None:
        self._sides = sides
        self._made: Form | None = None

    def __call__(self) -> Form:
        if self._made is None:
            self._made = joined("and", list(frozenset.intersection(*(_parts(*side) for side in self._sides))))
        return self._made


class _Ranges:
    """The ranges of products in both protocols; made where they are asked for, which is seldom."""

    def __init__(self, *sides: core.Protocol) -> None:
        self._sides = sides
        self._ranges: list[Ranges] = []

    def __call__(self, product: tuple[Form, ...]) -> Range:
        from protoc_compiler.drift.ranges import Ranges, hull

        self._ranges = self._ranges or [Ranges(side) for side in self._sides]
        return hull([known.product(product) for known in self._ranges])


class _Defined:
    """What is always defined in both protocols; made where it is asked for, which is seldom."""

    def __init__(self, *sides: core.Protocol) -> None:
        self._sides = sides
        self._made: list[Callable[[Form], bool]] = []

    def __call__(self, form: Form) -> bool:
        from protoc_compiler.drift.rising import Defined

        if not self._made:
            for side in self._sides:
                tables = {table.name: table for table in side.tables}
                self._made.append(Defined(tables, _about(Normal(side))))
        return all(known(form) for known in self._made)


class _Kinds:
    """Which numbers are exact in both protocols, and whole."""

    def __init__(self, *sides: core.Protocol) -> None:
        self._sides = sides

    def __call__(self, form: Form) -> str:
        from protoc_compiler.drift.rising import kind_of

        found = {kind_of(side, form) for side in self._sides}
        return "" if not found <= {"int", "number", "quantity"} else "int" if found == {"int"} else "number"


def _about(normal: Normal) -> Callable[[core.Expr, Form], Form]:
    """What makes the form of a column's formula about a row; each has its own limit."""

    def form(expr: core.Expr, row: Form) -> Form:
        """The form of one formula."""
        normal.size = 0
        return normal.form(expr, {"self": row})

    return form


def _parts(side: core.Protocol, normal: Normal) -> frozenset[Form]:
    made = joined("and", [_form(normal, item.expr) for table in side.tables for item in table.expect])
    return frozenset(made[1:] if made[0] == "and" else (made,))


def _form(normal: Normal, expr: core.Expr) -> Form:
    """The form of an expectation; of one that is too large nothing that one could build on."""
    normal.size = 0
    try:
        return normal.of(expr)
    except TooLarge:
        return TRUE
