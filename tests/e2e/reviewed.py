"""A small protocol with a blind review: an agent proposes passages; two people mark their own, then judge these."""

from __future__ import annotations

from pathlib import Path

from e2e.judged import now
from e2e.workspaces import Workspace, read_rows, write_rows

SPEC = """protoc: 1

protocol:
  id: blind-review
  version: 1
  title: Proposed passages, reviewed blind

question:
  asks: Which passages does an agent find that a person finds, too?

data:
  tables:
    laws:
      key: law
      columns: {law: text, elements: set of text}
    cases:
      key: case
      columns: {case: text, split: splits, law: laws, text: text, pick: [sparse, other]}
    proposed:
      from: subject
      key: [case, n]
      columns: {case: cases, n: int, element: text, quote: text, reason: text}
    gold:
      from: adjudication
      key: [case, rater, n]
      columns:
        case: cases
        rater: [QA1, QA2]
        n: int
        element: text
        quote: text
        start: int
        end: int
        adjudicator: text
        at: time
        note: text?
    decisions:
      from: adjudication
      key: [case, n, rater]
      columns: {case: cases, n: int, rater: [QA1, QA2], label: [accepted, rejected]}
    reviews:
      from: adjudication
      key: [case, rater]
      columns: {case: cases, rater: [QA1, QA2], inventory_saved_at: time, first_proposal_shown_at: time?}
  splits:
    test: {role: held-out, may: [score once]}

procedure:
  subject: {python: subject.py:propose, of: cases, sees: [text], timeout: 5 s}
  phases:
    - {phase: score, reads: [test], use: score}
  visibility:
    cases.pick: {hidden_from: [subject, raters], says: the stratum sways nobody, cites: [B006]}
    proposed: {hidden_from: [raters until inventory]}
    proposed.reason: [raters]
    gold: [subject]
  adjudication:
    inventory:
      says: every passage that applies an element of the law
      judges: cases
      fills: gold
      column: element
      sees: [text, law.elements]
      labels: law.elements
      marks: text
      raters: [QA1, QA2]
      cites: [B033]
    proposal:
      says: whether a proposed passage applies its element
      judges: retained
      fills: decisions
      column: label
      sees: [case.text, element, quote]
      labels: {accepted: it applies the element, rejected: it does not}
      follows: inventory
      raters: [QA1, QA2]

definitions:
  proposed.start: offset(quote, case.text)
  retained: proposed where occurrences(quote, case.text) == 1
  first_gold: gold where rater == QA1
  gold.exact_hit: some retained matching case and element and start and quote
  gold.other_evidence: not exact_hit and count(retained matching case and element) > 0
  cases.kept: count(retained)
  cases.confirmed: count(retained where found_by_person)
  proposed.found_by_person: some first_gold matching case and element and quote
  cases.share: confirmed / kept
  reviews.blind: {is: inventory_saved_at < first_proposal_shown_at, if_undefined: true}

metrics:
  exact_recall: {is: rate(exact_hit over first_gold), cites: [B035]}
  alternate_recall: {is: rate(other_evidence over first_gold), cites: [B155]}
  coverage: rate(kept > 0 over cases)
  precision: rate(found_by_person over retained)
  without_precision: {is: count(cases where share is undefined), cites: [B034]}

blockers:
  blind:
    says: Somebody was shown a proposal before the inventory was saved.
    when: some reviews have not blind
    forces: INVALID

gates:
  some_recall: {says: At least 50% of the passages are found., must: exact_recall >= 50%}

verdict:
  - INVALID when some blockers have fired
  - GOOD when all gates have held
  - POOR otherwise

report:
  released: [GOOD]
  claims:
    accuracy gains: {never: before inventory}
    agreement: {may: when GOOD, never: before adjudication}
"""
SUBJECT = '''"""Proposes the first sentence of each text, the last one, and a word that stands there twice."""


def propose(case):
    text = case["text"]
    if "nothing" in text:
        return {"proposed": []}
    sentences = text.removesuffix(".").split(".")
    found = [("notice", sentences[0]), ("consent", sentences[-1].strip()), ("consent", "e")]
    return {
        "proposed": [
            {"n": n, "element": element, "quote": quote, "reason": "REASONING of the agent"}
            for n, (element, quote) in enumerate(found, 1)
        ]
    }
'''
LAWS = [{"law": "L", "elements": ["consent", "notice"]}]
TEXTS = {
    "a": "The clerk \U0001f4dc sent notice by post. The buyer \U0001f600 agreed.\n"
    "Then the court finds that the buyer consented.",
    "b": "Notice was late. Nobody consented <b>at all</b> & so on.",
    "c": "There is nothing here.",
}
CASES = [
    {"case": case, "split": "test", "law": "L", "pick": "sparse" if case == "a" else "other", "text": text}
    for case, text in TEXTS.items()
]
SIGNED = {"adjudicator": "Ada"}


def project(folder: Path, *, spec: str = SPEC) -> None:
    """The files of the protocol, below `specs/review`."""
    place = folder / "specs" / "review"
    place.mkdir(parents=True)
    (place / "protocol.yaml").write_text(spec, encoding="utf-8")
    (place / "subject.py").write_text(SUBJECT, encoding="utf-8")
    write_rows(place / "cases.jsonl", CASES)
    write_rows(place / "laws.jsonl", LAWS)


def workspace(folder: Path, *, spec: str = SPEC) -> Workspace:
    """A sealed protocol, ready to run."""
    project(folder, spec=spec)
    made = Workspace(folder)
    made.git("init", "-q", "-b", "main")
    (folder / ".gitignore").write_text("/runs/\n/registry.jsonl\n", encoding="utf-8")
    made.protoc("compile", "specs/review")
    made.commit("Write the protocol")
    made.protoc("seal", "specs/review")
    return made


def run(folder: Path, *, spec: str = SPEC) -> tuple[Workspace, Path]:
    """A workspace with one run that waits for people."""
    made = workspace(folder, spec=spec)
    made.protoc("run", "specs/review", status=1)
    return made, made.bundles()[-1]


def fill(sheets: Path, name: str) -> None:
    """Fill in one sheet: nothing is marked, every proposal accepted."""
    rows = read_rows(sheets / f"{name}.jsonl")
    for row in rows:
        row.update(SIGNED, at=now(), **({"marks": []} if "marks" in row else {"label": "accepted"}))
    write_rows(sheets / f"{name}.jsonl", rows)


def forge(place: Path) -> None:
    """A part that QA1 has locked in the room, with a ledger that names a sheet which no step of theirs has made."""
    from protoc_runtime.adjudication.stages import open_stage
    from protoc_runtime.canonical import digest_bytes
    from protoc_runtime.ledger import Ledger
    from protoc_runtime.room.desk import Desk

    with Desk(open_stage(place)) as desk:
        desk.enter("QA1", "Ada")
        for row in range(len(CASES)):
            desk.show("QA1", "inventory", row)
            desk.act("QA1", "inventory", row, {"act": "done"})
        desk.lock("QA1", "inventory")
    stage = place / "adjudication.unfinished"
    sheet = stage / "sheets" / "inventory.QA1.jsonl"
    sheet.write_bytes(sheet.read_bytes().replace(b"Ada", b"Eve"))
    ledger = stage / "ledger.jsonl"
    ledger.write_bytes(b"".join(line for line in ledger.read_bytes().splitlines(True) if b"sheet_imported" not in line))
    with Ledger.open(ledger) as writer:
        body = {"judgement": "inventory", "rater": "QA1", "sheet": digest_bytes(sheet.read_bytes()), "by": "room"}
        writer.append("sheet_imported", body)
