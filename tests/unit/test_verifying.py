"""Nothing in a bundle can be changed without `verify` naming it; what it cannot see, it says."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from protoc_runtime.bundle import in_order, pretty
from protoc_runtime.canonical import digest_file
from protoc_runtime.telling import told_why
from protoc_runtime.why import Difference, Why
from unit.projects import Project, ids, new_project, read_json, read_lines


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Project:
    project = new_project(tmp_path_factory.mktemp("base") / "project")
    project.seal()
    project.run()
    return project


@pytest.fixture
def project(base: Project, tmp_path: Path) -> Project:
    return base.copy(tmp_path / "project")


@pytest.fixture
def bundle(project: Project) -> Path:
    return project.bundles()[0]


def linked(path: Path) -> None:
    """Put the same bytes elsewhere, and a link to them in their place."""
    elsewhere = path.parents[2] / f"elsewhere-{path.name}"
    path.rename(elsewhere)
    path.symlink_to(elsewhere)


def verify(project: Project, bundle: Path) -> list[str]:
    """The ids of what does not hold, in the order in which it was told."""
    project.protoc("verify", bundle, status=1)
    return ids(project)


def rewrite(bundle: Path, name: str, change) -> None:
    """Change a JSON file of a bundle."""
    path = bundle / name
    value = read_json(path)
    change(value)
    path.write_bytes(pretty(value))


def close_again(bundle: Path) -> None:
    """Make manifest and receipt fit what is there, as somebody would who writes every file anew."""
    from protoc_runtime.bundle import manifest
    from protoc_runtime.rendering import render

    (bundle / "manifest.json").write_bytes(pretty(manifest(bundle)))
    digest = digest_file(bundle / "manifest.json")
    receipt = read_json(bundle / "receipt.json")
    receipt["predicate"]["manifest"] = receipt["subject"][0]["digest"]["sha256"] = digest
    (bundle / "receipt.json").write_bytes(in_order(receipt))
    (bundle / "RECEIPT.md").write_text(render(receipt["predicate"]))


def test_a_bundle_holds_wherever_it_is(project, bundle, tmp_path):
    said = project.protoc("verify", bundle)
    assert "verdict PASS, 8 cases" in said
    assert "N1413" in project.err
    away = tmp_path / "away"
    shutil.copytree(bundle, away)
    project.protoc("verify", away)
    assert "no registry here holds its digest" in project.err
    alone = subprocess.run([sys.executable, "-I", "-B", "verify.py"], cwd=away, capture_output=True, text=True)
    assert alone.returncode == 0, alone.stdout
    project.protoc("verify", away)


def test_every_file_with_one_byte_more_is_named(project, bundle, tmp_path):
    names = [path.relative_to(bundle).as_posix() for path in bundle.rglob("*") if path.is_file()]
    assert len(names) > 20
    for number, name in enumerate(sorted(set(names) - {"manifest.json", "receipt.json", "RECEIPT.md"})):
        if number % 4 and name.startswith("package/"):
            continue
        copy = tmp_path / str(number)
        shutil.copytree(bundle, copy)
        with (copy / name).open("ab") as file:
            file.write(b"\n")
        found = verify(project, copy)
        assert found[0] in ("E1402", "E1401"), name
        assert name in project.err


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda b: (b / "rows" / "cases.jsonl").unlink(), "E1403"),
        (lambda b: (b / "notes.txt").write_text("x"), "E1404"),
        (lambda b: (b / "logs" / "link").symlink_to("/etc/passwd"), "E1404"),
        (lambda b: linked(b / "receipt.json"), "E1405"),
        (lambda b: linked(b / "manifest.json"), "E1405"),
        (lambda b: linked(b / "RECEIPT.md"), "E1405"),
        (lambda b: (b / "logs" / "subject-1.log").rename(b / "logs" / "subject-9.log"), "E1403"),
        (lambda b: (b / "receipt.json").unlink(), "E1401"),
        (lambda b: (b / "receipt.json").write_text("[]"), "E1401"),
        (lambda b: rewrite(b, "receipt.json", lambda r: r["predicate"].update(verdict="FAIL")), "E1405"),
        (lambda b: (b / "RECEIPT.md").write_text((b / "RECEIPT.md").read_text().replace("87", "88") + "x"), "E1406"),
    ],
)
def test_a_change_is_named_by_its_kind(project, bundle, change, expected):
    change(bundle)
    assert verify(project, bundle)[0] == expected


def truncated(path: Path) -> None:
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:-1]))


def test_a_ledger_without_its_last_line_does_not_fit_the_receipt(project, bundle):
    truncated(bundle / "ledger.jsonl")
    close_again(bundle)
    found = verify(project, bundle)
    assert found[0] == "E1405"
    assert "the ledger's length" in project.err


def test_a_ledger_with_a_line_changed_is_broken(project, bundle):
    path = bundle / "ledger.jsonl"
    path.write_text(path.read_text().replace('"scored"', '"failed"', 1))
    close_again(bundle)
    assert "E1501" in verify(project, bundle)


def test_a_changed_answer_is_recomputed_by_both(project, bundle):
    path = bundle / "rows" / "answers.jsonl"
    path.write_text(path.read_text().replace("unwanted", "wanted", 1))
    close_again(bundle)
    assert set(verify(project, bundle)) == {"E1409"}
    assert "metrics.accuracy" in project.err
    alone = subprocess.run([sys.executable, "-I", "-B", "verify.py"], cwd=bundle, capture_output=True, text=True)
    assert alone.returncode == 1
    assert "accuracy" in alone.stdout + alone.stderr


def test_changed_results_are_recomputed(project, bundle):
    def better(summary):
        summary["metrics"]["accuracy"] = {"num": 8, "den": 8}

    rewrite(bundle, "summary.json", better)
    close_again(bundle)
    found = verify(project, bundle)
    assert found[0] == "E1405"
    assert "E1409" in found


def test_another_rule_in_the_package_does_not_fit_the_seal(project, bundle):
    path = bundle / "package" / "rules.py"
    path.write_text(path.read_text() + "\n# easier\n")
    close_again(bundle)
    assert "E1408" in verify(project, bundle)


def test_another_protocol_is_no_longer_the_sealed_one(project, bundle):
    path = bundle / "package" / "protocol.json"
    path.write_text(path.read_text().replace("Spam filter", "Spam filters", 1))
    close_again(bundle)
    found = verify(project, bundle)
    assert "E1407" in found
    assert "E1408" in found


def test_another_seal_is_not_that_of_the_chain(project, bundle):
    statement = json.loads((bundle / "seal.json").read_bytes())
    statement["predicate"]["time"] = "2020-01-01T00:00:00.000000Z"
    from protoc_runtime.canonical import dumps

    (bundle / "seal.json").write_bytes(dumps(statement) + b"\n")
    close_again(bundle)
    assert "E1408" in verify(project, bundle)


def test_a_run_before_its_seal_is_told(project, bundle):
    statement = json.loads((bundle / "seal.json").read_bytes())
    statement["predicate"]["time"] = "2990-01-01T00:00:00.000000Z"
    from protoc_runtime.canonical import dumps

    (bundle / "seal.json").write_bytes(dumps(statement) + b"\n")
    close_again(bundle)
    assert "E1414" in verify(project, bundle)


def given_away(bundle: Path) -> Path:
    """The bundle as a stranger gets it, outside of its workspace."""
    return Path(shutil.copytree(bundle, bundle.parents[3] / "elsewhere" / bundle.name))


def test_a_bundle_that_was_rewritten_as_a_whole_is_known_by_the_registry(project, bundle):
    rewrite(bundle, "receipt.json", lambda receipt: receipt["predicate"]["environment"].update(python="4"))
    close_again(bundle)
    assert verify(project, bundle) == ["E1411"]
    (project.folder / "registry.jsonl").unlink()
    assert verify(project, bundle) == ["E2305"], "the registry was deleted"
    project.protoc("verify", given_away(bundle))
    assert "not against its own author, and no registry here holds its digest" in project.err


def test_a_registry_that_does_not_know_the_run_is_told(project, bundle):
    lines = (project.folder / "registry.jsonl").read_text().splitlines(keepends=True)
    (project.folder / "registry.jsonl").write_text(lines[0])
    assert verify(project, bundle) == ["E1411"]
    assert "not closed" in project.err


def test_a_folder_that_is_no_run_is_refused(project):
    assert verify(project, project.spec) == ["E1401"]
    unfinished = project.folder / "a.unfinished"
    unfinished.mkdir()
    assert verify(project, unfinished) == ["E1401"]
    assert "--resume" in project.err
    project.protoc("verify", project.folder / "nothing", status=2)


def test_why_shows_what_a_case_made_a_difference_to(project, bundle):
    said = project.protoc("why", bundle, "h5")
    assert "case h5: scored" in said
    assert "right: false" in said
    assert "metrics accuracy: 7/8 = 0.8750, without it 7/7 = 1.0000" in said
    assert "lists wrong: h5, without it (none)" in said
    assert "gates accurate" in said.partition("the same without it: ")[2]


def test_why_tells_what_was_decided_before_the_numbers(project, bundle):
    said = project.protoc("why", bundle, "h5")
    places = [said.index(words) for words in ("case h5: scored", "answers: 1 row", "lists wrong", "metrics accuracy")]
    assert places == sorted(places)


def test_why_is_short_where_a_case_entered_many_numbers():
    half, all_ = {"num": 1, "den": 2}, {"num": 1, "den": 1}
    numbers = [Difference("metrics", f"rate{n}", half, all_) for n in range(9)]
    listed = Difference("lists", "wrong", [f"c{n}" for n in range(9)], [f"c{n}" for n in range(1, 9)])
    found = Why("run", {"case": "c0", "outcome": "scored"}, {}, (listed, *numbers), (("metrics", "other"),))
    lines = told_why(found).splitlines()
    assert lines[2] == "  lists wrong: of 9: only c0 with it"
    assert lines[3].startswith("  9 metrics: rate0 1/2 (without it 1); rate1")
    assert lines[-1] == "the same without it: 1 metric"
    assert len(lines) < 9


def test_why_does_not_know_every_case(project, bundle):
    project.protoc("why", bundle, "h55", status=1)
    assert ids(project) == ["E1412"]
    assert "did you mean h5?" in project.err
    project.protoc("why", project.folder / "nothing", "h5", status=2)


def test_runs_are_listed(project, bundle):
    project.protoc("run", project.spec, "--rehearse", status=1)
    said = project.protoc("runs", "--workspace", project.folder)
    assert f"run          PASS       runs/spam_filter_v1/{bundle.name}" in said
    assert "rehearsal    FAIL       rehearsals/spam_filter_v1/" in said, "of rows that are made up"
    assert len(read_lines(project.folder / "registry.jsonl")) == 2
