"""Verdict lines that no run can reach: a search over what each rule and condition may be.

Every condition that is not built with and, or, not or `is` is an atom that may be true, false or (where it is not
proved defined) undefined, independently of the others but those that compare the same number with constants. If no
assignment reaches a line, no run does. The converse does not hold: atoms may depend on each other in other ways, and
then a line that is reachable here may still be unreachable.
"""

from __future__ import annotations

from protoc_compiler import core
from protoc_compiler.analysis.related import Related
from protoc_compiler.analysis.shapes import shape
from protoc_compiler.catalogue import analysis as kinds
from protoc_compiler.decided import Decider, decider_of
from protoc_compiler.elaborate.context import Context
from protoc_compiler.facts import Facts
from protoc_compiler.spec import FirstMatch
from protoc_runtime.diagnostics import Span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias, TypeGuard

Known: TypeAlias = "dict[int, bool | None]"  # atoms by their numbers
Holds: TypeAlias = "Callable[[Known], object]"

_BUDGET = 4_000
_FEW = 64  # atoms that one try can look at for one of the budget
Open = object()  # not assigned yet


def check(protocol: core.Protocol, el: Context) -> None:
    """Report unreachable lines of the main verdict and of the named ones."""
    decider = decider_of(protocol)
    for item in protocol.items:
        if item.space in ("verdict", "verdicts") and isinstance(item.expr, core.Choose) and not item.per:
            _lines(decider, el, item, item.expr)


def _lines(decider: Decider, el: Context, item: core.Item, value: core.Choose) -> None:
    earlier: list[core.Expr] = []
    tests: list[core.Expr | None] = [test for test, _ in value.lines]
    for index, test in enumerate([*tests, None]):
        wanted = [core.Not(core.BOOL, core.Is(core.BOOL, condition, "true")) for condition in earlier]
        goal: core.Expr = core.And(core.BOOL, (*wanted, *((test,) if test is not None else ())))
        numbers = test is not None  # every list ends in `otherwise`, also one whose bands cover all numbers
        if (wanted or test is not None) and Search(decider, goal, numbers=numbers).possible() is False:
            reason = "the lines before it take every case" if earlier else "its condition contradicts itself"
            el.findings.add(kinds.UNREACHABLE, place(el, item, index), reason=reason)
        if test is not None:
            earlier.append(test)


def place(el: Context, item: core.Item, index: int) -> Span:
    """Where a line of a verdict stands."""
    bodies = [verdict.body for verdict in el.spec.verdicts if verdict.name and verdict.name.text == item.name]
    body = el.spec.verdict.body if item.space == "verdict" else bodies[0]
    if isinstance(body, FirstMatch):
        return body.lines[index].span
    return item.span or el.spec.title.span


def _tests_truth(value: core.Expr) -> TypeGuard[core.Is]:
    return isinstance(value, core.Is) and value.state in ("true", "false")


def _has_default(value: core.Expr) -> TypeGuard[core.Default]:
    return isinstance(value, core.Default) and value.type.kind == "bool"


class Search:
    """Whether some assignment of the atoms makes a condition true: None when the budget ends first."""

    def __init__(self, decider: Decider, goal: core.Expr, *, numbers: bool = True) -> None:
        self.decider = decider
        self.goal = goal
        self.atoms: dict[core.Expr, tuple[bool | None, ...]] = {}
        self.same: dict[str, core.Expr] = {}  # by shape, the atom that stands for all of it
        self.related = Related(decider) if numbers else None
        self.left = _BUDGET
        self._collect(goal)
        self.numbers = {atom: number for number, atom in enumerate(self.atoms)}
        self.holds = self._compiled(goal)
        self.alike: dict[str | None, list[tuple[int, core.Expr]]] = {None: []}  # atoms that compare the same number
        for atom, number in self.numbers.items():
            compared = self.related.compared(atom) if self.related is not None else None
            if compared is not None:
                self.alike.setdefault(compared, []).append((number, atom))
        self.cost = 1 + len(self.atoms) // _FEW  # of a try: each looks at all atoms, and goes one deeper

    def possible(self) -> bool | None:
        """True, False, or None when the budget has ended first."""
        return self._try({}, list(self.atoms.items()))

    def _collect(self, value: core.Expr) -> None:
        if isinstance(value, (core.And, core.Or)):
            for part in value.parts:
                self._collect(part)
        elif isinstance(value, core.Not) or _tests_truth(value) or _has_default(value):
            self._collect(value.operand)
        elif not isinstance(value, core.Const) and self._atom(value) is value and value not in self.atoms:
            doubtful = self.decider.doubt(value, Facts()) is not None
            self.atoms[value] = (True, False, None) if doubtful else (True, False)

    def _atom(self, value: core.Expr) -> core.Expr:
        return self.same.setdefault(shape(value), value)

    def _try(self, known: Known, open_atoms: list[tuple[core.Expr, tuple[bool | None, ...]]]) -> bool | None:
        self.left -= self.cost
        if self.left < 0:
            return None
        now = self.holds(known)
        if now is not Open:
            return now is True
        (atom, values), rest = open_atoms[0], open_atoms[1:]
        number, undecided = len(known), False  # atoms are decided in their order
        for value in values:
            if self._contradicts(atom, value, known):
                continue
            found = self._try({**known, number: value}, rest)
            if found:
                return True
            undecided = undecided or found is None
        return None if undecided else False

    def _contradicts(self, atom: core.Expr, value: bool | None, known: Known) -> bool:
        related = self.related
        if related is None:
            return False
        alike = self.alike[related.compared(atom)]
        return not all(related.together(atom, value, other, known[at]) for at, other in alike if at < len(known))

    def _compiled(self, value: core.Expr) -> Holds:
        """What a condition is where some atoms are known: it is asked for with each try, and walked through once."""
        if isinstance(value, core.Const):
            constant = value.value
            return lambda known: constant
        if isinstance(value, core.Not):
            return _negated(self._compiled(value.operand))
        if _tests_truth(value):
            return _tested(self._compiled(value.operand), value.state == "true")
        if _has_default(value):
            return _defaulted(self._compiled(value.operand), self._compiled(value.value))
        if isinstance(value, (core.And, core.Or)):
            return _joined([self._compiled(part) for part in value.parts], isinstance(value, core.Or))
        number = self.numbers.get(self._atom(value), -1)
        return lambda known: known.get(number, Open)


def _negated(inner: Holds) -> Holds:
    def holds(known: Known) -> object:
        """The contrary."""
        found = inner(known)
        return found if found is None or found is Open else not found

    return holds


def _tested(inner: Holds, state: bool) -> Holds:
    def holds(known: Known) -> object:
        """Whether it is this, and not undefined."""
        found = inner(known)
        return found if found is Open else found is state

    return holds


def _defaulted(inner: Holds, default: Holds) -> Holds:
    def holds(known: Known) -> object:
        """The default where it is undefined."""
        found = inner(known)
        return default(known) if found is None else found

    return holds


def _joined(parts: list[Holds], deciding: bool) -> Holds:
    def holds(known: Known) -> object:
        """The conjunction, or where true decides the disjunction."""
        is_open = undefined = False
        for part in parts:
            found = part(known)
            if found is deciding:
                return deciding
            is_open = is_open or found is Open
            undefined = undefined or found is None
        return Open if is_open else None if undefined else not deciding

    return holds
