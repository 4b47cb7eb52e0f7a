"""Checks that no less is kept of what a provider answers."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.judging import became
from protoc_compiler.drift.model import Delta, Judged

RULE = "Looser: only digests are kept, and nobody can read the answers later."


def judge(delta: Delta, _context: Context) -> Judged | None:
    """See `RULE`."""
    return became(delta, "digests", "looser", f"of the answers of provider `{delta.thing.name}` only digests are kept")
