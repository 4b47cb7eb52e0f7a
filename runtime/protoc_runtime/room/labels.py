"""Labels as the room shows them: what is known of each, and a number that stays the same in every row."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import count
from typing import Any

from protoc_runtime.adjudication.marks import choices, seen
from protoc_runtime.procedure import Judgement


def numbers(judgement: Judgement, rows: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """The number of each label, from 1; `rows` are what each row of the part sees.

    A label has one number, and so one key and one colour, in all rows; labels that stand in one row have different
    ones. Rows with lists of their own so share the same few numbers, which a keyboard has.
    """
    beside: dict[str, set[str]] = {}
    for sees in rows:
        offered = choices(judgement, sees)
        for label in offered:
            beside.setdefault(label, set()).update(offered)
    made: dict[str, int] = {}
    for label, others in beside.items():
        taken = {made[other] for other in others if other in made}
        made[label] = next(number for number in count(1) if number not in taken)
    return made


def labels(judgement: Judgement, sees: Mapping[str, Any], numbered: Mapping[str, int]) -> list[dict[str, Any]]:
    """The labels of a row by their numbers, each with its meaning, or what else stands in the list that holds it."""
    made = [{"label": label, "meaning": meaning} for label, meaning in _meanings(judgement, sees)]
    return sorted(({**each, "number": numbered[each["label"]]} for each in made), key=lambda each: each["number"])


def _meanings(judgement: Judgement, sees: Mapping[str, Any]) -> Iterable[tuple[str, str]]:
    if not judgement.choices:
        return judgement.labels
    name, _, column = judgement.choices.partition(".")
    listed = seen(name, sees) if column else None
    if isinstance(listed, list):
        return [(str(item.get(column)), _rest(item, column)) for item in listed]
    return [(label, "") for label in choices(judgement, sees)]


def _rest(item: Mapping[str, Any], column: str) -> str:
    return "; ".join(f"{name}: {value}" for name, value in item.items() if name != column and value is not None)
