"""What lets through some rows only now and others only before is shown by a case of each."""

from __future__ import annotations

import json

import pytest

from drift.test_meeting import MORE, TOPIC, _spec
from protoc_compiler.drift import show
from protoc_compiler.drift.model import Report
from protoc_compiler.drift.review import review

BOTH = ("FAIL before, PASS now", "PASS before, FAIL now")
OF_GATE = ("does not hold before, holds now", "holds before, does not hold now")


@pytest.fixture(scope="module")
def incomparable() -> Report:
    return review(_spec(TOPIC), _spec(MORE, asked="cases where sender == friend"))


@pytest.mark.parametrize("form", ["text", "markdown"])
def test_both_cases_are_shown_to_people(incomparable: Report, form: str) -> None:
    shown = show.render([(incomparable, ())], form, color=False, width=100, level=None)
    verdict, _, rules = shown.partition("Each rule alone" if form == "text" else "| rule alone")
    assert [verdict.count(words) for words in BOTH] == [1, 1]
    assert len(incomparable.verdict.cases) == 2
    assert [rules.count(words) for words in OF_GATE] == [1, 1]


def test_programs_find_the_other_case_beside_the_first(incomparable: Report) -> None:
    made = json.loads(show.render([(incomparable, ())], "json", color=False, width=100, level=None))
    first = made["verdict"]["witness"]
    assert (first["old"], first["new"]) == ("FAIL", "PASS")
    assert (first["contrary"]["old"], first["contrary"]["new"]) == ("PASS", "FAIL")
    assert first["contrary"]["replayed"]


def test_of_one_way_there_is_one_case() -> None:
    report = review(_spec(TOPIC), _spec(TOPIC, "60%"))
    assert len(report.verdict.cases) == 1
    assert report.verdict.witness is not None
    assert "contrary" not in report.verdict.witness
