"""A real classifier goes through the freeze of the operation router as far as its verdict lets it, and no further."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from e2e.schemarouter import SPEC, protoc
from field.clinc150.prepare import Router, Row, prepare
from field.conftest import shared

DATA = shared() / "data" / "clinc150"
THRESHOLD = 0.95

pytest.importorskip("sklearn", reason="the classifier is scikit-learn's")
pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason=f"the utterances are not at {DATA}")
Study = tuple[Path, Router, list[Row], list[Row]]


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    """A sealed workspace whose development phase has been run; router, cases and decisions."""
    folder = tmp_path_factory.mktemp("clinc")
    (folder / "protoc.toml").touch()
    router, cases = prepare(DATA, SPEC, folder / "spec", THRESHOLD)
    for words in (("compile", "spec"), ("seal", "spec")):
        code, _, err = protoc(folder, *words)
        assert code == 0, err
    code, _, err = protoc(folder, "run", "spec", "--phase", "dev")
    assert code == 1, err
    lines = (folder / "spec" / "answers" / "decisions.jsonl").read_text(encoding="utf-8").splitlines()
    return folder, router, cases, [json.loads(line) for line in lines]


def summary(folder: Path) -> dict[str, Any]:
    (bundle,) = (folder / "runs").glob("*/*")
    made: dict[str, Any] = json.loads((bundle / "summary.json").read_bytes())
    return made


def test_the_numbers_are_those_of_the_decisions(study: Study) -> None:
    folder, _, cases, decisions = study
    found = summary(folder)["metrics"]
    pairs = list(zip(cases, decisions, strict=True))
    for metric, name in (("near_rejection", "near_domain"), ("ood_rejection", "ood")):
        own = [decision["selected"] is None for case, decision in pairs if case["slice"] == name]
        assert found[metric] == {"num": sum(own), "den": len(own)}
    own = [decision["selected"] == case["expected"] for case, decision in pairs if case["slice"] == "supported"]
    assert found["supported_accuracy"] == {"num": sum(own), "den": len(own)}
    wrong = [d["selected"] is not None and d["selected"] != c["expected"] for c, d in pairs]
    assert found["false_route_rate"] == {"num": sum(wrong), "den": len(wrong)}


def test_a_real_classifier_does_not_reject_everything_out_of_the_domain(study: Study) -> None:
    folder, _, _, _ = study
    told = summary(folder)
    assert told["verdict"] == "NOT_READY"
    assert told["gates"]["C003"] is False
    assert told["blockers"] == dict.fromkeys(told["blockers"], False)


def test_the_next_phase_is_refused_and_it_is_said_what_would_be_needed(study: Study) -> None:
    folder, _, _, _ = study
    code, out, err = protoc(folder, "run", "spec", "--phase", "fresh")
    assert (code, out) == (1, "")
    assert "it needs the verdict PASS of `dev`" in err
    assert "ended with NOT_READY" in err
    assert "what may be entered now: `dev`" in err
    code, out, _ = protoc(folder, "phases", "spec", "--format", "json")
    told = json.loads(out)
    assert told["legal"] == ["dev"]
    assert {item["id"] for phase in told["phases"] for item in phase["obstacles"]} == {"E2230", "E2233"}


@pytest.mark.parametrize("steps", [1 << 20, 2])
def test_a_quantised_runtime_is_the_same_only_if_it_decides_alike(study: Study, tmp_path: Path, steps: int) -> None:
    folder, router, cases, reference = study
    import copy

    quantised = copy.deepcopy(router)
    quantised.quantise(steps)
    candidate = quantised.decide(cases, THRESHOLD)
    for name, rows in (("reference", reference), ("candidate", candidate)):
        lines = [
            json.dumps({k: row[k] for k in (
                "case", "predicted", "supported_probability", "error", "authority_violation")})
            for row in rows
        ]  # fmt: skip
        (tmp_path / f"{name}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    files = [str(tmp_path / f"{name}.jsonl") for name in ("reference", "candidate")]
    report = tmp_path / "parity.json"
    words = ("--reference", files[0], "--candidate", files[1], "--out", str(report))
    code, _, err = protoc(folder, "parity", "spec", *words)
    same = all(
        one["predicted"] == other["predicted"] and (one["selected"] is None) == (other["selected"] is None)
        for one, other in zip(reference, candidate, strict=True)
    )
    assert code == int(not same), err
    assert report.is_file()
    assert same is (steps > 2)
