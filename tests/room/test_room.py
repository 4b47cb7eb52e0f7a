"""The room without a browser: who may speak to it, which steps it takes, and that steps give the same state again."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from e2e import reviewed
from e2e.test_reviewed_run import adjudicate
from protoc_runtime.adjudication.sending import import_sheets
from protoc_runtime.adjudication.stages import open_stage
from protoc_runtime.chain import Line
from protoc_runtime.diagnostics import Refused
from protoc_runtime.room.drafts import DONE, LABELLED, MARKED, NOTED, UNDONE, UNMARKED, Drafts

pytest.importorskip("starlette", reason="the extra `room` is not installed")
from starlette.testclient import TestClient

from protoc_runtime.room.desk import Desk
from protoc_runtime.room.guard import Sessions
from protoc_runtime.room.web import application

HOST = "127.0.0.1:8000"
LABEL = {"act": "label", "label": "accepted"}
OWN = {"Origin": f"http://{HOST}"}


@pytest.fixture(scope="module")
def pending(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that waits for people."""
    _, run = reviewed.run(tmp_path_factory.mktemp("room") / "w")
    return run


class Room:
    """A room in this process, with a client that has no cookie yet."""

    def __init__(self, run: Path) -> None:
        self.desk = Desk(open_stage(run))
        self.sessions = Sessions(("QA1", "QA2"), 8000)
        self.links = {rater: link for link, rater in self.sessions.links.items()}
        app = application(self.desk, self.sessions, frozenset((HOST, "localhost:8000")))
        self.client = TestClient(app, base_url=f"http://{HOST}", follow_redirects=False)

    def enter(self, rater: str = "QA1", name: str = "Ada") -> Room:
        """Come in as a rater."""
        assert self.client.get(f"/enter/{self.links[rater]}").status_code == 303
        self.act(act="name", name=name)
        return self

    def act(self, **wanted: Any) -> Any:
        """What the room answers."""
        return self.client.post("/api/act", json=wanted, headers=OWN)

    def step(self, at: int = 0, **wanted: Any) -> Any:
        """A step on a row of the inventory, which is shown first."""
        self.act(act="show", part="inventory", row=at)
        return self.act(part="inventory", row=at, **wanted)


@pytest.fixture
def room(pending: Path, tmp_path: Path) -> Iterator[Room]:
    copy = Path(shutil.copytree(pending, tmp_path / pending.name))
    made = Room(copy)
    yield made
    made.desk.close()


def test_only_its_own_page_may_speak_to_it(room: Room) -> None:
    link = room.links["QA1"]
    assert room.client.get("/").status_code == 403
    assert room.client.get("/api/desk").status_code == 403
    assert room.act(act="show", part="inventory", row=0).status_code == 403
    assert room.client.get("/enter/" + "x" * 32).status_code == 403
    assert room.client.head(f"/enter/{link}").status_code == 403  # who only looks does not use the link up
    came = room.client.get(f"/enter/{link}")
    cookie = came.headers["set-cookie"].lower()
    assert ("httponly" in cookie, "samesite=strict" in cookie) == (True, True)
    assert TestClient(room.client.app, base_url=f"http://{HOST}").get(f"/enter/{link}").status_code == 403  # used
    assert room.client.get("/").status_code == 200
    for headers in (
        {"Origin": "http://evil.example"}, {"Origin": "null"}, {}, OWN | {"Host": "evil.example"},
        OWN | {"Sec-Fetch-Site": "cross-site"}, OWN | {"Content-Type": "text/plain"},
    ):  # fmt: skip
        answer = room.client.post("/api/act", content=b'{"act": "name", "name": "x"}', headers=headers)
        assert (answer.status_code, "evil" in answer.text) == (403, False), headers
    assert room.client.get("/", headers={"Host": "evil.example"}).status_code == 403
    assert room.client.put("/api/act", headers=OWN).status_code == 403
    large = room.client.post("/api/act", content=b"x" * 70_000, headers=OWN | {"Content-Type": "application/json"})
    assert large.status_code == 403


def test_every_answer_forbids_what_it_must(room: Room) -> None:
    for path in ("/", f"/enter/{room.links['QA1']}", "/static/room.js", "/nothing", "/static/../room.html"):
        headers = room.client.get(path).headers
        assert "default-src 'none'" in headers["content-security-policy"]
        assert "unsafe" not in headers["content-security-policy"]
        assert (headers["cache-control"], headers["referrer-policy"]) == ("no-store", "no-referrer")
        assert headers["x-frame-options"] == "DENY"


def test_the_page_loads_nothing_from_elsewhere(room: Room) -> None:
    room.enter()
    place = Path(__file__).parents[2] / "runtime" / "protoc_runtime" / "room" / "static"
    sources = [room.client.get("/").text, *(path.read_text(encoding="utf-8") for path in place.iterdir())]
    for source in sources:
        source = source.replace("http://www.w3.org/2000/svg", "")
        assert [part for part in ("http:", "https:", "//cdn", "@import", "innerHTML", "eval(") if part in source] == []


@pytest.mark.parametrize(
    ("wanted", "words"),
    [
        ({"act": "mark", "start": 0, "end": 9, "label": "motive"}, "none of the labels"),
        ({"act": "mark", "start": 5, "end": 5, "label": "notice"}, "Select a passage"),
        ({"act": "mark", "start": -1, "end": 5, "label": "notice"}, "Select a passage"),
        ({"act": "mark", "start": 0, "end": 10**9, "label": "notice"}, "Select a passage"),
        ({"act": "mark", "start": True, "end": 5, "label": "notice"}, "Select a passage"),
        ({"act": "mark", "start": "0", "end": 5, "label": "notice"}, "Select a passage"),
        ({"act": "unmark", "start": 0, "end": 5, "label": "notice"}, "not there any more"),
        ({"act": "label", "label": "notice"}, "cannot be done"),
        ({"act": "undo"}, "nothing to undo"),
        ({"act": "note", "note": "x" * 3000}, "at most"),
        ({"act": "note", "note": 5}, "at most"),
        ({"act": "drop"}, "cannot be done"),
    ],
)
def test_steps_that_are_not_taken(room: Room, wanted: dict[str, Any], words: str) -> None:
    answer = room.enter().step(**wanted)
    assert (answer.status_code, words in answer.json()["fault"]) == (409, True), answer.text


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b"[" * 60_000, b'{"act": 5}', b'{"row": "0"}', b"\xff"])
def test_requests_that_cannot_be_read(room: Room, body: bytes) -> None:
    answer = room.enter().client.post("/api/act", content=body, headers=OWN | {"Content-Type": "application/json"})
    assert (answer.status_code, answer.json()["fault"]) == (409, "This request cannot be read.")


@pytest.mark.breaks("B033")
def test_nothing_is_shown_before_its_time(room: Room) -> None:
    room.enter()
    for row in (0, 1, 99, -1):
        answer = room.act(act="show", part="proposal", row=row)
        assert (answer.status_code, answer.json()["fault"]) == (409, "proposal is shown later.")
    view = room.client.get("/api/desk").json()
    assert view["parts"][1] == {
        "name": "proposal", "says": "whether a proposed passage applies its element", "state": "waiting",
        "marks": False, "rows": [], "after": ["inventory"],
    }  # fmt: skip
    assert room.act(act="lock", part="inventory").json()["fault"] == "3 of 3 rows are not done yet."
    assert room.act(act="mark", part="inventory", row=1, start=0, end=5, label="notice").json()["fault"] == (
        "This row was not shown yet."
    )


def test_a_locked_part_is_locked_and_the_others_are_unseen(room: Room) -> None:
    room.enter()
    assert room.step(act="mark", start=0, end=9, label="notice").status_code == 200
    for at in range(3):
        room.step(at, act="done")
    assert room.act(act="lock", part="inventory").status_code == 200
    assert "locked" in room.step(act="undo").json()["fault"]
    assert "locked already" in room.act(act="lock", part="inventory").json()["fault"]
    room.client.cookies.clear()
    room.enter("QA2", "Bob")
    row = room.act(act="show", part="inventory", row=0).json()["row"]
    assert row["answer"] == {"marks": [], "label": "", "note": ""}
    assert room.act(act="show", part="proposal", row=0).json()["fault"] == "proposal is shown later."


def test_two_rooms_of_one_run_are_refused(room: Room) -> None:
    status, said = adjudicate(room.desk.stage.folder, "--serve")
    assert (status, "E1502" in said) == (1, True)
    status, said = adjudicate(room.desk.stage.folder, "--serve", "--rater", "QA9")
    assert (status, "E2624" in said) == (1, True)
    status, said = adjudicate(room.desk.stage.folder, "--serve", "--port", "999999")
    assert (status, "E2626" in said) == (1, True)


def test_a_ledger_that_was_cut_off_loses_no_step_that_was_answered(room: Room) -> None:
    room.enter()
    room.step(act="mark", start=0, end=9, label="notice")
    room.desk.close()
    folder = room.desk.stage.folder
    ledger = folder / "adjudication.unfinished" / "ledger.jsonl"
    ledger.write_bytes(ledger.read_bytes() + b'{"body":{"act')  # killed while a step was written
    from protoc_runtime.adjudication.opening import open_checked

    with Desk(open_checked(folder, None)) as desk:
        row = desk.row("QA1", "inventory", 0)
        assert [mark["quote"] for mark in row["answer"]["marks"]] == ["The clerk"]
        desk.act("QA1", "inventory", 0, {"act": "undo"})
        assert desk.row("QA1", "inventory", 0)["answer"]["marks"] == []
    assert b"recovered" in ledger.read_bytes()


def test_a_room_that_was_killed_before_it_closed_the_stage_closes_it(room: Room) -> None:
    for rater in ("QA1", "QA2"):
        room.client.cookies.clear()
        room.enter(rater)
        for part in ("inventory", "proposal"):
            rows = room.client.get("/api/desk").json()["parts"][part == "proposal"]["rows"]
            for at in range(len(rows)):
                room.act(act="show", part=part, row=at)
                room.act(part=part, row=at, **({"act": "done"} if part == "inventory" else LABEL))
            assert room.act(act="lock", part=part).status_code == 200
    folder = room.desk.stage.folder
    closed = folder / "adjudication"
    whole = {path.name: path.read_bytes() for path in closed.iterdir() if path.is_file()}
    for name in ("receipt.json", "RECEIPT.md", "manifest.json", "MANUAL_ADJUDICATION.md", "rows/reviews.jsonl"):
        (closed / name).unlink()  # as it was when the last sheet was in
    closed.rename(folder / "adjudication.unfinished")
    with Desk(open_stage(folder)) as desk:
        assert desk.complete
    assert {path.name: path.read_bytes() for path in closed.iterdir() if path.is_file()} == whole


def test_a_sheet_that_is_not_what_was_done_is_found(room: Room) -> None:
    from protoc_runtime.adjudication.checking import check_stages
    from protoc_runtime.canonical import digest_bytes
    from protoc_runtime.diagnostics import Findings
    from protoc_runtime.ledger import Ledger

    room.enter()
    for at in range(3):
        room.step(at, act="done")
    room.desk.close()
    folder = room.desk.stage.folder
    place = folder / "adjudication.unfinished"
    desk = Desk(open_stage(folder))
    desk.lock("QA1", "inventory")
    desk.close()
    sheet = place / "sheets" / "inventory.QA1.jsonl"
    forged = sheet.read_bytes().replace(b"Ada", b"Eve")
    sheet.write_bytes(forged)
    ledger = place / "ledger.jsonl"
    events = [line for line in ledger.read_bytes().splitlines() if b"sheet_imported" not in line]
    ledger.write_bytes(b"\n".join(events) + b"\n")
    with Ledger.open(ledger) as writer:
        body = {"judgement": "inventory", "rater": "QA1", "sheet": digest_bytes(forged), "by": "room"}
        writer.append("sheet_imported", body)
    findings = Findings()
    check_stages(folder, open_stage(folder).declared, findings)
    assert [item.id for item in findings] == ["E2627"]


# --- steps and their state ------------------------------------------------------------------------------------------


def events(steps: list[tuple[str, int]]) -> list[Line]:
    made = []
    for seq, (kind, n) in enumerate(steps):
        body: dict[str, Any] = {"judgement": "j", "rater": "", "row": 0, "at": f"t{seq:03}"}
        if kind in (MARKED, UNMARKED):
            body |= {"start": n, "end": n + 1 + n % 2, "label": "ab"[n % 2]}
        if kind == LABELLED:
            body["label"] = "ab"[n % 2]
        if kind == NOTED:
            body["note"] = str(n)
        made.append(Line(seq, "", kind, body, ""))
    return made


@settings(max_examples=150)
@given(st.lists(st.tuples(st.sampled_from((MARKED, UNMARKED, LABELLED, NOTED, DONE, UNDONE)), st.integers(0, 5))))
def test_undoing_a_step_gives_what_was_before(steps: list[tuple[str, int]]) -> None:
    before = Drafts(events(steps)).row("j", 0)
    for kind in (MARKED, UNMARKED, LABELLED, NOTED):
        after = Drafts(events([*steps, (kind, 3), (UNDONE, 0)])).row("j", 0)
        assert (after.marks, after.label, after.note) == (before.marks, before.label, before.note)
    places = [(mark.start, mark.end, mark.label) for mark in before.marks]
    assert places == sorted(set(places))
    assert not (before.done_at and steps[-1][0] in (MARKED, UNMARKED))  # a change is to be saved again


@pytest.mark.parametrize("name", ["\ud800", "\u200b", "a\0b", "\x1b[31m", "\u202eadA", "---"])
def test_what_is_no_name(room: Room, name: str) -> None:
    room.enter()
    asked = json.dumps({"act": "name", "name": name}).encode()
    answer = room.client.post("/api/act", content=asked, headers=OWN | {"Content-Type": "application/json"})
    assert (answer.status_code, answer.json()["fault"].startswith("Write your name")) == (409, True)
    assert room.client.get("/api/desk").json()["name"] == "Ada"


def test_what_somebody_saved_meanwhile_is_not_saved_again(pending: Path, tmp_path: Path) -> None:
    run = Path(shutil.copytree(pending, tmp_path / pending.name))
    early = open_stage(run)
    with Desk(open_stage(run)) as desk:
        desk.enter("QA1", "Ada")
        for at in range(3):
            desk.show("QA1", "inventory", at)
            desk.act("QA1", "inventory", at, {"act": "done"})
        desk.lock("QA1", "inventory")
    sheet = run / "adjudication.unfinished" / "sheets" / "inventory.QA1.jsonl"
    kept, other = sheet.read_bytes(), tmp_path / "sheets"
    other.mkdir()
    (other / sheet.name).write_bytes(kept.replace(b"Ada", b"Eve"))
    for again in (lambda: import_sheets(early, other), lambda: Desk(early)):  # who had read the stage before
        with pytest.raises(Refused) as refused:
            again()
        assert [item.id for item in refused.value.diagnostics] == ["E1502"]
    assert sheet.read_bytes() == kept
    Desk(open_stage(run)).close()  # whoever reads it now may go on
