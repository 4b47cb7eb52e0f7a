"""Whether a rule asks for the rows that a subject owes (W0828), on the project that `protoc init` writes."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from protoc_compiler import pipeline
from protoc_compiler.cli import main

ADDED = {
    "answer: [wanted, unwanted]}": "answer: [wanted, unwanted], score: decimal}",
    "metrics:\n": "metrics:\n  certain: mean(score over answers)\n",
    "gates:\n": "gates:\n  sure:\n    says: The mean score is at least 0.5.\n    must: certain >= 0.5\n",
}
WANTED = "over cases where label == unwanted"
NONE = "some cases have label is undefined"  # nothing of answers
ASKED = "some cases have answer is undefined"


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("project")
    out = io.StringIO()
    assert main(["init", str(folder)], io.StringIO(), out, out) == 0, out.getvalue()
    return next(folder.glob("specs/*/protocol.yaml"))


def _found(template: Path, *changes: tuple[str, str]) -> list[str]:
    text = original = template.read_text(encoding="utf-8")
    for before, after in (*ADDED.items(), *changes):
        assert before in text, before
        text = text.replace(before, after, 1)
    try:
        template.write_text(text, encoding="utf-8")
        _, findings = pipeline.check(template)
    finally:
        template.write_text(original, encoding="utf-8")
    assert [item.message for item in findings if item.severity == "error"] == []
    return [item.message for item in findings if item.id == "W0828"]


@pytest.mark.parametrize(
    "changes",
    [
        (),
        ((ASKED, "some cases have score is undefined"),
         ("  cases.right:", "  cases.score: only(answers).score\n  cases.right:")),
        ((ASKED, "some cases have doubled is undefined"),
         ("  cases.right:", "  cases.doubled: 2 * only(answers).score\n  cases.right:")),
        ((ASKED, "some cases have said is undefined"), ("  cases.right:", "  cases.said: answer\n  cases.right:")),
        ((ASKED, "some cases where answer is undefined"),),
        ((ASKED, "count(cases where answer is defined) < 8"), ("A message has no", "One of 8 messages has no")),
        ((ASKED, "rate(answer is defined over cases) < 100%"),),
    ],
    ids=["as it is", "another column", "computed of one", "a name of it", "no condition", "their number", "their rate"],
)  # fmt: skip
def test_a_blocker_on_a_column_of_the_row_asks_for_the_row(
    template: Path, changes: tuple[tuple[str, str], ...]
) -> None:
    assert _found(template, *changes) == []


@pytest.mark.parametrize(
    "changes",
    [
        ((ASKED, NONE),),
        ((ASKED, "some answers have answer is undefined"),),
        ((ASKED, "some cases have answer is undefined"),
         ("  cases.answer: only(answers).answer", "  cases.answer: {is: only(answers).answer, if_undefined: wanted}")),
        ((ASKED, "some cases have right is undefined"),),
        ((ASKED, NONE), (WANTED, "over cases where answer is defined")),
        ((ASKED, NONE), (WANTED, "over cases where only(answers) is defined")),
    ],
    ids=["another table's", "rows that are there", "a word for none", "false for none", "left out", "rows left out"],
)  # fmt: skip
def test_what_tells_nothing_of_missing_rows_keeps_the_warning(
    template: Path, changes: tuple[tuple[str, str], ...]
) -> None:
    (message,) = _found(template, *changes)
    assert message.startswith("`certain` is over the rows of `answers`")
