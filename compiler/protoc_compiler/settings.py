"""Values of settings that are written as formulas: durations, whole numbers, and texts that may be frozen ones."""

from __future__ import annotations

from fractions import Fraction

from protoc_compiler import core, syntax
from protoc_compiler.catalogue import types as kinds
from protoc_compiler.elaborate.elaborator import Elaborator
from protoc_compiler.spec import Formula, KeyCites, Text

FROZEN = "freeze."
MOST_AT_ONCE = 256


def limit(el: Elaborator, formula: Formula | None) -> Fraction | None:
    """A time-out: a duration above 0."""
    value = seconds(el, formula)
    if formula is not None and value is not None and value <= 0:
        hint = "a time-out of 0 would end every call before it begins"
        el.findings.add(kinds.BAD_LITERAL, formula.span, found=formula.text, expected="a duration above 0", hint=hint)
        return None
    return value


def at_once(el: Elaborator, formula: Formula | None, what: str) -> int:
    """How many things may be under way at the same time: from 1 to `MOST_AT_ONCE`, 1 where nothing is written."""
    value = whole(el, formula, what, "4")
    if formula is not None and value is not None and value > MOST_AT_ONCE:
        expected, hint = f"at most {MOST_AT_ONCE}", f"write {what}, at most {MOST_AT_ONCE}"
        el.findings.add(kinds.BAD_LITERAL, formula.span, found=formula.text, expected=expected, hint=hint)
    return min(value or 1, MOST_AT_ONCE)


def seconds(el: Elaborator, formula: Formula | None) -> Fraction | None:
    """A duration with its unit, in seconds; None where none is written, or where it is refused."""
    if formula is None:
        return None
    if isinstance(formula.tree, syntax.Quantity):
        value = el.expr(formula.tree, ())
        if isinstance(value, core.Const) and value.type.unit == "s" and isinstance(value.value, Fraction):
            return value.value
    hint = "write a duration with its unit, such as `5 s` or `900 ms`"
    el.findings.add(kinds.BAD_LITERAL, formula.span, found=formula.text, expected="a duration", hint=hint)
    return None


def whole(el: Elaborator, formula: Formula | None, what: str, example: str) -> int | None:
    """A whole number from 1, or a frozen one (`freeze.dimension`); None where none is written or it is refused."""
    if formula is None:
        return None
    tree = formula.tree
    if formula.text.startswith(FROZEN):
        tree = _frozen(el, formula.text) or tree
    if isinstance(tree, syntax.Number) and tree.value.denominator == 1 and tree.value >= 1 and not tree.percent:
        return int(tree.value)
    hint = f"write {what}, such as `{example}`"
    el.findings.add(kinds.BAD_LITERAL, formula.span, found=formula.text, expected="a whole number", hint=hint)
    return None


def frozen_text(el: Elaborator, text: Text | None) -> str:
    """A text, or the frozen text that `freeze.NAME` stands for."""
    if text is None:
        return ""
    if not text.text.startswith(FROZEN):
        return text.text
    tree = _frozen(el, text.text)
    if isinstance(tree, syntax.String):
        return tree.value
    hint = "write the text itself, or `freeze.NAME` for a text that `procedure.freeze` fixes"
    el.findings.add(kinds.BAD_LITERAL, text.span, found=text.text, expected="a frozen text", hint=hint)
    return ""


def _frozen(el: Elaborator, path: str) -> syntax.Expr | None:
    name = path.removeprefix(FROZEN)
    for item in el.spec.procedure.freeze:
        if item.name.text == name and item.value is not None:
            return item.value.tree
    return None


def key_cites(written: KeyCites) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """The rules that keys cite, by key."""
    return tuple(sorted((key, tuple(rule.text for rule in rules)) for key, rules in written))
