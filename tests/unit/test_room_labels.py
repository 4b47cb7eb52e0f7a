"""The numbers of labels in the room: one label has one in all rows, and rows of different lists share few."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from protoc_runtime.procedure import Judgement
from protoc_runtime.room.labels import labels, numbers


def judgement(**changes: Any) -> Judgement:
    """A judgement whose labels are a row's own."""
    about: dict[str, Any] = {
        "name": "j", "judges": "t", "fills": "f", "column": "c", "key": ("case",), "sees": (), "labels": (),
        "choices": "elements", **changes,
    }  # fmt: skip
    return Judgement(**about)


def test_a_label_keeps_its_number_and_lists_share_them() -> None:
    rows = [{"elements": ["b", "a"]}, {"elements": ["a", "c"]}, {"elements": ["x", "y", "z"]}, {"elements": None}]
    found = numbers(judgement(), rows)
    assert found == {"b": 1, "a": 2, "c": 1, "x": 1, "y": 2, "z": 3}
    assert [each["label"] for each in labels(judgement(), rows[1], found)] == ["c", "a"]


def test_what_stands_beside_a_label_tells_its_meaning() -> None:
    one = judgement(choices="elements.name")
    sees = {"elements": [{"name": "b", "kind": "harm", "notes": None}, {"name": "a", "kind": "time", "notes": "when"}]}
    assert labels(one, sees, numbers(one, [sees])) == [
        {"label": "b", "meaning": "kind: harm", "number": 1},
        {"label": "a", "meaning": "kind: time; notes: when", "number": 2},
    ]
    fixed = judgement(choices="", labels=(("good", "it helps"), ("bad", "it does not")))
    assert numbers(fixed, [{}, {}]) == {"good": 1, "bad": 2}


@given(st.lists(st.lists(st.sampled_from("abcdefgh"), unique=True, max_size=5), max_size=8))
def test_labels_of_one_row_have_different_numbers(rows: list[list[str]]) -> None:
    found = numbers(judgement(), [{"elements": row} for row in rows])
    assert set(found) == {label for row in rows for label in row}
    for row in rows:
        assert len({found[label] for label in row}) == len(row)
    assert all(1 <= number <= 8 for number in found.values())
