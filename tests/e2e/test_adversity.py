"""A full disk, a folder that cannot be written, two at once, a clock that was set back: told clearly, nothing lost."""

from __future__ import annotations

import resource
import subprocess
import sys
import time
from itertools import pairwise
from pathlib import Path

import pytest

from e2e.killing import SECONDS, calls, ended_cases, go_on, project_to_kill, start, tree
from e2e.places import fill, read_only, small_disk
from e2e.workspaces import environment
from protoc_runtime.chain import GENESIS, encode
from protoc_runtime.ledger import Ledger, check_chain
from protoc_runtime.ledger_file import read_events
from protoc_runtime.registry import splits_check
from protoc_runtime.seal import load_seals
from unit.projects import Project, ids, read_json, read_lines

FUTURE = "2999-01-01T00:00:00.000000Z"


@pytest.fixture(scope="module")
def unsealed(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return project_to_kill(tmp_path_factory.mktemp("base") / "project")


@pytest.fixture(scope="module")
def sealed(unsealed: Project, tmp_path_factory: pytest.TempPathFactory) -> Project:
    project = unsealed.copy(tmp_path_factory.mktemp("sealed") / "project")
    project.protoc("seal", project.spec)
    return project


@pytest.fixture
def project(sealed: Project, tmp_path: Path) -> Project:
    return sealed.copy(tmp_path / "project")


@pytest.mark.parametrize("leave", [0, 4096, 16_384, 32_768, 65_536, 131_072, 262_144])
def test_a_full_disk_stops_a_run_that_can_go_on_when_there_is_room(sealed, tmp_path, leave):
    with small_disk(tmp_path / "disk", 4096) as disk:
        project = sealed.copy(disk / "project")
        ballast = fill(disk, leave)
        project.protoc("run", project.spec, status=1)
        assert set(ids(project)) & {"E1212", "E1310", "E1504"}, project.err
        assert ": No space left on device" in project.err
        for line in project.err.splitlines():  # what is full is where the bundle is, not what is copied into it
            assert " E1212 " not in f" {line}" or "/runs/" in line.partition(" cannot be written")[0], line
            assert "[Errno" not in line
        for folder in project.unfinished():
            assert not check_chain(folder / "ledger.jsonl").failed or not (folder / "ledger.jsonl").exists()
        assert not splits_check(project.folder / "registry.jsonl").failed
        before = calls(project)
        ballast.unlink()
        bundle = go_on(project)
        assert read_json(bundle / "summary.json")["verdict"] == "PASS"
        finished = [e.body["case"] for e in read_events(bundle / "ledger.jsonl") if e.kind == "case_finished"]
        assert len(finished) == len(set(finished)) == 24
        assert sum(calls(project).values()) <= 24 + min(2, len(before))
        project.protoc("verify", bundle)


@pytest.mark.parametrize("largest", [0, 512, 2048, 4096, 8192, 20_000])
def test_a_limit_on_the_size_of_files_stops_a_run_that_can_go_on_without_it(project, largest):
    command = [sys.executable, "-m", "protoc_compiler", "run", str(project.spec)]
    alone = environment() | {"PYTHONDONTWRITEBYTECODE": "1"}  # the limit would cut byte-code, too
    done = subprocess.run(
        command, cwd=project.folder, env=alone, capture_output=True, text=True, timeout=SECONDS,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (largest, largest)),
    )  # fmt: skip
    assert done.returncode == 1, done.stderr
    assert "File too large" in done.stderr
    assert "internal failure" not in done.stderr
    assert not splits_check(project.folder / "registry.jsonl").failed
    bundle = go_on(project)
    assert read_json(bundle / "summary.json")["verdict"] == "PASS"
    project.protoc("verify", bundle)


def test_a_full_disk_leaves_the_chain_of_seals_and_the_registry_as_they_were(unsealed, tmp_path):
    with small_disk(tmp_path / "disk", 4096) as disk:
        project = unsealed.copy(disk / "project")
        ballast = fill(disk, 0)
        project.protoc("seal", project.spec, status=1)
        assert ids(project) == ["E1115"]
        assert load_seals(project.spec / "seal.jsonl") == ()
        ballast.unlink()
        project.protoc("seal", project.spec)
        before = tree(project.spec)
        project.edit("protocol.yaml", "  unit: one message", "  unit: one text message")
        project.compile()
        fill(disk, 0)
        project.protoc("seal", project.spec, "--reason", "another word", status=1)
        assert ids(project) == ["E1115"]
        assert (project.spec / "seal.jsonl").read_bytes() == before["seal.jsonl"]


def test_a_full_disk_leaves_the_package_as_it_was(unsealed, tmp_path):
    with small_disk(tmp_path / "disk", 4096) as disk:
        project = unsealed.copy(disk / "project")
        before = tree(project.folder / "generated")
        project.edit("protocol.yaml", "first evaluation", "second evaluation")
        fill(disk, 8192)
        project.protoc("compile", project.spec, status=1)
        assert ids(project) == ["E0906"], project.err
        assert tree(project.folder / "generated") == before


@pytest.mark.parametrize(
    ("place", "command", "expected"),
    [
        ("runs", ("run",), "E1212"),
        ("", ("run",), "E1212"),
        ("specs/spam_filter", ("seal", "--reason", "again"), "E1115"),
        ("generated", ("compile",), "E0906"),
    ],
)
def test_a_folder_that_cannot_be_written_is_named_and_nothing_is_spent(project, place, command, expected):
    folder = project.folder / place
    folder.mkdir(exist_ok=True)
    if command[0] != "run":
        project.edit("protocol.yaml", "  unit: one message", "  unit: one text message")
    if command[0] == "seal":
        project.compile()
    before = tree(project.folder)
    with read_only(folder):
        project.protoc(command[0], project.spec, *command[1:], status=1)
    assert ids(project) == [expected], project.err
    assert str(folder) in project.err
    assert "Read-only file system" in project.err or "Permission denied" in project.err
    assert tree(project.folder) == before
    project.protoc(command[0], project.spec, *command[1:])


def test_a_registry_that_cannot_be_written_stops_a_run_before_any_row_is_read(project, tmp_path):
    out = tmp_path / "out"
    with read_only(project.folder):
        project.protoc("run", project.spec, "--out", out, status=1)
    assert ids(project) == ["E1310"]
    assert calls(project) == {}
    (unfinished,) = out.glob("*/*.unfinished")
    assert "inputs_read" not in (unfinished / "ledger.jsonl").read_text()


def test_of_two_runs_at_once_one_reads_the_split(project):
    both = [start(project, "run", str(project.spec)) for _ in range(2)]
    statuses = sorted(process.wait(SECONDS) for process in both)
    assert statuses == [0, 1]
    assert sum(calls(project).values()) == 24
    assert [line["kind"] for line in read_lines(project.folder / "registry.jsonl")] == ["intent", "closed"]
    project.protoc("verify", *project.bundles())


def test_of_two_that_resume_one_run_only_one_goes_on(project):
    (project.folder / "hold").touch()
    running = start(project, "run", str(project.spec))
    while not ended_cases(project):
        assert running.poll() is None
        time.sleep(0.01)
    project.protoc("run", project.spec, "--resume", project.unfinished()[0], status=1)
    assert ids(project) == ["E1502"]
    (project.folder / "hold").unlink()
    assert running.wait(SECONDS) == 0
    assert sum(calls(project).values()) == 24
    project.protoc("verify", *project.bundles())


def test_two_seals_at_once_make_one(unsealed, tmp_path):
    project = unsealed.copy(tmp_path / "project")
    both = [start(project, "seal", str(project.spec)) for _ in range(2)]
    assert [process.wait(SECONDS) for process in both] == [0, 0]
    assert len(load_seals(project.spec / "seal.jsonl")) == 1


def test_two_compiles_at_once_leave_one_package(unsealed, tmp_path):
    project = unsealed.copy(tmp_path / "project")
    words = ["first", "second", "third", "fourth", "fifth", "sixth"]
    for before, after in pairwise(words):  # one that is halfway meets the other in few of them
        project.edit("protocol.yaml", f"{before} evaluation", f"{after} evaluation")
        both = [start(project, "compile", str(project.spec)) for _ in range(2)]
        assert [process.wait(SECONDS) for process in both] == [0, 0]
        project.protoc("compile", "--check", project.spec)
        assert [path.name for path in (project.folder / "generated").iterdir()] == ["spam_filter_v1"]


def test_a_clock_that_was_set_back_after_the_seal_does_not_turn_the_order_round(unsealed, tmp_path):
    from protoc_runtime.canonical import digest_bytes
    from protoc_runtime.record import replace
    from protoc_runtime.seal_format import to_bytes

    project = unsealed.copy(tmp_path / "project")
    project.protoc("seal", project.spec)
    (seal,) = load_seals(project.spec / "seal.jsonl")
    later = replace(seal, time=FUTURE)
    (project.spec / "seal.jsonl").write_bytes(to_bytes(later) + b"\n")
    bundle = project.run()
    events = list(read_events(bundle / "ledger.jsonl"))
    assert {event.body["at"] for event in events} == {FUTURE}
    assert all(event.body["wall"] < FUTURE for event in events)
    project.protoc("verify", bundle)
    project.edit("protocol.yaml", "  unit: one message", "  unit: one text message")
    project.seal("--reason", "after the clock was set back")
    first, second = load_seals(project.spec / "seal.jsonl")
    assert (first.digest, second.time) == (digest_bytes(to_bytes(later)), FUTURE)
    assert second.wall is not None


def test_a_registry_from_a_machine_whose_clock_ran_ahead_is_continued(project):
    registry = project.folder / "registry.jsonl"
    about = {"protocol": "other", "version": 1, "split": "s", "role": "heldout", "may": ["score"], "use": "score",
             "run": "runs/other", "rows": 1, "content": "0" * 64, "ids": "1" * 64}  # fmt: skip
    registry.write_bytes(encode(1, GENESIS, "intent", {**about, "at": FUTURE}) + b"\n")
    bundle = project.run()
    lines = read_lines(registry)
    assert [line["kind"] for line in lines] == ["intent", "intent", "closed"]
    assert {line["body"]["at"] for line in lines} == {FUTURE}
    read = next(event for event in read_events(bundle / "ledger.jsonl") if event.kind == "inputs_read")
    assert read.body["at"] == FUTURE, "rows are not read before the registry says so"
    project.protoc("verify", bundle)


def test_a_ledger_whose_last_event_lies_in_the_future_is_continued(tmp_path):
    path = tmp_path / "ledger.jsonl"
    path.write_bytes(encode(1, GENESIS, "run_started", {"at": FUTURE}) + b"\n")
    with Ledger.open(path) as ledger:
        assert ledger.append("case_started", {"case": "c1"}).at == FUTURE
    assert not check_chain(path).failed
