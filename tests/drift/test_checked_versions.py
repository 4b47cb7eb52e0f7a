"""What `protoc check` says of the new version stands in the review, and an error of it fails."""

from __future__ import annotations

import ast
import importlib
import inspect
import json
from pathlib import Path

import pytest

from drift.test_diff_command import LOWER, Desk
from protoc_compiler import analysis, pipeline
from protoc_runtime.diagnostics import Kind

FIRST = "verdict: [PASS when all gates have held, INVALID when some blockers have fired, FAIL otherwise]"
UNUSED = "definitions: {more: 3 USD}"
OVERLAP = "procedure: {providers: {asked: {retry: {never_on: [semantic, 503]}}}}"
BOTH = ("--no-proof", "--fail-on", "looser")


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    return Desk(tmp_path, monkeypatch)


def test_an_error_of_the_new_version_is_told_in_every_form_and_fails(desk: Desk) -> None:
    old, new = desk.spec("a.yaml"), desk.spec("b.yaml", FIRST)
    found = {item.message: item for item in pipeline.examine(new).findings if item.id == "E0826"}
    assert found
    said = {form: desk.diff(old, new, *BOTH, "--format", form, status=1) for form in
            ("text", "markdown", "github", "json", "sarif")}  # fmt: skip
    assert "\n`protoc check` refuses the new version:\n" in said["text"]
    assert "**`protoc check` refuses the new version:**" in said["markdown"]
    for message, item in found.items():
        assert item.span is not None
        assert f"  b.yaml:{item.span.line}: E0826 {message}\n" in said["text"]
        assert f"- `b.yaml:{item.span.line}`: E0826 {message}\n" in said["markdown"]
        assert f"title=E0826 released-despite-blocker::{message}" in said["github"]
        assert message in said["sarif"]
    checked = [one for one in json.loads(said["json"])["checked"] if one["id"] == "E0826"]
    assert {one["message"] for one in checked} == set(found)
    assert {one["version"] for one in checked} == {"new"}
    told = "Fails --fail-on looser: `protoc check` refuses the new version (E0826); 1 change not accepted"
    assert told in said["text"]
    assert json.loads(said["json"])["fail_on"]["refused"] == ["E0826"]


def test_an_error_fails_where_every_change_is_accepted(desk: Desk) -> None:
    old, new = desk.spec("a.yaml"), desk.spec("b.yaml", FIRST)
    entries = desk.diff(old, new, "--no-proof", "--accept").replace("reason:", "reason: agreed")
    (desk.folder / "more.yaml").write_text(entries, encoding="utf-8")
    said = desk.diff(old, new, *BOTH, "--accepted", "more.yaml", status=1)
    assert said.endswith("Fails --fail-on looser: `protoc check` refuses the new version (E0826)\n")
    assert "would fail: `protoc check` refuses" in desk.diff(old, new, "--no-proof", "--accepted", "more.yaml")


def test_an_error_of_both_versions_fails_and_is_said_to_be_of_both(desk: Desk) -> None:
    old, new = desk.spec("a.yaml", FIRST), desk.spec("b.yaml", FIRST + "\nprocedure: {subject: {timeout: 3 s}}")
    assert " (of the old version, too)" in desk.diff(old, new, *BOTH, status=1)
    made = desk.json(old, new)
    assert {one["version"] for one in made["checked"]} == {"both"}


def test_a_version_that_mends_an_error_does_not_fail_for_it(desk: Desk) -> None:
    old, new = desk.spec("a.yaml", OVERLAP), desk.spec("b.yaml", "procedure: {subject: {timeout: 3 s}}")
    said = desk.diff(old, new, *BOTH, status=1)
    assert "`protoc check` refuses the old version:\n  a.yaml:" in said
    assert said.endswith("\nFails --fail-on looser: 1 change not accepted: RETRY_WIDENED (looser)\n")
    annotated = desk.diff(old, new, "--no-proof", "--format", "github").splitlines()
    assert [line.partition(" ")[0] for line in annotated if "E0527" in line] == ["::notice"]
    turned = desk.diff(new, old, *BOTH, status=1)
    assert "\nFails --fail-on looser: `protoc check` refuses the new version (E0527); 1 change not" in turned


def test_warnings_are_left_to_check(desk: Desk) -> None:
    old, new = desk.spec("a.yaml"), desk.spec("b.yaml", UNUSED)
    assert "W0315" in {item.id for item in pipeline.examine(new).findings}
    made = desk.json(old, new, "--fail-on", "looser")
    assert made["checked"] == []
    assert "W0315" not in desk.diff(old, new, *BOTH)


@pytest.mark.parametrize("name", sorted(analysis._ADVICE))
def test_a_part_that_a_review_leaves_out_refuses_nothing(name: str) -> None:
    part = importlib.import_module(f"protoc_compiler.analysis.{name}")
    tree = ast.parse(inspect.getsource(part))
    read = [(one.value.id, one.attr) for one in ast.walk(tree)
            if isinstance(one, ast.Attribute) and isinstance(one.value, ast.Name)]  # fmt: skip
    found = [getattr(getattr(part, module, None), kind, None) for module, kind in read]
    weights = {one.severity for one in found if isinstance(one, Kind)}
    assert weights
    assert "error" not in weights


def test_a_version_in_git_is_checked_too(desk: Desk) -> None:
    desk.git("init", "-q")
    desk.spec("specs/protocol.yaml", LOWER)
    desk.commit("one")
    desk.spec("specs/protocol.yaml", FIRST)
    desk.commit("two")
    said = desk.diff("HEAD~1:specs", "HEAD:specs", "--no-proof")
    assert "  HEAD:specs/protocol.yaml:" in said.partition("refuses the new version:")[2]
    assert "file=specs/protocol.yaml" in desk.diff("HEAD~1:specs", "HEAD:specs", "--no-proof", "--format", "github")


def test_versions_that_do_not_resolve_are_both_named_and_end_as_no_finding(desk: Desk) -> None:
    fault = "gates: {right: {must: nothing >= 0.80}}"
    old, new = desk.spec("a.yaml", fault), desk.spec("b.yaml", fault)
    assert desk.diff(old, new, status=2) == ""
    for which, name in (("old", "a.yaml"), ("new", "b.yaml")):
        assert f"the {which} version, `{name}`, does not resolve, for E0312" in desk.err
    told = json.loads(desk.diff(old, "b.yaml", "--format", "json", status=2))["diagnostics"]
    assert [item["id"] for item in told if item["severity"] == "error"].count("E2708") == 2
