"""The rows of a case as files: `protoc score` gives of them, under both versions, what the case says."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path
from typing import Any

import pytest

from drift.test_diff_command import Desk
from drift.test_unread_data import _protocol
from e2e.test_tutorial import BLOCK, ROOT, Session
from protoc_compiler.cli import main
from protoc_compiler.drift.cases import _namer

SPEC = """\
protoc: 1
protocol: {id: readers, version: 1, title: Does it read every kind?}
data:
  tables:
    cases:
      key: case
      columns: {case: text, split: splits, kind: [note, bill], pages: int}
      expect: [count(cases) >= 4, all cases have pages >= 1]
    answers: {from: subject, key: case, columns: {case: cases, found: int, wall: ms}}
  splits:
    dev: {role: development, may: [tune]}
    heldout: {role: heldout, may: [score once]}
procedure:
  subject: {python: "subject.py:read", of: cases, sees: [pages]}
  phases: [{phase: tune, reads: [dev], use: tune}, {phase: score, reads: [heldout], use: score}]
definitions:
  cases.right: {is: only(answers).found == pages, if_undefined: false}
metrics:
  right_bills: rate(right over cases where kind == bill)
  mean_wall: mean(wall over answers)
gates:
  bills: {says: At least 75% of the bills are right., must: right_bills >= 75%}
  fast: {says: The mean time is at most 900 ms., must: mean_wall <= 900 ms}
verdict: [PASS when all gates have held, FAIL otherwise]
report: {released: [PASS]}
"""
LOWER = ("75%", "60%")
FASTER = ("900 ms", "500 ms")
RENAMED = (("found", "seen"), LOWER)
OTHER_TABLE = (("answers", "replies"), LOWER)


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    return Desk(tmp_path, monkeypatch)


def _sides(desk: Desk, *changes: tuple[str, str]) -> tuple[str, str]:
    text = SPEC
    (desk.folder / "old.yaml").write_text(text, encoding="utf-8")
    for before, after in changes:
        assert before in text
        text = text.replace(before, after)
    (desk.folder / "new.yaml").write_text(text, encoding="utf-8")
    return "old.yaml", "new.yaml"


def _cases(desk: Desk, *changes: tuple[str, str]) -> dict[str, Any]:
    said = desk.diff(*_sides(desk, *changes), "--cases", "rows", "--format", "json")
    assert [path.name for path in desk.folder.iterdir() if path.name.startswith(".")] == []
    made: dict[str, Any] = json.loads(said)
    return made


def _score(spec: str, folder: str) -> dict[str, Any]:
    out, err = io.StringIO(), io.StringIO()
    main(["score", spec, "--data", folder, "--format", "json"], io.StringIO(), out, err)
    made: dict[str, Any] = json.loads(out.getvalue())
    return made


def _answers(effect: dict[str, Any], witness: dict[str, Any]) -> tuple[list[str], list[str]]:
    """What the case says of both versions, and what `score` says of its rows."""
    scored = _score("old.yaml", witness["folder_before"]), _score("new.yaml", witness["folder"])
    if "rule" not in effect:
        return [witness["old"], witness["new"]], [str(one["verdict"]) for one in scored]
    space, _, name = effect["rule"].partition(".")
    words = {True: "holds", False: "does not hold", None: "does not hold"}
    return [witness["old"], witness["new"]], [words[one[space][name]] for one in scored]


@pytest.mark.parametrize("changes", [(LOWER,), (FASTER,), (LOWER, ("900 ms", "700 ms")), RENAMED, OTHER_TABLE])
def test_score_sees_under_both_versions_what_each_case_says(desk: Desk, changes: tuple[tuple[str, str], ...]) -> None:
    made = _cases(desk, *changes)
    shown = [one for one in (made["verdict"], *made["rules"]) if one["witness"] and one["witness"]["replayed"]]
    assert made["verdict"] in shown
    assert ("contrary" in made["verdict"]["witness"]) is (changes not in ((LOWER,), (FASTER,), RENAMED))
    seen = 0
    for effect in shown:
        for witness in (effect["witness"], effect["witness"].get("contrary")):
            if witness is not None:
                said, scored = _answers(effect, witness)
                assert said == scored
                assert said[0] != said[1]
                seen += 1
    folders = [path.parent for path in (desk.folder / "rows").rglob("cases.jsonl")]
    assert len(folders) == seen * (2 if changes is RENAMED else 1)


def test_versions_with_other_names_have_a_folder_each(desk: Desk) -> None:
    witness = _cases(desk, *RENAMED)["verdict"]["witness"]
    assert (witness["folder_before"], witness["folder"]) == ("rows/verdict-looser/old", "rows/verdict-looser/new")
    lines = [
        json.loads((desk.folder / place).read_text(encoding="utf-8").splitlines()[0])
        for place in ("rows/verdict-looser/old/answers.jsonl", "rows/verdict-looser/new/answers.jsonl")
    ]
    assert [sorted(line) for line in lines] == [["case", "found", "wall"], ["case", "seen", "wall"]]


def test_splits_and_tables_have_the_names_of_the_old_version() -> None:
    sides = {
        topic: [
            _protocol((ROOT / "tests/drift/pairs" / f"{topic}.forth.{side}.yaml").read_text(encoding="utf-8"))
            for side in "ab"
        ]
        for topic in ("split-name", "table-name")
    }
    rows = {"cases": [{"case": "a", "split": "tried"}, {"case": "tried", "split": "test"}], "broad": [{"case": "a"}]}
    before = [{"case": "a", "split": "dev"}, {"case": "tried", "split": "test"}]
    assert _namer(*sides["split-name"])(rows) == {**rows, "cases": before}
    assert _namer(*sides["table-name"])(rows) == {"cases": rows["cases"], "wide": rows["broad"]}


def test_people_are_told_where_the_rows_are(desk: Desk) -> None:
    sides = _sides(desk, LOWER)
    said = desk.diff(*sides, "--cases", "deep/rows")
    assert "\n  rows: `deep/rows/verdict-looser`\n" in said
    assert "\n    rows: `deep/rows/gates.bills-looser`\n" in said
    assert "rows: `other/verdict-looser`" in desk.diff(*sides, "--cases", "other", "--format", "markdown")
    assert "rows:" not in desk.diff(*sides)


def test_nothing_is_overwritten(desk: Desk) -> None:
    sides = _sides(desk, LOWER)
    (desk.folder / "rows").mkdir()
    desk.diff(*sides, "--cases", "rows")  # an empty folder is taken
    before = sorted((desk.folder / "rows").rglob("*"))
    desk.diff(*sides, "--cases", "rows", status=2)
    assert "--cases cannot write to `rows`: the folder is not empty" in desk.err
    assert sorted((desk.folder / "rows").rglob("*")) == before
    desk.diff(*sides, "--cases", "old.yaml", status=2)
    assert "it is no folder" in desk.err


def test_without_a_case_nothing_is_written(desk: Desk) -> None:
    sides = _sides(desk, ("Does it read every kind?", "Does it read each kind?"))
    desk.diff(*sides, "--cases", "rows")
    assert "no case is shown, and `rows` is not written" in desk.err
    assert not (desk.folder / "rows").exists()


@pytest.mark.parametrize("other", ["--no-proof", "--accept"])
def test_an_option_without_effect_is_refused(desk: Desk, other: str) -> None:
    desk.diff(*_sides(desk, LOWER), "--cases", "rows", other, status=2)
    assert f"--cases has no effect with {other}" in desk.err
    assert not (desk.folder / "rows").exists()


def test_the_commands_of_the_page_can_be_typed(tmp_path: Path) -> None:
    session = Session(tmp_path)
    blocks = BLOCK.findall((ROOT / "docs" / "drift.md").read_text(encoding="utf-8"))
    assert len(blocks) == 1
    for _, status, body in blocks:
        session.expect_typed(body, status or "0")


def test_a_case_says_of_which_splits_its_rows_are_and_tells_times_with_decimals(desk: Desk) -> None:
    middle = ("mean(wall over answers)", "median(wall over answers)")
    told = {line for line in desk.diff(*_sides(desk, middle)).splitlines() if line.strip().startswith("case: ")}
    assert told
    assert all(re.search(r"\b(cases|answers) \d+ of heldout\b", line) for line in told)
    assert not any(re.search(r"/\d+ (s|ms)\b|\b0\.\d+ s\b", line) for line in told)
    assert any(re.search(r"mean_wall (about )?\d+(\.\d{1,3})? ms before", line) for line in told), told
