"""A protocol with a freeze manifest, valid manifests of both phases, mutations of them, and an independent account of
what a validator of such manifests must refuse."""

from __future__ import annotations

import copy
import json
import math
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from unit.projects import Project

TARGETS: dict[str, Any] = {
    "cycle": "quality",
    "metrics": {
        "supported_exact_route_accuracy_min": 0.85,
        "near_domain_unsupported_rejection_min": 0.97,
        "out_of_domain_rejection": 1,
        "false_route_rate_max": 0.01,
        "authority_violations_max": 0,
        "execution_errors_max": 0,
        "combined_p95_ms_max": 250,
    },
}
SPEC = """\
protoc: 1
protocol: {id: routes, version: 1, title: Freeze of a router}
data:
  tables:
    cases: {key: case, columns: {case: text, split: splits, right: bool, wall: ms}}
  records:
    frozen: {from: manifest, status: [frozen_dev, fresh_confirmed, null], targets_equal: bool, complete: bool,
             digests_valid: bool, valid: bool, sha256: digest?, threshold: decimal?}
  splits:
    dev: {role: development, may: [score]}
procedure:
  freeze:
    targets:
      copy_of: targets.json#/metrics
      ties: {supported_exact_route_accuracy_min: gates.C001, combined_p95_ms_max: gates.C007}
      cites: [C008]
    threshold: 0.95
  manifest:
    says: what a frozen candidate is
    file: candidate.json
    status: status
    phases:
      - {phase: dev, status: frozen-dev, cites: [C012]}
      - {phase: fresh, status: fresh-confirmed, needs: [evidence.fresh_confirmation], cites: [C012]}
    closed: [candidate.authority]
    fields:
      schema_version: {is: 1}
      kind: {is: operation-routing-freeze-manifest}
      production_target: {type: copy of targets, cites: [C009]}
      candidate.candidate_id: text
      candidate.source_revision: {type: revision, collect: source revision, cites: [C011]}
      candidate.architecture_id: text
      candidate.authority.route_authority: text
      candidate.authority.verifier_role: text
      candidate.authority.finite_registered_ids_only: {is: true, says: Only registered ids are selected., cites: [C014]}
      candidate.authority.rank2_fallback: {is: false, cites: [C015]}
      candidate.authority.pseudo_route: {is: false, cites: [C016]}
      candidate.authority.provider_can_create_execution_authority: {is: false, cites: [C017]}
      candidate.models[].role: text
      candidate.models[].name: text
      candidate.models[].revision: {type: revision or version, cites: [C011]}
      candidate.models[].provider: text?
      candidate.runtime.python: {type: text, collect: python}
      candidate.runtime.dependency_versions: map of text
      candidate.runtime.dependency_lock_sha256: {type: sha256?, collect: dependency lock requirements.lock}
      candidate.runtime.hardware_label: {type: text, collect: hardware}
      candidate.runtime.optimization: any?
      candidate.representation.query_representation_sha256: {type: sha256, collect: digest of query.txt, cites: [C013]}
      candidate.representation.capability_representation_sha256: {type: sha256, cites: [C013]}
      candidate.representation.prompt_or_instruction_sha256: {type: sha256, cites: [C013]}
      candidate.representation.option_ordering_rule: text
      candidate.decision_rule.rule_id: text
      candidate.decision_rule.threshold: {type: decimal?, as: threshold}
      candidate.decision_rule.parameters: object?
      evidence.development.corpus_seed: any?
      evidence.development.corpus_sha256: {type: sha256, cites: [C013]}
      evidence.development.workflow_run_id: positive int
      evidence.development.artifact_id: positive int
      evidence.development.artifact_sha256: {type: digest, cites: [C013]}
      evidence.development.metrics: metrics of targets
      evidence.fresh_confirmation.surface_id: text
      evidence.fresh_confirmation.corpus_seed: any?
      evidence.fresh_confirmation.corpus_sha256: sha256
      evidence.fresh_confirmation.zero_overlap_audit_artifact: text
      evidence.fresh_confirmation.workflow_run_id: positive int
      evidence.fresh_confirmation.artifact_id: positive int
      evidence.fresh_confirmation.artifact_sha256: digest
      evidence.fresh_confirmation.metrics: metrics of targets
      governance.failed_confirmation_tuning_forbidden: {is: [270, 287]}
      governance.semantic_retuning_after_freeze_allowed: {is: false}
      governance.runtime_only_optimization_after_quality_pass_requires_same_semantics: {is: true}
      governance.calibration_or_blind_inspected: {is: false}
      governance.calibration_issue: {is: 198}
      governance.paper_evidence_issue: {is: 199}
      governance.canonical_tracker_issue: {is: 200}
      created_at_utc: {type: text, collect: now}
      notes: any?
  parity:
    says: An optimised runtime decides exactly alike.
    id: {is: case_id, cites: [C024]}
    route: {is: predicted, cites: [C025]}
    score: {is: supported_probability, cites: [C028]}
    threshold: {is: freeze.threshold, cites: [C026]}
    error: {is: error, cites: [C027]}
    summary: {is: [execution_errors, authority_violations], cites: [C027]}
definitions:
  ready: {is: frozen.valid and frozen.status == frozen_dev, if_undefined: false}
metrics:
  accuracy: rate(right over cases)
  p95_wall: p95(wall over cases)
  frozen_threshold: frozen.threshold
blockers:
  targets: {says: The target block differs., when: not frozen.targets_equal, forces: INVALID, cites: [C009]}
  provenance: {says: Something is missing., when: not frozen.complete, forces: INVALID, cites: [C011]}
  digests: {says: A digest is malformed., when: not frozen.digests_valid, forces: INVALID, cites: [C013]}
gates:
  C001: {says: Exact-route accuracy at least 85%., must: accuracy >= 85%}
  C007: {says: Combined p95 at most 250 ms., must: p95_wall <= 250 ms}
verdict:
  - INVALID   when some blockers have fired
  - FREEZE    when (all gates have held) and ready
  - NOT_READY otherwise
report:
  released: [FREEZE]
"""
METRICS = {
    "supported_exact_route_accuracy": 0.9, "near_domain_unsupported_rejection": 0.98, "out_of_domain_rejection": 1,
    "false_route_rate": 0.005, "authority_violations": 0, "execution_errors": 0, "combined_p95_ms": 200.5,
}  # fmt: skip


def write(folder: Path, spec: str = SPEC) -> Path:
    """The protocol in a workspace of its own; its folder."""
    place = folder / "specs" / "routes"
    place.mkdir(parents=True)
    (folder / "protoc.toml").write_text("")
    (place / "protocol.yaml").write_text(spec)
    (place / "targets.json").write_text(json.dumps(TARGETS))
    (place / "query.txt").write_text("the query\n")
    (place / "requirements.lock").write_text("router==1.0\n")
    rows = "".join(f'{{"case": "c{n}", "split": "dev", "right": true, "wall": {n}}}\n' for n in range(20))
    (place / "cases.jsonl").write_text(rows)
    return place


def digest(project: Project) -> str:
    """The spec digest of the package that a protocol compiles to."""
    project.protoc("compile", project.spec, "--workspace", project.folder)
    listed = json.loads((project.folder / "generated" / "routes_v1" / "package.json").read_text())
    return str(listed["spec_digest"])


def valid(phase: str) -> dict[str, Any]:
    """A manifest without a fault in its phase."""
    evidence = {
        "corpus_seed": 7, "corpus_sha256": "d" * 64, "workflow_run_id": 11, "artifact_id": 12,
        "artifact_sha256": "sha256:" + "e" * 64, "metrics": dict(METRICS),
    }  # fmt: skip
    fresh = {"surface_id": "fresh-1", "zero_overlap_audit_artifact": "audit.json"} | copy.deepcopy(evidence)
    empty = {**dict.fromkeys(fresh), "metrics": None}
    return {
        "schema_version": 1,
        "kind": "operation-routing-freeze-manifest",
        "status": "frozen-dev" if phase == "dev" else "fresh-confirmed",
        "production_target": dict(TARGETS["metrics"]),
        "candidate": {
            "candidate_id": "candidate-1",
            "source_revision": "a" * 40,
            "architecture_id": "embedding and gate",
            "authority": {
                "route_authority": "router", "verifier_role": "veto only", "finite_registered_ids_only": True,
                "rank2_fallback": False, "pseudo_route": False, "provider_can_create_execution_authority": False,
            },
            "models": [
                {"role": "router", "name": "embedding", "revision": "b" * 40, "provider": None},
                {"role": "gate", "name": "judge", "revision": "judge-2026-01-31", "provider": "somebody"},
            ],
            "runtime": {
                "python": "3.11.7", "dependency_versions": {"router": "1.0"}, "hardware_label": "a machine",
                "optimization": None,
            },
            "representation": {
                "query_representation_sha256": "1" * 64, "capability_representation_sha256": "2" * 64,
                "prompt_or_instruction_sha256": "3" * 64, "option_ordering_rule": "by name",
            },
            "decision_rule": {"rule_id": "gate", "threshold": 0.95, "parameters": {}},
        },
        "evidence": {"development": evidence, "fresh_confirmation": empty if phase == "dev" else fresh},
        "governance": {
            "failed_confirmation_tuning_forbidden": [270, 287], "semantic_retuning_after_freeze_allowed": False,
            "runtime_only_optimization_after_quality_pass_requires_same_semantics": True,
            "calibration_or_blind_inspected": False, "calibration_issue": 198, "paper_evidence_issue": 199,
            "canonical_tracker_issue": 200,
        },
        "created_at_utc": "2026-01-01T00:00:00Z",
        "notes": None,
    }  # fmt: skip


# --- what a validator refuses: a second account, which shares nothing with the compiled one ---------------------------

HEX64 = re.compile("[0-9a-f]{64}")
AUTHORITY = {
    "finite_registered_ids_only": True, "rank2_fallback": False, "pseudo_route": False,
    "provider_can_create_execution_authority": False,
}  # fmt: skip
GOVERNANCE = valid("dev")["governance"]


class Wrong(Exception):
    """The first thing that is wrong."""


def refuses(manifest: Any, phase: str) -> bool:
    """Whether the listed facts refuse a manifest."""
    try:
        _facts(manifest, phase)
    except (Wrong, KeyError, TypeError, AttributeError):
        return True
    return False


def forbidden(manifest: Any, phase: str) -> bool:
    """Whether the text of the protocol forbids what the facts let pass: moving revisions, no dependencies named, a
    number where a truth value is due and the other way round, an authority nobody declared, evidence that misses its
    gate, halves of a record, a record of another type than its field."""
    try:
        candidate = manifest["candidate"]
        for model in candidate["models"]:
            revision = model["revision"]
            if not re.fullmatch("[0-9a-f]{40,64}", revision) and not re.fullmatch("[a-z]+-[0-9-]+", revision):
                return True
            if model.get("provider") is not None and not _filled(model["provider"]):
                return True
        versions = candidate["runtime"]["dependency_versions"]
        if not isinstance(versions, dict) or not versions or not all(_filled(text) for text in versions.values()):
            return True
        if set(candidate["authority"]) - {*AUTHORITY, "route_authority", "verifier_role"}:
            return True
        if not isinstance(candidate["decision_rule"].get("parameters") or {}, dict):
            return True
        return not _same(manifest, json.loads(json.dumps(manifest))) or _early(manifest, phase)
    except (KeyError, TypeError, AttributeError):
        return True


def _early(manifest: Any, phase: str) -> bool:
    """Fresh evidence that is there before its phase must be well-formed, too."""
    block = manifest["evidence"].get("fresh_confirmation") if phase == "dev" else None
    given = {} if block is None else {name: value for name, value in block.items() if value is not None}
    whole = valid("fresh")["evidence"]["fresh_confirmation"] | given
    try:
        _evidence(whole)
        _text(whole, "surface_id", "zero_overlap_audit_artifact")
    except (Wrong, KeyError, TypeError, AttributeError):
        return True
    return False


def _facts(manifest: Any, phase: str) -> None:
    _must(_same(manifest["schema_version"], 1) and manifest["kind"] == "operation-routing-freeze-manifest")
    _must(_same(manifest["production_target"], TARGETS["metrics"]))
    _must(manifest["status"] == {"dev": "frozen-dev", "fresh": "fresh-confirmed"}[phase])
    candidate = manifest["candidate"]
    _text(candidate, "candidate_id", "architecture_id")
    _text(candidate["authority"], "route_authority", "verifier_role")
    _text(candidate["runtime"], "python", "hardware_label")
    _text(candidate["representation"], "option_ordering_rule")
    _text(candidate["decision_rule"], "rule_id")
    _text(manifest, "created_at_utc")
    _must(re.fullmatch("[0-9a-f]{40,64}", candidate["source_revision"]) is not None)
    for name, value in AUTHORITY.items():
        _must(candidate["authority"][name] is value)
    _must(isinstance(candidate["models"], list) and bool(candidate["models"]))
    for model in candidate["models"]:
        _text(model, "role", "name", "revision")
    for name in ("query_representation_sha256", "capability_representation_sha256", "prompt_or_instruction_sha256"):
        _must(HEX64.fullmatch(candidate["representation"][name]) is not None)
    threshold = candidate["decision_rule"].get("threshold")
    _must(threshold is None or _number(threshold))
    _evidence(manifest["evidence"]["development"])
    if phase == "fresh":
        _text(manifest["evidence"]["fresh_confirmation"], "surface_id", "zero_overlap_audit_artifact")
        _evidence(manifest["evidence"]["fresh_confirmation"])
    for name, value in GOVERNANCE.items():
        _must(_same(manifest["governance"][name], value))


def _evidence(block: Any) -> None:
    _must(HEX64.fullmatch(block["corpus_sha256"]) is not None)
    _must(HEX64.fullmatch(block["artifact_sha256"].removeprefix("sha256:")) is not None)
    for name in ("workflow_run_id", "artifact_id"):
        _must(type(block[name]) is int and block[name] > 0)
    for entry, bound in TARGETS["metrics"].items():
        name = entry.removesuffix("_min").removesuffix("_max")
        value = block["metrics"][name]
        _must(_number(value))
        low, high = not entry.endswith("_max"), not entry.endswith("_min")
        _must((not low or value >= bound) and (not high or value <= bound))


def _must(holds: bool) -> None:
    if not holds:
        raise Wrong


def _text(block: Any, *names: str) -> None:
    for name in names:
        _must(_filled(block[name]))


def _filled(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _number(value: Any) -> bool:
    return type(value) in (int, float) and math.isfinite(value)


def _same(one: Any, other: Any) -> bool:
    """Equal by value, truth values apart from numbers, NaN equal to nothing."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_same, one, other))
    return isinstance(one, bool) == isinstance(other, bool) and bool(one == other)


# --- mutations --------------------------------------------------------------------------------------------------------

WORTHLESS: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 2.5, float("nan"), float("inf"), "", " ", "x", "A" * 64, "a" * 64,
    "sha256:" + "a" * 64, "f" * 40, "a" * 39, "a" * 65, "main", "latest", "model-2026-01-31", [], {}, [270],
    [287, 270], 1.0, 0.849999, 0.97, 1e3,
)  # fmt: skip


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every path of a document."""
    if path:
        yield path
    for key in value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        yield from places(value[key], (*path, key))


def mutated(seed: int) -> tuple[Any, str]:
    """A manifest with one to three changes, and the phase for which it is meant."""
    draw = random.Random(seed)
    phase = draw.choice(["dev", "fresh"])
    manifest = valid(phase)
    for _ in range(draw.choice([1, 1, 1, 2, 3])):
        path = draw.choice(list(places(manifest)))
        block = manifest
        for step in path[:-1]:
            block = block[step]
        change = draw.random()
        if change < 0.2:
            del block[path[-1]]
        elif change < 0.3 and isinstance(block, dict):
            block[draw.choice(["extra", "fallback_route", "Status"])] = draw.choice([True, "x", 1])
        elif change < 0.45 and isinstance(block[path[-1]], str):
            block[path[-1]] = draw.choice([str.upper, str.title, lambda text: text + " ", lambda text: text[:-1]])(
                block[path[-1]]
            )
        elif change < 0.6 and type(block[path[-1]]) in (int, float):
            block[path[-1]] = draw.choice([-1, 0.5, 2, 1 + 1e-9]) * block[path[-1]]
        else:
            block[path[-1]] = draw.choice(WORTHLESS)
    return manifest, phase
