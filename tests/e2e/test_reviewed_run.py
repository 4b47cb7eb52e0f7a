"""A blind review by sheets: stages in order, two raters, marks in code points, recorded times, agreement, claims."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from e2e import reviewed
from e2e.judged import now
from e2e.workspaces import Workspace, read_rows, write_rows
from protoc_compiler.cli import main

Row = dict[str, Any]
MARKS = {
    ("a", "QA1"): [
        {"label": "notice", "quote": "The clerk \U0001f4dc sent notice by post"},
        {"label": "consent", "quote": "The buyer \U0001f600 agreed"},
    ],
    ("a", "QA2"): [{"label": "notice", "quote": "sent notice"}],
    ("b", "QA1"): [{"label": "notice", "quote": "Notice was late"}],
    ("b", "QA2"): [{"label": "notice", "quote": "Notice was late"}],
}
HIDDEN = ("sparse", "REASONING", "reason", "pick")


@pytest.fixture(scope="module")
def pending(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with one run that waits for people."""
    made, _ = reviewed.run(tmp_path_factory.mktemp("reviewed") / "w")
    return made.folder


def adjudicate(run: Path, *arguments: str) -> tuple[int, str]:
    """`protoc adjudicate` in this process: its status and what it says."""
    import io

    out, err = io.StringIO(), io.StringIO()
    status = main(["adjudicate", str(run), *arguments], io.StringIO(), out, err)
    return status, out.getvalue() + err.getvalue()


def fill(folder: Path, name: str, change: Callable[[Row], None]) -> None:
    """Sign a sheet and fill it in."""
    rows = read_rows(folder / f"{name}.jsonl")
    for row in rows:
        row.update(reviewed.SIGNED, at=now())
        change(row)
    write_rows(folder / f"{name}.jsonl", rows)


def mark(row: Row) -> None:
    row["marks"] = MARKS.get((row["key"]["case"], row["rater"]), [])


def accept(row: Row) -> None:
    row["label"] = "accepted" if row["key"]["case"] == "a" or row["rater"] == "QA1" else "rejected"


def copied(pending: Path, folder: Path) -> tuple[Workspace, Path]:
    made = Workspace(Path(shutil.copytree(pending, folder / "w", symlinks=True)))
    return made, made.bundles()[0]


def told(run: Path, folder: Path, rater: str, name: str, change: Callable[[Row], None]) -> None:
    """One rater tells one judgement."""
    place = str(folder / f"{name}.{rater}")
    status, said = adjudicate(run, "--export", place, "--rater", rater)
    assert (status, f"{name}.{rater}: " in said) == (0, True), said
    fill(Path(place), f"{name}.{rater}", change)
    status, said = adjudicate(run, "--import", place)
    assert status == 0, said


@pytest.fixture(scope="module")
def decided(pending: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Workspace, Path]:
    """Both raters have told both stages, and the verdict is in."""
    folder = tmp_path_factory.mktemp("decided")
    made, run = copied(pending, folder)
    for rater in ("QA1", "QA2"):
        told(run, folder, rater, "inventory", mark)
        told(run, folder, rater, "proposal", accept)
    made.protoc("verdict", str(run))
    return made, run


def rows_of(run: Path, name: str) -> list[Row]:
    return read_rows(run / "adjudication" / "rows" / f"{name}.jsonl")


@pytest.mark.breaks("B033", "B035", "B155", "B034", "B036")
def test_marks_are_rows_in_code_points(decided: tuple[Workspace, Path]) -> None:
    _, run = decided
    gold = rows_of(run, "gold")
    texts = {case["case"]: str(case["text"]) for case in reviewed.CASES}
    assert sorted((row["case"], row["rater"], row["n"]) for row in gold) == [
        ("a", "QA1", 1), ("a", "QA1", 2), ("a", "QA2", 1), ("b", "QA1", 1), ("b", "QA2", 1),
    ]  # fmt: skip
    assert all(texts[row["case"]][row["start"] : row["end"]] == row["quote"] for row in gold)
    summary = json.loads((run / "verdict" / "summary.json").read_text(encoding="utf-8"))
    metrics = summary["metrics"]
    assert metrics["exact_recall"] == {"num": 2, "den": 3}
    assert metrics["alternate_recall"] == {"num": 1, "den": 3}  # another passage for the same element is no hit
    assert metrics["coverage"] == {"num": 2, "den": 3}
    assert metrics["without_precision"] == {
        "num": 1,
        "den": 1,
    }  # nothing was proposed in c: no coverage, and no precision
    assert summary["verdict"] == "GOOD"


@pytest.mark.breaks("B033")
def test_what_was_shown_when_is_recorded(decided: tuple[Workspace, Path]) -> None:
    made, run = decided
    reviews = {(row["case"], row["rater"]): row for row in rows_of(run, "reviews")}
    assert len(reviews) == 6
    assert all(
        row["inventory_saved_at"] < row["first_proposal_shown_at"] for (c, _), row in reviews.items() if c != "c"
    )
    assert reviews["c", "QA1"].get("first_proposal_shown_at") is None  # nothing was proposed there
    assert "verdict GOOD" in made.protoc("verify", str(run))


def test_agreement_stands_in_the_receipt(decided: tuple[Workspace, Path]) -> None:
    _, run = decided
    receipt = json.loads((run / "adjudication" / "receipt.json").read_text(encoding="utf-8"))
    inventory, proposal = receipt["predicate"]["judgements"]
    assert inventory["agreement"]["marks"] == {"by_all": 1, "by_rater": {"QA1": 3, "QA2": 2}}
    assert inventory["agreement"]["units"] == sum(len(str(case["text"])) for case in reviewed.CASES)
    assert proposal["agreement"]["measure"] == "Cohen's kappa"
    assert proposal["agreement"]["kappa"] == {"num": 0, "den": 1}
    page = (run / "adjudication" / "RECEIPT.md").read_text(encoding="utf-8")
    assert "Agreement on proposal: Cohen's kappa 0; 2 of 4 rows alike" in page


@pytest.mark.breaks("B036")
def test_claims_wait_for_the_review(decided: tuple[Workspace, Path]) -> None:
    _, run = decided
    for place, expected in ((run, [False, False]), (run / "verdict", [True, True])):
        receipt = json.loads((place / "receipt.json").read_text(encoding="utf-8"))
        assert [claim["permitted"] for claim in receipt["predicate"]["sayings"]] == expected
    assert "inventory is not closed yet" in (run / "RECEIPT.md").read_text(encoding="utf-8")


@pytest.mark.breaks("B006")
def test_an_export_holds_nothing_withheld(pending: Path, tmp_path: Path) -> None:
    _, run = copied(pending, tmp_path)
    status, said = adjudicate(run, "--export", str(tmp_path / "out"))
    assert (status, "proposal.QA1: waits" in said) == (0, True)
    files = sorted((tmp_path / "out").iterdir())
    assert [file.name for file in files] == [
        "MANUAL_ADJUDICATION.QA1.md", "MANUAL_ADJUDICATION.QA2.md", "inventory.QA1.jsonl", "inventory.QA2.jsonl",
    ]  # fmt: skip
    for file in files:
        assert [word for word in HIDDEN if word.encode() in file.read_bytes()] == []


def test_a_stage_waits_for_the_same_rater(pending: Path, tmp_path: Path) -> None:
    _, run = copied(pending, tmp_path)
    told(run, tmp_path, "QA1", "inventory", mark)
    _, said = adjudicate(run, "--export", str(tmp_path / "two"), "--rater", "QA2")
    assert "proposal.QA2: waits" in said
    status, said = adjudicate(run, "--export", str(tmp_path / "three"), "--rater", "QA1")
    assert (status, sorted(path.name for path in (tmp_path / "three").iterdir())) == (
        0, ["MANUAL_ADJUDICATION.QA1.md", "proposal.QA1.jsonl"],
    )  # fmt: skip


@pytest.mark.parametrize(
    ("marks", "kind", "words"),
    [
        (None, "E2621", "was not filled in"),
        ("none", "E2621", "no list"),
        ([{"label": "notice", "quote": "sent  notice"}], "E2622", "nowhere"),
        ([{"label": "notice", "quote": "The "}], "E2622", "2 times"),
        ([{"label": "notice", "quote": "sent", "start": 13, "end": 17}], "E2622", "does not stand at 13 to 17"),
        ([{"label": "motive", "quote": "sent"}], "E2622", "not one of consent, notice"),
        ([{"label": "notice", "quote": ""}], "E2622", "no passage"),
        ([{"label": "notice", "quote": "sent", "end": 16}], "E2622", "both, or neither"),
        (
            [{"label": "notice", "quote": "clerk"}, {"label": "notice", "quote": "clerk", "start": 4}],
            "E2622",
            "already",
        ),
        (["sent"], "E2622", "no map"),
    ],
)
def test_marks_that_are_refused(pending: Path, tmp_path: Path, marks: Any, kind: str, words: str) -> None:
    run = Workspace(pending).bundles()[0]
    if not (pending / "out").exists():
        adjudicate(run, "--export", str(pending / "out"), "--rater", "QA1")
    shutil.copytree(pending / "out", tmp_path / "out")
    fill(tmp_path / "out", "inventory.QA1", lambda row: row.update(marks=marks if row["key"]["case"] == "a" else []))
    status, said = adjudicate(run, "--import", str(tmp_path / "out"))
    assert (status, kind in said, words in said) == (1, True, True), said


def test_who_is_no_rater_and_what_was_never_shown(pending: Path, tmp_path: Path) -> None:
    _, run = copied(pending, tmp_path)
    status, said = adjudicate(run, "--export", str(tmp_path / "x"), "--rater", "QA9")
    assert (status, "E2624" in said, "QA1, QA2" in said) == (1, True, True)
    lines = [
        {"judgement": "inventory", "rater": "QA2", "key": {"case": case["case"]},
         "sees": {"text": case["text"], "elements": ["consent", "notice"]}, "marks": [], "note": "",
         "at": now(), **reviewed.SIGNED}
        for case in reviewed.CASES
    ]  # fmt: skip
    (tmp_path / "own").mkdir()
    write_rows(tmp_path / "own" / "inventory.QA2.jsonl", lines)
    status, said = adjudicate(run, "--import", str(tmp_path / "own"))
    if (run / "adjudication.unfinished").exists():  # another test has exported it to QA1 alone
        assert "inventory.QA2" in said
    assert (status, "E2623" in said) == (1, True)


def test_recorded_times_are_checked(decided: tuple[Workspace, Path], tmp_path: Path) -> None:
    made, run = copied(decided[0].folder, tmp_path)
    path = run / "adjudication" / "rows" / "reviews.jsonl"
    text = path.read_text(encoding="utf-8")
    path.write_text(re.sub(r'"20(\d\d-\d\d-\d\dT)', r'"19\1', text, count=1), encoding="utf-8")
    done = made.try_protoc("verify", str(run))
    assert (done.returncode, "reviews.jsonl" in done.stderr) == (1, True)
