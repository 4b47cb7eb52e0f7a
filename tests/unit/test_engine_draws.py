"""Resampling intervals against a plain loop over draws."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from fractions import Fraction
from math import ceil, floor
from pathlib import Path
from typing import Any

import pytest

from unit.test_emit_rules import HEAD, loaded, resolved, tables

DATA = """
data:
  tables:
    groups: {key: group, rows: {g1: {on: true}, g2: {on: false}}}
    units:
      key: unit
      columns: {unit: text, group: groups, x: decimal}
    votes:
      key: vote
      columns: {vote: text, unit: units, up: bool}

definitions:
  positive: units where x > 0
  units.shared: count(votes)
"""
TAIL = """
verdict:
  - POSITIVE when (low > 0) is true
  - UNCLEAR otherwise

report:
  released: [POSITIVE]
"""
UNITS = [{"unit": f"u{n}", "group": "g1" if n % 3 else "g2", "x": Fraction(n * 7 % 11 - 4, 2)} for n in range(9)]
VOTES = [{"vote": f"v{n}", "unit": f"u{n * 5 % 9}", "up": n % 4 != 0} for n in range(20)]
DRAWS, LEVEL = 60, Fraction(9, 10)
Rows = list[dict[str, Any]]


def evaluated(metrics: str, interval: str, folder: Path) -> dict[str, Any]:
    text = f"{HEAD}{DATA}\nmetrics:\n{metrics}\nintervals:\n{interval}{TAIL}"
    protocol = resolved(text, folder)
    written = [unit | {"x": float(unit["x"])} for unit in UNITS]
    found: dict[str, Any] = loaded(protocol).evaluate(tables(protocol, {"units": written, "votes": VOTES})).metrics
    return found


def resampled(
    seed: int | str, strata: Sequence[Rows], metric: Callable[[Rows], Any], units: int | None = None
) -> tuple[Any, Any, int, Any]:
    generator, found = random.Random(seed), []
    for _ in range(DRAWS):
        taken: Rows = []
        for stratum in strata:
            count = len(stratum) if units is None else units
            places = [int(generator.random() * count) for _ in range(count)]
            taken += [stratum[place] for place in places if place < len(stratum)]
        value = metric(taken)
        if value is not None:
            found.append(value)
    found.sort()
    k, tail = len(found), (1 - LEVEL) / 2
    side = min(sum(v <= 0 for v in found), sum(v >= 0 for v in found))
    p = min(Fraction(1), Fraction(2 * side, k))
    return found[floor(tail * k)], found[ceil((1 - tail) * k) - 1], k, p


def mean(rows: Rows) -> Any:
    return sum(row["x"] for row in rows) / len(rows) if rows else None


OUTPUTS = """    draws: 60
    generator: mersenne twister
    level: 90%
    low: low
    high: high
    kept: kept
    p: p
"""


def outputs(found: dict[str, Any], name: str = "") -> tuple[Any, ...]:
    return tuple(found[f"{name}{which}"] for which in ("low", "high", "kept", "p"))


def test_a_mean_within_strata(tmp_path: Path) -> None:
    expect_mean_within_strata(tmp_path)


def expect_mean_within_strata(tmp_path: Path) -> None:
    interval = f"  spread:\n    metric: middle\n    resample: units\n    within: group\n    seed: 7\n{OUTPUTS}"
    found = evaluated("  middle: mean(x over units)\n", interval, tmp_path)
    strata = [[unit for unit in UNITS if unit["group"] == group] for group in ("g1", "g2")]
    assert outputs(found) == resampled(7, strata, mean)


def test_subsets_follow_and_undefined_draws_are_dropped(tmp_path: Path) -> None:
    interval = f"  spread:\n    metric: middle\n    resample: units\n    seed: a text\n{OUTPUTS}"
    found = evaluated('  middle: mean(x over positive where unit == "u1")\n', interval, tmp_path)
    only = next(unit for unit in UNITS if unit["unit"] == "u1")
    assert only["x"] > 0
    expected = resampled("a text", [UNITS], lambda rows: mean([row for row in rows if row["unit"] == "u1"]))
    assert outputs(found) == expected
    assert 0 < expected[2] < DRAWS


def test_other_tables_follow_a_drawn_row(tmp_path: Path) -> None:
    interval = "  spread:\n    metric: share\n    resample: units\n    follow: [votes]\n    seed: 3\n" + OUTPUTS
    found = evaluated("  share: rate(up over votes)\n", interval, tmp_path)

    def share(rows: Rows) -> Any:
        votes = [vote["up"] for row in rows for vote in VOTES if vote["unit"] == row["unit"]]
        return Fraction(sum(votes), len(votes)) if votes else None

    assert outputs(found) == resampled(3, [UNITS], share)


def test_units_that_exist_only_as_zeros(tmp_path: Path) -> None:
    interval = f"  spread:\n    metric: total\n    resample: units\n    out_of: 15\n    seed: 3\n{OUTPUTS}"
    found = evaluated("  total: sum(x over units)\n", interval, tmp_path)
    assert outputs(found) == resampled(3, [UNITS], lambda rows: sum((r["x"] for r in rows), Fraction(0)), units=15)


def test_each_entry_has_its_own_generator_and_rows(tmp_path: Path) -> None:
    body = OUTPUTS.replace(": low", ": <groups>.low").replace(": high", ": <groups>.high")
    body = body.replace(": kept", ": <groups>.kept").replace(": p\n", ": <groups>.p\n")
    interval = f"  spread:\n    metric: <groups>.middle\n    resample: units\n    seed: run <groups>\n{body}"
    metrics = "  <groups>.middle: mean(x over units)\n  low: sum(x over units)\n"
    found = evaluated(metrics, interval, tmp_path)
    for group in ("g1", "g2"):
        mine = [unit for unit in UNITS if unit["group"] == group]
        assert outputs(found, f"{group}.") == resampled(f"run {group}", [mine], mean)


@pytest.mark.parametrize("size", [1, 40, 10**9])
def test_the_size_of_a_batch_changes_nothing(size: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("protoc_runtime.engine.draws.BATCH", size)
    expect_mean_within_strata(tmp_path)
