"""A real bundle, changed in every way that somebody with a text editor has: both verifiers say what they see.

`protoc verify` and the bundle's own `verify.py` each end with 1 and name the file. What one of them cannot see it
says: an unsigned receipt does not protect against its own author, except where a registry holds its digest.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from protoc_runtime import bundle as names
from protoc_runtime.bundle import in_order, manifest, pretty
from protoc_runtime.canonical import digest_bytes, digest_file, dumps
from protoc_runtime.chain import GENESIS, Merkle, decode, encode
from protoc_runtime.rendering import render
from unit.projects import Project, ids, new_project, read_json, read_lines

BLIND = {"RECEIPT.md"}  # what verify.py says that it cannot tell; a form of receipt.json that it cannot know


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Project:
    project = new_project(tmp_path_factory.mktemp("base") / "project")
    project.seal()
    project.run()
    return project


@pytest.fixture
def project(base: Project, tmp_path: Path) -> Project:
    return base.copy(tmp_path / "project")


def bundle_of(project: Project) -> Path:
    (bundle,) = project.bundles()
    return bundle


def alone(bundle: Path) -> subprocess.CompletedProcess[str]:
    """The bundle's own verifier, as a stranger runs it."""
    return subprocess.run(
        [sys.executable, "-I", "-B", "verify.py"], cwd=bundle, capture_output=True, text=True, timeout=60
    )


def expect_both_name(project: Project, bundle: Path, *words: str) -> None:
    """Both verifiers refuse the bundle and name the file (any of the words)."""
    project.protoc("verify", bundle, status=1)
    assert any(word in project.err for word in words), f"{words}\n{project.err}"
    assert "Traceback" not in project.err
    assert "internal failure" not in project.err
    if (bundle / "verify.py").is_file():
        done = alone(bundle)
        assert done.returncode != 0, done.stdout
        assert "the bundle holds" not in done.stdout
        told = done.stdout + done.stderr
        assert any(word in told for word in words) or words[0] == "verify.py", f"{words}\n{told}"


def files() -> list[str]:
    """The files of a bundle of the template, by their paths; the test below shows that there are no others."""
    schemas = [f"package/schemas/{name}.json" for name in ("answers", "cases", "summary")]
    package = ["__init__.py", "models.py", "rules.py", "runner.py", "verify.py", "protocol.json", "PROTOCOL.md"]
    return sorted(
        [
            *(
                "RECEIPT.md",
                "receipt.json",
                "manifest.json",
                "summary.json",
                "cases.jsonl",
                "ledger.jsonl",
                "seal.json",
            ),
            *("seal.json", "digests.json", "verify.py", "rows/cases.jsonl", "rows/answers.jsonl", "spec/protocol.yaml"),
            *("spec/seal.jsonl", "logs/subject-1.log", "logs/subject-2.log", "package/package.json"),
            *(f"package/{name}" for name in package),
            *schemas,
        ]
    )


def test_these_are_all_files_of_a_bundle(project):
    bundle = bundle_of(project)
    there = {path.relative_to(bundle).as_posix() for path in bundle.rglob("*") if path.is_file()}
    assert there == set(files())


@pytest.mark.parametrize("name", files())
def test_one_byte_edited_in_a_file_is_found(project, name):
    bundle = bundle_of(project)
    data = bytearray((bundle / name).read_bytes())
    if not data:
        data += b"x"
    else:
        place = len(data) // 2
        while data[place] in b'"{}[]\\\n, ':  # a byte of a word or number
            place += 1
        data[place] ^= 1
    (bundle / name).write_bytes(bytes(data))
    project.protoc("verify", bundle, status=1)
    assert name in project.err or (name == "receipt.json" and "receipt" in project.err), project.err
    if name == "verify.py":
        return  # what it says about itself is worth nothing
    done = alone(bundle)
    if name in BLIND:
        assert done.returncode == 0
        assert f"cannot tell: the words of {name}" in done.stdout
    elif name == "receipt.json":
        assert done.returncode != 0 or "what only receipt.json says" in done.stdout
    else:
        assert done.returncode == 1
        assert name in done.stdout


@pytest.mark.parametrize("name", files())
def test_a_file_that_was_removed_is_found(project, name):
    bundle = bundle_of(project)
    (bundle / name).unlink()
    project.protoc("verify", bundle, status=1)
    assert name in project.err
    if name != "verify.py":
        done = alone(bundle)
        assert (done.returncode, name in done.stdout) == ((0, True) if name in BLIND else (1, True)), done.stdout


@pytest.mark.parametrize("name", files())
def test_a_file_that_was_cut_off_is_found(project, name):
    bundle = bundle_of(project)
    data = (bundle / name).read_bytes()
    if not data:
        pytest.skip("an empty log cannot be cut off")
    (bundle / name).write_bytes(data[:-2])
    project.protoc("verify", bundle, status=1)
    assert name in project.err or (name in ("receipt.json", "summary.json") and "receipt or summary" in project.err)
    if name not in ("verify.py", *BLIND):
        done = alone(bundle)
        assert (done.returncode, name in done.stdout) == (1, True), done.stdout


@pytest.mark.parametrize("name", ["notes.txt", "rows/more.jsonl", "package/__pycache__/rules.pyc", ".hidden"])
def test_a_file_that_was_added_is_found(project, name):
    bundle = bundle_of(project)
    (bundle / name).parent.mkdir(exist_ok=True)
    (bundle / name).write_text("")
    expect_both_name(project, bundle, name)


@pytest.mark.parametrize("name", ["rows/cases.jsonl", "ledger.jsonl", "logs/subject-1.log", "package/rules.py"])
def test_a_file_that_was_renamed_is_found(project, name):
    bundle = bundle_of(project)
    (bundle / name).rename(bundle / f"{name}.old")
    expect_both_name(project, bundle, name)


def test_a_link_in_the_place_of_a_file_is_found(project, tmp_path):
    bundle = bundle_of(project)
    shutil.move(bundle / "rows" / "cases.jsonl", tmp_path / "elsewhere.jsonl")
    (bundle / "rows" / "cases.jsonl").symlink_to(tmp_path / "elsewhere.jsonl")
    expect_both_name(project, bundle, "rows/cases.jsonl")


@pytest.mark.parametrize("name", ["rows/cases.jsonl", "seal.json", "ledger.jsonl", "receipt.json", "RECEIPT.md"])
def test_a_pipe_in_the_place_of_a_file_is_found_and_holds_nobody_up(project, name):
    bundle = bundle_of(project)
    (bundle / name).unlink()
    os.mkfifo(bundle / name)
    if name in BLIND:
        project.protoc("verify", bundle, status=1)
        assert name in project.err
    else:
        expect_both_name(project, bundle, name)


@pytest.mark.parametrize("table", ["cases", "answers"])
def test_two_rows_swapped_are_found(project, table):
    bundle = bundle_of(project)
    path = bundle / "rows" / f"{table}.jsonl"
    first, second, *others = path.read_text().splitlines(keepends=True)
    path.write_text("".join([second, first, *others]))
    expect_both_name(project, bundle, f"rows/{table}.jsonl")


# --- changes by somebody who makes everything else fit them ---------------------------------------------------


def close_again(bundle: Path) -> None:
    """Manifest, receipt and its rendering made anew for what is in the folder."""
    (bundle / names.MANIFEST).write_bytes(pretty(manifest(bundle)))
    digest = digest_file(bundle / names.MANIFEST)
    receipt = read_json(bundle / names.RECEIPT)
    receipt["predicate"]["manifest"] = receipt["subject"][0]["digest"]["sha256"] = digest
    (bundle / names.RECEIPT).write_bytes(in_order(receipt))
    (bundle / names.RENDERING).write_text(render(receipt["predicate"]))


def rewrite_ledger(bundle: Path, change: Callable[[list[dict]], None]) -> None:
    """Change events and chain all of them anew, and let the receipt name the new end."""
    events = read_lines(bundle / names.LEDGER)
    change(events)
    lines, head, tree = [], GENESIS, Merkle()
    for number, event in enumerate(events, 1):
        lines.append(dumps({**event, "seq": number, "prev": head}))
        head = digest_bytes(lines[-1])
        tree.add(lines[-1])
    (bundle / names.LEDGER).write_bytes(b"".join(line + b"\n" for line in lines))
    receipt = read_json(bundle / names.RECEIPT)
    receipt["predicate"]["ledger"] = {"length": len(lines), "head": head, "root": tree.root()}
    (bundle / names.RECEIPT).write_bytes(in_order(receipt))


def later(events: list[dict]) -> None:
    """One microsecond in the time of one event."""
    at = events[3]["body"]["at"]
    events[3]["body"]["at"] = at[:-2] + ("8Z" if at[-2] == "9" else "9Z")


def given_away(bundle: Path) -> Path:
    """The bundle as a stranger gets it, outside of its workspace."""
    return Path(shutil.copytree(bundle, bundle.parents[3] / "elsewhere" / bundle.name))


def test_a_ledger_rewritten_as_a_whole_is_known_by_the_registry_and_open_without_one(project):
    bundle = bundle_of(project)
    rewrite_ledger(bundle, later)
    close_again(bundle)
    project.protoc("verify", bundle, status=1)
    assert ids(project) == ["E1411"]
    (project.folder / "registry.jsonl").unlink()
    project.protoc("verify", bundle, status=1)
    assert ids(project) == ["E2305"]
    project.protoc("verify", given_away(bundle))
    assert "not against its own author, and no registry here holds its digest" in project.err
    done = alone(bundle)
    assert done.returncode == 0
    assert "who could have written every file of this folder anew" in done.stdout


def test_a_ledger_rewritten_without_its_receipt_is_found_by_both(project):
    bundle = bundle_of(project)
    receipt = (bundle / names.RECEIPT).read_bytes()
    rewrite_ledger(bundle, later)
    (bundle / names.RECEIPT).write_bytes(receipt)
    expect_both_name(project, bundle, "ledger.jsonl")
    close_again(bundle)
    expect_both_name(project, bundle, "ledger")


def test_a_ledger_without_a_case_does_not_fit_the_cases(project):
    bundle = bundle_of(project)

    def without(events: list[dict]) -> None:
        place = next(n for n, event in enumerate(events) if event["kind"] == "case_finished")
        del events[place]

    rewrite_ledger(bundle, without)
    close_again(bundle)
    project.protoc("verify", bundle, status=1)
    assert "E1405" in ids(project)
    assert "the outcome of case" in project.err


def test_an_answer_that_was_improved_contradicts_the_ledger_also_where_all_else_fits(project):
    """Rows, results, cases, manifest and receipt are made anew for a better answer; the ledger holds the true one."""
    bundle = bundle_of(project)
    path = bundle / "rows" / "answers.jsonl"
    rows = [row | ({"answer": "unwanted"} if row["case"] == "h5" else {}) for row in read_lines(path)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    cases = (bundle / names.CASES).read_text().splitlines(keepends=True)
    cases[4] = cases[4].replace('"wanted"', '"unwanted"')
    (bundle / names.CASES).write_text("".join(cases))
    scored = json.loads(project.protoc("score", project.spec, "--data", bundle / "rows", "--format", "json"))
    summary = read_json(bundle / names.SUMMARY)
    for part in ("metrics", "lists", "gates", "blockers", "verdict", "reasons"):
        if part in summary:
            summary[part] = scored[part]
    (bundle / names.SUMMARY).write_bytes(in_order(summary))
    receipt = read_json(bundle / names.RECEIPT)
    for part in receipt["predicate"]["results"]:
        receipt["predicate"]["results"][part] = summary[part]
    (bundle / names.RECEIPT).write_bytes(in_order(receipt))
    close_again(bundle)
    (project.folder / "registry.jsonl").unlink()
    project.protoc("verify", bundle, status=1)
    assert set(ids(project)) == {"E1416"}
    for name in ("rows/answers.jsonl", "cases.jsonl", "summary.json"):
        assert f"{name} is not what the ledger gives" in project.err
    assert 'line 5, answer: "unwanted", the ledger gives "wanted"' in project.err
    assert 'line 5 (case h5), row: answer: "unwanted", the ledger gives "wanted"' in project.err


@pytest.mark.parametrize(
    ("change", "word"),
    [
        (lambda r: r["predicate"]["environment"].update(python="4"), ""),
        (lambda r: r["predicate"].update(limits=[]), ""),
        (lambda r: r["predicate"].update(readings=[]), ""),
        (lambda r: r["predicate"]["claims"].pop(), ""),
    ],
)
def test_a_receipt_made_again_is_known_by_the_registry_and_open_without_one(project, change, word):
    bundle = bundle_of(project)
    receipt = read_json(bundle / names.RECEIPT)
    change(receipt)
    (bundle / names.RECEIPT).write_bytes(in_order(receipt))
    close_again(bundle)
    project.protoc("verify", bundle, status=1)
    assert ids(project) == ["E1411"]
    (project.folder / "registry.jsonl").unlink()
    project.protoc("verify", given_away(bundle))
    assert "N1413" in project.err
    done = alone(bundle)
    assert done.returncode == 0
    assert "what only receipt.json says (claims, readings, limits)" in done.stdout


def test_a_receipt_in_another_form_is_found_also_without_a_registry(project):
    bundle = bundle_of(project)
    path = bundle / names.RECEIPT
    path.write_text(json.dumps(read_json(path)))
    (project.folder / "registry.jsonl").unlink()
    project.protoc("verify", bundle, status=1)
    assert "the form of receipt.json" in project.err


def test_a_verifier_that_always_agrees_is_found_and_not_run(project, tmp_path):
    bundle = bundle_of(project)
    spy = tmp_path / "was-run"
    (bundle / "verify.py").write_text(f"open({str(spy)!r}, 'w')\nprint('the bundle holds')\n")
    project.protoc("verify", bundle, status=1)
    close_again(bundle)
    (project.folder / "registry.jsonl").unlink()
    project.protoc("verify", bundle, status=1)
    assert ids(project) == ["E1408"]
    assert "verify.py is not that of the package" in project.err
    assert not spy.exists()


@pytest.mark.parametrize("name", ["rules.py", "__init__.py", "models.py"])
def test_a_package_that_was_changed_is_found_and_not_run(project, tmp_path, name):
    bundle = bundle_of(project)
    spy = tmp_path / "was-run"
    path = bundle / "package" / name
    path.write_text(path.read_text() + f"\nopen({str(spy)!r}, 'w')\n")
    close_again(bundle)
    (project.folder / "registry.jsonl").unlink()
    project.protoc("verify", bundle, status=1)
    assert "E1408" in ids(project)
    assert "N1415" in project.err
    assert not spy.exists()


def test_a_registry_in_which_a_line_was_changed_is_told_itself(project):
    registry = project.folder / "registry.jsonl"
    *lines, end = registry.read_bytes().splitlines(keepends=True)
    registry.write_bytes(b"".join([*lines, end.replace(b'"PASS"', b'"FAIL"')]))
    project.protoc("verify", bundle_of(project), status=1)
    assert "E1303" in ids(project)
    line = decode(end.strip())
    body = {name: value for name, value in line.body.items() if name != "sum"} | {"verdict": "FAIL"}
    registry.write_bytes(b"".join([*lines, encode(line.seq, line.prev, line.kind, body) + b"\n"]))
    project.protoc("verify", bundle_of(project), status=1)
    assert "E1411" in ids(project)
    registry.write_text(registry.read_text().replace('"heldout"', '"heldouT"', 1))
    project.protoc("verify", bundle_of(project), status=1)
    assert "E1303" in ids(project)
