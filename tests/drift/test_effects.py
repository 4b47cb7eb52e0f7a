"""What is proved on formulas stands, also where the counts alone leave it open."""

from __future__ import annotations

import pytest

from protoc_compiler.drift.failing import failing
from protoc_compiler.drift.model import Effect
from protoc_compiler.drift.monotone import asks_only_for_good
from protoc_compiler.drift.reading import Source, read
from protoc_compiler.drift.review import review
from protoc_compiler.drift.show.markdown import told
from protoc_compiler.drift.show.text import _cut, render
from protoc_compiler.proof.answers import Answer, Finding, Witness
from protoc_runtime.record import replace

SPEC = """\
protoc: 1
protocol: {id: intent, version: 1, title: Intents in two languages}
data:
  tables:
    langs: {key: lang, rows: [en, de]}
    chats:
      key: chat
      columns: {chat: text, split: splits, lang: langs, intent: [refund, other]}
      expect:
        - count(chats) == 12
    answers: {from: subject, key: chat, columns: {chat: chats, intent: [refund, other]}}
  splits:
    heldout: {role: heldout, may: [score once]}
procedure:
  subject: {python: "subject.py:intent", of: chats, sees: [lang]}
  phases:
    - {phase: score, reads: [heldout], use: score}
definitions:
  answers.right: intent == chat.intent
metrics:
  found.<langs>: rate(right over answers where chat.lang == lang)
gates:
  langs: {says: In each language at least 70% is right., must: all langs have found >= 70%}
verdict:
  - PASS when all gates have held
  - FAIL otherwise
report:
  released: [PASS]
"""


def _spec(threshold: str) -> Source:
    return read("protocol.yaml", "protocol.yaml", SPEC.replace("70%", threshold).encode())


@pytest.mark.parametrize(("threshold", "direction"), [("80%", "stricter"), ("60%", "looser")])
def test_a_threshold_of_each_entry_goes_one_way(threshold: str, direction: str) -> None:
    report = review(_spec("70%"), _spec(threshold))
    (rule,) = report.effects
    assert (rule.direction, rule.status) == (direction, "proved")
    assert [change.direction for change in report.changes if change.id.startswith("GATE_THRESHOLD")] == [direction]


def test_a_comment_keeps_the_spaces_around_what_it_quotes() -> None:
    assert told("gate `gates.a_b` is gone: *one* less") == "gate `gates.a_b` is gone: \\*one\\* less"


def test_long_texts_are_cut_between_words_and_within_only_where_they_must_be() -> None:
    words = "In each language at least 70% is right."
    assert _cut(words, 24) == ["In each language at", "least 70% is right."]
    assert _cut("    must: " + "f" * 30, 24)[-1].endswith("ff")
    assert _cut("", 24) == []


@pytest.mark.parametrize(("threshold", "direction"), [("80%", "stricter"), ("60%", "looser")])
def test_a_verdict_that_asks_for_all_gates_goes_the_way_of_its_rules(threshold: str, direction: str) -> None:
    verdict = review(_spec("70%"), _spec(threshold)).verdict
    assert (verdict.direction, verdict.status) == (direction, "undecided")
    assert "rules only get" in verdict.reason


@pytest.mark.parametrize(
    ("lines", "monotone"),
    [
        ("[PASS when all gates have held, FAIL otherwise]", True),
        ("[FAIL when some blockers have fired, PASS when all gates have held, FAIL otherwise]", True),
        ("[FAIL when all gates have held, PASS otherwise]", False),
        ("[PASS when some gates have failed, FAIL otherwise]", False),
        ("[PASS when (found.en > 0.5) is true, FAIL otherwise]", False),
    ],
)
def test_what_a_verdict_asks_of_its_rules(lines: str, monotone: bool) -> None:
    start, _, rest = SPEC.partition("verdict:\n")
    blocker = "blockers:\n  empty: {says: There is no chat., when: no chats}\ngates:"
    text = start.replace("gates:", blocker) + f"verdict: {lines}\nreport:{rest.partition('report:')[2]}"
    made = read("protocol.yaml", "protocol.yaml", text.encode()).protocol
    (verdict,) = made.of("verdict")
    assert asks_only_for_good(verdict.expr, made.released) is monotone


EXPECTING = (
    SPEC.replace("- count(chats) == 12", "- count(chats) == 12\n        - no chats have broken")
    .replace("answers.right:", "chats.broken: size > 3\n  answers.right:")
    .replace("lang: langs, intent", "lang: langs, size: int, intent")
)
WRITTEN_OUT = ("rate(right over", "rate(intent == chat.intent over")  # what only the engine knows to be the same
WIDER = (("size > 3", "size > 5"), ("- no chats have broken", "- no chats where size > 5 have broken"))


@pytest.mark.parametrize("also", [(), (WRITTEN_OUT,)], ids=["alone", "beside a gate that stays the same"])
@pytest.mark.parametrize("wider", WIDER, ids=["by a definition", "by itself"])
def test_a_verdict_is_not_the_same_where_other_data_is_let_through(
    wider: tuple[str, str], also: tuple[tuple[str, str], ...]
) -> None:
    text = EXPECTING
    for before, after in (wider, *also):
        assert before in text
        text = text.replace(before, after)
    old, new = (read("protocol.yaml", "protocol.yaml", one.encode()) for one in (EXPECTING, text))
    for one, other, direction in ((old, new, "looser"), (new, old, "stricter")):
        report = review(one, other)
        assert {rule.direction for rule in report.effects} <= {"equivalent"}
        assert (report.verdict.direction, report.verdict.status) == (direction, "undecided")
        assert failing(report, (), "looser").fails is (direction == "looser")


def test_where_neither_data_lies_within_the_other_the_verdict_is_undecided() -> None:
    old = read("protocol.yaml", "protocol.yaml", EXPECTING.encode())
    new = read("protocol.yaml", "protocol.yaml", EXPECTING.replace("size > 3", "size < 3").encode())
    verdict = review(old, new).verdict
    assert (verdict.direction, verdict.status) == ("undecided", "undecided")
    assert "data" in verdict.reason


def test_the_reason_of_an_open_direction_is_told_once() -> None:
    effect = Effect(
        "verdict", "looser", "undecided", "nobody knows", None, "looser (undecided: 3 errors; nobody knows)"
    )
    made = replace(review(_spec("70%"), _spec("60%")), verdict=effect)
    shown = render(made, (), color=False, width=100)
    assert shown.count("nobody knows") == 1
    assert "  looser (undecided: 3 errors)\n" in shown


@pytest.mark.parametrize(("errors", "words"), [(1, "1 error: "), (2, "2 errors: ")])
def test_a_witness_without_counts_tells_its_errors(errors: int, words: str) -> None:
    witness = Witness((), (), errors, "PASS", "FAIL", replayed=True)
    found = Finding("verdict", "verdict", "verdict", Answer("no"), Answer("yes", witness))
    assert found.text() == f"stricter (witness: {words}PASS before, FAIL now)"
