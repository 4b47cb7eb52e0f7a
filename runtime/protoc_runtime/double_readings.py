"""Rows that were read twice, though they may be read once: what merged clones can hold."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from protoc_runtime.judging import spends
from protoc_runtime.likeness import likeness
from protoc_runtime.readings import DECLARED, Reading, all_readings
from protoc_runtime.registry_lines import Branches
from protoc_runtime.sketches import Sketches


def doubles(path: Path, branches: Branches) -> Iterator[tuple[str, str, str, str]]:
    """Every double reading: the split, the first reading and the second in words, and how the rows are recognised."""
    sketches, found = Sketches(path), all_readings(branches)
    for place, second in enumerate(found):
        if second.state not in ("void", DECLARED):
            first, how = _double(found[:place], second, sketches)
            if first is not None:
                yield second.split, first.told(), second.told(), how


def _double(earlier: Sequence[Reading], later: Reading, sketches: Sketches) -> tuple[Reading | None, str]:
    """The first reading that used up what a later one read, and how its rows are recognised."""
    for first in earlier:
        like = likeness(first, later, sketches)
        if like is not None and spends(first, later, like):
            return first, like.words
    return None, ""
