"""The two computations of one protocol against each other, on random rows: the engine's rules and `verify.py`.

They share the resolved tree and no code, so what they agree on is what the language means. PROTOC_LONG=N tries N
tables instead of a few.
"""

from __future__ import annotations

import json
import os
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from protoc_compiler import core, identity, pipeline
from protoc_compiler.emit import rules, verify
from protoc_runtime.declared import load
from protoc_runtime.diagnostics import Findings, Refused
from protoc_runtime.reading import read_tables

EXAMPLES = int(os.environ.get("PROTOC_LONG", "25"))

SPEC = """protoc: 1
protocol: {id: both-ways, version: 1, title: Two computations of one protocol}
question: {asks: Do they agree?}
data:
  tables:
    arms:
      key: arm
      columns: {least: decimal, strict: bool}
      rows: {on: {least: 0.40, strict: true}, off: {least: 0.5, strict: false}}
    limits: {key: limit, rows: [0.25, 0.50]}
    cases:
      key: case
      order: seq
      columns:
        case: text
        seq: int
        kind: [plain, hard, null]
        score: decimal?
        other: decimal?
        right: bool?
        wait: ms
        note: any?
        tags: set of text
        arm: arms?
    tries:
      key: [case, try]
      order: [case, try]
      columns: {case: cases, try: int, ok: bool?, cost: USD, said: text?}
definitions:
  cases.good: {is: right and score > 0.5, if_undefined: false}
  cases.tries_ok: count(tries where ok is true)
  cases.all_ok: all tries have ok
  cases.some_ok: some tries have ok
  cases.spent: sum(cost over tries)
  cases.before: sum(wait over earlier cases)
  cases.window: mean(score over latest 3 cases)
  cases.last_said: last(tries).said
  cases.band:
    - none   when score is undefined
    - low    when score < 0.25
    - middle when kind is defined and score < 0.75
    - high   otherwise
  cases.gap: score - other
  cases.reaches: score >= arm.least
  cases.twin: only(cases as c where (c.seq == seq + 1) is true)
  tries.previous: last(earlier tries matching case)
  tries.changed: said != previous.said
  scored: cases where score is defined
  paired: scored where other is defined
  judged: scored where right is defined
  best: scored ordered by score then seq
  kinds: {is: judged where kind is defined grouped by kind, with: [accuracy]}
  bands: cases grouped by band
  grid: cross of arms and limits
  grid.reached: count(scored where score >= limit and (score >= least) is true)
  both: stack of scored and paired
  budget: 1.50 USD
metrics:
  accuracy: rate(good over judged)
  accuracy_of.<kinds>: accuracy
  cases_in.<bands>: count(cases matching band)
  share.<arms>: rate(good over judged where arm is defined)
  above.<limits>: count(scored where score > limit)
  at.<arms>.<limits>: count(judged where score >= limit)
  score_mean: mean(score over cases)
  known_mean: mean(score over scored)
  known_median: median(score over scored)
  known_variance: variance(score over scored)
  ninety: quantile(score over scored, at = 90%)
  linear: quantile(score over scored, at = 30%, method = linear)
  waits: p95(wait over cases)
  waited: max(before over cases)
  spent: sum(cost over tries)
  spread: max(score over scored) - min(score over scored)
  gap: mean(gap over paired)
  auc: auc(score, right over judged)
  test: mcnemar(good, right over judged).p
  correlation: correlation(score, other over paired).signed_square
  rank: spearman(score, other over paired).value
  rank_square: spearman(score, other over paired).signed_square
  false_discovery: benjamini_hochberg(score over scored, level = 50%).limit
  low: wilson(count(judged where right), count(judged), level = 95%).low
  high: wilson(count(judged where right), count(judged), level = 90%).high
  root: sqrt(known_variance)
  run: longest_run(right over cases)
  fall: max_drawdown(gap over paired)
  cut: cut_off(score over scored, group = 2, of = 3)
  holm: holm(known_mean, [known_mean, known_median])
  distinct: distinct(said over tries where said is defined)
  windows: mean(window over cases where window is defined)
  cells: sum(reached over grid)
  stacked: count(both where (score > 0.5) is true)
  changes: count(tries where changed is true)
  tagged: count(cases where "a" in tags)
  twins: count(cases where twin is defined)
  rounded: round(known_variance, digits = 2)
  quotient: count(scored) / count(cases)
intervals:
  bootstrap:
    says: 50 draws
    metric: accuracy
    resample: judged
    within: right
    draws: 50
    generator: mersenne twister
    seed: 5
    level: 80%
    low: ci_low
    high: ci_high
    kept: ci_kept
blockers:
  spent: {says: More than the budget of 1.50 USD is spent., when: spent > budget, forces: STOP}
  unknown: {says: A known accuracy is below 0.25., when: accuracy < 0.25, forces: STOP, if_undefined: does not fire}
gates:
  accurate: {says: The accuracy is at least 0.50., must: accuracy >= 0.50}
  steady:
    says: No case is wrong, every try is right, and notes are there.
    must:
      all:
        - no cases have not right
        - all tries have ok
        - all cases have note is defined
checks:
  monotone: {says: Scores never fall., is: no cases have score < last(earlier cases).score}
  among: {says: A score is another's., is: some cases have score in paired.other}
  <arms>.any: {says: Some case., is: some cases have good}
verdicts:
  <arms>:
    - STRICT when strict and share is defined
    - LOOSE  otherwise
verdict:
  - STOP when some blockers have fired
  - PASS when all gates have held
  - FAIL when some gates have failed
  - OPEN otherwise
report:
  released: [PASS]
  lists:
    order: list(case over best)
    said: list(last_said over cases where last_said is defined)
    bands: list(band over cases)
    all_ok: list(case over cases where all_ok is true)
    costs: list(spent over cases)
"""

number = st.none() | st.integers(0, 20).map(lambda n: n / 20)
case = st.fixed_dictionaries(
    {
        "kind": st.sampled_from(["plain", "hard", None]),
        "score": number,
        "other": number,
        "right": st.sampled_from([True, False, None]),
        "wait": st.integers(0, 5000),
        "note": st.none() | st.booleans() | st.integers(0, 2) | st.sampled_from(["", "x"]),
        "tags": st.lists(st.sampled_from("abc"), max_size=3, unique=True),
        "arm": st.sampled_from(["on", "off", None]),
    }
)
attempt = st.fixed_dictionaries(
    {
        "of": st.integers(0, 11),
        "ok": st.sampled_from([True, False, None]),
        "cost": st.integers(0, 100).map(lambda n: n / 100),
        "said": st.sampled_from(["yes", "no", None]),
    }
)


@cache
def compiled() -> tuple[core.Protocol, dict[str, Any], dict[str, Any]]:
    """The protocol, its rules, its verifier."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "protocol.yaml"
        path.write_text(SPEC)
        protocol, findings = pipeline.check(path)
    assert protocol is not None, "\n".join(f"{item.span} {item.message}" for item in findings.sorted())
    engine: dict[str, Any] = {"__name__": "generated_rules"}
    exec(compile(rules.render(protocol), "rules.py", "exec"), engine)
    alone: dict[str, Any] = {"__name__": "generated_verify"}
    exec(compile(verify.render(protocol), "verify.py", "exec"), alone)
    return protocol, engine, alone


def write(folder: Path, cases: list[dict[str, Any]], tries: list[dict[str, Any]]) -> None:
    """The rows as files; a try of a case that is not there is left out."""
    order = sorted(range(len(cases)), key=lambda n: n * 7 % 11)
    rows = [{"case": f"c{n}", "seq": n} | cases[n] for n in order]
    numbered: dict[int, int] = {}
    attempts = []
    for each in tries:
        if each["of"] < len(cases):
            numbered[each["of"]] = numbered.get(each["of"], 0) + 1
            cells = {name: value for name, value in each.items() if name != "of"}
            attempts.append({"case": f"c{each['of']}", "try": numbered[each["of"]]} | cells)
    for name, found in (("cases", rows), ("tries", attempts)):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in found))


@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(case, max_size=12), st.lists(attempt, max_size=15))
def test_both_computations_agree(cases: list[dict[str, Any]], tries: list[dict[str, Any]]) -> None:
    protocol, engine, alone = compiled()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write(folder, cases, tries)
        findings = Findings()
        tables = read_tables(load(identity.canonical(protocol)), folder, findings=findings)
        assert not findings.failed, [item.message for item in findings]
        assert alone["read_rows"](folder) == []
    try:
        theirs = engine["evaluate"](tables, {}).to_json()
    except Refused as refused:
        theirs = {"refused": [item.message for item in refused.diagnostics]}
    ours = alone["results"](*alone["ABOUT"][:4])
    assert {**theirs, "spec_digest": ours["spec_digest"]} == ours
