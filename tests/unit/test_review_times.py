"""W2611: times of all raters together are compared, and only where an orderly review may look like a breach."""

from __future__ import annotations

from pathlib import Path

import pytest

from protoc_compiler.pipeline import examine

CASE = Path(__file__).parents[1] / "cli" / "W2611-times-of-different-raters" / "protocol.yaml"
BASE = CASE.read_text(encoding="utf-8")
BLIND = "saved < first_opinion_shown_at"
TIMES = "columns: {case: cases, inventory_saved_at: time, first_opinion_shown_at: time}"
INVENTORY = "      marks: text\n      raters: [QA1, QA2]\n"
OPINION = "      follows: inventory\n      raters: [QA1, QA2]\n"


def warned(*changes: tuple[str, str]) -> list[str]:
    """The warnings W2611 of the protocol after changes, each with its message and hint."""
    text = BASE
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new, 1)
    done = examine("protocol.yaml", text.encode())
    assert [item for item in done.findings if item.severity == "error"] == []
    return [f"{item.message}; {item.hint}" for item in done.findings if item.id == "W2611"]


def test_a_comparison_of_all_raters_is_told_once_with_the_key_to_write() -> None:
    (told,) = warned()
    assert "when the last of QA1 and QA2 has saved `inventory`" in told
    assert "`key: [case, rater]` and the column `rater: [QA1, QA2]`" in told


@pytest.mark.parametrize(
    "formula",
    [
        "inventory_saved_at < first_opinion_shown_at",
        "not (first_opinion_shown_at <= saved)",
        "2020-01-01T00:00Z < saved < first_opinion_shown_at",
    ],
)
def test_however_it_is_written(formula: str) -> None:
    assert len(warned((BLIND, formula))) == 1


def test_a_comparison_over_all_rows_is_told_too() -> None:
    over = "{is: max(inventory_saved_at over reviews) < min(first_opinion_shown_at over reviews), if_undefined: true}"
    rule = ("some reviews have not blind", "not blind")
    assert len(warned((f"  reviews.blind: {BLIND}", f"  blind: {over}"), rule)) == 1


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param(
            [("      key: case\n      " + TIMES, "      key: [case, rater]\n      " + TIMES.replace(
                "{case: cases, ", "{case: cases, rater: [QA1, QA2], "))], id="each rater's own times",
        ),
        pytest.param([("      judges: answers\n", "      judges: doubted\n"), ("definitions:\n",
            "definitions:\n  doubted: answers where (some gold matching case and quote)\n")],
            id="rows that wait for all raters"),
        pytest.param([(OPINION, OPINION.replace("[QA1, QA2]", "[QA3, QA4]")), ("rater: [QA1, QA2], opinion",
            "rater: [QA3, QA4], opinion")], id="other raters, who wait for all"),
        pytest.param([(BLIND, "saved is defined and first_opinion_shown_at is defined")], id="not compared"),
        pytest.param([(BLIND, "saved < 2030-01-01T00:00Z and first_opinion_shown_at < 2030-01-01T00:00Z"
            )], id="compared with something else"),
    ],
)  # fmt: skip
def test_no_warning_where_the_times_say_what_they_seem_to_say(changes: list[tuple[str, str]]) -> None:
    assert warned(*changes) == []


def test_a_single_rater_is_not_warned() -> None:
    one = [(INVENTORY, "      marks: text\n"), (OPINION, "      follows: inventory\n"),
           ("      key: [case, rater, n]\n      columns: {case: cases, rater: [QA1, QA2], ",
            "      key: [case, n]\n      columns: {case: cases, "),
           ("      key: [case, rater]\n      columns: {case: cases, rater: [QA1, QA2], ",
            "      key: case\n      columns: {case: cases, ")]  # fmt: skip
    assert warned(*one) == []
