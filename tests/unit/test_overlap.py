"""Audits of overlap: everything that two corpora share is told, and nothing else."""

from __future__ import annotations

import random
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protoc_runtime import overlap as module
from protoc_runtime.diagnostics import Refused
from protoc_runtime.overlap import Overlap, overlap
from protoc_runtime.reading.corpus import Corpus, telling
from protoc_runtime.texts import ALIKE, alike, jaccard, plain, shingles
from unit.corpora import KINDS_OF_COPIES, planted, project, queries, rows, write_rows
from unit.projects import Project, ids, read_json

WORDS = st.sampled_from(["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta"])
TEXTS = st.lists(st.lists(WORDS, min_size=1, max_size=7).map(" ".join), min_size=1, max_size=8)


def corpus(texts: list[str], keys: list[str] | None = None) -> Corpus:
    return Corpus(tuple(keys or ()), (), (), telling([texts]))


def test_the_plain_form_keeps_what_is_said() -> None:
    assert plain("  Héllo,\tWORLD!! ") == "héllo world"
    assert plain("ﬁne x²") == "fine x2"
    assert plain("РАУРАL") == plain("PAYPAL"), "letters that look alike"
    assert plain("?!") == "?!"
    assert plain("") == ""
    assert shingles("abc") == {"abc"}
    assert shingles("abcde") == {"abcd", "bcde"}
    assert jaccard(shingles(""), shingles("")) == 0


@given(st.text(max_size=30), st.text(max_size=30))
def test_alike_is_the_exact_index(first: str, second: str) -> None:
    one, two = shingles(plain(first)), shingles(plain(second))
    assert alike(one, two) is (jaccard(one, two) >= ALIKE)
    assert jaccard(one, two) == jaccard(two, one)


@given(TEXTS, TEXTS)
def test_both_ways_tell_the_same_as_every_pair(first: list[str], second: list[str]) -> None:
    """The audit of small corpora against all pairs by hand, and the one with signatures against it."""
    one, two = corpus(first), corpus(second)
    theirs = [text for texts in two.texts for text in texts]
    due = [
        row
        for row, texts in enumerate(one.texts)
        if any(text not in theirs and any(alike(shingles(text), shingles(other)) for other in theirs) for text in texts)
    ]
    found = overlap(one, two)
    assert [pair.first for pair in found.texts] == [r for r, texts in enumerate(one.texts) if set(texts) & set(theirs)]
    assert [pair.first for pair in found.near] == [row for row in due if row not in {p.first for p in found.texts}]


def signed(first: Corpus, second: Corpus, monkeypatch: pytest.MonkeyPatch) -> Overlap:
    """The audit as it is made of larger corpora."""
    monkeypatch.setattr(module, "PAIRWISE", 0)
    return overlap(first, second)


@pytest.mark.parametrize("kind", KINDS_OF_COPIES, ids=lambda kind: kind.__name__.strip("_"))
def test_every_planted_pair_is_told(kind, monkeypatch: pytest.MonkeyPatch) -> None:
    choose = random.Random(5)
    first, second = queries(400, 1), queries(400, 2)
    places = choose.sample(range(400), 60)
    for number, place in enumerate(places):
        second[place] = kind(first[number], choose)
        assert jaccard(shingles(plain(first[number])), shingles(plain(second[place]))) >= ALIKE, "so it is planted"
    found = signed(corpus(first), corpus(second), monkeypatch)
    assert {(pair.first, pair.second) for pair in (*found.texts, *found.near)} == set(enumerate(places))


def test_more_texts_than_pairs_can_be_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    """3,000 against 3,000: the signatures choose, and the same pairs are told in the other direction."""
    choose = random.Random(7)
    first, second = queries(3000, 1), queries(3000, 2)
    for number in range(120):
        second[number] = planted(first[-1 - number], number, choose)
    found, back = overlap(corpus(first), corpus(second)), overlap(corpus(second), corpus(first))
    told = {(pair.first, pair.second) for pair in (*found.texts, *found.near)}
    assert told == {(2999 - number, number) for number in range(120)}
    assert told == {(pair.second, pair.first) for pair in (*back.texts, *back.near)}
    assert "MinHash" in found.method
    assert found.compared == (3000, 3000)


def test_pairs_just_at_the_threshold_are_told_as_often_as_is_stated(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 600 pairs with an index of 0.70 to 0.72 at most two are missed (stated: 0.4 on average)."""
    choose, first, second = random.Random(11), [], []
    for text in queries(600, 3, words=20):
        words = text.split()
        for place in choose.sample(range(20), 20):
            changed = " ".join(words)
            index = jaccard(shingles(plain(text)), shingles(plain(changed)))
            if index < 0.735:
                break
            kept, words[place] = words[place], "".join(choose.choices("bcdfgh", k=4))
            if jaccard(shingles(plain(text)), shingles(plain(" ".join(words)))) < ALIKE:
                words[place] = kept
                break
        first.append(text)
        second.append(" ".join(words))
    near = [n for n in range(600) if ALIKE <= jaccard(shingles(first[n]), shingles(plain(second[n]))) < 1]
    found = signed(corpus(first), corpus(second), monkeypatch)
    missed = set(near) - {pair.first for pair in found.near}
    assert len(near) > 400
    assert len(missed) <= 2, missed


def test_texts_that_are_all_half_alike_are_refused_and_equal_ones_are_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "COMPARISONS", 1000)
    base = "the same opening of every text that is rather long and never changes at all "
    first = [f"{base[:60]} {text[:40]}" for text in queries(300, 1)]
    second = [f"{base[:60]} {text[:40]}" for text in queries(300, 2)]
    with pytest.raises(Refused) as refused:
        signed(corpus(first), corpus(second), monkeypatch)
    assert refused.value.diagnostics[0].id == "E2310"
    many = signed(corpus([base] * 3 + queries(2, 1)), corpus([base] * 400 + queries(300, 4)), monkeypatch)
    assert [pair.first for pair in many.texts] == [0, 1, 2]
    same = [base + "x", *queries(2, 1)]
    assert [pair.first for pair in signed(corpus(same), corpus(same), monkeypatch).texts] == [0, 1, 2]


def test_without_the_package_large_corpora_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "rensa", None)
    with pytest.raises(Refused) as refused:
        signed(corpus(queries(3, 1)), corpus(queries(3, 2)), monkeypatch)
    assert refused.value.diagnostics[0].id == "E2310"
    assert "evalprotoc[overlap]" in refused.value.diagnostics[0].hint
    monkeypatch.undo()
    monkeypatch.setitem(sys.modules, "rensa", None)
    assert not overlap(corpus(queries(9, 1)), corpus(queries(9, 2))).found, "small ones need none"
