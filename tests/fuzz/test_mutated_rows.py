"""Rows and bundles with a few bytes or lines changed: taken or refused, never a failure of the tool."""

from __future__ import annotations

import csv
import io
import json
import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fuzz.mutating import LONG, edits, in_time, mutated, well_behaved
from protoc_runtime.bundle import in_order, manifest, pretty
from protoc_runtime.canonical import digest_file
from protoc_runtime.main import run_package
from protoc_runtime.rendering import render
from unit.projects import Project, new_project, read_json, read_lines

CASES = [*(f"d{n}" for n in range(1, 7)), *(f"h{n}" for n in range(1, 9))]
ANSWERS = "".join(json.dumps({"case": case, "answer": "wanted"}) + "\n" for case in CASES)
RULES = settings(
    deadline=None,
    derandomize=not LONG,
    database=None,
    max_examples=3000 if LONG else 100,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A protocol with columns of every type, sealed and run; its rows, answers and bundle are what is mutated."""
    made = new_project(tmp_path_factory.mktemp("base") / "project")
    made.edit(
        "protocol.yaml",
        "text: text, label: [wanted, unwanted]}",
        "text: text, label: [wanted, unwanted], size: int?, score: decimal?, spent: s?, at: time?, day: date?, "
        "sha: digest?, tags: set of text?, seen: list of int?, extra: any?, parts: {name: text, n: int}}",
    )
    rows = [row | EVERY for row in read_lines(made.spec / "messages.jsonl")]
    (made.spec / "messages.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    made.seal()
    made.run()
    return made


EVERY = {
    "size": 3, "score": 0.125, "spent": 1.5, "at": "2026-08-10T12:30:00Z", "day": "2026-08-10", "sha": "a" * 40,
    "tags": ["a", "b"], "seen": [1, 2], "extra": {"x": [1, None, "y"]}, "parts": [{"name": "p", "n": 1}],
}  # fmt: skip


def score(project: Project, files: dict[str, bytes]) -> int:
    """Score these files with the generated package; any exception is a defect."""
    package = project.folder / "generated" / "spam_filter_v1"
    with tempfile.TemporaryDirectory() as folder, in_time():
        for name, data in files.items():
            (Path(folder) / name).write_bytes(data)
        return run_package(package, ["score", "--data", folder])


@RULES
@given(edits(), edits(), st.booleans())
def test_mutated_lines_are_scored_or_refused(project, changes, others, both):
    rows = (project.spec / "messages.jsonl").read_bytes()
    answers = mutated(ANSWERS.encode(), others) if both else ANSWERS.encode()
    assert score(project, {"messages.jsonl": mutated(rows, changes), "answers.jsonl": answers}) in (0, 1)


@RULES
@given(edits())
def test_mutated_csv_is_scored_or_refused(project, changes):
    out = io.StringIO()
    writer = csv.writer(out)
    rows = read_lines(project.spec / "messages.jsonl")
    writer.writerow(rows[0])
    writer.writerows([[v if isinstance(v, str) else json.dumps(v) for v in row.values()] for row in rows])
    files = {"messages.csv": mutated(out.getvalue().encode(), changes), "answers.jsonl": ANSWERS.encode()}
    assert score(project, files) in (0, 1)


def bundle_files(project: Project) -> list[str]:
    bundle = project.bundles()[0]
    return sorted(path.relative_to(bundle).as_posix() for path in bundle.rglob("*") if path.is_file())


@settings(RULES, max_examples=500 if LONG else 30)
@given(st.integers(0, 10**6), edits(), st.booleans())
def test_a_mutated_bundle_is_verified_or_refused(project, chosen, changes, close_again):
    """Half of them with manifest, receipt and page made anew, so that the checks behind the digests are reached."""
    names = bundle_files(project)
    name = names[chosen % len(names)]
    with tempfile.TemporaryDirectory() as folder:
        bundle = Path(folder) / "bundle"
        shutil.copytree(project.bundles()[0], bundle)
        before = (bundle / name).read_bytes()
        after = mutated(before, changes)
        (bundle / name).write_bytes(after)
        if close_again and name not in ("manifest.json", "receipt.json", "RECEIPT.md"):
            (bundle / "manifest.json").write_bytes(pretty(manifest(bundle)))
            receipt = read_json(bundle / "receipt.json")
            digest = digest_file(bundle / "manifest.json")
            receipt["predicate"]["manifest"] = receipt["subject"][0]["digest"]["sha256"] = digest
            (bundle / "receipt.json").write_bytes(in_order(receipt))
            (bundle / "RECEIPT.md").write_text(render(receipt["predicate"]))
        status = well_behaved("verify", bundle, "--workspace", project.folder)
        assert status == (0 if before == after else 1)
        well_behaved("why", bundle, "h5")


@settings(RULES, max_examples=500 if LONG else 30)
@given(edits())
def test_a_mutated_registry_or_seal_is_read_or_refused(project, changes):
    with tempfile.TemporaryDirectory() as folder:
        copy = project.copy(Path(folder) / "copy")
        registry, seals = copy.folder / "registry.jsonl", copy.spec / "seal.jsonl"
        registry.write_bytes(mutated(registry.read_bytes(), changes))
        well_behaved("splits", "--check", "--workspace", copy.folder)
        well_behaved("run", copy.spec)
        seals.write_bytes(mutated(seals.read_bytes(), changes))
        well_behaved("run", copy.spec)
        assert well_behaved("seal", copy.spec, "--reason", "mutated") in (0, 1, 2)
