"""An order that something reads is a part of what it means: nobody may call another one equivalent."""

from __future__ import annotations

import pytest

from drift.claims import decided
from protoc_compiler.drift.accepted import Entry
from protoc_compiler.drift.failing import failing
from protoc_compiler.drift.reading import Source, read
from protoc_compiler.drift.review import review
from protoc_runtime.diagnostics import Span

SPEC = """\
protoc: 1
protocol: {id: kinds, version: 1, title: Are enough right?}
data:
  tables:
    cases: {key: case, columns: {case: text, n: int, right: bool, split: splits, kind: kinds, hue: [red, blue]}}
    tints: {key: tint, order: hue, columns: {tint: text, right: bool, hue: [red, blue]}}
    sorts: {key: sort, order: kind, columns: {sort: text, right: bool, kind: kinds}}
    kinds: {key: kind, rows: {mail: {low: 0.5}, chat: {low: 0.25}}}
    limits: {key: limit, rows: {0.5: {strict: true}, 0.25: {strict: false}}}
  splits:
    dev: {role: development, may: [tune]}
    late: {role: heldout, may: [score once]}
definitions:
  kinds.before: count(earlier kinds)
  kinds.strict: low >= 0.5
  kinds.lately: {is: min(low over latest 2 kinds), if_undefined: 1}
  lead: first(kinds)
  by_kind: {is: cases grouped by kind, with: [share]}
  by_split: {is: cases grouped by split, with: [share]}
  by_hue: {is: cases grouped by hue, with: [share]}
  known: kinds where low > 0.1
  hued: tints where right is defined ordered by hue
metrics:
  share: rate(right over cases)
  share.<by_kind>: share
  share.<by_split>: share
  share.<by_hue>: share
gates:
  enough: {says: It is as it should be., must: RULE}
verdict:
  - PASS when all gates have held
  - FAIL otherwise
report:
  released: [PASS]
"""
ROWS = ("{mail: {low: 0.5}, chat: {low: 0.25}}", "{chat: {low: 0.25}, mail: {low: 0.5}}")
LIMITS = ("{0.5: {strict: true}, 0.25: {strict: false}}", "{0.25: {strict: false}, 0.5: {strict: true}}")
SPLITS = (
    "    dev: {role: development, may: [tune]}\n    late: {role: heldout, may: [score once]}\n",
    "    late: {role: heldout, may: [score once]}\n    dev: {role: development, may: [tune]}\n",
)
HUES = ("[red, blue]", "[blue, red]")
READ = (
    ("share >= lead.low", ROWS),
    ("share >= first(kinds).low", ROWS),
    ("share >= last(known).low or share < 0.3 or share > 0.4", (ROWS[1], ROWS[0])),
    ("longest_run(strict over kinds) >= 1 and first(kinds where strict).before == 1", ROWS),
    ("some kinds have kind == mail and before == 1", ROWS),
    ("some kinds have kind == mail and lately <= 0.3", ROWS),
    ("list(low over kinds) == [0.25, 0.5]", ROWS),
    ("first(by_kind).share >= 0.9", ROWS),
    ("first(sorts).right", ROWS),
    ("share >= first(limits).limit", LIMITS),
    ("first(splits).split == late", SPLITS),
    ("first(by_split).share >= 0.9", SPLITS),
    ("first(by_hue).share >= 0.9", HUES),
    ("first(tints).right", HUES),
    ("longest_run(right over tints) == 1 and first(tints).right", HUES),
    ("first(hued).right", HUES),
    ("first(cases where n >= 2 ordered by hue).right", HUES),
)
DATA = {
    "cases": [
        {"case": "a", "n": 1, "right": False, "split": "dev", "kind": "mail", "hue": "red"},
        {"case": "b", "n": 2, "right": False, "split": "dev", "kind": "mail", "hue": "red"},
        {"case": "c", "n": 3, "right": True, "split": "late", "kind": "chat", "hue": "blue"},
    ],
    "tints": [{"tint": "a", "right": False, "hue": "red"}, {"tint": "b", "right": True, "hue": "blue"}],
    "sorts": [{"sort": "a", "right": False, "kind": "mail"}, {"sort": "b", "right": True, "kind": "chat"}],
}


def _side(rule: str, *words: tuple[str, str]) -> Source:
    text = SPEC.replace("RULE", f'"{rule}"')
    for before, after in words:
        assert before in text
        text = text.replace(before, after)
    return read("protocol.yaml", "protocol.yaml", text.encode())


@pytest.mark.parametrize("prove", [False, True])
@pytest.mark.parametrize(("rule", "words"), READ, ids=[rule for rule, _ in READ])
def test_an_order_that_is_read_is_never_let_through(rule: str, words: tuple[str, str], prove: bool) -> None:
    swap = (ROWS[0], words[0]) if words[0] == ROWS[1] else (words[0], words[0])
    old, new = _side(rule, swap), _side(rule, swap, words)
    verdicts = [found and found["verdict"] for found in (decided(one.protocol, DATA) for one in (old, new))]
    assert verdicts == ["FAIL", "PASS"]
    report = review(old, new, prove=prove)
    moved = {change.direction for change in report.changes if change.id.endswith("REORDERED")}
    assert moved - {"equivalent"}
    assert failing(report, (), "looser").changes
    assert report.verdict.direction in ("looser", "incomparable", "undecided")


OTHER_WORDS = ("text", "[blue, red, green]")


@pytest.mark.parametrize("prove", [False, True])
@pytest.mark.parametrize("words", OTHER_WORDS)
@pytest.mark.parametrize("rule", ["first(by_hue).share >= 0.9", "first(tints).right", "first(hued).right"])
def test_words_that_moved_with_others_that_came_or_went_are_another_order(rule: str, words: str, prove: bool) -> None:
    """`[blue, red, green]` to `[red, blue]` is not only a word less; texts stand by their letters."""
    sides = [_side(rule, ("[red, blue]", one)) for one in (words, "[red, blue]")]
    for old, new in (sides, sides[::-1]):
        gained = [found and found["verdict"] for found in (decided(one.protocol, DATA) for one in (old, new))]
        report = review(old, new, prove=prove)
        assert report.verdict.direction in ("looser", "incomparable", "undecided")
        assert failing(report, (), "looser").found
        assert set(gained) == {"FAIL", "PASS"}


@pytest.mark.parametrize("prove", [False, True])
def test_the_words_that_are_released_have_no_order(prove: bool) -> None:
    verdict = ("  - PASS when all gates have held\n", "  - PASS when all gates have held\n  - FINE when share >= 0.2\n")
    old, new = (_side("share >= 0.5", verdict, ("[PASS]", words)) for words in ("[PASS, FINE]", "[FINE, PASS]"))
    report = review(old, new, prove=prove)
    assert (report.verdict.direction, report.verdict.status) == ("equivalent", "proved")
    assert not failing(report, (), "looser").found


WIDE = (
    "    wide: {key: [run, arm], unpivot: {arm: {with: a, without: b}, columns: {good: <arm>_good}},\n"
    "      columns: {run: text, arm: [with, without], good: bool, wall: s}}\n    limits:"
)
REREAD = (
    ("all wide where arm == with have good", ("{with: a, without: b}", "{with: b, without: a}")),
    ("max(wall over wide) <= 2 s", ("wall: s", "wall: ms")),
)


@pytest.mark.parametrize("prove", [False, True])
@pytest.mark.parametrize(("rule", "words"), REREAD, ids=["labels", "unit"])
def test_of_cells_that_are_other_values_nothing_is_proved(rule: str, words: tuple[str, str], prove: bool) -> None:
    old, new = (_side(rule, ("    limits:", WIDE), one) for one in ((words[0], words[0]), words))
    rows = {**DATA, "wide": [{"run": "r", "a_good": False, "b_good": True, "wall": 5}]}
    assert [found and found["verdict"] for found in (decided(one.protocol, rows) for one in (old, new))] == [
        "FAIL", "PASS",
    ]  # fmt: skip
    report = review(old, new, prove=prove)
    assert [effect.direction for effect in report.effects] == ["undecided"]
    assert report.verdict.direction == "undecided"
    assert failing(report, (), "looser").found


UNREAD = ("share >= max(low over kinds)", "all kinds have low > 0.1", "share >= first(kinds ordered by low).low")


@pytest.mark.parametrize("rule", UNREAD)
@pytest.mark.parametrize("words", [ROWS, LIMITS, SPLITS, HUES], ids=["rows", "limits", "splits", "hues"])
def test_an_order_that_is_not_read_changes_nothing(rule: str, words: tuple[str, str]) -> None:
    report = review(_side(rule), _side(rule, words))
    assert {change.direction for change in report.changes} == {"equivalent"}
    assert (report.verdict.direction, report.verdict.status) == ("equivalent", "proved")
    assert not failing(report, (), "looser").found


THREE = "{mail: {low: 0.5}, fax: {low: 0.3}, chat: {low: 0.25}}"
FIRST = "{fax: {low: 0.3}, mail: {low: 0.5}, chat: {low: 0.25}}"
BACK = "{chat: {low: 0.25}, fax: {low: 0.3}, mail: {low: 0.5}}"


@pytest.mark.parametrize(
    ("start", "agreed", "other"), [(THREE, BACK, FIRST), (ROWS[0], THREE, FIRST)], ids=["moved", "new"]
)
def test_accepting_one_place_of_rows_accepts_no_other(start: str, agreed: str, other: str) -> None:
    old = _side("share >= lead.low", (ROWS[0], start))
    taken, further = (review(old, _side("share >= lead.low", (ROWS[0], rows))) for rows in (agreed, other))
    entries = tuple(Entry(change.fingerprint, "", "", "", Span("f", 1, 1, 1, 1)) for change in taken.changes)
    assert not failing(taken, entries, "any").found
    assert failing(further, entries, "looser").found
