"""Formulas: trees, positions, the table against the grammar, and a message for each way to get one wrong."""

from __future__ import annotations

import sys
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protoc_compiler import _parser, grammar_tables, lalr, syntax, tree_actions
from protoc_compiler.catalogue import syntax as kinds
from protoc_compiler.lexer import tokenize
from protoc_compiler.nodes import Scalar
from protoc_compiler.parse import MAX_LENGTH, parse_formula, parse_line
from protoc_compiler.unparse import unparse
from protoc_runtime.diagnostics import Diagnostic, Findings, Span


def scalar(text: str) -> Scalar:
    """A plain scalar on line 1, with line breaks followed."""
    places, line, column = [], 1, 1
    for character in text:
        places.append((line, column))
        line, column = (line + 1, 1) if character == "\n" else (line, column + 1)
    places.append((line, column))
    return Scalar(text, "plain", Span("spec.yaml", 1, 1, line, column), tuple(places))


def formula(text: str) -> syntax.Expr:
    findings = Findings()
    tree = parse_formula(scalar(text), findings)
    assert tree is not None, [item.message for item in findings]
    assert not list(findings)
    return tree


def faults(text: str, line: bool = False) -> list[Diagnostic]:
    findings = Findings()
    parse: Any = parse_line if line else parse_formula
    assert parse(scalar(text), findings) is None, f"{text!r} parses"
    return list(findings)


def shape(tree: Any) -> Any:
    """A tree without its spans."""
    if isinstance(tree, tuple):
        return tuple(shape(item) for item in tree)
    if isinstance(tree, syntax.Tree):
        fields = {name: shape(value) for name, value in tree.__dict__.items() if name != "span"}
        if isinstance(tree, syntax.Number | syntax.Quantity):
            fields["text"] = fields["text"].replace(" ", "")
        return type(tree).__name__, fields
    return tree


def test_the_table_is_the_grammar_in_strict_mode() -> None:
    committed = (grammar_tables.HERE / "_parser.py").read_text(encoding="utf-8")
    assert grammar_tables.render(grammar_tables.build()) == committed


def test_an_aggregate_with_filter_and_option() -> None:
    tree = formula("quantile(latency over calls where ok, at = 95%) <= 250 ms")
    assert isinstance(tree, syntax.Chain)
    call, limit = tree.operands
    assert isinstance(call, syntax.Call)
    assert isinstance(call.rows, syntax.Table)
    assert isinstance(call.options[0].value, syntax.Number)
    assert call.options[0].value.value == Fraction(19, 20)
    assert call.options[0].value.percent
    assert isinstance(limit, syntax.Quantity)
    assert (limit.value, limit.unit, limit.text) == (Fraction(250), "ms", "250 ms")


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("-x ^ 2", "-x ^ 2"),
        ("a+b*c", "a + b * c"),
        ("+x", "x"),
        ("85 %", "85%"),
        ("250ms", "250 ms"),
        ("x not   in [a,b]", "x not in [a, b]"),
        ("x in 3 .. 5", "x in 3..5"),
        ("all gates have held", "all gates have held"),
        ("cross of a and b", "cross of a and b"),
        ("latest 20 t as u where c ordered by -a then b", "latest 20 t as u where c ordered by -a then b"),
        ("x is not  defined\n and gates.P2.1", "x is not defined and gates.P2.1"),
        ("strip.0.40.99.5", "strip.0.40.99.5"),
        ("2026-08-10T09:00Z <= at", "2026-08-10T09:00Z <= at"),
        ('label == "two words"', 'label == "two words"'),
    ],
)
def test_canonical_spelling(text: str, canonical: str) -> None:
    assert unparse(formula(text)) == canonical


def test_a_sign_binds_weaker_than_a_power() -> None:
    tree = formula("-x ^ 2")
    assert isinstance(tree, syntax.Negative)
    assert isinstance(tree.operand, syntax.Power)


def test_lines() -> None:
    findings = Findings()
    first = parse_line(scalar("GOOD when all gates have held"), findings)
    last = parse_line(scalar("BAD otherwise"), findings)
    assert first is not None
    assert isinstance(first.condition, syntax.Quantified)
    assert last is not None
    assert last.condition is None
    assert not list(findings)


def test_spans_follow_lines() -> None:
    tree = formula("accuracy >= 0.90\n  and failed == 0")
    assert isinstance(tree, syntax.And)
    assert tree.parts[1].span == Span("spec.yaml", 2, 7, 2, 18)


ROWS = st.sampled_from(["cases", "entire cases", "earlier runs", "latest 3 r", "t as u", "a.b where c", "t matching k"])
ATOMS = st.sampled_from(["x", "a.b.2", "12", "0.05", "85%", "250 ms", '"t w"', "true", "2026-08-10", "[a, 1]", "f(x)"])


@st.composite
def formulas(draw: st.DrawFn, depth: int = 3) -> str:
    if depth == 0:
        return draw(ATOMS)
    inner = formulas(depth - 1)
    form = draw(
        st.sampled_from(
            [
                "({0})",
                "({0} and {1})",
                "({0} or not ({1}))",
                "(({0}) + -({1}) * 2)",
                "(({0}) ^ 2)",
                "(({0}) <= ({1}) < 3)",
                "(({0}) in [{2}, x])",
                "(({0}) not in 1..({1}))",
                "(({0}) is not defined)",
                "(some {3} have {0})",
                "count({3})",
                "f({0} over {3})",
                "g({0}, {1} over {3}, at = ({1}))",
                "(no {3})",
            ]
        )
    )
    return str(form.format(draw(inner), draw(inner), draw(ATOMS), draw(ROWS)))


@given(formulas())
@settings(max_examples=150, deadline=None)
def test_what_is_printed_parses_to_the_same_tree(text: str) -> None:
    tree = formula(text)
    printed = unparse(tree)
    assert shape(formula(printed)) == shape(tree)
    assert unparse(formula(printed)) == printed


WORDS = [
    "x",
    "1",
    "(",
    ")",
    "[",
    "]",
    ",",
    ".",
    "==",
    "=",
    "where",
    "over",
    "all",
    "have",
    "is",
    "not",
    "in",
    "5",
    "ms",
    "%",
    "when",
    "..",
    "'",
    '"',
    "≥",
    "and",
    "f(",
    "latest",
    "e-3",
    "+",
    "-",
    "*",
    "^",
    "if",
    "of",
]


@given(st.lists(st.sampled_from(WORDS), max_size=9))
@settings(max_examples=400, deadline=None)
def test_every_text_gives_a_tree_or_a_fault_inside_it(words: list[str]) -> None:
    text = " ".join(words)
    for parse in (parse_formula, parse_line):
        findings = Findings()
        tree = parse(scalar(text), findings)
        assert (tree is None) == findings.failed
        for item in findings:
            assert item.span is not None
            assert item.span.column <= len(text) + 1
            assert item.message
            assert item.hint


@given(st.text(max_size=30))
@settings(max_examples=200, deadline=None)
def test_any_characters_are_refused_or_read(text: str) -> None:
    findings = Findings()
    assert (parse_formula(scalar(text), findings) is None) == findings.failed


LARK = grammar_tables.build()


@given(st.lists(st.sampled_from([*WORDS, "cross of", "x.1", "(x)", "f(x over", "no", "defined", "1..2"]), max_size=8))
@settings(max_examples=600, deadline=None)
def test_the_table_reads_what_lark_reads(words: list[str]) -> None:
    from lark.exceptions import UnexpectedInput

    text = " ".join(words)
    for start in ("expr", "line"):
        try:
            LARK.parse(text, start=start)
            theirs = True
        except UnexpectedInput:
            theirs = False
        try:
            lalr.run(tokenize(text), start, scalar(text).at)
            ours = True
        except lalr.Stuck:
            ours = False
        except tree_actions.Misuse:
            continue  # told before the rest is read
        assert ours == theirs, text


def test_the_lexer_agrees_with_the_grammar() -> None:
    texts = ["x1 >= 85 % and 5ms < 5 min or no_x", "cross  of a and b", "2026-08-10T09:00Z - 2026-1", "a.b.2 in 1..5 s"]
    for text in texts:
        theirs = [(token.type, str(token)) for token in LARK.lex(text)]
        assert [(token.kind, token.text) for token in tokenize(text)][:-1] == theirs


@pytest.mark.parametrize("kind", kinds.KINDS, ids=lambda kind: kind.name)
def test_each_kind_has_an_example_that_triggers_exactly_it(kind: Any) -> None:
    assert [item.kind for item in faults(kind.example, line=kind is kinds.OTHERWISE)] == [kind]


@pytest.mark.parametrize(
    ("text", "name", "found", "form"),
    [
        ("x >= 3 − 1", "pasted-character", "−", "`-`"),
        ("a || b", "foreign-operator", "||", "`or`"),
        ("x === 5", "foreign-operator", "===", "`==`"),
        ("x <> 5", "foreign-operator", "<>", "`!=`"),
        ("a AND b", "foreign-operator", "AND", "`and`"),
        ("!done", "foreign-operator", "!", "`not`"),
        ("x > = 5", "foreign-operator", "> =", "`>=`"),
        ("case.score > 3 or < 5", "comparison-without-left-side", "<", "`... or case.score < 5`"),
        ("x not == 3", "misplaced-not", "not ==", "`!=`"),
        ("a == not b", "misplaced-not", "not", "(not ...)"),
        ("x is null", "is-before-a-value", "is null", "`is undefined`"),
        ("x is not in [a]", "is-before-a-value", "is not in", "`not in`"),
        ("sum(cost for runs where ok)", "missing-over", "for", "over runs where ok)`"),
        ("rate(a = b over t)", "single-equals", "a = b", "`==`"),
        ("mean(x over t, where c)", "table-needs-parentheses", "where", "comma"),
        ("count cases where complete", "call-without-parentheses", "count", "`count(cases where complete)`"),
        ("10 % 3", "percent-operator", "%", "remainder"),
        ("x == 'a b'", "single-quotes", "'a b'", '`"a b"`'),
        ("x == no", "reserved-word", "no", '"no"'),
        ("(a + [b)", "unopened-bracket", ")", "`]`"),
        ("x < 1e-3", "number-form", "1e-3", "`0.001`"),
        ("x < 1,000", "number-form", "1,000", "`1_000`"),
        ("min(x, 1,000)", "number-form", "000", "`1_000`"),
        ("x < 1.000.000", "number-form", "1.000.000", "`1_000_000`"),
        ("x < 5 minutes", "unknown-unit", "minutes", "`5 min`"),
        ("x < 2 days", "unknown-unit", "days", "48 `h`"),
        ("count(t) == 12 cases", "unknown-unit", "cases", "leave it out"),
        ("naïve > 3", "unknown-character", "naïve", "letters A to Z"),
        ("sum(x over)", "incomplete-formula", "over", "over"),
        ("all gates held", "missing-have", "held", "have"),
        ("x defined", "foreign-word", "defined", "`is defined`"),
        ("x == defined", "foreign-word", "defined", "`x is defined`"),
        ("accuracy[V2] > 3", "unexpected-token", "[", "with a dot"),
        ("x < 2026-08-10T09:00", "date-form", "2026-08-10T09:00", "Z`"),
    ],
)
def test_the_message_names_the_place_and_the_form(text: str, name: str, found: str, form: str) -> None:
    (item,) = faults(text)
    assert item.kind.name == name
    assert item.span is not None
    assert text[item.span.column - 1 : item.span.end_column - 1] == found
    assert form in item.hint


@pytest.mark.parametrize("text", ["PASS", "otherwise", "PASS when", "PASS otherwise x", "PASS when a when b"])
def test_lines_that_lack_something(text: str) -> None:
    (item,) = faults(text, line=True)
    assert item.kind is kinds.OTHERWISE


def test_all_wrong_characters_are_told_at_once() -> None:
    assert [item.kind.name for item in faults("a ≥ 1 && b ≤ 'c'")] == [
        "pasted-character",
        "foreign-operator",
        "pasted-character",
        "single-quotes",
    ]


@pytest.mark.parametrize(
    "text", ["(" * 1900 + "x" + ")" * 1900, "not " * 900 + "x", "x" + " + x" * 900, "x" + ".a" * 900]
)
def test_deep_formulas_are_refused(text: str) -> None:
    (item,) = faults(text)
    assert item.kind is kinds.TOO_DEEP


def test_a_formula_at_the_depth_limit_prints() -> None:
    inner = lalr.MAX_DEPTH - 1
    text = "(" * inner + "x" + ")" * inner
    assert unparse(formula(text)) == text


def test_long_formulas_are_refused() -> None:
    (item,) = faults("x " * MAX_LENGTH)
    assert item.kind is kinds.TOO_LONG


def test_no_parser_library_is_loaded() -> None:
    import subprocess

    code = "import sys, protoc_compiler.parse; print('lark' in sys.modules, 'dataclasses' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]


def test_the_table_is_data() -> None:
    assert {action for _, _, action, _ in _parser.RULES} - {"", "*"} <= set(tree_actions.ACTIONS)
