"""A small spec with a target, providers, a command and two judgements, for tests that change one thing in it."""

from __future__ import annotations

SPEC = """protoc: 1

protocol:
  id: asking
  version: 1
  title: A system that asks

question:
  asks: Does it find what helps?

data:
  tables:
    cases:
      key: case
      columns:
        case: text
        turns: {role: [user, assistant], content: text}
        expected: [call, none]
        tags: set of text
    found:
      from: subject
      key: [case, rank]
      order: [case, rank]
      columns: {case: cases, rank: int, title: text}
    attempts:
      from: ledger of embedding
      key: [case, n]
      order: [case, n]
      columns: {case: cases, n: int, status: int?, model: text?, waited: s, acceptable: bool}
    ratings:
      from: adjudication
      key: [case, rank]
      columns: {case: cases, rank: int, label: [good, bad], adjudicator: text, at: time, note: text?}
    reasons:
      from: adjudication
      key: case
      columns: {case: cases, reason: [missed, wrong]}
  records:
    seal: {from: seal, time: time, files_match: bool}
    worktree: {from: target, commit: digest, clean_at_start: bool, first_read: time, routing: digest}
    key: {from: provider embedding, usable: bool}
    chat: {from: ledger of chat, attempts: int, calls: int}
    scan: {from: secret scan, findings: int}

procedure:
  target:
    repository: env ASK_REPOSITORY
    commit: {is: dd384574b5f3765acd4a131caae755697a224557, cites: [R1]}
    digests:
      corpus: [corpus/**, README.md]
      routing:
        paths: ask/router.py
        is: sha256:5feceb66ffc86f38d952786c6d696c79c2dbc239dd4e91b46729d73a27fb57e9
        cites: [R2]
  freeze:
    model: "ask-embed-1"
    dimension: 64
  providers:
    embedding:
      request: POST /v1/embeddings
      base_url: env EMBEDDING_BASE_URL
      credential: env EMBEDDING_API_KEY
      model: freeze.model
      answer: {dimension: freeze.dimension, finite: true, json: answer.schema.json, cites: [R3]}
      retry: {only_on: [5xx, 429], at_most: 2, waits: [1 s, 500 ms], never_on: [validation, dimension], cites: [R4]}
      timeout: 20 s
      concurrency: {is: 4, cites: [R5]}
      spacing: 100 ms
      keep: bodies
    chat:
      request: POST /v1/chat/completions
      forbidden: {is: true, cites: [R6]}
  subject:
    command: [python3, -m, ask]
    directory: target
    environment: [LC_ALL, LANG]
    of: cases
    sees: [turns]
    timeout: 60 s
    concurrency: 2
  adjudication:
    ratings:
      says: the first two that were found
      judges: first_two
      fills: ratings
      column: label
      sees: [case.turns, rank, title]
      labels: {bad: it does not help, good: it helps}
      cites: [R7]
    reasons:
      judges: failures
      fills: reasons
      column: reason
      sees: [expected, called, found, tags]
      labels: {missed: nothing was found, wrong: what was found does not help}
  outputs:
    RECEIPT_v1.md: {is: receipt, cites: [R8]}
    cases.jsonl: cases

definitions:
  cases.called: count(attempts) > 0
  cases.helped: some ratings have label == good
  first_two: found where rank <= 2
  failures: cases where called and not helped

metrics:
  routed: count(cases where called)
  helped: rate(helped over cases where called)
  missed: count(reasons where reason == missed)

blockers:
  wrong_code:
    says: Not the pinned commit, or its routing is another.
    when: worktree.commit != target.commit or worktree.routing != target.routing
    forces: BLOCKED
  dirty: {says: The target was changed., when: not worktree.clean_at_start, forces: BLOCKED}
  late: {says: Sealed after the target was read., when: seal.time >= worktree.first_read, forces: BLOCKED}
  changed: {says: A sealed file changed., when: not seal.files_match, forces: BLOCKED}
  short: {says: There are fewer than 3 cases., when: count(cases) < 3, forces: BLOCKED}
  no_key: {says: There is no usable credential., when: not key.usable, forces: BLOCKED}
  chatted: {says: A chat was asked for., when: chat.calls > 0 or chat.attempts > 0, forces: BLOCKED}
  secret: {says: A secret was found., when: scan.findings > 0, forces: BLOCKED}
  unhelpful: {says: More than 5 cases miss., when: missed > 5, forces: BLOCKED}

gates:
  enough: {says: At least 2 cases call., must: routed >= 2}
  helps: {says: It helps in at least 75%., must: helped >= 75%}

verdict:
  - BLOCKED when some blockers have fired
  - GOOD when all gates have held
  - MIXED otherwise

report:
  released: [GOOD]
  sealed: {is: [routed, gates.enough], cites: [R9]}
"""


def spec(*changes: tuple[str, str]) -> str:
    """The spec with texts replaced, each of which must stand in it."""
    made = SPEC
    for old, new in changes:
        assert old in made, old
        made = made.replace(old, new)
    return made
