"""Asks z3 (the extra `[prove]`): for numbers of rows without a bound, and where there is too much to enumerate.

The work is limited by z3's own count of resources, which does not depend on the machine. How long a product takes is a
matter of luck, and of the way: z3's core is done at once with much that keeps what z3 chooses for such formulas busy,
and the reverse. So a question is tried several times with little work and once with the rest, each time in both ways;
where a table has no known number of rows, first with few. Not all of z3 looks at its limit: the roots of huge numbers,
for one, it takes without end. So each try is made in a child process, which is ended after so much processor time, and
that way is not taken again. As each try begins where all others do, none depends on what was tried before.

The questions of a comparison share a limit, too, and what was answered once is not asked again.
"""

from __future__ import annotations

from fractions import Fraction
from functools import partial

from protoc_compiler.proof import nodes as n
from protoc_compiler.proof.apart import Ended, apart
from protoc_compiler.proof.ask import Engine, Outcome
from protoc_compiler.proof.question import Question, Values
from protoc_compiler.proof.reached import Wanted, bare
from protoc_runtime.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_SHARES = (*[Fraction(1, 8)] * 4, Fraction(1, 2))  # of a question's work: the parts that its tries have
_LEFT = "the solver was not done with the work that is allowed"
_NOT_ASKED = "the solver was not asked, for it has done the work that is allowed for one comparison"
INSTALL = "pip install 'evalprotoc[prove]'"


@record
class Limits:
    """What z3 is allowed. Work is in its own units: mostly it does two to four million of them in a second."""

    question: int = 20_000_000
    rules: int = 60_000_000  # all questions of a comparison about single rules: none is begun when that is done
    verdict: int = 60_000_000  # those about the verdict
    seconds: int = 10  # of processor time for one try: those that found something took up to three
    memory: int = 2 << 30  # bytes for one try: they took a tenth of it
    ended: int = 20_000_000  # as how much work a try that had to be ended counts among the questions of a comparison


def available() -> bool:
    """Whether z3 is installed."""
    from importlib.util import find_spec

    return find_spec("z3") is not None


class Solver:
    """What z3 is asked in one comparison."""

    def __init__(self, limits: Limits | None = None) -> None:
        self.limits = limits or Limits()
        self.left = {"rules": self.limits.rules, "verdict": self.limits.verdict}
        self.known: dict[tuple[Engine, tuple[tuple[int, int], ...]], Outcome] = {}

    def solve(self, engine: Engine, wanted: Wanted, about: str = "verdict") -> Outcome:
        """Whether these outcomes can occur together, as far as the engine's features tell; `about`: whose work it
        is, that of the `rules` or that of the `verdict`."""
        key = engine, tuple(sorted(bare(engine.space, wanted).items()))
        if key not in self.known:
            if self.left[about] <= 0:
                return Outcome("open", None, _NOT_ASKED)
            self.known[key], work = _asked(engine, wanted, self.limits)
            self.left[about] -= work
        return self.known[key]


def _asked(engine: Engine, wanted: Wanted, limits: Limits) -> tuple[Outcome, int]:
    """What z3 finds, and the work that it took."""
    question = Question(engine)
    core, chosen = question.put({**dict.fromkeys(engine.model.constraints, n.TRUE), **wanted})
    few = question.few()
    ways: dict[str, tuple[Any, list[Any]]] = {"few": (core, few)} if few else {}
    ways |= {"core": (core, []), "chosen": (chosen, [])}
    ended: list[str] = []
    work = 0
    for seed, share in enumerate(_SHARES):
        left = int(limits.question * share)
        for at, (name, way) in enumerate(tries := [*ways.items()]):
            resources = left // (len(tries) - at)
            try:
                this = partial(_tried, question, *way, seed, resources)
                state, values, used = apart(this, limits.seconds, limits.memory)
            except Ended as why:
                ended.append(str(why))
                left, work = left - resources, work + limits.ended
                del ways[name]  # what takes without end does so again
                continue
            left, work = left - used, work + used
            if values is not None:
                return Outcome("possible", question.possible(values)), work
            if state == "unsat" and name != "few":
                return Outcome("impossible"), work
            if state == "unsat":
                del ways[name]
    return _open(ended), work


def _open(ended: list[str]) -> Outcome:
    tries = "".join(f"; a try was ended early: {why}" for why in dict.fromkeys(ended))
    return Outcome("open", None, _LEFT + tries)


def _tried(
    question: Question, solver: Any, assumed: list[Any], seed: int, resources: int
) -> tuple[str, Values | None, int]:
    """What z3 finds, the values if there are any, and the work it took."""
    z3 = question.z3
    solver.set("random_seed", seed)
    solver.set("rlimit", resources)
    before = _work(solver)
    try:
        found = solver.check(*assumed)
    except z3.Z3Exception as why:
        if "out of memory" in str(why):
            raise MemoryError from None
        raise
    return str(found), question.values(solver.model()) if found == z3.sat else None, _work(solver) - before


def _work(solver: Any) -> int:
    """The units of work that z3 has done."""
    told = solver.statistics()
    return int(told.get_key_value("rlimit count")) if "rlimit count" in told.keys() else 0  # noqa: SIM118 - no mapping
