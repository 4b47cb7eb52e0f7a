"""Proofs without a solver: one question about the Ask protocol's verdict, at 96 cases and at 2,400."""

from __future__ import annotations

import statistics
import sys
import time

from common import ROOT, Figure, Size, show, shown_seconds

sys.path.insert(0, str(ROOT / "tests"))

from protoc_compiler import core
from protoc_compiler.proof import nodes as n
from protoc_compiler.proof.compare import Pair
from protoc_compiler.proof.conditions import Budget
from unit.proving import EACH, Change, ask

CHANGES: tuple[tuple[Change, ...], ...] = (
    (("must: accuracy >= 0.90", "must: accuracy >= 0.88"),),
    (("must: provider_precision >= 0.90", "must: provider_precision >= 0.88"),),
    (("must: provider_recall >= 0.90", "must: provider_recall >= 0.89"),),
    (("must: no_source_recall >= 0.90", "must: no_source_recall >= 0.95"),),
    (("have accuracy >= 0.75", "have accuracy > 0.75"),),
    (("must: all strata have accuracy >= 0.75", "must: count(cases) >= 1"),),
    (("FP > 2 or FN > 2", "FP > 3 or FN > 3"),),
)


def sized(factor: int) -> tuple[Change, ...]:
    """The protocol with so many times the cases in each stratum, six of which have as many of either label."""
    half = 4 * factor
    labels = f"where expected == provider_call) == {half}\n"
    expected = (
        f"        - all strata have count(cases matching stratum) == {8 * factor}\n"
        "        - count(strata where mixed) == 6\n"
        f"        - all strata where mixed have count(cases matching stratum {labels}"
    )
    made: tuple[Change, ...] = (
        ("count(cases) == 96", f"count(cases) == {96 * factor}"),
        ("where expected == provider_call) == 48", f"where expected == provider_call) == {48 * factor}"),
        ("where expected == no_source) == 48", f"where expected == no_source) == {48 * factor}"),
        (EACH, expected),
    )
    if factor > 1:
        made += (("FP > 2 or FN > 2", f"FP > {2 * factor} or FN > {2 * factor}"),)
    return made


def questions(factor: int) -> list[float]:
    """The seconds of each question, with the protocols already read; looser and stricter of each change."""
    made = []
    for changes in CHANGES:
        limits = [(old.replace(" 2", f" {2 * factor}"), new.replace(" 3", f" {3 * factor}")) for old, new in changes]
        old, new = ask(*sized(factor)), ask(*sized(factor), *limits)
        made += _asked(old, new)
    return made


def _asked(old: core.Protocol, new: core.Protocol) -> list[float]:
    pair = Pair(old, new)
    before, after = pair.old.released, pair.new.released
    engine = next(engine for chosen in pair.levels(before, after) if (engine := pair.engine(chosen)))
    made = []
    for wanted in ({before: n.FALSE, after: n.TRUE}, {before: n.TRUE, after: n.FALSE}):
        started = time.perf_counter()
        state = engine.ask(wanted, Budget(1_000_000)).state
        made.append(time.perf_counter() - started)
        assert state in ("impossible", "possible"), state
    return made


def run(size: Size) -> list[Figure]:
    """Medians over all questions; the larger size is asked once."""
    made = []
    for factor, limit in ((1, 0.05), (25, 3.0)) if size.share == 1 else ((1, 0.05),):
        times = [median for _ in range(min(size.rounds, 3)) for median in questions(factor)]
        middle = statistics.median(times)
        text = f"{96 * factor} cases in 12 strata, {len(CHANGES)} changes in both directions"
        slowest = f"slowest {shown_seconds(max(times))}"
        made.append(Figure("proof", text, shown_seconds(middle), slowest, middle, limit, unit="s"))
    return made


if __name__ == "__main__":
    show(run)
