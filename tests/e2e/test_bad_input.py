"""Input that is wrong in the ways in which people get it wrong: each with its diagnostic, its place and exit status."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from unit.projects import Project, ids, new_project, read_json, read_lines
from unit.test_subjects import runs


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Project:
    project = new_project(tmp_path_factory.mktemp("base") / "project")
    project.compile()
    return project


@pytest.fixture
def project(base: Project, tmp_path: Path) -> Project:
    return base.copy(tmp_path / "project")


def expect_refused(project: Project, *command: object, expected: str, words: str = "") -> None:
    """A command ends with 1 and tells exactly this diagnostic first."""
    project.protoc(*command, status=1)
    assert ids(project)[:1] == [expected], project.err
    assert words in project.err, project.err


# --- the spec ----------------------------------------------------------------------------------------------------


def test_a_misspelled_key_is_refused_with_the_right_one(project):
    project.edit("protocol.yaml", "    must: accuracy >= 75%", "    must: accuracy >= 75%\n    treshold: 75%")
    expect_refused(project, "check", project.spec, expected="E0201", words="treshold")
    project.edit("protocol.yaml", "    treshold: 75%\n", "")
    project.edit("protocol.yaml", "    must: accuracy", "    mustt: accuracy")
    project.protoc("check", project.spec, status=1)
    assert "did you mean `must`?" in project.err


def test_a_key_that_stands_twice_is_refused_with_both_places(project):
    project.edit("protocol.yaml", "    must: accuracy >= 75%", "    must: accuracy >= 75%\n    must: accuracy >= 5%")
    expect_refused(project, "check", project.spec, expected="E0122")
    assert "protocol.yaml:70:" in project.err
    assert "protocol.yaml:69:" in project.err


def test_ninety_where_ninety_percent_is_meant_can_never_hold(project):
    project.edit("protocol.yaml", "must: accuracy >= 75%", "must: accuracy >= 90")
    project.edit("protocol.yaml", "At least 75% of all", "At least 90 of all")
    expect_refused(project, "check", project.spec, expected="E0801")


def test_a_bare_number_where_a_duration_is_due_is_refused(project):
    project.edit("protocol.yaml", "timeout: 5 s", "timeout: 0.9")
    expect_refused(project, "check", project.spec, expected="E0516", words="0.9")


def test_crlf_and_a_byte_order_mark_change_no_digest(project):
    digest = read_json(project.folder / "generated" / "spam_filter_v1" / "package.json")["spec_digest"]
    project.protoc("seal", project.spec)
    for name in ("protocol.yaml", "messages.jsonl"):
        path = project.spec / name
        path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n"))
    project.protoc("compile", "--check", project.spec)
    bundle = project.run()
    assert read_json(bundle / "summary.json")["spec_digest"] == digest
    project.protoc("verify", bundle)


def test_an_empty_spec_is_refused(project):
    project.protocol.write_text("")
    expect_refused(project, "check", project.spec, expected="E0126")


def test_there_is_no_such_spec(project):
    project.protoc("check", project.folder / "nothing.yaml", status=2)
    assert "there is no file" in project.err


# --- rows --------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def numbers(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A protocol with a column of each kind of number."""
    project = new_project(tmp_path_factory.mktemp("numbers") / "project")
    project.edit("protocol.yaml", "text: text, label", "text: text, size: int, score: decimal, label")
    path = project.spec / "messages.jsonl"
    rows = [row | {"size": 3, "score": 0.5} for row in read_lines(path)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    project.compile()
    return project


@pytest.mark.parametrize(
    ("column", "value", "expected"),
    [
        ("score", "NaN", "E1018"),
        ("score", "Infinity", "E1018"),
        ("score", '"NaN"', "E1018"),
        ("score", "true", "E1016"),
        ("size", "true", "E1016"),
        ("size", "9007199254740993", "E1019"),
        ("size", "0.5", "E1020"),
        ("size", '"3"', "E1017"),
        ("size", "null", "E1015"),
        ("text", '"\\ud800"', "E1026"),
        ("text", "3", "E1016"),
        ("label", '"Wanted"', "E1022"),
    ],
)
def test_a_value_that_is_none_is_refused_with_row_and_field(numbers, tmp_path, column, value, expected):
    project = numbers.copy(tmp_path / "project")
    path = project.spec / "messages.jsonl"
    first, *others = path.read_text().splitlines(keepends=True)
    cells = {name: json.dumps(cell) for name, cell in json.loads(first).items()} | {column: value}
    path.write_text("{" + ", ".join(f'"{name}": {cell}' for name, cell in cells.items()) + "}\n" + "".join(others))
    expect_refused(project, "seal", project.spec, expected=expected, words=f'row case "d1", field {column}')
    assert "messages.jsonl:1:1" in project.err
    assert not (project.spec / "seal.jsonl").exists()


def change_rows(project: Project, change) -> None:
    path = project.spec / "messages.jsonl"
    rows = read_lines(path)
    change(rows)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def test_a_case_id_that_stands_twice_is_refused_with_both_rows(project):
    change_rows(project, lambda rows: rows[3].update(case="d2"))
    expect_refused(project, "seal", project.spec, expected="E1029", words='"d2"')
    assert "messages.jsonl:4:1" in project.err
    assert "messages.jsonl:2:1" in project.err


def test_a_missing_column_is_refused(project):
    change_rows(project, lambda rows: rows[0].pop("label"))
    expect_refused(project, "seal", project.spec, expected="E1014", words="label")


def test_an_extra_column_is_refused(project):
    change_rows(project, lambda rows: rows[0].update(lable="wanted"))
    expect_refused(project, "seal", project.spec, expected="E1013", words="did you mean label?")


def test_an_empty_file_of_cases_is_refused(project):
    (project.spec / "messages.jsonl").write_text("")
    expect_refused(project, "seal", project.spec, expected="E1034")


def test_a_file_that_is_not_there_is_refused(project):
    (project.spec / "messages.jsonl").unlink()
    expect_refused(project, "seal", project.spec, expected="E1002", words="messages.jsonl")


def test_rows_of_another_number_than_expected_are_refused(project):
    change_rows(project, lambda rows: rows.pop())
    expect_refused(project, "seal", project.spec, expected="E1114", words="count(cases where split == heldout) == 8")


def test_no_rows_of_the_split_is_an_error_of_the_run(project):
    change_rows(project, lambda rows: rows.__delitem__(slice(6, None)))
    project.edit("protocol.yaml", "        - count(cases where split == heldout) == 8\n", "")
    project.compile()
    project.protoc("seal", project.spec)
    expect_refused(project, "run", project.spec, expected="E1207")
    assert project.bundles() == []


# --- what was sealed, and what is there now ----------------------------------------------------------------------


def test_an_input_that_changed_after_the_seal_is_refused(project):
    project.protoc("seal", project.spec)
    change_rows(project, lambda rows: rows[7].update(label="unwanted"))
    expect_refused(project, "run", project.spec, expected="E1105", words="messages.jsonl")
    assert not (project.folder / "registry.jsonl").exists()


def test_a_threshold_that_changed_after_the_seal_is_refused(project):
    project.protoc("seal", project.spec)
    project.edit("protocol.yaml", "At least 75%", "At least 70%")
    project.edit("protocol.yaml", "accuracy >= 75%", "accuracy >= 70%")
    project.protoc("run", project.spec, status=1)
    assert set(ids(project)) & {"E1104", "E1112", "E1204"}
    project.compile()
    expect_refused(project, "run", project.spec, expected="E1104")
    expect_refused(project, "seal", project.spec, expected="E1101")


def test_a_generated_package_that_was_edited_is_refused_and_not_overwritten(project):
    rules = project.folder / "generated" / "spam_filter_v1" / "rules.py"
    rules.write_text(rules.read_text() + "\n# mine\n")
    expect_refused(project, "compile", project.spec, expected="E0901", words="rules.py")
    assert rules.read_text().endswith("# mine\n")
    expect_refused(project, "compile", project.spec, "--check", expected="E0905")
    expect_refused(project, "seal", project.spec, expected="E1112", words="rules.py")


def test_a_stale_package_is_refused(project):
    project.edit("protocol.yaml", "title: Spam filter, first", "title: Spam filter, second")
    expect_refused(project, "compile", project.spec, "--check", expected="E0905")
    expect_refused(project, "seal", project.spec, expected="E1112")


def test_an_edited_package_is_not_run(project):
    project.protoc("seal", project.spec)
    rules = project.folder / "generated" / "spam_filter_v1" / "rules.py"
    rules.write_text(rules.read_text() + "\n# mine\n")
    project.protoc("run", project.spec, status=1)
    assert set(ids(project)) & {"E1108", "E1112"}, project.err


# --- subjects ----------------------------------------------------------------------------------------------------

SUBJECTS = {
    "raises": ("raise ValueError('no')", "failed", "raised ValueError: no"),
    "hangs": ("time.sleep(600)", "timed_out", "no answer within 3.5 s"),
    "hangs_and_ignores_signals": (
        "[signal.signal(s, signal.SIG_IGN) for s in (1, 2, 15)]; time.sleep(600)", "timed_out", "no answer within"),
    "spins": ("while True: pass", "timed_out", "no answer within 3.5 s"),
    "exits": ("sys.exit(0)", "failed", "raised SystemExit: 0"),
    "ends_its_process": ("os._exit(0)", "failed", "the subject's process ended (exit status 0)"),
    "is_killed": ("os.kill(os.getpid(), 9)", "failed", "killed by SIGKILL"),
    "returns_nothing": ("return None", "failed", "the answer is no object"),
    "returns_a_list": ("return [1]", "failed", "the answer is no object"),
    "returns_another_table": ("return {'cases': {}}", "failed", "the answer has rows of 'cases'"),
    "returns_another_column": ("return {'answers': {'anser': 'wanted'}}", "failed", "there is no column 'anser'"),
    "returns_two_rows": ("return {'answers': [{'answer': 'wanted'}] * 2}", "failed", "a second row with the key"),
    "returns_another_case": ("return {'answers': {'case': 'h9', 'answer': 'wanted'}}", "failed", "another case"),
    "returns_a_word_that_is_none": ("return {'answers': {'answer': 'Wanted'}}", "failed", "Wanted"),
    "returns_not_a_number": ("return {'answers': {'answer': float('nan')}}", "failed", "holds nan"),
    "returns_bytes": ("return {'answers': {'answer': b'wanted'}}", "failed", "of type bytes"),
    "returns_a_surrogate": ("return {'answers': {'answer': '\\ud800'}}", "failed", "a lone surrogate"),
    "returns_a_deep_value": (
        "x = []\n    for _ in range(900): x = [x]\n    return {'answers': x}", "failed", "deeper than"),
    "returns_itself": ("x = {}; x['answers'] = x; return x", "failed", "deeper than"),
    "uses_up_the_stack": ("return answer(case)", "failed", "RecursionError"),
    "writes_to_every_channel": (
        "for n in range(3, 256):\n        try: os.write(n, b'x' * 64)\n        except OSError: pass",
        "failed", "the subject's process ended (a reply of"),
    "closes_every_channel": ("os.closerange(0, 64)", "failed", "the subject's process ended"),
}  # fmt: skip


def with_subject(project: Project, body: str) -> Path:
    """Run a subject with this body, once per case."""
    lines = f"import os\nimport signal\nimport sys\nimport time\n\n\ndef answer(case):\n    {body}\n"
    (project.spec / "subject.py").write_text(lines, encoding="utf-8")
    change_rows(project, lambda rows: rows.__delitem__(slice(8, None)))
    project.edit("protocol.yaml", "split == heldout) == 8", "split == heldout) == 2")
    project.edit("protocol.yaml", "timeout: 5 s", "timeout: 3500 ms")
    project.compile()
    project.protoc("seal", project.spec)
    begun = time.monotonic()
    project.protoc("run", project.spec, status=1)
    assert time.monotonic() - begun < 60
    (bundle,) = project.bundles()
    return bundle


@pytest.mark.parametrize("name", SUBJECTS)
def test_a_subject_that(project, name):
    body, outcome, reason = SUBJECTS[name]
    bundle = with_subject(project, body)
    for case in read_lines(bundle / "cases.jsonl"):
        assert case["outcome"] == outcome
        assert reason in case["reason"], case["reason"]
    summary = read_json(bundle / "summary.json")
    assert (summary["verdict"], summary["released"]) == ("INVALID", False)
    assert summary["metrics"]["accuracy"] == {"num": 0, "den": 2}
    project.protoc("verify", bundle)


def test_a_subject_that_prints_is_heard_in_the_log_alone(project):
    bundle = with_subject(
        project, "print('hello'); sys.stderr.write('world'); return {'answers': {'answer': 'wanted'}}"
    )
    logs = "".join(path.read_text() for path in sorted((bundle / "logs").iterdir()))
    assert logs.count("hello") == logs.count("world") == 2
    assert "hello" not in project.err
    assert {case["outcome"] for case in read_lines(bundle / "cases.jsonl")} == {"scored"}


def test_a_subject_that_forks_gives_one_answer_and_leaves_nobody_behind(project, tmp_path):
    pids = tmp_path / "pids"
    body = (
        "child = os.fork()\n"
        f"    if not child: open({str(pids)!r}, 'a').write(f'{{os.getpid()}}\\n'); time.sleep(600)\n"
        "    return {'answers': {'answer': 'wanted'}}"
    )
    bundle = with_subject(project, body)
    assert [case["outcome"] for case in read_lines(bundle / "cases.jsonl")] == ["scored", "scored"]
    left, deadline = {int(pid) for pid in pids.read_text().split()} if pids.exists() else set(), time.monotonic() + 60
    while left and time.monotonic() < deadline:  # they were told to end, and do when they get the processor
        left = {pid for pid in left if runs(pid)}
    assert not left


def test_a_subject_that_comes_back_from_a_fork_answers_once(project):
    bundle = with_subject(project, "os.fork(); return {'answers': {'answer': 'wanted'}}")
    assert [case["outcome"] for case in read_lines(bundle / "cases.jsonl")] == ["scored", "scored"]
    assert len(read_lines(bundle / "rows" / "answers.jsonl")) == 2


def test_a_subject_that_changes_itself_is_found(project):
    (project.spec / "subject.py").write_text(
        "def answer(case):\n    open(__file__, 'a').write('# more\\n')\n    return {'answers': {'answer': 'wanted'}}\n"
    )
    project.protoc("seal", project.spec)
    expect_refused(project, "run", project.spec, expected="E1215", words="subject.py")
    assert project.bundles() == []


def test_a_subject_that_cannot_be_imported_is_refused_before_the_split_is_spent(project):
    (project.spec / "subject.py").write_text("from nothing_of_this_name import answer\n")
    project.protoc("seal", project.spec)
    expect_refused(project, "run", project.spec, expected="E1201")
    assert not (project.folder / "registry.jsonl").exists()


# --- splits ------------------------------------------------------------------------------------------------------


def test_a_split_that_may_be_scored_once_is_not_scored_twice(project):
    project.protoc("seal", project.spec)
    first = project.run()
    expect_refused(project, "run", project.spec, expected="E1301", words=first.name)
    (project.spec / "subject.py").write_text("def answer(case):\n    return {'answers': {'answer': 'unwanted'}}\n")
    project.protoc("seal", project.spec, "--reason", "a better prompt")
    expect_refused(project, "run", project.spec, expected="E1301", words=first.name)
    change_rows(project, lambda rows: rows.reverse())
    project.protoc("seal", project.spec, "--reason", "in another order")
    expect_refused(project, "run", project.spec, expected="E1301", words=first.name)
    assert project.bundles() == [first]
