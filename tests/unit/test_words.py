"""Numbers in a rule's words against numbers in its formula."""

from __future__ import annotations

import os
import random
import re
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from protoc_compiler import number_words, source, syntax, words
from protoc_compiler.catalogue import words as kinds
from protoc_compiler.document.reading import Reader
from protoc_compiler.nodes import Mapping, Node, Scalar
from protoc_runtime.diagnostics import Diagnostic, Findings, Kind

SHARED = Path(os.environ.get("PROTOC_SHARED", Path(__file__).parents[3] / "shared"))
DRAFTS = sorted((SHARED / "design/language/specs").glob("*.yaml"))
FORMULA_KEYS = {"blockers": "when", "gates": "must", "checks": "is"}
NUMBER = re.compile(r"(?<![\w.])\d[\d_]*(\.\d+)?(?![\w.]\d|[A-Za-z_])")


def rule(text: str, constants: str = "") -> list[Diagnostic]:
    """What is said of one gate, given as the YAML of its body, beside constants as `name: literal` lines."""
    findings = Findings()
    root = source.read(f"gate:\n{text}\nconstants:\n{constants or '  none: 0'}\n".encode(), "spec.yaml", findings)
    assert root is not None, list(findings)
    reader = Reader(findings)
    ((name, node),) = [entry for entry in root.entries if entry[0].text == "gate"]
    read = reader.rule(name, node, "must")
    assert read is not None, list(findings)
    values = root.get("constants")
    assert isinstance(values, Mapping)
    named: dict[str, Any] = {}
    for key, value in values.entries:
        formula = reader.formula(value)
        assert formula is not None
        named[key.text] = formula.tree
    assert not list(findings)
    words.check_rule("gates.gate", read, named, findings)
    return list(findings)


@pytest.mark.parametrize(
    ("says", "must"),
    [
        ("At least 0.90.", "accuracy >= 0.90"),
        ("At least 0.90.", "accuracy >= 0.9"),
        ("At least 90%.", "accuracy >= 0.90"),
        ("At least ninety percent, that is 90 %.", "accuracy >= 90%"),
        ("At most 250 ms at the p95.", "latency <= 250 ms"),
        ("At most 3 minutes.", "age <= 180 s"),
        ("At most 180 seconds.", "age <= 3 min"),
        ("At most 1,500 rows.", "count(t) <= 1_500"),
        ("Fewer than twelve cases.", "count(t) < 12"),
        ("Three hundred and sixty-five days.", "days == 365"),
        ("Two thousand five hundred.", "n == 2_500"),
        ("A dozen.", "n == 12"),
        ("At least four fifths.", "rate >= 4/5"),
        ("At least 4/5.", "rate >= 0.8"),
        ("No more than 5 points lost.", "delta >= -5/100"),
        ("Costs below $0.80.", "cost < 0.80 USD"),
        ("Section 4 and version 2 of RFC 8785 as in v3; sha-256.", "exact"),
        ("The 95th percentile is below 7.", "quantile(x over t, at = 95%) < 7"),
        ("Variance at most 12 squared.", "variance <= 12 ^ 2"),
        ("No failure.", "failed == 0"),
        ("More than two of the latest 20.", "sum(r over latest 20 t) > 2"),
        ("Registered before 2026-08-10.", "at < 2026-08-10T09:00Z"),
        ("Registered before 10 August 2026.", "at < 2026-08-10"),
        ("HTTP 429 at most 3 times.", "count(t where status == 429) <= 3"),
        (
            "Recall of the top-10 and recall@5.",
            "r10 >= 0 and count(t where rank <= 10) > 0 and count(t where k == 5) > 0",
        ),
        ("Recall at 10 is at least 3x the base of 0.2.", "recall_at_10 >= 3 * 0.2"),
        ("The top 3 of 10k rows.", "top3 < 10_000"),
        ("At least one of 429 and 503.", "status in [429, 503]"),
    ],
)
def test_words_and_formula_agree(says: str, must: str) -> None:
    assert rule(f'  says: "{says}"\n  must: {must}') == []


@pytest.mark.parametrize(
    ("says", "must", "expected"),
    [
        ("At least 0.80.", "accuracy >= 0.90", ["number-not-in-formula"]),
        ("At least ninety.", "accuracy >= 91", ["number-not-in-words"]),
        ("At most 250 ms.", "latency <= 250 s", ["number-not-in-formula"]),
        ("At most 250 ms.", "latency <= 3_000 ms", ["number-not-in-formula"]),
        ("Below 5 USD.", "cost < 5 EUR", ["number-not-in-formula"]),
        ("At least 3.", "gates.other", ["number-not-in-formula"]),
        ("At least four fifths.", "rate >= 3/5", ["number-not-in-words", "number-not-in-words"]),
        ("Before 2026-08-10.", "at < 2026-08-11", ["number-not-in-formula"]),
    ],
)
def test_words_and_formula_disagree(says: str, must: str, expected: list[str]) -> None:
    assert [item.kind.name for item in rule(f"  says: {says}\n  must: {must}")] == expected


@pytest.mark.parametrize("kind", kinds.KINDS, ids=lambda kind: kind.name)
def test_each_kind_has_an_example_that_triggers_exactly_it(kind: Kind) -> None:
    body = kind.example.split("\n", 2)[2]
    assert [item.kind for item in rule(body)] == [kind]


@pytest.mark.parametrize(
    ("says", "must"),
    [
        ("At least 0.80.", "accuracy > 0.80"),
        ("At most 0.80.", "accuracy < 0.80"),
        ("More than 0.80.", "accuracy >= 0.80"),
        ("Below 0.80.", "accuracy <= 0.80"),
        ("At or above 0.80.", "0.80 >= accuracy"),
        ("Costs up to 5 USD.", "cost >= 5 USD"),
        ("0.80 or more.", "accuracy <= 0.80"),
        ("80% or fewer.", "accuracy >= 0.80"),
        ("At least 0.80 for every kind.", "all kinds have accuracy <= 0.80"),
        ("At least 0.80, if there are 5 or more.", "count(cases) <= 5 or accuracy >= 0.80"),
        ("At least 0.80, if there are 5 or more.", "count(cases) < 5 and accuracy >= 0.80"),
        ("At least 0.80, if there are 5 or more.", "count(cases) < 5 or accuracy <= 0.80"),
        ("5 or more, or at least 0.80.", "count(cases) < 5 or accuracy >= 0.80"),
    ],
)
def test_words_that_go_another_way_are_told(says: str, must: str) -> None:
    (found,) = rule(f"  says: {says}\n  must: {must}")
    assert found.kind is kinds.OTHER_DIRECTION


@pytest.mark.parametrize(
    ("says", "must"),
    [
        ("At least 0.80.", "accuracy >= 0.80"),
        ("At least 0.80.", "0.80 <= accuracy"),
        ("Not above 0.80.", "accuracy <= 0.80"),
        ("No more than 0.80.", "accuracy <= 0.80"),
        ("At or above 0.80.", "accuracy >= 0.80"),
        ("No kind has more than 0.80.", "all kinds have accuracy <= 0.80"),
        ("At most 6 a case.", "no cases have wrong > 6"),
        ("At least 0.80 and at most 0.80 again.", "accuracy >= 0.80 and recall <= 0.80"),
        ("The limit is 0.80.", "accuracy < 0.80"),
        ("At least 0.80, if there are 5 or more.", "count(cases) < 5 or accuracy >= 0.80"),
        ("If there are 5 or more cases, at least 0.80.", "accuracy >= 0.80 or count(cases) < 5"),
        ("At least 0.80 where more than 5 are there.", "count(cases) <= 5 or accuracy >= 0.80"),
        ("At least 0.80, if there are 5 or more.", "{any: [count(cases) < 5, accuracy >= 0.80]}"),
    ],
)
def test_words_that_may_go_that_way_are_not_told(says: str, must: str) -> None:
    assert rule(f"  says: {says}\n  must: {must}") == []


def test_a_constant_stands_for_its_value() -> None:
    body = "  says: Costs at most {0} USD.\n  must: cost <= budget"
    assert rule(body.format("0.80"), "  budget: 0.80 USD") == []
    (item,) = rule(body.format("0.90"), "  budget: 0.80 USD")
    assert item.kind is kinds.NOT_IN_FORMULA


def test_the_caret_stands_under_the_number() -> None:
    for quote in ("", '"', "'"):
        (first,) = rule(f"  says: {quote}At least 0.80 of them.{quote}\n  must: accuracy >= 0.90")
        assert first.span is not None
        assert (first.span.line, first.span.column, first.span.end_column) == (2, 18 + len(quote), 22 + len(quote))
        assert "0.90" in first.message
        (other,) = first.related
        assert (other.span.line, other.span.column) == (3, 21)


def test_each_of_several_differences_is_told_at_its_place() -> None:
    first, second, third = rule("  says: At least 0.80.\n  must: accuracy >= 0.90 and recall >= 0.85")
    assert [item.kind.id for item in (first, second, third)] == ["E0701", "E0702", "E0702"]
    assert second.span is not None
    assert (second.span.line, second.span.column) == (3, 21)
    assert second.related[0].span.line == 2


def test_every_line_of_a_list_counts() -> None:
    text = "  says: At most 0.25 and 0.05.\n  must:\n    all:\n      - a <= 0.25\n      - b <= 0.06"
    assert [item.message.count("0.06") for item in rule(text)] == [1]


@pytest.mark.parametrize("value", [*range(3, 130), 365, 999, 1000, 2500, 90_000])
def test_spelt_numbers(value: int) -> None:
    (said,) = number_words.numbers(f"at least {spell(value)} rows")
    assert said.values == (Fraction(value),)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("5 per cent", [("5 per cent", "1/20")]),
        ("5 per century", [("5", "5")]),
        ("5kg", []),
        ("1,000kg", [("1", "1")]),
        ("12 US dollars or 3 pp", [("12 US dollars", "12"), ("3 pp", "3")]),
        ("250ms and 2 min.", [("250ms", "1/4"), ("2 min", "120")]),
        ("40%pure", [("40", "40")]),
    ],
)
def test_a_word_behind_a_number_is_a_unit_or_none_of_it(text: str, found: list[tuple[str, str]]) -> None:
    assert [(said.text, said.values[0]) for said in number_words.numbers(text)] == [
        (words, Fraction(value)) for words, value in found
    ]


def spell(value: int) -> str:
    """English, as an author writes it."""
    teens = ("ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen")
    ones = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", *teens, "nineteen")
    tens = ("", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
    if value < 20:
        return ones[value]
    if value < 100:
        return tens[value // 10] + (f"-{ones[value % 10]}" if value % 10 else "")
    scale, name = (100, "hundred") if value < 1000 else (1000, "thousand")
    rest = f" and {spell(value % scale)}" if value % scale else ""
    return f"{spell(value // scale)} {name}{rest}"


def rules_of(path: Path) -> Iterator[tuple[str, Scalar, Node, dict[str, syntax.Expr]]]:
    """Every rule of a draft: its name, words, formula node, and the constants beside it."""
    findings = Findings()
    root = source.read(path, path.name, findings)
    assert root is not None
    reader = Reader(findings)
    constants: dict[str, syntax.Expr] = {}
    for section in ("definitions", "metrics"):
        node = root.get(section)
        for name, value in node.entries if isinstance(node, Mapping) else ():
            formula = reader.formula(value) if isinstance(value, Scalar) else None
            if formula is not None and words.folded(formula.tree) is not None:
                constants[name.text] = formula.tree
    for section, key in FORMULA_KEYS.items():
        node = root.get(section)
        for name, value in node.entries if isinstance(node, Mapping) else ():
            if isinstance(value, Mapping) and isinstance(says := value.get("says"), Scalar):
                formula_node = value.get(key)
                assert formula_node is not None
                yield f"{path.stem}.{name.text}", says, formula_node, constants


def judge(name: str, says: str, node: Node, constants: dict[str, syntax.Expr]) -> list[Diagnostic] | None:
    """What is said of one rule; None where its formula no longer parses."""
    findings = Findings()
    key = Scalar(name, "plain", node.span, ((1, 1),) * (len(name) + 1))
    words_scalar = Scalar(says, "plain", node.span, ((1, 1),) * (len(says) + 1))
    block = Mapping(((_key("says", node), words_scalar), (_key("must", node), node)), node.span)
    read = Reader(findings).rule(key, block, "must")
    if read is None:
        return None
    words.check_rule(name, read, constants, findings)
    return list(findings)


def _key(text: str, node: Node) -> Scalar:
    return Scalar(text, "plain", node.span, ((1, 1),) * (len(text) + 1))


def changed(literal: str, rng: random.Random) -> str:
    digits = len(literal.partition(".")[2])
    value = int(literal.replace("_", "").replace(".", ""))
    value += rng.choice([1, 5]) if value < 5 else rng.choice([-5, -1, 1, 5])
    return f"{value / 10**digits:.{digits}f}"


def mutants(node: Any, rng: random.Random) -> Iterator[Any]:
    """The node with one number changed, for each of its numbers."""
    if isinstance(node, Scalar):
        for match in NUMBER.finditer(node.text):
            text = node.text[: match.start()] + changed(match[0], rng) + node.text[match.end() :]
            yield Scalar(text, node.style, node.span, ((1, 1),) * (len(text) + 1))
    elif isinstance(node, Mapping):
        for i, (key, value) in enumerate(node.entries):
            for new in mutants(value, rng):
                yield Mapping((*node.entries[:i], (key, new), *node.entries[i + 1 :]), node.span)
    else:
        for i, item in enumerate(node.items):
            for new in mutants(item, rng):
                yield type(node)((*node.items[:i], new, *node.items[i + 1 :]), node.span)


@pytest.mark.skipif(not DRAFTS, reason=f"no drafts in {SHARED}")
def test_the_drafts_give_no_false_alarm() -> None:
    told = [
        (name, item.message)
        for path in DRAFTS
        for name, says, node, constants in rules_of(path)
        for item in judge(name, says.text, node, constants) or ()
    ]
    assert told == []


@pytest.mark.skipif(not DRAFTS, reason=f"no drafts in {SHARED}")
def test_most_numbers_cannot_be_changed_alone() -> None:
    """All changes of the words are caught, and all of the formulas but those of a 0, 1 or 2 into another of these."""
    rng = random.Random(7)
    caught = total = 0
    for path in DRAFTS:
        for name, says, node, constants in rules_of(path):
            for new in mutants(says, rng):
                assert judge(name, new.text, node, constants), new.text
                caught, total = caught + 1, total + 1
            for other in mutants(node, rng):
                told = judge(name, says.text, other, constants)
                caught, total = caught + bool(told), total + (told is not None)
    assert total > 150
    assert caught / total >= 0.88, f"{caught} of {total}"
