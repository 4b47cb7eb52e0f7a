"""Ties between a canonical block and the thresholds of rules: both say one number, and a difference is told."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from typing import Any

from protoc_compiler import syntax
from protoc_compiler.catalogue import manifests as kinds
from protoc_compiler.elaborate.elaborator import Elaborator
from protoc_compiler.names import RULE_SPACES
from protoc_compiler.spec import Rule
from protoc_compiler.spec_manifest import CopyDecl
from protoc_compiler.spec_parts import Text
from protoc_compiler.unparse import unparse
from protoc_compiler.words import trees
from protoc_runtime.diagnostics import Related
from protoc_runtime.manifests.meaning import Unreadable, at, shown


def check_ties(el: Elaborator, written: CopyDecl, block: Any) -> tuple[tuple[str, str], ...]:
    """The ties of a block, after each has been compared (E2102, E2103)."""
    made = []
    for entry, rule in written.ties:
        reason = _compare(el, written, entry, rule, block)
        if reason:
            el.findings.add(kinds.BAD_TIE, rule.span, entry=entry.text, rule=rule.text, reason=reason)
        made.append((entry.text, rule.text))
    return tuple(sorted(made))


def _compare(el: Elaborator, written: CopyDecl, entry: Text, rule: Text, block: Any) -> str:
    """Compare one tie; why it cannot be compared, or ""."""
    try:
        theirs = at(block, f"/{entry.text}")
    except Unreadable as fault:
        return str(fault)
    if isinstance(theirs, bool) or not isinstance(theirs, (int, Decimal)):
        return f"the entry is {shown(theirs, 60)}, no number"
    found = _rule(el, rule)
    if found is None:
        return "there is no such rule"
    literals = [literal for tree in trees(found.body) for literal in _literals(tree)]
    if len(literals) != 1:
        return f"its formula has {len(literals) or 'no'} number{'s' if len(literals) != 1 else ''}"
    if literals[0].value != Fraction(theirs):
        related = (Related(literals[0].span, "the threshold"),)
        el.findings.add(
            kinds.TIE_DIFFERS, entry.span, related=related, rule=rule.text, ours=unparse(literals[0]),
            place=written.place.text, theirs=shown(theirs), entry=entry.text,
        )  # fmt: skip
    return ""


def _rule(el: Elaborator, rule: Text) -> Rule | None:
    space, _, name = rule.text.partition(".")
    if space not in RULE_SPACES:
        return None
    return next((item for item in getattr(el.spec, space).items if item.name.text == name), None)


def _literals(tree: Any) -> Iterator[Any]:
    if isinstance(tree, (syntax.Number, syntax.Quantity)):
        yield tree
    for value in tree.__dict__.values():
        for child in value if isinstance(value, tuple) else (value,):
            if isinstance(child, syntax.Tree):
                yield from _literals(child)
