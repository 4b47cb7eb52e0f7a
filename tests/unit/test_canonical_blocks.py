"""Canonical blocks: values by their meaning, drift with both sides, and what a protocol cannot mean by a manifest."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from protoc_compiler import pipeline
from protoc_runtime.manifests import plain_data
from protoc_runtime.manifests.meaning import Unreadable, at, canonical, differences, parse_json, scalar
from unit import manifest_cases as cases
from unit.projects import Project


@pytest.fixture
def project(tmp_path: Path) -> Project:
    cases.write(tmp_path)
    return Project(tmp_path, "routes")


# --- values by their meaning ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (b'{"a": 1, "b": 2.50}', b'{"b": 25e-1, "a": 1.0}'),
        (b"[1e2, 0.0, -0]", b"[100, 0, 0.000]"),
        (b'"\\u00e9"', '"é"'.encode()),
    ],
)
def test_equal_values_have_one_canonical_text(one: bytes, other: bytes) -> None:
    assert canonical(parse_json(one)) == canonical(parse_json(other))


@pytest.mark.parametrize(("one", "other"), [(b"1", b"true"), (b'"1"', b"1"), (b"[1, 2]", b"[2, 1]"), (b"null", b"0")])
def test_other_values_have_another(one: bytes, other: bytes) -> None:
    assert canonical(parse_json(one)) != canonical(parse_json(other))


@given(st.decimals(allow_nan=False, allow_infinity=False), st.decimals(allow_nan=False, allow_infinity=False))
def test_numbers_have_one_spelling(one: Decimal, other: Decimal) -> None:
    assume(max(abs(one.adjusted()), abs(other.adjusted())) < 300)
    assert (canonical(one) == canonical(other)) == (one == other)
    assert Decimal(canonical(one)) == one


def test_differences_show_both_sides() -> None:
    found = list(differences({"a": {"b": 1, "c": 2}}, {"a": {"b": 1.5, "d": 2}}))
    assert found == [("a.b", "1", "1.5"), ("a.c", "2", "nothing"), ("a.d", "nothing", "2")]


@pytest.mark.parametrize("text", [b"1e999999999", b"9" * 500, b"[" * 5000, b"{", b"\xff"])
def test_what_has_no_meaning_is_unreadable(text: bytes) -> None:
    with pytest.raises(Unreadable):
        canonical(parse_json(text))


def test_yaml_and_json_mean_the_same() -> None:
    text = (
        b"metrics:\n  recall_min: 0.850\n  errors_max: 0\n  name: 'yes'\n  flag: true\n  none: ~\n  plain: yes\n"
        b"  list: [1, 2e0]\n"
    )
    made = (
        b'{"metrics": {"recall_min": 0.85, "errors_max": 0, "name": "yes", "flag": true, "none": null, '
        b'"plain": "yes", "list": [1, 2]}}'
    )
    assert canonical(plain_data.parse_yaml(text)) == canonical(parse_json(made))


@pytest.mark.parametrize(
    "text",
    [
        b"a: !!str 0.85\n",
        b"a: !foo {b: 1}\n",
        b"a: ! 5\n",
        b"a: &x 1\nb: *x\n",
        b"a: 1\na: 2\n",
        b"a: [\n",
        b"- - " * 200 + b"1",
        b"? [a]\n: 1\n",
        b"x: " + b"[" * 6000,
    ],
)
def test_yaml_that_is_no_plain_data_is_unreadable(text: bytes) -> None:
    with pytest.raises(Unreadable):
        plain_data.parse_yaml(text)


def test_plain_scalars() -> None:
    given = ["1", "-2.5", "1e3", "1_000", "0x1f", "0o17", "1.2.3", "-", "1-2", "", "null", "NO", "12abc"]
    given += ["+-.inf", "+.nan", "0x", "0o8", "++5"]
    values = [scalar(text) for text in given]
    assert [canonical(value) for value in values] == [
        "1", "-2.5", "1000", '"1_000"', "31", "15", '"1.2.3"', '"-"', '"1-2"', "null", "null", '"NO"', '"12abc"',
        '"+-.inf"', '"+.nan"', '"0x"', '"0o8"', '"++5"',
    ]  # fmt: skip


POINTED = {"a": [1], "a/b": 2, "m~n": 3, "~1": 4, "": 5}


@pytest.mark.parametrize(
    ("pointer", "value"),
    [("", POINTED), ("/a/0", 1), ("/a~1b", 2), ("/m~0n", 3), ("/~01", 4), ("/", 5)],
)
def test_a_pointer_leads_to_one_value(pointer: str, value: object) -> None:
    assert at(POINTED, pointer) == value


@pytest.mark.parametrize(
    "pointer", ["a", "/a/00", "/a/1", "/a/-", "/a/+0", "/a/" + "9" * 5000, "/~2", "/a~", "//", "/a/\u0660", "/b"]
)
def test_a_pointer_that_is_none_or_leads_nowhere_is_told(pointer: str) -> None:
    with pytest.raises(Unreadable):
        at(POINTED, pointer)


# --- canonical blocks -------------------------------------------------------------------------------------------------


def test_a_block_enters_the_digest_by_its_meaning(project: Project) -> None:
    first = cases.digest(project)
    block = cases.TARGETS["metrics"]
    reordered = json.dumps({"metrics": dict(reversed(list(block.items())))}).replace("250", "2.5e2")
    (project.spec / "targets.json").write_text(reordered)
    assert cases.digest(project) == first
    (project.spec / "targets.json").write_text(json.dumps({"metrics": block | {"false_route_rate_max": 0.02}}))
    assert cases.digest(project) != first


def test_a_yaml_file_from_the_root_of_the_workspace(project: Project) -> None:
    first = cases.digest(project)
    (project.spec / "targets.json").unlink()
    lines = "".join(f"  {name}: {value}\n" for name, value in cases.TARGETS["metrics"].items())
    (project.folder / "shared").mkdir()
    (project.folder / "shared" / "targets.yaml").write_text(f"metrics:\n{lines}")
    project.edit("protocol.yaml", "targets.json#/metrics", "shared/targets.yaml#/metrics")
    assert cases.digest(project) != first  # it names another file
    assert "shared/targets.yaml#/metrics" in (project.folder / "generated" / "routes_v1" / "manifest.py").read_text()


def test_drift_is_told_with_both_sides(project: Project) -> None:
    """Between target and thresholds when it is checked, between target and package when it is run."""
    project.seal()
    changed = {"metrics": cases.TARGETS["metrics"] | {"supported_exact_route_accuracy_min": 0.8}}
    (project.spec / "targets.json").write_text(json.dumps(changed))
    project.protoc("check", project.spec, status=1)
    assert "E2103" in project.err
    assert "`gates.C001` has the threshold 85%" in project.err
    assert "has 0.8 at supported_exact_route_accuracy_min" in project.err
    changed = {"metrics": cases.TARGETS["metrics"] | {"false_route_rate_max": 0.02}}
    (project.spec / "targets.json").write_text(json.dumps(changed))
    project.protoc("seal", project.spec, "--reason", "another target", status=1)
    assert "false_route_rate_max: the protocol has 0.01, the file has 0.02" in project.err
    project.run(status=1)
    assert "E2132" in project.err
    assert "false_route_rate_max: the protocol has 0.01, the file has 0.02" in project.err
    (project.spec / "targets.json").unlink()
    project.run(status=1)
    assert "E2131" in project.err


@pytest.mark.parametrize(
    ("old", "new", "finding"),
    [
        ("targets.json#/metrics", "targets.json", "E2101"),
        ("targets.json#/metrics", "targets.json#/metric", "E2131"),
        ("targets.json#/metrics", "../../../targets.json#/metrics", "E2131"),
        ("targets.json#/metrics", "nothing.json#", "E2131"),
        ("combined_p95_ms_max: gates.C007", "combined_p95_ms_max: gates.C001", "E2103"),
        ("combined_p95_ms_max: gates.C007", "combined_p95_ms_max: gates.C009", "E2102"),
        ("combined_p95_ms_max: gates.C007", "combined_p99_ms_max: gates.C007", "E2102"),
        ("combined_p95_ms_max: gates.C007", "combined_p95_ms_max: blockers.targets", "E2102"),
        ("candidate.candidate_id: text", "candidate/id: text", "E2104"),
        ("candidate.candidate_id: text", "candidate.authority: text", "E2104"),
        ("candidate.candidate_id: text", "candidate.models: text", "E2104"),
        ("candidate.candidate_id: text", "candidate.tags[]: text", "E2104"),
        ("candidate.candidate_id: text", "candidate.candidate_id: sha1", "E2105"),
        ("candidate.candidate_id: text", "candidate.candidate_id: list of list", "E2105"),
        ("copy of targets", "copy of target", "E2106"),
        ("copy of targets", "copy of threshold", "E2106"),
        ("targets.json#/metrics", "targets.json#", "E2107"),
        ("needs: [evidence.fresh_confirmation]", "needs: [evidence.fresh]", "E2108"),
        ("closed: [candidate.authority]", "closed: [candidate.authorities]", "E2108"),
        ("candidate.models[].name: text", "candidate.models[].name: {type: text, as: model}", "E2109"),
        ("notes: any?", "notes: {type: any?, as: notes}", "E2109"),
        ("notes: any?", "notes: {type: text?, as: valid}", "E0301"),
        ("    status: status\n", "    status: candidate.runtime\n", "E2104"),
        ("    status: status\n", "    status: candidate.models[].status\n", "E2104"),
        ("collect: python", "collect: pythn", "E2110"),
        ("collect: python", "collect: 'digest of '", "E2110"),
        ("status: fresh-confirmed", "status: frozen_dev", "E0301"),
        ("threshold: {is: freeze.threshold", "threshold: {is: freeze.targets", "E2112"),
        ("threshold: {is: freeze.threshold", "threshold: {is: 1.5", "E2112"),
        ("digests_valid: bool", "digest_valid: bool", "E0319"),
        ("threshold: decimal?}", "threshold: text?}", "E0501"),
        ("copy_of: targets.json#/metrics", "copy_of: targets.json#/metrics\n      file: targets.json", "E0221"),
        ("notes: any?", "notes: {says: nothing}", "E0221"),
    ],
)
def test_what_a_protocol_cannot_mean(project: Project, old: str, new: str, finding: str) -> None:
    project.edit("protocol.yaml", old, new)
    found = {item.id for item in pipeline.examine(project.protocol).findings}
    assert finding in found, found


def test_a_record_needs_a_manifest(project: Project) -> None:
    text = project.protocol.read_text()
    start, end = text.index("  manifest:\n"), text.index("  parity:")
    project.protocol.write_text(text[:start] + text[end:])
    assert "E2111" in {item.id for item in pipeline.examine(project.protocol).findings}
