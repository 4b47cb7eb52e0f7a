"""Opening rows in rows: joins, order, `earlier` and `latest`, groups, and what stops a run."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime
from fractions import Fraction
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protoc_runtime.catalogue import rules as kinds
from protoc_runtime.diagnostics import Kind, Refused
from protoc_runtime.engine import of, over
from protoc_runtime.engine.api import Rules, Study, cast, grouped, in_column, in_set, lift, undefined
from protoc_runtime.engine.rows import Rows
from protoc_runtime.tables import TableData
from unit.engine_tables import study

RUNS = {"run": "text", "seq": "int", "key": "text", "x": "number", "ok": "bool"}
keys = st.sampled_from(["a", "b", None])
runs = st.lists(
    st.tuples(keys, st.none() | st.integers(-3, 3).map(Fraction), st.sampled_from([True, False, None])), max_size=12
)
Line = tuple[str, int, Any, Any, Any]


def numbered(rows: Sequence[tuple[Any, Any, Any]], places: Sequence[int]) -> list[Line]:
    return [(f"r{at}", place, *row) for at, (row, place) in enumerate(zip(rows, places, strict=True))]


@st.composite
def ordered_runs(draw: st.DrawFn) -> list[Line]:
    rows = draw(runs)
    return numbered(rows, draw(st.permutations(range(len(rows)))))


def refused(kind: Kind, found: pytest.ExceptionInfo[Refused]) -> bool:
    return [item.kind for item in found.value.diagnostics] == [kind]


def of_runs(rows: list[Line]) -> Study:
    return study({"runs": (RUNS, rows)}, runs={"order": ("seq",)})


@given(ordered_runs())
def test_rows_stand_in_the_declared_order(rows: list[Line]) -> None:
    found = of_runs(rows).rows("runs")
    assert found["seq"].values() == sorted(row[1] for row in rows)
    names = over.list(found, found["run"]).values()[0]
    assert list(names) == [row[0] for row in sorted(rows, key=lambda row: row[1])]


@given(ordered_runs())
def test_a_join_keeps_order_and_matches_no_undefined(rows: list[Line]) -> None:
    made = of_runs(rows)
    outer, inner = made.table("runs"), made.rows("runs")
    joined = outer.open(inner, (inner["key"], outer["key"]))
    expected = []
    for row in rows:
        same = [r for r in rows if r[2] is not None and r[2] == row[2]]
        expected.append(tuple(r[0] for r in sorted(same, key=lambda r: r[1])))
    assert over.list(joined, joined["run"]).values() == expected


@given(ordered_runs())
def test_earlier_rows_by_pairs_and_by_running_sums(rows: list[Line]) -> None:
    made = of_runs(rows)
    outer, inner = made.table("runs"), made.rows("runs")
    before = outer.open(inner).earlier(outer.row)
    expected = [[r for r in rows if r[1] < row[1]] for row in rows]
    assert over.count(before).values() == [len(found) for found in expected]
    assert over.earlier_count(inner, outer.row).values() == [len(found) for found in expected]
    sums = [None if any(r[3] is None for r in found) else sum(r[3] for r in found) for found in expected]
    assert over.sum(before, before["x"]).values() == sums
    assert over.earlier_sum(inner, inner["x"], outer.row).values() == sums
    for slow, fast in ((over.mean, over.earlier_mean), (over.rate, over.earlier_rate)):
        column = "x" if slow is over.mean else "ok"
        assert slow(before, before[column]).values() == fast(inner, inner[column], outer.row).values()
    assert over.some(before, before["ok"]).values() == over.earlier_some(inner, inner["ok"], outer.row).values()
    assert over.no(before, before["ok"]).values() == over.earlier_no(inner, inner["ok"], outer.row).values()
    assert over.no(before).values() == over.earlier_no(inner, None, outer.row).values()


@given(ordered_runs(), st.integers(1, 4))
def test_latest_rows_end_here_or_are_undefined(rows: list[Line], count: int) -> None:
    made = of_runs(rows)
    outer = made.table("runs")
    window = outer.latest(made.rows("runs"), outer.row, count)
    inner = window.narrow(window["ok"])
    for at, row in enumerate(rows):
        found = [r for r in rows if row[1] - count < r[1] <= row[1]]
        enough = len(found) == count
        assert over.count(window).values()[at] == (count if enough else None)
        assert over.count(inner).values()[at] == (sum(r[4] is True for r in found) if enough else None)
        assert over.last(window).values()[at] == (at if enough else None)
        assert over.some(inner).values()[at] == (any(r[4] is True for r in found) if enough else None)


def test_rows_outside_of_a_table_have_earlier_ones_but_no_window() -> None:
    rules = Rules("small", 1)
    made = study({"runs": (RUNS, numbered([("a", 1, True), ("b", 2, False), ("a", 3, True)], [0, 1, 2]))}, rules)

    @rules.rows("good", "subset", root="runs")
    def good(study: Study) -> Rows:
        rows = study.rows("runs")
        return rows.where(rows["ok"])

    outer = made.table("runs")
    assert over.earlier_count(made.rows("good"), outer.row).values() == [0, 1, 1]
    assert over.count(outer.latest(made.rows("good"), outer.row, 1)).values() == [1, None, 1]


def test_a_subset_with_an_order_of_its_own() -> None:
    rules = Rules("small", 1)
    rows = numbered([("a", 5, True), ("b", 4, False), ("a", 1, True), (None, None, False)], [0, 1, 2, 3])
    made = study({"runs": (RUNS, rows)}, rules)

    def order(study: Study, runs: Rows) -> tuple[Any, ...]:
        return (runs["x"],)

    @rules.rows("good", "subset", root="runs", order_by=order)
    def good(study: Study) -> Rows:
        found = study.rows("runs")
        found = found.where(found["ok"])
        return found.ordered(found["x"])

    assert made.rows("good")["run"].values() == ["r2", "r0"]
    outer = made.table("runs")
    assert over.earlier_count(made.rows("good"), outer.row).values() == [1, 1, 0, None]


@given(ordered_runs())
@settings(max_examples=40)
def test_groups_are_sorted_and_undefined_where_a_key_is(rows: list[Line]) -> None:
    rules = Rules("small", 1)
    made = study({"runs": (RUNS, rows)}, rules)

    @rules.rows("groups", "grouped", key=("key", "ok"), columns={"key": "text", "ok": "bool"})
    def groups(study: Study) -> Any:
        found = study.rows("runs")
        return grouped(found, {"key": found["key"], "ok": found["ok"]})

    found = made.rows("groups")
    keys = {(row[2], row[4]) for row in rows}
    if any(None in pair for pair in keys):
        assert found.size == 0
        assert over.count(found).values() == [None]
        return
    pairs = sorted(keys)
    assert list(zip(found["key"].values(), found["ok"].values(), strict=True)) == pairs
    inner = made.rows("runs")
    inner = found.open(inner, (inner["key"], found["key"]), (inner["ok"], found["ok"]))
    assert over.count(inner).values() == [sum((row[2], row[4]) == pair for row in rows) for pair in pairs]
    assert [made.label("groups", at) for at in range(len(pairs))] == [f"{k}.{str(ok).lower()}" for k, ok in pairs]


def test_products_and_stacks() -> None:
    rules = Rules("small", 1)
    made = study({"a": ({"a": "int"}, [(1,), (2,)]), "b": ({"b": "text", "n": "int"}, [("x", 7), ("y", 8)])}, rules)
    rules.table("both", "cross", key=("a", "b"), parts=("a", "b"), columns={"a": "ref a", "b": "ref b"})
    rules.table("piled", "stack", parts=("b", "b"), columns={"b": "text", "n": "int"})
    both = made.rows("both")
    assert list(zip(both["a"]["a"].values(), both["b"]["b"].values(), strict=True)) == [
        (1, "x"), (1, "y"), (2, "x"), (2, "y"),
    ]  # fmt: skip
    assert made.rows("piled")["n"].values() == [7, 8, 7, 8]
    assert [row["b"] for row in made.table_rows("piled")] == ["x", "y", "x", "y"]


def test_a_sample_is_drawn_once_and_keeps_the_order() -> None:
    rules = Rules("small", 1)
    made = study({"a": ({"a": "int"}, [(n,) for n in range(20)])}, rules)
    rules.table("some", "sample", root="a", parts=("a",), sample=(5, "7"))
    found = made.rows("some")["a"].values()
    assert found == sorted(set(found))
    assert len(found) == 5
    assert found == made.rows("some")["a"].values()
    rules.table("more", "sample", root="a", parts=("a",), sample=(21, "7"))
    with pytest.raises(Refused) as stopped:
        made.rows("more")
    assert refused(kinds.SAMPLE_TOO_LARGE, stopped)


def test_references_are_followed_and_compared_by_key() -> None:
    tables = {
        "docs": ({"doc": "text", "label": "enum ai human"}, [("d1", "ai"), ("d2", "human")]),
        "scores": (
            {"id": "int", "doc": "ref docs", "call": "enum human ai other"},
            [(1, 0, "ai"), (2, 1, "other"), (3, None, "ai")],
        ),
    }
    made = study(tables)
    scores = made.rows("scores")
    assert scores["doc"]["label"].values() == ["ai", "human", None]
    assert (scores["doc"]["label"] == scores["call"]).values() == [True, False, None]
    assert (scores["doc"] == "d2").values() == [False, True, None]
    assert (scores["call"] == "none of them").values() == [False, False, False]
    assert made.table_rows("scores")[1] == {"id": 2, "doc": "d2", "call": "other"}


def test_membership_in_a_column_and_in_a_set() -> None:
    tables = {
        "barred": ({"id": "int", "url": "text"}, [(1, "u"), (2, None)]),
        "docs": (
            {"doc": "text", "url": "text", "tags": "set of text"},
            [("a", "u", ["p"]), ("b", "v", []), ("c", None, None)],
        ),
    }
    made = study(tables)
    docs, barred = made.table("docs"), made.rows("barred")
    assert in_column(docs["url"], barred, barred["url"]).values() == [True, None, None]
    known = barred.where(barred["url"].is_defined())
    assert in_column(docs["url"], known, known["url"]).values() == [True, False, None]
    here = docs.open(known)
    assert in_column(docs["url"], here, here["url"]).values() == [True, False, None]
    assert in_set(lift("p"), docs["tags"]).values() == [True, False, None]
    assert of.size(docs["tags"]).values() == [1, 0, None]


def test_values_of_any_kind_are_compared_by_value_and_cast() -> None:
    rows = [("a", "n:1/2"), ("b", "t:1/2"), ("c", "b:true"), ("d", None), ("e", 'j:{"k":1}')]
    made = study({"settings": ({"name": "text", "value": "any"}, rows)})
    found = made.table("settings")
    assert (found["value"] == Fraction(1, 2)).values() == [True, False, False, None, False]
    assert (found["value"] == "1/2").values() == [False, True, False, None, False]
    assert (found["value"] == lift(True)).values() == [False, False, True, None, False]
    assert (found["value"] == found["value"]).values() == [True, True, True, None, True]
    one = found.where(found["name"] == "a")
    assert cast(over.only(one)["value"], "number").values() == [Fraction(1, 2)]
    with pytest.raises(Refused) as stopped:
        cast(found["value"], "number")
    assert refused(kinds.OTHER_KIND, stopped)


def test_times_and_dates() -> None:
    at = datetime(2026, 3, 1, 23, 30, tzinfo=UTC)
    made = study({"log": ({"id": "int", "at": "time", "on": "date"}, [(1, at, date(2026, 3, 1)), (2, None, None)])})
    log = made.table("log")
    assert of.day(log["at"]).values() == [date(2026, 3, 1), None]
    assert (of.day(log["at"]) == log["on"]).values() == [True, None]
    assert (log["at"] < datetime(2026, 3, 2, tzinfo=UTC)).values() == [True, None]
    known = log.where(log["at"].is_defined())
    assert over.max(known, known["at"]).values() == [at]


def test_only_refuses_several_rows() -> None:
    made = of_runs(numbered([("a", 1, True), ("b", 1, True), ("a", 1, False)], [0, 1, 2]))
    found = made.rows("runs")
    assert over.only(found.where(found["key"] == "b")).values() == [1]
    assert over.only(found.where(found["key"] == "c")).values() == [None]
    with pytest.raises(Refused) as stopped:
        over.only(found.where(found["key"] == "a"))
    assert refused(kinds.SEVERAL_ROWS, stopped)


def test_orders_that_tie_or_have_gaps_are_refused() -> None:
    ties = of_runs(numbered([("a", 1, True), ("b", 1, True)], [4, 4]))
    with pytest.raises(Refused) as stopped:
        ties.rows("runs")
    assert refused(kinds.ORDER_TIES, stopped)
    gaps = of_runs([("r", None, "a", 1, True), ("s", 1, "a", 1, True)])  # type: ignore[list-item]
    with pytest.raises(Refused) as stopped:
        gaps.rows("runs")
    assert refused(kinds.ORDER_UNDEFINED, stopped)


def test_missing_tables_and_digests_are_refused_but_records_are_undefined() -> None:
    rules = Rules("small", 1)
    rules.table("cases", "rows", key=("case",), columns={"case": "text"})
    rules.table("seal", "rows", columns={"files_match": "bool"}, record=True)
    made = Study(rules, {})
    with pytest.raises(Refused) as stopped:
        made.rows("cases")
    assert refused(kinds.MISSING_TABLE, stopped)
    assert over.only(made.rows("seal"))["files_match"].values() == [None]
    with pytest.raises(Refused) as stopped:
        made.digest("cases")
    assert refused(kinds.NO_DIGEST, stopped)
    assert Study(rules, {}, {"cases": "sha256:00ff"}).digest("cases").value() == "00ff"


def test_too_many_pairs_are_refused_before_they_are_made() -> None:
    frame = pl.DataFrame({"case": pl.int_range(10_000, eager=True)})
    rules = Rules("small", 1)
    rules.table("cases", "rows", key=("case",), columns={"case": "int"})
    made = Study(rules, {"cases": TableData("cases", frame, {})})
    with pytest.raises(Refused) as stopped:
        made.table("cases").open(made.rows("cases"))
    assert refused(kinds.TOO_MANY_PAIRS, stopped)


def test_what_reads_rows_with_an_undefined_filter_is_undefined() -> None:
    made = of_runs(numbered([("a", 1, None)], [0]))
    found = made.rows("runs")
    kept = found.where(found["ok"])
    assert over.count(kept).values() == [None]
    assert over.some(kept).values() == [None]
    assert in_column(1, kept, kept["seq"]).values() == [None]
    groups = grouped(kept, {"seq": kept["seq"]})
    assert groups.short is not None
    assert (groups.size, groups.short.to_list()) == (0, [True])
    assert over.count(kept.named("some")).values() == [None]
    assert found.narrow(found["ok"]).size == 0
    assert found.narrow(undefined).size == 0


def test_nested_contexts_meet_in_the_innermost() -> None:
    tables = {
        "cases": ({"case": "text", "least": "int"}, [("c1", 1), ("c2", 2)]),
        "answers": ({"id": "int", "case": "ref cases", "n": "int"}, [(1, 0, 1), (2, 0, 2), (3, 1, 3), (4, 1, 1)]),
        "votes": ({"id": "int", "answer": "ref answers"}, [(1, 0), (2, 0), (3, 2), (4, 3)]),
    }
    made = study(tables)
    cases = made.table("cases")
    answers = made.rows("answers")
    answers = cases.open(answers, (answers["case"], cases.row))
    votes = made.rows("votes")
    votes = answers.open(votes, (votes["answer"], answers.row))
    enough = over.count(votes) >= cases["least"]
    assert enough.values() == [True, False, False, False]
    assert over.some(answers, enough & (answers["n"] >= cases["least"])).values() == [True, False]
    assert over.sum(answers, over.count(votes) * answers["n"]).values() == [2, 4]
