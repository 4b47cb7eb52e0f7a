"""Scoring rows that exist: files by the table's name or by the protocol's, and what may be absent."""

from __future__ import annotations

import json
import shutil

import pytest

from unit.projects import ids, new_project

ANSWERS = {"h1": "unwanted", "h2": "wanted", "h3": "unwanted", "h4": "wanted"}


@pytest.fixture
def project(tmp_path):
    made = new_project(tmp_path / "project")
    data = tmp_path / "data"
    data.mkdir()
    shutil.copy(made.spec / "messages.jsonl", data / "messages.jsonl")
    cases = [json.loads(line)["case"] for line in (data / "messages.jsonl").read_text().splitlines()]
    rows = [{"case": case, "answer": ANSWERS.get(case, "wanted")} for case in cases]
    (data / "answers.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    made.data = data
    return made


def score(project, *arguments, status):
    return project.protoc("score", project.spec, "--data", project.data, *arguments, status=status)


def test_results_are_json_for_programs(project):
    found = json.loads(score(project, "--format", "json", status=1))
    assert found["schema"] == "protoc/score/1"
    assert found["metrics"] == {"accuracy": {"num": 9, "den": 14}, "caught": {"num": 2, "den": 7}}
    assert (found["verdict"], found["released"]) == ("FAIL", False)
    assert found["gates"] == {"accurate": False, "catches": False}
    assert found["lists"]["wrong"] == ["d1", "d3", "d5", "h5", "h7"]
    assert found["spec_digest"].startswith("sha256:")


def test_results_are_told_to_people(project):
    said = score(project, status=1)
    assert said.startswith("verdict: FAIL (not released)\n")
    assert "metrics accuracy: 9/14 = 0.6429 (rounded)" in said


def test_a_released_verdict_is_status_0(project):
    text = (project.data / "messages.jsonl").read_text()
    rows = [json.loads(line) for line in text.splitlines()]
    answers = [{"case": row["case"], "answer": row["label"]} for row in rows]
    (project.data / "answers.jsonl").write_text("".join(json.dumps(row) + "\n" for row in answers))
    assert score(project, status=0).startswith("verdict: PASS (released)\n")


def test_a_file_may_have_the_name_of_its_table(project):
    (project.data / "messages.jsonl").rename(project.data / "cases.jsonl")
    score(project, status=1)
    assert ids(project) == []


def test_rows_that_are_not_as_expected_are_scored_with_a_warning(project):
    path = project.data / "messages.jsonl"
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:-1]))
    answers = project.data / "answers.jsonl"
    answers.write_text("".join(answers.read_text().splitlines(keepends=True)[:-1]))
    assert "8/13" in score(project, status=1)
    assert ids(project) == ["W1214"]


def test_faults_of_rows_and_of_the_folder_are_told(project):
    (project.data / "answers.jsonl").write_text('{"case":"h1","answer":"perhaps"}\n')
    score(project, status=1)
    assert ids(project)[0].startswith("E10")
    shutil.rmtree(project.data)
    score(project, status=1)
    assert ids(project) == ["E1211"]


def test_nothing_is_left_behind(project):
    before = sorted(path for path in project.folder.rglob("*"))
    score(project, status=1)
    assert sorted(path for path in project.folder.rglob("*")) == before


def test_that_there_is_no_verdict_is_told_with_the_line_that_leaves_none(project):
    """The rows are not as expected, so the row that a line reads is not there; what rests on it is withheld."""
    project.edit("protocol.yaml", "      expect:\n", '      expect:\n        - count(cases where case == "h9") == 1\n')
    project.edit(
        "protocol.yaml", "verdict:\n", 'verdict:\n  - EARLY when only(cases where case == "h9").label == wanted\n'
    )
    project.edit(
        "protocol.yaml", "metrics:\n", 'metrics:\n  withheld when: only(cases where case == "h9").split == dev\n'
    )
    told = score(project, status=1).splitlines()
    assert told[0] == "verdict: none (not released)"
    line = 'EARLY when only(cases where case == "h9").label == wanted'
    assert f"verdict: none, since the condition of this line is undefined: {line}" in told
    assert "metrics accuracy: withheld" in told
    assert "W1214" in project.err
    found = json.loads(score(project, "--format", "json", status=1))
    assert (found["verdict"], found["withheld"]) == (None, ["metrics.accuracy", "metrics.caught"])
    assert found["reasons"][-1].startswith("verdict: none, ")
