"""Frozen values: files that must have a digest, and values that an earlier run has measured."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from unit.projects import Project, ids, new_project
from unit.small import ids as found
from unit.small import spec

HEX = "0" * 64


def freeze(text: str) -> str:
    return spec(changes=(("    limit: 3\n", f"    limit: 3\n    x: {text}\n"),))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"{{file: a.txt, is: sha256:{HEX}}}", []),
        ("{file: a.txt, is: 12}", ["E0203"]),
        ("{cites: [R1]}", ["E0221"]),
        (f"{{run: r, metric: m, is: 0.5, receipt: sha256:{HEX}}}", []),
        ("{run: r, metric: m, is: 0.5}", ["E0202"]),
        (f"{{run: r, metric: m, receipt: sha256:{HEX}}}", ["E0202"]),
        ("{run: r, metric: m}", ["E0202", "E0202"]),
        ("{run: r, metric: m, is: 0.5, receipt: sha256:12}", ["E0219"]),
    ],
)
def test_forms(text: str, expected: list[str]) -> None:
    assert found(freeze(text)) == expected


def test_a_file_with_a_stated_digest_is_a_constant_in_formulas() -> None:
    text = freeze(f"{{file: a.txt, is: sha256:{HEX}}}")
    text = text.replace("metrics:\n", "metrics:\n  same: freeze.x == freeze.x_too\n")
    text = text.replace("    x: {file", f"    x_too: sha256:{HEX}\n    x: {{file")
    assert found(text) == []


@pytest.fixture
def project(tmp_path: Path) -> Project:
    made = new_project(tmp_path / "work")
    (made.spec / "words.txt").write_text("free money\n", encoding="utf-8")
    return made


def add(project: Project, line: str, gate: str = "") -> None:
    """One more frozen value, which a check reads."""
    text = project.protocol.read_text(encoding="utf-8")
    if "\n  freeze:\n" not in text:
        text = text.replace("procedure:\n", "procedure:\n  freeze:\n", 1)
    text = text.replace("  freeze:\n", f"  freeze:\n    {line}\n", 1)
    if gate:
        text = text.replace("\nverdict:\n", f"\nchecks:\n  above:\n{gate}\nverdict:\n", 1)
    project.protocol.write_text(text, encoding="utf-8")


def test_seal_and_run_refuse_another_file(project: Project) -> None:
    digest = hashlib.sha256(b"free money\n").hexdigest()
    add(project, f"words: {{file: words.txt, is: sha256:{digest}}}")
    project.seal()
    assert project.run() is not None
    (project.spec / "words.txt").write_text("other words\n", encoding="utf-8")
    project.run(status=1)
    assert ids(project) == ["E1107"]
    project.protoc("seal", project.spec, "--reason", "other words", status=1)
    assert ids(project) == ["E1117"]


def test_a_threshold_from_a_run_is_what_the_run_has(project: Project, tmp_path: Path) -> None:
    project.seal()
    run = project.run()
    assert run is not None
    accuracy = json.loads((run / "summary.json").read_text(encoding="utf-8"))["metrics"]
    name = next(name for name, value in accuracy.items() if isinstance(value, dict))
    receipt = hashlib.sha256((run / "receipt.json").read_bytes()).hexdigest()
    value = accuracy[name]["num"] / accuracy[name]["den"]
    assert value == round(value, 4)
    path = f"../../{run.relative_to(project.folder)}"
    line = f"before: {{run: {path}, metric: {name}, is: {value}, receipt: sha256:{receipt}}}"
    add(project, line, f"    says: It is above half of what it was (0.5).\n    is: {name} > 0.5 * freeze.before")
    project.seal("--reason", "a baseline")
    again = project.copy(tmp_path / "again")
    later = project.run("--rehearse", status=1)
    assert later is not None
    summary = json.loads((later / "summary.json").read_text(encoding="utf-8"))
    assert "above" in summary["checks"]
    assert f"of the run `{path}`" in next(project.folder.glob("generated/*/PROTOCOL.md")).read_text(encoding="utf-8")

    # each way in which the spec and the run differ
    for old, new in ((f"is: {value}", "is: 0.0625"), (f"metric: {name}", "metric: other"), (receipt, HEX)):
        text = project.protocol.read_text(encoding="utf-8")
        project.protocol.write_text(text.replace(old, new), encoding="utf-8")
        project.protoc("check", project.spec, status=1)
        assert ids(project) == ["E1118"]
        project.protocol.write_text(text, encoding="utf-8")

    # a rehearsal is no baseline
    rehearsed = hashlib.sha256((later / "receipt.json").read_bytes()).hexdigest()
    text = project.protocol.read_text(encoding="utf-8")
    other = f"../../{later.relative_to(project.folder)}"
    project.protocol.write_text(text.replace(path, other).replace(receipt, rehearsed), encoding="utf-8")
    project.protoc("check", project.spec, status=1)
    assert "it is a rehearsal, not a run of a sealed protocol" in project.err

    # without the bundle the spec can be read, but not sealed; a bundle that does not verify is no baseline
    bundle = again.folder / run.relative_to(project.folder)
    again.edit("protocol.yaml", "It is above half", "It is, again, above half")
    (bundle / "cases.jsonl").write_text("", encoding="utf-8")
    again.compile()
    again.protoc("seal", again.spec, "--reason", "words", status=1)
    assert ids(again) == ["E1118"]
    assert "it does not verify" in again.err
    bundle.rename(tmp_path / "elsewhere")
    again.compile()
    again.protoc("seal", again.spec, "--reason", "words", status=1)
    assert ids(again) == ["E1118"]
