"""Rows that stand in the spec: one that came or went, another order, other numbers. Rows of the data are the same ones
in both versions by the keys that they refer to, and what is said of a direction, random rows do not contradict.

A few random pairs are tried every time; PROTOC_LONG=1 tries 400 with proofs, PROTOC_LONG=N so many.
"""

from __future__ import annotations

import os
from random import Random
from typing import Any

import pytest

from drift.claims import claims, decided, resolved, wrong
from drift.relisting import FILTERED, TOTALS, Relisting, rows
from protoc_compiler import core
from protoc_compiler.drift.doubts import shown
from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.model import Change, Effect
from protoc_compiler.drift.monotone import of_rules
from protoc_compiler.drift.review import changes_of
from protoc_compiler.proof.realise import listed_rows
from protoc_compiler.proof.replay import good
from protoc_compiler.proof.rules import Side
from protoc_compiler.proof.space import Space
from protoc_compiler.proof.trials.cases import Trials
from protoc_compiler.proof.trials.rowset import as_rows

LONG = os.environ.get("PROTOC_LONG", "")
PAIRS = 30 if not LONG else 400 if LONG == "1" else int(LONG)
PROVED = 2 if not LONG else PAIRS
EACH_RULE = 5 if not LONG else PAIRS // 10
TABLES = 40
MUST = ("gates", "must")
SPEC = """protoc: 1
protocol: {id: tiny, version: 1, title: A made-up study}
data:
  tables:
    cases: {key: case, columns: {case: text, right: bool, kind: kinds}}
    kinds:
      key: kind
      columns: {at_least: decimal, seen: bool}
      rows:
LISTED
definitions:
  seen_kinds: kinds where seen
  cases.chosen: first(kinds)
metrics:
  done.<kinds>: DONE
gates:
  GATE
verdict:
  - PASS when all gates have held
  - FAIL otherwise
report: {released: [PASS]}
"""
ALL = "must: {says: Each kind is done as it must be., must: all kinds have done >= at_least}"
EACH = "must.<kinds>: {says: Each kind is done as it must be., must: done >= at_least}"
DEFAULT = "{is: rate(right over cases), if_undefined: 1}"
PLAIN = "rate(right over cases)"
BASE = {"mail": "50%", "chat": "25%"}
CHANGED = {
    "added": {**BASE, "phone": "90%"},
    "added first": {"phone": "90%", **BASE},
    "removed": {"mail": "50%"},
    "reordered": {"chat": "25%", "mail": "50%"},
    "replaced": {"mail": "50%", "phone": "25%"},
    "lowered": {"mail": "40%", "chat": "25%"},
    "raised": {"mail": "60%", "chat": "25%"},
    "swapped": {"chat": "50%", "mail": "25%"},
}


def protocol(listed: dict[str, str], gate: str = ALL, done: str = DEFAULT) -> core.Protocol:
    lines = [f"        {label}: {{at_least: {value}, seen: true}}" for label, value in listed.items()]
    text = SPEC.replace("LISTED", "\n".join(lines)).replace("GATE", gate).replace("DONE", done)
    made = resolved(text)
    assert made is not None
    return made


def compared(name: str, gate: str = ALL, done: str = DEFAULT, *, prove: bool = True) -> tuple[list[Change], Context]:
    return changes_of(protocol(BASE, gate, done), protocol(CHANGED[name], gate, done), prove=prove)


def rule_of(context: Context) -> Effect:
    """What is said of the only rule; of one that reads nothing which has changed, nothing is."""
    return context.effects[0] if context.effects else Effect("gates.must", "equivalent", "proved")


# --- what is said ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "gate", "done", "rule", "verdict"),
    [
        ("reordered", ALL, DEFAULT, ("equivalent", "proved"), ("equivalent", "proved")),
        ("reordered", EACH, DEFAULT, ("equivalent", "proved"), ("equivalent", "proved")),
        ("lowered", ALL, DEFAULT, ("looser", "witness"), ("looser", "witness")),
        ("raised", ALL, DEFAULT, ("stricter", "witness"), ("stricter", "witness")),
        ("raised", EACH, DEFAULT, ("stricter", "witness"), ("stricter", "witness")),
        ("added", ALL, DEFAULT, ("stricter", "proved"), ("stricter", "undecided")),
        ("added first", ALL, PLAIN, ("stricter", "witness"), ("stricter", "witness")),
        ("removed", ALL, PLAIN, ("looser", "witness"), ("looser", "witness")),
        ("removed", EACH, PLAIN, ("looser", "witness"), ("looser", "witness")),
        ("replaced", ALL, PLAIN, ("incomparable", "undecided"), ("incomparable", "undecided")),
        ("swapped", ALL, DEFAULT, ("incomparable", "witness"), ("incomparable", "witness")),
    ],
)
def test_a_change_of_listed_rows_has_its_direction(
    name: str, gate: str, done: str, rule: tuple[str, str], verdict: tuple[str, str]
) -> None:
    _, context = compared(name, gate, done)
    told = rule_of(context)
    assert (told.direction, told.status) == rule
    assert (context.verdict.direction, context.verdict.status) == verdict
    assert len(told.cases) == {"witness": 2 if name == "swapped" else 1}.get(told.status, 0)


def test_formulas_alone_tell_it_too() -> None:
    directions = {name: rule_of(compared(name, prove=False)[1]).direction for name in CHANGED}
    assert directions == {
        "added": "stricter", "added first": "stricter", "removed": "looser", "reordered": "equivalent",
        "replaced": "undecided", "lowered": "looser", "raised": "stricter", "swapped": "undecided",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("gate", "listed", "direction"),
    [
        ("all seen_kinds have done >= at_least", CHANGED["raised"], "stricter"),
        ("some kinds have done >= at_least", CHANGED["raised"], "stricter"),
        ("some kinds have done >= at_least", CHANGED["added"], "looser"),
        ("no kinds have done < at_least", CHANGED["raised"], "stricter"),
        ("no kinds have done < at_least", CHANGED["removed"], "looser"),
        ("all kinds where kind != mail have done >= at_least", CHANGED["raised"], "equivalent"),
        ("all kinds where at_least < 55% have done >= 10%", CHANGED["raised"], "looser"),  # mail is asked no more
        ("all kinds where at_least > 55% have done >= 10%", CHANGED["raised"], "looser"),  # of no rows it is undefined
        ("(some kinds where at_least > 55% have done >= 10%)", CHANGED["raised"], "looser"),
        ("done.mail >= 0.5", CHANGED["raised"], "equivalent"),
        ("count(cases) >= 1 or count(kinds) >= 2", CHANGED["removed"], "stricter"),
        ("max(at_least over kinds) <= 0.5", CHANGED["raised"], "stricter"),
        ("first(kinds).at_least <= 0.5", CHANGED["raised"], "undecided"),
    ],
)
def test_what_a_rule_asks_of_the_rows_decides(gate: str, listed: dict[str, str], direction: str) -> None:
    words = f'must: {{says: It is so., must: "{gate}"}}'
    sides = protocol(BASE, words), protocol(listed, words)
    _, context = changes_of(*sides, prove=False)
    assert {one.direction for one in context.effects} <= {direction}
    assert context.effects or direction == "equivalent"


@pytest.mark.parametrize("prove", [False, True])
@pytest.mark.parametrize(
    ("total", "after"),  # beside 1/2 and 1/4
    [
        ("sum(at_least over kinds)", "0.3"), ("mean(at_least over kinds)", "0.3"), ("min(at_least over kinds)", "0.3"),
        ("median(at_least over kinds)", "0.3"), ("max(at_least over kinds)", "0.6"),
        ("product(at_least over kinds)", "0.3"), ("sum(at_least over kinds where at_least < 0.6)", "0.3"),
        ("rate(at_least > 0.27 over kinds) / 2", "0.3"), ("0.1 * count(kinds where at_least > 0.27)", "0.3"),
        ("0.1 * distinct(kind over kinds where at_least > 0.27)", "0.3"), ("sum(at_least / 2 over kinds)", "0.3"),
    ],
)  # fmt: skip
def test_what_rows_in_the_spec_come_to_is_a_number(total: str, after: str, prove: bool) -> None:
    """A limit that is made of them has a direction as one that is written out has."""
    words = f'must: {{says: It is so., must: "rate(right over cases) >= {total}"}}'
    sides = protocol(BASE, words), protocol({**BASE, "chat": after}, words)
    for (one, other), direction in ((sides, "stricter"), (tuple(reversed(sides)), "looser")):
        told = rule_of(changes_of(one, other, prove=prove)[1])
        assert (told.direction, told.status) == (direction, "witness" if prove else "proved")


@pytest.mark.parametrize("prove", [False, True])
@pytest.mark.parametrize(
    ("total", "direction"),
    [
        ("max(at_least over kinds)", "equivalent"), ("rate(seen over kinds)", "equivalent"),
        ("sum(at_least over kinds where at_least > 30%)", "equivalent"),
        ("min(done over kinds where kind == mail)", "equivalent"),
        ("median(done over kinds where at_least > 30%)", "equivalent"), ("sum(at_least over kinds)", "looser"),
        ("count(kinds)", "looser"), ("0.5 * mean(done over kinds)", "undecided"),
    ],
)  # fmt: skip
def test_a_row_counts_where_it_is_taken(total: str, direction: str, prove: bool) -> None:
    words = f'must: {{says: It is so., must: "rate(right over cases) >= {total}"}}'
    told = rule_of(compared("removed", words, prove=prove)[1]).direction
    assert told == (direction if not prove else {"undecided": "incomparable"}.get(direction, direction))


@pytest.mark.parametrize("prove", [False, True])
@pytest.mark.parametrize(
    ("gate", "direction"),
    [
        ("all cases where kind == mail have kind.at_least <= 50% or right", "equivalent"),
        ("rate(right and kind.at_least < 60% over cases where kind == mail) >= 0.5", "equivalent"),
        ("no cases where kind != mail have kind.at_least > 40% and not right", "undecided"),
        ("some cases have kind == mail and kind.at_least <= 50%", "equivalent"),
        ("some cases have kind == mail or kind.at_least > 40%", "undecided"),
    ],
)
def test_what_a_filter_leaves_out_by_a_cell_makes_no_difference(gate: str, direction: str, prove: bool) -> None:
    words = f'must: {{says: It is so., must: "{gate}"}}'
    sides = protocol(BASE, words), protocol({**BASE, "chat": "55%"}, words)
    told = rule_of(changes_of(*sides, prove=prove)[1]).direction
    assert (told == "equivalent") is (direction == "equivalent")


@pytest.mark.parametrize("total", ["sum(at_least over kinds)", "min(at_least over kinds)", "mean(at_least over kinds)"])
def test_of_an_empty_cell_a_total_is_undefined(total: str) -> None:
    words = f'must: {{says: It is so., must: "rate(right over cases) >= {total}"}}'
    text = SPEC.replace("GATE", words).replace("DONE", PLAIN).replace("decimal", "decimal?")
    rows = "        mail: {at_least: 50%, seen: true}\n        chat: {at_least: LEAST, seen: true}"
    sides = [resolved(text.replace("LISTED", rows.replace("LEAST", least))) for least in ("25%", "null")]
    assert sides[0] is not None
    assert sides[1] is not None
    assert rule_of(changes_of(sides[0], sides[1], prove=False)[1]).direction == "stricter"  # it never holds


BY_DATA = (
    "rate(right over cases where kind.seen) >= 0.5", "count(cases where kind == mail) >= 1",
    "no cases where kind.at_least > 30% have not right", "all kinds where kind == mail have done >= at_least",
)  # fmt: skip


@pytest.mark.parametrize("prove", [False, True])
@pytest.mark.parametrize("gate", BY_DATA)
@pytest.mark.parametrize("name", ["added", "added first", "removed", "replaced", "reordered"])
def test_data_refer_to_no_row_that_only_one_version_lists(name: str, gate: str, prove: bool) -> None:
    words = f'must: {{says: It is so., must: "{gate}"}}'
    assert rule_of(compared(name, words, prove=prove)[1]).direction == "equivalent"


@pytest.mark.parametrize(
    ("gate", "listed"),
    [
        ("no cases where kind.at_least > 30% have not right", {"mail": "20%", "phone": "25%"}),  # a row of both
        ("count(cases where chosen.at_least > 30%) >= 1", {"chat": "25%", "phone": "40%"}),  # data do not choose it
    ],
)
def test_cells_of_rows_that_can_be_read_on_both_sides_are_compared(gate: str, listed: dict[str, str]) -> None:
    words = f'must: {{says: It is so., must: "{gate}"}}'
    assert rule_of(changes_of(protocol(BASE, words), protocol(listed, words), prove=False)[1]).direction == "undecided"


def test_an_entry_more_is_a_condition_more_though_its_formula_is_the_same() -> None:
    gate = EACH.replace("at_least}", "0.5}")
    assert compared("added", gate, PLAIN, prove=False)[1].effects[0].direction == "stricter"
    seen = [gate.replace("kinds", "seen_kinds")] * 2
    sides = [protocol(BASE, one) for one in seen]
    other = resolved_with(sides[1], "seen: true", "seen: false")
    assert [one.direction for one in changes_of(sides[0], other, prove=False)[1].effects] == ["looser"]


def resolved_with(_: core.Protocol, before: str, after: str) -> core.Protocol:
    lines = ["        mail: {at_least: 50%, seen: true}", "        chat: {at_least: 25%, seen: true}"]
    text = SPEC.replace("LISTED", "\n".join([lines[0].replace(before, after), lines[1]])).replace("DONE", DEFAULT)
    made = resolved(text.replace("GATE", EACH.replace("at_least}", "0.5}").replace("kinds", "seen_kinds")))
    assert made is not None
    return made


def test_what_one_side_refuses_is_said_to_be_in_no_comparison() -> None:
    changes, context = compared("added")
    told = next(change.message for change in changes if change.id == "ROW_ADDED")
    assert told.endswith(
        "is new; the old protocol refuses rows of `cases` that refer to it, so rules are compared on others"
    )
    assert "none of which refers to `kinds.phone`: only one of the two protocols takes such rows" in (
        context.verdict.reason
    )
    assert {change.direction for change in changes if change.id == "COLUMN_MEMBER_ADDED"} == {"looser"}


# --- rows of both sides ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", CHANGED)
def test_a_listed_row_is_the_row_of_its_key_in_both(name: str) -> None:
    trials = Trials(protocol(BASE), protocol(CHANGED[name]))
    start = trials.start
    referred = {row.cells["kind"].key for row in start.tables["cases"]}
    assert referred == {(label,) for label in BASE if label in CHANGED[name]}
    for judge, listed in zip(trials.judges, (BASE, CHANGED[name]), strict=True):
        made = as_rows(start, judge.program, judge.listed)
        assert [row.key for row in made["kinds"]] == [(label,) for label in listed]
        for own, row in zip(start.tables["cases"], made["cases"], strict=True):
            assert row.cells["kind"].key == own.cells["kind"].key
            assert row.cells["kind"] in made["kinds"]


def test_where_no_row_is_shared_no_row_can_refer_to_one() -> None:
    trials = Trials(protocol(BASE), protocol({"desk": "50%"}))
    assert trials.start.tables["cases"] == []
    assert trials.untaken == ("kinds.mail", "kinds.chat", "kinds.desk")
    assert trials.ask(("gates", "must", "must"), looser=True) is None


@pytest.mark.parametrize(
    ("name", "done", "ways"),
    [
        ("added", PLAIN, [False]),
        ("removed", PLAIN, [True]),
        ("reordered", PLAIN, []),
        ("replaced", PLAIN, []),  # of no case of a kind the share is undefined, and one that both take has no case
        ("lowered", DEFAULT, [True]),
        ("raised", DEFAULT, [False]),
        ("swapped", DEFAULT, [True, False]),
    ],
)
def test_every_case_that_is_shown_differs_on_both_protocols(name: str, done: str, ways: list[bool]) -> None:
    old, new = protocol(BASE, ALL, done), protocol(CHANGED[name], ALL, done)
    found: list[bool] = []
    for looser in (True, False):
        trials = Trials(old, new, work=60_000)
        if trials.ask((*MUST, "must"), looser=looser) is not None:
            before, after = decided(old, trials.shown), decided(new, trials.shown)
            assert before is not None
            assert after is not None
            assert (good(old, before, *MUST), good(new, after, *MUST)) == (not looser, looser)
            found.append(looser)
    assert found == ways


def test_rows_made_of_counts_know_the_cells_of_both_versions() -> None:
    old, new = protocol(BASE), protocol(CHANGED["swapped"])
    space = Space({table.name: table for table in (*old.tables, *new.tables)})
    for side in (old, new):
        Side(side, space)
    made = listed_rows(space)
    before, after = [own for name, own in made.items() if name != "kinds"]
    assert [row.cells["kind"] for row in before] == ["mail", "chat"]
    assert after == list(reversed(before))
    assert made["kinds"] == after
    told = [[str(value) for name, value in row.cells.items() if name.startswith("at_least#")] for row in before]
    assert told == [["1/2", "1/4"], ["1/4", "1/2"]]


def test_only_the_whole_table_of_its_entries_stands_for_a_rule() -> None:
    whole = protocol(BASE, EACH)
    ((test, _),) = _lines(of_rules(whole.of("verdict")[0].expr, whole))
    assert [type(part.operand) for part in test.parts] == [core.Global]
    some = protocol(BASE, EACH.replace("<kinds>", "<seen_kinds>"))
    ((test, _),) = _lines(of_rules(some.of("verdict")[0].expr, some))
    assert [type(part.operand) for part in test.parts] == [core.Quantified]  # there may be none, and then none holds


def _lines(verdict: Any) -> Any:
    return verdict.lines


@pytest.mark.parametrize("prove", [False, True])
def test_a_verdict_may_ask_whether_a_rule_that_never_holds_is_undefined(prove: bool) -> None:
    """The rule is equivalent: it failed, for a limit is too high, and now it is undefined, for there is no row."""
    gate = 'must: {says: It is so., must: "all kinds where seen have at_least <= 10%"}'
    sides = [_asked_for_undefined(gate, seen) for seen in ("true", "false")]
    _, context = changes_of(sides[0], sides[1], prove=prove)
    assert [one.direction for one in context.effects] == ["equivalent"]
    assert (context.verdict.direction, context.verdict.status) == (
        "incomparable" if prove else "undecided",
        "undecided",
    )
    verdicts = [found["verdict"] for side in sides if (found := decided(side, {"cases": []})) is not None]
    assert verdicts == ["PASS", "FAIL"]


def _asked_for_undefined(gate: str, seen: str) -> core.Protocol:
    text = SPEC.replace("LISTED", f"        mail: {{at_least: 50%, seen: {seen}}}").replace("GATE", gate)
    made = resolved(text.replace("DONE", PLAIN).replace("all gates have held", "gates.must is not undefined"))
    assert made is not None
    return made


# --- random pairs ---------------------------------------------------------------------------------------------------


def contradicted(seed: int, *, prove: bool, rule: str = "") -> list[str]:
    """What random rows contradict of what is said of a pair, both ways; of a rule alone, where one is given."""
    chance = Random(seed)
    made = Relisting(chance)
    if rule:
        made.ask(rule)
    listed = made.listed, made.changed()
    sides = [resolved(made.text(one)) for one in listed]
    both = [label for label in listed[0] if label in listed[1]]
    found: list[str] = []
    for one, other in (sides, reversed(sides)):
        assert one is not None
        assert other is not None
        same, said = claims(one, other, prove=prove)
        found += [fault for _ in range(TABLES) for fault in wrong(same, other, said, rows(both, chance))]
    return found


@pytest.mark.timeout(0 if LONG else 600)
@pytest.mark.parametrize("prove", [False, True])
def test_no_rows_contradict_what_is_said_of_listed_rows(prove: bool) -> None:
    for seed in range(PROVED if prove else PAIRS):
        assert not contradicted(seed, prove=prove), f"seed {seed}"


@pytest.mark.timeout(0 if LONG else 600)
@pytest.mark.parametrize("rule", [*TOTALS, *FILTERED])
def test_no_rows_contradict_what_is_said_of_a_rule_that_takes_some_listed_rows(rule: str) -> None:
    for seed in range(EACH_RULE):
        assert not contradicted(seed, prove=False, rule=rule), f"seed {seed}"


SOME = 'must: {says: Some kind is done as it must be., must: "some kinds have done >= at_least"}'


def of_seen(label: str, chosen: str = "kinds where seen") -> core.Protocol:
    """One kind is seen, and only those that are chosen have an entry of the metric."""
    lines = [f"        {one}: {{at_least: {value}, seen: {str(one in label).lower()}}}" for one, value in BASE.items()]
    text = SPEC.replace("LISTED", "\n".join(lines)).replace("GATE", SOME).replace("DONE", PLAIN)
    text = text.replace("done.<kinds>", "done.<seen_kinds>").replace("kinds where seen", chosen)
    made = resolved(text)
    assert made is not None
    return made


@pytest.mark.parametrize("prove", [False, True])
def test_of_rows_that_are_chosen_otherwise_other_entries_are_defined(prove: bool) -> None:
    """`done` of a kind that is not seen is undefined."""
    wider = changes_of(of_seen("mail"), of_seen("mail chat"), prove=prove)[1]
    assert [one.direction for one in wider.effects] == ["looser"]
    others = of_seen("chat"), of_seen("mail", "kinds where not seen")
    for other in others:
        told = changes_of(of_seen("mail"), other, prove=prove)[1].effects
        assert [one.direction for one in told] == ["incomparable" if prove else "undecided"]
        assert len(told[0].cases) == 2 * prove


def test_a_value_of_a_listed_row_is_called_by_its_key() -> None:
    assert shown(("entry", "metrics", "done.<kinds>", (("listed", "kinds", ("mail",)),))) == "done.mail"


def test_a_factor_in_a_listed_row_that_changes_no_sign_changes_nothing() -> None:
    gate = 'must: {says: It is so., must: "all kinds have at_least * (done - 0.5) >= 0"}'
    told = changes_of(protocol(BASE, gate), protocol({"mail": "50%", "chat": "0.30"}, gate), prove=False)[1].effects
    assert [one.direction for one in told] == ["equivalent"]
