"""`protoc freeze`, canonical blocks, and what a run makes of a freeze manifest."""

from __future__ import annotations

import io
import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from protoc_compiler.cli import main
from protoc_runtime.canonical import digest_file
from protoc_runtime.diagnostics import Refused
from protoc_runtime.verifying import verify
from unit import manifest_cases as cases
from unit.projects import Project


@pytest.fixture
def project(tmp_path: Path) -> Project:
    cases.write(tmp_path)
    return Project(tmp_path, "routes")


def committed(folder: Path) -> str:
    """Everything in git; the commit."""
    for arguments in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "all"]):
        identity = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
        subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True)
    found = subprocess.run(["git", "rev-parse", "HEAD"], cwd=folder, check=True, capture_output=True, text=True)
    return found.stdout.strip()


# --- new and check ----------------------------------------------------------------------------------------------------


def told() -> list[str]:
    """Everything that only a person can tell."""
    manifest = cases.valid("dev")
    known = ["candidate.source_revision", "candidate.runtime", "created_at_utc", "query_representation_sha256"]
    return [
        f"--set={path}={value if isinstance(value, str) else json.dumps(value)}"
        for path, value in leaves(manifest)
        if path not in ("status", "kind", "schema_version") and value is not None
        and not any(word in path for word in [*known, "production_target", "governance", "authority.f", "authority.p"])
        and "rank2" not in path
    ] + ['--set=candidate.runtime.dependency_versions={"router": "1.0"}']  # fmt: skip


def leaves(value: Any, path: str = "") -> list[tuple[str, Any]]:
    if isinstance(value, dict) and value:
        return [leaf for key, item in value.items() for leaf in leaves(item, f"{path}.{key}" if path else key)]
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return [leaf for at, item in enumerate(value) for leaf in leaves(item, f"{path}[{at}]")]
    return [(path, value)]


def test_a_new_manifest_collects_and_attests(project: Project) -> None:
    commit = committed(project.folder)
    out = project.spec / "candidate.json"
    project.protoc("freeze", "new", project.spec, *told(), "--by", "Ada", "--out", out)
    made = json.loads(out.read_text())
    assert made["candidate"]["source_revision"] == commit
    assert made["candidate"]["models"][1]["revision"] == "judge-2026-01-31"
    assert made["candidate"]["runtime"]["dependency_lock_sha256"] == digest_file(project.spec / "requirements.lock")
    assert made["production_target"] == cases.TARGETS["metrics"]
    marks = made["provenance"]
    assert marks["candidate.source_revision"] == "collected: source revision"
    assert marks["candidate.representation.query_representation_sha256"] == "collected: digest of query.txt"
    assert marks["candidate.candidate_id"] == "attested by Ada"
    assert marks["governance.calibration_issue"] == "the protocol"
    assert "no faults" in project.protoc("freeze", "check", "--phase", "dev", out)
    assert not cases.refuses(made, "dev")
    project.protoc("freeze", "new", project.spec, "--out", out, status=2)
    assert "in which nothing lacks" in project.err
    assert json.loads(out.read_text()) == made


def test_an_unfinished_manifest_is_completed_and_keeps_what_was_filled_in(project: Project) -> None:
    committed(project.folder)
    out = project.spec / "candidate.json"
    *early, late = told()
    project.protoc("freeze", "new", project.spec, *early[:3], "--by", "Ada", "--out", out, status=1)
    assert "give the same command again" in project.err
    first = json.loads(out.read_text())
    document = json.loads(out.read_text())
    lacking = {line.split()[1].rstrip(":") for line in project.err.splitlines() if line.startswith("lacks ")}
    by_hand = dict(leaves(cases.valid("dev")))
    filled = sorted(path for path in lacking if path in by_hand)
    assert len(filled) > 8
    for path in filled[:-1]:  # all but one, in the file
        put(document, path, by_hand[path])
    document["candidate"]["models"].append({"role": "second", "name": "judge", "provider": None, "revision": "b-2"})
    document["note of mine"] = "kept"
    out.write_text(json.dumps(document))
    (project.spec / "query.txt").write_text("edited before the freeze\n")
    words = [f"--set={filled[-1]}={by_hand[filled[-1]]}", late]
    project.protoc("freeze", "new", project.spec, *words, "--by", "Bea", "--out", out)
    made = json.loads(out.read_text())
    for path in filled:
        assert document_at(made, path) == by_hand[path], path
        assert made["provenance"][path] == "attested by Bea"
    told_first = early[0].removeprefix("--set=").partition("=")[0]
    assert made["provenance"][told_first] == "attested by Ada"
    assert made["candidate"]["models"][-1]["revision"] == "b-2"
    assert made["note of mine"] == "kept"
    field = "query_representation_sha256"
    assert made["candidate"]["representation"][field] == digest_file(project.spec / "query.txt")
    assert made["candidate"]["representation"][field] != first["candidate"]["representation"][field]


def put(document: Any, path: str, value: Any) -> None:
    """Set what stands at a path, `a.b[0].c`."""
    *groups, last = path.replace("]", "").replace("[", ".").split(".")
    for name in groups:
        document = document[int(name)] if isinstance(document, list) else document[name]
    document[last] = value


def document_at(document: Any, path: str) -> Any:
    for name in path.replace("]", "").replace("[", ".").split("."):
        document = document[int(name)] if isinstance(document, list) else document[name]
    return document


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"status": "fresh-confirmed"}', "it is no manifest of the phase dev"),
        ("[]", "it is no manifest of the phase dev"),
        ('{"status": "frozen-dev", "status": "frozen-dev"}', "the key is written twice"),
        ('{"status": "frozen-dev", "candidate": 3}', "what stands above it is no object"),
        ('{"status": "frozen-dev", "candidate": {"models": {}}}', "is no list"),
    ],
)
def test_what_is_no_unfinished_manifest_is_left_alone(project: Project, text: str, words: str) -> None:
    out = project.spec / "candidate.json"
    out.write_text(text)
    project.protoc("freeze", "new", project.spec, "--out", out, status=2)
    assert words in project.err
    assert out.read_text() == text


def test_groups_that_are_null_are_filled(project: Project) -> None:
    out = project.spec / "candidate.json"
    out.write_text('{"status": "frozen-dev", "candidate": null, "evidence": {"development": null}}')
    project.protoc("freeze", "new", project.spec, "--out", out, status=1)
    made = json.loads(out.read_text())
    assert made["candidate"]["models"][0]["name"] is None
    assert made["candidate"]["runtime"]["python"]


def test_check_reads_the_phase_off_the_status(project: Project) -> None:
    path = project.folder / "manifest.json"
    asked = ("freeze", "check", path, "--spec", project.spec)
    for phase in ("dev", "fresh"):
        path.write_text(json.dumps(cases.valid(phase)))
        assert f"phase {phase}: no faults" in project.protoc(*asked)
    path.write_text(json.dumps(cases.valid("fresh") | {"status": "thawed"}))
    project.protoc(*asked, status=2)
    assert "which phase? The manifest's `status` does not tell: `frozen-dev` is that of dev" in project.err


def test_what_lacks_is_told_and_not_made_up(project: Project) -> None:
    printed = project.protoc("freeze", "new", project.spec, status=1)
    assert json.loads(printed)["candidate"]["candidate_id"] is None
    assert "lacks candidate.candidate_id: text; tell it with --set" in project.err
    assert (
        "lacks candidate.source_revision: it cannot be collected: the protocol is in no git repository" in project.err
    )
    committed(project.folder)
    (project.spec / "targets.json").write_text(json.dumps(cases.TARGETS) + "\n")
    (project.spec / "query.txt").write_text("edited\n")
    project.edit("protocol.yaml", "threshold: 0.95\n", "threshold: 0.95\n    query: {file: query.txt}\n")
    project.protoc("freeze", "new", project.spec, status=1)
    assert "query.txt is not committed as it is" in project.err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--set", "candidate.id=x"], "declares no field `candidate.id`"),
        (["--set", "candidate.candidate_id"], "is no PATH=VALUE"),
        (["--set", "evidence.development.artifact_id=many"], "takes positive int, found `many`"),
        (["--phase", "dev"], "has no effect"),
    ],
)
def test_wrong_usage_of_new(project: Project, arguments: list[str], words: str) -> None:
    project.protoc("freeze", "new", project.spec, *arguments, status=2)
    assert words in project.err


def test_a_person_is_asked_on_a_terminal(project: Project) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    committed(project.folder)
    out, err = io.StringIO(), io.StringIO()
    answers = Terminal("embedding and gate\n" + "\n" * 60)
    status = main(["freeze", "new", str(project.spec), "--by", "Ada"], answers, out, err)
    assert status == 1
    assert "candidate.architecture_id (text): " in err.getvalue()
    made = json.loads(out.getvalue())
    assert made["candidate"]["architecture_id"] == "embedding and gate"
    assert made["provenance"]["candidate.architecture_id"] == "attested by Ada"


def test_check_tells_all_faults_with_their_rules(project: Project) -> None:
    manifest = cases.valid("dev") | {"comment": "x"}
    manifest["candidate"]["authority"]["rank2_fallback"] = True
    manifest["evidence"]["development"]["artifact_sha256"] = "E" * 64
    path = project.folder / "other.json"
    path.write_text(json.dumps(manifest))
    printed = project.protoc("freeze", "check", "--phase", "dev", path, "--spec", project.spec, status=1)
    assert "2 faults" in printed
    assert "candidate.authority.rank2_fallback: it must be false, found true" in project.err
    assert "hint: rule C015" in project.err
    assert "N2135 manifest-extra-field comment" in project.err
    asked = ("freeze", "check", "--phase", "dev", path, "--format", "json", "--workspace", project.folder)
    found = json.loads(project.protoc(*asked, status=1))
    assert [(fault["path"], fault["cites"]) for fault in found["faults"]] == [
        ("candidate.authority.rank2_fallback", ["C015"]), ("evidence.development.artifact_sha256", ["C013"]),
    ]  # fmt: skip
    assert found["undeclared"] == ["comment"]


def test_check_collects_again(project: Project) -> None:
    committed(project.folder)
    out = project.spec / "candidate.json"
    project.protoc("freeze", "new", project.spec, *told(), "--out", out)
    (project.spec / "query.txt").write_text("edited\n")
    project.protoc("freeze", "check", "--phase", "dev", out, status=1)
    assert "E2138" in project.err
    assert "digest of query.txt is " in project.err


@pytest.mark.parametrize(
    ("text", "phase", "finding"),
    [("{", "dev", "E2133"), ("[]", "dev", "E2134"), ("{}", "dve", "E2136"), ('{"status": NaN}', "dev", "E2134")],
)
def test_bad_manifests(project: Project, text: str, phase: str, finding: str) -> None:
    path = project.folder / "manifest.json"
    path.write_text(text)
    project.protoc("freeze", "check", "--phase", phase, path, "--workspace", project.folder, status=1)
    assert finding in project.err


def test_check_needs_a_protocol_with_a_manifest(project: Project) -> None:
    path = project.folder / "manifest.json"
    path.write_text("{}")
    project.protoc("freeze", "check", path, "--workspace", project.folder, status=2)
    assert "which phase?" in project.err
    project.protocol.write_text(
        "protoc: 1\nprotocol: {id: a, version: 1, title: A}\ndata: {tables: {t: {key: k, columns: {k: text}}}}\n"
        "verdict:\n  - X otherwise\nreport: {released: [X]}\n"
    )
    project.protoc("freeze", "check", "--phase", "dev", path, "--workspace", project.folder, status=2)
    assert "no protocol has a manifest" in project.err
    project.protoc("freeze", "new", project.spec, status=1)
    assert "E2137" in project.err


# --- runs -------------------------------------------------------------------------------------------------------------


def results(bundle: Path) -> dict[str, Any]:
    made: dict[str, Any] = json.loads((bundle / "summary.json").read_text())
    return made


def test_a_run_observes_its_manifest_and_the_bundle_holds_it(project: Project) -> None:
    (project.spec / "candidate.json").write_text(json.dumps(cases.valid("dev")))
    project.seal()
    bundle = project.run()
    assert bundle is not None
    summary = results(bundle)
    assert summary["verdict"] == "FREEZE"
    assert summary["metrics"]["frozen_threshold"] == {"num": 19, "den": 20}
    assert (bundle / "frozen" / "candidate.json").read_bytes() == (project.spec / "candidate.json").read_bytes()
    (line,) = (bundle / "rows" / "frozen.jsonl").read_text().splitlines()
    assert json.loads(line)["status"] == "frozen_dev"
    project.protoc("run", project.spec, "--rehearse", status=1)
    (project.spec / "candidate.json").unlink()  # it is in the bundle
    _, findings = verify(bundle, None)
    assert not findings.failed, [item.message for item in findings]


@pytest.mark.parametrize(
    ("path", "value", "verdict", "fired"),
    [
        ("production_target.false_route_rate_max", 0.02, "INVALID", {"targets"}),
        ("evidence.development.corpus_sha256", "D" * 64, "INVALID", {"digests"}),
        ("status", "template", "INVALID", {"provenance"}),
    ],
)
def test_rules_read_the_manifest_in_both_computations(
    project: Project, path: str, value: Any, verdict: str, fired: set[str]
) -> None:
    manifest = cases.valid("dev")
    block: Any = manifest
    *groups, last = path.split(".")
    for name in groups:
        block = block[name]
    block[last] = value
    (project.spec / "candidate.json").write_text(json.dumps(manifest))
    project.seal()
    bundle = project.run(status=1)
    assert bundle is not None
    summary = results(bundle)
    assert summary["verdict"] == verdict
    assert {name for name, value in summary["blockers"].items() if value} == fired
    _, findings = verify(bundle, None)  # computes everything again, and runs verify.py
    assert not findings.failed, [item.message for item in findings]


def test_without_a_manifest_nothing_is_valid(project: Project) -> None:
    project.seal()
    bundle = project.run(status=1)
    assert bundle is not None
    assert results(bundle)["blockers"] == {"targets": True, "provenance": True, "digests": True}
    assert not verify(bundle, None)[1].failed


def test_a_manifest_changed_in_a_bundle_is_noticed(project: Project) -> None:
    (project.spec / "candidate.json").write_text(json.dumps(cases.valid("dev")))
    project.seal()
    bundle = project.run()
    assert bundle is not None
    from protoc_runtime.manifests.keeping import manifest_faults
    from protoc_runtime.packages import load_protocol
    from protoc_runtime.written import read_bundle

    declared = load_protocol(bundle / "package")
    (bundle / "frozen" / "candidate.json").write_text(json.dumps(cases.valid("fresh")))
    tables = read_bundle(declared, bundle / "rows")
    found = dict(manifest_faults(declared, bundle, bundle / "package", tables))
    assert found == {
        "frozen/candidate.json": "it is not the manifest that the run began with",
        "rows/frozen.jsonl": "it is not what the manifest of the bundle says",
    }
    _, findings = verify(bundle, None)
    assert findings.failed


def test_score_reads_a_manifest_beside_the_rows(project: Project) -> None:
    data = project.folder / "data"
    data.mkdir()
    (data / "cases.jsonl").write_text((project.spec / "cases.jsonl").read_text())
    (data / "candidate.json").write_text(json.dumps(cases.valid("dev")))
    made = json.loads(project.protoc("score", project.spec, "--data", data, "--format", "json"))
    assert made["verdict"] == "FREEZE"
    (data / "candidate.json").write_text("{")
    made = json.loads(project.protoc("score", project.spec, "--data", data, "--format", "json", status=1))
    assert made["blockers"] == {"targets": True, "provenance": True, "digests": True}


def test_the_layout_of_a_protocol_is_kept(project: Project) -> None:
    """Formatting changes nothing that is declared, and is done once."""
    first = cases.digest(project)
    project.protoc("fmt", project.spec)
    assert cases.digest(project) == first
    project.protoc("fmt", project.spec, "--check")


def test_a_manifest_may_be_yaml(project: Project) -> None:
    path = project.folder / "candidate.yaml"
    lines = json.dumps(cases.valid("dev"), indent=1)  # JSON is YAML
    path.write_text(f"# frozen by hand\n{lines}\n")
    project.protoc("freeze", "check", "--phase", "dev", path, "--workspace", project.folder)
    path.write_text(f"{lines}\n".replace('"rank2_fallback": false', '"rank2_fallback": no'))
    project.protoc("freeze", "check", "--phase", "dev", path, "--workspace", project.folder, status=1)
    assert "candidate.authority.rank2_fallback: it must be false, found `no`" in project.err


def test_a_phase_of_no_such_name(project: Project) -> None:
    from protoc_runtime.manifests.facts import examined
    from protoc_runtime.packages import load_manifest

    project.compile()
    with pytest.raises(Refused, match="E2136"):
        examined(load_manifest(project.folder / "generated" / "routes_v1"), {}, "never")
