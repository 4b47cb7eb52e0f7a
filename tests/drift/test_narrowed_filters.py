"""A filter that was narrowed moves a share both ways: cases are made of rows that only one of the two filters keeps."""

from __future__ import annotations

import pytest

from protoc_compiler import core
from protoc_compiler.drift.reading import read
from protoc_compiler.proof.trials.cases import Trials

SPEC = """\
protoc: 1
protocol: {id: mail, version: 1, title: A filter of mail}
data:
  tables:
    cases:
      key: case
      columns: {case: text, split: splits, label: [wanted, unwanted], channel: channels, weight: int}
      expect: [count(cases where split == heldout) == 8, all cases have weight >= 1]
    channels:
      key: channel
      rows: {post: {at_least: 50%, headline: true}, chat: {at_least: 25%, headline: true},
             forum: {at_least: 0%, headline: false}}
    answers: {from: subject, key: case, columns: {case: cases, answer: [wanted, unwanted], score: decimal}}
  splits:
    dev: {role: development, may: [tune]}
    heldout: {role: heldout, may: [score once]}
procedure:
  subject: {python: "s.py:f", of: cases, sees: [weight]}
  phases: [{phase: score, reads: [heldout], use: score}]
definitions:
  cases.answer: only(answers).answer
  cases.right: {is: answer == label, if_undefined: false}
  headline_cases: cases where channel.headline
metrics:
  accuracy: rate(right over cases)
  caught: rate(right over cases where label == unwanted)
  headline: rate(right over headline_cases)
  spread: mean(score over answers where answer == unwanted)
  done.<channels>: {is: rate(right over cases), if_undefined: 1}
blockers:
  unanswered: {says: A message has no answer., when: some cases have answer is undefined, forces: INVALID}
gates:
  accurate: {says: At least 75% are told right., must: accuracy >= 75%}
  catches: {says: At least 50% are caught., must: caught >= 50%}
  headline: {says: At least 60% of the headline cases are right., must: headline >= 60%}
  sure: {says: The mean is at least 0.5., must: spread >= 0.5}
  channels: {says: Each channel is done as well as its row asks., must: all channels have done >= at_least}
verdict:
  - INVALID when some blockers have fired
  - PASS when all gates have held
  - FAIL otherwise
report: {released: [PASS]}
"""
CHANGES = {
    "the filter of a metric": ("catches", ("label == unwanted)", "label == unwanted and weight <= 2)")),
    "the filter of a definition": ("headline", ("where channel.headline", "where channel.headline and weight >= 2")),
    "shares by weight": ("accurate", (
        "accuracy: rate(right over cases)", "accuracy: sum(weight over cases where right) / sum(weight over cases)"
    )),
    "another mean": ("sure", ("mean(score", "median(score")),
}  # fmt: skip


def _protocol(*changes: tuple[str, str]) -> core.Protocol:
    text = SPEC
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return read("protocol.yaml", "protocol.yaml", text.encode()).protocol


@pytest.mark.parametrize("looser", [True, False], ids=["gained", "lost"])
@pytest.mark.parametrize("name", CHANGES)
def test_a_case_is_found_among_few_that_are_tried(name: str, looser: bool) -> None:
    gate, change = CHANGES[name]
    trials = Trials(_protocol(), _protocol(change))
    witness = trials.ask(("gates", gate, gate), looser=looser)
    assert witness is not None
    assert witness.replayed
    assert (witness.old == "holds") is not looser
    assert trials.work.trials < 1_200


@pytest.mark.parametrize("looser", [True, False], ids=["gained", "lost"])
@pytest.mark.parametrize("more", [" and weight >= 2", " and weight <= 2", " and channel == post"])
def test_a_verdict_that_other_gates_decide_too_is_shown_by_the_gate_that_changed(more: str, looser: bool) -> None:
    """Where every gate must hold, that some other one nearly fails leads away from it."""
    trials = Trials(_protocol(), _protocol(("where channel.headline", f"where channel.headline{more}")))
    witness = trials.ask(("verdict", "verdict", "verdict"), looser=looser)
    assert witness is not None
    assert (witness.old, witness.new) == (("FAIL", "PASS") if looser else ("PASS", "FAIL"))
    assert trials.work.trials < 1_500
