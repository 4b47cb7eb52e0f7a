"""Compares "at least", "below" and their like in the words of a rule with the comparison of the same number.

Only where there is no doubt: one such phrase beside the number, one comparison with it, and no negation anywhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from protoc_compiler import syntax
from protoc_compiler.number_words import Said
from protoc_runtime.record import record

_BEFORE = (
    (">=", r"at or above|at least|no less than|no fewer than|a minimum of|not below|not under|not less than"),
    ("<=", r"at or below|at most|no more than|up to|a maximum of|not above|not over|not more than"),
    (">", r"more than|greater than|larger than|above|over|exceeds"),
    ("<", r"less than|fewer than|smaller than|below|under"),
)
_AFTER = ((">=", r"or (?:more|above|over|better)"), ("<=", r"or (?:less|fewer|below|under)"))
_NEGATION = re.compile(r"\b(?:no|not|never|none|neither|nor|nothing|without|unless|except|cannot)\b", re.IGNORECASE)
_MIRRORED = {">=": "<=", "<=": ">=", ">": "<", "<": ">"}
_OPPOSITE = {">=": "<", "<=": ">", ">": "<=", "<": ">="}


@record
class Contradiction:
    """The words say `said` of a number, and the formula compares it by `op` in `tree`."""

    said: str
    number: Said
    op: str
    tree: syntax.Chain


def contradictions(words: str, said: list[Said], trees: list[Any], values: Any, fires: bool) -> Iterator[Contradiction]:
    """Numbers whose phrase and comparison go different ways; `values(tree)` is the value of an expression of literals.

    A blocker (`fires`) may be told by what it forbids or by what it demands.
    """
    chains = [chain for tree in trees for chain in _chains(tree)]
    if any(_negated(tree) for tree in trees):
        return
    for number in said:
        phrase = _phrase(words, number)
        found = [(op, chain) for chain in chains for op in _compared(chain, number, values)]
        if phrase is None or len(found) != 1:
            continue
        ((op, chain),) = found
        allowed = {phrase[0], _OPPOSITE[phrase[0]]} if fires else {phrase[0]}
        if op not in allowed:
            yield Contradiction(phrase[1], number, op, chain)


def _phrase(words: str, number: Said) -> tuple[str, str] | None:
    """The comparison that the words beside a number say, and these words; None where a negation may turn it."""
    before, after = words[: number.start], words[number.end :]
    told = [
        (op, found.group(1))
        for ops, text, pattern in ((_BEFORE, before, r"\b({})\s+$"), (_AFTER, after, r"^\s*(?:\w+\s+)?({})\b"))
        for op, phrase in ops
        if (found := re.search(pattern.format(phrase), text, re.IGNORECASE))
    ][:1]
    if not told:
        return None
    rest = words.replace(told[0][1], " ", 1)
    return None if _NEGATION.search(rest) else told[0]


def _compared(chain: syntax.Chain, number: Said, values: Any) -> Iterator[str]:
    """How a comparison compares something with this number, the number on the right."""
    for left, op, right in zip(chain.operands, chain.ops, chain.operands[1:], strict=False):
        if op in _MIRRORED:
            if _is(values(right), number):
                yield op
            if _is(values(left), number):
                yield _MIRRORED[op]


def _is(value: Fraction | None, number: Said) -> bool:
    return value is not None and value in number.values


def _negated(tree: Any) -> bool:
    """Whether something in a formula turns the sense of its comparisons."""
    turned = isinstance(tree, syntax.Not) or (isinstance(tree, syntax.Quantified) and tree.quantifier == "no")
    return turned or any(_negated(child) for child in syntax.children(tree))


def _chains(tree: Any) -> Iterator[syntax.Chain]:
    if isinstance(tree, syntax.Chain):
        yield tree
    for child in syntax.children(tree):
        yield from _chains(child)
