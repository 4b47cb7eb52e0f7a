"""What decides rows in a generated verifier, for a program that nobody reads: the same functions, without words."""

from __future__ import annotations

from protoc_compiler import core
from protoc_compiler.emit.layout import Code, flat
from protoc_compiler.emit.verify import Builder, Model, built


def deciding(protocol: core.Protocol, taken: frozenset[str]) -> Model:
    """The second half of `verify.py` for rows that are all there. Raises as `verify.render`."""
    return built(_Deciding, protocol, taken)


class _Deciding(Builder):
    """Writes neither words nor what a bundle is asked for."""

    @staticmethod
    def lay(code: Code, indent: int, used: int) -> str:
        """On one line."""
        return flat(code)

    def _docstring(self, words: str) -> str:
        return ""

    def _times(self, item: core.Item) -> list[Code]:
        return []  # nothing waits for rows that are there

    def _about(self) -> Code:
        return "None"
