"""Draws that are summed per unit against draws with all their rows, and how their values are ordered."""

from __future__ import annotations

import random
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from protoc_runtime.engine import draws, pooled
from protoc_runtime.engine.context import ONE
from protoc_runtime.engine.pooled import Folded, Unfit
from protoc_runtime.engine.redrawn import Redrawn
from unit.test_emit_rules import HEAD, loaded, resolved, tables
from unit.test_engine_draws import DATA, OUTPUTS, TAIL, UNITS, VOTES

FITTING = {
    "one rate": ("rate(up over votes)", "units", "follow: [votes]"),
    "rates of arms": ("share.g1 - share.g2", "units", "follow: [votes]"),
    "mean of decimals": ("mean(x over units)", "units", ""),
    "of a subset": ("sum(x over positive) / count(positive)", "positive", ""),
    "strata": ("mean(x over units)", "units", "within: group"),
    "filter and condition": ("count(votes where up and unit.x > 0) / count(votes)", "units", "follow: [votes]"),
    "units without rows": ("mean(x over units)", "units", "out_of: 14"),
}
WHOLE = {"median": ("median(x over units)", "units", ""), "maximum": ("max(x over units)", "units", "")}


def both(case: tuple[str, str, str], folder: Path, kind: type[Redrawn]) -> list[Any]:
    """The metric of each draw in one of the two ways."""
    metric, resample, more = case
    interval = f"  i:\n    metric: m\n    resample: {resample}\n{OUTPUTS}    seed: 11\n"
    interval += f"    {more}\n" if more else ""
    shares = "  share.<groups>: rate(up over votes where unit.group == group)\n"
    text = f"{HEAD}{DATA}\nmetrics:\n{shares}  m: '{metric}'\nintervals:\n{interval}{TAIL}"
    protocol = resolved(text, folder)
    rules = loaded(protocol)
    given = tables(protocol, {"units": [unit | {"x": float(unit["x"])} for unit in UNITS], "votes": VOTES})
    study = rules.study(given)
    rule = study.rules.intervals["i"]
    sets = rule.formula(study)
    strata = rule.strata(study, *sets) if rule.strata is not None else [()] * len(sets)
    units = 14 if "out_of" in more else None
    drawn = [draws._entry_rows(rows, by, ONE, 0) for rows, by in zip(sets, strata, strict=True)]
    return draws.drawn_values(kind, study, rule, [], drawn, units, random.Random(11), 25)


@pytest.mark.parametrize("name", FITTING)
def test_both_ways_give_the_same_draws(name: str, tmp_path: Path) -> None:
    found = both(FITTING[name], tmp_path, Folded)
    assert found == both(FITTING[name], tmp_path, Redrawn)
    assert len(set(found)) > 5


def test_counting_the_rows_of_a_draw_exactly_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pooled.Pooled, "rough", 2**62)
    name = "rates of arms"
    assert both(FITTING[name], tmp_path, Folded) == both(FITTING[name], tmp_path, Redrawn)


@pytest.mark.parametrize("name", WHOLE)
def test_what_is_no_sum_is_left_to_the_other_way(name: str, tmp_path: Path) -> None:
    with pytest.raises(Unfit):
        both(WHOLE[name], tmp_path, Folded)
    assert len(both(WHOLE[name], tmp_path, Redrawn)) == 60


def test_fractions_closer_than_doubles_are_sorted_exactly() -> None:
    near = [Fraction(1, 3) + Fraction(step, 10**30) for step in (3, 1, 2, 0)]
    assert draws.in_order([*near, Fraction(-1)]) == sorted([*near, Fraction(-1)])
    assert draws.in_order([Fraction(10**400), Fraction(1, 10**400), Fraction(0)])[0] == 0


def test_draws_at_zero_count_on_both_sides() -> None:
    values = [Fraction(n, 3) for n in (-1, 0, 0, 2, 5, 7)]
    assert draws._summary([*values, None], Fraction(9, 10), True)["p"] == Fraction(2 * 3, 6)
    assert draws._summary([Fraction(0)] * 4, Fraction(9, 10), True)["p"] == 1
