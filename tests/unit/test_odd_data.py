"""Odd declarations of data end in a diagnostic, and names that two rows in scope share are told."""

from __future__ import annotations

from pathlib import Path

import pytest

from protoc_compiler import pipeline

SPEC = """\
protoc: 1
protocol: {{id: odd, version: 1, title: Odd data}}
question: {{asks: Does it end well?, unit: case}}
data:
  tables:
    cases: {{file: cases, key: case, columns: {{case: text, ok: bool, team: text, size: int}}}}
{data}
definitions:
  cases.z: {formula}
metrics:
  n: sum(z over cases)
verdict:
  - PASS when n > 0
  - FAIL otherwise
report: {{released: [PASS]}}
"""
NOTES = (
    "    notes: {file: notes, key: note, columns: {note: text, case: cases, team: text, answers_to: notes, ok: bool}}"
)


def found(tmp_path: Path, data: str = NOTES, formula: str = "size") -> list[str]:
    path = tmp_path / "protocol.yaml"
    path.write_text(SPEC.format(data=data, formula=formula), encoding="utf-8")
    return [item.id for item in pipeline.examine(str(path)).findings.sorted()]


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ("  records: {seal: {from: seal, columns: {time: time}}}", "E0545"),
        ("  records: {seal: {from: seal, time: {a: int}}}", "E0545"),
        ("  records: {seal: {from: seal, time: time}, run: {from: runner, started: seal}}", "E0501"),
        ("    t: {file: t, key: k, columns: {k: text, m: {a: {b: int}}}}", "E0545"),
        ("    t: {file: t, key: k, columns: {k: text, m: [{a: int}]}}", "E0203"),
        ("    t: {file: t, key: k, columns: {k: text, m: list of list of int}}", "E0219"),
        ("    t: {key: k, columns: {k: text, m: {a: int}}, rows: {x: {m: 1}}}", "E0545"),
        ("    t: {key: k, columns: {k: {a: int}}, rows: [x]}", "E0545"),
        ("    t: {key: k, rows: {x: {m: {y: 1}}}}", "E0203"),
        ("    t: {key: k, rows: {}}", "E0204"),
        ("    t: {key: [k, l], rows: {x: {m: 1}}}", "E0221"),
        ("    t: {file: t, key: zz, columns: {k: text}}", "E0305"),
        ("    t: {file: t, key: m, columns: {k: text, m: {a: int}}}", "E0305"),
        ("    t: {file: t, key: k, columns: {k: t}}", "E0303"),
        ("    t: {file: t, key: k, columns: {k: u}}\n    u: {file: u, key: k, columns: {k: t}}", "E0303"),
    ],
)
def test_an_odd_declaration_is_told(tmp_path, data, expected):
    assert expected in found(tmp_path, data)


def test_a_table_may_refer_to_itself_outside_of_its_key(tmp_path):
    assert found(tmp_path, NOTES, "count(notes where answers_to.ok)") == []


SUBJECT = """\
    answers: {{from: subject, {keys}, columns: {{id: text, case: cases, right: bool}}}}
procedure:
  subject: {{{kind}, of: cases, sees: [team]}}"""


@pytest.mark.parametrize(
    ("kind", "keys", "expected"),
    [
        ("python: subject.py:answer", "key: id", ["E0334"]),
        ("python: subject.py:answer", "key: [case, id]", []),
        ("recorded: answers", "key: id", []),
    ],
)
def test_the_key_of_what_a_subject_fills_case_by_case_tells_the_case(tmp_path, kind, keys, expected):
    data = SUBJECT.format(kind=kind, keys=keys)
    assert found(tmp_path, data, "count(answers where right)") == expected


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        ("count(notes where case.team == team)", ["W0325"]),
        ("count(notes where ok)", ["W0325"]),
        ("count(notes as other where other.team == team)", []),
        ("count(notes where answers_to.ok)", []),
        ("count(notes where case.size > 3)", []),
        ("count(entire cases as other where other.team == team)", []),
    ],
)
def test_a_name_that_the_outer_row_has_too_needs_an_alias(tmp_path, formula, expected):
    assert found(tmp_path, NOTES, formula) == expected
