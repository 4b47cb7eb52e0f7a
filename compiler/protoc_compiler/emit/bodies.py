"""The body of a generated function: its statements, its names, and what the module must import for it."""

from __future__ import annotations

from functools import cached_property

from protoc_compiler import core
from protoc_compiler.catalogue import rules_module as kinds
from protoc_compiler.emit import broken as layout
from protoc_compiler.emit.broken import Code
from protoc_compiler.emit.doubts import Doubts, doubts
from protoc_compiler.emit.naming import identifier
from protoc_runtime.diagnostics import Findings, Refused, Span

Changed = frozenset[tuple[str, ...]]


class Body:
    """The body of one function: `lines` are its statements, `variables` the open rows, outermost first."""

    def __init__(
        self, protocol: core.Protocol, span: Span | None, reserved: frozenset[str], *, changed: Changed = frozenset()
    ) -> None:
        self.item = ""  # the metric that is written, where it is one
        self.changed = changed  # what the draws change that compute it anew
        self.protocol = protocol
        self.span = span
        self.lines: list[str] = []
        self.variables: dict[str, str] = {}
        self.reserved = reserved
        self.used: set[str] = set()
        self.names: set[str] = {"study"}

    @cached_property
    def doubts(self) -> Doubts:
        """The filters that may be undefined."""
        return doubts(self.protocol)

    def bring(self, name: str) -> str:
        """Note a name that the module must import."""
        self.used.add(name)
        return name

    def local(self, text: str) -> str:
        """A new local variable."""
        made = identifier(text.rpartition(".")[2], self.names, self.reserved)
        self.names.add(made)
        return made

    def assign(self, name: str, code: Code) -> None:
        """`name = code`."""
        self.lines.append(f"{name} = {layout.render(code, 4, len(name) + 3)}")

    def give(self, code: Code) -> None:
        """`return code`."""
        self.lines.append(f"return {layout.render(code, 4, 7)}")

    def refuse(self, what: str, hint: str = "") -> Refused:
        """The refusal of a construct that the engine does not have."""
        hint = hint or "say it by other means, or report this: every construct of the language should have one"
        findings = Findings()
        findings.add(kinds.NOT_EMITTED, self.span, what=what, hint=hint)
        return Refused(findings)
