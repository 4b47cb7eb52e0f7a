"""What could be enforced around a subject, and how good the receipt's words then are."""

from __future__ import annotations

import io

import pytest

from e2e.provider_run import CASES, SPEC
from e2e.workspaces import write_rows
from protoc_compiler.cli import main
from protoc_runtime.chain import Line
from protoc_runtime.declared import Declared, load
from protoc_runtime.diagnostics import Refused
from protoc_runtime.receipt import Facts, LedgerFacts, RunFacts, predicate
from protoc_runtime.record import replace
from protoc_runtime.rendering import render
from protoc_runtime.subjects.walls import NOT_ASKED, PYTHON, SERVICE, SPACES, Walls
from protoc_runtime.surroundings import OPENED, no_rows, require_forced, walls_of

CLOSED, OPEN = Walls(True, SPACES), Walls(False, "no name spaces: Operation not permitted")
BLOCKERS = {"P1.1": False, "P1.2": False, "P1.4": False, "P1.8": False, "no_credential": False}


@pytest.fixture(scope="module")
def declared(tmp_path_factory) -> Declared:
    folder = tmp_path_factory.mktemp("ask")
    (folder / "protocol.yaml").write_text(SPEC.replace("COMMIT", "a" * 40))
    write_rows(folder / "cases.jsonl", CASES)
    out = io.StringIO()
    assert main(["compile", str(folder), "--out", str(folder / "generated")], io.StringIO(), out, out) == 0
    return load(folder / "generated" / "ask_v1" / "protocol.json")


def told(declared: Declared, walls: Walls | None) -> dict:
    """The receipt of a run in which the subject had these walls."""
    run = RunFacts("runs/x", "run", "", "score", ("heldout",), "2026-01-02T12:00:00Z", "2026-01-02T12:01:00Z")
    summary = {"verdict": "GOOD", "released": True, "metrics": {}, "blockers": BLOCKERS, "gates": {"enough": True}}
    ledger = LedgerFacts(7, "a" * 64, "b" * 64)
    return predicate(Facts(declared, run, summary, (), (), (), ledger, "c" * 64, {"python": "3.11"}, walls))


def events(*walls: Walls) -> list[Line]:
    """The events of launches with these walls."""
    bodies = [{"closed": each.closed, "how": each.how, "at": "2026-01-02T12:00:00Z"} for each in walls]
    return [Line(number, "0" * 64, OPENED, body, "1" * 64) for number, body in enumerate(bodies, 1)]


@pytest.mark.parametrize("walls", [CLOSED, OPEN, PYTHON, SERVICE])
def test_counters_of_calls_are_as_good_as_the_walls(declared, walls):
    receipt = told(declared, walls)
    expected = "recorded" if walls.closed else "attested"
    graded = {rule["name"]: rule.get("grade") for rule in receipt["rules"]}
    assert graded == {
        "P1.1": "recorded", "P1.2": "recorded", "P1.4": expected, "P1.8": "recorded", "no_credential": "recorded",
        "enough": None,
    }  # fmt: skip
    (claim,) = [claim for claim in receipt["claims"] if "went through the gateway" in claim["says"]]
    assert claim["grade"] == expected
    assert walls.how in claim["evidence"]
    page = render(receipt)
    assert f"| blocker P1.4 | did not fire | {expected}: ledger of generation |" in page


def test_without_a_subject_that_was_asked_nothing_is_claimed(declared):
    assert not [claim for claim in told(declared, None)["claims"] if "gateway" in claim["says"]]


def test_without_providers_nothing_is_claimed(declared):
    receipt = told(replace(declared, providers=()), NOT_ASKED)
    assert not [claim for claim in receipt["claims"] if "gateway" in claim["says"]]
    assert next(rule for rule in receipt["rules"] if rule["name"] == "P1.4")["grade"] == "recorded"


def test_the_worst_launch_of_a_run_counts():
    assert walls_of([]) is None
    assert walls_of(events(CLOSED)) == CLOSED
    assert walls_of(events(CLOSED, OPEN, CLOSED)) == OPEN


def test_a_run_that_read_nothing_has_empty_tables(declared):
    tables = no_rows(declared)
    assert {name: data.height for name, data in tables.items()} == {"splits": 1, "cases": 0, "results": 0}


def test_only_a_blocker_that_reads_the_provider_may_decide_a_stopped_run(declared):
    summary = {"released": False, "blockers": {**BLOCKERS, "no_credential": True}}
    require_forced(declared, summary, "no key")
    for other in ({**summary, "blockers": {**BLOCKERS, "P1.4": True}}, {**summary, "released": True}):
        with pytest.raises(Refused) as caught:
            require_forced(declared, other, "no key")
        assert [fault.id for fault in caught.value.diagnostics] == ["E1601"]
