"""Both rooms, walked in a browser: marked, saved, locked, reloaded, by two raters, with the server killed between."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from e2e import judged, reviewed
from e2e.workspaces import Workspace, read_rows
from room.serving import NAMELESS, Visitor, chromium, served

pytestmark = pytest.mark.timeout(400)
NEVER = ("sparse", "REASONING", "pick", "reason")


@pytest.fixture(scope="module")
def chrome() -> Iterator[Any]:
    with chromium() as made:
        yield made


def check_by_ear(visitor: Visitor) -> None:
    """What a screen reader is told: regions, headings, the names of everything that can be used."""
    page = visitor.page
    assert page.evaluate(NAMELESS) == []
    for role, name in (
        ("navigation", "Stages"), ("navigation", "Rows"), ("complementary", "Your answer"), ("progressbar", "done"),
        ("article", "case"), ("group", "Mark the selection as"), ("link", "Skip to the row"),
    ):  # fmt: skip
        assert page.get_by_role(role, name=name).count() == 1, (role, name)
    assert page.get_by_role("heading", level=1).count() == 1
    assert page.evaluate("document.activeElement.id") == "row-title"  # the next text is read out first
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.id") in ("previous", "next")


def no_overflow(visitor: Visitor) -> bool:
    """Whether nothing stands outside of the page's width."""
    wide: int = visitor.page.evaluate("document.documentElement.scrollWidth - innerWidth")
    return wide <= 0


@pytest.mark.breaks("B006", "B033")
def test_two_raters_from_the_first_mark_to_the_verdict(chrome: Any, tmp_path: Path) -> None:
    workspace, run = reviewed.run(tmp_path / "w")
    first, second = Visitor(chrome), Visitor(chrome, 390, 844, has_touch=True, is_mobile=True)
    with served(run) as room:
        first.enter(room.links["QA1"], "Ada Lovelace")
        page = first.page
        page.get_by_role("textbox", name="case a").focus()  # by keyboard alone: "The clerk", up to the emoji
        first.press("Control+Home", *["Shift+ArrowRight"] * 9, "2")
        first.sees("Marked “The clerk” as notice. 1 mark.")
        first.press("u")
        first.sees("Undone. 0 marks.")
        first.select(0, 33)  # beyond an emoji: UTF-16 counts one unit more than the protocol
        first.press("2")
        first.sees("as notice. 1 mark.")
        page.get_by_role("textbox", name="case a").press("x")  # it is read, never written
        assert page.locator("#text").inner_text().startswith("The clerk \U0001f4dc sent notice")
        room.kill()
    with served(run) as room:
        first.enter(room.links["QA1"])
        page.get_by_role("heading", name="1 mark", exact=True).wait_for()  # kill -9 has lost nothing
        first.select(34, 53)
        page.get_by_role("button", name="consent").click()
        first.sees("as consent. 2 marks.")
        assert first.told("The buyer")
        first.press("Enter", "Enter", "Enter")
        second.enter(room.links["QA2"], "Bob")
        assert not second.told("Ada")  # each is blind to the others
        assert second.page.locator("#marks li").count() == 0
        check_by_ear(second)
        assert no_overflow(second)
        for visitor in (first, second):
            assert [word for word in NEVER if visitor.told(word)] == []
        first.lock("inventory")
        page.get_by_role("radio", name="accepted").wait_for()  # only now a proposal is shown
        assert page.get_by_role("button", name="inventory").is_enabled()
        first.press("1", "Enter")
        page.locator("#row-title").filter(has_text="case a, n 2").wait_for()
        page.reload()
        page.locator("#row-title").filter(has_text="case a, n 2").wait_for()
        first.press(*["2", "Enter"] * 3)  # who types ahead loses no step
        page.get_by_text("4 of 4 rows done").wait_for()
        room.kill()
    with served(run, "--rater", "QA2") as room:
        assert list(room.links) == ["QA2"]
        second.enter(room.links["QA2"])
        second.select(0, 9)
        second.page.get_by_role("button", name="notice").click()
        second.sees("Marked “The clerk” as notice.")
        for following in ("case b", "case c", ""):
            second.page.get_by_role("button", name="Done with this text").click()
            second.page.locator("#row-title").filter(has_text=following).wait_for()
        second.lock("inventory")
        for n in range(4):
            second.page.get_by_role("radio", name="accepted").click()
            second.page.get_by_text(f"{n + 1} of 4 rows done").wait_for()
            if n < 3:
                second.page.get_by_role("button", name="Next row").click()
                second.page.locator("#labels :checked").wait_for(state="detached")
        second.lock("proposal")
        second.page.get_by_role("heading", name="Everything is saved and locked").wait_for()
        assert room.stop() == 0
        assert "not locked yet: proposal.QA1" in room.said
        assert [word for word in (*NEVER, "Bob", "clerk") if word in room.said] == []  # no log holds what was done
    with served(run) as room:
        first.enter(room.links["QA1"])
        first.lock("proposal")
        page.get_by_role("heading", name="Everything is saved and locked").wait_for()
        assert room.stop() == 0
    _ends(workspace, run, first, second)


def _ends(workspace: Workspace, run: Path, first: Visitor, second: Visitor) -> None:
    gold = {
        (row["case"], row["rater"], row["n"]): row for row in read_rows(run / "adjudication" / "rows" / "gold.jsonl")
    }
    text = str(reviewed.CASES[0]["text"])
    assert sorted(gold) == [("a", "QA1", 1), ("a", "QA1", 2), ("a", "QA2", 1)]
    assert [(row["start"], row["end"], row["quote"]) for row in gold.values()] == [
        (row["start"], row["end"], text[row["start"] : row["end"]]) for row in gold.values()
    ]
    assert gold["a", "QA1", 1]["quote"] == "The clerk \U0001f4dc sent notice by post."
    assert gold["a", "QA1", 1]["adjudicator"] == "Ada Lovelace"
    reviews = read_rows(run / "adjudication" / "rows" / "reviews.jsonl")
    shown = [row for row in reviews if row.get("first_proposal_shown_at")]
    assert len(shown) == 4
    assert all(row["inventory_saved_at"] < row["first_proposal_shown_at"] for row in shown)
    assert "verdict" in workspace.protoc("verdict", str(run), status=1)
    workspace.protoc("verify", str(run))
    for visitor in (first, second):
        assert visitor.away() == []
        assert [word for word in ("sparse", "REASONING") if visitor.told(word)] == []
        assert [fault for fault in visitor.faults if "ERR_" not in fault] == []
    ledger = (run / "adjudication" / "ledger.jsonl").read_text(encoding="utf-8")
    assert [word for word in ("sparse", "REASONING") if word in ledger] == []
    kinds = {json.loads(line)["kind"] for line in ledger.splitlines()}
    assert {"rater_entered", "row_shown", "mark_added", "step_undone", "row_done", "label_set"} <= kinds


def test_labels_by_number_keys_and_at_twice_the_size(chrome: Any, tmp_path: Path) -> None:
    """The other room: topics that are judged one by one, by somebody whom the protocol does not name."""
    workspace = judged.workspace(tmp_path / "w", subject=judged.SUBJECT.replace('"Logic"', '" Logic\\n"'))
    workspace.protoc("run", "specs/topics", status=1)
    run = workspace.bundles()[-1]
    rater = Visitor(chrome, 640, 430)  # 1280 by 860 at 200 %
    with served(run) as room:
        rater.enter(room.links["rater"], "Ada")
        assert no_overflow(rater)
        assert not rater.told("expected")
        rater.press("n")
        rater.page.get_by_text("␣Logic↵", exact=True).wait_for()  # white space at the ends is seen
        rater.press("p")
        rater.page.locator("#row-title").filter(has_text="rank 1").wait_for()
        for n, key in enumerate("1222", 1):
            rater.press(key, "Enter")
            rater.page.get_by_text(f"{n} of 4 rows done").wait_for()
        rater.press("p")
        rater.page.locator("#row-title").filter(has_text="case b, rank 1").wait_for()
        rater.press("u")
        rater.sees("No label")
        assert rater.page.get_by_role("button", name="Save ratings").is_disabled()
        rater.press("1")
        rater.sees("Labelled good")
        rater.page.get_by_role("button", name="Save and lock ratings").click()
        rater.page.get_by_text("4 rows: 2 good, 2 bad.").wait_for()
        rater.page.get_by_role("button", name="Not yet").click()
        rater.lock("ratings")
        rater.page.locator("#row-title").filter(has_text="case d").wait_for()
        rater.press("1")
        rater.sees("Labelled missed")
        rater.lock("reasons")
        rater.page.get_by_role("heading", name="Everything is saved and locked").wait_for()
        assert room.stop() == 0
    assert rater.away() == []
    assert "verdict: GOOD" in workspace.protoc("verdict", str(run))
