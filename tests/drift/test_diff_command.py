"""`protoc diff` from the command line: what it compares, how it prints, when it fails."""

from __future__ import annotations

import io
import json
import subprocess
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from drift.overlay import BASE, merged
from drift.specs import plain, written
from protoc_compiler.cli import main
from protoc_compiler.drift import show
from protoc_compiler.drift.accepted import Entry
from protoc_compiler.drift.failing import failing
from protoc_compiler.drift.model import Change, Direction, Effect, Report
from protoc_compiler.drift.show import json_
from protoc_runtime.diagnostics import Span

LOWER = "gates: {right: {must: accuracy >= 0.75, says: The accuracy is at least 0.75.}}"


class Desk:
    """A folder in which one types commands."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        self.err = ""
        monkeypatch.chdir(folder)

    def spec(self, name: str, over: str = "{}") -> str:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        base = plain(BASE.read_bytes(), "base.yaml")
        path.write_bytes(written(merged(base, plain(over.encode() + b"\n", name))))
        return name

    def diff(self, *arguments: str, status: int = 0) -> str:
        out, err = io.StringIO(), io.StringIO()
        found = main(["diff", *arguments], io.StringIO(), out, err)
        self.err = err.getvalue()
        assert found == status, f"{found}\n{out.getvalue()}\n{self.err}"
        return out.getvalue()

    def json(self, *arguments: str, status: int = 0) -> dict[str, Any]:
        made: dict[str, Any] = json.loads(self.diff(*arguments, "--no-proof", "--format", "json", status=status))
        jsonschema.validate(made, json_.schema())
        return made

    def git(self, *arguments: str) -> None:
        about = ["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
        subprocess.run(["git", *about, *arguments], cwd=self.folder, check=True, capture_output=True, timeout=60)

    def commit(self, words: str) -> None:
        self.git("add", "-A")
        self.git("commit", "-q", "-m", words)


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    return Desk(tmp_path, monkeypatch)


def test_nothing_has_changed(desk: Desk) -> None:
    old = desk.spec("a.yaml")
    assert "No change of meaning" in desk.diff(old, old, "--fail-on", "any")
    assert desk.json(old, old)["verdict"]["direction"] == "equivalent"


@pytest.mark.parametrize(("level", "status"), [("looser", 1), ("incomparable", 1), ("any", 1)])
def test_a_looser_change_fails_at_every_level(desk: Desk, level: str, status: int) -> None:
    old, new = desk.spec("a.yaml"), desk.spec("b.yaml", LOWER)
    assert desk.json(old, new)["changes"][0]["id"] == "GATE_THRESHOLD_LOWERED"
    desk.diff(old, new, "--no-proof", "--fail-on", level, status=status)


def test_a_stricter_change_fails_only_where_any_does(desk: Desk) -> None:
    old, new = desk.spec("a.yaml"), desk.spec("b.yaml", "procedure: {subject: {timeout: 3 s}}")
    for level, status in (("looser", 0), ("incomparable", 0), ("any", 1)):
        found = desk.json(old, new, "--fail-on", level, status=status)
        assert [change["direction"] for change in found["changes"]] == ["stricter"]


SWAPPED = "gates: {right: {must: spread >= 0.80, says: The spread is at least 0.80.}}"
OTHER = "procedure: {subject: {command: [python3, -m, other]}}"


@pytest.mark.parametrize(("over", "direction"), [(SWAPPED, "undecided"), (OTHER, "incomparable")])
@pytest.mark.parametrize("level", ["looser", "incomparable", "any"])
def test_what_may_let_more_pass_fails_at_every_level(desk: Desk, over: str, direction: str, level: str) -> None:
    old, new = desk.spec("a.yaml"), desk.spec("b.yaml", over)
    made = desk.json(old, new, "--fail-on", level, status=1)
    assert made["changes"][0]["direction"] == direction
    assert made["fail_on"]["fails"]
    assert made["changes"][0]["fingerprint"] in made["fail_on"]["changes"]


@pytest.mark.parametrize(("over", "fails"), [(LOWER, True), (OTHER, True), (SWAPPED, True), ("", False)])
def test_all_forms_agree_on_what_fails(desk: Desk, over: str, fails: bool) -> None:
    old, new = desk.spec("a.yaml"), desk.spec("b.yaml", over or "procedure: {subject: {timeout: 3 s}}")
    sides = (old, new, "--no-proof", "--fail-on", "looser")
    said = {form: desk.diff(*sides, "--format", form, status=int(fails)) for form in
            ("text", "markdown", "json", "github", "sarif")}  # fmt: skip
    assert ("Fails --fail-on looser: 1 change not accepted" in said["text"]) is fails
    assert ("Nothing fails --fail-on looser" in said["text"]) is not fails
    assert ("**Fails --fail-on looser: 1 change" in said["markdown"]) is fails
    assert json.loads(said["json"])["fail_on"]["fails"] is fails
    assert said["github"].startswith("::error") is fails
    levels = [found["level"] for found in json.loads(said["sarif"])["runs"][0]["results"]]
    assert ("error" in levels) is fails


def test_a_review_that_was_not_asked_to_fail_says_so(desk: Desk) -> None:
    old, new = desk.spec("a.yaml"), desk.spec("b.yaml", LOWER)
    told = (
        "This review only tells (exit status 0); --fail-on looser would fail: 1 change not accepted: "
        "GATE_THRESHOLD_LOWERED (looser)"
    )
    assert desk.diff(old, new, "--no-proof").rstrip().endswith(told)
    made = desk.json(old, new)["fail_on"]
    assert (made["level"], made["fails"], len(made["changes"])) == (None, False, 1)


@pytest.mark.parametrize(
    ("accepted", "left", "whole"),
    [
        ("looser", "text", False),
        ("looser", "equivalent", False),
        ("looser", "stricter", True),
        ("text", "looser", False),
    ],
)
def test_a_verdict_that_lets_more_pass_fails_where_what_is_left_may_move_it(
    accepted: Direction, left: Direction, whole: bool
) -> None:
    one, other = (
        Change("GATE_REWRITTEN", "gates.x", way, None, None, "x", mark, "GATE", "expr", "x")
        for way, mark in ((accepted, "a" * 16), (left, "b" * 16))
    )
    report = Report(None, None, (one, other), (), Effect("verdict", "looser", "proved"))
    entry = Entry("a" * 16, "agreed", "", "", Span("f", 1, 1, 1, 1))
    found = failing(report, (entry,), "looser")
    assert found.whole is whole
    assert found.fails is (whole or left == "looser")
    annotated = show.render([(report, (entry,))], "github", level="looser")
    assert ("VERDICT_AS_A_WHOLE" in annotated) is whole
    assert ("it is looser, proved: something can be released now that could not be before" in annotated) is whole


def test_each_change_has_both_its_places(desk: Desk) -> None:
    change = desk.json(desk.spec("a.yaml"), desk.spec("b.yaml", LOWER))["changes"][0]
    assert (change["old"]["text"], change["new"]["text"]) == ("accuracy >= 0.80", "accuracy >= 0.75")
    line = (desk.folder / "b.yaml").read_text(encoding="utf-8").splitlines()[change["new"]["line"] - 1]
    assert line.strip() == "must: accuracy >= 0.75"


def test_a_renamed_thing_shows_where_it_stood(desk: Desk) -> None:
    over = "procedure: {freeze: {limit: ~, bound: 3}}"
    (change,) = desk.json(desk.spec("a.yaml"), desk.spec("b.yaml", over))["changes"]
    assert (change["id"], change["old"]["text"], change["new"]["text"]) == ("FREEZE_RENAMED", "limit: 3", "bound: 3")


@pytest.mark.parametrize("form", ["text", "markdown", "github", "sarif"])
def test_every_form_tells_the_change(desk: Desk, form: str) -> None:
    said = desk.diff(desk.spec("a.yaml"), desk.spec("b.yaml", LOWER), "--no-proof", "--format", form)
    assert "GATE_THRESHOLD_LOWERED" in said
    assert "0.75" in said
    if form == "sarif":
        assert json.loads(said)["runs"][0]["results"][0]["ruleId"] == "GATE_THRESHOLD_LOWERED"
    if form == "github":
        assert said.startswith("::error title=GATE_THRESHOLD_LOWERED") or "file=b.yaml" in said


def test_what_people_accept_is_shown_and_does_not_fail(desk: Desk) -> None:
    old, new = desk.spec("old/protocol.yaml"), desk.spec("new/protocol.yaml", LOWER)
    entries = desk.diff(old, new, "--no-proof", "--accept")
    assert entries.startswith("accepted:\n  - change: GATE_THRESHOLD_LOWERED at gates.right\n")
    file = desk.folder / "new" / "drift-accepted.yaml"
    file.write_text(entries.replace("reason:", "reason: agreed on 2026-05-02"), encoding="utf-8")
    said = desk.diff("old", "new", "--no-proof", "--fail-on", "any")
    assert said.count("accepted: agreed on 2026-05-02") == 2
    assert desk.diff("old", "new", "--no-proof", "--accept") == "# nothing is left to accept\n"


def test_an_acceptance_survives_rewording_and_layout(desk: Desk) -> None:
    one = desk.json(desk.spec("a.yaml"), desk.spec("b.yaml", LOWER))
    over = LOWER.replace("at least 0.75.", "0.75 or more.").replace("accuracy >= 0.75", "0.75 <= accuracy")
    other = desk.json("a.yaml", desk.spec("c.yaml", over))
    assert one["changes"][0]["fingerprint"] == other["changes"][0]["fingerprint"]


def test_an_unused_acceptance_is_told(desk: Desk) -> None:
    old, new = desk.spec("a.yaml"), desk.spec("b.yaml", LOWER)
    file = desk.folder / "more.yaml"
    file.write_text('accepted:\n  - fingerprint: "0000000000000000"\n    reason: long ago\n', encoding="utf-8")
    desk.diff(old, new, "--no-proof", "--accepted", "more.yaml", "--fail-on", "looser", status=1)
    assert "W2702 unused-acceptance" in desk.err


@pytest.mark.parametrize(
    "text", ["accepted:\n  - fingerprint: 59b0a5ee5e09371d\n", "accepted: yes\n", "accepted:\n  - words\n",
             "accepted:\n  - {fingerprint: a, reason: b, other: c}\n"]
)  # fmt: skip
def test_a_broken_file_of_accepted_changes_is_refused(desk: Desk, text: str) -> None:
    (desk.folder / "more.yaml").write_text(text, encoding="utf-8")
    desk.diff(desk.spec("a.yaml"), desk.spec("b.yaml", LOWER), "--no-proof", "--accepted", "more.yaml", status=1)
    assert "E2701 bad-accepted-file" in desk.err


def test_words_that_contradict_their_formula_do_not_keep_it_from_comparing(desk: Desk) -> None:
    new = desk.spec("b.yaml", "gates: {right: {must: accuracy >= 0.75}}")
    made = desk.json(desk.spec("a.yaml"), new)
    assert {item["id"] for item in made["contradictions"]} == {"E0701"}
    assert made["changes"][0]["direction"] == "looser"


def test_a_spec_that_does_not_resolve_is_refused(desk: Desk) -> None:
    desk.diff(desk.spec("a.yaml"), desk.spec("b.yaml", "gates: {right: {must: nothing >= 0.80}}"), status=2)
    assert "E0312" in desk.err
    assert "b.yaml:" in desk.err
    assert "E2708 version-not-read there is no review: the new version, `b.yaml`, does not resolve" in desk.err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("a.yaml", "none.yaml"), "there is no file"), (("HEAD:a.yaml",), "git has no"),
        (("nothing:a.yaml", "a.yaml"), "git has no"), ((), "no commit"),
        (("a.yaml", "a.yaml", "--accept", "--format", "json"), "no effect"), (("--replay", "run"), "no folder `run`"),
        (("a.yaml", "a.yaml", "--accepted", "none.yaml"), "there is no file"),
    ],
)  # fmt: skip
def test_wrong_usage(desk: Desk, arguments: tuple[str, ...], words: str) -> None:
    desk.spec("a.yaml")
    desk.diff(*arguments, status=2)
    assert words in desk.err


# --- git -------------------------------------------------------------------------------------------------------------


def test_a_file_that_is_not_committed_is_told_to_be_so(desk: Desk) -> None:
    desk.git("init", "-q")
    desk.spec("a.yaml")
    desk.diff("a.yaml", status=2)
    assert "nothing is committed" in desk.err
    desk.git("add", "a.yaml")
    desk.git("commit", "-q", "-m", "a")
    desk.spec("b.yaml")
    desk.diff("b.yaml", status=2)
    assert "the file is not committed yet: commit it, or name another version to compare with" in desk.err
    assert "`protoc diff OTHER.yaml b.yaml`" in desk.err
    desk.git("add", "b.yaml")
    desk.git("commit", "-q", "-m", "b")
    desk.diff("HEAD~1:b.yaml", "b.yaml", status=2)
    assert "the file is not in this commit" in desk.err
    assert "the path is relative to the current folder" in _said(desk, "HEAD:c.yaml", "b.yaml")


def _said(desk: Desk, *arguments: str) -> str:
    desk.diff(*arguments, status=2)
    return desk.err


def test_the_work_tree_against_head(desk: Desk) -> None:
    desk.git("init", "-q")
    for name in ("one", "two", "three"):
        desk.spec(f"specs/{name}/protocol.yaml", f"protocol: {{id: {name}}}")
    desk.commit("three")
    assert desk.diff("--no-proof", "--fail-on", "any") == "No protocol differs from HEAD.\n"
    desk.spec("specs/one/protocol.yaml", "protocol: {id: one}\n" + LOWER)
    (desk.folder / "specs" / "two" / "protocol.yaml").unlink()
    desk.spec("specs/four/protocol.yaml", "protocol: {id: four}")
    made = desk.json()
    told = {(review["new"] or review["old"])["id"]: review["changes"][0]["id"] for review in made["reviews"]}
    assert told == {"one": "GATE_THRESHOLD_LOWERED", "two": "PROTOCOL_REMOVED", "four": "PROTOCOL_ADDED"}
    sides = {review["changes"][0]["id"]: review["verdict"] for review in made["reviews"]}
    for change, lacking in (("PROTOCOL_ADDED", "old"), ("PROTOCOL_REMOVED", "new")):
        assert (sides[change]["direction"], sides[change]["status"]) == ("undecided", "undecided")
        assert f"undecided: there is no {lacking} protocol to compare with" in desk.diff("--no-proof")
    assert desk.json("specs/one")["changes"][0]["old"]["file"] == "HEAD:specs/one/protocol.yaml"


def test_files_beside_a_spec_are_read_as_they_were(desk: Desk) -> None:
    desk.git("init", "-q")
    code = desk.folder / "specs" / "own.py"
    code.parent.mkdir()
    code.write_text("def own(values):\n    return sum(values)\n", encoding="utf-8")
    over = "metrics: {own: {python: own.py:own, takes: [list(size over cases)], gives: int}}"
    desk.spec("specs/protocol.yaml", over)
    desk.commit("one")
    code.write_text("def own(values):\n    return 0\n", encoding="utf-8")
    (change,) = desk.json()["changes"]
    assert (change["id"], change["direction"]) == ("METRIC_FUNCTION_CHANGED", "undecided")


# --- a history of five versions --------------------------------------------------------------------------------

VERSIONS = (
    ("registered", "question: {unit: one question}"),
    ("reworded", "gates: {right: {says: At least 0.80 are right.}}"),
    ("stricter", "gates: {right: {says: At least 0.80 are right.}, few: {must: errors <= 5, says: At most 5 errors.}}"),
    ("renamed", "metrics: {spread: ~, reach: {says: how far scores lie apart, is: max(score over cases) - "
     "min(score over cases)}}\ngates: {right: {says: At least 0.80 are right.}, few: {must: errors <= 5, "
     "says: At most 5 errors.}}"),
    ("looser", "metrics: {spread: ~, reach: {says: how far scores lie apart, is: max(score over cases) - "
     "min(score over cases)}}\ngates: {right: {must: accuracy >= 0.70, says: At least 0.70 are right.}, few: {must: "
     "errors <= 5, says: At most 5 errors.}}\nprocedure: {providers: {refused: {forbidden: ~, base_url: env X_URL}}}"),
)  # fmt: skip


SMALL = "specs/small/protocol.yaml"


def test_a_commit_alone_stands_for_its_only_protocol(desk: Desk) -> None:
    desk.git("init", "-q")
    desk.spec("specs/small/protocol.yaml")
    desk.commit("one")
    desk.git("tag", "v1")
    desk.spec("specs/small/protocol.yaml", LOWER)
    desk.commit("two")
    made = desk.json("v1", "HEAD")
    assert made["old"]["file"] == "v1:specs/small/protocol.yaml"
    assert made["changes"][0]["id"] == "GATE_THRESHOLD_LOWERED"
    assert desk.json("v1", "specs/small")["new"]["file"] == "specs/small/protocol.yaml"
    for alone in ("v1", "v1:specs/small", "v1:specs/small/protocol.yaml"):
        made = desk.json(alone)
        assert (made["old"]["file"], made["new"]["file"]) == (f"v1:{SMALL}", SMALL)
        assert made["changes"][0]["id"] == "GATE_THRESHOLD_LOWERED"
    (desk.folder / SMALL).rename(desk.folder / "moved.yaml")
    desk.diff("v1", status=2)
    assert f"`v1:{SMALL}` is not in the work tree any more" in desk.err
    (desk.folder / "moved.yaml").rename(desk.folder / SMALL)
    desk.spec("specs/other/protocol.yaml", "protocol: {id: other}")
    desk.commit("three")
    desk.diff("v1", "HEAD", status=2)
    assert "holds 2 protocols" in desk.err
    assert "`HEAD:specs/other/protocol.yaml`" in desk.err


def test_an_annotation_names_the_file_and_not_the_commit(desk: Desk) -> None:
    new = desk.spec("specs/small/protocol.yaml")
    desk.git("init", "-q")
    desk.commit("one")
    desk.git("tag", "one")
    desk.spec("specs/small/protocol.yaml", LOWER)
    desk.commit("two")
    sides = (f"one:{new}", f"HEAD:{new}", "--no-proof")
    assert "::error file=specs/small/protocol.yaml,line=" in desk.diff(*sides, "--format", "github")
    log = json.loads(desk.diff(*sides, "--format", "sarif"))
    places = [found["locations"][0]["physicalLocation"] for found in log["runs"][0]["results"]]
    assert {place["artifactLocation"]["uri"] for place in places} == {"specs/small/protocol.yaml"}


def test_a_history_of_five_versions_is_reviewed_one_by_one(desk: Desk) -> None:
    desk.git("init", "-q", "-b", "main")
    for at, (words, over) in enumerate(VERSIONS, 1):
        desk.spec("specs/protocol.yaml", f"protocol: {{version: {at}}}\n{over}")
        desk.commit(words)
        desk.git("tag", f"v{at}")
    steps = [desk.json(f"v{at}:specs", f"v{at + 1}:specs") for at in range(1, 5)]
    found = [{change["id"] for change in step["changes"]} - {"PROTOCOL_VERSION_CHANGED"} for step in steps]
    assert found == [
        {"GATE_WORDS_CHANGED", "QUESTION_REMOVED"},
        {"GATE_THRESHOLD_LOWERED", "GATE_WORDS_CHANGED"},
        {"METRIC_RENAMED"},
        {"GATE_THRESHOLD_LOWERED", "GATE_WORDS_CHANGED", "PROVIDER_ALLOWED", "PROVIDER_ADDRESS_CHANGED"},
    ]
    whole = desk.json("v1:specs", "v5:specs")
    ways = {change["path"]: change["direction"] for change in whole["changes"] if change["direction"] != "text"}
    assert ways["gates.right"] == "looser"
    assert ways["gates.few"] == "stricter"
    assert desk.json("v2:specs/protocol.yaml", "specs")["old"]["version"] == 2


# --- amendments ------------------------------------------------------------------------------------------------


def _amended(more: str) -> str:
    return f"report: {{amendments: {{again: {{{more}}}}}}}\n{LOWER}\nprocedure: {{subject: {{timeout: 9 s}}}}"


def test_what_no_amendment_declares_is_told(desk: Desk) -> None:
    old = desk.spec("a.yaml")
    digest = desk.json(old, old)["old"]["spec_digest"]
    over = _amended(f'changes: [gates.right], why: slack, seen: [dev], supersedes: "{digest}"')
    made = desk.json(old, desk.spec("b.yaml", over))
    assert [change["path"] for change in made["changes"] if change["undeclared"]] == ["procedure.subject.timeout"]
    assert made["chain"] == ""
    (only,) = desk.json(old, "b.yaml", "--undeclared")["changes"]
    assert only["id"] == "SUBJECT_TIMEOUT_RAISED"


def test_where_all_is_declared_it_says_so(desk: Desk) -> None:
    """What is declared is a change of meaning all the same."""
    over = _amended("changes: [gates.right, procedure.subject], why: slack, seen: []")
    sides = (desk.spec("a.yaml"), desk.spec("b.yaml", over), "--undeclared", "--no-proof")
    for form in ("text", "markdown"):
        said = desk.diff(*sides, "--format", form)
        assert "Every change is declared by an amendment." in said
        assert "No change of meaning" not in said


def test_an_amendment_of_another_version_is_told(desk: Desk) -> None:
    over = _amended(f'changes: [gates.right, procedure.subject], why: slack, seen: [], supersedes: "sha256:{"0" * 64}"')
    made = desk.json(desk.spec("a.yaml"), desk.spec("b.yaml", over))
    assert "0000" in made["chain"]
    assert not any(change["undeclared"] for change in made["changes"])


@pytest.mark.parametrize(
    ("more", "kind"),
    [
        ("changes: [gates.rihgt], why: slack, seen: []", "E2703"),
        ("changes: [gates.right], why: slack, seen: [tset]", "E2704"),
        ("changes: [gates.right], why: slack, seen: [], supersedes: v1", "E2705"),
    ],
)
def test_a_faulty_amendment_is_refused(desk: Desk, more: str, kind: str) -> None:
    err = io.StringIO()
    assert main(["check", desk.spec("b.yaml", _amended(more))], io.StringIO(), io.StringIO(), err) == 1
    assert f" {kind} " in err.getvalue()
    assert err.getvalue().count(": E") == 1


@pytest.mark.parametrize(
    ("named", "meant"),
    [
        ("gates.rihgt", "`gates.right`"),
        ("gates.right.must", "`gates.right`"),
        ("gates.right.must.it", "`gates.right`"),
        ("gate.right", "`gates.right`"),
        ("procedure.subject.timeuot", "`procedure.subject.timeout`"),
        ("procedure.subject.colour", "`procedure.subject`"),
        ("accurcy", "`accuracy`"),
        ("acuracy.is", "`accuracy`"),
    ],
)
def test_an_amendment_of_nothing_is_told_what_was_meant(desk: Desk, named: str, meant: str) -> None:
    """Something that is declared; a field only where the report names changes by it."""
    err = io.StringIO()
    over = _amended(f"changes: [{named}], why: slack, seen: []")
    assert main(["check", desk.spec("b.yaml", over)], io.StringIO(), io.StringIO(), err) == 1
    assert f"(did you mean {meant}" in err.getvalue()
    assert ".type" not in err.getvalue()


def test_what_was_taken_out_is_named_as_such(desk: Desk) -> None:
    over = "gates: {few: ~}\nreport: {amendments: {again: {changes: [], removes: [gates.few], why: twice, seen: []}}}\n"
    made = desk.json(desk.spec("a.yaml"), desk.spec("b.yaml", over))
    assert not any(change["undeclared"] for change in made["changes"])


EARLIER = "report: {amendments: {before: {changes: [gates.few], why: once, seen: []}NEW}}\n"
AGAIN = ", again: {changes: [gates.right], why: twice, seen: [], removes: [GONE]}"


@pytest.mark.parametrize(("removes", "told"), [("gates.few", True), ("report.amendments.before", False)])
def test_that_an_earlier_amendment_is_gone_has_to_be_declared(desk: Desk, removes: str, told: bool) -> None:
    old = desk.spec("a.yaml", EARLIER.replace("NEW", ""))
    new = desk.spec("b.yaml", "report: {amendments: {" + AGAIN.replace("GONE", removes).removeprefix(", ") + "}}\n")
    asked = (old, new, "--undeclared", "--no-proof", "--fail-on", "looser")
    said = desk.diff(*asked, status=int(told))
    assert ("AMENDMENT_REMOVED" in said) is told
