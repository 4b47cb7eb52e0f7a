"""What goes wrong in practice, one test per note; docs/field-notes.md tells which note is which test."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path

import pytest

from e2e.killing import calls, kill_when, moments, project_to_kill, start
from protoc_runtime.ledger_file import read_events
from protoc_runtime.rendering import number
from unit.projects import Project, ids, new_project, read_json, read_lines

ROOT = Path(__file__).resolve().parents[2]
WRONG = "def answer(case):\n    return {'answers': {'answer': 'wanted'}}\n"


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Project:
    project = new_project(tmp_path_factory.mktemp("base") / "project")
    project.compile()
    return project


@pytest.fixture
def project(base: Project, tmp_path: Path) -> Project:
    return base.copy(tmp_path / "project")


def rows(project: Project, change) -> None:
    path = project.spec / "messages.jsonl"
    read = read_lines(path)
    change(read)
    path.write_text("".join(json.dumps(row) + "\n" for row in read), encoding="utf-8")


def seals(project: Project) -> list[dict]:
    """What each seal says."""
    return [line["predicate"] for line in read_lines(project.spec / "seal.jsonl")]


def scored(project: Project, answers: str, status: int) -> dict:
    """The results of `score` over the messages and these answers."""
    (project.spec / "answers.jsonl").write_text(answers)
    return json.loads(project.protoc("score", project.spec, "--data", project.spec, "--format", "json", status=status))


def test_no_cases_are_an_error_and_not_a_rate(project):
    (project.spec / "messages.jsonl").write_text("")
    project.protoc("seal", project.spec, status=1)
    assert ids(project) == ["E1034"]
    rows_of_dev = project.spec / "messages.jsonl"
    rows_of_dev.write_text('{"case": "d1", "split": "dev", "text": "x", "label": "wanted"}\n')
    project.edit("protocol.yaml", "        - count(cases where split == dev) == 6\n", "")
    project.edit("protocol.yaml", "        - count(cases where split == heldout) == 8\n", "")
    project.edit("protocol.yaml", "      expect:\n", "")
    project.seal()
    project.run(status=1)
    assert ids(project) == ["E1207"]


@pytest.mark.parametrize("value", ["NaN", "Infinity", "-Infinity", '"nan"'])
def test_a_score_that_is_no_finite_number_is_refused_at_the_door(project, value):
    project.edit("protocol.yaml", "text: text, label", "text: text, score: decimal, label")
    project.compile()
    rows(project, lambda read: [row.update(score=0.5) for row in read])
    path = project.spec / "messages.jsonl"
    path.write_text(path.read_text().replace('"score": 0.5', f'"score": {value}', 1))
    project.protoc("seal", project.spec, status=1)
    assert ids(project) == ["E1018"]
    assert 'row case "d1", field score' in project.err


def test_a_metric_that_has_nothing_to_measure_is_undefined_and_its_gate_does_not_hold(project):
    project.edit("protocol.yaml", "  caught:", "  answered_right: rate(case.right over answers)\n  caught:")
    project.edit(
        "protocol.yaml", "gates:\n", "gates:\n  answers:\n    says: At least 1% of the answers are right.\n"
        "    must: answered_right >= 1%\n"
    )  # fmt: skip
    project.protoc("check", project.spec)
    found = scored(project, "", 1)
    assert found["metrics"]["answered_right"] is None
    assert found["gates"]["answers"] is None
    assert not found["released"]


@pytest.fixture(scope="module")
def interrupted(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A run of 24 cases with one and the same text, killed in the middle."""
    project = project_to_kill(tmp_path_factory.mktemp("interrupted") / "project")
    rows(project, lambda read: [row.update(text="the same") for row in read])
    project.protoc("seal", project.spec)
    hold = project.folder / "hold"
    hold.touch()
    ripe, _ = moments(project, "subject", random.Random(3))
    assert kill_when(start(project, "run", str(project.spec)), ripe, 0.05)
    hold.unlink()
    return project


def test_a_resumed_run_has_one_outcome_per_case(interrupted, tmp_path):
    project = interrupted.copy(tmp_path / "project")
    (folder,) = project.unfinished()
    before = [e.body["case"] for e in read_events(folder / "ledger.jsonl") if e.kind == "case_finished"]
    asked = calls(project)["the"]
    bundle = project.run("--resume", folder, status=1)
    finished = [e.body["case"] for e in read_events(bundle / "ledger.jsonl") if e.kind == "case_finished"]
    assert finished[: len(before)] == before
    assert sorted(finished) == [f"c{n:02}" for n in range(24)]
    assert calls(project)["the"] - asked == 24 - len(before)


def test_a_resumed_run_needs_the_same_configuration(interrupted, tmp_path):
    project = interrupted.copy(tmp_path / "project")
    (project.spec / "subject.py").write_text(WRONG)
    project.protoc("seal", project.spec, "--reason", "another subject")
    project.protoc("run", project.spec, "--resume", project.unfinished()[0], status=1)
    assert set(ids(project)) == {"E1206"}


def test_cases_with_one_and_the_same_text_are_each_asked(interrupted, tmp_path):
    project = interrupted.copy(tmp_path / "project")
    bundle = project.run("--resume", project.unfinished()[0], status=1)
    cases = read_lines(bundle / "cases.jsonl")
    assert len({case["case"] for case in cases}) == len(cases) == 24
    assert {case["row"]["text"] for case in cases} == {"the same"}


def test_failed_cases_stay_in_the_denominator_and_are_listed(project):
    (project.spec / "subject.py").write_text(
        "def answer(case):\n    if 'Claim' in case['text']: raise OSError('402')\n" + WRONG.partition("\n")[2]
    )
    project.protoc("seal", project.spec)
    bundle = project.run(status=1)
    summary = read_json(bundle / "summary.json")
    assert summary["metrics"]["accuracy"] == {"num": 4, "den": 8}
    assert summary["verdict"] == "INVALID"
    assert "| h1 | failed | raised OSError: 402 |" in (bundle / "RECEIPT.md").read_text()


def test_ids_that_stand_twice_are_refused_with_both_rows(project):
    rows(project, lambda read: read[2].update(case="d1"))
    project.protoc("seal", project.spec, status=1)
    assert ids(project) == ["E1029"]
    assert "messages.jsonl:3:1" in project.err
    assert "messages.jsonl:1:1" in project.err


def test_line_ends_and_a_byte_order_mark_break_no_digest(project):
    project.protoc("seal", project.spec)
    for name in ("protocol.yaml", "messages.jsonl"):
        path = project.spec / name
        path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n"))
    assert "holds" in project.protoc("verify", project.run())


def test_no_and_on_and_010_and_1_30_are_the_words_that_they_are(project):
    project.edit("protocol.yaml", "label: [wanted, unwanted]}", "label: [wanted, unwanted], word: [no, on, 010, 1:30]}")
    project.compile()
    rows(
        project,
        lambda read: [row.update(word=word) for row, word in zip(read, ["no", "on", "010", "1:30"] * 4, strict=False)],
    )
    project.protoc("seal", project.spec)
    rows(project, lambda read: read[0].update(word=False))
    project.protoc("seal", project.spec, "--reason", "x", status=1)
    assert ids(project) == ["E1016"]


def test_a_key_of_the_spec_that_stands_twice_is_refused_with_both_places(project):
    project.edit("protocol.yaml", "    must: caught >= 50%", "    must: caught >= 50%\n    must: caught >= 5%")
    project.protoc("check", project.spec, status=1)
    assert ids(project) == ["E0122"]
    assert project.err.count("protocol.yaml:7") == 2


@pytest.mark.parametrize("key", ["treshold: 75%", "asert: accuracy >= 75%"])
def test_a_misspelled_key_is_refused(project, key):
    project.edit("protocol.yaml", "    must: accuracy >= 75%", f"    must: accuracy >= 75%\n    {key}")
    project.protoc("check", project.spec, status=1)
    assert ids(project) == ["E0201"]


@pytest.mark.parametrize(
    ("formula", "data"), [("3 * 3 * lowest >= 5.4", 0.6), ("lowest - 0.75 >= -0.02", 0.73), ("lowest >= 0.80", 0.8)]
)
def test_decimals_are_compared_exactly(project, formula, data):
    project.edit("protocol.yaml", "text: text, label", "text: text, score: decimal, label")
    project.edit("protocol.yaml", "metrics:\n", "metrics:\n  lowest: min(score over cases)\n")
    project.edit("protocol.yaml", "gates:\n", f"gates:\n  exact:\n    says: x\n    must: {formula}\n")
    rows(project, lambda read: [row.update(score=data) for row in read])
    words = " and ".join(re.findall(r"-?[0-9.]+", formula))
    project.edit("protocol.yaml", "says: x", f"says: It compares {words}.")
    assert scored(project, "", 1)["gates"]["exact"] is True


def test_what_is_shown_rounded_says_so():
    assert number({"num": 87856, "den": 9999}) == "87856/9999 = 8.7865 (rounded)"
    assert number({"num": 4, "den": 5}) == "4/5 = 0.8000"


def test_a_threshold_of_zero_is_a_threshold(project):
    project.edit("protocol.yaml", "metrics:\n", "metrics:\n  mistakes: count(cases where not right)\n")
    project.edit(
        "protocol.yaml", "gates:\n", "gates:\n  none:\n    says: At most 0 mistakes.\n    must: mistakes <= 0\n"
    )
    answers = [{"case": row["case"], "answer": row["label"]} for row in read_lines(project.spec / "messages.jsonl")]
    right = "".join(json.dumps(row) + "\n" for row in answers)
    assert scored(project, right, 0)["gates"]["none"] is True
    assert scored(project, right.replace('"unwanted"', '"wanted"', 1), 1)["gates"]["none"] is False


def test_a_bar_lowered_after_the_seal_is_refused_and_a_new_seal_is_shown_beside_the_old(project):
    project.protoc("seal", project.spec)
    project.run("--phase", "tune", status=1)
    project.edit("protocol.yaml", "At least 75%", "At least 70%")
    project.edit("protocol.yaml", "accuracy >= 75%", "accuracy >= 70%")
    project.compile()
    project.protoc("run", project.spec, status=1)
    assert ids(project) == ["E1104"]
    project.protoc("seal", project.spec, status=1)
    assert ids(project) == ["E1101"]
    project.protoc("seal", project.spec, "--reason", "the bar was too high")
    receipt = (project.run() / "RECEIPT.md").read_text()
    assert "the bar was too high" in receipt
    assert all(seal["time"] in receipt for seal in seals(project))
    assert "- dev: tune, " in receipt, "what was read before the change is shown"


def test_a_ledger_without_its_end_is_found(project):
    project.protoc("seal", project.spec)
    bundle = project.run()
    lines = (bundle / "ledger.jsonl").read_bytes().splitlines(keepends=True)
    (bundle / "ledger.jsonl").write_bytes(b"".join(lines[:-2]))
    project.protoc("verify", bundle, status=1)
    assert "ledger.jsonl" in project.err


def test_results_of_another_run_are_not_taken_for_those_of_this_one(project):
    project.protoc("seal", project.spec)
    first, second = project.run("--phase", "tune", status=1), project.run("--phase", "tune", status=1)
    (second / "summary.json").write_bytes((first / "summary.json").read_bytes())
    project.protoc("verify", second, status=1)
    assert "summary.json" in project.err


def test_a_verdict_is_one_word_for_every_result(project):
    project.edit("protocol.yaml", "  - FAIL    otherwise\n", "")
    project.protoc("check", project.spec, status=1)
    assert "E0216" in ids(project)
    project.edit("protocol.yaml", "  - PASS    when all gates have held", "  - PASS    otherwise\n  - FAIL when true")
    project.protoc("check", project.spec, status=1)
    assert "E0217" in ids(project)


@pytest.mark.parametrize(("bar", "expected"), [("accuracy >= 101%", "E0801"), ("accuracy >= 0%", "E0802")])
def test_a_gate_that_cannot_fail_or_cannot_hold_is_told_before_the_seal(project, bar, expected):
    project.edit("protocol.yaml", "must: accuracy >= 75%", f"must: {bar}")
    project.edit("protocol.yaml", "At least 75%", f"At least {bar.split()[-1]}")
    project.protoc("check", "--strict", project.spec, status=1)
    assert expected in ids(project) or expected.replace("E", "W") in ids(project), project.err


def test_percent_violated_is_not_compared_as_percent_complete(project):
    metric = "violated: {is: 1 - accuracy, better: lower}"
    project.edit("protocol.yaml", "\nmetrics:\n", f"\nmetrics:\n  {metric}\n")
    project.edit("protocol.yaml", "must: accuracy >= 75%", "must: violated >= 75%")
    project.protoc("check", project.spec, status=1)
    assert ids(project) == ["E0705"], project.err
    assert "lower values of `violated` are better" in project.err
    project.protoc("seal", project.spec, status=1)
    project.edit("protocol.yaml", "must: violated >= 75%", "must: 1 - violated >= 75%")
    project.protoc("check", project.spec)


def test_the_number_of_workers_changes_no_row_and_is_recorded(project, tmp_path):
    found = []
    for number_of_workers in ("1", "7"):
        copy = project.copy(tmp_path / number_of_workers)
        copy.edit("protocol.yaml", "concurrency: 2", f"concurrency: {number_of_workers}")
        copy.compile()
        copy.protoc("seal", copy.spec)
        bundle = copy.run()
        found.append({path.name: path.read_bytes() for path in (bundle / "rows").iterdir()})
        declared = json.loads((bundle / "package" / "protocol.json").read_bytes())
        assert f'"concurrency": "{number_of_workers}"' in json.dumps(declared)
    assert found[0] == found[1]


@pytest.mark.parametrize("released", ["[PASS]", "[PASS, FAIL]"])
def test_the_exit_status_follows_what_the_protocol_releases(project, released):
    (project.spec / "subject.py").write_text(WRONG)
    project.edit("protocol.yaml", "released: [PASS]", f"released: {released}")
    project.compile()
    project.protoc("seal", project.spec)
    bundle = project.run(status=0 if "FAIL" in released else 1)
    assert read_json(bundle / "summary.json")["verdict"] == "FAIL"


def test_a_rerun_after_a_better_prompt_is_refused_and_every_reading_is_shown(project):
    project.protoc("seal", project.spec)
    first = project.run()
    (project.spec / "subject.py").write_text(WRONG)
    project.protoc("seal", project.spec, "--reason", "a better prompt")
    project.protoc("run", project.spec, status=1)
    assert ids(project) == ["E1301"]
    assert first.name in project.err
    receipt = (project.run("--phase", "tune", status=1) / "RECEIPT.md").read_text()
    assert f"- heldout: score, {read_lines(project.folder / 'registry.jsonl')[0]['body']['at']}" in receipt


def test_the_table_of_the_docs_names_these_tests():
    page = (ROOT / "docs" / "field-notes.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`(test_\w+)`", page))
    there = set(re.findall(r"^def (test_\w+)", Path(__file__).read_text(encoding="utf-8"), re.MULTILINE))
    assert named == there - {"test_the_table_of_the_docs_names_these_tests"}
    noted = [line for line in page.splitlines() if line.startswith("| ") and not line.startswith("| what was seen")]
    assert len(noted) == 25
    assert all("`test_" in line or "::test_" in line for line in noted)
    for file, name in re.findall(r"`(tests/[\w/]+\.py)::(test_\w+)`", page):
        assert f"def {name}(" in (ROOT / file).read_text(encoding="utf-8"), f"{file}::{name}"
