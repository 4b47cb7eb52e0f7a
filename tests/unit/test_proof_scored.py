"""What is expected of all rows says nothing of those that are scored, where a phase reads only some splits."""

from __future__ import annotations

import pytest

from protoc_compiler import core, proof
from protoc_compiler.drift.reading import read
from protoc_compiler.proof.closing import Closing
from protoc_compiler.proof.scored import Scored

SPEC = """protoc: 1
protocol: {id: parts, version: 1, title: A protocol that scores one of two splits}
data:
  tables:
    strata: {key: stratum, rows: [a, b]}
    cases:
      key: case
      columns: {case: text, split: splits, stratum: strata, size: int}
      expect:
        - count(cases where split == dev) == 6
        - count(cases where split == heldout) == 8
        - count(cases) == 14
        - all strata have count(cases matching stratum) == 7
        - no cases have size < 0
        - all cases have size < 9
    answers: {from: subject, key: case, columns: {case: cases, right: bool}}
  splits:
    dev: {role: development, may: [tune]}
    heldout: {role: heldout, may: [score once]}
procedure:
  subject: {python: "s.py:f", of: cases, sees: [size]}
  phases:
    - {phase: tune, reads: [dev], use: tune}
    - {phase: score, reads: [heldout], use: score}
definitions:
  cases.right: {is: only(answers).right, if_undefined: false}
gates:
  enough: {says: At least 88% are right., must: rate(right over cases) >= 88%}
verdict: [PASS when all gates have held, FAIL otherwise]
report: {released: [PASS]}
"""


def _protocol(*changes: tuple[str, str]) -> core.Protocol:
    text = SPEC
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return read("parts.yaml", "parts.yaml", text.encode()).protocol


def test_a_change_that_only_the_scored_rows_show_is_found() -> None:
    """Of all 14 rows, 88 % and 87.5 % are 13; of the 8 that are scored they are 8 and 7."""
    found = proof.compare(_protocol(), _protocol((">= 88%", ">= 87.5%"))).verdict
    assert found.direction == "looser"
    assert found.stricter.state == "no"


def test_it_is_shown_by_a_case_of_scored_rows() -> None:
    short = ("        - count(cases) == 14\n        - all strata have count(cases matching stratum) == 7\n", "")
    found = proof.compare(_protocol(short), _protocol(short, (">= 88%", ">= 87.5%"))).verdict
    assert found.looser.state == "yes"
    assert found.witness is not None
    assert found.witness.errors == 1


@pytest.mark.parametrize(
    ("change", "left"),
    [
        (None, {"cases.1", "cases.3", "cases.4"}),
        (("reads: [heldout], use", "reads: [dev, heldout], use"), set()),
        (("reads: [dev], use: tune", "reads: [dev], use: score"), {"cases.1", "cases.2", "cases.3", "cases.4"}),
    ],
)
def test_what_is_expected_of_rows_that_are_not_read_is_left_out(change: tuple[str, str] | None, left: set[str]) -> None:
    made = _protocol(*([change] if change is not None else []))
    assert Scored(made, Closing(made)).left_out() == left
