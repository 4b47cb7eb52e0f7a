"""The walk through five versions, typed as it stands on `docs/drift-review.md`."""

from __future__ import annotations

from pathlib import Path

from e2e.test_tutorial import BLOCK, ROOT, Session


def test_the_review_of_five_versions_can_be_typed(tmp_path: Path) -> None:
    session = Session(tmp_path)
    blocks = BLOCK.findall((ROOT / "docs" / "drift-review.md").read_text(encoding="utf-8"))
    assert len(blocks) > 10
    for kind, status, body in blocks:
        if kind == "diff":
            session.edit(body)
        else:
            session.expect_typed(body, status or "0")
