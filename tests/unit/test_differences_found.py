"""What the two computations once said differently: each difference that a long run of random protocols has found."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from fuzz.comparing import Programs, difference
from protoc_compiler import pipeline
from protoc_compiler.emit import rules, verify
from protoc_runtime.engine import of
from protoc_runtime.engine.forms import undefined

SPEC = """protoc: 1
protocol: {id: found, version: 1, title: Found}
data:
  tables:
    arms: {key: arm, rows: [on, off, mid]}
    tries: {key: try, columns: {try: int}}
    meta: {key: label, columns: {label: text, flag: bool, n: int, x: decimal}, expect: count(meta) == 1}
    limits: {key: limit, columns: {strict: bool}, rows: {0.25: {strict: true}, 0.50: {strict: false}}}
    cases:
      key: case
      order: seq
      columns: {case: text, seq: int, hue: [red, green], ok: bool, note: any, limit: limits}
  records:
    seal: {from: seal, time: time}
definitions:DEFINED
  tries.of: only(cases where ok).case
  by_limit: cases grouped by limit
  cases.place: [upper when seq == 0, lower otherwise]
  by_place: cases grouped by place
  seen.<arms>: count(cases)
  by_arm: {is: arms grouped by arm, with: [kept]}
  lasting: arms where arm in [on, off, mid]
metrics:
  share: rate(ok over cases)
  kept: count(arms where seen.on == 3)
METRIC
verdict: [FIRSTLAST]
report: {released: [DONE]}
"""
CASES = [{"case": f"red{k}", "seq": k, "hue": "red", "ok": True, "note": "a", "limit": 0.5} for k in range(3)]


def said(
    parts: str,
    tmp_path: Path,
    tries: int = 0,
    defined: str = "",
    meta: int = 1,
    first: str = "",
    last: str = "DONE otherwise",
    **cells: Any,
) -> dict[str, Any]:
    """What both say of a protocol with these parts, over three cases with these cells."""
    text = SPEC.replace("METRIC", parts).replace("DEFINED", defined and f"\n{defined}")
    text = text.replace("FIRST", first).replace("LAST", last)
    done = pipeline.examine("protocol.yaml", text.encode())
    assert done.protocol is not None, [item.message for item in done.findings]
    programs = Programs(done.protocol, rules.render(done.protocol), verify.render(done.protocol))
    (tmp_path / "cases.jsonl").write_text("".join(json.dumps(row | cells) + "\n" for row in CASES), "utf-8")
    (tmp_path / "tries.jsonl").write_text('{"try": 1}\n' * tries, "utf-8")
    (tmp_path / "meta.jsonl").write_text('{"label": "m", "flag": true, "n": 1, "x": 1}\n' * meta, "utf-8")
    engine = programs.engine(tmp_path)
    assert not difference(engine, programs.verifier(tmp_path))  # the order of entries included
    return engine


@pytest.mark.parametrize(
    ("metric", "num", "den"),
    [
        ("median(share over arms)", 3, 3),  # the middle value, as counted
        ("median(share over lasting where arm != mid)", 1, 1),  # a mean of two
        ("abs(rate(ok over cases))", 1, 1),  # a number like any other
        ("sum(chars(hue) over cases)", 9, 1),
        ("sum(occurrences(hue, case) over cases)", 3, 1),
        ('sum(occurrences("e", hue) over cases)', 3, 1),
    ],
)
def test_a_number_is_the_same_in_both(metric: str, num: int, den: int, tmp_path: Path) -> None:
    assert said(f"  m: {metric}", tmp_path)["metrics"]["m"] == {"num": num, "den": den}


def test_the_day_of_no_time_is_undefined() -> None:
    assert of.day(undefined).values() == [None]


@pytest.mark.parametrize(("note", "stopped"), [("a", False), (1, True), ({"a": [1]}, True), ([], True)])
def test_a_list_or_object_is_no_text(note: Any, stopped: bool, tmp_path: Path) -> None:
    found = said('  m: count(cases where (note == "a"))', tmp_path, note=note)
    assert found == {"stopped": ["E1253"]} if stopped else found["metrics"]["m"] == {"num": 3, "den": 1}


def test_a_draw_reads_a_window_of_rows_that_it_does_not_change(tmp_path: Path) -> None:
    metric = "  pairs: sum(count(latest 2 arms) over arms where arm != on) + count(cases)\nintervals:\n"
    given = "metric: pairs, resample: cases, draws: 9, generator: mersenne twister, seed: 1, level: 50%, low: low"
    found = said(f"{metric}  spread: {{{given}}}", tmp_path)["metrics"]
    assert found["pairs"] == found["low"] == {"num": 7, "den": 1}


@pytest.mark.parametrize(("tries", "found"), [(0, {"num": 3, "den": 1}), (1, None)])
def test_a_column_that_reads_nothing_of_its_row_stops_nothing_without_rows(
    tries: int, found: dict[str, int] | None, tmp_path: Path
) -> None:
    made = said("  m: count(cases)", tmp_path, tries)
    assert made == {"stopped": ["E1250"]} if found is None else made["metrics"]["m"] == found


def test_a_group_is_named_by_the_key_of_its_row_as_the_protocol_writes_it(tmp_path: Path) -> None:
    assert "n.0.50" in said("  n.<by_limit>: count(cases)", tmp_path)["metrics"]


def test_groups_and_strata_of_derived_words_stand_as_the_words_do(tmp_path: Path) -> None:
    metric = "  n.<by_place>: count(cases)\n  mean_seq: mean(seq over cases)\nintervals:\n"
    given = (
        "metric: mean_seq, resample: cases, within: place, draws: 9, generator: mersenne twister, seed: 1, level: 50%"
    )
    found = said(f"{metric}  spread: {{{given}, low: low, high: high}}", tmp_path)["metrics"]
    assert [name for name in found if name.startswith("n.")] == ["n.upper", "n.lower"]
    assert found["low"] != found["high"]


def test_a_filter_that_names_a_row_is_undefined_in_a_group_without_it(tmp_path: Path) -> None:
    assert said("  of.<by_arm>: kept", tmp_path)["metrics"]["kept"] == {"num": 3, "den": 1}


NUMBERS = {0: None, 1: {"num": 3, "den": 1}}
TABLE = "  flagged: cases where meta.flag"
OTHERS = {
    "groups": (f"{TABLE}\n  made: flagged grouped by hue and case", "count(made)"),
    "groups by what is undefined": ("  cases.at: meta.n + seq\n  made: cases grouped by at", "count(made)"),
    "sample": (f"{TABLE}\n  made: sample(flagged, 3, seed = 1)", "count(made)"),
    "cross": (f"{TABLE}\n  made: cross of flagged and limits", "count(made) / 2 + 0"),
    "stack": (f"{TABLE}\n  made: stack of flagged and cases", "count(made) - 3"),
    "subset": (f"{TABLE}\n  made: flagged where ok", "count(made)"),
    "order": (f"{TABLE} ordered by seq", "sum(count(earlier flagged) over cases)"),
    "list": (TABLE, "count(cases where case in flagged.case)"),
    "entries": (f"{TABLE}\n  own.<flagged>: 1", "sum(own over flagged)"),
    "inside": ("", "sum(count(cases as other where other.seq == seq and meta.flag) over cases)"),
    "inside by name": ("  known: meta.flag", "sum(count(cases as other where other.seq == seq and known) over cases)"),
    "inside by two": ("  known: meta.flag", "sum(count(cases as other where known where other.seq == seq) over cases)"),
    "matching twice": (f"{TABLE}\n  cases.own: count(flagged matching seq)", "3 * only(cases where seq == 2).own"),
    "before": ("  known: meta.flag", "sum(count(earlier cases where known) over cases)"),
    "none": ("  known: meta.flag", "3 * indicator(no cases where known have not ok)"),
}


@pytest.mark.parametrize("meta", NUMBERS)
@pytest.mark.parametrize("form", OTHERS)
def test_rows_are_undefined_where_a_filter_rests_on_what_is_not_there(form: str, meta: int, tmp_path: Path) -> None:
    defined, metric = OTHERS[form]
    made = said(f"  m: {metric}", tmp_path, defined=defined, meta=meta)
    assert made["metrics"]["m"] == NUMBERS[meta]
    assert made["unexpected"] == 1 - meta


LATER = "seq > 0 or meta.flag"
FITS = f'where ({LATER}) where note == "a"'
OVER_GAPS = {
    "count": ("", f"count(cases {FITS})"),
    "table": (f"  fitting: cases {FITS}", "count(fitting)"),
    "groups": (f"  made: cases {FITS} grouped by hue", "count(made)"),
    "value": ("", f'sum(indicator(note == "a") over cases where {LATER})'),
    "before": ("", f"sum(count(earlier cases {FITS}) over cases)"),
    "some": ("", f"indicator(some cases {FITS})"),
    "one": ("", f"only(cases where {LATER}).seq"),
}


@pytest.mark.parametrize("meta", [0, 1])
@pytest.mark.parametrize("form", OVER_GAPS)
def test_where_a_filter_is_undefined_for_one_row_the_others_are_looked_at(form: str, meta: int, tmp_path: Path) -> None:
    defined, metric = OVER_GAPS[form]
    found = said(f"  m: {metric}", tmp_path, defined=defined, meta=meta, note=["a"])
    assert found == {"stopped": ["E1250" if form == "one" else "E1253"]}


def test_a_record_that_is_not_there_leaves_the_rows_of_a_table_undefined(tmp_path: Path) -> None:
    defined = "  cases.at: 2026-08-10T12:30Z\n  late: cases where at > seal.time"
    found = said("  m: count(late)\n  of.<late>: seq", tmp_path, defined=defined)["metrics"]
    assert found == {"share": {"num": 3, "den": 3}, "kept": NUMBERS[1], "m": None}


@pytest.mark.parametrize("meta", NUMBERS)
@pytest.mark.parametrize("given", ["resample: cases where meta.flag", "resample: cases, out_of: meta.n + 2"])
def test_an_interval_of_what_is_undefined_has_no_bounds(given: str, meta: int, tmp_path: Path) -> None:
    names = "low: low, high: high, kept: known"
    metric = f"  rows: count(cases)\nintervals:\n  spread: {{metric: rows, {given}, draws: 9, {SEEDED}, {names}}}"
    found = said(metric, tmp_path, meta=meta)["metrics"]
    assert (found["low"] is None, found["high"] is None, found["known"]) == (not meta, not meta, NINE if meta else None)


@pytest.mark.parametrize(("metric", "den"), [("sum(meta.x over none)", 1), ("sum(meta.n over none)", 3)])
def test_a_sum_of_nothing_is_of_the_kind_of_its_operand(metric: str, den: int, tmp_path: Path) -> None:
    metrics = f"  of_none: {metric}\n  m: mean(of_none over arms)"
    found = said(metrics, tmp_path, defined="  none: cases where seq > 9")["metrics"]
    assert found["m"] == {"num": 0, "den": den}


def test_a_draw_reads_a_table_that_has_no_rows(tmp_path: Path) -> None:
    metric = "  rows: count(cases) + count(few where (mean(seq over cases) > 0) is true)"
    given = f"metric: rows, resample: cases, draws: 9, {SEEDED}, low: low"
    few = "  few: limits where strict and limit == 0.50"
    found = said(f"{metric}\nintervals:\n  spread: {{{given}}}", tmp_path, defined=few)["metrics"]
    assert found["low"] == {"num": 3, "den": 1}


def test_of_two_faults_the_one_of_the_first_value_is_told(tmp_path: Path) -> None:
    test = "binomial_test(1, 9007199254740991, 50%).p > 2%"
    gate = f"gates:\n  g:\n    says: It is so of 9007199254740991 at 50% and 2%.\n    must: {test}"
    found = said(f"  m: only(cases).seq\n{gate}", tmp_path, first="GOOD when all gates have held, ")
    assert found == {"stopped": ["E1250"]}


def test_a_running_sum_of_one_ratio_is_a_number_like_any_other(tmp_path: Path) -> None:
    found = said("  m.<arms>: sum(share over earlier arms)", tmp_path)["metrics"]
    assert found["m.off"] == {"num": 1, "den": 1}  # the ratio itself is 3/3, as counted


def test_the_percentile_of_whole_numbers_is_one_of_them(tmp_path: Path) -> None:
    found = said("  high: p95(seq over cases)\n  m: mean(high over arms)", tmp_path)["metrics"]
    assert (found["high"], found["m"]) == ({"num": 2, "den": 1}, {"num": 6, "den": 3})


@pytest.mark.parametrize("meta", NUMBERS)
def test_where_it_is_undefined_whether_a_value_is_withheld_it_is(meta: int, tmp_path: Path) -> None:
    checks = "checks:\n  withheld when: meta.flag\n  one: {says: There is a case., is: some cases}\n"
    metrics = "  withheld when: not meta.flag\n  not withheld: [share, kept]\n  m: count(cases)\n  m.<arms>: seen\n"
    found = said(metrics + checks, tmp_path, meta=meta)
    metrics_too = ["metrics.m", "metrics.m.on", "metrics.m.off", "metrics.m.mid"]
    assert found["withheld"] == ([] if meta else metrics_too) + ["checks.one"]
    assert found["metrics"]["m"] == NUMBERS[meta]
    assert found["checks"] == {"one": None}


@pytest.mark.parametrize(
    ("lines", "found"),
    [
        ("EARLY when meta.flag, ", "condition of this line is undefined: EARLY when meta.flag"),
        ("EARLY when some cases where seq > 5, LATE when not meta.flag, ", "condition of this line is undefined: LATE"),
        ("(word) when some cases, ", "word of this line is undefined: (word) when some cases"),
        (
            'EARLY when some cases where case == "; ", LATE when meta.flag, ',
            "condition of this line is undefined: line 2",
        ),
    ],
)
def test_what_leaves_no_verdict_is_told(lines: str, found: str, tmp_path: Path) -> None:
    words = "  word: [EARLY when meta.flag, DONE otherwise]" if "word" in lines else ""
    last = "(word) otherwise" if words else "DONE otherwise"
    made = said("  m: count(cases)", tmp_path, meta=0, defined=words, first=lines, last=last)
    assert (made["verdict"], made["released"]) == (None, False)
    (reason,) = made["reasons"]
    assert reason.startswith(f"verdict: none, since the {found}")


SEEDED = "generator: mersenne twister, seed: 1, level: 50%"
NINE = {"num": 9, "den": 1}


def test_the_conditions_of_a_rule_are_read_one_by_one_although_they_guard_each_other(tmp_path: Path) -> None:
    conditions = "[count(cases where unknown) >= 1, unknown is true]"
    gates = f"gates:\n  g: {{says: It is so., must: {{all: {conditions}}}}}"
    found = said(f"  unknown: mean(seq over cases where seq > 9) > 1\n{gates}", tmp_path)
    assert found["gates"] == {"g": False}
    assert found["reasons"] == ["g: gate failed: It is so. (count(cases where unknown) >= 1; unknown is true)"]
