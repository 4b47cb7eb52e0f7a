"""What is proved on formulas stands, also where the counts alone leave it open."""

from __future__ import annotations

import json

import pytest

from protoc_compiler.drift import wording
from protoc_compiler.drift.failing import failing
from protoc_compiler.drift.model import Effect, Report
from protoc_compiler.drift.monotone import asks_only_for_good
from protoc_compiler.drift.reading import Source, read
from protoc_compiler.drift.review import review
from protoc_compiler.drift.show import json_, markdown, text
from protoc_compiler.drift.show.markdown import told
from protoc_compiler.drift.show.text import _cut
from protoc_compiler.drift.wording import effect
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
    assert (verdict.direction, verdict.status, verdict.reason) == (direction, "witness", "")
    assert verdict.witness is not None
    assert verdict.witness["replayed"]
    alone = review(_spec("70%"), _spec(threshold), prove=False).verdict
    assert (alone.direction, alone.status) == (direction, "undecided")
    assert "rules only get" in alone.reason


@pytest.mark.parametrize(
    ("lines", "monotone"),
    [
        ("[PASS when all gates have held, FAIL otherwise]", True),
        ("[FAIL when some blockers have fired, PASS when all gates have held, FAIL otherwise]", True),
        ("[PASS when all gates have held, HOLD when some gates have failed, FAIL otherwise]", True),
        ("[FAIL when some gates have held, PASS when all gates have held, FAIL otherwise]", False),
        ("[FAIL when all gates have held, PASS otherwise]", False),
        ("[PASS when some gates have failed, FAIL otherwise]", False),
        ("[PASS when (found.en > 0.5) is true, FAIL otherwise]", False),
        ("[FAIL when some gates have failed, PASS when all gates have held, FAIL otherwise]", False),
        ("[PASS when all gates have held, FAIL when some gates have failed, FAIL otherwise]", True),
        ("[PASS when all gates have held, FAIL when gates.langs is true, FAIL otherwise]", True),
        ("[FAIL when gates.langs is true, PASS when all gates have held, FAIL otherwise]", False),
    ],
)
def test_what_a_verdict_asks_of_its_rules(lines: str, monotone: bool) -> None:
    start, _, rest = SPEC.partition("verdict:\n")
    blocker = "blockers:\n  empty: {says: There is no chat., when: no chats}\ngates:"
    text = start.replace("gates:", blocker) + f"verdict: {lines}\nreport:{rest.partition('report:')[2]}"
    made = read("protocol.yaml", "protocol.yaml", text.encode()).protocol
    (verdict,) = made.of("verdict")
    assert asks_only_for_good(verdict.expr, made.released) is monotone


@pytest.mark.parametrize("prove", [False, True])
@pytest.mark.parametrize(
    ("fires", "directions"),
    [
        ("(found.en < 0.5) is true", {"equivalent"}),
        ("count(answers where right) < 6", {"equivalent"}),
        ("found.en < 0.5", {"looser", "stricter"}),
    ],
)
def test_whether_an_undefined_blocker_fires_is_nothing_where_it_never_is_undefined(
    fires: str, directions: set[str], prove: bool
) -> None:
    made = f"blockers:\n  low: {{says: It is low., when: {fires}, if_undefined: UNDEFINED, forces: FAIL}}\ngates:"
    text = SPEC.replace("gates:", made)
    sides = [read("protocol.yaml", "protocol.yaml", text.replace("UNDEFINED", way).encode()) for way in
             ("fires", "does not fire")]  # fmt: skip
    told = set()
    for one, other in (sides, reversed(sides)):
        report = review(one, other, prove=prove)
        (change,) = [change for change in report.changes if change.id == "BLOCKER_UNDEFINED_CHANGED"]
        assert ("it fires just where it fired" in change.message) is (change.direction == "equivalent")
        assert bool(failing(report, (), "looser").found) is (change.direction == "looser")
        told.add(change.direction)
    assert told == directions


FEW = "(count(chats) < 20) is true"


@pytest.mark.parametrize(
    ("lines", "released", "direction"),
    [
        (f"[FAIL when {FEW}, PASS when all gates have held, FAIL otherwise]", "PASS", "looser"),
        ("[FAIL when (found.en < 0.5) is true, PASS when all gates have held, FAIL otherwise]", "PASS", "looser"),
        (
            "[PASS when all gates have held, SOME when (found.en > 0.5) is true, FAIL otherwise]",
            "PASS, SOME",
            "undecided",
        ),
        (f"[PASS when all gates have held, SOME when {FEW}, FAIL otherwise]", "PASS, SOME", "undecided"),
    ],
)
def test_a_verdict_follows_its_rules_beside_what_has_not_changed(lines: str, released: str, direction: str) -> None:
    """Not where one of two words may be released in place of the other."""
    start, _, rest = SPEC.partition("verdict:\n")
    text = start + f"verdict: {lines}\nreport:{rest.partition('report:')[2]}".replace("[PASS]", f"[{released}]")
    sides = [read("protocol.yaml", "protocol.yaml", text.replace("70%", least).encode()) for least in ("70%", "60%")]
    told = review(*sides, prove=False)
    assert [rule.direction for rule in told.effects] == ["looser"]
    assert told.verdict.direction == direction


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
        assert (report.verdict.direction, report.verdict.status) == (direction, "witness")
        assert failing(report, (), "looser").fails is (direction == "looser")


def test_where_neither_data_lies_within_the_other_the_verdict_is_as_the_cases_show() -> None:
    old = read("protocol.yaml", "protocol.yaml", EXPECTING.encode())
    new = read("protocol.yaml", "protocol.yaml", EXPECTING.replace("size > 3", "size < 3").encode())
    verdict = review(old, new).verdict
    assert (verdict.direction, verdict.status) == ("incomparable", "witness")
    assert ["data refused before" in case for case in verdict.cases] == [True, False]
    assert review(old, new, prove=False).verdict.direction == "undecided"


WITNESS = Witness((("hits", 3),), (), 2, "not released", "released")
BARE = replace(WITNESS, counts=())


def _shown(looser: Answer, stricter: Answer, space: str = "gates") -> tuple[str, str, Effect, Report]:
    """What text and Markdown say of a finding, the effect, and the report."""
    title = f"{space}.right" if space != "verdict" else space
    found = effect(title, Finding(space, "right", "right", looser, stricter))
    made = replace(review(_spec("70%"), _spec("60%")), effects=(found,), verdict=replace(found, rule="verdict"))
    return text.render(made, (), color=False, width=100), markdown.render(made, ()), found, made


def test_a_direction_that_is_the_most_that_can_be_is_told_in_one_way() -> None:
    open_one = Answer("possible", WITNESS, "no rows with these counts were found")
    said = (
        "not proved: it holds wherever it held; that it holds where it did not was not shown: "
        "no rows with these counts were found"
    )
    shown = _shown(open_one, Answer("no"))
    assert f"  gates.right: looser, {said}\n    tried: hits 3: not released before, released now\n" in shown[0]
    assert f"| looser | {said}; tried: hits 3: not released before, released now |" in shown[1]
    assert (shown[2].direction, shown[2].status) == ("looser", "undecided")
    assert "undecided" not in "".join(shown[:2])


def test_a_comment_shows_what_a_reason_quotes_as_code() -> None:
    shown = _shown(Answer("unknown", None, "the sign of `a_b` is not known"), Answer("no"))
    assert shown[1].count("the sign of `a_b` is not known") == 2  # of the rule, and of the verdict
    assert "the sign of `a_b` is not known" in shown[0]


def test_no_counts_are_told_where_none_were_found() -> None:
    shown = _shown(Answer("possible", BARE, "no rows with these counts were found"), Answer("no"), "blockers")
    assert "it fires only where it fired; that it is silent where it fired was not shown: such rows may" in shown[0]
    assert "such rows may exist\n" in shown[0]
    assert "error" not in shown[0]
    assert "tried" not in shown[1]


def test_what_was_shown_and_what_was_not_are_told_apart() -> None:
    shown = _shown(Answer("possible", BARE, "nobody knows"), Answer("yes", WITNESS), "verdict")
    said = "incomparable, not proved: a release is lost, as the case shows; that a release is gained was not shown"
    assert f"The verdict as a whole: {said}: nobody knows\n  case: hits 3: not released before" in shown[0]
    assert f"**The verdict as a whole: incomparable**, {said.partition(', ')[2]}: nobody knows." in shown[1]


def test_counts_of_the_way_that_is_open_are_not_those_of_the_case_that_shows_the_other() -> None:
    shown = _shown(Answer("possible", BARE, "no rows with these counts were found"), Answer("yes", WITNESS), "verdict")
    assert "that a release is gained was not shown: such rows may exist\n" in shown[0]
    assert "these counts" not in shown[0]


@pytest.mark.parametrize("reason", [
    "no rows of these counts were found that are as the protocol expects: expectation cases.2: it does not hold",
    "there are counts on which they differ, but on the rows that were made of these counts they do not",
    "counts alone do not tell to which rows of `cases` those of `answers` belong, so none were made",
])  # fmt: skip
def test_how_rows_are_made_of_counts_is_nothing_that_a_review_tells(reason: str) -> None:
    shown = _shown(Answer("possible", BARE, reason), Answer("possible", BARE, reason))
    assert (
        "it is open whether it holds where it did not, and whether it fails where it held: such rows may exist"
        in (shown[0])
    )
    assert reason.partition(":")[0] not in "".join(shown[:2])
    made = json.loads(json_.render([(shown[3], ())]))
    assert made["rules"][0]["reason"].endswith(f": such rows may exist; {reason}")
    assert made["verdict"]["reason"].endswith(f"; {reason}")
    both = _shown(Answer("possible", BARE, reason), Answer("unknown", None, "it is too large"))
    assert "such rows may exist; it is too large" in both[0]


@pytest.mark.parametrize("looser", [True, False])
def test_a_word_that_only_one_of_both_releases_is_told_by_that(looser: bool) -> None:
    case = Answer("yes", replace(WITNESS, old="FAIL", new="FAIL"))
    shown = _shown(*((case, Answer("no")) if looser else (Answer("no"), case)), "verdict")
    outcome = "not released before, released now" if looser else "released before, not released now"
    assert f"case: hits 3: FAIL: {outcome}" in shown[0]
    assert "FAIL before" not in "".join(shown[:2])


def test_what_is_open_both_ways_is_one_sentence() -> None:
    unknown = Answer("unknown", None, "it is too large")
    shown = _shown(unknown, unknown, "verdict")
    assert "undecided: it is open whether a release is gained, and whether one is lost: it is too large\n" in shown[0]


@pytest.mark.parametrize(("reason", "whole"), [
    ("", "none"), ("that it holds was not shown", "that it holds was not shown: none"),
    ("that it holds was not shown: too large", "that it holds was not shown: too large; none"),
])  # fmt: skip
def test_one_more_reason_stands_behind_the_first(reason: str, whole: str) -> None:
    assert wording.also(reason, "none") == whole


@pytest.mark.parametrize("way", ["looser", "stricter"])
def test_where_one_way_is_ruled_out_the_other_is_the_most_that_can_be(way: str) -> None:
    answers = Answer("unknown", None, "it is too large"), Answer("no")
    shown = _shown(*(answers if way == "looser" else answers[::-1]))
    assert (shown[2].direction, shown[2].status, shown[2].cases) == (way, "undecided", ())
    neither = _shown(answers[0], answers[0])
    assert neither[2].direction == "undecided"
    assert "undecided: it is open whether it holds where it did not, and whether it fails where it held" in neither[0]
    assert "tried" not in neither[0]
    assert neither[0].count("it is too large") == 2  # the rule, and the verdict


@pytest.mark.parametrize(("errors", "words"), [(1, "1 error: "), (2, "2 errors: ")])
def test_a_case_without_counts_tells_its_errors(errors: int, words: str) -> None:
    shown = _shown(Answer("no"), Answer("yes", replace(BARE, errors=errors)), "verdict")
    assert f"shown by a case: something can no longer be released that could be before\n  case: {words}" in shown[0]
    assert f"\n\ncase: {words}" in shown[1]
    assert (
        f"| stricter | shown by a case: something can no longer be released that could be before: {words}" in shown[1]
    )


@pytest.mark.parametrize(("errors", "words"), [(1, "1 error: "), (2, "2 errors: ")])
def test_a_witness_without_counts_tells_its_errors(errors: int, words: str) -> None:
    witness = Witness((), (), errors, "PASS", "FAIL", replayed=True)
    found = Finding("verdict", "verdict", "verdict", Answer("no"), Answer("yes", witness))
    assert found.text() == f"stricter (witness: {words}PASS before, FAIL now)"
