"""A room that is served by the real command, and a browser that walks it and remembers everything it was told."""

from __future__ import annotations

import re
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from e2e.workspaces import environment

CHROMIUM = shutil.which("chromium") or "/usr/bin/chromium"
SECONDS = 60_000  # milliseconds of any wait of the browser; none needs more than one second
SELECT = """([start, end]) => {
  const text = document.querySelector("#text"), range = document.createRange();
  const walker = document.createTreeWalker(text, NodeFilter.SHOW_TEXT);
  let at = 0;
  while (walker.nextNode()) {
    const node = walker.currentNode;
    if (start >= at && start <= at + node.length) range.setStart(node, start - at);
    if (end >= at && end <= at + node.length) { range.setEnd(node, end - at); break; }
    at += node.length;
  }
  getSelection().removeAllRanges();
  getSelection().addRange(range);
}"""


NAMELESS = """() => [...document.querySelectorAll(
    "button, input, textarea, summary, progress, [role=textbox], nav, aside, dialog, fieldset")]
  .filter((one) => one.checkVisibility())
  .filter((one) => !(one.getAttribute("aria-label") || one.getAttribute("aria-labelledby")
    || (one.labels && one.labels.length) || one.textContent.trim()))
  .map((one) => one.outerHTML)"""


class Served:
    """A room in a process of its own."""

    def __init__(self, run: Path, *arguments: str) -> None:
        command = [sys.executable, "-m", "protoc_compiler", "adjudicate", str(run), "--serve", *arguments]
        self.process = subprocess.Popen(
            command, cwd=run.parents[2], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment()
        )
        self._late = threading.Timer(250, self.process.kill)
        self._late.start()
        self.links: dict[str, str] = {}
        self.said = ""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.said += line
            found = re.match(r"(\w+): (http://\S+)", line)
            if found:
                self.links[found[1]] = found[2]
            if line.startswith("Each link"):
                return
        raise AssertionError(self.said)

    @property
    def address(self) -> str:
        """Where its page is."""
        return next(iter(self.links.values())).partition("/enter/")[0] + "/"

    def kill(self) -> None:
        """kill -9: nothing is closed or said."""
        self._end(signal.SIGKILL)

    def stop(self) -> int:
        """Ctrl-C; its exit status."""
        return self._end(signal.SIGINT)

    def _end(self, how: signal.Signals) -> int:
        if self.process.poll() is None:
            self.process.send_signal(how)
        out, _ = self.process.communicate(timeout=60)
        self._late.cancel()
        self.said += out or ""
        return self.process.returncode


@contextmanager
def served(run: Path, *arguments: str) -> Iterator[Served]:
    """A room that is gone afterwards."""
    made = Served(run, *arguments)
    try:
        yield made
    finally:
        if made.process.poll() is None:
            made.kill()


@contextmanager
def chromium() -> Iterator[Any]:
    """Debian's Chromium; skips where browser or driver are absent."""
    if not Path(CHROMIUM).is_file():
        pytest.skip("chromium is not installed")
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def suppress_gone() -> Iterator[None]:
    """Pass over the body of an answer that the page has left before it was read: the browser has dropped it."""
    from playwright.sync_api import Error

    try:
        yield
    except Error as error:
        if not re.search("No data found|No resource with given identifier|has been closed", str(error)):
            raise


class Visitor:
    """One rater's browser; `heard` is every byte that reached it, `asked` every address that it asked for."""

    def __init__(self, browser: Any, width: int = 1280, height: int = 860, **more: Any) -> None:
        self.context = browser.new_context(viewport={"width": width, "height": height}, **more)
        self.context.set_default_timeout(SECONDS)
        self.asked: list[str] = []
        self.heard: list[bytes] = []
        self.faults: list[str] = []
        self.context.on("request", lambda request: self.asked.append(request.url))
        self.context.on("response", self._hear)
        self.page = self.context.new_page()
        self.page.on("pageerror", lambda error: self.faults.append(str(error)))
        self.page.on("console", lambda told: self.faults.append(told.text) if told.type == "error" else None)

    def _hear(self, response: Any) -> None:
        if not 300 <= response.status < 400:
            with suppress_gone():
                self.heard.append(repr(response.all_headers()).encode() + response.body())

    def enter(self, link: str, name: str = "") -> None:
        """Open a link, and say who this is."""
        self.page.goto(link)
        if name:
            self.page.get_by_label("Your name").fill(name)
            self.page.get_by_role("button", name="Begin").click()
        self.page.locator("#row-title").filter(has_text="case").wait_for()

    def select(self, start: int, end: int) -> None:
        """Select a passage, by UTF-16 units as browsers count."""
        self.page.evaluate(SELECT, [start, end])
        self.page.locator("body.has-passage").wait_for()

    def press(self, *keys: str) -> None:
        """Keys, one after another."""
        for key in keys:
            self.page.keyboard.press(key)

    def sees(self, words: str) -> None:
        """Wait for the live region to say something."""
        self.page.get_by_role("status").filter(has_text=words).wait_for()

    def lock(self, name: str) -> None:
        """Save a part for good."""
        self.page.get_by_role("button", name=f"Save and lock {name}").click()
        self.page.get_by_role("dialog").get_by_role("button", name="Save and lock").click()
        self.page.get_by_role("dialog").wait_for(state="hidden")

    def away(self) -> list[str]:
        """What was asked of other machines than this one."""
        return [url for url in self.asked if urlsplit(url).hostname not in ("127.0.0.1", "localhost")]

    def told(self, words: str) -> bool:
        """Whether any of these words has reached the browser."""
        return any(words.encode() in part for part in [*self.heard, self.page.content().encode()])
