"""What z3 is asked: how its work is limited, that it always ends, and that nothing is asked twice."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest

from protoc_compiler import core, proof
from protoc_compiler.proof import nodes as n
from protoc_compiler.proof import solver
from protoc_compiler.proof.ask import Engine
from protoc_compiler.proof.compare import Pair
from protoc_compiler.proof.reached import Wanted, bare
from protoc_compiler.proof.solver import Limits, Solver
from unit.small import examine, spec

pytestmark = pytest.mark.skipif(not solver.available(), reason="z3 is not installed")

GATE = "  enough: {says: Accuracy at least 75%., must: accuracy >= 75%}"
FREE = ("      expect:\n        - count(cases) == 96\n", "")
COUNTS = """\
tp: count(cases where kind == hard and good)
fn: count(cases where kind == hard and not good)
fp: count(cases where kind == easy and not good)
tn: count(cases where kind == easy and good)
"""
KAPPA = "((2 * (tp * tn - fn * fp)) / ((tp + fp) * (fp + tn) + (tp + fn) * (fn + tn)) >= 0.6) is true"
MCC = (
    "((tp * tn - fp * fn) ^ 2 / ((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)) >= 0.6 * 0.6) is true"
    " and tp * tn > fp * fn"
)
OPEN = "the solver was not done with the work that is allowed"
NOT_ASKED = "the solver was not asked, for it has done the work that is allowed for one comparison"


def one(*musts: str) -> core.Protocol:
    """The small protocol with other gates, and without a word on how many cases there are."""
    said = [", ".join(re.findall(r"[0-9.]+", must)) for must in musts]
    gates = "\n".join(f'  gate_{at}: {{says: "So of {said[at]}.", must: {must}}}' for at, must in enumerate(musts))
    made = examine(spec(definitions=COUNTS, changes=((GATE, gates), FREE)))
    assert made.protocol is not None, [item.message for item in made.findings]
    return made.protocol


def question(pair: Pair, name: str = "gate_0") -> tuple[Engine, Wanted]:
    """The first question about a gate: what holds only before."""
    before, after = pair.old.good("gates", name), pair.new.good("gates", name)
    engine = pair.engine(next(pair.levels(before, after)))
    assert engine is not None
    return engine, {before: n.TRUE, after: n.FALSE}


@pytest.fixture(scope="module")
def hopeless() -> Pair:
    """Kappa against Matthews' coefficient for any number of rows: z3 does not decide it."""
    return Pair(one(KAPPA), one(MCC))


def test_a_question_has_the_work_that_is_allowed_and_no_more(hopeless: Pair) -> None:
    made = Solver(Limits(question=1_200_000))
    found = made.solve(*question(hopeless))
    assert (found.state, found.reason) == ("open", OPEN)
    assert 0.9 < (made.limits.verdict - made.left["verdict"]) / 1_200_000 <= 1


def test_a_question_that_does_not_end_is_ended_and_told(hopeless: Pair) -> None:
    """Its work is allowed to go on for minutes, as if z3 did not look at its limit."""
    made = Solver(Limits(question=4_000_000_000, seconds=1))
    found = made.solve(*question(hopeless))
    assert found.state == "open"
    assert found.reason == f"{OPEN}; a try was ended early: it was not done after 1 s of processor time"
    assert made.left["verdict"] <= made.limits.verdict - 3 * made.limits.ended  # few rows, and two ways for any number


LITTLE = """
from unit.test_proof_solver import KAPPA, MCC, Limits, Pair, Solver, one, question
found = Solver(Limits(question=3_000_000, memory=1 << 20)).solve(*question(Pair(one(KAPPA), one(MCC))))
print(found.state, found.reason)
"""


def test_a_question_that_needs_too_much_memory_is_ended_and_told() -> None:
    """In a new process, which has nothing left of what others gave back."""
    done = subprocess.run(
        [sys.executable, "-c", LITTLE],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"open {OPEN}; a try was ended early: it needs more than 1 MiB of memory")


def test_a_fault_in_the_child_is_a_failure_and_no_answer(hopeless: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    from protoc_compiler.proof.apart import FailedApart
    from protoc_compiler.proof.question import Question

    engine, wanted = question(Pair(one("tp >= 70"), one("tp >= 80")))
    monkeypatch.setattr(Question, "values", lambda self, model: model.no_such_thing)
    with pytest.raises(FailedApart, match=r"(?s)Traceback.*no_such_thing"):
        Solver().solve(engine, wanted)


def test_that_few_rows_do_not_do_it_is_no_proof() -> None:
    found = Solver().solve(*question(Pair(one("tp >= 100"), one("tp >= 200"))))
    assert found.state == "possible"
    assert found.found is not None
    assert 100 <= sum(found.found.rows()["cases"]) < 200 + 60


def test_without_fork_the_answers_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "fork")
    pairs = [Pair(one("tp >= 100"), one("tp >= 200")), Pair(one("tp >= 2 * fn"), one("tp >= fn"))]
    assert [Solver().solve(*question(pair)).state for pair in pairs] == ["possible", "impossible"]


def test_what_a_gate_and_the_verdict_ask_alike_is_asked_once() -> None:
    pair = Pair(one("tp >= 3 * fn"), one("tp >= 2 * fn"), replay=False)
    found = pair.compared()
    (rule,) = found.rules
    assert (rule.looser.state, rule.stricter.state) == ("possible", "no")
    assert (found.verdict.looser.state, found.verdict.stricter.state) == ("possible", "no")
    made = pair.asked
    assert made.left["rules"] < made.limits.rules
    assert made.left["verdict"] == made.limits.verdict


def test_where_another_gate_stands_beside_the_verdict_is_asked_for_itself() -> None:
    pair = Pair(one("tp >= 3 * fn", "tn > fp"), one("tp >= 2 * fn", "tn > fp"), replay=False)
    assert pair.compared().verdict.stricter.state == "no"
    made = pair.asked
    assert made.left["verdict"] < made.limits.verdict


def test_a_comparison_has_a_limit_too_and_the_verdict_has_its_own() -> None:
    old, new = one("tp >= 3 * fn", "tn > 3 * fp"), one("tp >= 2 * fn", "tn > 2 * fp")
    found = Pair(old, new, replay=False, limits=Limits(rules=1)).compared()
    first, second = found.rules
    assert first.stricter.state == "no"  # the first question was begun
    assert (second.stricter.state, second.stricter.reason) == ("unknown", NOT_ASKED)
    assert found.verdict.stricter.state == "no"
    assert NOT_ASKED in second.text()


def test_a_whole_depends_on_its_parts() -> None:
    pair = Pair(one("tp >= 3 * fn", "tn > fp"), one("tp >= 2 * fn", "tn > fp"))
    released, gates = pair.new.released, [pair.new.good("gates", f"gate_{at}") for at in (0, 1)]
    assert bare(pair.space, {released: n.TRUE}) == bare(pair.space, dict.fromkeys(gates, n.TRUE))
    assert bare(pair.space, {released: n.FALSE}) != bare(pair.space, dict.fromkeys(gates, n.FALSE))
    alone = Pair(one("tp >= 3 * fn"), one("tp >= 2 * fn"))
    released, gate = alone.new.released, alone.new.good("gates", "gate_0")
    assert released != gate
    for outcomes in (n.TRUE, n.FALSE):
        assert bare(alone.space, {released: outcomes}) == bare(alone.space, {gate: outcomes})
    assert bare(alone.space, {released: n.TRUE}) != bare(alone.space, {gate: n.FALSE})


def test_a_report_says_that_the_solver_was_ended() -> None:
    pair = Pair(one(KAPPA), one(MCC), replay=False, limits=Limits(question=4_000_000_000, seconds=1))
    (rule,) = pair.compared().rules
    assert "a try was ended early: it was not done after 1 s of processor time" in rule.text()


def test_proofs_that_one_way_alone_finds() -> None:
    """z3's core is done at once with a formula that keeps busy what z3 chooses for it, and the reverse."""
    (stricter,) = proof.compare(one(MCC.replace("0.6 * 0.6", "0.5")), one(MCC.replace("0.6 * 0.6", "0.51"))).rules
    assert (stricter.looser.state, stricter.status) == ("no", "witness")
