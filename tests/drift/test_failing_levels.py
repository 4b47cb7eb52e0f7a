"""`--fail-on` leaves no level of a report out: a change, a rule alone, the verdict as a whole, a recorded run."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from protoc_compiler.drift import seen, show
from protoc_compiler.drift.accepted import Entry
from protoc_compiler.drift.failing import failing, told
from protoc_compiler.drift.model import Change, Direction, Effect, Report, Version
from protoc_runtime.diagnostics import Findings, Span
from protoc_runtime.record import replace

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "unit"))
from projects import Project, new_project


@pytest.fixture(scope="module")
def run_once(tmp_path_factory: pytest.TempPathFactory) -> Project:
    made = new_project(tmp_path_factory.mktemp("levels") / "study")
    made.seal()
    assert made.run() is not None
    return made


@pytest.fixture(scope="module")
def failed(run_once: Project, tmp_path_factory: pytest.TempPathFactory) -> tuple[Project, Path, Path]:
    """A project, a run of it that is not released, and a protocol under which its rows would be."""
    folder = tmp_path_factory.mktemp("failed")
    made = run_once.copy(folder / "study")
    text = made.protocol.read_text(encoding="utf-8")
    made.protocol.write_text(_limit(text, "1.00"), encoding="utf-8")
    made.seal("--reason", "too easy")
    run = made.run("--rehearse", status=1)
    assert run is not None
    lower = folder / "lower" / "protocol.yaml"
    lower.parent.mkdir()
    lower.write_text(text.replace("released: [PASS]", "released: [PASS, FAIL]"), encoding="utf-8")
    return made, run, lower


SIDE = Version("p.yaml", "p", 1, "sha256:" + "0" * 64)
RUN = {"run": "runs/a", "old": "FAIL", "recorded": None, "new": "PASS", "flips": [], "error": None, "gained": True}


def _change(mark: str, way: Direction) -> Change:
    return Change("GATE_REWRITTEN", "gates.x", way, None, None, "x", mark * 16, "GATE", "expr", "x")


def _entry(mark: str) -> Entry:
    return Entry(mark * 16, "agreed", "", "", Span("f", 1, 1, 1, 1))


def _report(
    *ways: Direction, verdict: Direction = "equivalent", rule: Direction = "equivalent", makers: str = ""
) -> Report:
    made = tuple(_change(mark, way) for mark, way in zip("abc", ways, strict=False))
    effect = Effect("gates.x", rule, "witness", makers=frozenset(mark * 16 for mark in makers))
    return Report(SIDE, SIDE, made, (effect,), Effect("verdict", verdict, "witness"))


RISKY: tuple[Direction, ...] = ("looser", "incomparable", "undecided")


@pytest.mark.parametrize("way", RISKY)
@pytest.mark.parametrize("said", ["equivalent", "text", "stricter"])
def test_what_a_change_does_not_tell_fails_by_the_other_levels(way: Direction, said: Direction) -> None:
    whole, alone = _report(said, verdict=way), _report(said, rule=way, makers="a")
    ran = replace(_report(said), replayed=(RUN,))
    assert [failing(one, (), "looser").fails for one in (whole, alone, ran)] == [True, True, True]
    assert failing(whole, (), "looser").whole
    assert failing(alone, (), "looser").rules == ("gates.x",)
    assert failing(ran, (), "looser").runs == ("runs/a",)
    for one in (whole, alone, ran):
        assert not failing(one, (_entry("a"),), "looser").found  # the change that makes it is accepted
        assert failing(one, (_entry("b"),), "looser").found
        document = json.loads(show.render([(one, ())], "json", level="looser"))["fail_on"]
        assert document["fails"]
        assert document["verdict"] or document["rules"] or document["runs"]
        for form in ("text", "markdown"):
            assert "Fails --fail-on looser: " in show.render([(one, ())], form, level="looser")
        assert "::error title=" in show.render([(one, ())], "github", level="looser")


@pytest.mark.parametrize(
    ("ways", "makers", "accepted", "fails"),
    [
        (("looser", "equivalent"), "ab", "a", False),  # what moves it is accepted
        (("looser", "stricter"), "ab", "a", True),  # what is left moves it, too
        (("looser", "stricter"), "a", "a", False),  # what is left is nothing that it reads
        (("equivalent", "equivalent"), "ab", "a", True),  # nothing is said to move it: each may
        (("equivalent", "equivalent"), "ab", "ab", False),
        (("equivalent", "looser"), "a", "b", True),  # what it reads is not what was accepted
        (("equivalent", "text"), "", "a", False),
    ],
)
def test_a_rule_alone_is_accounted_for_by_what_it_reads(
    ways: tuple[Direction, ...], makers: str, accepted: str, fails: bool
) -> None:
    report = _report(*ways, rule="looser", makers=makers)
    found = failing(report, tuple(map(_entry, accepted)), "looser")
    assert found.fails is fails
    assert bool(found.rules) is fails
    assert not found.whole


def test_what_an_amendment_declares_accounts_for_what_it_makes() -> None:
    report = replace(_report("equivalent", verdict="looser"), declared=(_change("z", "looser"),))
    assert not failing(report, (), "looser").found
    assert failing(replace(report, declared=()), (), "looser").whole
    assert failing(replace(report, declared=(_change("z", "text"),)), (), "looser").whole


def test_a_run_that_passes_now_fails_where_there_is_no_change_to_accept() -> None:
    report = replace(_report(), replayed=(RUN,))
    assert failing(report, (), "looser").runs == ("runs/a",)
    assert "recorded and released now, not before" in told(failing(report, (), "looser"))
    assert "runs/a" in show.render([(report, ())], "markdown", level="looser")
    assert not failing(replace(report, replayed=({**RUN, "gained": False},)), (), "looser").found


def test_after_data_was_seen_no_level_is_left_out_either() -> None:
    for report, warned in ((_report("equivalent", verdict="looser"), True), (_report("equivalent"), False)):
        findings = Findings()
        seen._warn(report, [], ("heldout",), findings)
        assert [one.id for one in findings.sorted()] == (["W2706"] if warned else [])


def test_a_protocol_that_is_new_fails_nothing() -> None:
    report = _report("text", verdict="undecided")
    added = replace(report, changes=(replace(report.changes[0], id="PROTOCOL_ADDED"),))
    assert failing(report, (), "looser").found
    assert not failing(added, (), "looser").found


def _limit(text: str, number: str) -> str:
    known = next(line for line in text.splitlines() if "must:" in line and ">=" in line).rpartition(">= ")[2]
    return text.replace(known.rstrip("}").split(",")[0].strip(), number)


def test_a_recorded_run_that_is_released_now_fails(failed: tuple[Project, Path, Path]) -> None:
    made, run, lower = failed
    asked = ("diff", "--no-proof", run, lower, "--replay", run, "--fail-on", "looser")
    said = json.loads(made.protoc(*asked, "--format", "json", status=1))
    (found,) = said["replayed"]
    assert (found["old"], found["recorded"], found["new"], found["gained"]) == ("FAIL", None, "FAIL", True)
    assert said["fail_on"]["runs"] == [str(run)]


def test_a_run_of_a_third_protocol_fails_only_where_the_two_disagree(failed: tuple[Project, Path, Path]) -> None:
    made, run, lower = failed
    same = ("diff", "--no-proof", lower, lower, "--replay", run, "--fail-on", "looser")
    told = f"{run}: FAIL, as before (recorded as FAIL, under another protocol than the old one)\n"
    assert told in made.protoc(*same)
    (found,) = json.loads(made.protoc(*same, "--format", "json"))["replayed"]
    assert (found["old"], found["recorded"], found["new"], found["gained"]) == ("FAIL", "FAIL", "FAIL", False)
    assert found["flips"] == []
    strict = lower.parent / "strict.yaml"
    text = lower.read_text(encoding="utf-8").replace("version: 1", "version: 7")
    strict.write_text(text.replace("[PASS, FAIL]", "[PASS]"), encoding="utf-8")
    other = ("diff", "--no-proof", strict, lower, "--replay", run, "--fail-on", "looser", "--format", "json")
    said = json.loads(made.protoc(*other, status=1))
    (found,) = said["replayed"]
    assert (found["old"], found["recorded"], found["new"], found["gained"]) == ("FAIL", "FAIL", "FAIL", True)
    assert said["fail_on"]["changes"]
    assert said["fail_on"]["runs"] == [str(run)]


def test_a_run_under_a_protocol_that_is_gone_cannot_be_evaluated(
    run_once: Project,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made, place = run_once.copy(tmp_path / "study"), tmp_path / "desk"
    run = made.bundles()[0]
    place.mkdir()
    spec = place / "protocol.yaml"
    spec.write_bytes((run / "spec" / "protocol.yaml").read_bytes())
    git = ["git", "-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false", "-C", str(place)]
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "first"]):
        subprocess.run([*git, *words], check=True, capture_output=True, timeout=60)
    spec.unlink()
    monkeypatch.chdir(place)
    why = "the protocol is gone, and has no rules any more"
    assert f"{run}: cannot be evaluated: {why}" in made.protoc("diff", "--replay", run)
    assert "cannot be evaluated" in made.protoc("diff", "--replay", run, "--format", "markdown")
    (found,) = json.loads(made.protoc("diff", "--replay", run, "--format", "json"))["replayed"]
    assert (found["old"], found["new"], found["gained"]) == ("PASS", None, False)
    assert found["error"].startswith(why)
    made.protoc("diff", "--replay", run, "--fail-on", "looser", status=1)  # the protocol that is gone is looser
    made.protoc("diff", "--replay", place, status=1)  # a folder that is no run is refused
