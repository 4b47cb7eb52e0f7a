"""The word of a verdict where there may be none: what leaves a verdict undefined leaves nothing else undone."""

from __future__ import annotations

NONE = "none"


def word_of(verdict: object) -> str:
    """The word as registry and phases know it; empty where there is none, as of a run that has not ended."""
    return "" if verdict is None else str(verdict)


def spoken(verdict: object) -> str:
    """The word as people read it."""
    return word_of(verdict) or NONE
