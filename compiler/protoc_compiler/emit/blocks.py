"""The parts of `rules.py` that every block needs: names, imports, functions, and what was refused."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from protoc_compiler import core
from protoc_compiler.drawn import redrawn
from protoc_compiler.emit import broken as layout
from protoc_compiler.emit.broken import Around, Bracket, Code
from protoc_compiler.emit.counted import counted
from protoc_compiler.emit.formulas import Formula
from protoc_compiler.emit.naming import Names
from protoc_runtime.diagnostics import Findings, Refused, Span

API = (
    "Groups", "Rows", "Rules", "Study", "Vec", "Withheld", "all_of", "any_of", "between", "cast", "chain", "choose",
    "custom", "default", "grouped", "in_column", "in_list", "in_set", "lift", "list_of", "undefined",
    "where_reached",
)  # fmt: skip
RESERVED = frozenset(
    (*API, "Any", "Fraction", "Mapping", "Results", "TableData", "UTC", "date", "datetime", "evaluate",
     "expectations", "of", "over", "results", "rules", "study")
)  # fmt: skip
T = TypeVar("T")


class Blocks:
    """Writes blocks of a module and notes what they import."""

    def __init__(self, protocol: core.Protocol) -> None:
        self.protocol = protocol
        self.names = Names(RESERVED)
        self.used: set[str] = set()
        self.refused = Findings()
        self.counted = counted(protocol)
        self.changes = [redrawn(protocol, interval) for interval in protocol.intervals]

    def guarded(self, make: Callable[[T], Sequence[str]], subject: T) -> list[str]:
        """The blocks of a subject; none where it is refused, which is noted."""
        try:
            made = make(subject)
        except Refused as refused:
            self.refused.extend(refused.diagnostics)
            return []
        return [made] if isinstance(made, str) else list(made)

    def formula(self, span: Span | None, *thing: str) -> Formula:
        """A new function body, of the `thing` that the intervals know it by."""
        changed = frozenset[tuple[str, ...]]().union(*(found for found in self.changes if thing in found))
        return Formula(self.protocol, span, RESERVED, changed=changed)

    def function(self, decorator: Code | None, name: str, parameters: str, body: Formula, gives: str = "Vec") -> str:
        """The source of a function."""
        self.used |= body.used | {word for word in ("Vec", "Rows", "Groups", "Withheld") if word in gives}
        lines = "".join(f"    {line}\n" for line in body.lines)
        head = "" if decorator is None else f"{layout.render(Around('@', decorator))}\n"
        return f"{head}def {name}({parameters}) -> {gives}:\n{lines}".rstrip()


def display(items: Sequence[Code]) -> Code:
    """A tuple display."""
    return Bracket("(", tuple(items), ")" if len(items) != 1 else ",)")


def flat_tuple(items: Iterable[str]) -> str:
    """A tuple display on one line."""
    return layout.flat(display(list(items)))


def texts(name: str, items: tuple[str, ...]) -> list[Code]:
    """`name=("a", "b")`, where there are items."""
    return [Around(f"{name}=", display([*map(repr, items)]))] if items else []


def words(says: str, cites: tuple[str, ...]) -> list[Code]:
    """`says` and `cites`, where there are any."""
    return ([Around("says=", repr(says))] if says else []) + texts("cites", cites)
