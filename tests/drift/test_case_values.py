"""What a case says of metrics: both values where the two versions compute them differently, and which is whose."""

from __future__ import annotations

import json
import re
from fractions import Fraction

import pytest

from protoc_compiler.drift import show
from protoc_compiler.drift.model import Report
from protoc_compiler.drift.reading import read
from protoc_compiler.drift.review import review
from protoc_compiler.proof.answers import Value, Witness

SPEC = """\
protoc: 1
protocol: {id: retriever, version: 1, title: Retriever}
data:
  tables:
    kinds: {key: name, rows: [easy, hard]}
    queries:
      key: query
      columns: {query: text, kind: kinds, spread: decimal}
      expect: [count(queries) == 40]
    found: {key: [query, rank], columns: {query: queries, rank: int}}
    outcomes: {key: query, columns: {query: queries, outcome: [ok, failed]}}
definitions:
  needed: 30
  queries.hit: count(found) > 0
metrics:
  spread: mean(spread over queries)
  recall: rate(hit over queries)
  misses: count(queries where not hit)
  share.<kinds>: rate(hit over queries)
blockers:
  failed: {says: One failed., when: some outcomes have outcome == failed, forces: INVALID}
gates:
  even: {says: The spread is narrow., must: spread <= 0.3}
  finds: {says: Something is found., must: recall >= 80%}
  many: {says: Enough are found., must: count(queries where hit) >= needed}
verdict:
  - INVALID when some blockers have fired
  - PASS when all gates have held
  - FAIL otherwise
report:
  released: [PASS]
"""


def _review(*changes: tuple[str, str], base: str = SPEC) -> Report:
    text = base
    for before, after in changes:
        assert before in text
        text = text.replace(before, after)
    return review(*(read("protocol.yaml", "protocol.yaml", one.encode()) for one in (base, text)))


@pytest.fixture(scope="module")
def median() -> Report:
    return _review(("mean(spread", "median(spread"))


def _rule(report: Report, rule: str) -> tuple[str, ...]:
    return next(effect.cases for effect in report.effects if effect.rule == rule)


@pytest.mark.parametrize("form", ["text", "markdown"])
def test_a_metric_that_is_computed_otherwise_shows_both_values(median: Report, form: str) -> None:
    shown = show.render([(median, ())], form)
    assert "case: queries 40; spread 0.5 before, 0 now: FAIL before, PASS now" in shown
    told = re.findall(r"spread ([\d.]+) before, ([\d.]+) now: (holds|does not hold) before", shown)
    assert sorted(held for _, _, held in told) == ["does not hold", "holds"]
    for before, now, held in told:
        limit = Fraction("0.3")
        assert (Fraction(before) <= limit, Fraction(now) <= limit) == (held == "holds", held != "holds")


def test_two_cases_in_a_cell_of_a_table_stand_on_lines_of_their_own(median: Report) -> None:
    shown = show.render([(median, ())], "markdown")
    (row,) = [line for line in shown.splitlines() if line.startswith("| `gates.even` |")]
    one, other = row.split("<br>")
    assert "shown by a case: queries 40; spread " in one
    assert other.startswith("case: queries 40; spread ")


def test_programs_have_both_values_beside_each_other(median: Report) -> None:
    made = json.loads(show.render([(median, ())], "json"))
    found = next(rule["witness"] for rule in made["rules"] if rule["rule"] == "gates.even")
    for one, holds_now in ((found, True), (found["contrary"], False)):
        values = [Fraction(one[key]["spread"]) for key in ("measured_before", "measured")]
        assert [value <= Fraction("0.3") for value in values] == [not holds_now, holds_now]
        assert one["measured"]["queries"] == one["measured_before"]["queries"] == "40"


def test_tables_that_no_changed_rule_reads_are_left_to_programs(median: Report) -> None:
    """`outcomes` has one row, of which only a blocker asks: what it has to do with the change nobody could tell."""
    assert not any("outcomes" in case for case in median.verdict.cases)
    assert median.verdict.witness is not None
    assert median.verdict.witness["measured"]["outcomes"] == "1"


def test_a_share_keeps_its_rows_also_where_it_is_a_whole_number() -> None:
    report = _review(("rate(hit over queries)", "rate(hit over queries where kind == easy)"))
    assert "recall 1/40 before, 1/1 now: does not hold before, holds now" in "".join(_rule(report, "gates.finds"))
    assert "recall 32/40 before, 31/39 now" in "".join(report.verdict.cases)


def test_a_metric_with_the_same_value_shows_it_once() -> None:
    report = _review(("recall >= 80%", "recall >= 90%"))
    (case,) = _rule(report, "gates.finds")
    assert "recall 32/40: holds before, does not hold now" in case
    assert "misses" not in case  # the gate does not read it


def test_a_gate_that_reads_another_metric_now_shows_the_one_before_too() -> None:
    report = _review(("must: recall >= 80%", "must: misses <= 3"))
    (case,) = _rule(report, "gates.finds")
    assert "recall 32/40" in case
    assert "misses 8" in case


def test_a_metric_of_one_side_says_on_which_it_is() -> None:
    report = _review(("must: recall >= 80%", "must: lost <= 3"), ("  spread: mean", "  lost: misses\n  spread: mean"))
    assert "lost 8 now" in "".join(_rule(report, "gates.finds"))


def test_what_is_undefined_on_one_side_is_told() -> None:
    report = _review(("rate(hit over queries)", "rate(hit over queries where spread > 9)"))
    assert "recall 32/40 before, undefined now" in "".join([*report.verdict.cases, *_rule(report, "gates.finds")])


def test_a_definition_that_differs_is_shown_where_no_metric_does() -> None:
    higher = _review(("needed: 30", "needed: 33"))
    assert "needed 30 before, 33 now: holds before" in "".join(_rule(higher, "gates.many"))
    asked = SPEC.replace("count(queries where hit) >= needed", "all queries have hit")
    other = _review(
        ("recall >= 80%", "recall >= 0%"), ("rate(hit over queries)", "rate(spread > 0 over queries)"),
        ("misses: count(queries where not hit)", "misses: count(queries)"), ("count(found) > 0", "spread > 2"),
        base=asked,
    )  # fmt: skip
    assert "queries.hit " in "".join(_rule(other, "gates.many"))
    assert " before, " in "".join(_rule(other, "gates.many")).partition("queries.hit ")[2].partition(":")[0]


def test_rows_that_a_rule_counts_itself_are_told_as_it_writes_them() -> None:
    report = _review(("some outcomes have outcome == failed", "count(outcomes where outcome == failed) > 2"))
    (case,) = report.verdict.cases
    assert "count(outcomes where outcome == failed) 1: INVALID before, PASS now" in case
    other = _review(("count(found) > 0", "spread > 2"))
    assert "count(queries where hit) 0 before, 30 now: does not hold before" in "".join(_rule(other, "gates.many"))


def _kinds(quantifier: str, limit: str = "at_least") -> str:
    return SPEC.replace("rows: [easy, hard]", "rows: {easy: {at_least: 50%}, hard: {at_least: 50%}}").replace(
        "must: recall >= 80%", f"must: {quantifier} kinds have share >= {limit}"
    )


def test_of_many_rows_that_are_asked_those_that_the_two_ask_another_thing_of_are_shown() -> None:
    report = _review(("easy: {at_least: 50%}", "easy: {at_least: 70%}"), base=_kinds("all"))
    case = " ".join(_rule(report, "gates.finds"))
    easy = re.search(r"share\.easy (\d+)/(\d+)", case)
    assert easy is not None
    assert Fraction(1, 2) <= Fraction(int(easy[1]), int(easy[2])) < Fraction(7, 10)
    assert "share.hard" not in case


def test_of_a_few_rows_that_are_asked_the_same_all_are_shown() -> None:
    report = _review(("all kinds have", "some kinds have"), base=_kinds("all"))
    (case,) = report.verdict.cases
    assert re.search(r"share\.easy [\w/]+, share\.hard [\w/]+: FAIL before, PASS now", case)
    assert report.verdict.witness is not None
    assert {"share.easy", "share.hard"} & set(report.verdict.witness["measured"])


def test_where_the_verdict_alone_has_changed_a_case_says_which_rules_fail() -> None:
    lines = SPEC[SPEC.index("  - INVALID when") : SPEC.index("  - FAIL otherwise")]
    first, second = lines.splitlines(keepends=True)
    report = _review((lines, second + first))
    (case,) = report.verdict.cases
    counted = "count(outcomes where outcome == failed) 1"
    assert case == f"case: outcomes 1, blockers.failed fires, {counted}: INVALID before, PASS now"


def test_of_many_values_that_differ_the_last_are_counted() -> None:
    many = tuple(Value(f"m{at}", "1/2", "0/2") for at in range(9))
    witness = Witness((), (), 0, "PASS", "FAIL", True, (Value("cases", "2", "2"), *many))
    assert witness.text().startswith("cases 2; m0 1/2 before, 0/2 now; m1 ")
    assert witness.text().endswith("; m4 1/2 before, 0/2 now; 4 more that differ")
