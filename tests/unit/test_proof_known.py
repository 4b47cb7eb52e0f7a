"""Answers that are known for the gates of the Ask protocol at its sealed counts."""

from __future__ import annotations

import pytest

from protoc_compiler.proof.compare import Pair
from unit.proving import EACH, MIXED, ask, compared, rule

DROPPED = ("must: all strata have accuracy >= 0.75", "must: count(cases) >= 1")
LIMIT = ("FP > 2 or FN > 2", "FP > 3 or FN > 3")


@pytest.mark.parametrize("metric", ["accuracy", "balanced_accuracy", "provider_precision"])
def test_thresholds_that_the_recalls_imply_change_nothing(metric: str) -> None:
    found = compared((f"must: {metric} >= 0.90", f"must: {metric} >= 0.88"))
    assert (found.verdict.direction, found.verdict.status) == ("equivalent", "proved")
    assert found.rules[0].direction == "looser"


@pytest.mark.parametrize(
    ("metric", "counts"),
    [
        ("provider_recall", {"TP": 43, "TN": 48, "FP": 0, "FN": 5}),
        ("no_source_recall", {"TP": 48, "TN": 43, "FP": 5, "FN": 0}),
    ],
)
def test_a_recall_that_is_lowered_lets_five_errors_pass(metric: str, counts: dict[str, int]) -> None:
    found = compared((f"must: {metric} >= 0.90", f"must: {metric} >= 0.89"), replay=True)
    assert (found.verdict.direction, found.verdict.status) == ("looser", "witness")
    witness = found.verdict.witness
    assert witness is not None
    assert {name: value for name, value in witness.counts if name in counts} == counts
    assert (witness.old, witness.new, witness.replayed, witness.errors) == ("MIXED", "GOOD", True, 5)
    in_groups = [dict(one) for times, one in witness.groups for _ in range(times)]
    assert len(in_groups) == 12
    assert {name: sum(one[name] for one in in_groups) for name in counts} == counts
    assert all(one["FP"] + one["FN"] <= 2 for one in in_groups)


def test_strictly_above_is_stricter() -> None:
    found = compared(("have accuracy >= 0.75", "have accuracy > 0.75"), replay=True)
    assert (found.verdict.direction, found.verdict.status) == ("stricter", "witness")
    assert rule(found, "P2.6").direction == "stricter"


def test_a_recall_with_a_wrong_divisor_cannot_be_passed() -> None:
    found = compared(("is: TP / (TP + FN)", "is: TP / (TP + TN)"))
    assert found.verdict.looser.state == "no"
    assert found.verdict.stricter.state == "possible"
    assert rule(found, "P2.4").direction == "incomparable"


@pytest.mark.parametrize("changes", [(DROPPED,), (LIMIT,)])
def test_one_of_two_limits_of_strata_changes_nothing(changes: tuple[tuple[str, str], ...]) -> None:
    assert compared(*changes).verdict.direction == "equivalent"


def test_both_limits_of_strata_together_let_a_worse_system_pass() -> None:
    found = compared(DROPPED, LIMIT, replay=True)
    assert (found.verdict.direction, found.verdict.status) == ("looser", "witness")
    assert found.verdict.witness is not None
    assert found.verdict.witness.errors == 3


def test_a_tag_that_crosses_strata_is_counted() -> None:
    found = compared(("educational_recall == 1.00", "educational_recall >= 0.90"), replay=True)
    assert (found.verdict.direction, found.verdict.status) == ("looser", "witness")


def test_a_blocker_without_one_of_its_causes_is_looser() -> None:
    found = compared(("generation.attempts > 0 or generation.calls > 0", "generation.attempts > 0"), replay=True)
    assert rule(found, "P1.4").direction == "looser"
    witness = found.verdict.witness
    assert witness is not None
    assert (witness.old, witness.new) == ("BLOCKED", "GOOD")


def test_judged_shares_are_compared_too() -> None:
    found = compared(("must: top3 >= 0.80", "must: top3 >= 0.79"), replay=True)
    assert (found.verdict.direction, found.verdict.status) == ("looser", "witness")


def test_the_same_rule_in_other_words_is_the_same() -> None:
    found = compared(("is: (TP + TN) / count(cases)", "is: (TN + TP) / (TP + FP + TN + FN)"))
    assert [one for one in found.rules if one.direction != "equivalent"] == []
    assert (found.verdict.direction, found.verdict.status) == ("equivalent", "proved")


def test_other_data_are_not_compared() -> None:
    for more in ((), (("must: accuracy >= 0.90", "must: accuracy >= 0.80"),)):
        found = compared((EACH, MIXED), *more)
        assert not found.same_data
        assert (found.verdict.direction, found.verdict.reason) == ("undecided", "the two expect different data")
    assert compared(("must: accuracy >= 0.90", "must: accuracy >= 0.80")).same_data


def test_of_other_data_nothing_is_said_of_a_rule_that_stands_alone() -> None:
    alone = "  P2.1: {says: Overall accuracy at least 0.90., must: accuracy >= 0.90, cites: [A039]}\n"
    changed = Pair(ask(), ask((EACH, MIXED), (alone, ""), (", gates.P2.1", "")))
    gone = rule(changed.compared(), "P2.1")
    assert (gone.status, gone.reason) == ("undecided", "the two expect different data")
    assert ("gates", "P2.1") not in changed.old.closing._closed


def test_the_gates_and_their_errors() -> None:
    from protoc_compiler.proof.cases import Cases
    from protoc_compiler.proof.facts import Facts

    facts = Facts(ask((EACH, MIXED)))
    cases = Cases(facts)
    names = [part.name for part in facts.counted]
    assert names == ["P2.1", "P2.2", "P2.3", "P2.4", "P2.5", "P2.6", "P2.7", "P2.8 part 1", "P2.8 part 2"]
    redundant = [part.name for part in facts.counted if cases.implied(part)]
    assert redundant == [name for name in names if name not in ("P2.4", "P2.5")]
    most = facts.most_errors()
    assert most.found is not None
    assert most.found.errors == 8


ODD = (
    "  - {is: MIXED otherwise, cites: [A051]}",
    "  - {is: ODD when "
    + " and ".join(f"(gates.P2.{n} is true)" for n in (1, 2, 3, 4, 5, 6, 8))
    + " and (gates.P2.7 is not true), cites: [A051]}\n"
    "  - {is: MIXED otherwise, cites: [A051]}",
)


@pytest.mark.parametrize(("steps", "can"), [(400, False), (40, None)])
def test_counting_that_was_cut_short_goes_on_where_rows_show_nothing(steps: int, can: bool | None) -> None:
    from protoc_compiler.proof.cases import Cases
    from protoc_compiler.proof.facts import Facts

    found = Cases(Facts(ask((EACH, MIXED), ODD), steps)).verdict("ODD")
    assert found.can is can
    assert found.reason.startswith("" if can is False else "the work that is allowed did not suffice; none of ")
