"""`accuracy.V2`: which keys stand in the places of a name. A regular expression is the judge."""

from __future__ import annotations

import random
import re

import pytest

from protoc_compiler.elaborate.paths import filled


def by_expression(text: str, pieces: list[str], labels: list[tuple[str, ...]]) -> tuple[str, ...] | None:
    pattern = re.escape(pieces[0])
    for known, piece in zip(labels, pieces[1:], strict=True):
        words = "|".join(re.escape(label) for label in sorted(known, key=len, reverse=True))
        pattern += f"({words or '[^.]+'}){re.escape(piece)}"
    found = re.fullmatch(pattern, text)
    return found.groups() if found is not None else None


@pytest.mark.parametrize(
    ("text", "pieces", "labels", "found"),
    [
        ("m.a", ["m.", ""], [("a", "b")], ("a",)),
        ("m.c", ["m.", ""], [("a", "b")], None),
        ("m.a.b", ["m.", ""], [("a", "a.b")], ("a.b",)),
        ("m.a.b", ["m.", ".", ""], [("a", "a.b"), ("b",)], ("a", "b")),
        ("m.word", ["m.", ""], [()], ("word",)),
        ("m.two.words", ["m.", ""], [()], None),
        ("m", ["m"], [], ()),
        ("m.", ["m.", ""], [()], None),
    ],
)
def test_the_longest_labels_that_fit(
    text: str, pieces: list[str], labels: list[tuple[str, ...]], found: tuple[str, ...] | None
) -> None:
    assert filled(text, pieces, labels) == found == by_expression(text, pieces, labels)


def test_it_is_as_a_regular_expression_has_it() -> None:
    chance = random.Random(48)
    words = ["a", "b", "ab", "ba", "a.b", ".", "aa", ""]
    matched = 0
    for _ in range(4_000):
        places = chance.randint(0, 3)
        pieces = [chance.choice(words) for _ in range(places + 1)]
        labels = [tuple(chance.sample(words[:7], chance.randint(0, 3))) for _ in range(places)]
        given = [chance.choice((*known, "a")) for known in labels]
        text = pieces[0] + "".join(word + piece for word, piece in zip(given, pieces[1:], strict=True))
        expected = by_expression(text, pieces, labels)
        matched += expected is not None
        assert filled(text, pieces, labels) == expected, (text, pieces, labels)
    assert matched > 1_000
