"""A retriever's recall: the share of relevant documents that stand among the first hits."""

from __future__ import annotations

from random import Random

import pytest

from drift.claims import wrong
from drift.tiny import Rows
from protoc_compiler.drift.model import Effect
from protoc_compiler.drift.reading import Source, read
from protoc_compiler.drift.review import changes_of, review

SPEC = """\
protoc: 1
protocol: {id: retriever, version: 1, title: A retriever}
data:
  tables:
    queries:
      key: query
      columns: {query: text, text: text, kind: [short, long]}
      expect: [count(queries) == 3]
    relevant: {key: [query, document], columns: {query: queries, document: text}}
    hits: {from: subject, key: [query, rank], columns: {query: queries, rank: int, document: text, score: decimal?}}
procedure:
  subject: {command: [python3, -m, find], of: queries, sees: [text]}
definitions:
  relevant.found: some hits where rank <= 10 matching query and document
METRICS
gates:
  recalled: {says: The recall is at least 50%., must: recall >= 50%}
verdict: [PASS when all gates have held, FAIL otherwise]
report: {released: [PASS]}
"""
RECALL = "metrics:\n  recall: rate(found over relevant)"
FOUND = "some hits where rank <= 10 matching query and document"
OF_QUERY = "  queries.share: count(relevant where found) / count(relevant)\n"
RISES = {  # what has more rows found never falls
    "in a share": (FOUND, "  recall: rate(found over relevant)"),
    "counted": ('{is: "count(hits where rank <= 10 matching query and document) >= 1", if_undefined: false}',
                "  recall: rate(found over relevant)"),
    "of those that are not": (FOUND, "  recall: 1 - rate(not found over relevant)"),
    "as a quotient": (FOUND, "  recall: count(relevant where found) / count(relevant)"),
    "of a part": (FOUND, "  recall: rate(found over relevant where query.kind == short)"),
    "as a mean of queries": (FOUND, f"{OF_QUERY}METRICS  recall: mean(share over queries)"),
    "in the worst query": (FOUND, f"{OF_QUERY}METRICS  recall: min(share over queries)"),
    "beside others": (FOUND, "  recall: rate(found over relevant) - rate(query.kind == long over relevant)"),
}  # fmt: skip
MAY_FALL = {  # of these nothing may be said: the rows of the test show both
    "of what is found": (FOUND, "  recall: rate(query.kind == short over relevant where found)"),
    "as a part of what is found": (FOUND, "  recall: rate(found and query.kind == short over relevant where found)"),
    "undefined of more": (FOUND, "  recall: rate(rank <= 10 and score > 2 over hits)"),
    "with a value for what is undefined": (
        FOUND, "  recall: {is: rate(rank <= 10 and score > 2 over hits), if_undefined: 0}"
    ),
    "less what is found": (
        FOUND, "  recall: 0.75 + rate(found over relevant) - 2 * rate(found and query.kind == short over relevant)"
    ),
}  # fmt: skip


def _spec(text: str, found: str = FOUND, metric: str = "  recall: rate(found over relevant)") -> Source:
    before, _, after = metric.rpartition("METRICS")
    text = text.replace("METRICS", f"{before}metrics:\n{after}")
    return read("protocol.yaml", "protocol.yaml", text.replace(FOUND, found).encode())


def _pair(way: tuple[str, str]) -> tuple[Source, Source]:
    found, metric = way
    return _spec(SPEC, *way), _spec(SPEC, *(part.replace("rank <= 10", "rank <= 20") for part in (found, metric)))


def _rows(chance: Random) -> Rows:
    """Three queries with two relevant documents each, and some hits."""
    queries = [{"query": f"q{at}", "text": "?", "kind": chance.choice(("short", "long"))} for at in range(3)]
    names = [row["query"] for row in queries]
    relevant = [{"query": name, "document": document} for name in names for document in "ab"]
    hits = [
        {"query": name, "rank": rank, "document": chance.choice("abc"), "score": chance.choice((None, 1, 3))}
        for name in names
        for rank in chance.sample((1, 10, 11, 20, 21), chance.randint(0, 3))
    ]
    return {"queries": queries, "relevant": relevant, "hits": hits}


@pytest.mark.parametrize("name", RISES)
def test_more_that_is_found_makes_recall_looser(name: str) -> None:
    before, after = _pair(RISES[name])
    for old, new, direction in ((before, after, "looser"), (after, before, "stricter")):
        _, context = changes_of(old.protocol, new.protocol, prove=False)
        (effect,) = context.effects
        assert (effect.direction, effect.status) == (direction, "proved")
        assert context.verdict.direction == direction


@pytest.mark.parametrize("name", {**RISES, **MAY_FALL})
def test_rows_never_show_what_is_ruled_out(name: str) -> None:
    before, after = _pair({**RISES, **MAY_FALL}[name])
    _, context = changes_of(before.protocol, after.protocol, prove=False)
    (effect,) = context.effects
    assert (effect.direction in ("undecided", "incomparable")) is (name in MAY_FALL)
    claimed = {("gates", "recalled"): (False, effect.direction == "looser")}
    contrary = {("gates", "recalled"): (False, True)}
    chance = Random(1)
    tried = [_rows(chance) for _ in range(300)]
    old, new = before.protocol, after.protocol
    assert not [said for rows in tried for said in wrong(old, new, claimed, rows)]
    assert any(wrong(old, new, contrary, rows) for rows in tried) is (name in MAY_FALL)


def _gate(before: str, after: str) -> Effect:
    (effect,) = review(_spec(before), _spec(after)).effects
    return effect


def test_rows_that_are_nothing_but_their_keys_do_not_stop_the_search_for_a_case() -> None:
    assert _gate(SPEC, SPEC.replace("rank <= 10", "rank <= 20")).rule == "gates.recalled"
