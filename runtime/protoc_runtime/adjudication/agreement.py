"""How far several raters agree: Cohen's kappa of two, Fleiss' kappa of more, exact.

Of labels each judged row is one unit. Of marks each code point of each text is one: what it was marked as, by each
rater, or nothing. Undefined of nothing, and where chance alone would agree always.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

from protoc_runtime.adjudication.marks import text_of
from protoc_runtime.adjudication.sheets import Line
from protoc_runtime.procedure import Judgement

Unit = tuple[int, tuple[Any, ...]]  # how many units are alike, and what each rater says of them


def agreement(judgement: Judgement, lines: Mapping[str, Sequence[Line]]) -> dict[str, Any]:
    """What the receipt says of the raters of one judgement; `lines` are theirs, by rater, all rows in one order."""
    rows = list(zip(*lines.values(), strict=True))
    units = list(_code_points(judgement, rows) if judgement.marks else _labels(rows))
    made: dict[str, Any] = {
        "of": "code points" if judgement.marks else "rows",
        "units": sum(weight for weight, _ in units),
        "alike": sum(weight for weight, said in units if len(set(said)) == 1),
        "measure": "Cohen's kappa" if len(lines) == 2 else "Fleiss' kappa",
        "kappa": _number(cohen(units) if len(lines) == 2 else fleiss(units)),
    }
    if judgement.marks:
        made["marks"] = _spans(lines)
    return made


def cohen(units: Sequence[Unit]) -> Fraction | None:
    """Cohen's kappa of two raters."""
    many = sum(weight for weight, _ in units)
    first, second = (_counted((weight, said[at]) for weight, said in units) for at in (0, 1))
    agreed = sum(weight for weight, said in units if said[0] == said[1])
    by_chance = sum(count * second[label] for label, count in first.items())
    return _corrected(Fraction(agreed, many), Fraction(by_chance, many * many)) if many else None


def fleiss(units: Sequence[Unit]) -> Fraction | None:
    """Fleiss' kappa of as many raters for each unit."""
    many, raters = sum(weight for weight, _ in units), len(units[0][1]) if units else 0
    if not many:
        return None
    pairs = sum(weight * sum(n * (n - 1) for n in Counter(said).values()) for weight, said in units)
    all_labels = _counted((weight, label) for weight, said in units for label in said)
    by_chance = Fraction(sum(n * n for n in all_labels.values()), (many * raters) ** 2)
    return _corrected(Fraction(pairs, many * raters * (raters - 1)), by_chance)


def _corrected(agreed: Fraction, by_chance: Fraction) -> Fraction | None:
    return None if by_chance == 1 else (agreed - by_chance) / (1 - by_chance)


def _counted(given: Iterable[tuple[int, Any]]) -> Counter[Any]:
    made: Counter[Any] = Counter()
    for weight, label in given:
        made[label] += weight
    return made


def _labels(rows: list[tuple[Line, ...]]) -> Iterator[Unit]:
    for row in rows:
        yield 1, tuple(line["label"] for line in row)


def _code_points(judgement: Judgement, rows: list[tuple[Line, ...]]) -> Iterator[Unit]:
    """The stretches of each text between the ends of marks: in one of them all code points are marked alike."""
    for row in rows:
        length = len(text_of(judgement, row[0]["sees"]))
        ends = {0, length, *(mark[end] for line in row for mark in line["marks"] for end in ("start", "end"))}
        places = sorted(ends)
        for start, end in pairwise(places):
            yield end - start, tuple(_marked(line, start) for line in row)


def _marked(line: Line, at: int) -> tuple[str, ...]:
    return tuple(sorted({mark["label"] for mark in line["marks"] if mark["start"] <= at < mark["end"]}))


def _spans(lines: Mapping[str, Sequence[Line]]) -> dict[str, Any]:
    """How many marks each has made, and how many all have made to the character."""
    sets = [
        {(at, mark["start"], mark["end"], mark["label"]) for at, line in enumerate(of_rater) for mark in line["marks"]}
        for of_rater in lines.values()
    ]
    by_rater = {rater: len(marks) for rater, marks in zip(lines, sets, strict=True)}
    return {"by_rater": by_rater, "by_all": len(set.intersection(*sets))}


def _number(value: Fraction | None) -> dict[str, int] | None:
    return None if value is None else {"num": value.numerator, "den": value.denominator}
