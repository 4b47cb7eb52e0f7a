"""What is computed at most: both computations stop at the same point, and up to there they give the same."""

from __future__ import annotations

import json
from fractions import Fraction as F
from pathlib import Path
from typing import Any

import pytest
import scipy.stats as scipy
from hypothesis import given
from hypothesis import strategies as st

from fuzz.comparing import Programs
from protoc_compiler import pipeline
from protoc_compiler.emit import rules, verify
from protoc_compiler.emit.support import functions, proportions, resampling, statistics, values
from protoc_runtime.diagnostics import Refused
from protoc_runtime.engine import of
from protoc_runtime.engine.library import caps
from protoc_runtime.engine.library.tails import half_tail

SPEC = """protoc: 1
protocol: {id: counts, version: 1, title: Counts}
data:
  tables:
    sites: {key: site, order: site, columns: {site: text, hits: int, n: int, share: decimal, digits: int, note: any}}
    visits: {key: visit, columns: {visit: text, site: sites, ok: bool}}
    meta: {key: name, columns: {name: text, value: any}}
metrics:
METRIC
verdict: [DONE otherwise]
report: {released: [DONE]}
"""
SITE: dict[str, Any] = {"site": "a", "hits": 3, "n": 7, "share": 0.5, "digits": 1, "note": 1}
HUGE = 2**53


def said(metric: str, tmp_path: Path, *visits: dict[str, Any], **cells: Any) -> dict[str, Any]:
    """What both computations say of a metric `m` over one site, its visits and a note that is a text."""
    done = pipeline.examine("protocol.yaml", SPEC.replace("METRIC", f"  {metric}").encode())
    assert done.protocol is not None, [item.message for item in done.findings]
    programs = Programs(done.protocol, rules.render(done.protocol), verify.render(done.protocol))
    tables = {"sites": [SITE | cells], "visits": visits, "meta": [{"name": "word", "value": "text"}]}
    for name, found in tables.items():
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in found), "utf-8")
    engine, alone = programs.engine(tmp_path), programs.verifier(tmp_path)
    assert engine == alone
    return engine


@pytest.mark.parametrize(
    ("metric", "cells"),
    [
        ("m.<sites>: binomial_test(hits, n, share).p", {"n": HUGE}),
        ("m.<sites>: binomial_test(hits, n, share).p", {"n": 2_001, "hits": 1, "share": 1e-30}),
        ("m.<sites>: fisher(n, 11, hits, n).p", {"n": HUGE}),
        ("m.<sites>: clopper_pearson(hits, n, level = 95%).low", {"n": HUGE}),
        ("m.<sites>: clopper_pearson(hits, n, level = 95%).low > 0.5", {"n": HUGE}),
        ("m.<sites>: wilson(hits, n, level = share).low", {"share": 0.9999999999999999}),
        ("m.<sites>: newcombe(hits, n, 1, 2, level = share).low", {"share": 0.9999999999999999}),
        ("m.<sites>: round(share, digits = digits)", {"digits": 401}),
        ("m.<sites>: round(share, digits = digits)", {"digits": -HUGE}),
        ("m.<sites>: quantile(hits over sites, at = share)", {"share": 1.5}),
        ("m.<sites>: quantile(hits over sites, at = share, method = linear)", {"share": -1}),
    ],
)
def test_both_stop_at_more_than_is_computed(metric: str, cells: dict[str, Any], tmp_path: Path) -> None:
    assert said(metric, tmp_path, **cells) == {"stopped": ["E1260"]}


@pytest.mark.parametrize(
    ("metric", "cells"),
    [
        ("m.<sites>: newcombe(hits, n, hits, n, level = 95%).low", {"hits": HUGE - 1, "n": HUGE}),
        ("m.<sites>: wilson(hits, n, level = 95%).low", {"hits": HUGE - 1, "n": HUGE}),
        ("m.<sites>: binomial_test(hits, n, 1).p", {"hits": 0, "n": HUGE}),
        ("m.<sites>: round(share, digits = digits)", {"share": 1250.5, "digits": -2}),
        ("m.<sites>: ece(share, ok over visits, bins = n)", {"n": HUGE}),
        ("m.<sites>: binomial_test(hits, n, 0.3).p", {"hits": 1450, "n": 5_000}),  # of more than 4,300 digits
    ],
)
def test_both_compute_what_takes_no_time(metric: str, cells: dict[str, Any], tmp_path: Path) -> None:
    metric = metric.replace("share, ok", "site.share, ok")
    assert "metrics" in said(metric, tmp_path, {"visit": "v", "site": "a", "ok": True}, **cells)


@pytest.mark.parametrize(
    "metric",
    [
        "m: count(visits where (meta.word == 1) is true)",
        "m: sum(round(0.5, digits = DIGITS) over visits)",
        "m.<sites>: count(visits where (site.note == 1))",
        "m.<sites>: count(visits where (only(meta).name == site.site) is true)",
    ],
)
def test_what_is_said_of_each_row_stops_nothing_where_there_are_none(metric: str, tmp_path: Path) -> None:
    metric = metric.replace(
        "DIGITS", "max(site.digits over sites as other)" if "<" in metric else "max(digits over sites)"
    )
    assert "metrics" in said(metric, tmp_path, note="text", digits=1_000)


def test_it_stops_the_run_where_there_is_a_row(tmp_path: Path) -> None:
    visit = {"visit": "v", "site": "a", "ok": True}
    assert said("m: count(visits where (meta.word == 1) is true)", tmp_path, visit) == {"stopped": ["E1253"]}


def test_both_have_the_same_limits() -> None:
    assert caps.MOST_BITS == values.LARGEST_TEST
    assert caps.MOST_TRIALS == proportions.LARGEST_INTERVAL
    assert caps.MOST_PLACES == functions.LARGEST_ROUNDING
    assert caps.MOST_UNITS == resampling.LARGEST_DRAW


@given(st.integers(0, 60), st.integers(1, 60), st.fractions(0, 1, max_denominator=12))
def test_binomial_tails_are_the_same_in_both(hits: int, n: int, share: F) -> None:
    found = of.binomial_test(hits, n, share).values()[0]
    ours = proportions.binomial_test(hits, n, share) or dict.fromkeys(found)
    assert found == ours
    if hits <= n:
        assert float(found["p"]) == pytest.approx(scipy.binomtest(hits, n, float(share)).pvalue)
        assert float(found["at_most"]) == pytest.approx(scipy.binom.cdf(hits, n, float(share)))


@given(*(st.integers(0, 25) for _ in range(4)))
def test_fisher_is_the_same_in_both(a: int, b: int, c: int, d: int) -> None:
    found = of.fisher(a, b, c, d).values()[0]
    assert found == (proportions.fisher(a, b, c, d) or dict.fromkeys(found))
    if a + b and c + d and a + c and b + d:
        assert float(found["p"]) == pytest.approx(scipy.fisher_exact([[a, b], [c, d]]).pvalue)


def test_large_counts_are_the_same_in_both() -> None:
    found = of.binomial_test(3_130, 10_000, F(3, 10)).values()[0]
    assert found == proportions.binomial_test(3_130, 10_000, F(3, 10))
    assert float(found["p"]) == pytest.approx(scipy.binomtest(3_130, 10_000, 0.3).pvalue)
    assert half_tail(10_000, 4_950) == statistics.half_tail(10_000, 4_950)
    assert float(half_tail(10_000, 4_950)) == pytest.approx(scipy.binom.cdf(4_950, 10_000, 0.5))


@pytest.mark.parametrize("hits", [10, 400_000, 999_990])
def test_an_exact_interval_of_a_million_trials(hits: int) -> None:
    found = of.clopper_pearson(hits, 1_000_000, level=F(95, 100)).values()[0]
    expected = scipy.binomtest(hits, 1_000_000).proportion_ci(0.95, "exact")
    assert (float(found["low"].value), float(found["high"].value)) == pytest.approx(tuple(expected))


@pytest.mark.parametrize("pairs", [caps.MOST_BITS, caps.MOST_BITS + 1])
def test_a_test_over_rows_stops_beyond_as_many_pairs(pairs: int) -> None:
    given = [(True, False)] * pairs
    if pairs <= caps.MOST_BITS:
        assert statistics.mcnemar(given) == {"p": F(2, 2**pairs), "only_first": pairs, "only_second": 0}
        return
    for function in (statistics.mcnemar, lambda of_rows: proportions.sign_test(of_rows, "dropped")):
        with pytest.raises(values.Stopped, match="E1260"):
            function(given)


def test_the_words_name_the_function_and_the_limit() -> None:
    with pytest.raises(Refused) as refused:
        of.fisher(HUGE, 1, 1, HUGE)
    (item,) = refused.value.diagnostics
    assert "`fisher` is asked for 18,014,398,509,481,986 observations, and computes at most 200,000" in item.message
