"""What counts as proof that a condition is defined."""

from __future__ import annotations

import pytest

from unit.small import ids, spec

PROVED = {
    "a column without ?": "count(cases where size > 3)",
    "a guard": "count(cases where bin is defined and bin > 3)",
    "a guard on the other side": "count(cases where bin > 3 and bin is defined)",
    "a guard in or": "count(cases where bin is undefined or bin > 3)",
    "is true": "count(cases where (bin > 3) is true)",
    "is not true": "count(cases where (bin > 3) is not true)",
    "a subset": "count(known where bin > 3)",
    "a definition with if_undefined": "count(cases where binned)",
    "a listed table by reference": "count(cases where topic.hard)",
    "an earlier line": "count(cases where banded == low)",
    "a sum of nothing": "count(cases where sum(cost over answers) > 3 USD)",
    "a count": "count(cases where count(answers where right) > 0)",
    "some": "count(cases where (some answers have right))",
    "a divisor known not to be 0": "count(cases where size > 0 and 10 / size > 3)",
    "a constant divisor": "count(cases where size / 7 > 3)",
    "a frozen value": "count(cases where size > freeze.limit)",
    "a mean over rows that are expected": "count(cases where size > mean(size over entire cases))",
}
DOUBTED = {
    "a column with ?": "count(cases where bin > 3)",
    "not of a doubt": "count(cases where not (bin > 3))",
    "a doubt beside a certainty": "count(cases where bin > 3 or size > 3)",
    "only": "count(cases where only(answers).right)",
    "all over what may be empty": "count(cases where (all answers have right))",
    "a mean of what may be empty": "count(cases where mean(cost over answers) > 3 USD)",
    "a divisor that may be 0": "count(cases where 10 / size > 3)",
    "a doubt inside some": 'count(cases where (some answers have found == "x"))',
    "slice": 'count(cases where slice(name, 0, size) == "x")',
}
DEFINITIONS = """known: cases where bin is defined
cases.binned: {is: bin > 3, if_undefined: false}
cases.banded:
  - none_ when bin is undefined
  - low when bin < 3
  - high otherwise"""


def text(formula: str) -> str:
    return spec(
        definitions=DEFINITIONS,
        metrics=f"m: {formula}\nuse: count(known) + count(cases where binned and banded == low)",
    )


@pytest.mark.parametrize("formula", PROVED.values(), ids=PROVED)
def test_proved(formula: str) -> None:
    assert ids(text(formula)) == []


@pytest.mark.parametrize("formula", DOUBTED.values(), ids=DOUBTED)
def test_doubted(formula: str) -> None:
    assert ids(text(formula)) == ["E0601"]


def test_a_line_of_a_list_must_be_decided() -> None:
    changed = (("  - PASS when all gates have held\n", "  - PASS when accuracy > 0.5 and gates.known\n"),)
    assert ids(spec(gates="known: {says: Bin above 3., must: all cases have bin > 3}", changes=changed)) == ["E0601"]


def test_a_gate_may_be_undefined() -> None:
    assert ids(spec(gates="known: {says: Bin above 3., must: all cases have bin > 3}")) == []


def test_a_filter_proves_what_stands_over_its_rows() -> None:
    definitions = "cases.n: count(entire cases as other where other.bin is defined and other.bin > size)"
    assert ids(spec(definitions=definitions, metrics="m: sum(n over cases)")) == []


@pytest.mark.parametrize(
    "formula",
    [
        "count(cases where share.algebra is defined and share.algebra > 0.5)",
        "count(cases where only(answers).cost is defined and only(answers).cost > 3 USD)",
        "count(cases where mean(cost over answers) is defined and mean(cost over answers) > 3 USD)",
    ],
)
def test_a_guard_on_rows_that_a_formula_opens_twice(formula: str) -> None:
    assert ids(spec(metrics=f"share.<topics>: rate(good over cases)\nm: {formula}")) == []


def test_a_guard_on_other_rows_proves_nothing() -> None:
    formula = "count(cases where only(answers where right).cost is defined and only(answers).cost > 3 USD)"
    assert ids(spec(metrics=f"m: {formula}")) == ["E0601"]
