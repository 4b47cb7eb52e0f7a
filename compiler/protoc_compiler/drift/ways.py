"""In which directions a kind of change is told, read off its rule, and why in no other: what the tests hold against
the pairs, and the page of kinds tells."""

from __future__ import annotations

import re

from protoc_compiler.drift.model import Direction
from protoc_compiler.drift.page import Page

_WORDS: tuple[Direction, ...] = ("looser", "stricter", "incomparable", "equivalent", "undecided", "text")
_UNREAD = {
    "STATUS": "no rule reads a status",
    "LIST": "no rule reads a list",
    "INTERVAL": "what another draw does to a rule that reads a bound is undecided: nothing here draws",
    "SUBVERDICT": "no rule reads a sub-verdict, it stands beside the verdict",
}
_OTHER_ROWS = "other rows, or the same in another order, are read by the same formula, which nothing here compares"
_UNSHOWN: dict[str, tuple[Direction, str]] = {
    **dict.fromkeys(
        (
            "COLUMN_MEMBERS_REORDERED", "TABLE_GROUPING_CHANGED", "TABLE_KIND_CHANGED",
            "TABLE_ORDER_CHANGED", "TABLE_PARTS_CHANGED", "TABLE_SAMPLE_CHANGED", "TABLE_SAMPLE_GROUPS_CHANGED",
            "ROW_REORDERED", "SPLIT_REORDERED",
        ),
        ("undecided", _OTHER_ROWS),
    ),
    "POPULATION_CHANGED": ("incomparable", "neither filter implies the other"),
    **dict.fromkeys(
        ("METRIC_VALUE_TYPE_CHANGED", "DEFINITION_VALUE_TYPE_CHANGED"),
        ("equivalent", "the type follows from what the value reads, whose change has its own direction"),
    ),
    "BLOCKER_FORCES_CHANGED": ("equivalent", "the lines of the verdict decide, and are told by themselves"),
}  # fmt: skip
PINNED = "the pins stand in seals: the tests seal both sides"
SEALED = ("PINNED_CODE", "PINNED_INPUT")
FUTURE = {  # what no pair of specs shows
    "RESAMPLING_GENERATOR_CHANGED": "the language knows one generator so far",
    "PROTOCOL_CHANGED": "it is told of what every other kind has missed, and no spec is known where they do",
}


def ways(page: Page) -> tuple[Direction, ...]:
    """The directions that pairs must show of a kind of change, besides what is equal."""
    if page.id in _UNSHOWN:
        return (_UNSHOWN[page.id][0],)
    if "direction of" in page.rule:
        return ("equivalent",) if page.subject in _UNREAD else ("looser", "stricter")
    rule = re.sub(r"else (incomparable|text)", "", page.rule.lower())
    found = set(re.findall(r"[a-z]+", rule))
    return tuple(word for word in _WORDS if word in found)


def shown(page: Page) -> str:
    """Which pairs the tests have of it, and why not the others."""
    if page.id in FUTURE:
        return f"none: {FUTURE[page.id]}"
    found = ways(page)
    there = " and ".join((", ".join(found), "equal")) if found != ("equivalent",) else "equal"
    lacking = [way for way in ("looser", "stricter") if way not in found]
    why = f"; never {' or '.join(lacking)}, for {_why(page, found)}" if lacking else ""
    return f"{there}{why}{f'; {PINNED}' if page.subject in SEALED else ''}"


def _why(page: Page, found: tuple[Direction, ...]) -> str:
    if page.id in _UNSHOWN:
        return _UNSHOWN[page.id][1]
    if "direction of" in page.rule:
        return _UNREAD[page.subject]
    if "looser" in found or "stricter" in found:
        return "it is one-sided, and the way back is another kind or none"
    return {
        "text": "no rule reads it",
        "equivalent": "what is decided stays the same",
        "incomparable": "neither side lies within the other",
        "undecided": "nothing here can tell",
    }[found[0]]
