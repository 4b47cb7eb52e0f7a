"""A rule about all, some or no rows that fails names the rows that made it fail."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from protoc_runtime.bundle import in_order
from protoc_runtime.diagnostics import Findings
from protoc_runtime.opened import open_bundle
from protoc_runtime.verification.results import check_results
from unit.projects import Project, new_project, read_json

ACCURATE = "gates:\n  accurate:"


def edited(folder: Path, gates: str, more: str = "") -> Project:
    """The spam filter, of whose eight messages it tells h5 wrong, with further gates; not sealed yet."""
    project = new_project(folder / "project")
    project.edit("protocol.yaml", ACCURATE, f"gates:\n  {gates}\n  accurate:")
    if more:
        project.edit("protocol.yaml", "  cases.answer:", f"  {more}\n  cases.answer:")
    return project


def told(folder: Path, gates: str, more: str = "") -> tuple[str, list[dict[str, object]], str]:
    """What a run prints, `rows` of its summary, and its receipt's page."""
    project = edited(folder, gates, more)
    project.seal()
    printed = project.protoc("run", project.spec, status=1)
    (bundle,) = project.bundles()
    page = (bundle / "RECEIPT.md").read_text(encoding="utf-8")
    return printed, read_json(bundle / "summary.json").get("rows", []), page


@pytest.mark.parametrize(
    ("gate", "line"),
    [
        ("all cases have right", "not so for 1 of 8 cases: h5"),
        ("no cases have not right", "so for 1 of 8 cases: h5"),
        ("no cases where label == wanted have right", "so for 4 of 4 cases: h2, h4, h6, h8"),
        ("not (some cases where not right have label == unwanted)", "so for 1 of 1 cases: h5"),
        ("no answers", "8 rows of answers: h1, h2, h3, h4, h5, ..."),
        ("(some cases have right) and (all cases have right)", "not so for 1 of 8 cases: h5"),
    ],
)
def test_the_rows_are_named_on_the_terminal_and_in_the_receipt(tmp_path: Path, gate: str, line: str) -> None:
    printed, (named,), page = told(tmp_path, f"each: {{says: As it should be., must: {gate}}}")
    assert f"  each: gate failed: As it should be.\n    {line}\n" in printed
    assert f"\n  - {line}\n" in page
    assert (named["space"], named["rule"]) == ("gates", "each")


def test_each_condition_names_its_own(tmp_path: Path) -> None:
    gate = "each: {says: Nothing is wrong., must: {all: [all cases have right, no answers have answer == unwanted]}}"
    printed, rows, _ = told(tmp_path, gate)
    assert "    all cases have right: not so for 1 of 8 cases: h5\n" in printed
    assert "    no answers have answer == unwanted: so for 3 of 8 answers: h1, h3, h7\n" in printed
    assert [row["part"] for row in rows] == ["all cases have right", "no answers have answer == unwanted"]


def test_each_entry_names_the_rows_of_its_own(tmp_path: Path) -> None:
    printed, rows, _ = told(tmp_path, "each.<splits>: {says: As it should be., must: all cases have right}")
    assert [row["rule"] for row in rows] == ["each.heldout"]
    assert "  each.heldout: gate failed: As it should be.\n    not so for 1 of 8 cases: h5\n" in printed


def test_a_condition_behind_a_name_names_its_rows(tmp_path: Path) -> None:
    printed, _, _ = told(tmp_path, "each: {says: As it should be., must: fine}", "fine: all cases have right")
    assert "    not so for 1 of 8 cases: h5\n" in printed


def test_rows_for_which_a_condition_is_undefined_are_named_as_such(tmp_path: Path) -> None:
    gate = "each: {says: As it should be., must: all cases have (answer == label)}"
    project = edited(tmp_path, gate)
    project.edit("subject.py", "def answer", "def _answer")
    text = (project.spec / "subject.py").read_text(encoding="utf-8")
    refuses = "    if 'home' in case['text']:\n        raise ValueError('no')\n"
    more = f"\n\ndef answer(case):\n{refuses}    return _answer(case)\n"
    (project.spec / "subject.py").write_text(text + more, encoding="utf-8")
    project.seal()
    printed = project.protoc("run", project.spec, status=1)
    assert "    undefined for 1 of 8 cases: h5\n" in printed


def test_a_rule_about_numbers_names_no_row(tmp_path: Path) -> None:
    printed, rows, _ = told(tmp_path, "each: {says: All are right., must: accuracy == 1}")
    assert rows == []
    assert " of 8 cases" not in printed


def test_a_blocker_names_the_rows_that_made_it_fire(tmp_path: Path) -> None:
    project = edited(tmp_path, "each: {says: Some are right., must: some cases have right}")
    project.edit("protocol.yaml", "when: some cases have answer is undefined", "when: some cases have not right")
    project.seal()
    assert "blocker fired: A message has no answer.\n    so for 1 of 8 cases: h5\n" in project.protoc(
        "run", project.spec, status=1
    )


def test_why_tells_which_rules_a_row_of_the_case_made_fail(tmp_path: Path) -> None:
    project = edited(tmp_path, "each: {says: As it should be., must: all cases have right}")
    project.seal()
    bundle = project.run(status=1)
    assert "a row of it made fail:\n  each: gate failed: As it should be.\n" in project.protoc("why", bundle, "h5")
    assert "made fail" not in project.protoc("why", bundle, "h4")


def test_score_names_them_too(tmp_path: Path) -> None:
    project = edited(tmp_path, "each: {says: As it should be., must: all cases have right}")
    (project.spec / "answers.jsonl").write_text('{"case": "h5", "answer": "wanted"}\n', encoding="utf-8")
    printed = project.protoc("score", project.spec, "--data", project.spec, status=1)
    assert "\n  not so for 14 of 14 cases: d1, d2, d3, d4, d5, ...\n" in printed


def test_another_name_in_the_summary_is_not_what_the_rules_give(tmp_path: Path) -> None:
    project = edited(tmp_path, "each: {says: As it should be., must: all cases have right}")
    project.seal()
    bundle = project.run(status=1)
    assert bundle is not None
    summary = read_json(bundle / "summary.json")
    assert json.dumps(summary["rows"]).count("h5") == 1
    summary["rows"][0]["first"] = ["h6"]
    (bundle / "summary.json").write_bytes(in_order(summary))
    findings = Findings()
    check_results(open_bundle(bundle), findings)
    (found,) = findings.sorted()
    assert (found.id, "h6" in found.message, "h5" in found.message) == ("E1409", True, True)
