"""The life of a split: what a role may become, and what it may be read for.

A role that is not listed here is a name and has no rules of its own.
"""

from __future__ import annotations

from collections.abc import Mapping

NEXT: Mapping[str, tuple[str, ...]] = {
    "development": ("consumed",),
    "heldout": ("development", "consumed"),
    "confirmation": ("confirmation only", "consumed"),
    "confirmation only": ("consumed",),
    "calibration": ("consumed",),
    "blind": ("consumed",),
    "consumed": (),
}
UNSEEN = ("heldout", "confirmation", "calibration", "blind")  # nobody has worked with these rows yet
NEVER_TUNED = ("confirmation", "confirmation only", "calibration", "blind", "consumed")


def may_become(before: str, after: str) -> bool:
    """Whether rows of one role may get another; a role that is not listed may become any that is not unseen."""
    if before == after:
        return True
    return after in NEXT[before] if before in NEXT and after in NEXT else after not in UNSEEN
