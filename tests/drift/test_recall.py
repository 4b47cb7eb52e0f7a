"""A retriever's recall: the share of relevant documents that stand among the first hits."""

from __future__ import annotations

from protoc_compiler.drift.model import Effect
from protoc_compiler.drift.reading import Source, read
from protoc_compiler.drift.review import review

SPEC = """\
protoc: 1
protocol: {id: retriever, version: 1, title: A retriever}
data:
  tables:
    queries:
      key: query
      columns: {query: text, text: text, kind: [short, long]}
      expect: [count(queries) == 40]
    relevant: {key: [query, document], columns: {query: queries, document: text}}
    hits: {from: subject, key: [query, rank], columns: {query: queries, rank: int, document: text, score: decimal?}}
procedure:
  subject: {command: [python3, -m, find], of: queries, sees: [text]}
definitions:
  relevant.found: some hits where rank <= 10 matching query and document
METRICS
gates:
  recalled: {says: The recall is at least 75%., must: recall >= 75%}
verdict: [PASS when all gates have held, FAIL otherwise]
report: {released: [PASS]}
"""
RECALL = "metrics:\n  recall: rate(found over relevant)"
FOUND = "some hits where rank <= 10 matching query and document"


def _spec(text: str) -> Source:
    return read("protocol.yaml", "protocol.yaml", text.replace("METRICS", RECALL).encode())


def _gate(before: str, after: str) -> Effect:
    (effect,) = review(_spec(before), _spec(after)).effects
    return effect


def test_rows_that_are_nothing_but_their_keys_do_not_stop_the_search_for_a_case() -> None:
    assert _gate(SPEC, SPEC.replace("rank <= 10", "rank <= 20")).rule == "gates.recalled"
