"""Scoring from counts: which tables may be counted, and that counting changes no result."""

from __future__ import annotations

import json
import os
import types
from functools import cache
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protoc_compiler import core, identity, pipeline
from protoc_compiler.cli import main
from protoc_compiler.emit import rules
from protoc_compiler.emit.counted import counted as provably
from protoc_runtime import results
from protoc_runtime.declared import Declared, load
from protoc_runtime.diagnostics import Findings
from protoc_runtime.engine.counted import LEAST, WEIGHT, counted
from protoc_runtime.reading import read_tables
from protoc_runtime.reading.counting import count_rows

EXAMPLES = int(os.environ.get("PROTOC_LONG", "25"))

SPEC = """protoc: 1
protocol: {id: counts, version: 1, title: Answers by the million}
question: {asks: How many are right?}
data:
  tables:
    strata: {key: stratum, columns: {hard: bool}, rows: {easy: {hard: false}, hard: {hard: true}, odd: {hard: true}}}
    marks: {key: mark, columns: {least: int}, rows: {one: {least: 1}, two: {least: 2}}}
    answers:
      key: answer
      columns:
        answer: text
        stratum: strata
        expected: [call, none]
        actual: [call, none, null]
        sure: bool?
        cost: int
%s
definitions:
  answers.hit: {is: actual == expected, if_undefined: false}
  answers.points:
    - 3 when hit and sure is true
    - 2 when hit
    - 1 when stratum.hard
    - 0 otherwise
  answers.peers: count(answers as o where o.stratum == stratum and o.expected == expected)
  calls: answers where expected == call
  hard_calls: calls where stratum.hard
  given: answers where actual is defined
  kinds: {is: given grouped by actual, with: [accuracy]}
  by_points: answers grouped by points
  strata.wrong: count(answers matching stratum where not hit)
metrics:
  accuracy: rate(hit over answers)
  accuracy_in.<strata>: rate(hit over answers)
  recall: rate(hit over calls)
  recall_of_hard: rate(hit over hard_calls)
  answered: count(answers where actual is defined)
  all_points: sum(points over answers)
  points_mean: mean(points over answers)
  points_median: median(points over answers)
  points_variance: variance(points over answers)
  ninety: quantile(points over answers, at = 90%%)
  most: max(points over answers)
  most_peers: max(peers over answers)
  peers_sum: sum(peers over answers)
  kinds_of_points: distinct(points over answers)
  size.<kinds>: count(given matching actual)
  size_of.<by_points>: count(answers matching points)
  at_least.<marks>: count(answers where points >= least)
  discordant: mcnemar(hit, stratum.hard over answers).p
  auc: auc(points, hit over answers)
  worst: max(wrong over strata)
  low: wilson(count(answers where hit), count(answers), level = 95%%).low
%s
gates:
  accurate: {says: The accuracy is at least 0.50., must: accuracy >= 0.50}
  no_misses: {says: No call is missed., must: no calls have actual == none}
  surely: {says: All are sure., must: all answers have sure}
verdict:
  - GOOD when all gates have held
  - BAD otherwise
report:
  released: [GOOD]
"""
READ = ("stratum", "expected", "actual", "sure")


@cache
def protocol(table: str = "", more: str = "") -> core.Protocol:
    found = pipeline.examine("counts.yaml", (SPEC % (table, more)).encode())
    assert found.protocol is not None, [item.message for item in found.findings]
    return found.protocol


@cache
def module() -> types.ModuleType:
    made = types.ModuleType("counted_rules")
    exec(compile(rules.render(protocol()), "rules.py", "exec"), made.__dict__)
    return made


@cache
def declared() -> Declared:
    return load(identity.canonical(protocol()))


def frame(rows: list[tuple]) -> pl.DataFrame:
    columns = list(zip(*rows, strict=True)) or [[] for _ in READ]
    made = {name: pl.Series(values, dtype=pl.String) for name, values in zip(READ[:3], columns, strict=False)}
    made["sure"] = pl.Series(columns[3], dtype=pl.Boolean)
    keys = pl.Series([f"a{at}" for at in range(len(rows))], dtype=pl.String)
    return pl.DataFrame({"answer": keys, **made, "cost": pl.Series(range(len(rows)), dtype=pl.Int64)})


ROW = st.tuples(
    st.sampled_from(["easy", "hard", "odd"]),
    st.sampled_from(["call", "none"]),
    st.sampled_from(["call", "none", None]),
    st.sampled_from([True, False, None]),
)


def test_the_columns_that_formulas_read_are_counted():
    assert provably(protocol()) == {"answers": READ}
    assert "    counted=('stratum', 'expected', 'actual', 'sure'),\n" in rules.render(protocol())


@pytest.mark.parametrize(
    ("table", "more"),
    [
        ("", "  spent: sum(cost over answers)"),  # a column of many values
        ("", "  named: count(answers where answer == \"a1\")"),
        ("      order: cost", ""),
        ("    remarks: {key: remark, columns: {remark: text, answer: answers}}", ""),
        ("      order: file", "  run: longest_run(hit over answers)"),
        ("      order: file", "  fall: max_drawdown(points over answers)"),
        ("", "  rank: spearman(points, points over answers).value"),
        ("", "  one: count(answers as o where (o == only(answers where hit)) is true)"),
        ("", "  same: count(answers as o where (some answers as p have p == o))"),
        ("", "  each.<answers>: indicator(hit)"),
        ("      order: file", "  late: count(answers where count(earlier answers where hit) > 1)"),
        ("", "intervals:\n  i: {metric: accuracy, resample: answers, draws: 10, generator: mersenne twister, seed: 1,"
             " level: 90%, low: ci_low}"),
    ],
)  # fmt: skip
def test_what_needs_single_rows_is_not_counted(table, more):
    found = pipeline.examine("counts.yaml", (SPEC % (table, more)).encode())
    if found.protocol is None:
        pytest.fail("; ".join(item.message for item in found.findings))
    assert "answers" not in provably(found.protocol)


@settings(max_examples=EXAMPLES, deadline=None)
@given(rows=st.lists(ROW, max_size=40), copies=st.integers(1, 4))
def test_counting_changes_no_result(tmp_path_factory, rows, copies):
    folder = tmp_path_factory.mktemp("rows")
    frame(rows * copies).write_parquet(folder / "answers.parquet")
    findings = Findings()
    tables = read_tables(declared(), folder, findings=findings)
    assert not findings.failed
    plain = results.of_study(module().study(tables))
    small = counted(module().rules, tables, least=1)
    if rows:
        assert small["answers"].frame[WEIGHT].sum() == len(rows) * copies
        assert small["answers"].height == len(set(rows))
    assert results.of_study(module().study(small)) == plain
    streamed = count_rows(declared(), declared().table("answers"), READ, folder)
    assert (streamed is None) is not bool(rows)
    if streamed is not None:
        assert results.of_study(module().study({**tables, "answers": streamed})).to_json() == plain.to_json()


def test_small_tables_keep_their_rows(tmp_path):
    frame([("easy", "call", "call", True)] * (LEAST - 1)).write_parquet(tmp_path / "answers.parquet")
    tables = read_tables(declared(), tmp_path, findings=Findings())
    assert counted(module().rules, tables) is tables
    assert counted(module().rules, tables, least=LEAST - 1)["answers"].height == 1


@pytest.mark.parametrize(
    "fault",
    [
        pl.lit("perhaps").alias("actual"),
        pl.lit(None, dtype=pl.String).alias("expected"),
        pl.lit("unheard of").alias("stratum"),
        pl.lit(1).alias("sure"),
        pl.lit(1).alias("more"),
    ],
)
def test_a_fault_sends_the_reader_to_the_rows(tmp_path, fault):
    path = tmp_path / "answers.parquet"
    frame([("easy", "call", "call", True)] * 3).with_columns(fault).write_parquet(path)
    assert count_rows(declared(), declared().table("answers"), READ, tmp_path) is None
    path.write_bytes(b"no Parquet")
    assert count_rows(declared(), declared().table("answers"), READ, tmp_path) is None


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    (tmp_path / "protoc.toml").write_text("")
    (tmp_path / "counts.yaml").write_text(SPEC % ("", ""))
    (tmp_path / "data").mkdir()
    return tmp_path


def score(workspace: Path, capsys: pytest.CaptureFixture[str], *more: str) -> tuple[dict, str]:
    import sys

    argv = ["score", str(workspace / "counts.yaml"), "--data", str(workspace / "data"), "--format", "json", *more]
    main([*argv, "--workspace", str(workspace)], sys.stdin, sys.stdout, sys.stderr)
    out, err = capsys.readouterr()
    return json.loads(out) if out else {}, err


def test_unchecked_rows_are_told_and_score_alike(workspace, capsys):
    rows = [("easy", "call", "call", True), ("hard", "none", "call", None), ("odd", "none", "none", False)] * 5
    frame(rows).write_parquet(workspace / "data" / "answers.parquet")
    plain, said = score(workspace, capsys)
    assert said == ""
    quick, said = score(workspace, capsys, "--unchecked")
    assert [row["table"] for row in plain.pop("rows")] == ["answers"]  # whose keys an unchecked count does not see
    assert quick == plain
    assert "N1041" in said
    assert "15 rows" in said


def test_a_repeated_key_is_found_unless_unchecked(workspace, capsys):
    path = workspace / "data" / "answers.parquet"
    frame([("easy", "call", "call", True)] * 2).with_columns(answer=pl.lit("a")).write_parquet(path)
    assert [item["id"] for item in score(workspace, capsys)[0]["diagnostics"]] == ["E1029"]
    assert "N1041" in score(workspace, capsys, "--unchecked")[1]
