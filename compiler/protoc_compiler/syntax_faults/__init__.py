"""Says why a formula does not parse, and which form works.

`explain` first looks for characters and spellings that are wrong anywhere, and tells all of them; otherwise the first
rule that knows the place where the parser got stuck speaks. What no rule knows is told in general words. Loaded only
when a formula does not parse.
"""

from __future__ import annotations

from collections.abc import Sequence

from protoc_compiler.lalr import Stuck
from protoc_compiler.lexer import Token
from protoc_compiler.nodes import Scalar
from protoc_compiler.syntax_faults import brackets, characters, expected, numbers, operators, rows, words
from protoc_compiler.syntax_faults.context import Context
from protoc_runtime.diagnostics import Findings, Related

RULES = (
    *words.RULES,
    *numbers.RULES,
    *operators.RULES,
    *rows.RULES,
    brackets.unbalanced,
    expected.ended,
    expected.unexpected,
)


def explain(scalar: Scalar, tokens: Sequence[Token], stuck: Stuck, start: str, findings: Findings) -> None:
    """Add the faults of a formula on which the parser got stuck."""
    everywhere = characters.scan(scalar.text, tokens)
    if everywhere:
        for item in everywhere:
            findings.add(item.kind, scalar.at(item.start, item.end), **item.values)
        return
    context = Context(scalar.text, tokens, stuck.index, start)
    for rule in RULES:
        told = rule(context)
        if told is not None:
            related = _related(scalar, told.values)
            findings.add(told.kind, scalar.at(told.start, told.end), related=related, **told.values)
            return


def _related(scalar: Scalar, values: dict[str, object]) -> tuple[Related, ...]:
    opened = values.pop("opened_here", None)
    if not isinstance(opened, Token):
        return ()
    return (Related(scalar.at(opened.start, opened.end), "this bracket is open here"),)
