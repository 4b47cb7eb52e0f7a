"""A cluster bootstrap against hand-written numpy: both start from rows in memory and end with the two bounds.

100,000 trials in 2,000 clusters and three arms; 2,000 draws of clusters; the metric is the difference between two arms'
success rates. By hand: one sum per cluster and arm, then a matrix product with the draws' counts. It is measured twice:
with numpy's own generator, which gives other draws, and with numpy's Mersenne twister and the index rule of the
language, which gives the very draws of protoc. Protoc's bounds are exact, those by hand are doubles.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from bench_score import compiled, file, loaded
from common import Figure, Size, alternating, show, shown_seconds

TRIALS, CLUSTERS, DRAWS, LIMIT = 100_000, 2_000, 2_000, 3.0
SPEC = """protoc: 1
protocol: {id: clustered, version: 1, title: Three arms in clusters}
data:
  tables:
    arms: {key: arm, rows: [plain, tools, memory]}
    tasks: {key: task, columns: {task: text}, expect: count(tasks) >= 1}
    trials:
      key: [trial, arm]
      columns: {trial: int, task: tasks, arm: arms, solved: bool}
metrics:
  rate.<arms>: rate(solved over trials)
  gain: rate.memory - rate.plain
intervals:
  gain interval:
    says: percentile bootstrap over tasks
    metric: gain
    resample: tasks
    follow: [trials]
    draws: %d
    generator: mersenne twister
    seed: 20261130
    level: 95%%
    low: gain_low
    high: gain_high
gates:
  better: {says: The lower bound is above 0., must: gain_low > 0}
verdict:
  - GOOD when all gates have held
  - BAD  otherwise
report:
  released: [GOOD]
"""


def run(size: Size) -> list[Figure]:
    """The figure."""
    trials, clusters, draws = size.of(TRIALS), max(size.of(CLUSTERS), 20), max(size.of(DRAWS), 50)
    frame = written(trials, clusters)
    score = ours(frame, clusters, draws)
    own, same = by_hand(frame, clusters, draws), by_hand(frame, clusters, draws, same=True)
    assert all(abs(float(one) - two) < 1e-12 for one, two in zip(score(), same(), strict=True))
    found = alternating({"ours": score, "own": own, "same": same}, size.rounds)
    text = f"{trials:,} trials x 3 arms in {clusters:,} clusters, {draws:,} draws; rows in memory"
    return [
        Figure(
            f"cluster bootstrap, {words}", text, shown_seconds(found["ours"]),
            f"numpy by hand {shown_seconds(found[hand])}", found["ours"] / found[hand], LIMIT,
        )
        for hand, words in (("same", "the same draws"), ("own", "numpy's own draws"))
    ]  # fmt: skip


def written(trials: int, clusters: int) -> Any:
    """Three rows per trial; clusters and arms differ in how often they are right."""
    import polars as pl

    draw = random.Random(1)
    ease = [draw.gauss(0, 0.15) for _ in range(clusters)]
    rows = [
        (trial, task, arm, draw.random() < 0.5 + 0.02 * arm + ease[task])
        for trial in range(trials)
        for task in [draw.randrange(clusters)]
        for arm in range(3)
    ]
    return pl.DataFrame(rows, schema=["trial", "task", "arm", "solved"], orient="row")


def ours(frame: Any, clusters: int, draws: int) -> Callable[[], tuple[Fraction, ...]]:
    """The bounds by the generated rules, from tables in memory."""
    import polars as pl

    from protoc_runtime.tables import TableData

    _, rules = loaded(compiled(file("clustered.yaml", SPEC % draws)))
    tasks = pl.select(task=pl.format("t{}", pl.int_range(clusters))).select("task")
    whole = frame.with_columns(pl.col("task", "arm").cast(pl.UInt32), pl.col("trial").cast(pl.Int64))
    tables = {"tasks": TableData("tasks", tasks, {}), "trials": TableData("trials", whole, {})}

    def score() -> tuple[Fraction, ...]:
        metrics = rules.evaluate(tables).to_json()["metrics"]
        return tuple(Fraction(metrics[name]["num"], metrics[name]["den"]) for name in ("gain_low", "gain_high"))

    return score


def by_hand(frame: Any, clusters: int, draws: int, same: bool = False) -> Callable[[], tuple[float, ...]]:
    """The bounds as somebody would write them with numpy: sums per cluster and arm, then of each draw."""
    import numpy as np

    task, arm = frame["task"].to_numpy(), frame["arm"].to_numpy()
    solved = frame["solved"].to_numpy()

    def score() -> tuple[float, ...]:
        cell = task * 3 + arm
        count = np.bincount(cell, minlength=3 * clusters).reshape(clusters, 3)
        hits = np.bincount(cell, weights=solved, minlength=3 * clusters).reshape(clusters, 3)
        if same:
            state = np.array(random.Random(20261130).getstate()[1][:624], dtype=np.uint32)
            twister = np.random.RandomState()
            twister.set_state(("MT19937", state, 624))
            index = (twister.random_sample((draws, clusters)) * clusters).astype(np.int64)
        else:
            index = np.random.default_rng(20261130).integers(0, clusters, (draws, clusters))
        picked = np.zeros((draws, clusters))
        for at in range(draws):
            picked[at] = np.bincount(index[at], minlength=clusters)
        rates = (picked @ hits) / (picked @ count)
        gain = np.sort(rates[:, 2] - rates[:, 0])
        tail = 0.025 * draws
        return float(gain[int(tail)]), float(gain[-int(-(draws - tail) // 1) - 1])

    return score


if __name__ == "__main__":
    show(run)
