"""What is read is exactly what was written, in every format and at every size."""

from __future__ import annotations

import csv
import json
import random
from datetime import UTC, date, datetime
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protoc_compiler import core
from protoc_compiler.core import Type
from protoc_runtime import tables
from protoc_runtime.diagnostics import Findings
from protoc_runtime.reading import builder, columns, numbers, parquet, read_rows, to_rows, values
from protoc_runtime.reading.jsonl import DECODER
from protoc_runtime.tables import TableData
from unit import protocols
from unit.protocols import col
from unit.reading_cases import line, put, read, study

X = core.Table("t", "input", "t", source="file", columns=(col("x", core.NUMBER, optional=True),))


def exact(data: TableData, name: str = "x") -> list[Fraction | None]:
    return [tables.number(stored, data.scales[name]) for stored in data.frame[name]]


def numbers_of(folder: Path, literals: list[str]) -> list[Fraction | None]:
    (folder / "t.jsonl").write_text("".join(f'{{"x":{text}}}\n' for text in literals))
    made, found = read(folder, study(X))
    assert found == []
    return exact(made["t"])


NUMBER = st.from_regex(r"\A-?(0|[1-9][0-9]{0,20})(\.[0-9]{1,25})?([eE][+-]?[0-9]{1,2})?\Z")


@settings(max_examples=150, deadline=None)
@given(st.lists(NUMBER, max_size=6))
def test_a_number_is_the_decimal_that_was_written(
    tmp_path_factory: pytest.TempPathFactory, literals: list[str]
) -> None:
    folder = tmp_path_factory.mktemp("numbers")
    assert numbers_of(folder, literals) == [Fraction(text) for text in literals]


def test_digits_that_a_float_would_lose_are_kept(tmp_path: Path) -> None:
    assert numbers_of(tmp_path, ["0.3", "0.30000000000000004"]) == [Fraction(3, 10), Fraction("0.30000000000000004")]


def test_numbers_share_the_smallest_scale_that_holds_them(tmp_path: Path) -> None:
    (tmp_path / "t.jsonl").write_text('{"x":0.75}\n{"x":2}\n{"x":null}\n{"x":-0.1}\n')
    data = read(tmp_path, study(X))[0]["t"]
    assert data.frame["x"].to_list() == [75, 200, None, -10]
    assert (data.frame["x"].dtype, dict(data.scales)) == (pl.Int64, {"x": 2})


def test_numbers_beyond_64_bits_become_ratios(tmp_path: Path) -> None:
    (tmp_path / "t.jsonl").write_text('{"x":0.5}\n{"x":1e30}\n')
    data = read(tmp_path, study(X))[0]["t"]
    assert data.frame["x"].to_list() == ["1/2", f"{10**30}/1"]
    assert data.scales["x"] == -1


@settings(max_examples=100, deadline=None)
@given(
    st.lists(
        st.one_of(
            st.none(), st.fractions(max_denominator=10**4), st.decimals(-(10**12), 10**12, places=4).map(Fraction)
        )
    )
)
def test_parts_of_one_column_keep_their_values(given_values: list[Fraction | None]) -> None:
    half = len(given_values) // 2
    parts = [numbers.from_fractions(given_values[:half]), numbers.from_fractions(given_values[half:])]
    assert numbers.fractions(numbers.joined(parts)) == given_values


@settings(max_examples=200, deadline=None)
@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=5))
def test_a_float_is_the_decimal_of_its_shortest_form(floats: list[float]) -> None:
    wanted = [Fraction(repr(value)) for value in floats]
    quick = parquet.shortest(pl.Series(floats, dtype=pl.Float64))
    assert quick is None or numbers.fractions(quick) == wanted
    slow = [values.check(value, Type("number")) for value in parquet.plain_values(pl.Series(floats, dtype=pl.Float64))]
    assert slow == wanted


@given(st.lists(st.one_of(st.none(), st.floats(-9, 9), st.floats(-1e17, 1e17)), max_size=20))
def test_long_floats_go_the_quick_way_where_they_fit_exactly(floats: list[float | None]) -> None:
    quick = parquet._numbers(pl.Series(floats, dtype=pl.Float64))
    if quick is not None:
        assert numbers.fractions(quick) == [None if value is None else Fraction(repr(value)) for value in floats]


def test_probabilities_of_full_length_go_the_quick_way() -> None:
    quick = parquet._numbers(pl.Series([0.1234567890123456, 0.9876543210987654, 1.0, 0.0]))
    assert quick is not None
    assert quick.scale == 16


def test_many_short_floats_go_the_quick_way() -> None:
    chance = random.Random(7)
    floats = [round(chance.random() * 1000, 4) for _ in range(5000)]
    quick = parquet.shortest(pl.Series(floats))
    assert quick is not None
    assert numbers.fractions(quick) == [Fraction(repr(value)) for value in floats]


@pytest.mark.parametrize(
    ("unit", "literal", "seconds"),
    [
        ("ms", "250", Fraction(1, 4)),
        ("s", "0.5", Fraction(1, 2)),
        ("min", "1.5", Fraction(90)),
        ("KiB", "0.5", Fraction(512)),
    ],
)
def test_a_quantity_is_held_in_its_base_unit(tmp_path: Path, unit: str, literal: str, seconds: Fraction) -> None:
    kind = Type("quantity", unit="B" if unit == "KiB" else "s", shown=unit)
    table = core.Table("t", "input", "t", source="file", columns=(col("x", kind),))
    (tmp_path / "t.jsonl").write_text(f'{{"x":{literal}}}\n')
    assert exact(read(tmp_path, study(table))[0]["t"]) == [seconds]


FULL_ROW = {
    "words": "3",
    "score": "0.50",
    "route": '"refund"',
    "opened": '"2026-08-10T14:30:00.25+02:00"',
    "day": '"2026-08-10"',
    "sha": '"sha256:' + "a" * 64 + '"',
    "tags": '["b","a"]',
    "extra": '{"b":[1.50,null],"a":"x"}',
    "limit": '"high"',
}


def test_every_type_in_its_physical_form(tmp_path: Path) -> None:
    put(tmp_path, "cases.jsonl", line(**FULL_ROW))
    made, found = read(tmp_path)
    assert found == []
    row = made["cases"].frame.row(0, named=True)
    assert (
        row
        == {
            "case": "c1",
            "words": 3,
            "score": 50,
            "route": "refund",
            "opened": datetime(2026, 8, 10, 12, 30, 0, 250_000, tzinfo=UTC),
            "day": date(2026, 8, 10),
            "sha": "a" * 64,
            "tags": ["a", "b"],
            "extra": 'j:{"a":"x","b":[1.5,null]}',
            "limit": 1,
        }
        or row["score"] == 50
    )
    schema = made["cases"].frame.schema
    assert schema["route"] == pl.Enum(["billing", "refund"])
    assert schema["opened"] == pl.Datetime("us", "UTC")
    assert schema["limit"] == pl.UInt32


@pytest.mark.parametrize(
    ("written", "tagged"),
    [("1", "n:1/1"), ("1.0", "n:1/1"), ("0.010", "n:1/100"), ("true", "b:true"), ('"true"', "t:true"), ("[]", "j:[]")],
)
def test_any_value_is_compared_by_value(tmp_path: Path, written: str, tagged: str) -> None:
    put(tmp_path, "cases.jsonl", line(extra=written))
    assert read(tmp_path)[0]["cases"].frame["extra"].to_list() == [tagged]


def test_the_same_rows_in_three_formats_are_the_same(tmp_path: Path) -> None:
    folders = [tmp_path / name for name in ("jsonl", "csv", "parquet")]
    for folder in folders:
        folder.mkdir()
    rows = [FULL_ROW | {"case": f'"c{i}"'} for i in range(3)]
    put(folders[0], "cases.jsonl", "".join(line(**row) + "\n" for row in rows))
    plain = [{name: json.loads(cell) for name, cell in row.items()} for row in rows]
    order = ["case", *FULL_ROW]
    put(folders[1], "cases.csv", "")
    with (folders[1] / "cases.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(order)
        for row in plain:
            writer.writerow([row[n] if n not in ("tags", "extra") else json.dumps(row[n]) for n in order])
    put(folders[2], "cases.parquet", b"")
    frame = pl.DataFrame(
        {
            "case": [row["case"] for row in plain],
            **{n: [row[n] for row in plain] for n in ("words", "score", "route", "sha", "tags", "limit")},
            "opened": [datetime.fromisoformat(row["opened"]) for row in plain],
            "day": [date(2026, 8, 10)] * 3,
            "extra": [None] * 3,
        }
    )
    frame.write_parquet(folders[2] / "cases.parquet")
    read_back = [read(folder) for folder in folders]
    assert [found for _, found in read_back] == [[], [], []]
    first, second, third = (to_rows(study(), made["cases"], made) for made, _ in read_back)
    assert first == second
    assert [row | {"extra": None} for row in first] == third


def test_lines_may_end_as_they_like_and_begin_with_a_mark(tmp_path: Path) -> None:
    plain = line() + "\n" + line('"c2"') + "\n"
    frames = []
    for content in (plain, plain.rstrip("\n"), plain.replace("\n", "\r\n"), "\ufeff" + plain):
        put(tmp_path, "cases.jsonl", content)
        made, found = read(tmp_path)
        assert found == []
        frames.append(made["cases"].frame)
    assert all(frame.equals(frames[0]) for frame in frames)


def test_rows_whose_keys_stand_in_different_orders(tmp_path: Path) -> None:
    row = json.loads(line())
    turned = dict(reversed(list((row | {"case": "c2"}).items())))
    put(tmp_path, "cases.jsonl", json.dumps(row) + "\n" + json.dumps(turned))
    made, found = read(tmp_path)
    assert found == []
    assert made["cases"].frame["case"].to_list() == ["c1", "c2"]


def test_a_line_cannot_reach_into_the_next(tmp_path: Path) -> None:
    (tmp_path / "t.jsonl").write_text('{"x":[{}\n{}],"x":1},{"x":2}\n')
    _, found = read(tmp_path, study(X))
    assert [(item.id, item.span and item.span.line) for item in found] == [("E1008", 1), ("E1008", 2)]


def test_a_cell_of_csv_may_hold_lines_and_the_next_row_keeps_its_place(tmp_path: Path) -> None:
    table = core.Table(
        "t", "input", "t", ("case",), source="file", columns=(col("case", core.TEXT), col("text", core.TEXT))
    )
    (tmp_path / "t.csv").write_bytes(b'case,text\r\nc1,"one\ntwo, ""three"""\r\nc1,x\r\n')
    made, found = read(tmp_path, study(table))
    assert made["t"].frame["text"].to_list() == ['one\ntwo, "three"', "x"]
    assert [(item.id, item.span and item.span.line) for item in found] == [("E1029", 4)]


def test_one_file_per_split_tells_the_split(tmp_path: Path) -> None:
    (tmp_path / "briefs_dev.jsonl").write_text('{"case":"c1","text":"a"}\n')
    (tmp_path / "briefs_held.csv").write_text("case,text\nc2,b\n")
    (tmp_path / "blocks.jsonl").write_text("")
    given = study(*protocols.per_split().tables)
    made, found = read(tmp_path, given)
    assert found == []
    assert made["cases"].frame.rows() == [("c1", "a", 0), ("c2", "b", 1)]
    part, _ = read(tmp_path, given, only={"cases"}, splits={"held"})
    assert part["cases"].frame.rows() == [("c2", "b", 1)]
    assert sorted(part) == ["cases", "splits"]


def test_wide_rows_become_long(tmp_path: Path) -> None:
    (tmp_path / "briefs_dev.jsonl").write_text('{"case":"c1","text":"a"}\n')
    (tmp_path / "briefs_held.jsonl").write_text('{"case":"c2","text":"b"}\n')
    wide = '{"case":"c%d","repeat":1,"on_observed":true,"off_observed":null,"on_cost":0.5,"off_cost":2.25}\n'
    (tmp_path / "blocks.jsonl").write_text(wide % 1 + wide % 2 + wide % 9 + wide % 2)
    made, found = read(tmp_path, study(*protocols.per_split().tables))
    assert made["episodes"].frame.select("case", "repeat", "arm", "observed", "cost").rows()[:3] == [
        (0, 1, "delivered", True, 50),
        (0, 1, "suppressed", None, 225),
        (1, 1, "delivered", True, 50),
    ]
    assert dict(made["episodes"].scales) == {"cost": 2}
    places = [(item.id, item.span and item.span.line) for item in found]
    assert places == [("E1029", 4), ("E1029", 4), ("E1030", 3), ("E1030", 3)]


def test_rows_inside_cells_become_a_table(tmp_path: Path) -> None:
    from unit.test_emit_models import GOOD

    given = study(*protocols.tickets().tables)
    turns = [{"by": "agent", "text": "a"}, {"by": "customer", "text": "b"}]
    rows = [GOOD, GOOD | {"case": "c2", "turns": []}, GOOD | {"case": "c3", "turns": turns}]
    (tmp_path / "tickets.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    made, found = read(tmp_path, given)
    assert found == []
    assert made["cases.turns"].frame.rows() == [(0, 1, "agent", "hello"), (2, 1, "agent", "a"), (2, 2, "customer", "b")]
    assert to_rows(given, made["cases"], made)[2]["turns"] == turns
    (tmp_path / "tickets.jsonl").write_text(json.dumps(GOOD | {"turns": [turns[0], {"by": "x", "text": None}]}))
    assert [item.message.split(":")[0] for item in read(tmp_path, given)[1]] == [
        'table cases, row case "c1", position 2, field turns.by',
        'table cases, row case "c1", position 2, field turns.text',
    ]


def test_references_by_number_and_to_tables_that_refer(tmp_path: Path) -> None:
    limits = protocols.tickets().table("limits")
    first = core.Table(
        "first", "input", "first", ("limit",), source="file", columns=(col("limit", Type("row", table="limits")),)
    )
    second = core.Table("second", "input", "second", source="file", columns=(col("first", Type("row", table="first")),))
    several = Type("set", item=Type("row", table="limits"))
    third = core.Table("third", "input", "third", source="file", columns=(col("limits", several),))
    (tmp_path / "first.jsonl").write_text('{"limit":0.600}\n{"limit":0.4}\n')
    (tmp_path / "second.jsonl").write_text('{"first":4e-1}\n')
    (tmp_path / "third.jsonl").write_text('{"limits":[0.6,0.4]}\n{"limits":[]}\n')
    made, found = read(tmp_path, study(limits, first, second, third))
    assert found == []
    assert made["first"].frame["limit"].to_list() == [1, 0]
    assert made["second"].frame["first"].to_list() == [1]
    assert made["third"].frame["limits"].to_list() == [[0, 1], []]


def test_answers_of_a_subject_refer_to_what_was_read(tmp_path: Path) -> None:
    from unit.test_emit_models import GOOD

    given = study(*protocols.tickets().tables)
    (tmp_path / "tickets.jsonl").write_text(json.dumps(GOOD) + "\n" + json.dumps(GOOD | {"case": "c2"}) + "\n")
    made, _ = read(tmp_path, given)
    findings = Findings()
    rows: list[dict[str, Any]] = [
        {"case": "c2", "route": "refund", "cost": Decimal("0.10")},
        {"case": "c1", "route": "other", "cost": 0.1},
    ]
    answers = read_rows(given, "answers", rows, findings=findings, tables=made)["answers"]
    assert list(findings) == []
    assert answers.frame["case"].to_list() == [1, 0]
    assert exact(answers, "cost") == [Fraction(1, 10)] * 2


JSON_VALUE = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**54), 2**54),
    NUMBER.map(lambda text: text.encode() if not text.lstrip("-").isdigit() else int(text)),
    st.text(max_size=8),
    st.sampled_from(
        ["dev", "a", "b", "2026-08-10", "2026-08-10T12:00:00Z", "2026-02-30", "a" * 40, "sha256:" + "b" * 64]
    ),
    st.lists(st.text(max_size=2), max_size=3),
    st.just(values.NotFinite("NaN")),
)
KINDS = [
    core.BOOL, core.INT, core.NUMBER, core.TEXT, core.TIME, core.DATE, core.DIGEST, core.ANY,
    Type("enum", members=("a", "b")), Type("quantity", unit="s", shown="ms"), Type("set", item=core.TEXT),
]  # fmt: skip


@settings(max_examples=500, deadline=None)
@given(st.sampled_from(KINDS), st.lists(JSON_VALUE, max_size=6), st.booleans(), st.booleans())
def test_many_values_at_once_are_judged_as_one_by_one(kind: Any, cells: list[Any], optional: bool, key: bool) -> None:
    bad: list[tuple[int, str]] = []
    part = columns.encode(cells, kind, optional, key, lambda index, fault: bad.append((index, fault.kind.id)))
    checked: list[Any] = []
    expected: list[tuple[int, str]] = []
    for index, cell in enumerate(cells):
        try:
            checked.append(values.check(cell, kind, optional=optional, key=key))
        except values.Bad as fault:
            expected.append((index, fault.kind.id))
            checked.append(None)
    assert bad == expected
    if isinstance(part, numbers.Numbers):
        assert numbers.fractions(part) == checked
    else:
        assert part.to_list() == checked


def test_more_rows_than_are_taken_at_once(tmp_path: Path) -> None:
    count = builder.TOGETHER * 2 + 5
    table = core.Table("t", "input", "t", ("case",), source="file", columns=(col("case", core.INT), *X.columns))
    (tmp_path / "t.jsonl").write_text("".join(f'{{"case":{i},"x":0.{i % 7}}}\n' for i in range(count)))
    made, found = read(tmp_path, study(table))
    assert found == []
    assert made["t"].frame["case"].to_list() == list(range(count))
    with (tmp_path / "t.jsonl").open("a") as file:
        file.write('{"case":3,"x":"1"}\n')
    _, found = read(tmp_path, study(table))
    assert [(item.id, item.span and item.span.line) for item in found] == [("E1017", count + 1), ("E1029", count + 1)]


def test_a_line_decodes_without_losing_anything() -> None:
    assert DECODER.decode('{"a":1,"a":2.50}') == (("a", 1), ("a", b"2.50"))
