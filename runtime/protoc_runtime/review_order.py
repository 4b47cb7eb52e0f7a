"""Which judgement comes before which, as a rater meets them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


def saved_before(judgements: Iterable[Any], name: str) -> frozenset[str]:
    """The judgements that are saved before a rater is shown the one of this name: those that it follows, those that
    its rows follow from, and what these come after."""
    before = {judgement.name: (*judgement.follows, *judgement.after) for judgement in judgements}
    found: set[str] = set()
    waiting = list(before.get(name, ()))
    for each in waiting:
        if each not in found:
            found.add(each)
            waiting += before[each]
    return frozenset(found)
