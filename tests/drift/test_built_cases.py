"""Small changes of limits are shown by rows that are built between them: of a rule alone, and of the verdict."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest

from protoc_compiler.drift.model import Report
from protoc_compiler.drift.reading import Source, read
from protoc_compiler.drift.review import review
from protoc_compiler.proof.trials.bounds import Between, between

SPEC = """\
protoc: 1
protocol: {id: extractor, version: 1, title: Does the extractor keep its limits?}
data:
  tables:
    kinds:
      key: kind
      rows:
        invoice: {at_least: 90%, critical: true}
        receipt: {at_least: 80%, critical: false}
        letter: {at_least: 60%, critical: false}
    cases:
      key: case
      columns: {case: text, kind: kinds, pages: int, scanned: bool, fields: int}
      expect: [count(cases) >= 6, all cases have fields >= 1]
    answers:
      key: case
      columns: {case: cases, found: int, confidence: decimal, state: [read, guessed, refused]}
definitions:
  cases.answer: only(answers)
  cases.right: {is: answer.found == fields and answer.state == read, if_undefined: false}
metrics:
  right_of.<kinds>: rate(right over cases)
  accuracy: rate(right over cases)
  scanned_right: rate(right over cases where scanned)
  critical_right: rate(right over cases where kind.critical and pages <= 20)
  sure: mean(confidence over answers)
blockers:
  too_few: {says: A document has no answer., when: some cases have count(answers) < 1, forces: INVALID}
gates:
  each_kind: {says: Each kind is read as its row asks., must: all kinds have right_of >= at_least}
  scans: {says: Scans are read., must: scanned_right >= 30% or accuracy >= 95%}
  critical: {says: Short critical documents are right., must: critical_right >= 75%}
  certain: {says: The answers are sure., must: sure >= 0.6}
verdict:
  - INVALID when some blockers have fired
  - PASS when all gates have held
  - FAIL otherwise
report: {released: [PASS]}
"""
LISTED = {
    "lowered": ("receipt: {at_least: 80%", "receipt: {at_least: 70%"),
    "raised by little": ("at_least: 90%", "at_least: 91%"),
}
PLAIN = {
    "a share by little": ("scanned_right >= 30%", "scanned_right >= 31%"),
    "the other part of the gate": ("accuracy >= 95%", "accuracy >= 96%"),
    "a mean by little": ("sure >= 0.6", "sure >= 0.61"),
}
GAINED, LOST = "FAIL before, PASS now", "PASS before, FAIL now"


def _review(*changes: tuple[str, str]) -> Report:
    text = SPEC
    for before, after in changes:
        assert before in text
        text = text.replace(before, after)
    return review(_read(SPEC), _read(text))


def _read(text: str) -> Source:
    return read("protocol.yaml", "protocol.yaml", text.encode())


def _shown(report: Report) -> list[str]:
    return [case for effect in (*report.effects, report.verdict) for case in effect.cases]


@pytest.mark.parametrize("change", [*LISTED.values(), *PLAIN.values()], ids=[*LISTED, *PLAIN])
def test_a_small_change_of_a_limit_is_shown_of_the_rule_and_of_the_verdict(change: tuple[str, str]) -> None:
    report = _review(change)
    way = "looser" if change == LISTED["lowered"] else "stricter"
    assert (report.verdict.direction, report.verdict.status) == (way, "witness")
    assert (GAINED if way == "looser" else LOST) in report.verdict.cases[0]
    changed = [effect for effect in report.effects if effect.direction == way]
    assert [effect.status for effect in changed] == [("proved" if "sure" in change[0] else "witness")]


def test_the_least_share_between_two_listed_limits_is_shown() -> None:
    report = _review(LISTED["lowered"])
    assert "right_of.receipt 3/4" in report.verdict.cases[0]


def test_limits_that_are_swapped_are_shown_in_both_ways() -> None:
    report = _review(
        ("receipt: {at_least: 80%", "receipt: {at_least: 61%"), ("letter: {at_least: 60%", "letter: {at_least: 81%")
    )
    told = {effect.rule: effect for effect in (*report.effects, report.verdict)}
    assert told["verdict"].status == told["gates.each_kind"].status == "witness"
    assert [told["verdict"].cases[at].rpartition(": ")[2] for at in (0, 1)] == [GAINED, LOST]
    assert re.search(r"right_of\.receipt 2/3", told["verdict"].cases[0])
    assert re.search(r"right_of\.letter 2/3", told["verdict"].cases[1])


def test_a_filter_that_counts_fewer_is_shown_where_another_gate_asks_for_most_of_them() -> None:
    report = _review(("pages <= 20", "pages <= 10"))
    assert report.verdict.status == "witness"
    assert [case.rpartition(": ")[2] for case in report.verdict.cases] == [GAINED, LOST]


def test_a_case_does_not_depend_on_how_texts_are_hashed(tmp_path: Path) -> None:
    for name, text in (("a", SPEC), ("b", SPEC.replace(*LISTED["lowered"]))):
        (tmp_path / f"{name}.yaml").write_text(text, encoding="utf-8")
    command = [sys.executable, "-m", "protoc_compiler", "diff", "a.yaml", "b.yaml"]
    said = [
        subprocess.run(
            command, cwd=tmp_path, env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, check=False
        ).stdout
        for seed in ("0", "1")
    ]
    assert b"FAIL before, PASS now" in said[0]
    assert said[0] == said[1]


SHARES = [
    (("7/10", "8/10"), 1, (4, 3)),  # 3/4 is the least
    (("3/10", "31/100"), 1, (10, 3)),
    (("3/5", "4/5"), 1, (3, 2)),
    (("7/10", "8/10"), 5, (7, 5)),  # of 5 and of 6 none
]


@pytest.mark.parametrize(("bounds", "least", "expected"), SHARES)
def test_the_least_share_between(bounds: tuple[str, str], least: int, expected: tuple[int, int]) -> None:
    low, high = map(Fraction, bounds)
    size, part = next(iter(Between(low, high).sizes(least)))
    assert (size, part) == expected
    assert low <= Fraction(part, size) < high


def test_a_count_between_two_numbers() -> None:
    assert (6, 2) in set(Between(Fraction(2), Fraction(3)).sizes(6))


def test_what_rows_have_made_is_no_bound() -> None:
    from protoc_compiler.proof.program import support

    made = support()["Ratio"](1, 2)
    found, apart = between({"g": [(made, Fraction(4, 5))]}, {"g": [(made, Fraction(7, 10))]})
    assert (found, apart) == ([Between(Fraction(7, 10), Fraction(4, 5))], True)
    found, apart = between({"g": [(made, Fraction(4, 5))]}, {"g": [(made, Fraction(4, 5))]})
    assert (found, apart) == ([Between(Fraction(4, 5), Fraction(4, 5))], False)


@pytest.mark.parametrize(("expected", "shown"), [("count(cases) >= 6, ", 6), ("", 1)])
def test_a_case_of_counts_has_no_rows_that_it_can_do_without(expected: str, shown: int) -> None:
    old = SPEC.replace("count(cases) >= 6, ", expected)
    report = review(_read(old), _read(old.replace("pages <= 20", "pages > 20")))
    told = {effect.rule: effect for effect in report.effects}
    assert len(told["gates.critical"].cases) == 2
    assert f"case: cases {shown};" in told["gates.critical"].cases[1]


def test_of_a_case_of_counts_errors_are_told_as_many_as_are_left() -> None:
    old = SPEC.replace("    answers:\n", "    answers:\n      from: subject\n").replace(" or accuracy >= 95%", "")
    report = review(_read(old), _read(old.replace("scanned_right >= 30%", "scanned_right >= 31%")))
    scans = next(effect for effect in report.effects if effect.rule == "gates.scans")
    assert scans.cases == ("case: cases 10, scanned_right 3/10: holds before, does not hold now",)
    assert scans.witness is not None
    assert scans.witness["errors"] == 7


def test_a_case_does_not_depend_on_what_was_compared_before() -> None:
    changes = (LISTED["lowered"], PLAIN["a share by little"], ("pages <= 20", "pages <= 10"))
    first = [_shown(_review(change)) for change in changes]
    assert [_shown(_review(change)) for change in reversed(changes)] == first[::-1]
    assert all(first)
