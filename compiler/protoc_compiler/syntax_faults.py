"""Says why a formula does not parse, and which form works."""

from __future__ import annotations

from collections.abc import Sequence

from protoc_runtime.diagnostics import Findings

from protoc_compiler.catalogue import syntax as kinds
from protoc_compiler.lalr import Stuck
from protoc_compiler.lexer import Token
from protoc_compiler.nodes import Scalar


def explain(scalar: Scalar, tokens: Sequence[Token], stuck: Stuck, start: str, findings: Findings) -> None:
    """Add the faults of a formula on which the parser got stuck."""
    token = tokens[stuck.index]
    span = scalar.at(token.start, token.end)
    findings.add(kinds.UNEXPECTED, span, found=token.text, after="here", expected="something else", form="")
