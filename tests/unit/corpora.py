"""Corpora of made-up queries, and a small protocol over them, for tests of splits and overlap."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from unit.projects import Project

_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_WORDS = ["".join(random.Random(seed).choices(_LETTERS, k=3 + seed % 7)) for seed in range(1500)]

PROTOCOL = """protoc: 1

protocol:
  id: {name}
  version: 1
  title: Routes of queries

question:
  asks: Does it find the route?
  unit: one query

data:
  tables:
    cases:
      key: case
      columns:
        case: text
        split: splits
        query: text
        route: text
    answers:
      from: subject
      key: case
      columns: {{case: cases, route: text}}
{tables}  splits:
{splits}

procedure:
  subject: {{python: "subject.py:answer", of: cases, sees: [query], timeout: 5 s}}
  phases:
    - {{phase: score, reads: [{reads}], use: score}}

definitions:
  cases.right: {{is: only(answers).route == route, if_undefined: false}}

metrics:
  accuracy: rate(right over cases)

gates:
  accuracy: {{says: Accuracy at least 50%., must: accuracy >= 50%}}
{gates}
verdict:
  - PASS when all gates have held
  - FAIL otherwise

report:
  released: [PASS]
"""
SUBJECT = "def answer(case):\n    return {'answers': {'route': 'r' + str(len(case['query']) % 4)}}\n"


def queries(count: int, seed: int, words: int = 18) -> list[str]:
    """Different made-up queries."""
    made = random.Random(seed)
    return [" ".join(made.choices(_WORDS, k=words)) for _ in range(count)]


def rows(count: int, seed: int, split: str, opening: str = "q") -> list[dict[str, Any]]:
    """Rows of the table of cases."""
    texts = queries(count, seed)
    return [
        {"case": f"{opening}{seed}-{number}", "split": split, "query": text, "route": f"r{len(text) % 4}"}
        for number, text in enumerate(texts)
    ]


def write_rows(path: Path, given: Iterable[Mapping[str, Any]]) -> None:
    """JSON Lines, as a program would write them."""
    path.write_text("".join(json.dumps(row) + "\n" for row in given), encoding="utf-8")


def project(
    workspace: Path,
    name: str,
    given: Sequence[Mapping[str, Any]],
    splits: str = "heldout: {role: heldout, may: [score once]}",
    reads: str = "heldout",
    tables: str = "",
    gates: str = "",
) -> Project:
    """A protocol in a workspace, not compiled yet. `splits` are lines; `tables` and `gates` are added as they are."""
    (workspace / "protoc.toml").touch()
    folder = workspace / "specs" / name
    folder.mkdir(parents=True)
    lines = "\n".join(f"    {line}" for line in splits.splitlines())
    text = PROTOCOL.format(name=name, splits=lines, reads=reads, tables=tables, gates=gates)
    (folder / "protocol.yaml").write_text(text, encoding="utf-8")
    (folder / "subject.py").write_text(SUBJECT, encoding="utf-8")
    write_rows(folder / "cases.jsonl", given)
    return Project(workspace, name)


# --- copies that an audit must find ------------------------------------------------------------------------------


def _shouted(text: str, _: random.Random) -> str:
    return text.upper().replace(" ", ",  ") + " !"


def _one_word_replaced(text: str, choose: random.Random) -> str:
    words = text.split()
    words[choose.randrange(len(words))] = "".join(choose.choices(_LETTERS, k=6))
    return " ".join(words)


def _two_words_swapped(text: str, choose: random.Random) -> str:
    words = text.split()
    at = choose.randrange(len(words) - 1)
    words[at], words[at + 1] = words[at + 1], words[at]
    return " ".join(words)


def _two_typing_errors(text: str, choose: random.Random) -> str:
    made = list(text)
    for at in choose.sample(range(len(made)), 2):
        made[at] = choose.choice(_LETTERS)
    return "".join(made)


def _one_word_more(text: str, choose: random.Random) -> str:
    return f"{''.join(choose.choices(_LETTERS, k=7))} {text}"


def _one_word_less(text: str, choose: random.Random) -> str:
    words = text.split()
    del words[choose.randrange(len(words))]
    return " ".join(words)


KINDS_OF_COPIES = (
    _shouted, _one_word_replaced, _two_words_swapped, _two_typing_errors, _one_word_more, _one_word_less,
)  # fmt: skip


def planted(text: str, number: int, choose: random.Random) -> str:
    """A copy of a text of some twenty words, of the kind whose turn it is."""
    return KINDS_OF_COPIES[number % len(KINDS_OF_COPIES)](text, choose)
