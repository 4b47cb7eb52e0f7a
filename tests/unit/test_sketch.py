"""Sketches: small, without texts, and comparable also where they were cut off."""

from __future__ import annotations

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protoc_runtime import sketch as module
from protoc_runtime.reading.corpus import Corpus, telling
from protoc_runtime.sketch import Digests, Sketch, from_bytes, near, shared, sketch, to_bytes
from unit.corpora import KINDS_OF_COPIES, queries

SETS = st.sets(st.integers(0, 400), max_size=120)


def corpus(texts: list[str], opening: str = "k") -> Corpus:
    keys = tuple(f'{{"case":"{opening}{number}"}}' for number in range(len(texts)))
    bodies = tuple(f'{{"query":"{text}"}}' for text in texts)
    return Corpus(keys, tuple(map("".join, zip(keys, bodies, strict=True))), bodies, telling([texts]))


def cut(values: set[int], kept: int) -> Digests:
    ordered = sorted(values)
    return Digests(tuple(ordered[:kept]), len(ordered))


@given(SETS, SETS, st.integers(1, 50), st.integers(1, 50))
def test_sets_that_were_cut_off_are_compared_where_both_are_whole(
    first: set[int], second: set[int], kept: int, other: int
) -> None:
    one, two = cut(first, kept), cut(second, other)
    limits = [each.kept[-1] for each in (one, two) if each.count > len(each.kept)]
    mine, theirs = ({value for value in each if value <= min(limits, default=500)} for each in (first, second))
    found = shared(one, two)
    assert (found.shared, found.of) == (len(mine & theirs), min(len(mine), len(theirs)))
    assert shared(cut(first, 500), cut(second, 500)).shared == len(first & second), "whole sets are compared exactly"
    assert shared(two, one) == found


def test_a_file_gives_its_sketch_again_and_nothing_else() -> None:
    made = sketch(corpus(queries(50, 1)))
    data = to_bytes(made)
    assert from_bytes(data) == made
    assert len(data) < 50 * 140 + 400
    for wrong in (b"", b"{}\n", data.replace(b"protoc-sketch/1", b"protoc-sketch/2"), data.replace(b'"', b"", 1)):
        with pytest.raises(ValueError, match=r"."):
            from_bytes(wrong)


def test_a_corpus_beyond_the_bound_is_still_recognised(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "KEPT", 64)
    texts = queries(1000, 1)
    whole = sketch(corpus(texts))
    assert len(to_bytes(whole)) < 64 * 140 + 400
    copy = sketch(corpus([*texts[:950], *queries(50, 2)], "z"))
    assert 800 < whole.texts.count < 1250, "about a thousand"
    assert 0.8 < float(shared(whole.texts, copy.texts).share) <= 1
    assert shared(whole.ids, copy.ids).shared == 0
    other = sketch(corpus(queries(1000, 3)))
    assert shared(whole.texts, other.texts).shared == 0
    assert near(whole, other).share < 0.1


@pytest.mark.parametrize("kind", KINDS_OF_COPIES, ids=lambda kind: kind.__name__.strip("_"))
def test_small_edits_of_every_text_are_recognised_and_other_texts_are_not(kind) -> None:
    import random

    choose, texts = random.Random(4), queries(200, 1)
    original = sketch(corpus(texts))
    assert near(original, sketch(corpus([kind(text, choose) for text in texts]))).share > 0.75
    assert near(original, sketch(corpus(queries(200, 2)))).share < 0.02


def test_without_signatures_nothing_is_said_of_near_duplicates(monkeypatch: pytest.MonkeyPatch) -> None:
    signed = sketch(corpus(queries(20, 1)))
    monkeypatch.setitem(sys.modules, "rensa", None)
    plain: Sketch = sketch(corpus(queries(20, 1)))
    assert (plain.method, plain.signatures) == ("", ())
    assert near(signed, plain).of == 0
    assert shared(signed.texts, plain.texts).shared == 20
