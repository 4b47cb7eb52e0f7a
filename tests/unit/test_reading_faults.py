"""Each kind of fault alone, with its place, the row's key and the field."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from protoc_compiler import core
from protoc_runtime.catalogue import rows as kinds
from protoc_runtime.diagnostics import Findings
from protoc_runtime.reading import read_rows
from protoc_runtime.reading.jsonl import LONGEST
from unit.protocols import col
from unit.reading_cases import FULL, LIMITS, line, put, read, study

DEEP = "[" * 70 + "]" * 70
# id, content of cases.jsonl, line, what the message must name
JSONL: list[tuple[str, str | bytes, int, str]] = [
    ("E1007", line().encode() + b"\n" + line('"c\xff"').encode("latin-1"), 2, "byte 0xff at column 11"),
    ("E1008", line() + "\n" + '{"case":"c2",', 2, "ends too early"),
    ("E1008", line('"c\x01"'), 1, "U+0001"),
    ("E1008", line() + line('"c2"'), 1, "more follows"),
    ("E1009", '["c1", 3]', 1, "found a list"),
    ("E1011", line(extra=DEEP), 1, "64"),
    ("E1012", line().replace('{"case"', '{"case":"c0","case"'), 1, '"case"'),
    ("E1012", line(extra='{"a":1,"a":2}'), 1, '"a"'),
    ("E1013", line()[:-1] + ',"wrods":3}', 1, '"wrods"'),
    ("E1014", line().replace('"words":3,', ""), 1, "words"),
    ("E1015", line(words="null"), 1, "words"),
    ("E1016", line(words="true"), 1, "found true, expected an integer"),
    ("E1016", line(case="1"), 1, "found 1, expected a text"),
    ("E1016", line(tags='"a"'), 1, "a list of values, each a text"),
    ("E1017", line(words='"3"'), 1, '"3"'),
    ("E1017", line(score='"0.9"'), 1, '"0.9"'),
    ("E1018", line(score="NaN"), 1, "NaN"),
    ("E1018", line(score="-Infinity"), 1, "-Infinity"),
    ("E1018", line(extra="[NaN]"), 1, "NaN"),
    ("E1018", line(score='"nan"'), 1, "nan"),
    ("E1019", line(words="9007199254740993"), 1, "9007199254740993"),
    ("E1019", line(words="1" * 400), 1, "400 digits"),
    ("E1020", line(words="3.0"), 1, "3.0"),
    ("E1020", line(words="3e2"), 1, "3e2"),
    ("E1021", line(score="1e999999"), 1, "1e999999"),
    ("E1021", line(score="1" * 5000), 1, "4300"),
    ("E1022", line(route='"refnd"'), 1, '"refnd"'),
    ("E1023", line(opened='"2026-08-10 12:30"'), 1, "2026-08-10 12:30"),
    ("E1023", line(opened='"2026-02-30T12:30:00Z"'), 1, "2026-02-30"),
    ("E1023", line(opened='"2026-08-10T12:30:00"'), 1, "zone"),
    ("E1023", line(opened='"2026-08-10T12:30:60Z"'), 1, "12:30:60"),
    ("E1024", line(day='"10.8.2026"'), 1, "10.8.2026"),
    ("E1024", line(day='"2026-02-29"'), 1, "2026-02-29"),
    ("E1025", line(sha='"d7915c9b"'), 1, "d7915c9b"),
    ("E1026", line('"\\ud800"'), 1, "U+D800"),
    ("E1027", line('"c1\\u0000"'), 1, "U+0000"),
    ("E1027", line('"c1\\u202e"'), 1, "U+202E"),
    ("E1028", line(tags='["a","a"]'), 1, '"a"'),
    ("E1029", line() + "\n" + line('"c2"') + "\n" + line(words="4"), 3, 'case "c1"'),
    ("E1030", line(limit='"lowe"'), 1, "limit of table limits"),
    ("E1037", line() + "\n\n" + line('"c2"'), 2, "empty"),
]
CSV: list[tuple[str, str | bytes, int, str]] = [
    ("E1006", "", 1, "without a header"),
    ("E1007", b"case,words\nc1,3\nc\xff,4\n", 3, "0xff"),
    ("E1013", "case,words,wrods\nc1,3,3\n", 1, '"wrods"'),
    ("E1014", "case\nc1\n", 1, "words"),
    ("E1015", "case,words\nc1,\n", 2, "words"),
    ("E1016", "case,words\nc1,+3\n", 2, "+3"),
    ("E1018", "case,words\nc1,nan\n", 2, "nan"),
    ("E1020", "case,words\nc1,3.0\n", 2, "3.0"),
    ("E1031", "case,words,words\nc1,3,3\n", 1, "words twice"),
    ("E1032", "case,words\nc1,3\nc2,3,4\n", 3, "3 cells, expected 2"),
    ("E1037", "case,words\nc1,3\n\nc2,3\n", 3, "empty"),
    ("E1038", 'case,words\n"c1"x,3\n', 2, "cannot be read"),
]
SMALL = core.Table(
    "cases", "input", "cases", ("case",), source="file", columns=(col("case", core.TEXT), col("words", core.INT))
)


@pytest.mark.parametrize(("id_", "content", "at", "named"), JSONL)
def test_a_fault_of_json_lines(tmp_path: Path, id_: str, content: str | bytes, at: int, named: str) -> None:
    path = put(tmp_path, "cases.jsonl", content)
    _, found = read(tmp_path)
    assert [item.id for item in found] == [id_], [item.message for item in found]
    span = found[0].span
    assert span is not None
    assert (span.file, span.line) == (str(path), at)
    assert named in found[0].message + found[0].hint
    assert "table cases" in found[0].message
    assert found[0].hint


@pytest.mark.parametrize(("id_", "content", "at", "named"), CSV)
def test_a_fault_of_csv(tmp_path: Path, id_: str, content: str | bytes, at: int, named: str) -> None:
    put(tmp_path, "cases.csv", content)
    _, found = read(tmp_path, study(SMALL))
    assert [item.id for item in found] == [id_], [item.message for item in found]
    assert found[0].span is not None
    assert found[0].span.line == at
    assert named in found[0].message


@pytest.mark.parametrize(
    ("id_", "columns", "at", "named"),
    [
        ("E1015", {"case": ["c1", "c2"], "words": [3, None]}, 2, "words"),
        ("E1019", {"case": ["c1", "c2"], "words": [3, 2**53 + 1]}, 2, "9007199254740993"),
        ("E1029", {"case": ["c1", "c1"], "words": [3, 4]}, 2, "c1"),
        ("E1033", {"case": ["c1"], "words": [3.0]}, 1, "Float64"),
        ("E1013", {"case": ["c1"], "words": [3], "more": [1]}, 1, "more"),
        ("E1014", {"case": ["c1"]}, 1, "words"),
        ("E1027", {"case": ["c1", "c\x002"], "words": [3, 4]}, 2, "U+0000"),
    ],
)
def test_a_fault_of_parquet(tmp_path: Path, id_: str, columns: dict[str, list[object]], at: int, named: str) -> None:
    pl.DataFrame(columns).write_parquet(tmp_path / "cases.parquet")
    _, found = read(tmp_path, study(SMALL))
    assert [item.id for item in found] == [id_], [item.message for item in found]
    assert found[0].span is not None
    assert found[0].span.line == at
    assert named in found[0].message


def test_a_float_that_is_no_number_is_refused_in_parquet(tmp_path: Path) -> None:
    table = core.Table("t", "input", "t", source="file", columns=(col("x", core.NUMBER),))
    pl.DataFrame({"x": [0.5, float("nan"), float("inf")]}).write_parquet(tmp_path / "t.parquet")
    _, found = read(tmp_path, study(table))
    assert [(item.id, item.span and item.span.line) for item in found] == [("E1018", 2), ("E1018", 3)]


def test_a_damaged_parquet_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "cases.parquet").write_bytes(b"PAR1 and then nothing")
    _, found = read(tmp_path, study(SMALL))
    assert [item.id for item in found] == ["E1006"]


def test_the_files_of_a_table(tmp_path: Path) -> None:
    def ids(name: str = "cases") -> list[str]:
        return [
            item.id
            for item in read(
                tmp_path, study(core.Table(name, "input", name, ("case",), source="file", columns=SMALL.columns))
            )[1]
        ]

    assert ids() == ["E1002"]
    (tmp_path / "cases.xlsx").write_bytes(b"")
    assert ids() == ["E1004"]
    (tmp_path / "cases.jsonl").write_text('{"case":"c1","words":3}\n')
    assert ids() == []
    (tmp_path / "cases.csv").write_text("case,words\n")
    assert ids() == ["E1003"]


def test_a_file_that_is_named_with_its_ending_is_told_so(tmp_path: Path) -> None:
    (tmp_path / "cases.jsonl").write_text('{"case":"c1","words":3}\n')
    table = core.Table("cases", "input", "cases", ("case",), source="file", columns=SMALL.columns, file="cases.jsonl")
    (fault,) = read(tmp_path, study(table))[1]
    assert fault.id == "E1002"
    assert "expected `file: cases` (a file is named without its ending)" in fault.message


def test_a_link_or_path_that_leaves_the_folder_is_refused(tmp_path: Path) -> None:
    data, away = tmp_path / "data", tmp_path / "away"
    data.mkdir()
    away.mkdir()
    (away / "cases.jsonl").write_text('{"case":"c1","words":3}\n')
    (data / "cases.jsonl").symlink_to(away / "cases.jsonl")
    assert [item.id for item in read(data, study(SMALL))[1]] == ["E1005"]
    for name in ("../away/cases", str(away / "cases")):
        table = core.Table("cases", "input", "cases", ("case",), source="file", file=name, columns=SMALL.columns)
        assert [item.id for item in read(data, study(table))[1]] == ["E1005"]


def test_a_line_without_end_is_refused_before_it_fills_the_memory(tmp_path: Path) -> None:
    (tmp_path / "cases.jsonl").write_bytes(b'{"case": "' + b"x" * (LONGEST + 100_000))
    assert [item.id for item in read(tmp_path, study(SMALL))[1]] == ["E1010"]


def test_cases_without_rows_are_an_error_and_other_tables_are_not(tmp_path: Path) -> None:
    (tmp_path / "cases.jsonl").write_bytes(b"")
    subject = core.Subject("recorded", "answers", "cases", ("case",), (), (), None, 1)
    assert [item.id for item in read(tmp_path, study(SMALL, subject=subject))[1]] == ["E1034"]
    made, found = read(tmp_path, study(SMALL))
    assert found == []
    assert made["cases"].height == 0


def test_a_record_has_one_row(tmp_path: Path) -> None:
    record = core.Table("seal", "input", "seal", source="seal", record=True, columns=(col("clean", core.BOOL),))
    (tmp_path / "seal.jsonl").write_text('{"clean":true}\n{"clean":false}\n')
    assert [item.id for item in read(tmp_path, study(record), only={"seal"})[1]] == ["E1035"]


def test_all_faults_of_all_tables_at_once_and_many_of_one_are_counted(tmp_path: Path) -> None:
    put(tmp_path, "cases.jsonl", "".join(line(f'"c{i}"', words="true") + "\n" for i in range(60)))
    (tmp_path / "limits.jsonl").write_text('{"limit":1}\n')
    _, found = read(tmp_path)
    assert [item.id for item in found].count("E1016") == 51
    counted = [item for item in found if item.id == "N1036"]
    assert [item.message for item in counted] == ["10 more faults in table cases are not shown"]
    assert counted[0].severity != "error"


def test_one_row_may_have_several_faults(tmp_path: Path) -> None:
    put(tmp_path, "cases.jsonl", line(words='"3"', score="true", route='"x"', day='"y"', tags='["a","a"]'))
    _, found = read(tmp_path)
    assert sorted(item.id for item in found) == ["E1016", "E1017", "E1022", "E1024", "E1028"]
    assert all('row case "c1"' in item.message for item in found)


def test_a_suggestion_where_one_is_near(tmp_path: Path) -> None:
    put(tmp_path, "cases.jsonl", line(route='"Refund"').replace('"words"', '"wrods"'))
    _, found = read(tmp_path)
    assert [item.hint for item in found][:1] == ["did you mean words?"]
    assert "did you mean refund?" in [item.hint for item in found]


def test_duplicate_keys_name_both_rows_also_across_files(tmp_path: Path) -> None:
    put(tmp_path, "cases.jsonl", line() + "\n" + line())
    _, found = read(tmp_path)
    related = found[0].related[0].span
    assert (related.line, found[0].span and found[0].span.line) == (1, 2)


def test_duplicates_that_a_gate_judges_are_read(tmp_path: Path) -> None:
    table = core.Table("cases", "input", "cases", ("case",), source="file", columns=SMALL.columns, duplicates="once")
    (tmp_path / "cases.jsonl").write_text('{"case":"c1","words":3}\n' * 2)
    made, found = read(tmp_path, study(table))
    assert found == []
    assert made["cases"].height == 2


def test_python_rows_have_the_same_faults() -> None:
    findings = Findings()
    rows: list[dict[str, object]] = [
        {"case": "c1", "words": 3.5},
        {"case": "c1", "words": True},
        {"case": {1}, "words": 1},
    ]
    read_rows(study(SMALL), "cases", rows, findings=findings, name="answers")
    assert [item.id for item in findings] == ["E1016", "E1020", "E1016", "E1029"]
    assert next(iter(findings)).span is not None


def test_every_kind_is_triggered_by_a_test_of_this_file() -> None:
    text = Path(__file__).read_text(encoding="utf-8")
    by_cases = {
        "E1001",
        "E1039",
        "W1040",
        "E1043",
        "N1041",
        "E1042",
    }  # these are shown by the cases of the command line
    assert {kind.id for kind in kinds.KINDS if kind.id not in text} <= by_cases
    assert len({kind.id for kind in kinds.KINDS}) == len(kinds.KINDS)
    assert FULL.name
    assert LIMITS.name
