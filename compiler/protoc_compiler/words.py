"""Compares the numbers in the words of each blocker, gate and check with those of its formula, and their directions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from types import MappingProxyType

from protoc_compiler import directions, number_words, syntax
from protoc_compiler.catalogue import words as kinds
from protoc_compiler.elaborate.kinds import UNITS
from protoc_compiler.number_words import Said
from protoc_compiler.spec import Body, Conditions, FirstMatch, Formula, Rule, Spec, Text
from protoc_compiler.unparse import unparse
from protoc_runtime.diagnostics import Diagnostic, Findings, Related, Span
from protoc_runtime.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_FREE = (0, 1, 2)
_QUANTILES = {"p95": (Fraction(95, 100), "the 95th percentile"), "median": (Fraction(1, 2), "the median")}
_NONE: Mapping[str, Body] = MappingProxyType({})


@record
class Written:
    """One number of a formula, without its sign; `value` is in the base unit `unit`, `plain` as it is written.

    `within` are the values of the constant expressions around it, such as 4/5 around 4 and 5.
    """

    tree: syntax.Expr
    value: Fraction
    plain: Fraction
    unit: str
    within: tuple[Fraction, ...] = ()


def check_words(spec: Spec, findings: Findings) -> None:
    """Add E0701 to E0703 for each rule whose words and formula have different numbers or go different ways.

    Where the formula has a fault already (a name that is not there, a number without its unit), a number of the words
    may be lacking in it for that, and is no second fault; one for which it has another number is.
    """
    constants = _constants(spec)
    formulas = {item.name.text: item.body for item in (*spec.definitions.items, *spec.metrics.items)}
    faulty = [item.span for item in findings.told if item.span is not None and item.kind.severity == "error"]
    for section, rules in (("blockers", spec.blockers), ("gates", spec.gates), ("checks", spec.checks)):
        for rule in rules.items:
            own = Findings()
            check_rule(f"{section}.{rule.name.text}", rule, constants, own, formulas)
            inside = [span for span in faulty for tree in trees(rule.body) if _inside(span, tree.span)]
            findings.extend(item for item in own.told if not (inside and _follows(item, inside)))


def _follows(item: Diagnostic, inside: list[Span]) -> bool:
    """Whether a difference may come of faults in the formula."""
    return item.kind == kinds.NOT_IN_FORMULA and all(other.span in inside for other in item.related)


def _inside(span: Span, whole: Span) -> bool:
    first, last = (span.line, span.column), (span.end_line, span.end_column)
    return (whole.line, whole.column) <= first and last <= (whole.end_line, whole.end_column)


def check_rule(
    name: str, rule: Rule, constants: dict[str, syntax.Expr], findings: Findings, formulas: Mapping[str, Body] = _NONE
) -> None:
    """Compare one rule; `constants` are the literals that names stand for, `formulas` all that they do."""
    said = number_words.numbers(rule.says.text)
    nodes = [node for tree in trees(rule.body) for node in syntax.nodes(tree)]
    own = [number for tree in trees(rule.body) for number in _numbers(tree)]
    wrong = [number for number in said if number.strict and not any(_same(number, item) for item in own)]
    if wrong:
        named = [number for node in nodes for number in _named(node, constants)]
        spelt = {number for node in nodes for number in _in_names(node)}
        wrong = [number for number in wrong if not _occurs(number, named, spelt)]
    lacking = [item for item in own if _must_be_said(item) and not any(_same(number, item) for number in said)]
    said_so = [(number, f"`{number.text}`", _statistic(number, nodes, formulas)) for number in wrong]
    _tell(name, rule, said_so, [item.tree for item in lacking], findings)
    if not wrong and not lacking:
        _check_directions(name, rule, nodes, said, constants, findings)
    dates = [node for node in nodes if isinstance(node, syntax.Date)]
    if dates:
        _check_dates(name, rule, dates, constants, findings)


def _check_directions(
    name: str,
    rule: Rule,
    nodes: list[syntax.Tree],
    said: list[Said],
    constants: dict[str, syntax.Expr],
    findings: Findings,
) -> None:
    """ "At least", "below" and their like stand over the comparison that they say."""

    def value(tree: syntax.Expr) -> Fraction | None:
        """The number that a formula comes to, names of constants resolved; None where it is none."""
        known = constants.get(unparse(tree)) if isinstance(tree, syntax.Name | syntax.Field) else None
        return folded(known if known is not None else tree)

    fires = name.startswith("blockers.")
    parts = list(trees(rule.body)) if isinstance(rule.body, Conditions) and rule.body.kind == "any" else []
    for one in directions.contradictions(rule.says.text, said, nodes, value, fires=fires, parts=parts):
        related = [Related(one.tree.span, "the formula")]
        words = f"`{one.said} {one.number.text}`"
        comparison = f"`{unparse(one.tree)}`"
        place = _place(rule.says, one.number)
        findings.add(kinds.OTHER_DIRECTION, place, related=related, rule=name, said=words, found=comparison)


def _check_dates(
    name: str, rule: Rule, own: list[syntax.Date], constants: dict[str, syntax.Expr], findings: Findings
) -> None:
    """Dates of the formula are compared by their day; the words may spell the month."""
    named = [tree for tree in constants.values() if isinstance(tree, syntax.Date)]
    days = {date.text[:10] for date in own + named}
    wrong = [item for item in number_words.dates(rule.says.text) if item.text[:10] not in days]
    lacking = [date for date in own if not number_words.says_day(rule.says.text, date.text[:10])]
    _tell(name, rule, [(item, f"`{item.text}`", "") for item in wrong], lacking, findings)


def _tell(
    name: str, rule: Rule, wrong: list[tuple[Said, str, str]], lacking: Sequence[syntax.Expr], findings: Findings
) -> None:
    """What the words say and the formula lacks, and the other way round; one difference is told once."""
    instead = lacking if len({unparse(tree) for tree in lacking}) == 1 else []
    for item, said, first in wrong:
        related = [Related(tree.span, "the formula") for tree in instead]
        other = f" (the formula has `{unparse(instead[0])}`)" if instead else ""
        place = _place(rule.says, item)
        findings.add(kinds.NOT_IN_FORMULA, place, related=related, rule=name, said=said, instead=other, first=first)
    for tree in [] if wrong and instead else lacking:
        related = [Related(rule.says.span, "its words")]
        findings.add(kinds.NOT_IN_WORDS, tree.span, related=related, rule=name, found=f"`{unparse(tree)}`")


def _statistic(said: Said, nodes: Sequence[syntax.Tree], formulas: Mapping[str, Body]) -> str:
    """How to say a number that the formula lacks and computes: "95% of them within 200 ms" is the `p95` of a formula,
    or of a metric that it names. Empty for others."""
    named = [formulas[node.text] for node in nodes if isinstance(node, syntax.Name) and node.text in formulas]
    behind = [node for body in named for tree in trees(body) for node in syntax.nodes(tree)]
    for node in (*nodes, *behind):
        if not isinstance(node, syntax.Call) or node.name not in _QUANTILES:
            continue
        share, words = _QUANTILES[node.name]
        if said.values == (share,):
            return f"say `{words}`, which `{unparse(node)}` computes, or "
    return ""


def _must_be_said(item: Written) -> bool:
    return item.plain not in _FREE or bool(item.unit)


def _occurs(number: Said, items: list[Written], spelt: set[Fraction]) -> bool:
    """Whether a number of the words is one of a constant that the formula names, or part of a name in it."""
    return any(_same(number, item) for item in items) or (not number.unit and bool(spelt & set(number.values)))


def _same(said: Said, item: Written) -> bool:
    if said.unit and item.unit:
        return said.unit == item.unit and item.value in said.values
    return item.plain in said.values or item.value in said.values or any(value in said.values for value in item.within)


def _place(says: Text, said: Said) -> Span:
    """The span of a number where the words stand on one line as written, else of all the words."""
    span = says.span
    spare = span.end_column - span.column - len(says.text)
    if span.line != span.end_line or spare not in (0, 2):
        return span
    column = span.column + spare // 2
    return Span(span.file, span.line, column + said.start, span.line, column + said.end)


def trees(body: Body) -> Iterator[syntax.Tree]:
    """The trees of a rule's body."""
    if isinstance(body, Formula):
        yield body.tree
    elif isinstance(body, Conditions):
        yield from (part.tree for part in body.parts)
    elif isinstance(body, FirstMatch):
        yield from body.lines


def _constants(spec: Spec) -> dict[str, syntax.Expr]:
    """Definitions that are nothing but a literal, by name; frozen values as `freeze.NAME`."""
    found: dict[str, syntax.Expr] = {}
    for item in (*spec.definitions.items, *spec.metrics.items):
        tree = item.body.tree if isinstance(item.body, Formula) else None
        if isinstance(tree, syntax.Date) or folded(tree) is not None:
            assert tree is not None
            found[item.name.text] = tree
    for frozen in spec.procedure.freeze:
        if frozen.value is not None and folded(frozen.value.tree) is not None:
            found[f"freeze.{frozen.name.text}"] = frozen.value.tree
    return found


def _named(node: syntax.Tree, constants: dict[str, syntax.Expr]) -> list[Written]:
    """The numbers of the constant that a node names."""
    target = constants.get(unparse(node)) if isinstance(node, syntax.Name | syntax.Field) else None
    return [] if target is None else list(_numbers(target))


def _in_names(node: syntax.Tree) -> list[Fraction]:
    """The numbers in a name or text, such as the 3 of `top3`, which words may say."""
    match node:
        case syntax.Name(text=word) | syntax.Field(name=word) | syntax.Call(name=word) | syntax.String(value=word):
            return [Fraction(digits) for digits in re.findall(r"[0-9]+", word)]
    return []


def _numbers(tree: Any, within: tuple[Fraction, ...] = ()) -> Iterator[Written]:
    """Every number of a tree; exponents and the counts of `latest` among them."""
    if isinstance(tree, syntax.Quantity):
        base, factor = UNITS[tree.unit]
        yield Written(tree, tree.value * factor, tree.value, base, within)
        return
    if isinstance(tree, syntax.Number):
        yield Written(tree, tree.value, tree.value, "", within)
        return
    if isinstance(tree, syntax.Table) and tree.latest is not None:
        count = syntax.Number(tree.span, Fraction(tree.latest), str(tree.latest))
        yield Written(count, count.value, count.value, "", within)
    value = folded(tree) if isinstance(tree, syntax.Arithmetic | syntax.Negative | syntax.Power) else None
    for child in syntax.children(tree):
        yield from _numbers(child, within if value is None else (*within, abs(value)))


def folded(tree: Any) -> Fraction | None:
    """The value of an expression of literals alone, in base units."""
    match tree:
        case syntax.Number():
            return tree.value
        case syntax.Quantity():
            return tree.value * UNITS[tree.unit][1]
        case syntax.Paren(_, inner):
            return folded(inner)
        case syntax.Negative(_, operand):
            value = folded(operand)
            return None if value is None else -value
        case syntax.Power(_, base, exponent):
            value = folded(base)
            return None if value is None else value**exponent.value.numerator
        case syntax.Arithmetic(_, op, left, right):
            return _calculated(op, folded(left), folded(right))
    return None


def _calculated(op: str, left: Fraction | None, right: Fraction | None) -> Fraction | None:
    if left is None or right is None or (op == "/" and right == 0):
        return None
    if op == "/":
        return left / right
    return {"+": left + right, "-": left - right, "*": left * right}[op]
