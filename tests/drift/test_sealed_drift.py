"""A protocol that is loosened after its data was seen: the next seal and the next receipt tell it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from drift.overlay import BASE
from protoc_compiler.drift.classify import changes
from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.pinned import differences
from protoc_compiler.drift.reading import read
from protoc_runtime.seal_format import Pinned, PinnedInput, PinnedPackage, Pins

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "unit"))
from projects import Project, new_project


@pytest.fixture(scope="module")
def run_once(tmp_path_factory: pytest.TempPathFactory) -> Project:
    made = new_project(tmp_path_factory.mktemp("drift") / "study")
    made.seal()
    assert made.run() is not None
    return made


@pytest.fixture(scope="module")
def project(run_once: Project, tmp_path_factory: pytest.TempPathFactory) -> Project:
    return run_once.copy(tmp_path_factory.mktemp("changed") / "study")


def test_what_lets_more_pass_after_reading_is_in_the_next_receipt(project: Project) -> None:
    text = project.protocol.read_text(encoding="utf-8")
    gate = next(line for line in text.splitlines() if "must:" in line and ">=" in line)
    number = gate.rpartition(">= ")[2].rstrip("}").split(",")[0].strip()
    project.protocol.write_text(text.replace(number, "0.01"), encoding="utf-8")
    said = project.protoc("diff", "--no-proof", _old(project), project.spec, "--format", "json")
    (loosened,) = [change for change in json.loads(said)["changes"] if change["direction"] == "looser"]
    assert "W2706" in project.err
    assert json.loads(said)["seen"]
    project.seal("--reason", "too strict")
    (seal,) = [json.loads(line) for line in (project.spec / "seal.jsonl").read_text().splitlines()][-1:]
    drift = seal["predicate"]["drift"]
    assert drift["compared"]
    assert drift["seen"]
    assert [change["fingerprint"] for change in drift["changes"]] == [loosened["fingerprint"]]
    assert drift["changes"][0]["accepted"] is None
    bundle = project.run("--rehearse", status=1)
    assert bundle is not None
    page = (bundle / "RECEIPT.md").read_text(encoding="utf-8")
    assert "had been read" in page
    assert "accepted by nobody" in page


def _old(project: Project) -> Path:
    """The spec as the first run kept it."""
    return project.bundles()[0]


def test_recorded_runs_are_evaluated_under_the_new_protocol(project: Project, tmp_path: Path) -> None:
    run = _old(project)
    text = (run / "spec" / "protocol.yaml").read_text(encoding="utf-8")
    strict = tmp_path / "protocol.yaml"
    number = next(line for line in text.splitlines() if "must:" in line and ">=" in line).rpartition(">= ")[2]
    strict.write_text(text.replace(number.rstrip("}").split(",")[0].strip(), "1.00"), encoding="utf-8")
    said = json.loads(project.protoc("diff", "--no-proof", run, strict, "--replay", run, "--format", "json"))
    (found,) = said["replayed"]
    assert (found["old"], found["new"], found["error"]) == ("PASS", "FAIL", None)
    assert [flip.rpartition(" true")[2] for flip in found["flips"]] == [" -> false"]
    text = project.protoc("diff", "--no-proof", run, strict, "--replay", run)
    assert "PASS -> FAIL" in text


def test_recorded_runs_are_evaluated_also_where_no_meaning_has_changed(project: Project) -> None:
    run = _old(project)
    text = project.protoc("diff", run, run, "--replay", run)
    assert "No change of meaning." in text
    assert "Recorded runs under the new protocol:" in text
    assert f"{run}: PASS, as before" in text


def test_without_old_and_new_runs_are_evaluated_under_the_one_protocol_that_differs(
    run_once: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = run_once.copy(tmp_path / "study")
    run = _old(made)
    place = tmp_path / "desk"
    text = (run / "spec" / "protocol.yaml").read_text(encoding="utf-8")
    git = ["git", "-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false", "-C", str(place)]
    for name in ("one", "two"):
        (place / name).mkdir(parents=True)
        (place / name / "protocol.yaml").write_text(text, encoding="utf-8")
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "first"]):
        subprocess.run([*git, *words], check=True, capture_output=True, timeout=60)
    monkeypatch.chdir(place)
    made.protoc("diff", "--no-proof", "--replay", run, status=2)
    assert "none differs from HEAD" in made.err
    number = next(line for line in text.splitlines() if "must:" in line and ">=" in line).rpartition(">= ")[2]
    strict = text.replace(number.rstrip("}").split(",")[0].strip(), "1.00")
    (place / "one" / "protocol.yaml").write_text(strict, encoding="utf-8")
    kept = place / "runs" / "one" / "spec" / "protocol.yaml"  # what a run keeps is no protocol of the work tree
    kept.parent.mkdir(parents=True)
    kept.write_text(text, encoding="utf-8")
    assert "PASS -> FAIL" in made.protoc("diff", "--no-proof", "--replay", run)
    (place / "two" / "protocol.yaml").write_text(strict, encoding="utf-8")
    made.protoc("diff", "--no-proof", "--replay", run, status=2)
    assert "2 differ from HEAD: one/protocol.yaml, two/protocol.yaml" in made.err


def test_what_an_amendment_says_was_seen_is_held_against_the_registry(run_once: Project, tmp_path: Path) -> None:
    made = run_once.copy(tmp_path / "study")
    old = _old(made)
    made.edit("protocol.yaml", "At least 75% of all", "At least 60% of all")
    made.edit("protocol.yaml", "accuracy >= 75%", "accuracy >= 60%")
    made.protoc("diff", old, status=2)
    assert f"the run `{old}` alone has nothing to be compared with" in made.err
    made.protoc("diff", "--no-proof", old, made.spec)
    assert "W2706 loosened-after-reading 1 change lets more pass, after heldout had been read" in made.err
    assert "declare it as an amendment" in made.err
    amended = "  amendments:\n    later: {changes: [gates.accurate], why: too strict, seen: [dev]}\n"
    made.edit("protocol.yaml", "limits:\n", f"{amended}limits:\n")
    made.protoc("diff", "--no-proof", old, made.spec)
    assert "says that dev had been seen, and the registry knows readings of heldout" in made.err
    made.edit("protocol.yaml", "seen: [dev]", "seen: [heldout]")
    made.protoc("diff", "--no-proof", old, made.spec)
    assert ("W2706" in made.err, "declare it" in made.err, "W2707" in made.err) == (True, False, False)
    made.edit("protocol.yaml", "rate(right over cases)", "rate(right over cases where label == wanted)")
    made.protoc("diff", "--no-proof", old, made.spec)
    assert "W2706 loosened-after-reading 2 changes let more pass, or may, after heldout had been read" in made.err
    assert "; declare them as an amendment" in made.err


@pytest.mark.parametrize("accepted", [False, True], ids=["declared", "declared and accepted"])
def test_a_receipt_names_the_amendment_that_declares_a_loosening(
    run_once: Project, tmp_path: Path, accepted: bool
) -> None:
    made = run_once.copy(tmp_path / "study")
    made.edit("protocol.yaml", "At least 75% of all", "At least 60% of all")
    made.edit("protocol.yaml", "accuracy >= 75%", "accuracy >= 60%")
    made.edit("protocol.yaml", "At least 50% of the", "At least 40% of the")
    made.edit("protocol.yaml", ">= 50%", ">= 40%")
    amended = "  amendments:\n    later: {changes: [gates.accurate], why: too strict, seen: [heldout]}\n"
    made.edit("protocol.yaml", "limits:\n", f"{amended}limits:\n")
    if accepted:
        entries = made.protoc("diff", "--no-proof", _old(made), made.spec, "--accept")
        entries = entries.replace("reason:", "reason: agreed in May")
        (made.spec / "drift-accepted.yaml").write_text(entries, encoding="utf-8")
    made.seal("--reason", "too strict")
    bundle = made.run("--rehearse", status=1)
    assert bundle is not None
    page = (bundle / "RECEIPT.md").read_text(encoding="utf-8")
    first, second = (line for line in page.splitlines() if "GATE_THRESHOLD_LOWERED" in line)
    told = "accepted: agreed in May" if accepted else "accepted by nobody"
    assert first.endswith(f"; declared by the amendment `later`, {told}{'' if accepted else ' by its fingerprint'}")
    assert second.endswith(f"; {told}")


def test_another_file_under_a_new_seal_is_told(run_once: Project, tmp_path: Path) -> None:
    made = run_once.copy(tmp_path / "study")
    rows = made.spec / "messages.jsonl"
    made.edit(rows.name, "Lunch at one?", "Lunch at two?")
    code = made.spec / "subject.py"
    code.write_text(code.read_text(encoding="utf-8") + "\n# another\n", encoding="utf-8")
    made.seal("--reason", "another time of day")
    (run,) = made.bundles()
    for old, new in ((run, made.spec), (made.spec, run)):
        said = json.loads(made.protoc("diff", old, new, "--format", "json"))
        assert said["verdict"]["direction"] == "equivalent"
        found = {change["id"]: change for change in said["changes"]}
        assert set(found) == {"PINNED_INPUT_CHANGED", "PINNED_CODE_CHANGED"}
        assert {change["direction"] for change in found.values()} == {"incomparable"}
        assert rows.name in found["PINNED_INPUT_CHANGED"]["path"]
    assert json.loads(made.protoc("diff", made.spec, made.spec, "--format", "json"))["changes"] == []


def test_files_that_only_one_seal_pins() -> None:
    def sealed(inputs: tuple[str, ...], code: tuple[str, ...], content: str = "b" * 64) -> Pins:
        digest = "a" * 64 if content == "b" * 64 else "c" * 64
        files = tuple(PinnedInput(name, digest, 9, "cases", 3, "b" * 64, "") for name in inputs)
        package = PinnedPackage("study_v1", "a" * 64, {})
        own = tuple(Pinned(name, "a" * 64, 9) for name in code)
        return Pins("study", 1, "sha256:" + "a" * 64, Pinned("protocol.yaml", "a" * 64, 9), package, files, own, ())

    def told(old: Pins, new: Pins) -> set[str]:
        made = differences(old, new)
        return {f"{change.id} {change.direction}" for delta in made for change in changes(delta, context)}

    protocol = read(str(BASE), "base.yaml", BASE.read_bytes()).protocol
    context = Context(protocol, protocol, ())
    few, many = sealed(("a.jsonl",), ("one.py",)), sealed(("a.jsonl", "b.jsonl"), ("one.py", "two.py"))
    assert told(few, many) == {"PINNED_INPUT_ADDED incomparable", "PINNED_CODE_ADDED stricter"}
    assert told(many, few) == {"PINNED_INPUT_REMOVED incomparable", "PINNED_CODE_REMOVED looser"}
    assert told(few, sealed(("a.jsonl",), ("one.py",), "laid out otherwise")) == {"PINNED_INPUT_CHANGED equivalent"}
    assert told(few, few) == set()
