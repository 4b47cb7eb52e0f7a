"""What stands in a column of a listed table lies between its least and its greatest cell, which tells the sign of a
product: `size <= 2 * kind.most` asks for more than `size <= 3 * kind.most` where no `most` is negative.

A few random pairs are tried every time; PROTOC_LONG=1 tries 400 of each rule, PROTOC_LONG=N so many.
"""

from __future__ import annotations

import os
from random import Random

import pytest

from drift.claims import claims, resolved, wrong
from drift.tiny import Rows
from protoc_compiler import core
from protoc_compiler.drift.ranges import Ranges
from protoc_compiler.drift.review import changes_of

LONG = os.environ.get("PROTOC_LONG", "")
PAIRS = 6 if not LONG else 400 if LONG == "1" else int(LONG)
TABLES = 30
SPEC = """protoc: 1
protocol: {id: tiny, version: 1, title: A made-up study}
data:
  tables:
    cases: {key: case, columns: {case: text, size: int, kind: kinds}}
    kinds:
      key: kind
      columns: {most: "TYPE"}
      rows:
        mail: {most: MAIL}
        chat: {most: CHAT}
metrics:
  size_of.<kinds>: mean(size over cases)
gates:
  GATE
verdict:
  - PASS when all gates have held
  - FAIL otherwise
report: {released: [PASS]}
"""
RULES = (
    "all kinds have size_of <= FACTOR * most", "some kinds have size_of > FACTOR * most",
    "no cases have size > FACTOR * kind.most", "mean(size over cases) <= FACTOR * mean(kind.most over cases)",
    "mean(size over cases) <= FACTOR * first(kinds).most", "count(cases) <= FACTOR * max(most over kinds)",
    "count(cases) > FACTOR * sum(kind.most over cases)", "size_of.mail <= FACTOR * only(kinds where kind == mail).most",
    "count(cases where size <= FACTOR * kind.most) >= 2",
)  # fmt: skip
NAMED = "must: {says: It is as it is., must: "


def protocol(rule: str, factor: int, mail: str, chat: str) -> core.Protocol:
    name = NAMED.replace("must:", "must.<kinds>:", 1) if rule.startswith("each ") else NAMED
    text = SPEC.replace("GATE", f'{name}"{rule.removeprefix("each ").replace("FACTOR", str(factor))}"}}')
    text = text.replace("MAIL", mail).replace("CHAT", chat).replace("TYPE", "int?" if "null" in (mail, chat) else "int")
    made = resolved(text)
    assert made is not None, rule
    return made


EACH = "each size_of <= FACTOR * most"


@pytest.mark.parametrize("rule", [RULES[0], *RULES[2:5], RULES[7], EACH])
@pytest.mark.parametrize(
    ("cells", "direction"),
    [(("1", "3"), "stricter"), (("0", "3"), "stricter"), (("-3", "-1"), "looser"), (("-1", "3"), "incomparable")],
)
def test_the_cells_tell_the_sign_of_what_is_multiplied(rule: str, cells: tuple[str, str], direction: str) -> None:
    mixed = direction == "incomparable" and rule in (RULES[4], RULES[7])  # each takes one of the two
    told = changes_of(protocol(rule, 3, *cells), protocol(rule, 2, *cells), prove=False)[1].effects
    assert mixed or [one.direction for one in told] == [direction]


def test_the_range_of_a_column_is_that_of_its_cells() -> None:
    ranges = Ranges(protocol(RULES[0], 2, "-1", "3"))
    for row in (("row", 1, "kinds"), ("free", "per0", "kinds"), ("column", ("row", 1, "cases"), "kind")):
        assert ranges.of(("column", row, "most")) == (-1, 3)
    assert ranges.of(("column", ("row", 1, "cases"), "size")) == (None, None)
    assert Ranges(protocol(RULES[0], 2, "null", "3")).of(("column", ("row", 1, "kinds"), "most")) == (3, 3)


@pytest.mark.timeout(0 if LONG else 600)
@pytest.mark.parametrize("rule", [*RULES, EACH])
def test_no_rows_contradict_what_cells_tell(rule: str) -> None:
    total = 0
    for seed in range(PAIRS):
        chance = Random(seed)
        low = chance.choice((-2, 0, 0, 1))
        cells = [str(chance.randint(low, low + 2)) for _ in range(2)]
        if seed % 5 == 4 and rule in RULES[:2]:
            cells[1] = "null"
        factors = chance.sample(range(-1, 4), 2)
        changed = [*cells[:1], str(chance.randint(low, low + 2))] if chance.random() < 0.3 else cells
        one, other = protocol(rule, factors[0], *cells), protocol(rule, factors[1], *changed)
        same, said = claims(one, other, prove=False)
        total += sum(sum(told) for told in said.values())
        for _ in range(TABLES):
            assert not wrong(same, other, said, rows(chance)), f"seed {seed}"
    assert total  # something is said


def rows(chance: Random) -> Rows:
    """A few cases."""
    made = [
        {"case": f"c{at}", "size": chance.randint(-4, 6), "kind": chance.choice(("mail", "chat"))}
        for at in range(chance.randint(0, 4))
    ]
    return {"cases": made}
