"""Differences that are shown by rows which were tried: each is one, and the same rows are found again."""

from __future__ import annotations

import io
import itertools
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from protoc_compiler import core
from protoc_compiler.cli import main
from protoc_compiler.drift.reading import read
from protoc_compiler.proof.program import Program, support
from protoc_compiler.proof.replay import Folder
from protoc_compiler.proof.trials.cases import Trials
from protoc_compiler.proof.trials.judge import Unfit
from protoc_compiler.proof.trials.moves import LEVELS, Move
from protoc_compiler.proof.trials.rowset import as_json
from protoc_compiler.proof.trials.truth import Truth, all_of, any_of, every, measured, missed, none, not_, truth
from unit.verifying import write

FIELD = Path(__file__).parents[1] / "field"
VERDICT = ("verdict", "verdict", "verdict")
SPEC = """\
protoc: 1
protocol: {id: calls, version: 1, title: Calls}
data:
  tables:
    teams: {key: team, rows: [red, blue]}
    agents: {key: agent, columns: {agent: text, team: teams}}
    calls:
      key: call
      order: at
      columns: {call: text, agent: agents, at: time, wait: s?, kind: [sale, help], notes: {word: text, good: bool}}
    marks: {key: [call, grader], columns: {call: calls, grader: [one, two], mark: int, weight: decimal}}
definitions:
  calls.kept: {is: only(marks where grader == one).mark == only(marks where grader == two).mark, if_undefined: false}
  sales: calls where kind == sale and kept
metrics:
  waits: mean(wait over calls where wait is defined)
  weight.<teams>: sum(weight over marks where call.agent.team == team)
gates:
  enough: {says: At least 3 sales are kept., must: count(sales) >= 3}
  waits: {says: The mean is at most 30 s., must: waits <= 30 s}
  teams: {says: Each weighs more than 5., must: all teams have weight > 5}
verdict:
  - PASS when all gates have held
  - FAIL otherwise
report:
  released: [PASS]
"""


def protocol(*changes: tuple[str, str]) -> core.Protocol:
    """The protocol with texts replaced."""
    text = SPEC
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    made = read("protocol.yaml", "protocol.yaml", text.encode()).protocol
    assert made is not None
    return made


def scored(folder: Path, text: str, rows: dict[str, list[dict[str, Any]]]) -> Any:
    """What the other computation says of rows: that of `protoc score`."""
    folder.mkdir()
    (folder / "protocol.yaml").write_text(text, encoding="utf-8")
    (folder / "rows").mkdir()
    write(folder / "rows", rows)
    out, err = io.StringIO(), io.StringIO()
    status = main(
        ["score", str(folder / "protocol.yaml"), "--data", str(folder / "rows"), "--format", "json"],
        io.StringIO(),
        out,
        err,
    )
    assert out.getvalue(), (status, err.getvalue())
    return json.loads(out.getvalue())


CHANGES = [
    (("At least 3 sales", "At least 4 sales"), ("count(sales) >= 3", "count(sales) >= 4"), False),
    (("at most 30 s", "at most 31 s"), ("waits <= 30 s", "waits <= 31 s"), True),
    (("more than 5", "more than 4"), ("weight > 5", "weight > 4"), True),
]


@pytest.mark.parametrize(("words", "rule", "looser"), CHANGES, ids=["count", "mean", "sum"])
def test_a_case_is_one_by_the_other_computation_too(
    words: tuple[str, str], rule: tuple[str, str], looser: bool, tmp_path: Path
) -> None:
    trials = Trials(protocol(), protocol(words, rule))
    witness = trials.ask(VERDICT, looser=looser)
    assert witness is not None
    assert (witness.old, witness.new, witness.replayed) == (("FAIL", "PASS") if looser else ("PASS", "FAIL")) + (True,)
    changed = SPEC.replace(*words).replace(*rule)
    told = [scored(tmp_path / name, text, trials.shown) for name, text in (("old", SPEC), ("new", changed))]
    assert [one["verdict"] for one in told] == [witness.old, witness.new]
    assert Trials(protocol(), protocol(words, rule), work=150_000).ask(VERDICT, looser=not looser) is None


def test_of_two_that_mean_the_same_nothing_is_shown() -> None:
    same = protocol(("must: count(sales) >= 3", "must: not (count(sales) < 3)"))
    for looser in (True, False):
        assert Trials(protocol(), same, work=100_000).ask(VERDICT, looser=looser) is None


def test_without_work_nothing_is_tried() -> None:
    trials = Trials(protocol(), protocol(CHANGES[0][0], CHANGES[0][1]), work=0)
    assert trials.ask(VERDICT, looser=False) is None
    assert trials.work.trials <= 4


def test_other_tables_are_not_compared() -> None:
    with pytest.raises(Unfit):
        Trials(protocol(), protocol(("wait: s?", "wait: s?, more: int")))


def test_the_same_case_is_found_whatever_the_seed_of_hashes() -> None:
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); from unit.test_trials import *;"
        "t = Trials(protocol(), protocol(*CHANGES[2][:2])); w = t.ask(VERDICT, looser=True);"
        "print(w.text(), t.work.left, json.dumps(t.shown))"
    )
    found = set()
    for seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        command = [sys.executable, "-c", code, str(Path(__file__).parents[1])]
        found.add(subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout)
    assert len(found) == 1
    assert "calls" in found.pop()


def places(trials: Trials) -> set[tuple[str, str]]:
    """Everything that can be changed."""
    return set(trials.moves.places)


def test_every_change_leaves_rows_that_can_be_read_and_is_taken_back() -> None:
    made = protocol()
    trials, program = Trials(made, made), Program(made)
    rows = trials.start.copied()
    before, kinds = as_json(rows, made.tables), set()

    def tried(move: Move) -> None:
        move.make(rows)
        changed = as_json(rows, made.tables)
        assert changed != before
        assert program.read(Folder(changed).of(made), {}) == []
        kinds.add((move.place, "cells" if move.cells else "rows"))
        move.make(rows)
        assert as_json(rows, made.tables) == before

    for level in range(LEVELS):
        for at, move in enumerate(trials.moves.of(rows, level, places(trials))):
            if at % 5 == 0 or move.tables:
                tried(move)
    for move in (*trials.moves.fewer(rows, 2, places(trials)), trials.moves.larger(rows)):
        assert move is not None
        tried(move)
    assert {place for place, what in kinds if what == "rows"} >= {("agents", ""), ("calls", ""), ("calls.notes", "")}
    assert {place for place, what in kinds if what == "cells"} >= {
        ("calls", "wait"),
        ("marks", "mark"),
        ("calls", "agent"),
    }


def test_a_row_takes_along_what_belongs_to_it_and_a_reference_is_laid_elsewhere() -> None:
    made = protocol()
    trials = Trials(made, made)
    rows = trials.start.copied()
    agents = rows.tables["agents"]
    counts = {name: len(own) for name, own in rows.tables.items()}
    one = agents[0]
    calls = [call for call in rows.tables["calls"] if call.cells["agent"] is one]
    more = trials.moves.doubled(rows, trials.moves.tables["agents"], [one])
    assert more is not None
    more.make(rows)
    assert len(rows.tables["agents"]) == counts["agents"] + 1
    assert len(rows.tables["calls"]) == counts["calls"] + len(calls)
    assert len(rows.tables["marks"]) == counts["marks"] + 2 * len(calls)
    more.make(rows)
    trials.moves.dropped(rows, [one]).make(rows)
    assert len(rows.tables["marks"]) == counts["marks"] - 2 * len(calls)
    assert not [call for call in rows.tables["calls"] if call.cells["agent"] is one]


THREE = (True, False, None)


def test_a_measured_condition_has_the_outcome_of_a_plain_one() -> None:
    half, missing = support(), list(missed)
    for made, name in ((all_of, "all_of"), (any_of, "any_of")):
        for parts in itertools.product(THREE, repeat=3):
            assert made(*parts).state is half[name](*parts)
    for made, name in ((every, "every"), (none, "none")):
        for size in range(3):
            for parts in itertools.product(THREE, repeat=size):
                assert made(list(parts)).state is half[name](list(parts))
    for name, function in measured(half).items():
        if name in ("eq", "ne", "lt", "le", "gt", "ge"):
            for a, b in itertools.product((1, 2, 3, None), repeat=2):
                one = function(a, b)
                assert one.state is half[name](a, b)
                assert (one.yes == 0, one.no == 0) == (one.state is True, one.state is False)
    missed[:] = missing


def test_a_distance_gets_smaller_on_the_way() -> None:
    at_least = measured(support())["ge"]
    far = [at_least(value, 30).yes for value in (1, 10, 20, 29, 30)]
    assert far == sorted(far, reverse=True)
    assert far[-1] == 0
    one, other = Truth(False, 0.5, 0.0), truth(True)
    assert all_of(one, other).yes == 0.5
    assert not_(one).no == 0.5


@pytest.mark.parametrize("name", ["label-agreement", "web-claims"])
def test_a_study_is_released_somewhere(name: str) -> None:
    (path,) = [*FIELD.glob(f"{name}/protocol.yaml"), *FIELD.glob(f"authors/{name}/protocol.yaml")]
    made = read(str(path), str(path), path.read_bytes()).protocol
    assert made is not None
    trials = Trials(made, made, work=150_000)
    assert trials.ask(VERDICT, looser=True) is None  # a protocol differs from itself nowhere
    assert trials.kept, "no rows were found that it releases"


WIDE = """\
protoc: 1
protocol: {id: blocks, version: 1, title: Blocks}
data:
  tables:
    sides: {key: side, rows: [left, right, middle]}
    blocks:
      key: [block, side]
      unpivot:
        side: {left: l, right: r}
        columns: {hit: <side>_hit, cost: <side>_cost}
      columns: {block: int, side: SIDE, hit: bool?, cost: decimal}
gates:
  hit: {says: One is hit., must: some blocks have hit}
  cheap: {says: The mean of the squares is at most 2., must: mean(cost * cost over blocks where (hit) is true) <= 2}
verdict:
  - PASS when all gates have held
  - FAIL otherwise
report:
  released: [PASS]
"""


@pytest.mark.parametrize("side", ["[left, right]", "[left, right, null]", "sides", "text", "any"])
def test_rows_of_a_wide_file_are_tried_with_all_its_labels(side: str) -> None:
    """A name of their own tells blocks apart, and a label that no name stands for the rows of one."""
    texts = [WIDE.replace("SIDE", side), WIDE.replace("SIDE", side).replace("at most 2", "at most 3")]
    texts[1] = texts[1].replace("<= 2", "<= 3")
    sides = [read("protocol.yaml", "protocol.yaml", text.encode()).protocol for text in texts]
    assert sides[0] is not None
    assert sides[1] is not None
    trials = Trials(sides[0], sides[1])
    witness = trials.ask(VERDICT, looser=True)
    assert witness is not None
    assert (witness.old, witness.new) == ("FAIL", "PASS")
    columns = {"block", "l_hit", "l_cost", "r_hit", "r_cost"}
    assert all(row.keys() <= columns for row in trials.shown["blocks"])
    assert any(row.keys() == columns for row in trials.shown["blocks"])
