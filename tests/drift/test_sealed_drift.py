"""A protocol that is loosened after its data was seen: the next seal and the next receipt tell it."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "unit"))
from projects import Project, new_project


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    made = new_project(tmp_path_factory.mktemp("drift") / "study")
    made.seal()
    assert made.run() is not None
    return made


def test_what_lets_more_pass_after_reading_is_in_the_next_receipt(project: Project) -> None:
    text = project.protocol.read_text(encoding="utf-8")
    gate = next(line for line in text.splitlines() if "must:" in line and ">=" in line)
    number = gate.rpartition(">= ")[2].rstrip("}").split(",")[0].strip()
    project.protocol.write_text(text.replace(number, "0.01"), encoding="utf-8")
    said = project.protoc("diff", "--no-proof", _old(project), project.spec, "--format", "json")
    (loosened,) = [change for change in json.loads(said)["changes"] if change["direction"] == "looser"]
    assert "W2706" in project.err
    assert json.loads(said)["seen"]
    project.seal("--reason", "too strict")
    (seal,) = [json.loads(line) for line in (project.spec / "seal.jsonl").read_text().splitlines()][-1:]
    drift = seal["predicate"]["drift"]
    assert drift["compared"]
    assert drift["seen"]
    assert [change["fingerprint"] for change in drift["changes"]] == [loosened["fingerprint"]]
    assert drift["changes"][0]["accepted"] is None
    bundle = project.run("--rehearse", status=1)
    assert bundle is not None
    page = (bundle / "RECEIPT.md").read_text(encoding="utf-8")
    assert "had been read" in page
    assert "accepted by nobody" in page


def _old(project: Project) -> Path:
    """The spec as the first run kept it."""
    return project.bundles()[-1]


def test_recorded_runs_are_evaluated_under_the_new_protocol(project: Project, tmp_path: Path) -> None:
    run = _old(project)
    text = (run / "spec" / "protocol.yaml").read_text(encoding="utf-8")
    strict = tmp_path / "protocol.yaml"
    number = next(line for line in text.splitlines() if "must:" in line and ">=" in line).rpartition(">= ")[2]
    strict.write_text(text.replace(number.rstrip("}").split(",")[0].strip(), "1.00"), encoding="utf-8")
    said = json.loads(project.protoc("diff", "--no-proof", run, strict, "--replay", run, "--format", "json"))
    (found,) = said["replayed"]
    assert (found["old"], found["new"], found["error"]) == ("PASS", "FAIL", None)
    assert [flip.rpartition(" true")[2] for flip in found["flips"]] == [" -> false"]
    text = project.protoc("diff", "--no-proof", run, strict, "--replay", run)
    assert "PASS -> FAIL" in text
