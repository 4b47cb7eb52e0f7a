"""Witnesses for rules about what is not counted row by row (means, medians, sums, ranked values), and free totals."""

from __future__ import annotations

import pytest

from protoc_compiler import core, proof
from protoc_compiler.proof import solver
from protoc_compiler.proof.explaining import explain
from protoc_compiler.render.explained import text
from unit.small import examine, spec

GATE = "  enough: {says: Accuracy at least 75%., must: accuracy >= 75%}"
FREE = ("      expect:\n        - count(cases) == 96\n", "")


def small(must: str, numbers: str, free: bool) -> core.Protocol:
    """The small protocol with another gate; `free`: nothing says how many cases there are."""
    gate = (GATE, f'  enough: {{says: "So of {numbers}.", must: {must}}}')
    made = examine(spec(changes=(gate, *([FREE] if free else []))))
    assert made.protocol is not None, [item.message for item in made.findings]
    return made.protocol


@pytest.mark.parametrize("free", [False, True])
@pytest.mark.parametrize(
    ("must", "numbers", "before", "after"),
    [
        ("p95(latency over cases) <= {} ms", "p95 and {} ms", "300", "400"),
        ("max(latency over cases) < {} ms", "{} ms", "300", "400"),
        ("median(size over cases) <= {}", "{}", "3", "4"),
        ("mean(score over cases) < {}", "{}", "3", "4"),
        ("accuracy >= 75% and mean(score over cases) > {}", "75% and {}", "3", "2"),
        ("sum(size over cases) > {}", "{}", "3", "2"),
    ],
)
def test_a_looser_limit_is_shown_by_rows_that_both_decide(
    must: str, numbers: str, before: str, after: str, free: bool
) -> None:
    one, two = (small(must.format(limit), numbers.format(limit), free) for limit in (before, after))
    (found,) = proof.compare(one, two, solver=False).rules
    assert found.looser.state == "yes"
    assert found.looser.witness is not None
    assert found.looser.witness.replayed
    assert found.looser.witness.text().startswith("cases ")
    (back,) = proof.compare(two, one, solver=False).rules
    assert back.stricter.state == "yes"


def test_a_witness_says_what_the_metrics_are_that_decide() -> None:
    one, two = (small(f"accuracy >= {share}", share, False) for share in ("75%", "74%"))
    assert proof.compare(one, two).verdict.direction == "equivalent"  # of 96, 72 and 72
    three = small("accuracy >= 70%", "70%", False)
    told = proof.compare(one, three).to_json()
    (found,) = told["rules"]
    rows, right = found["witness"]["measured"]["cases"], found["witness"]["measured"]["accuracy"]
    assert (rows, right) == ("96", "71/96")
    assert told["verdict"]["witness"]["measured"] == found["witness"]["measured"]


def test_so_many_rows_that_they_cannot_be_made_are_not_made() -> None:
    one, two = (small(f"count(cases where good) == {limit}", limit, True) for limit in ("72", "1000000000"))
    (found,) = proof.compare(one, two, solver=False).rules
    assert found.looser.state in ("possible", "unknown")


@pytest.mark.skipif(not solver.available(), reason="z3 is not installed")
def test_z3_decides_what_has_no_total() -> None:
    one, two = (small(f"accuracy >= {share}", share, True) for share in ("75%", "74%"))
    (open_one,) = proof.compare(one, two, solver=False).rules
    assert (open_one.looser.state, open_one.stricter.state) == ("unknown", "unknown")
    (found,) = proof.compare(one, two).rules
    assert (found.looser.state, found.stricter.state) == ("yes", "no")


@pytest.mark.skipif(not solver.available(), reason="z3 is not installed")
def test_z3_proves_for_any_number_of_rows() -> None:
    must = "count(cases where good) >= {0} * count(cases where kind == hard)"
    one, two = (small(must.format(factor), factor, True) for factor in ("2", "3"))
    (found,) = proof.compare(one, two).rules
    assert (found.looser.state, found.stricter.state) == ("no", "yes")


def split(share: str) -> core.Protocol:
    """The small protocol with eight held-out cases and six of another split, which no score reads."""
    changes = (
        (GATE, f'  enough: {{says: "At least {share}.", must: accuracy >= {share}}}'),
        ("        name: text\n", "        name: text\n        split: splits\n"),
        (
            "- count(cases) == 96",
            "- count(cases where split == test) == 8\n        - count(cases where split == dev) == 6",
        ),
        ("  splits:\n", "  splits:\n    dev: {role: development, may: [tune]}\n"),
    )
    made = examine(spec(changes=changes))
    assert made.protocol is not None, [item.message for item in made.findings]
    return made.protocol


@pytest.mark.parametrize(("share", "direction"), [("70%", "equivalent"), ("63%", "equivalent"), ("62%", "looser")])
def test_a_study_has_the_rows_of_the_splits_that_it_reads(share: str, direction: str) -> None:
    found = proof.compare(split("75%"), split(share), solver=False).verdict
    assert (found.direction, found.status) == (direction, "witness" if direction == "looser" else "proved")
    assert found.witness is None or found.witness.text() == "cases 8 of test, accuracy 5/8"


def test_explain_knows_the_total_of_what_is_read_and_says_what_to_expect() -> None:
    told = text(explain(split("75%"), 20_000))
    assert "    at least 6 of 8 (95 % interval" in told
    assert "allows at most 2 errors" in told
