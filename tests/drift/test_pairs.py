"""Pairs of specs: `NAME.a.yaml` and `NAME.b.yaml` are what `base.yaml` is changed to, `NAME.expected` what is said.

Each topic has a pair whose change is looser (or one-sided in another way), the same pair the other way round, and a
pair that means the same.
"""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

import pytest

from drift.overlay import BASE, PAIRS, spec
from drift.test_seed_kinds import CASES
from protoc_compiler import core
from protoc_compiler.drift.classify import SHARED
from protoc_compiler.drift.kinds import KINDS
from protoc_compiler.drift.pages import all_pages, module_of
from protoc_compiler.drift.reading import read
from protoc_compiler.drift.review import changes_of

NAMES = sorted(path.name.removesuffix(".expected") for path in PAIRS.glob("*.expected"))


UNPAIRED = (
    "added",
    "column_origin_changed",
    "function_changed",
    "pinned_code_added",
    "pinned_code_changed",
    "pinned_code_removed",
    "pinned_input_added",
    "pinned_input_changed",
    "pinned_input_removed",
    "removed",
    "resampling_generator_changed",
    "session_changed",
    "value_type_changed",
    "words_listed_changed",
)  # shown by tests of their own, or by the mutations of the seeds
LOPSIDED = ("amendment-present", "subject-program")
TOPICS = sorted({name.rpartition(".")[0] for name in NAMES})


def _protocol(path: Path) -> core.Protocol:
    return _read(spec(path))


@cache
def _read(data: bytes) -> core.Protocol:
    return read(str(BASE), "pair.yaml", data).protocol


def _told(name: str) -> str:
    old, new = (_protocol(PAIRS / f"{name}.{side}.yaml") for side in "ab")
    changes, context = changes_of(old, new)
    lines = [f"{change.direction:12} {change.id} {change.path}: {change.message}" for change in changes]
    rules = [f"{effect.direction:12} alone {effect.rule}" for effect in context.effects] if changes else []
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


def test_each_kind_of_change_is_told_of_some_pair() -> None:
    told = set()
    for name in NAMES:
        for line in (PAIRS / f"{name}.expected").read_text(encoding="utf-8").splitlines():
            if " alone " not in line:
                told.add(line.split()[1])
    told |= {said.split()[0] for case in CASES for said in case[3:]}
    subjects = {page.id: page.subject for page in all_pages()}
    modules = {module_of(name, subjects[name]) for name in told & subjects.keys()}
    known = {
        f"protoc_compiler.drift.kinds.{name}"
        for fields in KINDS.values()
        for names in fields.values()
        for name in names
    }
    known |= {f"protoc_compiler.drift.shared.{name}" for names in SHARED.values() for name in names}
    assert {name.rpartition(".")[2] for name in known - modules} == set(UNPAIRED)


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
