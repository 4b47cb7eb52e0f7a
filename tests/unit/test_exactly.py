"""Thresholds on real numbers are decided by exact tests, which agree with 50 digits away from the edge."""

from __future__ import annotations

from decimal import Decimal, getcontext
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protoc_compiler import core
from unit.small import ids, metric, spec

getcontext().prec = 60
Z = Decimal("1.959963984540054")


def evaluate(value: core.Expr, names: dict[str, int]) -> Fraction | bool:
    """A tiny evaluator of closed formulas over two counts."""
    match value:
        case core.Const():
            return value.value if isinstance(value.value, bool) else Fraction(value.value)  # type: ignore[arg-type]
        case core.Aggregate():
            return Fraction(names["n"] if not value.rows.where else names["h"])
        case core.Arithmetic():
            left, right = evaluate(value.left, names), evaluate(value.right, names)
            return {
                "+": lambda: left + right, "-": lambda: left - right, "*": lambda: left * right,
                "/": lambda: left / right, "^": lambda: left ** int(right),
            }[value.op]()  # fmt: skip
        case core.Compare():
            left, right = (evaluate(operand, names) for operand in value.operands)
            return {
                "<": left < right, "<=": left <= right, ">": left > right, ">=": left >= right,
            }[value.ops[0]]  # fmt: skip
        case core.And():
            return all(evaluate(part, names) for part in value.parts)
        case core.Not():
            return not evaluate(value.operand, names)
    raise AssertionError(type(value))


def bounds(hits: int, n: int) -> dict[str, Decimal]:
    p, z2 = Decimal(hits) / n, Z * Z
    centre = (p + z2 / (2 * n)) / (1 + z2 / n)
    half = Z * (p * (1 - p) / n + z2 / (4 * n * n)).sqrt() / (1 + z2 / n)
    return {"low": max(Decimal(0), centre - half), "high": min(Decimal(1), centre + half)}


@pytest.mark.parametrize("bound", ["low", "high"])
@pytest.mark.parametrize("op", ["<", "<=", ">", ">="])
@given(n=st.integers(1, 400), share=st.integers(0, 400), thousandths=st.integers(0, 1000))
def test_a_wilson_bound_is_compared_exactly(bound: str, op: str, n: int, share: int, thousandths: int) -> None:
    hits = share % (n + 1)
    made = CACHE[bound, op]
    c = Fraction(thousandths, 1000)
    value = evaluate(swap(made, c), {"n": n, "h": hits})
    real = bounds(hits, n)[bound]
    limit = Decimal(thousandths) / 1000
    expected = {"<": real < limit, "<=": real <= limit, ">": real > limit, ">=": real >= limit}[op]
    on_the_edge = abs(real - limit) < Decimal("1e-40")
    assert value == expected or on_the_edge


def swap(value: core.Expr, constant: Fraction) -> core.Expr:
    """The formula with another threshold in the place of 0.123456."""
    from protoc_runtime.record import replace

    if isinstance(value, core.Const):
        return replace(value, value=constant) if value.value == Fraction("0.123456") else value
    changes: dict[str, object] = {}
    for name, part in value.__dict__.items():
        if isinstance(part, core.Expr):
            changes[name] = swap(part, constant)
        elif isinstance(part, tuple) and part and isinstance(part[0], core.Expr):
            changes[name] = tuple(swap(item, constant) for item in part)
    return replace(value, **changes)


CACHE = {
    (bound, op): metric(f"wilson(count(cases where good), count(cases), level = 95%).{bound} {op} 0.123456")
    for bound in ("low", "high")
    for op in ("<", "<=", ">", ">=")
}


def test_a_root_is_compared_by_squares() -> None:
    made = metric("sqrt(variance(size over cases)) <= 12")
    assert isinstance(made, core.Compare)
    assert isinstance(made.operands[0], core.Aggregate)
    assert made.operands[1] == core.Const(core.NUMBER, Fraction(144))


def test_a_rank_correlation_keeps_its_sign() -> None:
    made = metric("spearman(size, score over cases).value >= -0.5")
    assert isinstance(made, core.Compare)
    assert made.operands[1] == core.Const(core.NUMBER, Fraction(-1, 4))


def test_a_named_bound_is_compared_exactly_too() -> None:
    text = spec(metrics="low: wilson(count(cases where good), count(cases), level = 95%).low\nm: low > 0.5")
    assert ids(text) == []


@pytest.mark.parametrize(
    "formula",
    [
        "wilson(count(cases where good), count(cases), level = 95%).low == 0.5",
        "wilson(count(cases where good), count(cases), level = 97%).low > 0.5",
        "sqrt(variance(size over cases)) == 2",
        "sqrt(variance(size over cases)) + 1 > 2",
    ],
)
def test_where_there_is_no_exact_test_a_rounding_is_asked_for(formula: str) -> None:
    assert ids(spec(metrics=f"m: {formula}")) == ["E0507"]


def test_lists_are_ordered_by_the_first_pair_that_differs() -> None:
    made = metric("'[accuracy, 1] > [0.5, count(cases)]'")
    assert isinstance(made, core.Or)
    assert isinstance(made.parts[1], core.And)
    assert ids(spec(metrics="m: '[accuracy, 1] > [0.5]'")) == ["E0501"]
    assert ids(spec(metrics="m: '[accuracy, 1] > [0.5, 3 s]'")) == ["E0503"]
