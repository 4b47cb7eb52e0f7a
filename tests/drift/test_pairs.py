"""Pairs of specs: `NAME.a.yaml` and `NAME.b.yaml` are what `base.yaml` is changed to, `NAME.expected` what is said.

Each topic has a pair whose change is looser (or one-sided in another way), the same pair the other way round, and a
pair that means the same.
"""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

import pytest

from drift.overlay import PAIRS, base_of, spec
from protoc_compiler import core
from protoc_compiler.drift.pages import Page, all_pages
from protoc_compiler.drift.reading import read
from protoc_compiler.drift.review import changes_of
from protoc_compiler.drift.ways import FUTURE, SEALED, shown, ways
from protoc_compiler.elaborate.intervals import GENERATORS

NAMES = sorted(path.name.removesuffix(".expected") for path in PAIRS.glob("*.expected"))


COUNTED = "counted-"  # topics whose direction only the numbers of rows tell
LOPSIDED = ("amendment-present", "freeze-measured-gone", "subject-program")
TOPICS = sorted({name.rpartition(".")[0] for name in NAMES})


def _protocol(path: Path) -> core.Protocol:
    return _read(base_of(path), spec(path))


@cache
def _read(base: Path, data: bytes) -> core.Protocol:
    return read(str(base), "pair.yaml", data).protocol


def _told(name: str) -> str:
    old, new = (_protocol(PAIRS / f"{name}.{side}.yaml") for side in "ab")
    prove = name.startswith(COUNTED)
    changes, context = changes_of(old, new, prove=prove)
    lines = [f"{change.direction:12} {change.id} {change.path}: {change.message}" for change in changes]
    rules = [
        f"{effect.direction:12} alone {effect.rule}{f', {effect.status}' if prove else ''}"
        for effect in (context.effects if changes else ())
    ]
    return "".join(f"{line}\n" for line in (*lines, *rules))


@pytest.mark.parametrize("topic", TOPICS)
def test_a_pair_is_told_as_expected(topic: str) -> None:
    for name in (f"{topic}.forth", f"{topic}.back", f"{topic}.same"):
        path = PAIRS / f"{name}.expected"
        found = _told(name)
        if os.environ.get("PROTOC_UPDATE"):
            path.write_text(found, encoding="utf-8")
        assert found == path.read_text(encoding="utf-8"), name


def test_each_topic_has_three_pairs() -> None:
    assert len(TOPICS) > 150
    assert len(NAMES) == 3 * len(TOPICS)


@cache
def _shown() -> dict[str, dict[str, set[str]]]:
    """By kind of change the topics whose pairs tell it, and by topic in which directions they do."""
    found: dict[str, dict[str, set[str]]] = {}
    for name in NAMES:
        for line in (PAIRS / f"{name}.expected").read_text(encoding="utf-8").splitlines():
            direction, kind = line.split()[:2]
            if kind != "alone":
                found.setdefault(kind, {}).setdefault(name.rpartition(".")[0], set()).add(direction)
    return found


PAGES = [page for page in all_pages() if page.subject not in SEALED and page.id not in FUTURE]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.id)
def test_each_kind_of_change_has_three_pairs_and_every_direction(page: Page) -> None:
    """Forth, back and the same make three; which directions a kind has, and why no others, stands on its page."""
    topics = _shown().get(page.id, {})
    pairs = [name for topic in topics for name in NAMES if name.rpartition(".")[0] == topic]
    assert len(pairs) >= 3, page.id
    assert set(ways(page)) <= {way for told in topics.values() for way in told}, page.id
    assert ("never" in shown(page)) is not ({"looser", "stricter"} <= set(ways(page)))


def test_nothing_is_told_that_no_page_knows() -> None:
    generic = {"SPLIT_CHANGED"}  # of a list in another order
    assert set(_shown()) - {page.id for page in all_pages()} == generic


def test_what_seals_pin_and_the_future_are_the_only_kinds_without_pairs() -> None:
    unpaired = {page.id for page in all_pages()} - {page.id for page in PAGES}
    changes = ("ADDED", "CHANGED", "REMOVED")
    assert unpaired == {f"{subject}_{change}" for subject in SEALED for change in changes} | set(FUTURE)
    assert set(GENERATORS) == {"mersenne twister"}


def test_what_means_the_same_is_nowhere_looser_or_stricter() -> None:
    for topic in TOPICS:
        text = (PAIRS / f"{topic}.same.expected").read_text(encoding="utf-8")
        assert {line.split()[0] for line in text.splitlines()} <= {"equivalent", "text"}, topic


def test_what_goes_forth_comes_back_the_other_way() -> None:
    opposite = {"looser": "stricter", "stricter": "looser"}
    for topic in TOPICS:
        forth, back = (
            sorted(line.split()[0] for line in (PAIRS / f"{topic}.{way}.expected").read_text("utf-8").splitlines())
            for way in ("forth", "back")
        )
        if topic not in LOPSIDED:
            assert sorted(opposite.get(way, way) for way in forth) == back, topic
