"""The room of the proposals on opinions, walked in a browser by two reviewers: the whole inventory, then each proposal.

The inventory is the one of the example. The second reviewer has a phone; the server is killed between marks and between
labels; whatever is withheld is searched byte for byte in all that left it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from e2e.neochart import SPEC, inventory
from e2e.workspaces import Workspace, new_workspace, read_rows
from room.serving import NAMELESS, Served, Visitor, chromium, served

pytestmark = pytest.mark.timeout(400)
FOLDER = f"specs/{SPEC.name}"
ALWAYS = ('"pick"', "sparse", '"stratum"', "round5", '"reason"')  # names and values that no rater may be shown
BEFORE = ('"polarity"', '"position"', ", position ")  # what only proposals have
RECTANGLES = """([start, end]) => {
  const walker = document.createTreeWalker(document.querySelector("#text"), NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  let at = 0;
  while (walker.nextNode()) {
    const node = walker.currentNode;
    if (start >= at && start < at + node.length) range.setStart(node, start - at);
    if (end > at && end <= at + node.length) { range.setEnd(node, end - at); break; }
    at += node.length;
  }
  range.startContainer.parentElement.scrollIntoView({block: "center"});
  const all = [...range.getClientRects()], first = all[0], last = all[all.length - 1];
  return [first.left + 1, first.top + first.height / 2, last.right - 1, last.top + last.height / 2];
}"""


@pytest.fixture(scope="module")
def chrome() -> Iterator[Any]:
    with chromium() as made:
        yield made


@pytest.fixture(scope="module")
def pending(tmp_path_factory: pytest.TempPathFactory) -> tuple[Workspace, Path]:
    """The example with a second reviewer, run and waiting for both."""
    workspace = new_workspace(tmp_path_factory.mktemp("opinions") / "w", SPEC)
    protocol = workspace.folder / FOLDER / "protocol.yaml"
    text = protocol.read_text(encoding="utf-8")
    assert (text.count("rater: [QA1]"), text.count("raters: [QA1]")) == (2, 2)
    text = text.replace("ater: [QA1]", "ater: [QA1, QA2]").replace("raters: [QA1]", "raters: [QA1, QA2]")
    alone = "key: case\n      columns: {case: cases, inventory_saved_at"
    assert alone in text
    each = "key: [case, rater]\n      columns: {case: cases, rater: [QA1, QA2], inventory_saved_at"
    protocol.write_text(text.replace(alone, each), encoding="utf-8")
    workspace.protoc("compile", FOLDER)
    workspace.commit("Compile the protocol")
    workspace.protoc("seal", FOLDER)
    workspace.commit("Freeze the round")
    workspace.protoc("run", FOLDER, status=1)
    return workspace, workspace.bundles()[-1]


def units(text: str, place: int) -> int:
    """A place in code points as browsers count."""
    return len(text[:place].encode("utf-16-le")) // 2


def drag(visitor: Visitor, start: int, end: int) -> None:
    """Select a passage with the mouse."""
    left, top, right, bottom = visitor.page.evaluate(RECTANGLES, [start, end])
    mouse = visitor.page.mouse
    mouse.move(left, top)
    mouse.down()
    mouse.move(right, bottom, steps=4)
    mouse.up()
    visitor.page.locator("body.has-passage").wait_for()


def title(visitor: Visitor, words: str) -> None:
    """Wait for a row."""
    visitor.page.locator("#row-title").filter(has_text=words).wait_for()


def mark(visitor: Visitor, text: str, passage: dict[str, Any], *, mouse: bool) -> None:
    """Mark one passage of the inventory, with the number of its label."""
    start, end = (units(text, passage[name]) for name in ("start", "end"))
    if mouse:
        drag(visitor, start, end)
    else:
        visitor.select(start, end)
    button = visitor.page.get_by_role("button", name=passage["label"]).first
    visitor.press(str(button.get_attribute("aria-keyshortcuts")))
    visitor.sees(f"as {passage['label']}")


def withheld(run: Path) -> list[str]:
    """What the agent has given as reasons, as it stands in JSON."""
    return sorted({row["reason"] for row in read_rows(run / "rows" / "proposed.jsonl") if len(row["reason"]) > 8})


def by_ear(visitor: Visitor) -> None:
    """The accessibility tree: every control has a name, regions and live region are there, the order is the page's."""
    page = visitor.page
    assert page.evaluate(NAMELESS) == []
    assert page.get_by_role("status").get_attribute("aria-live") == "polite"
    page.locator("#row-title").focus()
    order = []
    for _ in range(9):
        page.keyboard.press("Tab")
        order.append(page.evaluate("document.activeElement.id || document.activeElement.className"))
    assert [one for one in order if not one.startswith("label")] == [
        "next",
        "text",
        "done",
        *order[order.index("done") + 1 :],
    ]
    tree = page.locator("body").aria_snapshot()
    for line in ('navigation "Stages"', 'navigation "Rows"', 'progressbar "', 'article "case ', 'textbox "case ',
                 'group "Mark the selection as"', 'complementary "Your answer"', "status"):  # fmt: skip
        assert line in tree, (line, tree)
    assert "kind: " in tree  # a label is read out with what the checklist says of it


def overflow(visitor: Visitor) -> int:
    """How far the page is wider than the window."""
    wide: int = visitor.page.evaluate("document.documentElement.scrollWidth - innerWidth")
    return max(0, wide)


@pytest.mark.breaks("B006", "B033")
def test_two_reviewers_from_the_first_opinion_to_the_verdict(
    chrome: Any, pending: tuple[Workspace, Path], tmp_path: Path
) -> None:
    workspace, run = pending
    texts = {row["case"]: row["text"] for row in read_rows(run / "rows" / "cases.jsonl")}
    first, second = Visitor(chrome), Visitor(chrome, 390, 844, has_touch=True, is_mobile=True)
    with served(run) as room:
        first.enter(room.links["QA1"], "Ada Lovelace")
        by_ear(first)
        case = next(iter(texts))
        first.page.get_by_role("textbox", name=f"case {case}").focus()
        first.press("Control+Home", *["Shift+ArrowRight"] * 6, "1")
        first.sees(f"Marked “{texts[case][:6].strip()}”")
        first.press("u")
        first.sees("Undone. 0 marks.")
        for passage in inventory()[case]:
            mark(first, texts[case], passage, mouse=True)
        room.kill()
    exported = tmp_path / "early"
    workspace.protoc("adjudicate", str(run), "--export", str(exported), "--rater", "QA1")
    assert sorted(path.name for path in exported.iterdir() if path.suffix == ".jsonl") == ["inventory.QA1.jsonl"]
    with served(run) as room:
        first.enter(room.links["QA1"])
        many = len(inventory()[case])
        first.page.get_by_role("heading", name=f"{many} marks", exact=True).wait_for()  # kill -9 has lost nothing
        zoomed = Visitor(chrome, 640, 430, storage_state=first.context.storage_state())  # 1280 by 860 at 200 %
        zoomed.page.goto(room.address)
        title(zoomed, "case")
        assert overflow(zoomed) == 0
        marked = inventory_of(first, texts)
        second.enter(room.links["QA2"], "Bob")
        assert overflow(second) == 0
        assert second.page.locator("#marks li").count() == 0
        for visitor in (first, second, zoomed):
            unseen(visitor, room, run, (*ALWAYS, *BEFORE))
        assert not second.told("Ada Lovelace")
        first.page.get_by_role("button", name="Save and lock inventory").click()
        first.page.get_by_text(f"{len(texts)} texts with {marked} marks").wait_for()
        first.page.get_by_role("dialog").get_by_role("button", name="Not yet").click()
        first.lock("inventory")
        first.page.get_by_role("radio", name="accepted").wait_for()
        first.press("1", "Enter")
        first.page.get_by_text("1 of ").wait_for()
        room.kill()
    with served(run) as room:
        first.enter(room.links["QA1"])
        judged = labels_of(first)
        first.lock("proposal")
        first.page.get_by_role("heading", name="Everything is saved and locked").wait_for()
        second.enter(room.links["QA2"])
        for n in range(len(texts)):
            second.page.get_by_role("button", name="Done with this text").click()
            second.page.get_by_text(f"{n + 1} of {len(texts)} rows done").wait_for()
        second.lock("inventory")
        labels_of(second)
        second.lock("proposal")
        second.page.get_by_role("heading", name="Everything is saved and locked").wait_for()
        for visitor in (first, second):
            unseen(visitor, room, run, ALWAYS)
        assert room.stop() == 0
        assert [word for word in (*ALWAYS, *BEFORE, "Ada", "Bob") if word in room.said] == []
    ends(workspace, run, marked, judged, exported)
    for visitor in (first, second, zoomed):
        assert visitor.away() == []
        assert [fault for fault in visitor.faults if "ERR_" not in fault] == []


def inventory_of(visitor: Visitor, texts: dict[str, str]) -> int:
    """Mark what the example's inventory has of every text, the first of which is marked; how many marks there are."""
    cases, marked = list(texts), len(inventory()[next(iter(texts))])
    for at, case in enumerate(cases):
        title(visitor, f"case {case}")
        for passage in inventory().get(case, []) if at else ():
            mark(visitor, texts[case], passage, mouse=False)
            marked += 1
        visitor.page.locator("#row-title").focus()
        visitor.press("Enter")
        visitor.page.get_by_text(f"{at + 1} of {len(cases)} rows done").wait_for()
    return marked


def labels_of(visitor: Visitor) -> int:
    """Label every proposal that is not labelled yet by its number; how many proposals there are."""
    visitor.page.get_by_role("radio", name="accepted").wait_for()
    due = visitor.page.locator("#rows li").count()
    done = int(visitor.page.locator("#bar-words").inner_text().split(" of ")[0])
    for n in range(done, due):
        visitor.press("1" if n % 3 else "2", "Enter")
        visitor.page.get_by_text(f"{n + 1} of {due} rows done").wait_for()
    return due


def unseen(visitor: Visitor, room: Served, run: Path, words: tuple[str, ...]) -> None:
    """Nothing that is withheld has reached a browser, its page or the log."""
    assert [word for word in (*words, *withheld(run)) if visitor.told(word) or word in room.said] == []


def ends(workspace: Workspace, run: Path, marked: int, judged: int, exported: Path) -> None:
    """What was told is what the bundle has; no sheet, no ledger has what is withheld; the run closes and verifies."""
    gold = read_rows(run / "adjudication" / "rows" / "gold.jsonl")
    wanted = {(case, one["start"], one["label"]) for case, ones in inventory().items() for one in ones}
    cases = {row["case"] for row in read_rows(run / "rows" / "cases.jsonl")}
    assert {(row["case"], row["start"], row["element"]) for row in gold} == {one for one in wanted if one[0] in cases}
    assert len(gold) == marked
    assert len(read_rows(run / "adjudication" / "rows" / "decisions.jsonl")) == 2 * judged
    for row in read_rows(run / "adjudication" / "rows" / "reviews.jsonl"):
        assert row.get("first_proposal_shown_at") is None or row["inventory_saved_at"] < row["first_proposal_shown_at"]
    written = [run / "adjudication" / "ledger.jsonl", *(run / "adjudication" / "sheets").iterdir(), *exported.iterdir()]
    for path in written:
        told = path.read_bytes()
        words = [*ALWAYS, *withheld(run), *(BEFORE if path.parent == exported or "inventory" in path.name else ())]
        assert [word for word in words if word.encode() in told] == [], path
    assert "verdict: REPORTED" in workspace.protoc("verdict", str(run))
    workspace.protoc("verify", str(run))
    receipt = json.loads((run / "adjudication" / "receipt.json").read_bytes())
    assert [one["agreement"]["measure"] for one in receipt["predicate"]["judgements"]] == ["Cohen's kappa"] * 2
