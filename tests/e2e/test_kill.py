"""Killed at a random moment, at every stage: nothing acknowledged is lost, and what was begun can be ended.

Twelve kills in the usual run; `PROTOC_LONG=1` makes it two hundred.
"""

from __future__ import annotations

import json
import os
import random
from pathlib import Path

import pytest

from e2e.killing import (
    CASES,
    calls,
    check_nothing_is_lost_or_torn,
    go_on,
    kill_when,
    moments,
    project_to_kill,
    start,
    tree,
)
from protoc_runtime.ledger_file import read_events
from protoc_runtime.seal import load_seals
from unit.projects import Project, read_json, read_lines

LONG = os.environ.get("PROTOC_LONG") == "1"
RUN_STAGES = ("start", "subject", "evaluation", "bundle", "end")
RUNS = 150 if LONG else 10
OTHERS = 17 if LONG else 1  # of seal, score, verify each (and as many of compile)
COMPARED = ("metrics", "blockers", "gates", "verdict", "released", "lists", "reasons", "counters", "splits")


@pytest.fixture(scope="module")
def unsealed(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return project_to_kill(tmp_path_factory.mktemp("base") / "project")


@pytest.fixture(scope="module")
def sealed(unsealed: Project, tmp_path_factory: pytest.TempPathFactory) -> Project:
    project = unsealed.copy(tmp_path_factory.mktemp("sealed") / "project")
    project.protoc("seal", project.spec)
    return project


@pytest.fixture(scope="module")
def undisturbed(sealed: Project, tmp_path_factory: pytest.TempPathFactory) -> Project:
    project = sealed.copy(tmp_path_factory.mktemp("undisturbed") / "project")
    project.run()
    return project


def same_results(bundle: Path, other: Path) -> None:
    """Verdict, metrics, rows and outcomes are those of the undisturbed run."""
    one, two = read_json(bundle / "summary.json"), read_json(other / "summary.json")
    assert [one[name] for name in COMPARED] == [two[name] for name in COMPARED]
    assert tree(bundle / "rows") == tree(other / "rows")
    ended, expected = ([(c["case"], c["outcome"], c["answers"]) for c in read_lines(b / "cases.jsonl")]
                       for b in (bundle, other))  # fmt: skip
    assert ended == expected


@pytest.mark.parametrize("seed", range(RUNS))
def test_a_killed_run_ends_like_an_undisturbed_one(sealed, undisturbed, tmp_path, seed):
    project = sealed.copy(tmp_path / "project")
    stage = RUN_STAGES[seed % len(RUN_STAGES)]
    ripe, delay = moments(project, stage, random.Random(seed))
    kill_when(start(project, "run", str(project.spec)), ripe, delay)
    check_nothing_is_lost_or_torn(project)
    before = calls(project)
    kept = [event.body["case"] for folder in project.unfinished() for event in _events(folder)
            if event.kind == "case_finished"]  # fmt: skip
    bundle = go_on(project)
    after = calls(project)
    assert {case: after[case] for case in kept} == {case: before[case] for case in kept}, "a finished case was repeated"
    assert len(after) == CASES
    finished = [event.body["case"] for event in _events(bundle) if event.kind == "case_finished"]
    assert sorted(finished) == sorted(after)
    same_results(bundle, undisturbed.bundles()[0])
    project.protoc("verify", bundle)
    assert [line["kind"] for line in read_lines(project.folder / "registry.jsonl")] == ["intent", "closed"]
    assert [path for path in project.folder.rglob("*.tmp") if ".unfinished" not in str(path)] == []


@pytest.mark.parametrize("seed", range(3 if LONG else 1))
def test_a_run_that_is_killed_again_and_again_ends_too(sealed, undisturbed, tmp_path, seed):
    project, chance = sealed.copy(tmp_path / "project"), random.Random(1000 + seed)
    for stage in ("subject", "subject", "evaluation", "bundle", "end"):
        unfinished = project.unfinished()
        more = ["--resume", str(unfinished[0])] if unfinished else []
        ripe, delay = moments(project, stage, chance)
        kill_when(start(project, "run", str(project.spec), *more), ripe, delay)
        check_nothing_is_lost_or_torn(project)
        if project.bundles():
            break
    bundle = go_on(project)
    assert all(number <= 6 for number in calls(project).values())
    same_results(bundle, undisturbed.bundles()[0])
    project.protoc("verify", bundle)


@pytest.mark.parametrize("seed", range(OTHERS))
def test_a_killed_seal_is_made_or_not_made(unsealed, tmp_path, seed):
    project, chance = unsealed.copy(tmp_path / "project"), random.Random(2000 + seed)
    chain = project.spec / "seal.jsonl"
    ripe, delay = (chain.exists, chance.uniform(0, 0.01)) if seed % 2 else (lambda: True, chance.uniform(0, 1.2))
    kill_when(start(project, "seal", str(project.spec)), ripe, delay)
    check_nothing_is_lost_or_torn(project)
    project.protoc("seal", project.spec)
    assert len(load_seals(chain)) == 1
    assert list(project.spec.glob(".*")) == []
    project.protoc("seal", project.spec)
    assert len(load_seals(chain)) == 1


@pytest.mark.parametrize("seed", range(OTHERS))
def test_a_killed_compile_leaves_the_old_package_or_the_new_one(unsealed, tmp_path, seed):
    project, chance = unsealed.copy(tmp_path / "project"), random.Random(3000 + seed)
    package = project.folder / "generated" / "spam_filter_v1"
    old = tree(package)
    project.edit("protocol.yaml", "first evaluation", "second evaluation")
    hidden = lambda: bool(list(package.parent.glob(".*")))  # noqa: E731
    kill_when(start(project, "compile", str(project.spec)), hidden, chance.uniform(0, 0.05))
    left = tree(package)
    project.protoc("compile", project.spec)
    assert left in (old, tree(package), {})
    assert list(package.parent.glob(".*")) == []
    project.protoc("compile", "--check", project.spec)


@pytest.mark.parametrize("seed", range(OTHERS))
def test_a_killed_score_changes_nothing(undisturbed, tmp_path, seed):
    project = undisturbed.copy(tmp_path / "project")
    before, rows = tree(project.folder), project.bundles()[0] / "rows"
    kill_when(start(project, "score", str(project.spec), "--data", str(rows)), lambda: True, _late(seed))
    assert tree(project.folder) == before
    scored = json.loads(project.protoc("score", project.spec, "--data", rows, "--format", "json"))
    assert scored["metrics"] == read_json(project.bundles()[0] / "summary.json")["metrics"]


@pytest.mark.parametrize("seed", range(OTHERS))
def test_a_killed_verify_changes_nothing(undisturbed, tmp_path, seed):
    project = undisturbed.copy(tmp_path / "project")
    before, bundle = tree(project.folder), project.bundles()[0]
    kill_when(start(project, "verify", str(bundle)), lambda: True, _late(seed))
    assert tree(project.folder) == before
    project.protoc("verify", bundle)


def _late(seed: int) -> float:
    return random.Random(4000 + seed).uniform(0, 1.2)


def _events(folder: Path) -> list:
    return list(read_events(folder / "ledger.jsonl"))
