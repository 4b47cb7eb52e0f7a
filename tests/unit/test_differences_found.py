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
    limits: {key: limit, columns: {strict: bool}, rows: {0.25: {strict: true}, 0.50: {strict: false}}}
    cases:
      key: case
      order: seq
      columns: {case: text, seq: int, hue: [red, green], ok: bool, note: any, limit: limits}
definitions:
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
verdict: [DONE otherwise]
report: {released: [DONE]}
"""
CASES = [{"case": f"red{k}", "seq": k, "hue": "red", "ok": True, "note": "a", "limit": 0.5} for k in range(3)]


def said(parts: str, tmp_path: Path, tries: int = 0, **cells: Any) -> dict[str, Any]:
    """What both say of a protocol with these parts, over three cases with these cells."""
    done = pipeline.examine("protocol.yaml", SPEC.replace("METRIC", parts).encode())
    assert done.protocol is not None, [item.message for item in done.findings]
    programs = Programs(done.protocol, rules.render(done.protocol), verify.render(done.protocol))
    (tmp_path / "cases.jsonl").write_text("".join(json.dumps(row | cells) + "\n" for row in CASES), "utf-8")
    (tmp_path / "tries.jsonl").write_text('{"try": 1}\n' * tries, "utf-8")
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
