"""The pages with commands, typed as they stand; the tutorial has a test of its own.

A yaml block with the mark `file: PATH` is written to that file, and a diff block is an edit. What is not to be
typed stands in a `sh` block.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from e2e.test_tutorial import TUTORIAL, Session
from e2e.workspaces import ROOT
from unit.doc_blocks import PAGES, Block, blocks

TYPED = [page for page in PAGES if page != TUTORIAL and any(block.language == "console" for block in blocks(page))]


@pytest.mark.parametrize("page", TYPED, ids=lambda page: page.name)
def test_the_page_can_be_typed(page: Path, tmp_path: Path) -> None:
    session = Session(tmp_path)
    for block in blocks(page):
        expect_followed(session, block)


def expect_followed(session: Session, block: Block) -> None:
    if block.language == "console":
        session.expect_typed(block.text, block.mark("status") or "0")
    elif block.language == "diff":
        session.edit(block.text)
    elif block.mark("file"):
        path = session.folder / str(block.mark("file"))
        assert path.exists(), "the page shows a file that is already there"
        path.write_text(block.text, encoding="utf-8")


def test_no_page_shows_a_command_that_is_not_typed() -> None:
    for page in PAGES:
        for block in blocks(page):
            assert block.language == "console" or not block.text.startswith("$ protoc"), block.label
    assert ROOT / "README.md" in TYPED
