"""A small protocol that people finish: a subject finds topics, people say which of them help."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from e2e.workspaces import Workspace, read_rows, write_rows

SPEC = """protoc: 1

protocol:
  id: finding-topics
  version: 1
  title: Topics that help

question:
  asks: Does what was found help?

data:
  tables:
    cases:
      key: case
      columns: {case: text, split: splits, message: text, expected: [call, none]}
    found:
      from: subject
      key: [case, rank]
      order: [case, rank]
      columns: {case: cases, rank: int, title: text}
    ratings:
      from: adjudication
      key: [case, rank]
      columns: {case: cases, rank: int, label: [good, bad], adjudicator: text, at: time, note: text?}
    reasons:
      from: adjudication
      key: case
      columns: {case: cases, reason: [missed, wrong]}
  records:
    scan: {from: secret scan, findings: int}
    receipt: {from: receipt, complete: bool}
  splits:
    test: {role: held-out, may: [score once]}

procedure:
  subject: {python: subject.py:find, of: cases, sees: [message], timeout: 5 s}
  phases:
    - {phase: score, reads: [test], use: score}
  adjudication:
    ratings:
      says: the first two that were found
      judges: first_two
      fills: ratings
      column: label
      sees: [case.message, rank, title]
      labels: {good: it helps, bad: it does not help}
    reasons:
      judges: failures
      fills: reasons
      column: reason
      sees: [expected, found]
      labels: {missed: nothing was found, wrong: what was found does not help}
  outputs:
    RECEIPT_v1.md: receipt
    JUDGED.md: adjudication
    all_cases.jsonl: cases
    files.json: manifest

definitions:
  cases.called: some found have rank > 0
  cases.helped: some ratings have label == good
  first_two: found where rank <= 2
  failures: cases where expected == call and not helped

metrics:
  routed: rate(called over cases where expected == call)
  helped: rate(helped over cases where expected == call)
  missed: count(reasons where reason == missed)

blockers:
  secret: {says: A secret was found., when: scan.findings > 0, forces: BLOCKED}
  unfinished: {says: The receipt is not complete., when: not receipt.complete, forces: BLOCKED}

gates:
  routes: {says: At least half are routed., must: routed >= 50%}
  helps: {says: It helps in at least half., must: helped >= 50%}

verdict:
  - BLOCKED when some blockers have fired
  - GOOD when all gates have held
  - MIXED otherwise

report:
  released: [GOOD]
  sealed: [routed, gates.routes]
  lists:
    without_help: list(case over failures)

attestations:
  blind: Nobody who judged had seen the system before.
  alone: Each judged alone.
"""
SUBJECT = '''"""Finds topics by their first word."""

TOPICS = {"prove": ["Proofs", "Logic"], "group": ["Groups", "Rings", "Fields"]}


def find(case):
    titles = TOPICS.get(case["message"].split()[0].lower(), [])
    return {"found": [{"rank": rank, "title": title} for rank, title in enumerate(titles, 1)]}
'''
CASES = [
    {"case": "a", "split": "test", "message": "prove | # *this*", "expected": "call"},
    {"case": "b", "split": "test", "message": "group theory", "expected": "call"},
    {"case": "c", "split": "test", "message": "hello", "expected": "none"},
    {"case": "d", "split": "test", "message": "integrals", "expected": "call"},
]
LABELS = {("a", 1): "good", ("a", 2): "bad", ("b", 1): "bad", ("b", 2): "bad"}
SIGNED = {"adjudicator": "Ada"}


def project(folder: Path, *, spec: str = SPEC, subject: str = SUBJECT) -> None:
    """The files of the protocol, below `specs/topics`."""
    place = folder / "specs" / "topics"
    place.mkdir(parents=True)
    (place / "protocol.yaml").write_text(spec, encoding="utf-8")
    (place / "subject.py").write_text(subject, encoding="utf-8")
    write_rows(place / "cases.jsonl", CASES)


def workspace(folder: Path, *, spec: str = SPEC, subject: str = SUBJECT) -> Workspace:
    """A sealed protocol, ready to run."""
    project(folder, spec=spec, subject=subject)
    made = Workspace(folder)
    made.git("init", "-q", "-b", "main")
    (folder / ".gitignore").write_text("/runs/\n/registry.jsonl\n", encoding="utf-8")
    made.protoc("compile", "specs/topics")
    made.commit("Write the protocol")
    made.protoc("seal", "specs/topics")
    return made


def now() -> str:
    """When people judge in these tests, as a sheet has it."""
    return f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}"


def fill(sheets: Path, name: str, at: str = "", **labels: str) -> None:
    """Fill in one sheet: ratings as `LABELS` has them, all others with one label."""
    rows = read_rows(sheets / f"{name}.jsonl")
    for row in rows:
        told = LABELS.get((row["key"]["case"], row["key"].get("rank", 0)), "wrong")
        row.update(SIGNED, at=at or now(), label=labels.get(row["key"]["case"], told))
    write_rows(sheets / f"{name}.jsonl", rows)


def judge(made: Workspace, run: Path) -> None:
    """Both sheets, out and in."""
    for name in ("ratings", "reasons"):
        made.protoc("adjudicate", str(run), "--export", f"sheets_{name}")
        fill(made.folder / f"sheets_{name}", name)
        made.protoc("adjudicate", str(run), "--import", f"sheets_{name}")
