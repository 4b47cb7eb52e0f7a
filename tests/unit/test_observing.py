"""A protocol gets exactly the observed columns that it declares."""

from __future__ import annotations

from fractions import Fraction

import pytest

from protoc_runtime.execution import Result
from protoc_runtime.observed import OUTCOMES
from protoc_runtime.observing import counters
from unit.projects import new_project, read_lines

TABLES = """    outcomes:
      from: runner
      key: case
      columns:
        case: cases
        outcome: [scored, failed, timed_out, quarantined, excluded]
        reason: text?
        wall: s?
    readings:
      from: registry
      key: reading
      columns: {reading: text, split: splits, use: [tune, score], run: text, at: time}
  records:
    seal: {from: seal, time: time, files_match: bool, reseals: int, commit: digest?, clean: bool?}
    subject: {from: subject, sha256: digest, committed: bool, files: int}
    launch: {from: runner, started: time, finished: time, cases: int, scored: int, unscored: int}
    receipt: {from: receipt, complete: bool}
  splits:
"""
USES = """  slow: count(outcomes where wall is defined and wall > 1 s)
  told: count(outcomes where reason is defined)
  tunings: count(readings where use == tune)
  resealed: seal.reseals
  lost: launch.unscored
metrics:
"""


@pytest.fixture(scope="module")
def bundle(tmp_path_factory):
    project = new_project(tmp_path_factory.mktemp("observed") / "project")
    project.edit("protocol.yaml", "  splits:\n", TABLES)
    project.edit(
        "protocol.yaml",
        "metrics:\n",
        USES.replace("metrics:\n", "")
        + "\nmetrics:\n  "
        + ("slow_cases: slow\n  told_cases: told\n  tuned: tunings\n  reseals: resealed\n  unscored: lost\n"),
    )
    project.seal()
    project.run("--phase", "tune", status=1)
    return project.run()


def test_every_observed_table_is_in_the_bundle(bundle):
    outcomes = read_lines(bundle / "rows" / "outcomes.jsonl")
    assert [row["case"] for row in outcomes] == [f"h{n}" for n in range(1, 9)]
    assert {row["outcome"] for row in outcomes} == {"scored"}
    assert all(0 < row["wall"] < 5 for row in outcomes)
    readings = read_lines(bundle / "rows" / "readings.jsonl")
    assert [(row["split"], row["use"]) for row in readings] == [("dev", "tune"), ("heldout", "score")]
    assert readings[1]["run"].endswith(bundle.name)
    (seal,) = read_lines(bundle / "rows" / "seal.jsonl")
    assert (seal["files_match"], seal["reseals"], seal["clean"]) == (True, 0, None)
    (subject,) = read_lines(bundle / "rows" / "subject.jsonl")
    assert (subject["committed"], subject["files"]) == (False, 1)
    (launch,) = read_lines(bundle / "rows" / "launch.jsonl")
    assert (launch["cases"], launch["scored"], launch["unscored"]) == (8, 8, 0)
    assert launch["started"] < launch["finished"]
    assert read_lines(bundle / "rows" / "receipt.jsonl") == [{"complete": True}]


def test_every_case_counts_in_one_outcome():
    results = [Result(str(n), outcome, None, None, None) for n, outcome in enumerate(("scored", "failed", "failed"))]
    assert counters(results) == {"cases": 3} | dict.fromkeys(OUTCOMES, 0) | {"scored": 1, "failed": 2}
    assert Fraction(counters([])["cases"]) == 0
