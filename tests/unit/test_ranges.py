"""Numbers that a spec writes as an option are looked at when it is checked."""

from __future__ import annotations

import pytest

from unit.small import ids, spec

VALUES = [
    ("wilson(count(cases), 96, level = {}).low", ("0", "1", "950%", "0.9999999999999999"), ("95%", "0.5")),
    ("quantile(score over cases, at = {})", ("1.5", "-1"), ("0", "1", "95%")),
    ("ece(score, good over cases, bins = {})", ("0", "-3"), ("1", "10")),
    ("cut_off(score over cases, group = {}, of = 3)", ("0",), ("1", "3")),
    ("round(accuracy, digits = {})", ("401", "-401"), ("-2", "400")),
]


@pytest.mark.parametrize(("formula", "wrong", "right"), VALUES)
def test_an_option_outside_of_its_range(formula: str, wrong: tuple[str, ...], right: tuple[str, ...]) -> None:
    for value in wrong:
        assert ids(spec(metrics=f"m: {formula.format(value)}")) == ["E0546"]
    for value in right:
        assert "E0546" not in ids(spec(metrics=f"m: {formula.format(value)}"))


@pytest.mark.parametrize(("draws", "expected"), [("1_000_000", []), ("1_000_001", ["E0546"])])
def test_more_draws_than_are_made(draws: str, expected: list[str]) -> None:
    given = f"metric: accuracy, resample: cases, follow: [answers], draws: {draws}, generator: mersenne twister"
    interval = f"intervals:\n  spread: {{{given}, seed: 1, level: 95%, low: low}}\n"
    found = ids(spec(changes=(("\ngates:\n", f"\n{interval}\ngates:\n"),)))
    assert [item for item in found if item == "E0546"] == expected
