"""How far raters agree: as the library says, as others say, and counted code point by code point."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protoc_runtime.adjudication.agreement import agreement, cohen, fleiss
from protoc_runtime.engine.library.agreement import _cohen, _fleiss
from protoc_runtime.procedure import Judgement

LABELS = st.sampled_from("abc")
MARKING = Judgement("m", "t", "g", "label", ("k",), ("text",), (("a", ""), ("b", "")), marks="text", raters=("X", "Y"))
LABELLING = Judgement("l", "t", "g", "label", ("k",), (), (("a", ""), ("b", ""), ("c", "")), raters=("X", "Y"))


@settings(max_examples=80)
@given(st.lists(st.tuples(LABELS, LABELS), min_size=1, max_size=30))
def test_two_raters_as_the_library_counts_them(pairs: list[tuple[str, str]]) -> None:
    first, second = map(list, zip(*pairs, strict=True))
    assert cohen([(1, pair) for pair in pairs]) == _cohen(first, second)
    assert cohen([(n, pair) for pair, n in Counter(pairs).items()]) == _cohen(first, second)


def test_two_raters_as_others_count_them() -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    first, second = list("aabbccaabc"), list("abbbccaacc")
    found = cohen([(1, pair) for pair in zip(first, second, strict=True)])
    assert found is not None
    assert float(found) == pytest.approx(metrics.cohen_kappa_score(first, second))


@settings(max_examples=80)
@given(st.integers(3, 5).flatmap(lambda n: st.lists(st.tuples(*[LABELS] * n), min_size=1, max_size=20)))
def test_more_raters_as_the_library_counts_them(rows: list[tuple[str, ...]]) -> None:
    items = [at for at, row in enumerate(rows) for _ in row]
    labels = [label for row in rows for label in row]
    assert fleiss([(1, row) for row in rows]) == _fleiss(items, labels)


def marks(places: list[tuple[int, int, str]]) -> list[dict[str, Any]]:
    return [{"start": start, "end": start + length, "label": label} for start, length, label in places]


PLACES = st.lists(st.tuples(st.integers(0, 12), st.integers(1, 6), st.sampled_from("ab")), max_size=4, unique=True)


@settings(max_examples=100)
@given(PLACES, PLACES)
def test_marks_are_compared_code_point_by_code_point(
    one: list[tuple[int, int, str]], two: list[tuple[int, int, str]]
) -> None:
    text = "ab\U0001f600 d" * 5
    lines = {rater: [{"sees": {"text": text}, "marks": marks(places)}] for rater, places in (("X", one), ("Y", two))}
    found = agreement(MARKING, lines)
    said = [
        [tuple(sorted({label for start, n, label in places if start <= at < start + n})) for at in range(len(text))]
        for places in (one, two)
    ]
    kappa = _cohen(*said)
    assert found["units"] == len(text) == 25
    assert found["alike"] == sum(a == b for a, b in zip(*said, strict=True))
    assert found["kappa"] == (None if kappa is None else {"num": kappa.numerator, "den": kappa.denominator})
    assert found["marks"]["by_all"] == len({*one} & {*two})


def test_nothing_to_agree_on_is_undefined() -> None:
    assert agreement(LABELLING, {"X": [], "Y": []})["kappa"] is None
    assert fleiss([]) is None
    assert cohen([(3, ("a", "a"))]) is None  # chance alone would agree always
    three = agreement(LABELLING, {rater: [{"label": "a"}, {"label": "b"}] for rater in "XYZ"})
    assert (three["measure"], three["kappa"]) == ("Fleiss' kappa", {"num": 1, "den": 1})
