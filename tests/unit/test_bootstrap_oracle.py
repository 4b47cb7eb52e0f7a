"""A resampling interval against scipy's: other draws of the same rows, so the bounds are near each other."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import numpy
import pytest
import scipy.stats as scipy

from fuzz.comparing import Programs
from protoc_compiler import pipeline
from protoc_compiler.emit import rules, verify

SPEC = """protoc: 1
protocol: {id: drawn, version: 1, title: Drawn}
data:
  tables:
    cases: {key: case, columns: {case: int, x: decimal, ok: bool}}
metrics:
  mean: mean(x over cases)
  middle: median(x over cases)
  share: rate(ok over cases)
intervals:
INTERVALS
verdict: [DONE otherwise]
report: {released: [DONE]}
"""
ONE = "  of_{0}: {{metric: {0}, resample: cases, draws: 1_500, generator: mersenne twister, seed: 7, level: 90%, "
BOUNDS = "low: {0}_low, high: {0}_high}}\n"
STATISTICS: dict[str, Any] = {"mean": numpy.mean, "middle": numpy.median, "share": numpy.mean}


def test_percentile_intervals_are_near_those_of_scipy(tmp_path: Path) -> None:
    rng = Random(5)
    xs = [round(rng.gauss(10, 2), 3) for _ in range(60)]
    rows = [{"case": at, "x": x, "ok": x > 9} for at, x in enumerate(xs)]
    (tmp_path / "cases.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    text = "".join((ONE + BOUNDS).format(name) for name in ("mean", "middle", "share"))
    protocol = pipeline.examine("protocol.yaml", SPEC.replace("INTERVALS\n", text).encode()).protocol
    assert protocol is not None
    programs = Programs(protocol, rules.render(protocol), verify.render(protocol))
    found = programs.engine(tmp_path)["metrics"]
    assert found == programs.verifier(tmp_path)["metrics"]
    samples = {"mean": xs, "middle": xs, "share": [float(x > 9) for x in xs]}
    for name, sample in samples.items():
        made = scipy.bootstrap((sample,), STATISTICS[name], confidence_level=0.9, n_resamples=6_000,
                               method="percentile", random_state=1).confidence_interval  # fmt: skip
        for which, expected in (("low", made.low), ("high", made.high)):
            value = found[f"{name}_{which}"]
            assert int(value["num"]) / int(value["den"]) == pytest.approx(expected, abs=0.12)
