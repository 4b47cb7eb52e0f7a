"""Which values of a metric are better, and the limits of rules on its worse side."""

from __future__ import annotations

import pytest

from protoc_compiler import identity
from protoc_compiler.emit import prose
from protoc_compiler.fmt import format_text
from unit.small import examine, ids, protocol, spec

METRICS = """violated: {is: rate(not good over cases), better: lower}
solved: {is: rate(good over cases), better: higher}
open.<topics>: {is: rate(not good over cases), better: lower}
complete: 1 - violated
mean_size: mean(size over cases)
"""
DEFINITIONS = """enough: violated >= 5%
bar: 0.05
by_kind: {is: cases grouped by kind, with: [violated]}
"""
LIMITS = "topics:\n      key: topic\n      rows: {algebra: {hard: true, most: 10%}, chance: {hard: false, most: 20%}}"
ROWS = "topics:\n      key: topic\n      rows: {algebra: {hard: true}, chance: {hard: false}}"
INTERVAL = """
intervals:
  spread:
    metric: violated
    resample: cases
    draws: 1000
    generator: mersenne twister
    seed: 1
    level: 95%
    low: violated_low
    high: violated_high

gates:
"""


def told(rule: str) -> list[str]:
    """The messages about a gate, or a blocker where the line begins with `when`."""
    key, _, formula = rule.partition(": ")
    words = "{says: 'About 5%, 10%, 0.05, 0.1 and 100.', " + f"{key}: '{formula}'}}"
    section = f"\nblockers:\n  b: {words}\n\ngates:\n" if key == "when" else f"\ngates:\n  g: {words}\n"
    verdict = "BLOCKED when some blockers have fired\n  - PASS when" if key == "when" else "PASS when"
    changes = (
        (ROWS, LIMITS),
        ("\nmetrics:\n", "\nmetrics:\n" + "".join(f"  {line}\n" for line in METRICS.splitlines())),
        ("\ngates:\n", INTERVAL),
        ("\ngates:\n", section),
        ("PASS when", verdict),
    )
    found = examine(spec(definitions=DEFINITIONS, changes=changes)).findings.sorted()
    assert {item.id for item in found if item.severity == "error"} <= {"E0701", "E0705"}, found
    return [item.message for item in found if item.id == "E0705"]


@pytest.mark.parametrize(
    "rule",
    [
        "must: violated >= 5%",
        "must: violated > 5%",
        "must: 5% <= violated",
        "must: violated >= bar",
        "must: solved <= 5%",
        "must: solved < 5%",
        "must: complete <= 5%",
        "must: 1 - violated < 5%",
        "must: -solved >= -0.05",
        "must: violated * 100 >= 5",
        "must: violated - 0.05 >= 0",
        "must: not (violated < 5%)",
        "must: not (violated < 5% or mean_size > 100)",
        "must: (violated >= 5%) is true",
        "must: (violated < 5%) is false",
        "must: enough",
        "must: enough and mean_size < 100",
        "must: open.algebra >= 5%",
        "must: all topics have open >= most",
        "must: no topics have open < most",
        "must: all by_kind have violated >= 5%",
        "must: violated_low >= 5%",
        "must: violated_high >= 5%",
        "when: violated <= 5%",
        "when: violated <= 5% or mean_size > 100",
        "when: solved >= 10%",
        "when: some topics have open <= most",
        "when: not (violated > 5%)",
    ],
)
def test_a_limit_on_the_worse_side_is_told(rule: str) -> None:
    assert len(told(rule)) == 1


@pytest.mark.parametrize(
    "rule",
    [
        "must: violated <= 5%",
        "must: solved >= 5%",
        "must: complete >= 5%",
        "must: violated in 5%..10%",
        "must: 5% <= violated <= 10%",
        "must: violated >= 5% and violated <= 10%",
        "must: violated == 5%",
        "must: violated != 5%",
        "must: violated >= solved",
        "must: solved <= open.algebra",
        "must: open.algebra >= open.chance",
        "must: open.algebra - open.chance >= 5%",
        "must: violated >= rate(good over cases where size > 100)",
        "must: violated >= 5% or mean_size > 100",
        "must: not (violated < 5% and mean_size > 100)",
        "must: some topics have open >= most",
        "must: count(topics where hard) >= 1 and mean_size >= 5",
        "must: all topics have open <= most",
        "must: violated_low <= 5%",
        "when: violated >= 5%",
        "when: violated < 5% or violated > 10%",
        "when: violated < 5% and mean_size > 100",
        "when: not (5% <= violated <= 10%)",
        "when: all topics have open <= most",
    ],
)
def test_a_limit_on_the_better_side_and_what_may_be_meant_are_not_told(rule: str) -> None:
    assert told(rule) == []


def test_both_places_are_told() -> None:
    text = spec(
        metrics="violated: {is: rate(not good over cases), better: lower}",
        gates="low: {says: At least 5%., must: violated >= 5%}",
    )
    (found,) = [item for item in examine(text).findings if item.id == "E0705"]
    lines = text.splitlines()
    assert found.span is not None
    assert "violated >= 5%" in lines[found.span.line - 1][found.span.column - 1 :]
    (declared,) = found.related
    assert lines[declared.span.line - 1][declared.span.column - 1 :].startswith("lower")
    assert "asks that `violated` is at least its limit" in found.message


def test_a_blocker_is_told_by_what_it_fires_on() -> None:
    (message,) = told("when: violated <= 5%")
    assert "`blockers.b` fires where `violated` is at most its limit" in message


@pytest.mark.parametrize("better", ["up", "Lower", "[lower]"])
def test_another_word_is_refused(better: str) -> None:
    assert ids(spec(metrics=f"m: {{is: mean(size over cases), better: {better}}}")) != []


@pytest.mark.parametrize(
    "line", ["{is: some cases where good, better: lower}", "{is: 'accuracy >= 5%', better: higher}"]
)
def test_what_has_no_order_has_no_better_values(line: str) -> None:
    assert "E0501" in ids(spec(metrics=f"m: {line}"))


def test_a_definition_has_none() -> None:
    found = examine(spec(definitions="m: {is: mean(size over cases), better: lower}")).findings
    assert [item.severity for item in found] == ["error"]


def test_a_protocol_without_it_keeps_its_digest_and_one_with_it_has_its_own() -> None:
    made = [
        protocol(spec(metrics=f"m: {{is: mean(size over cases){more}}}"))
        for more in ("", ", better: lower", ", better: higher")
    ]
    assert len({identity.digest(one) for one in made}) == 3
    assert [b'"better"' in identity.canonical(one) for one in made] == [False, True, True]


def test_the_page_says_it_beside_the_metric() -> None:
    page = prose.render(protocol(spec(metrics="m: {says: how large, is: mean(size over cases), better: lower}")))
    assert "| m | how large. Lower values are better. | `mean(size over cases)` |" in page
    page = prose.render(protocol(spec(metrics="m: {is: mean(size over cases), better: higher}")))
    assert "| m | Higher values are better. | `mean(size over cases)` |" in page


def test_fmt_leaves_it_where_it_stands() -> None:
    text = format_text(spec(metrics="m:\n  is: mean(size over cases)\n  better: lower").encode())
    assert b"    is: mean(size over cases)\n    better: lower\n" in text
    assert format_text(text) == text
