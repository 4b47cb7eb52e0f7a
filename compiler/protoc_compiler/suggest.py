"""`did you mean`: the nearest known names."""

from __future__ import annotations

from collections.abc import Iterable


def hint(name: str, known: Iterable[str], otherwise: str = "") -> str:
    """`did you mean `x`?`, or the list of what is known when that is short, or `otherwise`."""
    options = sorted({option for option in known if option})
    near = nearest(name, options)
    if near:
        return "did you mean " + " or ".join(f"`{option}`" for option in near) + "?"
    if otherwise:
        return otherwise
    if 0 < len(options) <= 8:
        return "known here: " + ", ".join(f"`{option}`" for option in options)
    return "check the spelling, or define it"


def nearest(name: str, known: Iterable[str]) -> list[str]:
    """The one or two known names that may be meant, the nearest first."""
    from difflib import get_close_matches

    return get_close_matches(name, sorted(known), n=2, cutoff=0.6)
