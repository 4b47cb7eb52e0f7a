"""One question as z3's formulas.

Every class of rows is a whole number that is not negative; of groups each has its own. A condition has two truth
values: that it is true, that it is false; it is undefined where it has neither. Each question has a context of its own:
in one that they share, what was asked before decides how long the next takes. z3's search over real numbers (`nra`) is
left out, for it does not look at the limit of its work.
"""

from __future__ import annotations

from protoc_compiler.proof import nodes as n
from protoc_compiler.proof.ask import Engine, Possible
from protoc_compiler.proof.conditions import Given
from protoc_compiler.proof.reached import Wanted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeAlias

FEW = 60  # rows of a table without a known number, tried first so that a witness is readable
Both: TypeAlias = "tuple[Any, Any]"  # true, false
Values: TypeAlias = (
    "tuple[tuple[tuple[int, ...], ...], tuple[int, ...], Given, int]"  # of groups, of all, of the rest; errors
)


class Question:
    def __init__(self, engine: Engine) -> None:
        import z3

        self.z3: Any = z3
        self.context = z3.Context()
        self.engine, self.space = engine, engine.space
        self.known: dict[tuple[int, int], Both] = {}
        self.terms: dict[int, Any] = {}
        self.sides: list[Any] = []
        self.groups = engine.groups
        self.rows: dict[str, list[list[Any]]] = {}  # by table and group (one if there are none): a number of each class
        for root, population in engine.model.populations.items():
            many = self.groups.number if self.groups is not None and self.groups.root == root else 1
            self.rows[root] = [
                [z3.Int(f"{root}.{group}.{at}", self.context) for at in range(len(population.classes))]
                for group in range(many)
            ]
            self.sides += [number >= 0 for group in self.rows[root] for number in group]
            whole = engine.model.total(root)
            if whole is not None:  # follows from what is expected; without it z3 can lose itself in products of counts
                self.sides += [number <= whole for group in self.rows[root] for number in group]

    def put(self, wanted: Wanted) -> list[Any]:
        """Two solvers that have been told what is wanted: the core of z3, and what z3 chooses for such formulas."""
        z3 = self.z3
        formulas = []
        for node, outcomes in wanted.items():
            is_true, is_false = self.both(node, -1)
            parts = {n.TRUE: is_true, n.FALSE: is_false, n.UNDEFINED: self._every(z3.Not(is_true), z3.Not(is_false))}
            formulas.append(self._some([part for bit, part in parts.items() if outcomes & bit]))
        solvers = [z3.SimpleSolver(ctx=self.context), z3.Solver(ctx=self.context)]
        for solver in solvers:
            solver.set("arith.nl.nra", False)
            solver.add(*formulas, *self.sides)
        return solvers

    def few(self) -> list[Any]:
        """That the tables without a known number of rows have few; empty if there is no such table."""
        return [sum(self._all(root)) <= FEW for root in self._open()]

    def _open(self) -> list[str]:
        return [root for root, one in self.engine.model.populations.items() if not one.bounded]

    def _all(self, root: str) -> list[Any]:
        return [number for group in self.rows[root] for number in group]

    def _every(self, *parts: Any) -> Any:
        return self.z3.And(*parts, self.context)

    def _some(self, *parts: Any) -> Any:
        return self.z3.Or(*parts, self.context)

    def _told(self, known: Any) -> Any:
        """A condition that needs no counts as one of z3's."""
        return self.z3.BoolVal(known, self.context) if isinstance(known, bool) else known

    # --- conditions -----------------------------------------------------------------------------------------

    def both(self, number: int, group: int) -> Both:
        """When a node is true and when false, for all rows (-1) or in one group."""
        key = (number, group)
        if key not in self.known:
            node = self.space.nodes.all[number]
            self.known[key] = getattr(self, f"_{node[0]}")(number, group, *node[1:])
        return self.known[key]

    def _const(self, number: int, group: int, outcome: int) -> Both:
        return self._told(outcome == n.TRUE), self._told(outcome == n.FALSE)

    def _and(self, number: int, group: int, *parts: int) -> Both:
        made = [self.both(part, group) for part in parts]
        return self._every([one for one, _ in made]), self._some([other for _, other in made])

    def _or(self, number: int, group: int, *parts: int) -> Both:
        made = [self.both(part, group) for part in parts]
        return self._some([one for one, _ in made]), self._every([other for _, other in made])

    def _not(self, number: int, group: int, part: int) -> Both:
        is_true, is_false = self.both(part, group)
        return is_false, is_true

    def _in(self, number: int, group: int, part: int, outcomes: int) -> Both:
        z3 = self.z3
        is_true, is_false = self.both(part, group)
        parts = {n.TRUE: is_true, n.FALSE: is_false, n.UNDEFINED: self._every(z3.Not(is_true), z3.Not(is_false))}
        held = self._some([one for bit, one in parts.items() if outcomes & bit])
        return held, z3.Not(held)

    def _choice(self, number: int, group: int, test: int, then: int, otherwise: int) -> Both:
        taken, left = self.both(test, group)
        (a, b), (c, d) = self.both(then, group), self.both(otherwise, group)
        return self._some(self._every(taken, a), self._every(left, c)), self._some(
            self._every(taken, b), self._every(left, d)
        )

    def _sign(self, number: int, group: int, poly: n.Poly, op: str) -> Both:
        total: Any = 0
        for monomial, factor in poly:
            part: Any = factor
            for symbol in monomial:
                count = self._count(symbol, group)
                if count is None:
                    return self._atom(number, group, 0, n.KNOWN)
                part = part * count
            total = total + part
        held = total == 0 if op == "==" else total <= 0
        held = self._told(held)
        return held, self.z3.Not(held)

    def _count(self, symbol: int, group: int) -> Any:
        one = self.space.symbols[symbol]
        if one.groups >= 0:
            if self.groups is None or one.scope != self.groups.grouping:
                return None
            inside = [self.both(one.groups, at)[0] for at in range(self.groups.number)]
            return sum([self.z3.If(held, 1, 0) for held in inside])
        population = self.engine.model.populations.get(one.root)
        if population is None or symbol not in population.tests or (one.scope and group < 0):
            return None
        rows = self.rows[one.root] if group < 0 else [self.rows[one.root][group]]
        chosen = [
            group_rows[at]
            for group_rows in rows
            for at, kind in enumerate(population.classes)
            if symbol in kind.symbols
        ]
        return self.z3.Sum(chosen) if chosen else 0

    def _group(self, number: int, group: int, grouping: str, quantifier: str, kept: int, held: int) -> Both:
        z3 = self.z3
        if self.groups is None or grouping != self.groups.grouping or not self.groups.told(number):
            return self._atom(number, group, 0, n.ANYTHING)
        inside = [(self.both(kept, at)[0], *self.both(held, at)) for at in range(self.groups.number)]
        if quantifier == "all":
            some = self._some([keep for keep, _, _ in inside])
            every = self._every([z3.Implies(keep, is_true) for keep, is_true, _ in inside])
            return self._every(some, every), self._some([self._every(keep, is_false) for keep, _, is_false in inside])
        none = self._every([z3.Implies(keep, is_false) for keep, _, is_false in inside])
        return self._some([self._every(keep, is_true) for keep, is_true, _ in inside]), none

    def _atom(self, number: int, group: int, _: int, outcomes: int) -> Both:
        z3 = self.z3
        is_true, is_false = (z3.Bool(f"{told}.{number}", self.context) for told in ("true", "false"))
        self.sides.append(z3.Not(self._every(is_true, is_false)))
        if not outcomes & n.UNDEFINED:
            self.sides.append(self._some(is_true, is_false))
        return is_true, is_false

    def _term(self, number: int, group: int, index: int, _: object) -> Both:
        z3 = self.z3
        domain = self.space.term_domain(index)
        if index not in self.terms:
            self.terms[index] = z3.Int(f"term.{index}", self.context)
            self.sides += [self.terms[index] >= 0, self.terms[index] < len(domain)]
        test = self.space.term_tests[number]
        seen = [test((None,) * index + (value,)) for value in domain]
        return tuple(
            self._some([self.terms[index] == at for at, value in enumerate(seen) if value is wanted])
            for wanted in (True, False)
        )

    # --- what was found -------------------------------------------------------------------------------------

    def values(self, model: Any) -> Values:
        """What a model says, without z3's own objects."""

        def value(number: Any) -> int:
            """The whole number that the model gives a symbol; 0 for one that it leaves free."""
            return int(model.eval(number, model_completion=True).as_long())

        found = {root: [[value(number) for number in group] for group in groups] for root, groups in self.rows.items()}
        point, errors = [], 0
        for (root, kind, what), weight in zip(self.engine.model.names, self.engine.model.weights, strict=True):
            rows = sum(group[what] for group in found[root]) if kind == "class" else value(self._count(what, -1))
            point.append(rows)
            errors += rows * weight
        vectors: list[tuple[int, ...]] = []
        if self.groups is not None:
            for group in found[self.groups.root]:
                vector = [0] * len(self.groups.classes)
                for at, rows in enumerate(group):
                    vector[self.groups.class_of[at]] += rows
                vectors.append(tuple(vector))
        return tuple(vectors), tuple(point), self._given(model), errors

    def possible(self, values: Values) -> Possible:
        """The counts of which these are the values."""
        vectors, point, given, errors = values
        return Possible(self.engine.model, vectors, self.groups, point, given, errors)

    def _given(self, model: Any) -> Given:
        made: Given = {}
        for (number, _), (is_true, is_false) in self.known.items():
            if self.space.nodes.all[number][0] in ("atom", "sign", "group") and str(is_true) == f"true.{number}":
                held, denied = (self.z3.is_true(model.eval(one, model_completion=True)) for one in (is_true, is_false))
                made["atom", number] = n.TRUE if held else n.FALSE if denied else n.UNDEFINED
        for index, chosen in self.terms.items():
            at = int(model.eval(chosen, model_completion=True).as_long())
            made["term", index] = (self.space.term_domain(index)[at],)
        return made
