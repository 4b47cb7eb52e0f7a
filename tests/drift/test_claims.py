"""What a review says cannot happen does not happen on rows: chosen pairs that read a change from far away, and random
pairs of tiny protocols.

A few random pairs are tried every time; PROTOC_LONG=1 tries 400, PROTOC_LONG=N so many.
"""

from __future__ import annotations

import os
from random import Random

import pytest

from drift import tiny
from drift.claims import Claims, claims, pair, resolved, wrong
from protoc_compiler import core

LONG = os.environ.get("PROTOC_LONG", "")
PAIRS = 8 if not LONG else 400 if LONG == "1" else int(LONG)
TABLES = 30
FAR = """protoc: 1
protocol: {id: far, version: 1, title: A rule that reads a change from far away}
data:
  tables:
    strata: {key: stratum, columns: {hard: bool}, rows: {a: {hard: true}, b: {hard: false}, c: {hard: false}}}
    cases:
      key: case
      order: size
      columns: {case: text, stratum: strata, kind: [x, y], size: int, tags: set of text}
      expect: [count(cases) == 6]
    answers: {from: subject, key: case, columns: {case: cases, right: bool?}}
procedure:
  subject: {python: "s.py:f", of: cases, sees: [kind]}
definitions:
  cases.right: {is: only(answers).right, if_undefined: false}
  cases.band: [low when size <= 0, high otherwise]
  cases.small: size <= 0
  answers.small: right is true
  some_cases: cases where kind == x
  others: cases where stratum == a
  DEFINED
metrics:
  share: rate(right over cases)
  share_of_some: rate(right over some_cases)
  answered: rate(right is true over answers where case.small)
intervals:
  drawn: {metric: METRIC, resample: ROWS, MORE draws: 20, generator: mersenne twister, seed: 1, level: 90%, low: bound}
gates:
  one: {says: It is so., must: GATE}
verdict:
  - PASS when all gates have held
  - FAIL otherwise
report: {released: [PASS]}
"""
CHANGES = {
    "seed": ("seed: 1", "seed: 2"),
    "band": ("when size <= 0", "when size <= 2"),
    "small": ("cases.small: size <= 0", "cases.small: size <= 2"),
    "metric": ("rate(right over cases)", "rate(not right over cases)"),
    "undefined": ("if_undefined: false", "if_undefined: true"),
    "subset": ("where kind == x", "where kind == y"),
    "cell": ("c: {hard: false}", "c: {hard: true}"),
}
GROUPS = "groups: cases grouped by small"
WITH = "{is: cases grouped by stratum, with: [share]}"
READ = {  # what changes, what the gate reads; and where it matters what is defined, and what the interval is of
    "the seed of a bound": ("seed", "bound >= 0.5"),
    "the metric of a bound": ("metric", "bound >= 0.5"),
    "below the metric of a bound": ("undefined", "bound >= 0.5"),
    "the strata of a bound": ("band", "bound >= 0.5", "", "share", "cases", "within: band,"),
    "the rows of a bound": ("subset", "bound >= 0.5", "", "share_of_some", "some_cases"),
    "what follows a draw": ("small", "bound >= 0.5", "", "answered", "cases", "follow: [answers],"),
    "groups by a defined column": ("small", "all groups have rate(right over cases matching small) >= 0.5", GROUPS),
    "how many groups": ("small", "count(groups) == 2", GROUPS),
    "groups of groups": (
        "small", "count(again) >= 2",
        "groups: cases grouped by stratum\n  groups.n: count(cases matching stratum where small)\n"
        "  again: groups grouped by n",
    ),
    "a metric of groups": ("metric", "all groups have share >= 0.5", f"groups: {WITH}"),
    "rows that equal a defined column": ("small", "(some answers have count(entire cases matching small) > 2)"),
    "part of a stack": ("subset", "rate(right over both) >= 0.5", "both: stack of some_cases and others"),
    "a column of a stack": ("small", "count(both where small) >= 2", "both: stack of some_cases and others"),
    "a cell of a listed table": ("cell", "count(cases where stratum.hard) < 2"),
    "part of a product": ("subset", "count(both) >= 4", "both: cross of some_cases and strata"),
}  # fmt: skip


def _far(gate: str, defined: str = "", metric: str = "share", rows: str = "cases", more: str = "") -> str:
    text = FAR.replace("DEFINED", defined or "unread: count(cases)").replace("GATE", gate)
    return text.replace("METRIC", metric).replace("ROWS", rows).replace("MORE ", more)


def _ordered(chance: Random) -> tiny.Rows:
    """Six cases of different sizes."""
    made = tiny.rows({"expect": {"total": "count(cases) == 6"}}, chance)
    for row, size in zip(made["cases"], chance.sample(range(1 + chance.randint(5, 6)), 6), strict=True):
        row["size"] = size
    return made


@pytest.mark.parametrize("name", READ)
def test_a_change_far_from_a_rule_is_not_told_as_none(name: str) -> None:
    change, *about = READ[name]
    before, after = CHANGES[change]
    text = _far(*about)
    assert before in text
    old, new = resolved(text), resolved(text.replace(before, after))
    assert old is not None
    assert new is not None
    same, made = claims(old, new)
    assert made["gates", "one"] == made["verdict", "verdict"] == (False, False)
    chance = Random(1)
    assert not [said for _ in range(5) for said in wrong(same, new, made, _ordered(chance))]


def test_the_word_that_is_released_counts_where_several_are() -> None:
    lines = "  - PASS when all gates have held\n", "  - PARTLY when gates.one is not undefined\n"
    text = _far("share >= 0.5").replace(lines[0], "".join(lines)).replace("[PASS]", "[PASS, PARTLY]")
    old, new = resolved(text), resolved(text.replace("share >= 0.5", "share >= 0.25"))
    assert old is not None
    assert new is not None
    _, made = claims(old, new)
    assert made["gates", "one"] == (False, True)
    assert made["verdict", "verdict"] == (False, False)  # what was released as PARTLY is released as PASS


def _contradicted(old: core.Protocol, new: core.Protocol, parts: tiny.Parts, chance: Random) -> tuple[Claims, set[str]]:
    same, made = claims(old, new)
    found = {said for _ in range(TABLES) for said in wrong(same, new, made, tiny.rows(parts, chance))}
    return made, found


@pytest.mark.timeout(0 if LONG else 600)
def test_no_rows_contradict_what_is_said_of_random_pairs() -> None:
    compared = 0
    for seed in range(PAIRS):
        drawn = pair(seed)
        if drawn is None:
            continue
        old, new = resolved(drawn.old), resolved(drawn.new)
        if old is None or new is None:
            continue
        for one, other in ((old, new), (new, old)):
            made, found = _contradicted(one, other, drawn.parts, drawn.chance)
            assert not found, f"seed {seed}: {found}\n{drawn.old}\n{drawn.new}"
            assert made
        compared += 1
    assert compared * 2 >= PAIRS


WINDOWS = """protoc: 1
protocol: {id: windows, version: 1, title: Windows}
data:
  tables:
    cases: {key: case, order: seq, columns: {case: text, seq: int, late: int?, ok: bool}}
definitions:
  ranked: cases where ok ordered by late
gates:
  g: {says: It is as it is., must: 'GATE'}
verdict:
  - PASS when all gates have held
  - FAIL otherwise
report: {released: [PASS]}
"""


@pytest.mark.parametrize(
    ("before", "after", "kept"),
    [
        ("no latest 2 cases have ok", "no latest 1 cases have ok", False),
        ("some latest 2 cases have ok", "some latest 1 cases have ok", False),
        ("some earlier ranked have ok", "some earlier cases have ok", False),
        ("no earlier cases have ok", "no earlier cases where ok have seq > 0", True),
    ],
)
def test_which_rows_a_window_means_may_be_undefined(before: str, after: str, kept: bool) -> None:
    """Of too few rows `latest` is undefined, and `earlier` of a row without a place in an order of its own."""
    sides = [resolved(WINDOWS.replace("GATE", f"(all cases have ({one}) is defined)")) for one in (before, after)]
    assert sides[0] is not None
    assert sides[1] is not None
    old, made = claims(sides[0], sides[1])
    assert (made["gates", "g"] == (True, True)) == kept
    late = [0, None, 2]
    rows = [{"case": f"k{at}", "seq": at, "late": one, "ok": one is not None} for at, one in enumerate(late)]
    assert not wrong(old, sides[1], made, {"cases": rows})
    assert kept or wrong(old, sides[1], {("gates", "g"): (True, True)}, {"cases": rows})
