"""When something was shown and saved, from the events of a stage: per rater, and of all raters together."""

from __future__ import annotations

from typing import Any

import pytest

from protoc_runtime.adjudication.facts import fact_rows
from protoc_runtime.adjudication.parts import before, in_turn, parts
from protoc_runtime.chain import Line
from protoc_runtime.procedure import Judgement
from protoc_runtime.record import record
from protoc_runtime.review_facts import Fact, fact
from protoc_runtime.review_order import saved_before

INVENTORY = Judgement("inventory", "cases", "gold", "label", ("case",), ("text",), (("a", ""),), raters=("X", "Y"))
PROPOSAL = Judgement(
    "proposal", "kept", "told", "label", ("case", "n"), (), (("a", ""),), follows=("inventory",), raters=("X", "Z")
)  # fmt: skip
SUMMARY = Judgement("summary", "wrong", "why", "label", ("case",), (), (("a", ""),), after=("proposal",))


@record
class Column:
    name: str


@record
class Table:
    name: str
    kind: str
    source: str
    key: tuple[str, ...]
    stored: tuple[Column, ...]


@record
class Declared:
    judgements: tuple[Judgement, ...]
    tables: tuple[Table, ...]


def declared(*key: str) -> Any:
    columns = (*key, "inventory_saved_at", "first_inventory_shown_at", "first_proposal_shown_at")
    table = Table("reviews", "input", "adjudication", key, tuple(map(Column, columns)))
    return Declared((SUMMARY, PROPOSAL, INVENTORY), (table,))


def event(kind: str, at: str, judgement: str, rater: str, **more: Any) -> Line:
    return Line(0, "", kind, {"judgement": judgement, "rater": rater, "at": at, **more}, "")


LINES = {
    "inventory.X": [{"key": {"case": "a"}}, {"key": {"case": "b"}}],
    "inventory.Y": [{"key": {"case": "a"}}, {"key": {"case": "b"}}],
    "proposal.X": [{"key": {"case": "a", "n": 1}}, {"key": {"case": "a", "n": 2}}],
    "proposal.Z": [{"key": {"case": "a", "n": 1}}, {"key": {"case": "a", "n": 2}}],
    "summary": [],
}
EVENTS = [
    event("sheet_exported", "01", "inventory", "X"),
    event("row_shown", "02", "inventory", "Y", row=1),
    event("row_shown", "03", "inventory", "Y", row=0),
    event("row_shown", "04", "inventory", "Y", row=0),
    event("sheet_imported", "05", "inventory", "X"),
    event("row_shown", "06", "proposal", "X", row=1),
    event("row_shown", "07", "proposal", "X", row=0),
    event("sheet_imported", "08", "inventory", "Y"),
    event("sheet_exported", "09", "proposal", "Z"),
]


def found(*key: str) -> list[tuple[Any, ...]]:
    rows = fact_rows(declared(*key), LINES, EVENTS)["reviews"]
    names = (*key, "inventory_saved_at", "first_inventory_shown_at", "first_proposal_shown_at")
    return [tuple(row[name] for name in names) for row in rows]


def test_per_rater() -> None:
    assert found("case", "rater") == [
        ("a", "X", "05", "01", "06"), ("b", "X", "05", "01", None),
        ("a", "Y", "08", "03", None), ("b", "Y", "08", "02", None),
    ]  # fmt: skip


def test_of_all_raters_saved_when_the_last_has_and_shown_when_the_first_was() -> None:
    assert found("case") == [("a", "08", "01", "06"), ("b", "08", "01", None)]


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        ("inventory_saved_at", Fact("inventory_saved_at", "inventory", "saved")),
        ("first_a_b_shown_at", Fact("first_a_b_shown_at", "a_b", "shown")),
        ("_saved_at", None), ("first__shown_at", None), ("saved_at", None), ("inventory_shown_at", None),
        ("case", None),
    ],
)  # fmt: skip
def test_names_of_facts(column: str, expected: Fact | None) -> None:
    assert fact(column) == expected


def test_the_order_of_parts() -> None:
    made = declared("case")
    assert [judgement.name for judgement in in_turn(made)] == ["inventory", "proposal", "summary"]
    waits = {part.name: before(made, part) for part in parts(made)}
    assert waits == {
        "inventory.X": (), "inventory.Y": (),
        "proposal.X": ("inventory.X",),  # the same rater's own
        "proposal.Z": ("inventory.X", "inventory.Y"),  # who has none waits for all
        "summary": ("proposal.X", "proposal.Z"),
    }  # fmt: skip
    assert saved_before(made.judgements, "summary") == {"proposal", "inventory"}
