"""Rows out again: lines, Python values, and the digest that knows content by what it says."""

from __future__ import annotations

import json
import random
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protoc_runtime.reading import content_digest, raw_rows, write_jsonl
from protoc_runtime.reading.canonical import json_text
from unit import protocols
from unit.reading_cases import line, put, read, study

ROWS = [line(f'"c{i}"', words=str(i), score=f"{i}.50", extra='{"b":1,"a":2}', limit='"low"') for i in range(5)]


def digest(folder: Path, content: str, name: str = "cases.jsonl") -> str:
    put(folder, name, content)
    made, found = read(folder)
    assert found == []
    return content_digest(study(), made["cases"], made)


def test_content_is_recognised_in_another_form(tmp_path: Path) -> None:
    first = digest(tmp_path, "\n".join(ROWS))
    shuffled = random.Random(3).sample(ROWS, len(ROWS))
    assert digest(tmp_path, "\n".join(shuffled)) == first
    assert digest(tmp_path, "\r\n".join(ROWS)) == first
    assert digest(tmp_path, "\n".join(json.dumps(json.loads(row), sort_keys=True) for row in ROWS)) == first
    assert digest(tmp_path, "\n".join(ROWS).replace(".50", ".5")) == first


@pytest.mark.parametrize(("old", "new"), [("c3", "c9"), ("3.50", "3.51"), ('"b":1', '"b":3'), ("low", "high")])
def test_other_content_has_another_digest(tmp_path: Path, old: str, new: str) -> None:
    whole = "\n".join(ROWS)
    assert digest(tmp_path, whole.replace(old, new)) != digest(tmp_path, whole)


def test_a_split_is_recognised_under_another_name_and_by_its_rows_alone(tmp_path: Path) -> None:
    given = study(*protocols.per_split().tables)
    (tmp_path / "briefs_dev.jsonl").write_text('{"case":"c1","text":"a"}\n{"case":"c2","text":"b"}\n')
    (tmp_path / "briefs_held.jsonl").write_text('{"case":"c3","text":"c"}\n')
    made, _ = read(tmp_path, given, only={"cases"})
    dev = content_digest(given, made["cases"], made, rows=[0, 1])
    held = content_digest(given, made["cases"], made, rows=[2])
    (tmp_path / "briefs_dev.jsonl").write_text('{"case":"c3","text":"c"}\n')
    (tmp_path / "briefs_held.jsonl").write_text('{"case":"c2","text":"b"}\n{"case":"c1","text":"a"}\n')
    made, _ = read(tmp_path, given, only={"cases"})
    assert content_digest(given, made["cases"], made, rows=[0]) == held
    assert content_digest(given, made["cases"], made, rows=[1, 2]) == dev


def test_lines_keep_numbers_as_they_were_written(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    text = '{"b":0.50,"a":[1,1E+5,"ä"],"c":null,"d":0.30000000000000004}\n'
    path.write_text(text, encoding="utf-8")
    assert write_jsonl(raw_rows(path)) == text.encode("utf-8")
    assert write_jsonl([{"x": Fraction(3, 4), "y": 0.1}]) == b'{"x":0.75,"y":0.1}\n'


@pytest.mark.parametrize("value", [float("nan"), float("inf"), Decimal("NaN"), Fraction(1, 3)])
def test_what_json_cannot_say_is_not_written(value: object) -> None:
    with pytest.raises(ValueError, match=r"JSON|decimal|Out of range"):
        write_jsonl([{"x": value}])


WORDS = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
PLAIN = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | WORDS
EXACT = st.decimals(allow_nan=False, allow_infinity=False) | st.integers(-99, 99).map(lambda n: Fraction(n, 8))
DEEP = st.recursive(
    PLAIN | EXACT, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3), max_leaves=6
)


@given(st.lists(st.dictionaries(WORDS, PLAIN | DEEP, max_size=4), max_size=4))
def test_rows_that_json_can_write_are_written_as_all_others(rows: list[dict[str, object]]) -> None:
    assert write_jsonl(rows) == "".join(json_text(row) + "\n" for row in rows).encode()


def test_what_stands_in_other_rows_does_not_change_a_rows_part(tmp_path: Path) -> None:
    odd = line('"quote \\" back \\\\ ä"', words="7", score="null", tags='["b\\"","a"]')
    put(tmp_path, "cases.jsonl", ROWS[0])
    made, _ = read(tmp_path)
    alone = content_digest(study(), made["cases"], made)
    put(tmp_path, "cases.jsonl", odd + "\n" + ROWS[0])
    made, found = read(tmp_path)
    assert found == []
    assert content_digest(study(), made["cases"], made, rows=[1]) == alone
    assert content_digest(study(), made["cases"], made, rows=[0]) != alone
