"""What conditions speak of: symbols (counts of rows), features, groupings, terms and atoms, shared by two protocols."""

from __future__ import annotations

from fractions import Fraction

from protoc_compiler import core
from protoc_compiler.proof import nodes as n
from protoc_compiler.proof.closing import Grouping
from protoc_compiler.proof.features import Features, Test
from protoc_runtime.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

Names = dict[str, core.Table]


@record
class Symbol:
    """The number of rows of a root table with a condition about `self`. `scope`: empty for all rows, else the name of
    groups, of one of which they are counted; with `groups` it is the number of groups with a condition (a node)."""

    root: str
    scope: str
    test: core.Expr | None
    groups: int = -1


@record
class Number:
    """A quotient of polynomials, undefined where one of the conditions `defined` (nodes) is not true."""

    above: tuple[tuple[tuple[int, ...], Fraction], ...]
    below: tuple[tuple[tuple[int, ...], Fraction], ...]
    defined: tuple[int, ...] = ()


@record
class Within:
    """Inside a condition about a group: its grouping, and the variable of the group."""

    grouping: str
    var: str


class Space:
    """Everything that the formulas of one or two protocols speak of."""

    def __init__(self, tables: Names) -> None:
        self.tables = tables
        self.nodes = n.Nodes()
        self.symbols: list[Symbol] = []
        self.features: dict[str, Features] = {}
        self.groupings: dict[str, Grouping] = {}
        self.listed: dict[str, core.Table] = {}  # every version of a table whose rows stand in a protocol
        self.terms = Features("", tables)
        self.term_tests: dict[int, Test] = {}
        self.closed: dict[core.Expr, core.Expr] = {}  # formulas without names, each once
        self._domains: dict[int, tuple[Any, ...]] = {}
        self.atoms: dict[core.Expr, int] = {}
        self.known: dict[tuple[core.Expr, Within | None], int] = {}
        self._numbers: dict[Symbol, int] = {}

    def symbol(self, symbol: Symbol) -> int:
        """The number of a symbol."""
        found = self._numbers.get(symbol)
        if found is None:
            found = self._numbers[symbol] = len(self.symbols)
            self.symbols.append(symbol)
        return found

    def known_symbol(self, symbol: Symbol) -> int | None:
        """The number of a symbol that something speaks of."""
        return self._numbers.get(symbol)

    def term_domain(self, index: int) -> tuple[Any, ...]:
        """The values of a term that its comparisons tell apart."""
        if index not in self._domains:
            feature = next(one for one in self.terms.known.values() if one.index == index)
            self._domains[index] = feature.domain(self.tables)
        return self._domains[index]

    def atom(self, value: core.Expr, doubtful: bool) -> int:
        """The node of a condition that is not looked into."""
        if value not in self.atoms:
            self.atoms[value] = self.nodes.add("atom", len(self.atoms), n.ANYTHING if doubtful else n.KNOWN)
        return self.atoms[value]
