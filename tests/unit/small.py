"""A small spec that is without fault, for tests that change one thing in it."""

from __future__ import annotations

from protoc_compiler import core, pipeline

SPEC = """protoc: 1

protocol:
  id: small
  version: 1
  title: A small protocol

question:
  asks: Does it answer right?

data:
  tables:
    topics:
      key: topic
      rows: {algebra: {hard: true}, chance: {hard: false}}
    cases:
      key: case
      order: seq
      columns:
        case: text
        seq: int
        topic: topics
        kind: [easy, hard]
        name: text
        tags: set of text
        size: int
        bin: int?
        score: decimal
        latency: ms
        at: time
        ranked: {title: text, year: int}
      expect:
        - count(cases) == 96
    answers:
      from: subject
      key: case
      columns: {case: cases, right: bool, found: text?, cost: USD}
  splits:
    test: {role: heldout, may: [score once]}

procedure:
  freeze:
    limit: 3
  subject: {python: "subject.py:answer", of: cases, sees: [name], timeout: 5 s}
  phases:
    - {phase: score, reads: [test], use: score}

definitions:
  cases.good: {is: only(answers).right, if_undefined: false}

metrics:
  accuracy: rate(good over cases)

gates:
  enough: {says: Accuracy at least 75%., must: accuracy >= 75%}

verdict:
  - PASS when all gates have held
  - FAIL otherwise

report:
  released: [PASS]
  lists:
    hard_ones: list(case over cases where topic.hard)
"""


def spec(
    *, definitions: str = "", metrics: str = "", gates: str = "", changes: tuple[tuple[str, str], ...] = ()
) -> str:
    """The spec with more lines in its sections, and with texts replaced."""
    made = SPEC
    for old, new in changes:
        assert old in made, old
        made = made.replace(old, new)
    for head, text in (("\nmetrics:\n", definitions), ("\ngates:\n", metrics), ("\nverdict:\n", gates)):
        lines = "".join(f"  {line}\n" for line in text.splitlines())
        made = made.replace(head, lines + head, 1)
    return made


def examine(text: str) -> pipeline.Checked:
    """Everything that is known of a spec text."""
    return pipeline.examine("small.yaml", text.encode())


def protocol(text: str) -> core.Protocol:
    """The protocol of a spec without errors."""
    done = examine(text)
    assert done.protocol is not None, [(item.id, item.message) for item in done.findings]
    return done.protocol


def ids(text: str) -> list[str]:
    """The ids of all findings, in order of place."""
    return [item.id for item in examine(text).findings.sorted()]


def metric(formula: str, definitions: str = "") -> core.Expr:
    """The typed form of one metric."""
    made = protocol(spec(definitions=definitions, metrics=f"m: {formula}"))
    return next(item.expr for item in made.items if item.name == "m")
