"""Filled sheets: forms of lines that are none, and numbers that are equal in any form."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protoc_runtime.adjudication.importing import check_sheet
from protoc_runtime.adjudication.parts import Part
from protoc_runtime.adjudication.sheets import sheet_bytes, with_ends, worksheet
from protoc_runtime.adjudication.times import Window, window
from protoc_runtime.chain import Line as Event
from protoc_runtime.diagnostics import Findings
from protoc_runtime.procedure import Judgement

JUDGEMENT = Judgement(
    "topics", "found", "ratings", "label", ("case",), ("title",), (("good", "it helps"), ("bad", "no"))
)
TOLD = {"label": "good", "adjudicator": "Ada", "at": "2024-12-01T10:00:00+01:00", "note": "x"}


def line(case: str, title: Any = "Rings") -> dict[str, Any]:
    """One exported line."""
    empty = dict.fromkeys(TOLD, "")
    return {"judgement": "topics", "key": {"case": case}, "sees": {"title": title}, **empty}


def check(data: bytes, *due: dict[str, Any]) -> tuple[list[dict[str, Any]], list[tuple[str, int]]]:
    """What is taken of a sheet, and the faults with their lines."""
    findings = Findings()
    made = check_sheet(Part(JUDGEMENT, ""), list(due), data, "topics.jsonl", findings)
    return made, [(item.id, item.span.line if item.span else 0) for item in findings]


@pytest.mark.parametrize(
    "bad",
    [
        b"", b"  ", b"[]", b"nothing", b"\xff", b"{", b'{"judgement": "topics"}', b"[" * 100_000, b"1" * 5000,
        json.dumps(line("a") | TOLD | {"note": 5}).encode(),
        json.dumps(line("a") | TOLD | {"note": "x" * 3000}).encode(),
        json.dumps(line("a") | TOLD | {"note": "\ud800"}).encode(),
        json.dumps(line("a") | TOLD | {"key": "a"}).encode(),
        json.dumps(line("a") | TOLD)[:-1].encode() + b', "label": "bad"}',
    ],
)  # fmt: skip
def test_lines_that_are_no_rows(bad: bytes) -> None:
    good = json.dumps(line("a") | TOLD).encode()
    made, faults = check(good + b"\n" + bad + b"\n" + json.dumps(line("b") | TOLD).encode(), line("a"), line("b"))
    assert faults == [("E1804", 2)]
    assert [row["key"]["case"] for row in made] == ["a", "b"]


def test_an_empty_sheet_lacks_every_row() -> None:
    assert check(b"", line("a"), line("b"))[1] == [("E1805", 1), ("E1805", 1)]
    assert check(b"") == ([], [])


@settings(max_examples=60, deadline=None)
@given(st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**12), max_value=10**12, places=6))
def test_equal_numbers_are_the_same_sight(number: Any) -> None:
    due = line("a", number)
    told = json.loads(sheet_bytes([due]), parse_float=str, parse_int=str)
    for form in (f"{number:f}", f"{number:e}", f"{number:f}0"):
        text = json.dumps({**told, **TOLD, "sees": {"title": "@"}}).replace('"@"', form)
        assert check(text.encode(), due)[1] == []
    text = json.dumps({**told, **TOLD, "sees": {"title": "@"}}).replace('"@"', f"{number:f}1")
    assert [kind for kind, _ in check(text.encode(), due)[1]] == ["E1808"]


def test_values_of_other_kinds_are_another_sight() -> None:
    for there, due in ((True, 1), ("1", 1), (None, ""), ([], None)):
        assert [kind for kind, _ in check(json.dumps(line("a", there) | TOLD).encode(), line("a", due))[1]] == ["E1808"]


def test_a_page_takes_no_markup_from_what_is_shown() -> None:
    hostile = "# x\n| a | <b>`code`</b> [l](u) \u202e \x1b[2J"
    page = worksheet("T", {Part(JUDGEMENT, ""): [line("a", hostile)]})
    shown = next(text for text in page.splitlines() if text.startswith("- title"))
    assert shown.startswith("- title: \\# x \\| a \\| \\<b\\>\\`code\\`\\</b\\> \\[l\\]")
    assert "\x1b" not in page
    assert "\u202e" not in page


def test_spaces_at_the_ends_of_what_is_shown_are_seen_on_a_page() -> None:
    shown = with_ends(line("a", " two  words \n"))["sees"]["title"]
    assert shown == "\u2423two  words\u2423\u21b5"
    for value, due in (
        ("", ""),
        (" \t", "\u2423\u21e5"),
        (["x "], ["x\u2423"]),
        ({"k": "\u00a0v"}, {"k": "\u237dv"}),
        (3, 3),
    ):
        assert with_ends(line("a", value))["sees"]["title"] == due


def test_nothing_is_judged_later_than_now_but_for_clocks_that_differ() -> None:
    now = datetime(2024, 12, 1, 9, 0, tzinfo=UTC)  # what was told is of 10:00 at +01:00
    for ahead, due in ((0, []), (299, []), (300, []), (301, [("E2628", 1)])):
        findings = Findings()
        data = json.dumps(line("a") | TOLD).encode()
        times = Window(now - timedelta(days=1), "the run had finished", now - timedelta(seconds=ahead))
        check_sheet(Part(JUDGEMENT, ""), [line("a")], data, "f", findings, times)
        assert [(item.id, item.span.line) for item in findings if item.span] == due


def test_nothing_is_judged_before_it_could_be_seen() -> None:
    at = datetime(2024, 12, 1, 9, 0, tzinfo=UTC)
    for behind, due in ((0, []), (300, []), (301, [("E2629", 1)])):
        findings = Findings()
        data = json.dumps(line("a") | TOLD).encode()
        times = Window(at + timedelta(seconds=behind), "it was shown", at + timedelta(days=1))
        check_sheet(Part(JUDGEMENT, ""), [line("a")], data, "f", findings, times)
        assert [(item.id, item.span.line) for item in findings if item.span] == due


def test_rows_are_seen_when_they_are_there_or_what_they_follow_from_is_in_or_they_are_shown() -> None:
    def event(kind: str, judgement: str, minute: int) -> Event:
        return Event(0, "", kind, {"judgement": judgement, "rater": "", "at": f"2024-12-01T09:{minute:02}:00Z"}, "")

    run, part = "2024-12-01T09:01:00Z", Part(JUDGEMENT, "")
    others = [event("sheet_imported", "other", 5), event("sheet_exported", "other", 6)]
    first = event("sheet_imported", "first", 2)
    shown = [event("sheet_exported", "topics", 3), event("row_shown", "topics", 9)]
    for events, minute, what in (
        (others, 1, "the run had finished"),
        ([first, *others], 2, "first was in"),
        ([first, *others, *shown], 3, "it was shown"),
    ):
        found = window(part, ("first",), run, events)
        assert (found.since, found.what) == (datetime(2024, 12, 1, 9, minute, tzinfo=UTC), what)


@pytest.mark.parametrize(
    ("name", "value"),
    [("at", at) for at in ("2026-W01-1T10:00:00Z", "0001-01-01T00:00:00+14:00", "2024-12-01T10:00:00.123456789Z",
                           "2024-12-01T10:00:00", "9999-12-31T23:59:59-14:00", "20261201T100000Z")]
    + [("adjudicator", name) for name in ("\u200b", "a\0b", "\x1b[31mAda", "\u202eadA", " - ", "Ada\nBob")],
)  # fmt: skip
def test_whoever_and_whenever_no_row_can_hold(name: str, value: str) -> None:
    """A sheet that was taken stays, so nothing of it may be found impossible when the last one comes."""
    assert check(json.dumps(line("a") | TOLD | {name: value}).encode(), line("a"))[1] == [("E1810", 1)]


def test_names_of_many_alphabets_are_names() -> None:
    for name in ("Ada Lovelace", "Åsa Ö. O'Brien-3", "李小龍", "می\u200cخواهم", "QA1", "José"):
        assert check(json.dumps(line("a") | TOLD | {"adjudicator": name}).encode(), line("a"))[1] == []


@pytest.mark.parametrize("start", ["1e99999999", "0.5", "NaN", "-1", "1e-99999999", "true"])
def test_places_that_are_none_are_told_at_once(start: str) -> None:
    marking = Judgement(
        "topics", "found", "ratings", "label", ("case",), ("title",), (("good", "it helps"),), marks="title"
    )
    told = {"marks": [{"label": "good", "quote": "R"}], **{k: v for k, v in TOLD.items() if k != "label"}}
    due = {"judgement": "topics", "key": {"case": "a"}, "sees": {"title": "Rings"}, **dict.fromkeys(told, "")}
    data = json.dumps(due | told).replace('"quote": "R"', f'"quote": "R", "start": {start}')
    findings = Findings()
    check_sheet(Part(marking, ""), [due], data.encode(), "topics.jsonl", findings)
    assert [item.id for item in findings] == ["E2622"]
