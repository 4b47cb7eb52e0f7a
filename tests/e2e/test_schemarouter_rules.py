"""Each rule of the operation-routing freeze, broken once on purpose: by rows, by a manifest, by what is run when."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from e2e.schemarouter import DEMO, PLACE, SPEC, Road, Rows, decide, of_slice, perfect, protoc, walk
from e2e.workspaces import write_rows
from protoc_compiler import pipeline
from protoc_runtime.packages import load_protocol, load_rules
from protoc_runtime.scoring import score
from unit.projects import began

MANIFEST = f"{PLACE}/candidate.freeze.json"


class Scorer:
    """The rules over rows that a test makes, as `protoc score` applies them."""

    def __init__(self, package: Path, folder: Path) -> None:
        self._declared, self._rules, self._data = load_protocol(package), load_rules(package), folder / "rows"

    def score(self, rows: Rows) -> dict[str, Any]:
        """The score of these rows."""
        shutil.rmtree(self._data, ignore_errors=True)
        self._data.mkdir()
        for table, content in rows.items():
            write_rows(self._data / f"{table}.jsonl", content)
        return dict(score(self._declared, self._rules, self._data).results)


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The compiled example."""
    out = tmp_path_factory.mktemp("compiled")
    assert protoc(out, "compile", str(SPEC), "--out", str(out))[0] == 0
    (made,) = out.iterdir()
    return made


@pytest.fixture
def scorer(package: Path, tmp_path: Path) -> Scorer:
    return Scorer(package, tmp_path)


def fired(told: dict[str, Any]) -> set[str]:
    return {name for name, value in told["blockers"].items() if value is not False}


def failed(told: dict[str, Any]) -> set[str]:
    return {name for name, value in told["gates"].items() if value is not True}


def test_a_router_that_is_right_passes(scorer: Scorer) -> None:
    told = scorer.score(perfect())
    assert (fired(told), failed(told), told["verdict"]) == (set(), set(), "PASS")
    assert told["metrics"]["supported_accuracy"] == {"num": 60, "den": 60}
    assert told["metrics"]["near_rejection"] == {"num": 36, "den": 36}


# --- gates ------------------------------------------------------------------------------------------------------------


def miss(rows: Rows, number: int) -> None:
    """Supported queries that are rejected."""
    for case in of_slice(rows, "supported")[:number]:
        decide(rows, case, selected=None, granted_by="nobody", winner_rejected=True)


def take_near(rows: Rows, number: int) -> None:
    for case in of_slice(rows, "near_domain")[:number]:
        decide(rows, case, predicted="ticket.open", selected="ticket.open", granted_by="registry",
               supported_probability=0.99)  # fmt: skip


def take_ood(rows: Rows, number: int) -> None:
    for case in of_slice(rows, "ood")[:number]:
        decide(rows, case, predicted="ticket.open", selected="ticket.open", granted_by="registry",
               supported_probability=0.99)  # fmt: skip


def confuse(rows: Rows, number: int) -> None:
    """Supported queries that get another operation."""
    wrong = {"invoice.pay": "invoice.send"}
    for row in rows["decisions"]:
        if row["predicted"] in wrong and number:
            number -= 1
            row["selected"] = wrong[row["predicted"]]


def slow(rows: Rows, number: int) -> None:
    for row in rows["outcomes"][:number]:
        row["wall"] = 0.251


def fail(rows: Rows, number: int) -> None:
    for row in rows["decisions"][-number:]:
        row["error"] = "no registry"


def violate(rows: Rows, _: int) -> None:
    decide(rows, of_slice(rows, "supported")[0], granted_by="nobody")


@pytest.mark.parametrize(
    ("spoil", "holds", "fails", "gates"),
    [
        (miss, 9, 10, {"C001"}),
        (take_near, 1, 2, {"C002", "C004"}),
        (take_ood, 0, 1, {"C003"}),
        (confuse, 1, 2, {"C004"}),
        (slow, 6, 7, {"C007"}),
    ],
)
@pytest.mark.breaks("C001", "C002", "C003", "C004", "C007")
def test_each_gate_fails_one_count_beyond_its_threshold(
    scorer: Scorer, spoil: Callable[[Rows, int], None], holds: int, fails: int, gates: set[str]
) -> None:
    rows = perfect()
    spoil(rows, holds)
    assert failed(scorer.score(rows)) == set()
    rows = perfect()
    spoil(rows, fails)
    told = scorer.score(rows)
    assert failed(told) == gates
    assert told["verdict"] == ("RUNTIME_ONLY" if gates == {"C007"} else "NOT_READY")


@pytest.mark.breaks("C005", "C017")
def test_what_the_registry_has_not_granted_is_an_authority_violation(scorer: Scorer) -> None:
    rows = perfect()
    violate(rows, 1)
    assert failed(scorer.score(rows)) == {"C005"}


@pytest.mark.breaks("C006")
def test_an_error_is_an_execution_error_and_no_rejection(scorer: Scorer) -> None:
    rows = perfect()
    fail(rows, 1)
    told = scorer.score(rows)
    assert failed(told) == {"C003", "C006"}
    assert told["metrics"]["execution_errors"] == {"num": 1, "den": 1}
    assert told["metrics"]["ood_rejection"] == {"num": 23, "den": 24}


@pytest.mark.breaks("C006")
def test_a_case_without_an_answer_is_an_execution_error(scorer: Scorer) -> None:
    rows = perfect()
    rows["outcomes"][0]["outcome"] = "timed_out"
    rows["decisions"].pop(0)
    assert "C006" in failed(scorer.score(rows))


# --- blockers ---------------------------------------------------------------------------------------------------------


def change_targets(rows: Rows) -> None:
    rows["manifest"][0] |= {"targets_equal": False}


def lack_provenance(rows: Rows) -> None:
    rows["manifest"][0] |= {"complete": False}


def spoil_digest(rows: Rows) -> None:
    rows["manifest"][0] |= {"digests_valid": False}


def select_unregistered(rows: Rows) -> None:
    decide(rows, of_slice(rows, "supported")[0], selected="invoice.shred")


def fall_through(rows: Rows) -> None:
    decide(rows, of_slice(rows, "supported")[0], winner_rejected=True)


def select_pseudo(rows: Rows) -> None:
    decide(rows, of_slice(rows, "supported")[0], selected="fallback")


def grant_by_model(rows: Rows) -> None:
    decide(rows, of_slice(rows, "supported")[0], granted_by="model")


def overlap(rows: Rows) -> None:
    shared = {"shared_ids": 0, "shared_rows": 0, "shared_texts": 0, "near_duplicates": 1}
    rows["audit"].append({"split": "fresh", "other": "failed_270", **shared})


def read_twice(rows: Rows) -> None:
    for number in (2, 3):
        about = {"use": "score", "run": f"r{number}", "at": "2026-01-02T00:00:00Z"}
        rows["readings"].append({"reading": str(number), "split": "fresh", **about})


def recycle(rows: Rows) -> None:
    rows["readings"][0]["split"] = "calibration"


def change_semantics(rows: Rows) -> None:
    rows["this_run"][0] |= {"phase": "runtime_only", "changed": 1}


def compare_nothing(rows: Rows) -> None:
    rows["this_run"][0]["phase"] = "runtime_only"


def skip_calibration(rows: Rows) -> None:
    rows["this_run"][0]["phase"] = "blind_final"
    rows["calibrated"][0]["verdict"] = "NOT_READY"


@pytest.mark.parametrize(
    ("spoil", "blockers"),
    [
        (change_targets, {"targets"}),
        (lack_provenance, {"provenance"}),
        (spoil_digest, {"digests"}),
        (select_unregistered, {"registered_only"}),
        (fall_through, {"no_fallthrough"}),
        (select_pseudo, {"no_pseudo_route"}),
        (grant_by_model, {"authority"}),
        (overlap, {"overlap"}),
        (read_twice, {"once"}),
        (recycle, {"recycled"}),
        (skip_calibration, {"blind_too_early"}),
        (change_semantics, {"semantics"}),
        (compare_nothing, {"semantics"}),
    ],
)
@pytest.mark.breaks("C009", "C011", "C013", "C014", "C015", "C016", "C017", "C018", "C019", "C020", "C021", "C023")
def test_each_blocker_fires_alone(scorer: Scorer, spoil: Callable[[Rows], None], blockers: set[str]) -> None:
    rows = perfect()
    spoil(rows)
    told = scorer.score(rows)
    assert fired(told) == blockers
    assert (told["verdict"], told["released"]) == ("INVALID", False)


@pytest.mark.breaks("C026")
def test_what_scores_below_the_threshold_is_not_executed(scorer: Scorer) -> None:
    rows = perfect()
    decide(rows, of_slice(rows, "supported")[0], supported_probability=0.94)
    assert scorer.score(rows)["checks"]["threshold_kept"] is False


# --- the text ---------------------------------------------------------------------------------------------------------


def edited(folder: Path, old: str, new: str, file: str = "protocol.yaml") -> list[str]:
    """What `check` tells after a text of the example was changed at one place."""
    shutil.copytree(SPEC, folder / "spec", ignore=shutil.ignore_patterns("__pycache__"))
    path = folder / "spec" / file
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1, (old, text.count(old))
    path.write_text(text.replace(old, new), encoding="utf-8")
    _, findings = pipeline.check(folder / "spec" / "protocol.yaml")
    return [item.id for item in findings if item.severity == "error"]


@pytest.mark.parametrize("split", ["failed_270", "failed_287"])
@pytest.mark.parametrize("use", ["tune", "score"])
@pytest.mark.breaks("C021", "C154")
def test_no_phase_may_read_a_failed_surface(tmp_path: Path, split: str, use: str) -> None:
    old = "      reads: [dev]\n      use: tune\n      ends: PASS"
    assert "E0808" in edited(tmp_path, old, f"      reads: [dev, {split}]\n      use: {use}\n      ends: PASS")


@pytest.mark.breaks("C021", "C154")
def test_a_failed_surface_gets_no_use_back(tmp_path: Path) -> None:
    old = "      may: []\n      status: consumed\n      cites: [C021, C154]\n    failed_287"
    found = edited(tmp_path, old, old.replace("may: []", "may: [tune]"))
    assert found
    assert set(found) <= {"E2301", "E2307", "E0808"}, found


@pytest.mark.breaks("C008")
def test_the_canonical_target_and_the_gates_cannot_drift_apart(tmp_path: Path) -> None:
    targets = "benchmarks/operation-routing-production-targets.json"
    bar = '"near_domain_unsupported_rejection_min": '
    found = edited(tmp_path, f"{bar}0.97", f"{bar}0.96", targets)
    assert found
    assert all(one.startswith("E21") for one in found)


# --- the road ---------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The workspace after each stage of the road."""
    keep = tmp_path_factory.mktemp("kept")
    list(walk(tmp_path_factory.mktemp("road") / "w", keep))
    return keep


@pytest.fixture
def at(kept: Path, tmp_path: Path) -> Callable[[str], Road]:
    """A copy of the workspace as it was after a stage."""

    def copied(stage: str) -> Road:
        shutil.copytree(kept / stage, tmp_path / stage)
        return Road(tmp_path / stage)

    return copied


At = Callable[[str], Road]


def refused(road: Road, phase: str) -> set[str]:
    """The ids with which a phase is refused; nothing has been read then."""
    before = (road.folder / "registry.jsonl").read_bytes() if (road.folder / "registry.jsonl").exists() else b""
    code, out, err = protoc(road.folder, "run", PLACE, "--phase", phase)
    assert (code, out) == (1, ""), out
    after = (road.folder / "registry.jsonl").read_bytes() if (road.folder / "registry.jsonl").exists() else b""
    assert after == before
    return set(re.findall(r"^(E\d{4}) ", err, re.M))


def manifest(road: Road, change: Callable[[dict[str, Any]], None]) -> None:
    path = road.folder / MANIFEST
    document = json.loads(path.read_bytes())
    change(document)
    path.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")


def test_the_whole_road_ends_released_and_verifies(kept: Path, at: At) -> None:
    road = at("finished")
    code, out, err = protoc(road.folder, "phases", PLACE, "--format", "json")
    assert (code, err) == (0, "")
    told = json.loads(out)
    assert [(each["phase"], [run["verdict"] for run in each["runs"]]) for each in told["phases"]] == [
        ("dev", ["PASS"]), ("runtime_only", []), ("fresh", ["PASS"]), ("calibration", ["PASS"]),
        ("blind_final", ["PASS"]),
    ]  # fmt: skip
    assert told["legal"] == []
    for bundle in sorted((road.folder / "runs").glob("*/*")):
        summary = json.loads((bundle / "summary.json").read_bytes())
        assert summary["released"] is (summary["phase"] != "dev")
        if summary["phase"] == "fresh":
            assert protoc(road.folder, "verify", str(bundle))[0] == 0


@pytest.mark.breaks("C012", "C018")
def test_confirmation_needs_a_frozen_manifest_and_a_surface_that_is_made_after_it(at: At) -> None:
    assert refused(at("developed"), "fresh") == {"E2233", "E2237"}
    assert refused(at("frozen"), "fresh") == {"E2237"}
    early = at("sealed")
    shutil.copy(early.folder / PLACE / "confirmation" / "cases_fresh.jsonl", early.folder / PLACE / "data")
    code, _, err = protoc(early.folder, "seal", PLACE, "--reason", "too early")
    assert code == 1
    assert "E2238" in err


def broken_manifests(document: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The manifest with one thing wrong, by what it is."""
    changes: dict[str, tuple[str, str, Any]] = {
        "target": ("production_target", "false_route_rate_max", 0.02),
        "provenance": ("candidate", "architecture_id", None),
        "rank2": ("candidate.authority", "rank2_fallback", True),
        "pseudo": ("candidate.authority", "pseudo_route", True),
        "unregistered": ("candidate.authority", "finite_registered_ids_only", False),
        "authority": ("candidate.authority", "provider_can_create_execution_authority", True),
        "revision": ("candidate.models.0", "revision", "latest"),
        "digest": ("evidence.development", "artifact_sha256", "ABC"),
        "upper case": ("evidence.development", "artifact_sha256", "A" * 64),
        "metric": ("evidence.development.metrics", "out_of_domain_rejection", 0.99),
        "not a number": ("evidence.development.metrics", "false_route_rate", True),
        "threshold": ("candidate.decision_rule", "threshold", 0.9),
        "not confirmed": ("", "status", "fresh-confirmed"),
        "template": ("", "status", "template"),
    }
    made = {}
    for name, (path, field, value) in changes.items():
        copied = json.loads(json.dumps(document))
        at = copied
        for part in path.split(".") if path else ():
            at = at[int(part)] if part.isdigit() else at[part]
        at[field] = value
        made[name] = copied
    return made


@pytest.mark.breaks("C009", "C011", "C012", "C013", "C014", "C015", "C016", "C017", "C151")
def test_confirmation_needs_a_valid_manifest_of_this_candidate(at: At) -> None:
    road = at("surface")
    path = road.folder / MANIFEST
    for name, document in broken_manifests(json.loads(path.read_bytes())).items():
        path.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
        assert refused(road, "fresh") == {"E2233"}, name


@pytest.mark.parametrize(
    ("prefix", "revision"), [("", "0123456789abcdef0123456789abcdef01234567"), ("sha256:", "gpt-router-2026-05-01")]
)
@pytest.mark.breaks("C151", "C152")
def test_both_forms_of_digests_and_revisions_are_taken(at: At, prefix: str, revision: str) -> None:
    road = at("frozen")
    manifest(road, lambda document: document["candidate"]["models"][0].update(revision=revision))
    digest = prefix + "a" * 64
    manifest(road, lambda document: document["evidence"]["development"].update(artifact_sha256=digest))
    code, out, err = protoc(road.folder, "freeze", "check", "--phase", "dev", MANIFEST)
    assert code == 0, out + err
    manifest(road, lambda document: document["candidate"]["models"][0].update(revision="main"))
    assert protoc(road.folder, "freeze", "check", "--phase", "dev", MANIFEST)[0] == 1


@pytest.mark.breaks("C019", "C020")
def test_confirmation_calibration_and_blind_are_run_once(at: At) -> None:
    road = at("finished")
    assert {phase: "E2231" in refused(road, phase) for phase in ("fresh", "calibration", "blind_final")} == {
        "fresh": True, "calibration": True, "blind_final": True,
    }  # fmt: skip


@pytest.mark.breaks("C010", "C019")
def test_the_candidate_that_is_confirmed_is_the_one_that_was_frozen(at: At) -> None:
    road = at("surface")
    router = road.folder / PLACE / "router.py"
    router.write_text(router.read_text(encoding="utf-8").replace("THRESHOLD = 95", "THRESHOLD = 90"), encoding="utf-8")
    assert refused(road, "fresh") == {"E1107"}
    road.seal("A lower threshold")
    assert refused(road, "fresh") == {"E2234"}


@pytest.mark.breaks("C021")
def test_after_confirmation_nothing_is_tuned_any_more(at: At) -> None:
    assert {"E2231", "E2232"} <= refused(at("confirmed"), "dev")


@pytest.mark.breaks("C018")
def test_a_surface_that_repeats_a_failed_one_is_refused(at: At) -> None:
    road = at("frozen")
    data = road.folder / PLACE / "data"
    lines = (road.folder / PLACE / "confirmation" / "cases_fresh.jsonl").read_text(encoding="utf-8").splitlines()
    copied = json.loads((data / "cases_failed_270.jsonl").read_text(encoding="utf-8").splitlines()[0])
    lines[0] = json.dumps(copied | {"case": "f001"})
    (data / "cases_fresh.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    code, _, err = protoc(road.folder, "seal", PLACE, "--reason", "a surface with an old query")
    assert code == 1
    assert "E2303" in err


@pytest.mark.breaks("C022")
def test_a_calibration_corpus_of_another_size_is_refused(at: At) -> None:
    road = at("confirmed")
    road.python("draw.py", "calibration", "899", "another", f"{PLACE}/data/cases_calibration.jsonl")
    code, _, err = protoc(road.folder, "seal", PLACE, "--reason", "too few")
    assert code == 1
    assert "900" in err


@pytest.mark.breaks("C022", "C023")
def test_blind_final_waits_for_calibration(at: At) -> None:
    road = at("confirmed")
    assert {"E2230", "E2233", "E2237"} <= refused(road, "blind_final")
    road.python("draw.py", "blind_final", "1800", "early", f"{PLACE}/data/cases_blind_final.jsonl")
    code, _, err = protoc(road.folder, "seal", PLACE, "--reason", "too early")
    assert code == 1
    assert "E2238" in err


@pytest.mark.breaks("C030")
def test_calibration_waits_for_the_duties_of_the_confirmation(at: At) -> None:
    road = at("confirmed")
    lines = (road.folder / "registry.jsonl").read_text(encoding="utf-8").splitlines()
    told = [line for line in lines if json.loads(line)["kind"] != "duty"]
    assert len(lines) - len(told) == 4
    (road.folder / "registry.jsonl").write_text("\n".join(told) + "\n", encoding="utf-8")
    assert "E2233" in refused(road, "calibration")


@pytest.mark.breaks("C029")
def test_every_terminal_phase_shows_what_it_preserves(at: At) -> None:
    road = at("finished")
    for bundle in sorted((road.folder / "runs").glob("*/*")):
        receipt = json.loads((bundle / "receipt.json").read_bytes())["predicate"]
        items = {item["name"]: item for item in receipt["phase"]["records"]}
        recorded = {name for name, item in items.items() if item["grade"] == "recorded"}
        assert recorded >= {"source revision", "corpus", "run", "artifact", "subject", "metrics", "slices", "verdict"}
        assert [name for name in recorded if not items[name]["there"]] == []
        assert items["interpretation"]["there"] is False
        assert "hardware" in receipt["environment"]
        assert ("seed" in items) is (receipt["run"]["phase"] in ("calibration", "blind_final"))
        page = (bundle / "RECEIPT.md").read_text(encoding="utf-8")
        assert "- [ ] trackers: Issues 200, 197 and 199 are updated. (attested: nobody has attested it)" in page


@pytest.mark.breaks("C029")
def test_evidence_that_is_not_there_is_not_ticked(at: At) -> None:
    road = at("sealed")
    (road.folder / PLACE / "data" / "cases_dev.jsonl").touch()
    router = road.folder / PLACE / "router.py"
    router.write_text(router.read_text(encoding="utf-8") + "\n# not committed\n", encoding="utf-8")
    protoc(road.folder, "seal", PLACE, "--reason", "an uncommitted router")
    protoc(road.folder, "run", PLACE, "--phase", "dev")
    (page,) = (road.folder / "runs").glob("*/*/RECEIPT.md")
    assert "- [ ] source revision: commit" in page.read_text(encoding="utf-8")


# --- the runtime-only branch ------------------------------------------------------------------------------------------


SLOW = "import time\n\n\ndef words(query: str) -> list[str]:\n    time.sleep(0.14)\n    return"


@pytest.fixture(scope="module")
def missed(kept: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace in which quality has passed and latency has missed; the fast backend is back in its place."""
    folder = tmp_path_factory.mktemp("missed") / "workspace"
    shutil.copytree(kept / "sealed", folder, symlinks=True)
    road, spec = Road(folder), folder / PLACE
    text = (spec / "protocol.yaml").read_text(encoding="utf-8")
    (spec / "protocol.yaml").write_text(text.replace("concurrency: 2", "concurrency: 8"), encoding="utf-8")
    backend = (spec / "backend.py").read_text(encoding="utf-8")
    sleeps = re.sub(r'def words.*?"""The words.*?"""\n    return', SLOW, backend, flags=re.S)
    (spec / "backend.py").write_text(sleeps, encoding="utf-8")
    road.protoc("compile", PLACE)
    road.seal("A slow backend")
    code, out, _ = protoc(folder, "run", PLACE, "--phase", "dev")
    assert (code, "verdict: RUNTIME_ONLY" in out) == (1, True), out
    (spec / "backend.py").write_text(backend, encoding="utf-8")
    road.seal("An optimised backend")
    return folder


@pytest.fixture
def slow(missed: Path, tmp_path: Path) -> Road:
    """A copy of it."""
    shutil.copytree(missed, tmp_path / "workspace", symlinks=True)
    return Road(tmp_path / "workspace")


def entered(road: Road, says: str = "verdict: ") -> None:
    """A run of the branch."""
    _, out, err = protoc(road.folder, "run", PLACE, "--phase", "runtime_only")
    assert says in out, out + err


@pytest.fixture(scope="module")
def passed(missed: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same, in which an optimised runtime was run."""
    folder = tmp_path_factory.mktemp("passed") / "workspace"
    shutil.copytree(missed, folder, symlinks=True)
    entered(Road(folder))
    return folder


@pytest.fixture
def fast(passed: Path, tmp_path: Path) -> Road:
    """A copy of it."""
    shutil.copytree(passed, tmp_path / "fast", symlinks=True)
    return Road(tmp_path / "fast")


def last(road: Road) -> Path:
    """The bundle of the last run."""
    return max((road.folder / "runs").glob("*/*"), key=began)


def why_not(road: Road) -> str:
    """Why an optimised runtime is not confirmed, although its run has led on."""
    code, _, err = protoc(road.folder, "run", PLACE, "--phase", "fresh")
    assert code == 1
    assert "E2242 no-passing-parity" in err
    assert "what may be entered now: `runtime_only`" in err
    return err


@pytest.mark.breaks("C010", "C025")
def test_quality_with_a_latency_miss_leads_to_the_runtime_only_branch(slow: Road) -> None:
    spec = slow.folder / PLACE
    _, out, _ = protoc(slow.folder, "phases", PLACE, "--format", "json")
    assert set(json.loads(out)["legal"]) == {"dev", "runtime_only"}
    router = (spec / "router.py").read_text(encoding="utf-8")
    (spec / "router.py").write_text(router.replace("THRESHOLD = 95", "THRESHOLD = 94"), encoding="utf-8")
    assert refused(slow, "runtime_only") == {"E2234"}
    (spec / "router.py").write_text(router, encoding="utf-8")
    backend = (spec / "backend.py").read_text(encoding="utf-8")
    deaf = backend.replace("if word in vocabulary", "if word in vocabulary and word != 'pay'")
    (spec / "backend.py").write_text(deaf, encoding="utf-8")
    entered(slow, "semantics: blocker fired")
    (spec / "backend.py").write_text(backend, encoding="utf-8")
    entered(slow)
    _, out, _ = protoc(slow.folder, "phases", PLACE, "--format", "json")
    told = json.loads(out)
    assert told["phases"][1]["runs"][0]["verdict"] == "INVALID"
    assert told["phases"][1]["runs"][1]["verdict"] in ("PASS", "RUNTIME_ONLY")
    assert "calibration" not in told["legal"]  # it must be confirmed first


def compared(road: Road) -> Path:
    """What the hint of the refusal says: the report."""
    (command,) = re.findall(r"`(protoc parity [^`]+)`", why_not(road))
    assert protoc(road.folder, *command.split()[1:])[0] == 0
    return road.folder / PLACE / "runtime.parity.json"


@pytest.mark.breaks("C010", "C025")
def test_an_optimised_runtime_is_confirmed_only_with_a_report_of_parity(fast: Road) -> None:
    assert "there is none" in why_not(fast)
    report = compared(fast)
    assert "E2242" not in refused(fast, "fresh")
    data = report.read_bytes()
    for found, reason in (
        (data.replace(b'"confirmed": false', b'"confirmed": true'), "the registry does not know it, so it was edited"),
        (data.replace(b'"verdict": "SAME"', b'"verdict": "DIFFERENT"'), "its verdict is DIFFERENT"),
        (re.sub(rb'"spec_digest": "sha256:\w', b'"spec_digest": "sha256:x', data), "another protocol has compared"),
        (b"{}", "that file is no report of `protoc parity`"),
        (b"[" * 9999, "that file is no report of `protoc parity`"),
    ):
        assert found != data
        report.write_bytes(found)
        assert reason in why_not(fast)


@pytest.mark.parametrize("side", ["reference", "candidate"])
@pytest.mark.breaks("C010", "C025")
def test_a_report_of_other_rows_leads_nowhere(fast: Road, side: str) -> None:
    first = min((fast.folder / "runs").glob("*/*"), key=began)
    files = {"reference": first / "rows" / "decisions.jsonl", "candidate": last(fast) / "rows" / "decisions.jsonl"}
    other = fast.folder / "other.jsonl"
    other.write_bytes(files[side].read_bytes().replace(b"0.99", b"0.98"))
    files[side] = other
    words = [word for name, file in files.items() for word in (f"--{name}", str(file))]
    code, _, err = protoc(fast.folder, "parity", PLACE, *words, "--out", f"{PLACE}/runtime.parity.json")
    assert code == 0, err
    assert re.search(rf"its {side} is not what runs/\S+ has left", why_not(fast))


def test_a_clone_without_the_bundles_is_told_that_they_are_not_here(fast: Road) -> None:
    compared(fast)
    assert "E2242" not in refused(fast, "fresh")
    led = last(fast)
    led.rename(fast.folder / "elsewhere")
    shown = led.relative_to(fast.folder).as_posix()
    assert f"the bundle {shown} is not here, whose rows are its candidate" in why_not(fast)
    assert "its reference" not in why_not(fast)
    assert f"bring {shown} here from where it was run" in why_not(fast)


@pytest.mark.breaks("C010", "C019")
def test_the_confirmation_tells_which_runtime_it_confirms(fast: Road) -> None:
    report = compared(fast)
    fast.commit("Compare")
    DEMO.freeze(fast, last(fast).relative_to(fast.folder).as_posix())
    shutil.copy(fast.folder / PLACE / "confirmation" / "cases_fresh.jsonl", fast.folder / PLACE / "data")
    fast.seal("The fresh confirmation surface was written")
    _, out, err = protoc(fast.folder, "run", PLACE, "--phase", "fresh")
    assert "verdict: " in out, err
    bundle = last(fast)
    told = json.loads((bundle / "receipt.json").read_bytes())["predicate"]["entered"]
    identity = json.loads(report.read_bytes())["runtime"]["identity"]
    assert told["parity"]["runtime"] == identity
    assert identity in (bundle / "RECEIPT.md").read_text(encoding="utf-8")
    assert (bundle / "frozen" / report.name).read_bytes() == report.read_bytes()
    code, out, err = protoc(fast.folder, "verify", str(bundle))
    assert code == 0, out + err
    (bundle / "frozen" / report.name).write_bytes(report.read_bytes() + b" ")
    assert protoc(fast.folder, "verify", str(bundle))[0] == 1


# --- parity -----------------------------------------------------------------------------------------------------------


def analysis(path: Path, change: Callable[[list[dict[str, Any]]], None] = lambda rows: None) -> Path:
    """The rows of a runtime as a file."""
    rows = [
        {"case": f"c{number}", "predicted": "ticket.open" if number % 2 else "none",
         "supported_probability": 0.99 if number % 2 else 0.2, "error": None, "authority_violation": False}
        for number in range(10)
    ]  # fmt: skip
    change(rows)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    "change",
    [
        lambda rows: rows.pop(),
        lambda rows: rows[1].update(predicted="ticket.close"),
        lambda rows: rows[1].update(supported_probability=0.949),
        lambda rows: rows[1].update(error="out of memory"),
        lambda rows: rows[1].update(authority_violation=True),
        lambda rows: rows[1].update(supported_probability=None),
    ],
    ids=["ids", "route", "execution", "error", "authority", "drift"],
)
@pytest.mark.breaks("C024", "C025", "C026", "C027", "C028", "C153")
def test_a_runtime_that_decides_otherwise_fails_parity_and_the_report_is_there(
    tmp_path: Path, change: Callable[[list[dict[str, Any]]], None]
) -> None:
    reference = analysis(tmp_path / "reference.jsonl")
    candidate = analysis(tmp_path / "candidate.jsonl", change)
    report = tmp_path / "report.json"
    words = ("--reference", str(reference), "--candidate", str(candidate), "--out", str(report))
    words += ("--workspace", str(tmp_path))
    code, _, err = protoc(tmp_path, "parity", str(SPEC), *words)
    assert code == 1, err
    assert report.is_file()
    report.unlink()
    Path(f"{report}.md").unlink(missing_ok=True)
    report.with_suffix(".md").unlink(missing_ok=True)
    words = ("--reference", str(reference), "--candidate", str(reference), "--out", str(report))
    words += ("--workspace", str(tmp_path))
    assert protoc(tmp_path, "parity", str(SPEC), *words)[0] == 0
