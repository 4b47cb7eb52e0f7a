"""Freeze manifests: the compiled validator, against a second account of what must be refused."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from types import ModuleType
from typing import Any

import jsonschema
import pytest

from field.conftest import shared
from protoc_runtime.manifests.checking import Fault, extras
from protoc_runtime.manifests.meaning import parse_json
from protoc_runtime.packages import load_manifest
from unit import manifest_cases as cases
from unit.projects import Project

MUTATIONS = 400
EXAMPLE = Path(__file__).parents[2] / "generated" / "schemarouter_operation_routing_v1"


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    folder = tmp_path_factory.mktemp("routes")
    cases.write(folder)
    made = Project(folder, "routes")
    made.protoc("compile", made.spec, "--workspace", folder)
    return made


@pytest.fixture(scope="module")
def validator(project: Project) -> ModuleType:
    return load_manifest(project.folder / "generated" / "routes_v1")


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    """The validator of the example in this repository."""
    package = tmp_path_factory.mktemp("example") / EXAMPLE.name
    shutil.copytree(EXAMPLE, package)
    return load_manifest(package)


def faults(validator: ModuleType, manifest: Any, phase: str) -> tuple[Fault, ...]:
    """The faults of a manifest as it would be read from a file."""
    found: tuple[Fault, ...] = validator.check(parse_json(json.dumps(manifest).encode()), phase)
    return found


def without(manifest: dict[str, Any], path: str) -> dict[str, Any]:
    *groups, last = path.split(".")
    block: Any = manifest
    for name in groups:
        block = block[name]
    del block[last]
    return manifest


def changed(phase: str, path: str, value: Any) -> dict[str, Any]:
    manifest = cases.valid(phase)
    block: Any = manifest
    *groups, last = path.split(".")
    for name in groups:
        block = block[int(name) if isinstance(block, list) else name]
    block[last] = value
    return manifest


@pytest.mark.parametrize("phase", ["dev", "fresh"])
@pytest.mark.parametrize("which", ["validator", "example"])
def test_a_valid_manifest_has_no_fault(request: pytest.FixtureRequest, which: str, phase: str) -> None:
    assert not cases.refuses(cases.valid(phase), phase)
    assert faults(request.getfixturevalue(which), cases.valid(phase), phase) == ()


@pytest.mark.parametrize("which", ["validator", "example"])
def test_what_the_facts_refuse_is_refused_with_path_and_reason(request: pytest.FixtureRequest, which: str) -> None:
    """And what neither they nor the protocol's text forbid is accepted."""
    validator: ModuleType = request.getfixturevalue(which)
    refused = accepted = 0
    for seed in range(MUTATIONS):
        manifest, phase = cases.mutated(seed)
        found = faults(validator, manifest, phase)
        if cases.refuses(manifest, phase):
            refused += 1
            assert found, f"seed {seed}, phase {phase}"
            assert all(fault.path and len(fault.reason) > 5 for fault in found)
        elif not cases.forbidden(manifest, phase):
            accepted += 1
            assert found == (), f"seed {seed}, phase {phase}"
    assert refused > 200
    assert accepted > 20


def test_every_fault_is_told_at_once(validator: ModuleType) -> None:
    manifest = cases.valid("dev")
    manifest["candidate"]["source_revision"] = "MAIN"
    manifest["candidate"]["authority"]["rank2_fallback"] = True
    manifest["evidence"]["development"]["artifact_sha256"] = "sha256:" + "E" * 64
    manifest["evidence"]["development"]["workflow_run_id"] = True
    manifest["evidence"]["development"]["metrics"]["false_route_rate"] = float("nan")
    del manifest["governance"]
    found = {fault.path: fault for fault in faults(validator, manifest, "dev")}
    assert set(found) == {
        "candidate.source_revision", "candidate.authority.rank2_fallback", "evidence.development.artifact_sha256",
        "evidence.development.workflow_run_id", "evidence.development.metrics.false_route_rate", "governance",
    }  # fmt: skip
    assert found["candidate.authority.rank2_fallback"].cites == ("C015",)
    assert found["candidate.authority.rank2_fallback"].reason == "it must be false, found true"
    assert found["evidence.development.metrics.false_route_rate"].reason == "NaN is no number of JSON"


@pytest.mark.parametrize(
    ("path", "value", "reason"),
    [
        ("candidate.models.0.revision", "main", "a commit is needed"),
        ("candidate.models.0.revision", "some/model:latest", "an id of one version is needed"),
        ("candidate.models", [], "the list is empty"),
        ("candidate.models", {"role": "router"}, "a list is needed"),
        ("candidate.authority", "router", "an object is needed, found `router`"),
        ("candidate.authority.may_also_write", True, "nothing of this name may stand in this group"),
        ("candidate.runtime.dependency_versions", {}, "at least one entry is needed"),
        ("candidate.runtime.dependency_versions", {"router": 1}, "router: text is needed, found 1"),
        ("candidate.representation.query_representation_sha256", "sha256:" + "1" * 64, "a SHA-256 is needed"),
        ("evidence.development.workflow_run_id", 0, "a whole number from 1"),
        ("evidence.development.workflow_run_id", 11.5, "a whole number is needed, found 11.5"),
        ("evidence.development.metrics.out_of_domain_rejection", 0.999, "exactly 1 is needed, found 0.999"),
        ("evidence.development.metrics.supported_exact_route_accuracy", 0.8499, "at least 0.85 is needed"),
        ("evidence.development.metrics.combined_p95_ms", 250.0001, "at most 250 is needed"),
        ("governance.failed_confirmation_tuning_forbidden", [287, 270], "it must be [270,287], found [287,270]"),
        ("production_target", cases.TARGETS["metrics"] | {"combined_p95_ms_max": 300}, "combined_p95_ms_max is 300"),
        ("status", "template", "phase dev needs the status `frozen-dev`, found `template`"),
    ],
)
def test_reasons(validator: ModuleType, path: str, value: Any, reason: str) -> None:
    found = faults(validator, changed("dev", path, value), "dev")
    assert len(found) == 1, found
    assert reason in found[0].reason
    assert found[0].path.replace("[", ".").replace("]", "") == path


def test_numbers_are_compared_by_value_and_keys_in_any_order(validator: ModuleType) -> None:
    manifest = cases.valid("dev")
    manifest["schema_version"] = 1.0
    block = {**cases.TARGETS["metrics"], "out_of_domain_rejection": 1.0}
    manifest["production_target"] = dict(reversed(list(block.items())))
    assert faults(validator, manifest, "dev") == ()
    manifest["production_target"]["out_of_domain_rejection"] = True
    assert [fault.path for fault in faults(validator, manifest, "dev")] == ["production_target"]


def test_digits_beyond_a_float_count(validator: ModuleType) -> None:
    text = json.dumps(cases.valid("dev")).replace(
        '"supported_exact_route_accuracy": 0.9', '"supported_exact_route_accuracy": 0.84999999999999999999'
    )
    found = validator.check(parse_json(text.encode()), "dev")
    assert [fault.path for fault in found] == ["evidence.development.metrics.supported_exact_route_accuracy"]


def test_a_repeated_key_is_a_fault(validator: ModuleType) -> None:
    once = '"rank2_fallback": false'
    text = json.dumps(cases.valid("dev")).replace(once, f'"rank2_fallback": true, {once}')
    found = validator.check(parse_json(text.encode()), "dev")
    assert [(fault.path, fault.reason) for fault in found] == [
        ("candidate.authority.rank2_fallback", "the key is written twice")
    ]


@pytest.mark.parametrize("field", ["kind", "status", "candidate.source_revision"])
def test_half_a_character_is_a_fault_of_its_field(validator: ModuleType, field: str) -> None:
    manifest = cases.valid("dev")
    *groups, name = field.split(".")
    group = manifest
    for each in groups:
        group = group[each]
    group[name] = "x\ud800"
    found = {fault.path: fault.reason for fault in faults(validator, manifest, "dev")}
    assert found == {field: "the text holds half of a surrogate pair"}


def test_each_phase_has_its_evidence(validator: ModuleType) -> None:
    manifest = cases.valid("dev") | {"status": "fresh-confirmed"}
    lacking = {fault.path for fault in faults(validator, manifest, "fresh")}
    names = ("surface_id", "corpus_sha256", "zero_overlap_audit_artifact", "workflow_run_id", "artifact_id")
    assert lacking == {f"evidence.fresh_confirmation.{name}" for name in (*names, "artifact_sha256", "metrics")}
    whole = faults(validator, without(cases.valid("fresh"), "evidence.fresh_confirmation"), "fresh")
    assert [(fault.path, fault.reason) for fault in whole] == [
        ("evidence.fresh_confirmation", "it is not there, and phase fresh needs it")
    ]
    assert faults(validator, without(cases.valid("dev"), "evidence.fresh_confirmation"), "dev") == ()


def test_what_nobody_declared_is_told_apart(validator: ModuleType) -> None:
    manifest = cases.valid("dev") | {"comment": "x", "provenance": {"kind": "the protocol"}}
    manifest["candidate"]["models"][1]["quantised"] = True
    manifest["notes"] = {"anything": 1}
    assert faults(validator, manifest, "dev") == ()
    assert extras(validator.CONTRACT, manifest) == ("candidate.models[1].quantised", "comment")


@pytest.mark.parametrize("document", [None, [], "text", 3])
def test_what_is_no_object(validator: ModuleType, document: Any) -> None:
    (fault,) = validator.check(document, "dev")
    assert "a manifest is one object" in fault.reason


def test_the_schemas_agree_where_they_can_tell(project: Project, validator: ModuleType) -> None:
    """A schema accepts what the validator accepts; it cannot tell moving versions."""
    agreed = 0
    for phase in ("dev", "fresh"):
        path = project.folder / "generated" / "routes_v1" / "schemas" / f"freeze.{phase}.json"
        schema = jsonschema.Draft202012Validator(json.loads(path.read_text()))
        assert schema.is_valid(cases.valid(phase))
        for seed in range(150):
            manifest, meant = cases.mutated(seed)
            if meant == phase and not faults(validator, manifest, phase):
                assert schema.is_valid(manifest), f"seed {seed}"
            elif meant == phase:
                agreed += not schema.is_valid(manifest)
    assert agreed > 60


def test_the_package_is_plain_and_says_the_rules(project: Project) -> None:
    text = (project.folder / "generated" / "routes_v1" / "manifest.py").read_text()
    assert "description='C014: Only registered ids are selected.'" in text
    assert '"supported_exact_route_accuracy_min":0.85' in text
    assert "class CandidateAuthority(Closed):" in text


def test_the_real_template_is_refused_field_by_field(validator: ModuleType) -> None:
    folder = shared() / "data" / "schemarouter"
    if not folder.is_dir():
        pytest.skip("the shared data are not here")
    template = parse_json((folder / "operation-routing-freeze-manifest.template.json").read_bytes())
    found = {fault.path for fault in validator.check(template, "dev")}
    assert {"status", "candidate.candidate_id", "candidate.models[0].role"} <= found
    assert "governance.calibration_issue" not in found
    assert "production_target" not in found


ODD = r'''
protoc: 1
protocol: {id: odd, version: 1, title: "Odd \"\"\" names {x} \\"}
data:
  tables:
    t: {key: k, columns: {k: text}}
procedure:
  manifest:
    says: 'it is """ odd \N{x} {% x %}'
    status: state.of
    phases:
      - {phase: one, status: a-b}
      - {phase: two, status: c, needs: ['lists[].later', Group]}
    closed: [class, lists, state]
    fields:
      class.import: text
      class.copy: text
      class.model_config: text
      class._x: text
      class.__y: {type: text, says: "quote ' and \" and \\ and {brace} and #"}
      Field: text
      Annotated.list: {type: [a, "b'c", null]}
      text.text: text
      schema.json: {is: "he said \"no\"\\"}
      Group.Group: int
      Manifest.check: bool
      lists[].inner[].leaf: text
      lists[].later: text?
      lists[].needed: {type: list of positive int}
      x.map: map of decimal
      null_able: {is: null}
      zero: {is: 0}
      empty: {is: []}
      big: {is: 0.10000000000000000000000001}
verdict:
  - X otherwise
report: {released: [X]}
'''


def test_any_name_and_any_words_compile(tmp_path: Path) -> None:
    """Names of Python, of pydantic and of the module itself; quotes and braces; null, zero and nothing as values."""
    place = tmp_path / "specs" / "odd"
    place.mkdir(parents=True)
    (place / "protocol.yaml").write_text(ODD)
    Project(tmp_path, "odd").protoc("compile", place, "--out", tmp_path / "generated")
    odd = load_manifest(tmp_path / "generated" / "odd_v1")
    manifest: dict[str, Any] = {
        "state": {"of": "a-b"}, "class": {"import": "x", "copy": "y", "model_config": "z", "_x": "1", "__y": "2"},
        "Field": "f", "Annotated": {"list": "b'c"}, "text": {"text": "t"}, "schema": {"json": 'he said "no"\\'},
        "Manifest": {"check": True}, "lists": [{"inner": [{"leaf": "x"}], "needed": [1, 2]}], "x": {"map": {"a": 1.5}},
        "null_able": None, "zero": 0.0, "empty": [], "big": 0.25,
    }  # fmt: skip
    text = json.dumps(manifest).replace("0.25", "0.10000000000000000000000001")
    assert odd.check(parse_json(text.encode()), "one") == ()
    assert [fault.path for fault in odd.check(parse_json(text.encode()), "two")] == ["state.of", "Group"]
    wrong = text.replace("[1, 2]", '[0, 1], "more": 1').replace('"_x": "1"', '"_x": 1').replace("0001", "0002")
    assert {fault.path for fault in odd.check(parse_json(wrong.encode()), "one")} == {
        "class._x", "lists[0].needed", "lists[0].more", "big",
    }  # fmt: skip
