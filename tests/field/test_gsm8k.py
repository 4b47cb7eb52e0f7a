"""A protocol over real recorded answers, sealed, run and verified, gives the published counts."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from e2e.workspaces import ROOT, Workspace, new_workspace
from field.gsm8k.prepare import prepare

SHARED = Path(os.environ.get("PROTOC_SHARED", ROOT.parent / "shared"))
PUBLISHED = SHARED / "data" / "gsm8k" / "example_model_solutions.jsonl"
FOLDER = "specs/gsm8k"

pytestmark = pytest.mark.skipif(not PUBLISHED.is_file(), reason=f"the published answers are not at {PUBLISHED}")


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bundle of a run over the published answers."""
    folder = tmp_path_factory.mktemp("gsm8k")
    prepare(PUBLISHED, folder / "gsm8k")
    workspace = new_workspace(folder / "workspace", folder / "gsm8k")
    workspace.protoc("compile", FOLDER)
    workspace.commit("Compile the protocol")
    workspace.protoc("seal", FOLDER)
    workspace.commit("Seal the protocol")
    workspace.protoc("run", FOLDER)
    (made,) = workspace.bundles()
    return made


@pytest.fixture(scope="module")
def summary(bundle: Path) -> dict[str, Any]:
    return json.loads((bundle / "summary.json").read_text(encoding="utf-8"))


def count(summary: dict[str, Any], name: str) -> int:
    value = summary["metrics"][name]
    assert value["den"] == 1
    return value["num"]


def test_each_model_solves_as_many_problems_as_published(summary: dict[str, Any]) -> None:
    published = {"6b_finetuning": 286, "6b_verification": 515, "175b_finetuning": 458, "175b_verification": 742}
    assert {model: count(summary, f"correct.{model}") for model in published} == published
    for model, right in published.items():
        assert summary["metrics"][f"accuracy.{model}"] == {"num": right, "den": 1319}


def test_two_models_differ_on_as_many_problems_as_published(summary: dict[str, Any]) -> None:
    assert count(summary, "only_one.trained_175b") == 76
    assert count(summary, "only_other.trained_175b") == 360
    assert count(summary, "only_one.verified_6b") == 209
    assert count(summary, "only_other.verified_6b") == 152


def test_the_flag_agrees_with_the_number_in_every_answer(summary: dict[str, Any]) -> None:
    assert count(summary, "disagreements") == 0
    assert not any(summary["blockers"].values())
    assert (summary["verdict"], summary["released"]) == ("BETTER", True)


def test_both_verifiers_agree(bundle: Path) -> None:
    Workspace(bundle.parents[2]).protoc("verify", str(bundle))
    alone = subprocess.run([sys.executable, "-I", "verify.py"], cwd=bundle, text=True, capture_output=True)
    assert alone.returncode == 0, alone.stdout + alone.stderr
    assert "the bundle holds" in alone.stdout
