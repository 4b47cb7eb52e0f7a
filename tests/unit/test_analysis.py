"""What is told about a protocol without data, and what is not."""

from __future__ import annotations

import sys
from fractions import Fraction
from types import FrameType

import pytest

from protoc_compiler.analysis.bounds import bounds
from unit.small import examine, ids, protocol, spec

VERDICT = "  - PASS when all gates have held\n  - FAIL otherwise\n"


def with_verdict(lines: str, gates: str = "") -> str:
    return spec(gates=gates, changes=((VERDICT, lines),))


@pytest.mark.parametrize(
    ("formula", "low", "high"),
    [
        ("rate(good over cases)", 0, 1),
        ("count(cases)", 0, None),
        ("1 - accuracy", 0, 1),
        ("accuracy * 100", 0, 100),
        ("(accuracy + accuracy) / 2", 0, 1),
        ("count(cases where good) / count(cases)", 0, None),
        ("max(size over cases)", None, None),
        ("min(accuracy, 3)", None, None),
    ],
)
def test_bounds(formula: str, low: int | None, high: int | None) -> None:
    made = protocol(spec(metrics=f"m: {formula}"))
    value = next(item.expr for item in made.items if item.name == "m")
    expected = tuple(None if end is None else Fraction(end) for end in (low, high))
    assert bounds(made, value) == expected


@pytest.mark.parametrize(
    "must", ["accuracy > 1", "accuracy < 0", "accuracy >= 75", "count(cases) < 0", "1 - accuracy > 1"]
)
def test_a_gate_that_cannot_hold(must: str) -> None:
    number = must.split()[-1]
    assert "E0801" in ids(spec(gates=f"g: {{says: It is {number} and 1., must: {must}}}"))


@pytest.mark.parametrize("must", ["accuracy <= 1", "accuracy >= 0", "count(cases) >= 0", "accuracy < 2"])
def test_a_gate_that_cannot_fail(must: str) -> None:
    number = must.split()[-1]
    assert "E0802" in ids(spec(gates=f"g: {{says: It is {number} and 1., must: {must}}}"))


@pytest.mark.parametrize("must", ["accuracy >= 1", "accuracy == 0", "accuracy < 1", "count(cases) > 0"])
def test_the_edge_is_a_real_threshold(must: str) -> None:
    number = must.split()[-1]
    found = ids(spec(gates=f"g: {{says: It is {number}., must: {must}}}"))
    assert [item for item in found if item[1:3] == "08"] in ([], ["W0805"])  # E28xx looks at the other gate, too


def test_the_note_names_the_count() -> None:
    (note,) = examine(spec(gates="g: {says: Accuracy at least 0.90., must: accuracy >= 0.90}")).findings.sorted()[-1:]
    assert note.message == "of 96, 0.9 means at least 87"


def test_a_threshold_on_a_count_needs_no_note() -> None:
    assert ids(spec()) == []


def test_lines_that_the_earlier_ones_take_are_unreachable() -> None:
    lines = "  - A when gates.enough is true\n  - B when gates.enough is not true\n  - C otherwise\n"
    assert ids(with_verdict(lines).replace("released: [PASS]", "released: [A]")) == ["E0804"]


def test_undefined_reaches_what_true_and_false_do_not() -> None:
    gates = "known: {says: Bin above 3., must: all cases have bin > 3}"
    lines = "  - PASS when gates.known is true\n  - BAD when gates.known is false\n  - FAIL otherwise\n"
    assert ids(with_verdict(lines, gates)) == ["W0838"]  # the gate `enough` is not asked


@pytest.mark.parametrize(
    ("asked", "check", "doubted"),
    [
        ("(all gates have held) and (no checks have failed)", "mean(bin over cases) <= 9", True),
        ("(all gates have held) and (no checks have failed)", "count(cases where good) >= 1", False),
        ("(all gates have held) and (all checks have held)", "mean(bin over cases) <= 9", False),
        ("(all gates have held) and (checks.low is not false)", "mean(bin over cases) <= 9", True),
        ("all gates have held", "mean(bin over cases) <= 9", False),
        ("no checks have failed", "mean(bin over cases) <= 9", True),
    ],
)
def test_a_release_that_an_undefined_check_passes_is_told(asked: str, check: str, doubted: bool) -> None:
    words = "The mean bin is at most 9." if "mean" in check else "At least 1 case is good."
    lines = f"  - PASS when {asked}\n  - FAIL otherwise\n"
    made = with_verdict(lines).replace("\nverdict:", f"\nchecks:\n  low: {{says: {words}, is: {check}}}\n\nverdict:")
    found = [item.message for item in examine(made).findings if item.id == "W0841"]
    assert len(found) == doubted
    assert all("where checks are undefined" in message for message in found)
    assert [each for each in ids(made) if each.startswith("E")] == []


def test_a_decided_rule_leaves_no_third_case() -> None:
    lines = "  - PASS when gates.any_good\n  - BAD when not gates.any_good\n  - FAIL otherwise\n"
    assert ids(with_verdict(lines, "any_good: {says: Some are good., must: some cases have good}")) == [
        "W0838",
        "E0804",
    ]


def test_many_rules_are_searched_within_the_budget() -> None:
    gates = "\n".join(
        f"g{index}: {{says: Some are good., must: some cases where size > {index + 3} have good}}"
        for index in range(30)
    )
    found = ids(with_verdict(VERDICT, gates.replace("says: Some are good.", "says: Some.")))
    assert "E0804" not in found


def test_very_many_rules_are_no_fault_of_the_tool() -> None:
    """The search goes one deeper with each rule; what it costs is bounded, whatever the number."""
    gates = "\n".join(
        f"g{index}: {{says: Some., must: some cases where size > {index + 3} have good}}" for index in range(1_200)
    )
    assert "E0804" not in ids(with_verdict(VERDICT, gates))


@pytest.mark.parametrize(
    ("lines", "unreachable"),
    [
        (("size < 3", "size < 2"), True),
        (("size < 3", "size <= 3"), False),
        (("size >= 40", "size in 30..39"), False),
        (("size in 1..5", "size == 5"), True),
        (("size in 1..5", "size in 2..6"), False),
        (("size > 3", "score > 4"), False),
    ],
)
def test_bands(lines: tuple[str, str], unreachable: bool) -> None:
    definition = (
        "cases.band:\n"
        + "".join(f"  - w{index} when {line}\n" for index, line in enumerate(lines))
        + "  - rest otherwise"
    )
    found = ids(spec(definitions=definition, metrics="m: distinct(band over cases)"))
    assert found == (["E0804"] if unreachable else [])


def test_of_gates_that_are_the_same_the_first_stays() -> None:
    """Also where other gates stand before them."""
    gates = "\n".join(
        [
            "other: {says: At least 90 cases., must: count(cases where good) >= 90}",
            "one: {says: At least 50 are hard., must: count(cases where kind == hard) >= 50}",
            "two: {says: At least 50 are hard., must: count(cases where kind == hard) >= 50}",
            "three: {says: At least 50 are hard., must: count(cases where kind == hard) >= 50}",
        ]
    )
    told = [item.message for item in examine(spec(gates=gates)).findings.sorted() if item.id == "W0805"]
    assert [message.split("`")[1::2] for message in told] == [["two", "one"], ["three", "one"]]


def test_twice_as_many_gates_are_no_four_times_the_work() -> None:
    """Counted by the functions that are called: no gate is held against each other one. The search for lines that
    nothing reaches has a budget of its own."""

    def calls(many: int) -> int:
        gates = "\n".join(
            f"g{number}: {{says: At least 0.5 of those above {number + 3} are good., "
            f"must: rate(good over cases where size > {number + 3}) >= 0.5}}"
            for number in range(many)
        )
        text, counted = spec(gates=gates), [0]

        def count(frame: FrameType, event: str, _: object) -> None:
            counted[0] += event == "call" and not frame.f_code.co_filename.endswith("reach.py")

        sys.setprofile(count)
        try:
            examine(text)
        finally:
            sys.setprofile(None)
        return counted[0]

    calls(50)  # what is loaded once
    assert calls(400) < 2.6 * calls(200)
