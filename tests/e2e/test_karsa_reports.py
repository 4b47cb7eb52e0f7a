"""What the extractor protocol must report, and what its tables must hold: each broken once on purpose."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from e2e.karsa_rows import SPEC, Rows, perfect, the
from e2e.test_karsa import FOLDER, bundle, finished, sealed, verify_alone
from e2e.test_karsa_rules import V2_CLEAN, Scorer, scorer
from e2e.workspaces import Workspace, new_workspace, read_rows, write_rows

__all__ = ["finished", "scorer", "sealed"]  # fixtures
REPORTED = {
    "pass_rate.dev": "D008",
    "pass_low.heldout_v2": "D008",
    "pass_high.heldout_v1": "D008",
    "precision.budget": "D010",
    "recall.timeline": "D010",
    "f1.geography": "D010",
    "flag_recall.unsupported_claim": "D011",
    "false_positive_rate.prompt_injection": "D011",
    "control_alarm_rate.prompt_injection": "D153",
}


@pytest.mark.breaks("D008", "D010", "D011")
def test_a_reported_figure_that_the_rows_do_not_give_is_found(finished: Workspace, tmp_path: Path) -> None:
    for metric in REPORTED:
        copy = tmp_path / metric
        shutil.copytree(bundle(finished), copy)
        summary = json.loads((copy / "summary.json").read_text(encoding="utf-8"))
        summary["metrics"][metric] = {"num": 1, "den": 3}
        (copy / "summary.json").write_text(json.dumps(summary), encoding="utf-8")
        alone = verify_alone(copy)
        assert alone.returncode == 1
        assert metric in alone.stdout


def drop_case(folder: Path) -> None:
    dropped = read_rows(folder / "data" / "briefs_dev.jsonl")[0]["case"]
    for name in ("briefs", "labels", "flag_labels", "prices"):
        path = folder / "data" / f"{name}_dev.jsonl"
        write_rows(path, [row for row in read_rows(path) if row["case"] != dropped])


def drop_control(folder: Path) -> None:
    path = folder / "data" / "flag_labels_heldout_v2.jsonl"
    rows = read_rows(path)
    next(row for row in rows if row["control"])["control"] = False
    write_rows(path, rows)


@pytest.mark.breaks("D002", "D153")
@pytest.mark.parametrize(("spoil", "expected"), [(drop_case, "24"), (drop_control, "2")])
def test_a_split_of_another_size_is_not_sealed(spoil: Callable[[Path], None], expected: str, tmp_path: Path) -> None:
    workspace = new_workspace(tmp_path / "short", SPEC)
    spoil(workspace.folder / FOLDER)
    workspace.protoc("compile", FOLDER)
    refused = workspace.try_protoc("seal", FOLDER)
    assert refused.returncode == 1
    assert f"== {expected}" in refused.stderr
    assert not (workspace.folder / FOLDER / "seal.jsonl").exists()


@pytest.mark.breaks("D009")
def test_the_interval_of_35_of_50_is_wider_than_25_percent(scorer: Scorer) -> None:
    assert scorer.score(perfect(), 0)["checks"]["interval_width"] is True
    scorer.edit("is at most 26% wide", "is at most 24% wide")
    scorer.edit("digits = 4) <= 26%", "digits = 4) <= 24%")
    assert scorer.score(perfect(), 0)["checks"]["interval_width"] is False


@pytest.mark.breaks("D013")
def test_a_failure_is_published_and_the_release_stays_blocked(scorer: Scorer) -> None:
    rows: Rows = perfect()
    the(rows, "quotes", case=V2_CLEAN)["price"] += 1
    score = scorer.score(rows, 1)
    assert score["statuses"]["publication"] == "published_as_failure_release_blocked"
    assert score["released"] is False


@pytest.mark.breaks("D152", "D014")
def test_held_out_data_cannot_be_used_to_tune(tmp_path: Path) -> None:
    workspace = new_workspace(tmp_path / "tuned", SPEC)
    path = workspace.folder / FOLDER / "protocol.yaml"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("reads: [dev, heldout_v1]", "reads: [dev, heldout_v2]", 1), encoding="utf-8")
    refused = workspace.try_protoc("check", FOLDER)
    assert refused.returncode == 1
    assert "E0808" in refused.stderr
