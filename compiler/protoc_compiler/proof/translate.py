"""From closed formulas to nodes over counts.

What can be said as counts of rows becomes polynomials over symbols (see `counting`); a value that is only compared
with constants becomes a *term* with few values; everything else becomes an *atom*, of which nothing is known but its
outcomes. Equal formulas of two protocols become the same atom.
"""

from __future__ import annotations

from fractions import Fraction

from protoc_compiler import core
from protoc_compiler.proof import nodes as n
from protoc_compiler.proof.closing import Closing, canonical
from protoc_compiler.proof.counting import Counting, Unsupported
from protoc_compiler.proof.features import may_be_undefined
from protoc_compiler.proof.space import Number, Space, Within

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Translator(Counting):
    """Translates the formulas of one protocol into a space that two may share."""

    def __init__(self, space: Space, closing: Closing) -> None:
        super().__init__(space)
        self.closing = closing
        for table in closing.protocol.tables:
            if table.kind in ("grouped", "listed"):
                closing.named(table.name)
        space.groupings |= closing.groupings
        space.listed |= closing.listed

    def item(self, space: str, name: str) -> int:
        """The node of a study-level rule."""
        return self.condition(self.closing.item(space, name))

    def condition(self, value: core.Expr, within: Within | None = None) -> int:
        """The node of a condition; Unsupported is raised for one about a group that its counts do not tell."""
        key = (value, within)
        known = self.space.known
        if key not in known:
            known[key] = self._condition(value, within)
        return known[key]

    # --- conditions -----------------------------------------------------------------------------------------

    def _condition(self, value: core.Expr, within: Within | None) -> int:
        match value:
            case core.Const():
                constants = {True: self.nodes.true, False: self.nodes.false, None: self.nodes.undefined}
                return constants[value.value]  # type: ignore[index]
            case core.And():
                return self.nodes.both(*[self.condition(part, within) for part in value.parts])
            case core.Or():
                return self.nodes.either(*[self.condition(part, within) for part in value.parts])
            case core.Not():
                return self.nodes.negated(self.condition(value.operand, within))
            case core.Is():
                return self._is(value, within)
            case core.Default():
                inner = self.condition(value.operand, within)
                known = self.nodes.outcome(inner, n.KNOWN)
                return self.nodes.choice(known, inner, self.condition(value.value, within))
            case core.Choose():
                made = self.condition(value.otherwise, within)
                for test, given in reversed(value.lines):
                    made = self.nodes.choice(self.condition(test, within), self.condition(given, within), made)
                return made
            case core.InRange():
                low = core.Compare(core.BOOL, (value.low, value.item), ("<=",))
                high = core.Compare(core.BOOL, (value.item, value.high), ("<=",))
                return self.nodes.both(self.condition(low, within), self.condition(high, within))
            case core.Compare(ops=(op,)):
                return self._compare(value, op, within)
            case core.Quantified():
                counted = self._quantified(value, within)
                return counted if counted is not None else self._opaque(value, within)
        return self._opaque(value, within)

    def _is(self, value: core.Is, within: Within | None) -> int:
        if value.state in ("true", "false"):
            inner = self.condition(value.operand, within)
            return self.nodes.outcome(inner, n.TRUE if value.state == "true" else n.FALSE)
        defined = self._defined(value.operand, within)
        return defined if value.state == "defined" else self.nodes.negated(defined)

    def _defined(self, value: core.Expr, within: Within | None) -> int:
        if value.type.kind == "bool":
            return self.nodes.outcome(self.condition(value, within), n.KNOWN)
        number = self.number(value, within)
        if number is not None:
            return self.nodes.both(*number.defined)
        return self._opaque(core.Is(core.BOOL, value, "defined"), within)

    def _compare(self, value: core.Compare, op: str, within: Within | None) -> int:
        left, right = value.operands
        for at, side in enumerate((left, right)):
            split = self._split(value, at, side, within)
            if split is not None:
                return split
        ranked = self._ranked(left, op, right, within)
        if ranked is not None:
            return ranked
        a, b = self.number(left, within), self.number(right, within)
        if a is not None and b is not None:
            return self._sign(a, op, b)
        if within is None:
            term = self._term(value, left, op, right)
            if term is not None:
                return term
        return self._opaque(value, within)

    def _split(self, value: core.Compare, at: int, side: core.Expr, within: Within | None) -> int | None:
        """A comparison of what is chosen is the choice of comparisons."""

        def compared(other: core.Expr) -> int:
            """The node of the comparison with another formula in the place of the chosen side."""
            operands = (other, value.operands[1]) if at == 0 else (value.operands[0], other)
            if isinstance(other, core.Const) and other.value is None:
                return self.nodes.undefined
            if all(isinstance(part, core.Const) for part in operands):
                return self._constants(operands, value.ops[0])
            return self.condition(core.Compare(core.BOOL, operands, value.ops), within)

        if isinstance(side, core.Choose):
            made = compared(side.otherwise)
            for test, given in reversed(side.lines):
                made = self.nodes.choice(self.condition(test, within), compared(given), made)
            return made
        if isinstance(side, core.Default):
            defined = self._defined(side.operand, within)
            return self.nodes.choice(defined, compared(side.operand), compared(side.value))
        return None

    def _constants(self, operands: tuple[core.Expr, ...], op: str) -> int:
        known: list[Any] = [part.value for part in operands if isinstance(part, core.Const)]
        a, b = known
        held = a == b if op == "==" else a < b if op == "<" else a <= b
        return self.nodes.true if held else self.nodes.false

    def _sign(self, a: Number, op: str, b: Number) -> int:
        """a op b: (a.above * b.below - b.above * a.below) op 0, where the divisors are positive."""
        left, right = n.times(dict(a.above), dict(b.below)), n.times(dict(b.above), dict(a.below))
        difference = n.plus(left, right, -1)
        for below in (dict(a.below), dict(b.below)):
            if any(value < 0 for value in below.values()):
                difference = n.times(difference, below)
        made = self.nodes.sign(difference, op)
        defined = self.nodes.both(*a.defined, *b.defined)
        return self.nodes.choice(defined, made, self.nodes.undefined)

    def _term(self, value: core.Compare, left: core.Expr, op: str, right: core.Expr) -> int | None:
        """A study-level value that is compared with a constant."""
        constants = [side for side in (left, right) if isinstance(side, core.Const)]
        if len(constants) != 1:
            return None
        test, used = self.space.terms.test(value)
        if len(used) != 1:
            return None
        (index,) = used
        feature = next(f for f in self.space.terms.known.values() if f.index == index)
        if feature.value == value:
            return self._opaque(value, None)
        made = self.nodes.add("term", index, canonical(value, "self"))
        self.space.term_tests[made] = test
        return made

    def _opaque(self, value: core.Expr, within: Within | None) -> int:
        if within is not None:
            raise Unsupported
        return self.space.atom(canonical(value, ""), may_be_undefined(value, self.space.tables))

    # --- rows -----------------------------------------------------------------------------------------------

    def _quantified(self, value: core.Quantified, within: Within | None) -> int | None:
        assert value.condition is not None
        if value.rows.table in self.space.groupings and within is None:
            return self._groups(value)
        counted = self.scope(value.rows, within)
        if counted is None:
            return None
        is_true, is_false, is_open = (
            core.Is(core.BOOL, value.condition, "true"),
            core.Is(core.BOOL, value.condition, "false"),
            core.Is(core.BOOL, value.condition, "undefined"),
        )
        unsure = self._some(value.rows, within, is_open)
        if value.quantifier == "all":
            some, without = self._some(value.rows, within, None), self.nodes.undefined
            held = self.nodes.choice(some, self.nodes.true, without)
            return self._decided(self._some(value.rows, within, is_false), self.nodes.false, unsure, held)
        found = self._some(value.rows, within, is_true)
        made = self._decided(found, self.nodes.true, unsure, self.nodes.false)
        return self.nodes.negated(made) if value.quantifier == "no" else made

    def _decided(self, found: int, then: int, unsure: int, otherwise: int) -> int:
        return self.nodes.choice(found, then, self.nodes.choice(unsure, self.nodes.undefined, otherwise))

    def _some(self, rows: core.Rows, within: Within | None, test: core.Expr | None) -> int:
        symbol = self.count(rows, within, test)
        assert symbol is not None
        if not symbol:
            return self.nodes.false
        return self.nodes.negated(self.nodes.sign(symbol, "<="))

    def _groups(self, value: core.Quantified) -> int | None:
        assert value.condition is not None
        rows = value.rows
        if rows.match or rows.scope != "all":
            return None
        within = Within(rows.table, rows.var)
        try:
            kept = self.nodes.both(*[self.condition(test, within) for test in rows.where])
            held = self.condition(value.condition, within)
        except Unsupported:
            return None
        if value.quantifier == "no":
            return self.nodes.negated(self.nodes.add("group", rows.table, "some", kept, held))
        return self.nodes.add("group", rows.table, value.quantifier, kept, held)

    def _ranked(self, left: core.Expr, op: str, right: core.Expr, within: Within | None) -> int | None:
        """An order statistic against a constant is a count: the p-th of n is at most t when p n of them are."""
        for value, other, turned in ((left, right, False), (right, left, True)):
            if not (isinstance(value, core.Aggregate) and isinstance(other, core.Const) and len(value.args) == 1):
                continue
            share = _rank(value)
            if share is None or op == "==":
                continue
            # value op other, or other op value: below other (strictly or not), or its contrary
            strict = (op == "<") is not turned
            below = core.Compare(core.BOOL, (value.args[0], other), ("<" if strict else "<=",))
            made = self._below(value, share, below, within)
            if made is not None:
                return self.nodes.negated(made) if turned else made
        return None

    def _below(self, value: core.Aggregate, share: Fraction, below: core.Expr, within: Within | None) -> int | None:
        every = self.count(value.rows, within)
        hit = self.count(value.rows, within, core.Is(core.BOOL, below, "true"))
        unsure = self.count(value.rows, within, core.Is(core.BOOL, below, "undefined"))
        if every is None or hit is None or unsure is None:
            return None
        positive = self.nodes.both(
            self.nodes.negated(self.nodes.sign(every, "<=")), self.nodes.sign(unsure, "<="),
        )  # fmt: skip
        if share == 0:  # the least: some are below
            made = self.nodes.negated(self.nodes.sign(hit, "<="))
        else:
            made = self.nodes.sign(n.plus(n.times(n.constant(share), every), hit, -1), "<=")
        return self.nodes.choice(positive, made, self.nodes.undefined)


def _rank(value: core.Aggregate) -> Fraction | None:
    """The share of rows at or below which an order statistic lies (0: it is the least)."""
    options = dict(value.options)
    if value.function == "p95":
        return Fraction(95, 100)
    if value.function in ("min", "max"):
        return Fraction(0) if value.function == "min" else Fraction(1)
    at, method = options.get("at"), options.get("method")
    if value.function == "quantile" and isinstance(at, core.Const) and isinstance(at.value, (int, Fraction)):
        nearest = method is None or (isinstance(method, core.Const) and method.value == "nearest_rank")
        return Fraction(at.value) if nearest and 0 < at.value <= 1 else None
    return None
