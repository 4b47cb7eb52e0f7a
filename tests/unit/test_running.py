"""The road of a run: what it refuses, what it records, and that nothing is lost or done twice."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from protoc_runtime import bundle as bundles
from protoc_runtime.diagnostics import Findings
from protoc_runtime.gathering import read_inputs
from protoc_runtime.packages import load_protocol
from protoc_runtime.pinning import present_pins, with_rows
from protoc_runtime.seal import make_seal
from protoc_runtime.seal_format import to_bytes
from unit.projects import Project, ids, new_project, read_json, read_lines

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Project:
    project = new_project(tmp_path_factory.mktemp("base") / "project")
    project.seal()
    return project


@pytest.fixture
def project(base: Project, tmp_path: Path) -> Project:
    return base.copy(tmp_path / "project")


def subject(project: Project, body: str) -> None:
    (project.spec / "subject.py").write_text(f"import os, sys, time\n\n\ndef answer(case):\n{body}", encoding="utf-8")


def test_a_run_gives_verdict_bundle_and_registry_entry(project):
    bundle = project.run()
    summary = read_json(bundle / "summary.json")
    assert (summary["verdict"], summary["released"]) == ("PASS", True)
    assert summary["metrics"]["accuracy"] == {"num": 7, "den": 8}
    assert bundle.parent == project.folder / "runs" / "spam_filter_v1"
    registry = read_lines(project.folder / "registry.jsonl")
    assert [line["kind"] for line in registry] == ["intent", "closed"]
    assert registry[1]["body"]["verdict"] == "PASS"
    first_read = next(e for e in read_lines(bundle / "ledger.jsonl") if e["kind"] == "inputs_read")
    assert registry[0]["body"]["at"] < first_read["body"]["at"]
    cases = read_lines(bundle / "cases.jsonl")
    assert [case["case"] for case in cases] == [f"h{n}" for n in range(1, 9)]
    assert cases[4]["row"]["right"] is False
    assert cases[4]["answers"] == {"answers": {"answer": "wanted"}}


def test_rows_of_other_splits_are_neither_used_nor_kept(project):
    bundle = project.run("--phase", "tune", status=1)
    assert {row["split"] for row in read_lines(bundle / "rows" / "cases.jsonl")} == {"dev"}
    summary = read_json(bundle / "summary.json")
    assert (summary["kind"], summary["released"], summary["claimable"]) == ("development", False, False)
    assert "DEVELOPMENT" in (bundle / "RECEIPT.md").read_text()
    project.protoc("verify", bundle)


def test_only_declared_columns_reach_the_subject(project):
    subject(project, "    return {'answers': {'answer': 'wanted' if list(case) == ['text'] else 'unwanted'}}\n")
    project.protoc("seal", project.spec, "--reason", "looks at its input")
    bundle = project.run(status=1)
    assert {row["answer"] for row in read_lines(bundle / "rows" / "answers.jsonl")} == {"wanted"}


def test_a_second_scoring_is_refused_and_names_the_first(project):
    first = project.run()
    assert project.run(status=1) is None
    assert ids(project) == ["E1301"]
    assert first.name in project.err
    assert "verdict PASS" in project.err
    assert project.unfinished() == []


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda p: p.edit("messages.jsonl", "Lunch at one", "Lunch at two"), "E1105"),
        (lambda p: p.edit("subject.py", '"prize"', '"price"'), "E1107"),
        (lambda p: p.edit("protocol.yaml", "75%", "70%"), "E1204"),
        (lambda p: (p.edit("protocol.yaml", "75%", "70%"), p.compile()), "E1104"),
        (lambda p: (p.folder / "generated" / "spam_filter_v1" / "PROTOCOL.md").write_text("mine"), "E1108"),
        (lambda p: shutil.rmtree(p.folder / "generated" / "spam_filter_v1"), "E1203"),
        (lambda p: (p.spec / "seal.jsonl").unlink(), "E1102"),
    ],
)
def test_what_is_not_as_it_was_sealed_is_not_run(project, change, expected):
    change(project)
    assert project.run(status=1) is None
    assert expected in ids(project)
    assert not (project.folder / "registry.jsonl").exists()


def test_a_changed_subject_may_be_tuned_but_not_scored(project):
    project.edit("subject.py", '"prize"', '"price"')
    assert project.run("--phase", "tune", status=1) is not None
    assert project.run(status=1) is None
    assert ids(project) == ["E1107"]


def test_an_unknown_phase_is_refused_with_those_there_are(project):
    project.run("--phase", "scroe", status=1)
    assert ids(project) == ["E1202"]
    assert "tune, score" in project.err


def test_a_subject_that_cannot_be_loaded_spends_nothing_and_keeps_its_folder(project):
    (project.spec / "subject.py").write_text("from math import answer\n", encoding="utf-8")
    project.protoc("seal", project.spec, "--reason", "broken on purpose")
    assert project.run(status=1) is None
    assert ids(project) == ["E1201"]
    (kept,) = project.unfinished()
    assert "ImportError" in (kept / "logs" / "subject-1.log").read_text()
    assert kept.name in project.err
    assert not (project.folder / "registry.jsonl").exists()


def test_every_misbehaviour_ends_in_one_outcome_and_the_run_goes_on(project):
    subject(
        project,
        "    text = case['text']\n"
        "    if text.startswith('Claim'): raise ValueError('no')\n"
        "    if text.startswith('The train'): time.sleep(60)\n"
        "    if text.startswith('Final'): sys.exit(1)\n"
        "    if text.startswith('Thank'): os._exit(2)\n"
        "    if text.startswith('Earn'): return {'answers': {'answer': 'perhaps'}}\n"
        "    if text.startswith('Shall'): return {'answer': 'wanted'}\n"
        "    if text.startswith('Cheap'): return {'answers': [{'answer': 'wanted'}, {'answer': 'unwanted'}]}\n"
        "    return {'answers': {'answer': 'wanted'}}\n",
    )
    project.edit("protocol.yaml", "timeout: 5 s", "timeout: 3500 ms")
    project.seal("--reason", "a subject that misbehaves")
    said = project.protoc("run", project.spec, status=1)
    (bundle,) = project.bundles()
    assert "  1 failed: raised ValueError: no (h1)\n" in said
    assert "  and 4 more reasons; RECEIPT.md has them\n" in said
    assert f"{bundle.name}/logs\nbundle: " in said
    assert read_json(bundle / "summary.json")["verdict"] == "INVALID"
    cases = {case["case"]: (case["outcome"], case["reason"]) for case in read_lines(bundle / "cases.jsonl")}
    assert cases["h1"] == ("failed", "raised ValueError: no")
    assert cases["h2"] == ("timed_out", "no answer within 3.5 s")
    assert cases["h3"] == ("failed", "raised SystemExit: 1")
    assert cases["h4"] == ("failed", "the subject's process ended (exit status 2)")
    assert cases["h5"][0] == "failed"
    assert "perhaps" in cases["h5"][1]
    assert cases["h6"][0] == "failed"
    assert "'answer'" in cases["h6"][1]
    assert cases["h7"] == ("failed", "the answer does not fit: table answers, row 2: a second row with the key h7")
    assert cases["h8"] == ("scored", None)
    receipt = (bundle / "RECEIPT.md").read_text()
    assert "| h2 | timed out | no answer within 3.5 s |" in receipt
    project.protoc("verify", bundle)


def test_a_rehearsal_needs_no_seal_and_spends_nothing(project):
    (project.spec / "seal.jsonl").unlink()
    bundle = project.run("--rehearse", status=1)
    assert bundle.parent == project.folder / "rehearsals" / "spam_filter_v1"
    assert "REHEARSAL" in (bundle / "RECEIPT.md").read_text()
    assert (bundle / "REHEARSAL.md").is_file()
    assert not (project.folder / "registry.jsonl").exists()
    project.protoc("verify", bundle)


def test_a_rehearsal_never_opens_the_real_rows(project):
    real = read_lines(project.spec / "messages.jsonl")
    bundle = project.run("--rehearse", status=1)
    rows = read_lines(bundle / "rows" / "cases.jsonl")
    assert [row["split"] for row in rows] == ["heldout"] * 8, "as many as the protocol expects of the split"
    assert not {row["text"] for row in rows} & {row["text"] for row in real}
    assert not {row["case"] for row in rows} & {row["case"] for row in real}
    read = next(event for event in read_lines(bundle / "ledger.jsonl") if event["kind"] == "inputs_read")
    assert (read["body"]["synthetic"], read["body"]["rows"]["cases"]) == (True, 8)
    project.protoc("verify", bundle)


def test_a_rehearsal_is_the_same_with_other_rows_and_with_none(project):
    first = project.run("--rehearse", status=1)
    text = project.protocol.parent.joinpath("messages.jsonl").read_text(encoding="utf-8")
    (project.spec / "messages.jsonl").write_text(text.replace("e", "o"), encoding="utf-8")
    second = project.run("--rehearse", status=1)
    (project.spec / "messages.jsonl").unlink()
    third = project.run("--rehearse", status=1)
    for name in ("rows/cases.jsonl", "rows/answers.jsonl", "digests.json"):
        assert len({(bundle / name).read_bytes() for bundle in (first, second, third)}) == 1


def test_every_page_of_a_rehearsal_is_marked(project):
    out = project.protoc("run", project.spec, "--rehearse", status=1)
    (bundle,) = project.bundles()
    page = (bundle / "RECEIPT.md").read_text()
    assert page.splitlines()[2].startswith("**REHEARSAL")
    assert page.rstrip().splitlines()[-1].startswith("**REHEARSAL")
    assert out.startswith("REHEARSAL")
    assert "REHEARSAL" in project.protoc("why", bundle, "case 1")
    assert "rehearsal" in project.protoc("verify", bundle)


def test_made_up_rows_that_are_not_as_expected_are_named_and_rehearsed(project):
    old = "        - count(cases where split == dev) == 6\n"
    project.edit("protocol.yaml", old, old + "        - no cases have label == unwanted\n")
    project.edit("protocol.yaml", "reads: [heldout]", "reads: [dev, heldout]")
    project.edit("protocol.yaml", "may: [tune]", "may: [tune, score]")
    project.compile()
    assert project.run("--rehearse", status=1) is not None
    assert "N1219" in project.err
    assert "no cases have label == unwanted" in project.err
    assert "count(cases" not in project.err


def test_a_stale_package_is_not_rehearsed(project):
    project.edit("protocol.yaml", "75%", "70%")
    project.run("--rehearse", status=1)
    assert ids(project) == ["E1112"]


def test_rows_that_are_not_as_expected_are_not_run(project):
    """Nothing that `protoc seal` writes gets so far; a seal that was made by other means does."""
    project.edit("protocol.yaml", "reads: [heldout]", "reads: [dev, heldout]")
    project.edit("protocol.yaml", "may: [tune]", "may: [tune, score]")
    path = project.spec / "messages.jsonl"
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:-1]), encoding="utf-8")
    project.compile()
    seal_by_other_means(project)
    assert project.run(status=1) is None
    assert ids(project) == ["E1208"]
    assert "count(cases where split == heldout) == 8" in project.err


def seal_by_other_means(project: Project) -> None:
    package = project.folder / "generated" / "spam_filter_v1"
    declared, findings = load_protocol(package), Findings()
    pins = present_pins(declared, project.protocol, package, findings=findings)
    tables, _ = read_inputs(declared, project.spec, ())
    pins = with_rows(pins, declared, project.protocol, tables, findings)
    assert not findings.failed
    (project.spec / "seal.jsonl").write_bytes(to_bytes(make_seal(pins, None)) + b"\n")


def test_no_case_at_all_is_a_fault(project):
    path = project.spec / "messages.jsonl"
    path.write_text("".join(line for line in path.read_text().splitlines(keepends=True) if '"dev"' in line))
    project.edit("protocol.yaml", "        - count(cases where split == heldout) == 8\n", "")
    project.seal("--reason", "without a case to judge")
    project.run(status=1)
    assert ids(project) == ["E1207"]


def test_a_place_that_cannot_be_written_is_named(project):
    (project.folder / "file").write_text("")
    project.run("--out", project.folder / "file", status=1)
    assert ids(project) == ["E1212"]
    assert not (project.folder / "registry.jsonl").exists()


def test_recorded_answers_are_read_and_missing_ones_are_failures(tmp_path):
    project = new_project(tmp_path / "project", "recorded")
    answers = project.spec / "answers" / "answers.jsonl"
    answers.write_text("".join(answers.read_text().splitlines(keepends=True)[:-1]), encoding="utf-8")
    project.seal()
    bundle = project.run(status=1)
    cases = {case["case"]: case["reason"] for case in read_lines(bundle / "cases.jsonl") if case["reason"]}
    assert cases == {"r6": "no recorded answer"}
    assert read_json(bundle / "summary.json")["metrics"]["accuracy"] == {"num": 4, "den": 6}
    project.protoc("verify", bundle)


SLOW = "    time.sleep(0.4)\n    return {'answers': {'answer': 'wanted'}}\n"


def held(project: Project) -> Path:
    """Seal a subject that answers three cases, and no other one before there is the file that is given back."""
    free = project.folder / "free"
    subject(
        project,
        "    at_once = case['text'].startswith(('Claim', 'The train', 'Final'))\n"
        f"    while not at_once and not os.path.exists({str(free)!r}):\n"
        "        time.sleep(0.01)\n"
        "    return {'answers': {'answer': 'wanted'}}\n",
    )
    project.edit("protocol.yaml", "timeout: 5 s", "timeout: 200 s")
    project.seal("--reason", "it waits")
    return free


def start(project: Project) -> subprocess.Popen[str]:
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": f"{ROOT / 'compiler'}:{ROOT / 'runtime'}"}
    environment |= {"PYTHONPATH": os.environ.get("PYTHONPATH", "") + ":" + environment["PYTHONPATH"]}
    command = [sys.executable, "-m", "protoc_compiler", "run", str(project.spec)]
    return subprocess.Popen(command, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def wait_for_cases(project: Project, number: int) -> Path:
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        for folder in project.unfinished():
            ledger = folder / "ledger.jsonl"
            if ledger.exists() and ledger.read_text().count('"case_finished"') >= number:
                return folder
        time.sleep(0.01)
    raise AssertionError("the run did not get so far")


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_an_interrupted_run_goes_on_where_it_stopped(project, how):
    free = held(project)
    running = start(project)
    folder = wait_for_cases(project, 3)
    running.send_signal(how)
    _, err = running.communicate(timeout=120)
    if how == signal.SIGINT:
        assert "E1210" in err
        assert running.returncode == 130
    before = [e for e in read_lines(folder / "ledger.jsonl") if e["kind"] == "case_finished"]
    assert len(before) == 3
    assert project.run(status=1) is None, "the split is spent"
    free.touch()
    bundle = project.run("--resume", folder, status=1)
    finished = [e["body"]["case"] for e in read_lines(bundle / "ledger.jsonl") if e["kind"] == "case_finished"]
    assert sorted(finished) == [f"h{n}" for n in range(1, 9)]
    assert read_json(bundle / "summary.json")["metrics"]["accuracy"] == {"num": 4, "den": 8}
    assert [line["kind"] for line in read_lines(project.folder / "registry.jsonl")] == ["intent", "closed"]
    project.protoc("verify", bundle)
    project.run("--resume", bundle, status=1)
    assert ids(project) == ["E1205"]


def test_a_run_is_not_resumed_with_another_subject(project):
    held(project)
    running = start(project)
    folder = wait_for_cases(project, 2)
    running.kill()
    running.communicate()
    subject(project, SLOW.replace("0.4", "0.01"))
    project.protoc("seal", project.spec, "--reason", "faster")
    assert project.run("--resume", folder, status=1) is None
    assert set(ids(project)) == {"E1206"}
    assert "subject.py" in project.err


def test_there_must_be_a_run_to_resume(project):
    project.run("--resume", project.folder / "runs" / "nothing", status=1)
    assert ids(project) == ["E1205"]


def test_of_two_runs_at_once_one_gets_the_split(project):
    subject(project, SLOW)
    project.protoc("seal", project.spec, "--reason", "slower")
    both = [start(project), start(project)]
    told = [process.communicate(timeout=120) for process in both]
    assert "E1301" in told[0][1] + told[1][1]
    assert len(project.bundles()) == 1
    kinds = [json.loads(line)["kind"] for line in (project.folder / "registry.jsonl").read_text().splitlines()]
    assert kinds == ["intent", "closed"]
    project.protoc("verify", project.bundles()[0])
    for folder in project.unfinished():  # the loser had begun, if it was slower in being refused
        assert bundles.refused_launch(folder)
        assert "it has read nothing, and cannot be resumed" in told[0][1] + told[1][1]


def test_a_bundle_that_the_registry_did_not_learn_of_is_registered_by_resuming(project):
    bundle = project.run()
    registry = project.folder / "registry.jsonl"
    registry.write_text(registry.read_text().splitlines(keepends=True)[0], encoding="utf-8")
    project.protoc("verify", bundle, status=1)
    assert "E1411" in ids(project)
    project.run("--resume", bundle)
    project.protoc("verify", bundle)


def test_a_thousand_cases_with_a_subject_that_does_nothing_need_two_processes(tmp_path):
    project = new_project(tmp_path / "project")
    rows = [{"case": f"c{n}", "split": "heldout", "text": "x", "label": "wanted"} for n in range(1000)]
    (project.spec / "messages.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    project.edit("protocol.yaml", "count(cases where split == dev) == 6", "count(cases where split == dev) == 0")
    project.edit("protocol.yaml", "count(cases where split == heldout) == 8", "count(cases) == 1000")
    seen = tmp_path / "seen"
    seen.mkdir()
    subject(project, f"    open(f'{seen}/{{os.getpid()}}', 'w').close()\n    return {{}}\n")
    project.seal()
    project.run(status=1)
    assert 1 <= len(os.listdir(seen)) <= 2


def test_a_launch_that_the_registry_refused_says_so_and_cannot_be_resumed(project):
    """Two launches at once: the loser has a folder, but never read a row; it is no run to go on with."""
    from protoc_runtime.ledger import Ledger

    folder = project.folder / "runs" / "spam_filter_v1" / "20260101T000000Z_abc.unfinished"
    folder.mkdir(parents=True)
    with Ledger.open(folder / "ledger.jsonl") as ledger:
        ledger.append("run_started", {"run": "x", "use": "score", "splits": ["heldout"], "configuration": {}})
        assert bundles.refused_launch(folder) == ""
        ledger.append(bundles.REFUSED, {"reason": "split heldout may be read once"})
    assert "refused" in project.protoc("runs", "--workspace", project.folder)
    project.protoc("run", project.spec, "--resume", folder, status=1)
    assert ids(project) == ["E1205"]
    assert "the registry refused that launch before it read anything (split heldout may be read once)" in project.err


def test_a_seal_outside_of_git_is_told_with_every_run_that_counts(project):
    project.run()
    assert "W1220" in ids(project)
    project.run("--phase", "tune", status=1)
    assert "W1220" not in ids(project)
