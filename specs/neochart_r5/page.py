"""QA1 of this example at the review room: the same answers as in `review.py`, given through the page.

python3 page.py WORKSPACE BUNDLE    opens `protoc adjudicate BUNDLE --serve`, and does what a person at the page does

Every step is sent as the page's own script sends it: a name, a text that is shown, each mark, that a text is done; then
the inventory is locked, and only then the proposals are asked for and labelled.
"""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.request import HTTPRedirectHandler, Request, build_opener

from review import HERE, PERSON, label

SECONDS = 60


class Page:
    """One rater's browser, as far as the room can tell."""

    def __init__(self, link: str) -> None:
        self._address = link.partition("/enter/")[0]
        self._ask = build_opener(_Stay())
        came = self._ask.open(Request(link), timeout=SECONDS)  # noqa: S310
        self._cookie = came.headers["Set-Cookie"].partition(";")[0]

    def act(self, act: str, **wanted: Any) -> dict[str, Any]:
        """One step; what the room answers. Raises HTTPError for a step that it does not take."""
        headers = {"Cookie": self._cookie, "Origin": self._address, "Content-Type": "application/json"}
        data = json.dumps({"act": act, **wanted}).encode()
        asked = Request(f"{self._address}/api/act", data, headers)  # noqa: S310
        with self._ask.open(asked, timeout=SECONDS) as answer:
            made: dict[str, Any] = json.load(answer)
        return made

    def part(self, name: str, desk: dict[str, Any]) -> dict[str, Any]:
        """One part of the desk."""
        return next(part for part in desk["parts"] if part["name"] == name)


class _Stay(HTTPRedirectHandler):
    """The cookie stands in the answer that leads on."""

    def http_error_303(self, request: Any, answer: Any, code: int, words: str, headers: Any) -> Any:
        return answer


def judge(page: Page) -> dict[str, int]:
    """Both stages; how many marks and labels were given."""
    inventory = json.loads((HERE / "inventory.json").read_text(encoding="utf-8"))
    desk = page.act("name", name=PERSON)["desk"]
    given = {"marks": 0, "labels": 0}
    for at in range(len(page.part("inventory", desk)["rows"])):
        row = page.act("show", part="inventory", row=at)["row"]
        for mark in inventory.get(row["key"].removeprefix("case "), []):
            place = {"start": mark["start"], "end": mark["end"], "label": mark["label"]}
            page.act("mark", part="inventory", row=at, **place)
            given["marks"] += 1
        page.act("done", part="inventory", row=at)
    desk = page.act("lock", part="inventory")["desk"]
    for at in range(len(page.part("proposal", desk)["rows"])):
        row = page.act("show", part="proposal", row=at)["row"]
        case = row["key"].removeprefix("case ").partition(",")[0]
        told = label({"key": {"case": case}, "sees": row["sees"]}, inventory)
        page.act("label", part="proposal", row=at, label=told["label"])
        given["labels"] += 1
    page.act("lock", part="proposal")
    return given


def review(workspace: Path, bundle: str) -> dict[str, int]:
    """Open the room, judge, and close it."""
    command = [sys.executable, "-m", "protoc_compiler", "adjudicate", bundle, "--serve", "--rater", "QA1"]
    room = subprocess.Popen(command, cwd=workspace, stdout=subprocess.PIPE, text=True)  # noqa: S603
    try:
        assert room.stdout is not None
        link = next((line for line in room.stdout if line.startswith("QA1: ")), "")
        if not re.match(r"QA1: http://127\.0\.0\.1:\d+/enter/", link):
            raise SystemExit("the room did not open")
        return judge(Page(link.removeprefix("QA1: ").strip()))
    finally:
        room.send_signal(signal.SIGINT)
        room.communicate(timeout=SECONDS)


if __name__ == "__main__":
    print("given at the page:", review(Path(sys.argv[1]), sys.argv[2]))
