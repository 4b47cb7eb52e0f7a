"""Checks that a session runs in the same sandbox."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.judging import differs, walled
from protoc_compiler.drift.model import Delta, Judged

RULE = "Looser where there is none, or a person may vouch for it; stricter where there is one now."


def judge(delta: Delta, _context: Context) -> Judged | None:
    """See `RULE`."""
    return differs(delta, walled(delta), "sandbox of a session")
