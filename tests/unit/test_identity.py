"""What the digest of a meaning sees and what it does not."""

from __future__ import annotations

import pytest

from protoc_compiler import identity
from unit.small import protocol, spec

LATE, EARLY = "late: cases where seq > 9\n", "early: cases where seq <= 9\n"
MORE = {
    "definitions": LATE + EARLY,
    "metrics": "n: count(late)\nk: count(early)",
}


def digest(text: str) -> str:
    return identity.digest(protocol(text))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (f"  {LATE}  {EARLY}", f"  {EARLY}  {LATE}"),
        ("  n: count(late)\n  k: count(early)\n", "  k: count(early)\n  n: count(late)\n"),
        ("        kind: [easy, hard]\n        name: text\n", "        name: text\n        kind: [easy, hard]\n"),
        ("timeout: 5 s", "timeout: 5_000 ms"),
        ("accuracy >= 75%", "accuracy >= 0.75"),
        ("accuracy >= 75%", "(accuracy >= 75%)"),
        ("  title: A small protocol\n", "  # a remark\n  title: A small protocol\n"),
    ],
)
def test_another_spelling_is_the_same_meaning(old: str, new: str) -> None:
    text = spec(**MORE)
    assert old in text
    assert digest(text.replace(old, new)) == digest(text)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("at least 75%., must: accuracy >= 75%", "above 75%., must: accuracy > 75%"),
        ("        latency: ms\n", "        latency: s\n"),
        ("kind: [easy, hard]", "kind: [easy, hard, odd]"),
        ("A small protocol", "A small Protocol"),
        ("seq > 9", "seq >= 9"),
        ("timeout: 5 s", "timeout: 6 s"),
        ("sees: [name]", "sees: [name, size]"),
        ("may: [score once]", "may: [score]"),
        ("limit: 3", "limit: 4"),
        ("algebra: {hard: true}", "algebra: {hard: false}"),
        ("size: int\n", "size: int?\n"),
        ("released: [PASS]", "released: [PASS, FAIL]"),
    ],
)
def test_another_meaning_is_another_digest(old: str, new: str) -> None:
    text = spec(**MORE)
    assert old in text
    assert digest(text.replace(old, new)) != digest(text)
