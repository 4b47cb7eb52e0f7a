"""When expectations are checked: each as soon as all is there that it rests on, and before anything is scored."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from e2e import judged
from e2e.workspaces import Workspace, environment, write_rows
from protoc_runtime.packages import load_protocol
from unit.projects import Project, ids, new_project, read_json, read_lines

COLUMNS = "      columns: {case: cases, answer: [wanted, unwanted]}\n"


def expecting(folder: Path, *conditions: str) -> Project:
    """The project of the template, with more that is expected of the answers."""
    project = new_project(folder / "project")
    lines = "".join(f"        - {condition}\n" for condition in conditions)
    project.edit("protocol.yaml", COLUMNS, f"{COLUMNS}      expect:\n{lines}")
    return project


def alone(bundle: Path) -> str:
    done = subprocess.run([sys.executable, "-I", "verify.py"], cwd=bundle, capture_output=True, text=True)
    return f"{done.returncode} {done.stdout}{done.stderr}"


def test_what_answers_are_expected_to_be_is_checked_when_they_are_there(tmp_path):
    project = expecting(tmp_path, "count(answers) >= 1", "no answers have case.text is undefined")
    project.protoc("check", "--strict", project.spec)
    project.seal()
    (table,) = (t for t in load_protocol(project.folder / "generated" / "spam_filter_v1").tables if t.name == "answers")
    assert table.due == ("asked", "asked")
    bundle = project.run()
    assert read_json(bundle / "summary.json")["verdict"] == "PASS"
    project.protoc("verify", bundle)
    assert alone(bundle).startswith("0 ")


def test_answers_that_are_not_as_expected_are_not_scored(tmp_path):
    project = expecting(tmp_path, "count(answers) == 7")
    project.seal()
    assert project.run(status=1) is None
    assert ids(project) == ["E1208"]
    assert "answers does not hold what the protocol expects of it: count(answers) == 7" in project.err
    (kept,) = project.unfinished()
    assert kept.name in project.err
    assert "--resume" not in project.err  # it would end here again
    assert not (kept / "summary.json").exists()
    assert "run_finished" not in {event["kind"] for event in read_lines(kept / "ledger.jsonl")}
    assert [line["kind"] for line in read_lines(project.folder / "registry.jsonl")] == ["intent"]
    assert project.run("--resume", kept, status=1) is None
    assert ids(project) == ["E1208"]


def test_rows_that_the_runner_observes_are_held_to_it_too(tmp_path):
    project = expecting(tmp_path, "count(answers) >= 1")
    project.edit(
        "protocol.yaml",
        "  splits:\n    dev:",
        "    outcomes:\n      from: runner\n      key: case\n"
        "      columns: {case: cases, outcome: [scored, failed, timed_out, quarantined, excluded]}\n"
        "      expect:\n        - no outcomes have outcome == scored\n"
        "  splits:\n    dev:",
    )
    project.seal()
    assert project.run(status=1) is None
    assert "no outcomes have outcome == scored (so for 8 of 8 outcomes: h1, h2, h3, h4, h5, ...)" in project.err


def test_a_run_to_tune_on_and_a_rehearsal_tell_it_and_go_on(tmp_path):
    project = expecting(tmp_path, "count(answers) == 8")
    project.compile()
    rehearsal = project.run("--rehearse", status=1)
    assert rehearsal is None or "N1219" not in project.err
    project.seal()
    tuned = project.run("--phase", "tune", status=1)
    assert tuned is not None
    assert "W1214" in project.err
    assert alone(tuned).startswith("0 ")
    bundle = project.run()
    assert alone(bundle).startswith("0 ")


def test_a_run_to_tune_on_may_end_without_a_verdict_and_tells_why(tmp_path):
    """The row that the first line reads is one that this phase does not have."""
    project = new_project(tmp_path / "project")
    expected = "        - count(cases where split == heldout) == 8\n"
    project.edit("protocol.yaml", expected, f'{expected}        - count(cases where case == "h5") == 1\n')
    line = 'EARLY when only(cases where case == "h5").label == wanted'
    project.edit("protocol.yaml", "verdict:\n", f"verdict:\n  - {line}\n")
    project.seal()
    tuned = project.run("--phase", "tune", status=1)
    assert tuned is not None
    because = f"verdict: none, since the condition of this line is undefined: {line}"
    assert read_json(tuned / "summary.json")["verdict"] is None
    assert read_json(tuned / "summary.json")["reasons"] == [because]
    receipt = (tuned / "RECEIPT.md").read_text(encoding="utf-8")
    assert receipt.startswith("# No verdict: ")
    assert "- verdict: none, since the condition of this line is undefined" in receipt
    assert "verdict none, not released" in alone(tuned)
    assert "verdict none, 6 cases" in project.protoc("verify", tuned)
    assert read_lines(project.folder / "registry.jsonl")[-1]["body"]["verdict"] == ""
    assert "  none  " in project.protoc("runs", "--workspace", project.folder)


def test_the_bundles_own_program_finds_it(tmp_path):
    """Rows that the protocol expects otherwise do not hold, whoever closed the bundle."""
    project = expecting(tmp_path, "count(answers) == 8")
    project.seal()
    bundle = project.run()
    path = bundle / "rows" / "answers.jsonl"
    path.write_text("".join(path.read_text(encoding="utf-8").splitlines(keepends=True)[:-1]), encoding="utf-8")
    assert "expectation answers.1: it does not hold of the rows" in alone(bundle)


RATINGS = "      columns: {case: cases, rank: int, label: [good, bad], adjudicator: text, at: time, note: text?}\n"


def judged_run(folder: Path, condition: str) -> tuple[Workspace, Path]:
    """A run that people have judged; the final verdict is not asked for yet."""
    spec = judged.SPEC.replace(RATINGS, f"{RATINGS}      expect: {condition}\n")
    assert spec != judged.SPEC
    made = judged.workspace(folder / "judged", spec=spec)
    made.protoc("run", "specs/topics", status=1)
    (run,) = made.bundles()
    assert alone(run).startswith("0 ")
    judged.judge(made, run)
    return made, run


def test_what_people_judge_is_checked_before_the_final_verdict(tmp_path):
    made, run = judged_run(tmp_path, "count(ratings) == 4")
    made.protoc("verdict", str(run), status=1)
    assert read_json(run / "verdict" / "summary.json")["verdict"] == "MIXED"
    made.protoc("verify", str(run))
    assert alone(run).startswith("0 ")


def test_judgements_that_are_not_as_expected_get_no_verdict(tmp_path):
    made, run = judged_run(tmp_path, "no ratings have label == bad")
    done = made.try_protoc("verdict", str(run))
    assert (done.returncode, "E1208" in done.stderr, "a.2, b.1, b.2" in done.stderr) == (1, True, True)
    assert "/adjudication/ledger.jsonl:1:1: what was judged stays as it is, so this run stays PENDING" in done.stderr
    assert not (run / "verdict").exists()
    made.protoc("verify", str(run))


TWO_PHASES = (
    (RATINGS, f"{RATINGS}      expect: no ratings have label == bad\n"),
    ("  splits:\n", "  splits:\n    dev: {role: development, may: [tune]}\n"),
    ("  phases:\n", "  phases:\n    - {phase: tune, reads: [dev], use: tune}\n"),
)


@pytest.mark.parametrize("program", ["protoc", "runner.py"])
def test_judgements_of_a_run_to_tune_on_that_are_not_as_expected_are_told(tmp_path, program):
    spec = judged.SPEC
    for old, new in TWO_PHASES:
        assert old in spec
        spec = spec.replace(old, new)
    made = judged.workspace(tmp_path / "judged", spec=spec)
    write_rows(made.folder / "specs/topics/cases.jsonl", [{**row, "split": "dev"} for row in judged.CASES])
    made.protoc("seal", "specs/topics", "--reason", "rows to tune on")
    made.protoc("run", "specs/topics", "--phase", "tune", status=1)
    (run,) = made.bundles()
    judged.judge(made, run)
    if program == "protoc":
        done = made.try_protoc("verdict", str(run))
    else:
        (script,) = made.folder.glob("generated/*/runner.py")
        command = [sys.executable, str(script), "verdict", str(run)]
        done = subprocess.run(command, cwd=made.folder, env=environment(), capture_output=True, text=True)
    assert done.stderr.count("W1214") == 1, done.stderr
    assert "ratings does not hold what the protocol expects of it: no ratings have label == bad" in done.stderr
    assert "a.2, b.1, b.2" in done.stderr
    assert read_json(run / "verdict" / "summary.json")["verdict"] == "MIXED"
    made.protoc("verify", str(run))


def test_recorded_answers_are_held_to_it_too(tmp_path):
    project = new_project(tmp_path / "project", "recorded")
    columns = "      columns: {case: cases, tag: [praise, complaint, question]}\n"
    project.edit("protocol.yaml", columns, f"{columns}      expect: count(answers where tag == praise) == 100\n")
    project.seal()
    assert project.run(status=1) is None
    assert ids(project) == ["E1208"]


def test_score_says_nothing_of_judgements_that_are_not_there(tmp_path):
    made, run = judged_run(tmp_path, "count(ratings) == 5")
    done = made.try_protoc("score", "specs/topics", "--data", str(run / "rows"))
    assert "E1254" not in done.stderr
    assert "W1214" not in done.stderr
    assert "PENDING" in done.stdout
