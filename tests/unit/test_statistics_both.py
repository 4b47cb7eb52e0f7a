"""The statistics of the library in both computations against each other and against scipy, on random rows."""

from __future__ import annotations

import json
import math
import os
import tempfile
from decimal import Decimal
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import scipy.stats as scipy
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from protoc_compiler import identity, pipeline
from protoc_compiler.emit import rules, verify
from protoc_compiler.emit.support import proportions
from protoc_runtime.declared import load
from protoc_runtime.diagnostics import Findings, Refused
from protoc_runtime.engine import of
from protoc_runtime.reading import read_tables

EXAMPLES = int(os.environ.get("PROTOC_LONG", "30"))

SPEC = """protoc: 1
protocol: {id: both-statistics, version: 1, title: Statistics in two computations}
data:
  tables:
    arms: {key: arm, rows: [on, off]}
    cases:
      key: case
      columns:
        case: int
        arm: arms
        p: decimal
        q: decimal?
        a: [x, y, z]
        b: [x, y, z]
        item: int
        yes: bool
        was: bool
        wait: ms
definitions:
  hits.<arms>: count(cases where yes)
  n.<arms>: count(cases)
  exact.<arms>: clopper_pearson(hits, n, level = 90%).low
  score.<arms>: wilson(hits, n, level = 90%).low
  deviation: sqrt(variance(p over cases))
metrics:
  low: clopper_pearson(hits.on, n.on, level = 95%).low
  high: clopper_pearson(hits.on, n.on, level = 95%).high
  apart_low: newcombe(hits.on, n.on, hits.off, n.off, level = 95%).low
  apart_high: newcombe(hits.on, n.on, hits.off, n.off, level = 95%).high
  signs: sign_test(p, 0.5 over cases, ties = dropped).p
  halves: sign_test(p, 0.5 over cases, ties = halved).p
  more: sign_test(p, 0.5 over cases, ties = halved).more
  even: sign_test(p, 0.5 over cases, ties = halved).ties
  waits: sign_test(wait, 2 s over cases, ties = dropped).p
  test: binomial_test(hits.on, n.on, 0.3).p
  tail: binomial_test(hits.on, n.on, 0.3).at_least
  other_tail: binomial_test(hits.on, n.on, 0.3).at_most
  table: fisher(hits.on, n.on - hits.on, hits.off, n.off - hits.off).p
  table_tail: fisher(hits.on, n.on - hits.on, hits.off, n.off - hits.off).at_least
  table_other: fisher(hits.on, n.on - hits.on, hits.off, n.off - hits.off).at_most
  paired: mcnemar(yes, was over cases).p
  score_low: wilson(hits.on, n.on, level = 99%).low
  score_high: wilson(hits.on, n.on, level = 99%).high
  one_p: bonferroni(test, [test, table, signs], missing = counted)
  holm_p: holm(test, [test, table, signs], missing = dropped)
  false_p: benjamini_hochberg(test, [test, table, signs], missing = counted)
  limit: benjamini_hochberg(q over cases, level = 50%, missing = counted).limit
  limit_known: benjamini_hochberg(q over cases, level = 50%, missing = dropped).limit
  limit_strict: benjamini_hochberg(q over cases, level = 50%).limit
  kappa: cohen_kappa(a, b over cases)
  ratings: fleiss_kappa(item, a over cases)
  brier: brier(p, yes over cases)
  ece: ece(p, yes over cases, bins = 5)
  mad: mad(p over cases)
  mad_wait: mad(wait over cases)
  harmonic: harmonic_mean(p over cases)
  harmonic_wait: harmonic_mean(wait over cases)
checks:
  low_enough: {says: It is at least 0.4., is: low >= 0.4}
  low_above_other: {says: The lower bound is above the other rate less 0.3., is: low > hits.off / n.off - 0.3}
  high_below: {says: It is below 0.9., is: high < 0.9}
  high_at_most: {says: It is at most the other rate and 0.5., is: high <= hits.off / n.off + 0.5}
  apart: {says: The difference is above -0.25., is: apart_low > -0.25}
  apart_at_most: {says: The difference is at most 0.25., is: apart_high <= 0.25}
  each: {says: Each exact bound is at least 0.2., is: all arms have exact >= 0.2}
  some_one: {says: The score of one arm is above 0.3., is: some arms have score > 0.3}
  by_key: {says: The exact bound is above 0.1., is: exact.on > 0.1}
  spread: {says: Half the brier score is above 0.9 deviations., is: brier / 2 > 0.9 * deviation}
  lists: {says: Better first., is: "[hits.on, n.off] > [hits.off, n.on]"}
  lists_at_least: {says: Better first (0.25)., is: "[brier, ece, mad] <= [0.25, ece * 2, 0.25]"}
verdict: [A otherwise]
report: {released: [A]}
"""

case = st.fixed_dictionaries(
    {
        "arm": st.sampled_from(["on", "off"]),
        "p": st.integers(0, 20).map(lambda n: n / 20),
        "q": st.none() | st.integers(0, 20).map(lambda n: n / 20),
        "a": st.sampled_from("xyz"),
        "b": st.sampled_from("xyz"),
        "yes": st.booleans(),
        "was": st.booleans(),
        "wait": st.integers(0, 4) | st.integers(1999, 2001),
    }
)


@cache
def compiled() -> tuple[bytes, dict[str, Any], dict[str, Any]]:
    """The identity of the protocol, its rules, its verifier."""
    done = pipeline.examine("protocol.yaml", SPEC.encode())
    protocol = done.protocol
    assert protocol is not None, "\n".join(f"{item.span} {item.message}" for item in done.findings.sorted())
    engine: dict[str, Any] = {"__name__": "generated_rules"}
    exec(compile(rules.render(protocol), "rules.py", "exec"), engine)
    alone: dict[str, Any] = {"__name__": "generated_verify"}
    exec(compile(verify.render(protocol), "verify.py", "exec"), alone)
    return identity.canonical(protocol), engine, alone


def both(cases: list[dict[str, Any]]) -> dict[str, Any]:
    """The results, which both computations must give."""
    canonical, engine, alone = compiled()
    lines = [json.dumps({"case": at, "item": at // 2, **cells}) + "\n" for at, cells in enumerate(cases)]
    with tempfile.TemporaryDirectory() as name:
        (Path(name) / "cases.jsonl").write_text("".join(lines))
        findings = Findings()
        tables = read_tables(load(canonical), Path(name), findings=findings)
        assert not findings.failed, [item.message for item in findings]
        assert alone["read_rows"](Path(name)) == []
    theirs: dict[str, Any] = engine["evaluate"](tables, {}).to_json()
    ours = alone["results"](*alone["ABOUT"][:4])
    assert {**theirs, "spec_digest": ours["spec_digest"]} == ours
    return theirs


def number(value: Any) -> Fraction | None:
    """A metric of the results."""
    if value is None:
        return None
    return Fraction(value["float"]) if "float" in value else Fraction(value["num"], value["den"])


@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(case, max_size=14))
def test_both_computations_agree(cases: list[dict[str, Any]]) -> None:
    made = both(cases)
    found: dict[str, Any] = {name: number(value) for name, value in made["metrics"].items()}
    checks = {name: check["value"] if isinstance(check, dict) else check for name, check in made["checks"].items()}
    on = [c for c in cases if c["arm"] == "on"]
    off = [c for c in cases if c["arm"] == "off"]
    if on:
        hits, n = sum(c["yes"] for c in on), len(on)
        test = scipy.binomtest(hits, n, 0.3)
        interval = test.proportion_ci(0.95, "exact")
        assert found["test"] == pytest.approx(test.pvalue)
        assert found["tail"] == pytest.approx(scipy.binom.sf(hits - 1, n, 0.3))
        assert (float(found["low"]), float(found["high"])) == pytest.approx(tuple(interval), abs=1e-11)
        assert found["other_tail"] == pytest.approx(scipy.binom.cdf(hits, n, 0.3))
        score = test.proportion_ci(0.99, "wilson")
        assert (float(found["score_low"]), float(found["score_high"])) == pytest.approx(tuple(score), abs=1e-11)
        assert checks["low_enough"] is (found["low"] >= Fraction("0.4"))
        assert checks["high_below"] is (found["high"] < Fraction("0.9"))
    if on and off:
        table = [[sum(c["yes"] is flag for c in arm) for flag in (True, False)] for arm in (on, off)]
        assert found["table"] == pytest.approx(scipy.fisher_exact(table).pvalue)
        assert found["table_tail"] == pytest.approx(scipy.fisher_exact(table, "greater").pvalue)
        assert found["table_other"] == pytest.approx(scipy.fisher_exact(table, "less").pvalue)
        assert (float(found["apart_low"]), float(found["apart_high"])) == pytest.approx(newcombe(table), abs=1e-11)
        assert checks["apart"] is (found["apart_low"] > Fraction("-0.25"))
        assert checks["apart_at_most"] is (found["apart_high"] <= Fraction("0.25"))
        other = Fraction(table[1][0], len(off))
        assert checks["low_above_other"] is (found["low"] > other - Fraction("0.3"))
        assert checks["high_at_most"] is (found["high"] <= other + Fraction("0.5"))
    if cases:
        ps = [c["p"] for c in cases]
        assert found["mad"] == pytest.approx(scipy.median_abs_deviation(ps))
        assert found["harmonic"] == pytest.approx(scipy.hmean(ps))
        assert found["brier"] == pytest.approx(sum((c["p"] - c["yes"]) ** 2 for c in cases) / len(cases))
        more, less = sum(p > 0.5 for p in ps), sum(p < 0.5 for p in ps)
        assert found["signs"] == pytest.approx(coin(more, less))
        half = (len(ps) - more - less) // 2
        assert found["halves"] == pytest.approx(coin(more + half, less + half))
        pairs = [(c["yes"], c["was"]) for c in cases]
        assert found["paired"] == pytest.approx(coin(pairs.count((True, False)), pairs.count((False, True))))


def coin(one: int, other: int) -> float:
    """The two-sided binomial test of a coin by scipy; 1 without throws."""
    return float(scipy.binomtest(one, one + other).pvalue) if one + other else 1.0


def newcombe(table: list[list[int]]) -> tuple[float, float]:
    """Newcombe's rule on scipy's own Wilson intervals of the two rows, each of hits and misses."""
    (p1, l1, u1), (p2, l2, u2) = ((hits / (hits + misses), *scipy.binomtest(hits, hits + misses).proportion_ci(
        0.95, "wilson")) for hits, misses in table)  # fmt: skip
    return p1 - p2 - math.hypot(p1 - l1, u2 - p2), p1 - p2 + math.hypot(u1 - p1, p2 - l2)


def test_adjusted_p_values_agree_with_scipy() -> None:
    ps = [Fraction(n, 1000) for n in (1, 8, 39, 41, 42, 60, 74, 205, 212, 216)]
    expected = scipy.false_discovery_control([float(p) for p in ps])
    assert [float(of.benjamini_hochberg(p, ps).value()) for p in ps] == pytest.approx(list(expected))
    assert of.bonferroni(ps[1], ps).value() == Fraction(80, 1000)
    assert of.bonferroni(ps[5], ps).value() == Fraction(600, 1000)
    with pytest.raises(Refused) as refused:
        of.holm(Fraction(1, 7), ps)
    assert [item.id for item in refused.value.diagnostics] == ["E1258"]


@pytest.mark.parametrize("hits", [0, 1, 13, 500, 999, 1000])
def test_an_exact_interval_has_fifty_digits_in_both(hits: int) -> None:
    found = of.clopper_pearson(hits, 1000, level=Fraction(99, 100)).values()[0]
    ours = proportions.clopper_pearson(hits, 1000, Fraction(99, 100))
    assert ours is not None
    for name in ("low", "high"):
        assert abs(Decimal(found[name].value) - ours[name].number) < Decimal("1e-49")
    expected = scipy.binomtest(hits, 1000).proportion_ci(0.99, "exact")
    assert float(ours["low"].number) == pytest.approx(expected.low)
    assert float(ours["high"].number) == pytest.approx(expected.high)


def test_newcombe_gives_the_published_interval() -> None:
    """Newcombe 1998, table II: 56/70 - 48/80, method 10."""
    found = of.newcombe(56, 70, 48, 80, level=Fraction(95, 100)).values()[0]
    assert [round(float(found[name].value), 4) for name in ("low", "high")] == [0.0524, 0.3339]


def test_kappas_give_the_published_values() -> None:
    """Cohen's example of 25 and 20 agreements in 50; Fleiss 1971 has 0.430 for 30 subjects, here its rule by hand."""
    pairs = [("y", "y")] * 20 + [("y", "n")] * 5 + [("n", "y")] * 10 + [("n", "n")] * 15
    cases = [{"arm": "on", "p": 0, "q": 0, "a": "x" if one == "y" else "y", "b": "x" if two == "y" else "y",
              "yes": True, "was": True, "wait": 1} for one, two in pairs]  # fmt: skip
    made = both(cases)
    assert number(made["metrics"]["kappa"]) == Fraction(2, 5)
    # 25 items of two ratings: 24 agree within, x and y 25 each
    agreed = sum(cases[k]["a"] == cases[k + 1]["a"] for k in range(0, 50, 2))
    assert number(made["metrics"]["ratings"]) == (Fraction(agreed, 25) - Fraction(1, 2)) / Fraction(1, 2)


@pytest.mark.parametrize(
    ("ps", "expected"),
    [([0.2], Fraction(1, 5)), ([1], Fraction(1)), ([0, 1], Fraction(1, 2)), ([0.1, 0.3], Fraction(1, 5))],
)
def test_an_edge_belongs_to_the_bin_above_it(ps: list[float], expected: Fraction) -> None:
    cases = [{"arm": "on", "p": p, "q": 0, "a": "x", "b": "y", "yes": False, "was": True, "wait": 1} for p in ps]
    assert number(both(cases)["metrics"]["ece"]) == expected


def test_bounds_outside_of_what_is_possible() -> None:
    for level in (Fraction(0), Fraction(1)):
        assert of.clopper_pearson(1, 2, level=level).values()[0]["low"] is None
        assert proportions.clopper_pearson(1, 2, level) is None
    for counts in ((3, 2), (-1, 2), (0, 0)):
        assert of.binomial_test(*counts, Fraction(1, 2)).values()[0]["p"] is None
        assert proportions.binomial_test(*counts, Fraction(1, 2)) is None
        assert of.newcombe(*counts, 1, 2, level=Fraction(9, 10)).values()[0]["low"] is None
        assert proportions.newcombe(*counts, 1, 2, Fraction(9, 10)) is None
    assert proportions.fisher(0, 0, 0, 0) is None
    assert of.fisher(-1, 1, 1, 1).values()[0]["p"] is None
