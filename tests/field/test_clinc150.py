"""A real classifier under the rules of the router's freeze: it does not pass, and the machine says what would."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from e2e.workspaces import ROOT, Workspace, new_workspace
from field.clinc150.prepare import THRESHOLD, Rows, prepare, write

SHARED = Path(os.environ.get("PROTOC_SHARED", ROOT.parent / "shared"))
SOURCE = SHARED / "data" / "clinc150"
SPEC = "specs/clinc150"

pytest.importorskip("sklearn", reason="scikit-learn is not installed")
pytestmark = pytest.mark.skipif(not SOURCE.is_dir(), reason=f"CLINC150 is not at {SOURCE}")


class Made:
    """A workspace whose development phase has been run, and what each runtime decided."""

    def __init__(self, folder: Path) -> None:
        spec = folder / "clinc150"
        spec.mkdir()
        shutil.copyfile(Path(__file__).parent / "clinc150" / "protocol.yaml", spec / "protocol.yaml")
        self.decided = prepare(SOURCE, spec)
        self.workspace: Workspace = new_workspace(folder / "workspace", spec)
        self.workspace.protoc("compile", SPEC)
        self.workspace.commit("Compile the protocol")
        self.workspace.protoc("seal", SPEC)
        self.workspace.commit("Seal the protocol")
        self.workspace.protoc("run", SPEC, "--phase", "dev", status=1)

    @property
    def cases(self) -> Rows:
        lines = (self.workspace.folder / SPEC / "cases_dev.jsonl").read_text(encoding="utf-8").splitlines()
        return [json.loads(line) for line in lines]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    return Made(tmp_path_factory.mktemp("clinc150"))


def test_the_development_phase_counts_what_was_decided(made: Made) -> None:
    (bundle,) = made.workspace.bundles()
    summary: dict[str, Any] = json.loads((bundle / "summary.json").read_text(encoding="utf-8"))
    slices: dict[str, Rows] = {}
    for case, decided in zip(made.cases, made.decided["reference"], strict=True):
        slices.setdefault(case["slice"], []).append(case | decided)
    kept = {name: [row for row in rows if row["supported_probability"] >= THRESHOLD] for name, rows in slices.items()}
    right = sum(row["predicted"] == row["expected"] for row in kept["supported"])
    metrics = summary["metrics"]
    assert metrics["supported_accuracy"] == {"num": right, "den": 1600}
    assert metrics["near_rejection"] == {"num": 1400 - len(kept["near_domain"]), "den": 1400}
    assert metrics["ood_rejection"] == {"num": 100 - len(kept["ood"]), "den": 100}
    assert metrics["false_route_rate"] == {"num": sum(map(len, kept.values())) - right, "den": 3100}
    assert summary["gates"]["C005"] is summary["gates"]["C006"] is summary["gates"]["C007"] is True


def test_a_real_classifier_is_not_ready(made: Made) -> None:
    (bundle,) = made.workspace.bundles()
    summary = json.loads((bundle / "summary.json").read_text(encoding="utf-8"))
    assert (summary["verdict"], summary["released"]) == ("NOT_READY", False)
    assert summary["gates"]["C003"] is False  # it does not reject every text that is out of the domain
    made.workspace.protoc("verify", str(bundle))


def test_the_next_phase_is_refused_with_what_it_needs(made: Made) -> None:
    done = made.workspace.try_protoc("run", SPEC, "--phase", "fresh")
    assert done.returncode == 1
    assert "E2230" in done.stderr
    assert "NOT_READY" in done.stderr
    assert "PASS" in done.stderr
    assert len(made.workspace.bundles()) == 1


@pytest.mark.parametrize("runtime", ["reference", "rewritten", "quantised"])
def test_parity_says_whether_a_runtime_decides_alike(made: Made, tmp_path: Path, runtime: str) -> None:
    write(tmp_path / "reference.jsonl", made.decided["reference"])
    write(tmp_path / "candidate.jsonl", made.decided[runtime])
    pairs = list(zip(made.decided["reference"], made.decided[runtime], strict=True))
    alike = all(
        one["predicted"] == other["predicted"] and (one["selected"] is None) == (other["selected"] is None)
        for one, other in pairs
    )
    made.workspace.protoc(
        "parity", SPEC, "--reference", str(tmp_path / "reference.jsonl"), "--candidate",
        str(tmp_path / "candidate.jsonl"), "--out", str(tmp_path / "report.json"), status=0 if alike else 1,
    )  # fmt: skip
    report = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
    assert report["verdict"] == ("SAME" if alike else "DIFFERENT")
    assert alike is (runtime != "quantised")
