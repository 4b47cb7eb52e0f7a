"""Formulas as Python expressions over the functions of `support`: row at a time, undefined as None.

What this lowering cannot say is reported (E0951) and never left out in silence.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, date, datetime
from fractions import Fraction

from protoc_compiler import core
from protoc_compiler.catalogue import verifier as kinds
from protoc_compiler.core.tree import rows_in
from protoc_compiler.emit.doubts import doubts
from protoc_compiler.emit.layout import Code, Group, Prefixed, call, tuple_of
from protoc_compiler.emit.naming import Names
from protoc_runtime.diagnostics import Findings, Span

COMPARE = {"==": "eq", "!=": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge"}
ARITHMETIC = {"+": "plus", "-": "minus", "*": "times", "/": "over"}
QUANTIFIERS = {"all": "every", "some": "some", "no": "none"}
OVER = {
    "sum": "total",
    "product": "product",
    "mean": "mean",
    "rate": "rate",
    "min": "smallest",
    "max": "largest",
    "median": "median",
    "variance": "variance",
    "quantile": "quantile",
    "p95": "p95",
    "distinct": "distinct",
    "list": "list_of",
    "longest_run": "longest_run",
    "max_drawdown": "max_drawdown",
    "cut_off": "cut_off",
    "benjamini_hochberg": "rejected",
    "mad": "mad",
    "harmonic_mean": "harmonic_mean",
    "sign_test": "sign_test",
    "cohen_kappa": "cohen_kappa",
    "fleiss_kappa": "fleiss_kappa",
    "brier": "brier",
    "ece": "ece",
    "auc": "auc",
    "mcnemar": "mcnemar",
    "correlation": "correlation",
    "spearman": "spearman",
}
ON_VALUES = {
    "abs": "absolute",
    "floor": "whole",
    "min": "least",
    "max": "most",
    "indicator": "indicator",
    "day": "day",
    "chars": "chars",
    "size": "size",
    "count": "size",
    "occurrences": "occurrences",
    "offset": "offset",
    "slice": "cut",
    "round": "rounded",
    "sqrt": "square_root",
    "wilson": "wilson",
    "clopper_pearson": "clopper_pearson",
    "newcombe": "newcombe",
    "newcombe_side": "newcombe_side",
    "binomial_test": "binomial_test",
    "fisher": "fisher",
    "bonferroni": "bonferroni",
    "holm": "holm",
    "benjamini_hochberg": "step_up",
}
RULES = ("gates", "blockers", "checks")
Scope = Mapping[str, str]


class Lowering:
    """Turns expressions of one protocol into source. `names` keeps row variables apart from the program's names."""

    def __init__(self, protocol: core.Protocol, names: Names, findings: Findings) -> None:
        self.protocol = protocol
        self.names = names
        self.findings = findings
        self.doubts = doubts(protocol)
        self.tables = {table.name: table for table in protocol.tables}
        self.place: Span | None = None
        self.item: core.Item | None = None  # whose formula is written
        self.sums = 0  # running sums so far: each keeps its own

    def unsupported(self, what: str) -> Code:
        """Report something that has no lowering."""
        self.findings.add(kinds.NOT_LOWERED, self.place, what=what)
        return "None"

    # --- expressions -------------------------------------------------------------------------------------------

    def expr(self, e: core.Expr, scope: Scope) -> Code:
        """The source of a value."""
        match e:
            case core.Const():
                return literal(e.value)
            case core.RowVar():
                return scope[e.var] if e.var in scope else self.unsupported(f"the row variable {e.var}")
            case core.Column():
                return self._column(e, scope)
            case core.Global():
                return self._global(e)
            case core.Entry():
                return call("value", repr(e.space), repr(e.name), *self._all(e.keys, scope))
            case core.Bound() if all(each.name != e.interval for each in self.protocol.intervals):
                return self.unsupported(f"the interval {e.interval}")
            case core.Bound():
                return call("bound", repr(e.interval), repr(e.which), *self._all(e.keys, scope))
            case core.Arithmetic() | core.Negative():
                return self._arithmetic(e, scope)
            case core.Quantified() | core.Aggregate() | core.OneRow():
                return self._over_rows(e, scope)
            case core.Call():
                return self._call(e, scope)
            case core.Custom():
                return self._custom(e, scope)
            case core.Part():
                return call("part", self.expr(e.struct, scope), repr(e.name))
            case core.ListOf():
                return call("list_of", self._raw_list(e.items, scope))
            case core.Cast():
                return call("cast", self.expr(e.operand, scope), type_literal(e.type))
        return self._logic(e, scope)

    def _all(self, parts: tuple[core.Expr, ...], scope: Scope) -> list[Code]:
        return [self.expr(part, scope) for part in parts]

    def _custom(self, e: core.Custom, scope: Scope) -> Code:
        lines = Group("(", (*map(repr, e.source.splitlines(keepends=True)), "''"), ")", "")
        keys = tuple_of(tuple(scope[f"per{place}"] for place in range(len(self.item.per) if self.item else 0)))
        name = call("fill", repr(self.item.name if self.item else ""), keys)
        head = (name, repr(e.target), lines, repr(e.gives), literal(e.seconds))
        return call("custom", *head, *self._all(e.args, scope))

    def _raw_list(self, items: tuple[core.Expr, ...], scope: Scope) -> Code:
        return Group("[", tuple(self._all(items, scope)), "]")

    def _column(self, e: core.Column, scope: Scope) -> Code:
        if isinstance(e.row, core.RowVar) and e.row.var in scope:
            return f"{scope[e.row.var]}[{e.name!r}]"
        return call("at", self.expr(e.row, scope), repr(e.name))

    def _global(self, e: core.Global) -> Code:
        if e.space == "freeze":
            return call("frozen", repr(e.name))
        space, name = ("verdict", "verdict") if e.space == "verdict" else (e.space, e.name)
        if space != "verdict" and not any((i.space, i.name) == (space, name) for i in self.protocol.items):
            return self.unsupported(f"the value {space}.{name}")
        return call("value", repr(space), repr(name))

    def _logic(self, e: core.Expr, scope: Scope) -> Code:
        match e:
            case core.Compare():
                return self._compare(e, scope)
            case core.InList():
                return call("among", self.expr(e.item, scope), self._raw_list(e.members, scope))
            case core.InRange():
                return call("within", *self._all((e.item, e.low, e.high), scope))
            case core.InSet():
                return call("among", self.expr(e.item, scope), self.expr(e.collection, scope))
            case core.InColumn():
                return self._in_column(e, scope)
            case core.Is():
                return call(f"is_{e.state}", self.expr(e.operand, scope))
            case core.Not():
                return call("not_", self.expr(e.operand, scope))
            case core.And():
                return call("all_of", *self.parts(e.parts, scope))
            case core.Or():
                return call("any_of", *self.parts(e.parts, scope))
            case core.Choose():
                lines = [tuple_of((self._later(c, scope), self._later(v, scope))) for c, v in e.lines]
                return call("first_match", *lines, Prefixed("otherwise=", self._later(e.otherwise, scope)))
            case core.Default():
                return call("if_undefined", self.expr(e.operand, scope), self.expr(e.value, scope))
        return self.unsupported(f"the construct {type(e).__name__}")

    def parts(self, parts: tuple[core.Expr, ...], scope: Scope) -> list[Code]:
        """The parts of `and` and `or`. Where one guards another, a filter in that one may be undefined."""
        made = self._all(parts, scope)
        guarded = [len(parts) > 1 and filters(part) for part in parts]
        return [
            call("if_enough", Prefixed("lambda: ", code)) if guard else code
            for code, guard in zip(made, guarded, strict=True)
        ]

    def _later(self, e: core.Expr, scope: Scope) -> Code:
        return Prefixed("lambda: ", self.expr(e, scope))

    def _compare(self, e: core.Compare, scope: Scope) -> Code:
        operands = self._all(e.operands, scope)
        if len(e.ops) == 1:
            return call(COMPARE[e.ops[0]], *operands)
        parts = [operands[0]]
        for op, operand in zip(e.ops, operands[1:], strict=True):
            parts += [repr(op), operand]
        return call("chain", *parts)

    def _in_column(self, e: core.InColumn, scope: Scope) -> Code:
        rows, inside = self.source(e.rows, scope)
        made = call("among", self.expr(e.item, scope), Group("[", (self.expr(e.value, inside), *rows), "]", ""))
        return self._guarded(e.rows, made)

    def _arithmetic(self, e: core.Arithmetic | core.Negative, scope: Scope) -> Code:
        if isinstance(e, core.Negative):
            return call("negative", self.expr(e.operand, scope))
        if e.op == "^":
            if isinstance(e.right, core.Const) and isinstance(e.right.value, (int, Fraction)):
                return call("power", self.expr(e.left, scope), str(int(e.right.value)))
            return self.unsupported("a power with an exponent that is not written out")
        whole = e.left.type.kind == e.right.type.kind == "int"
        function = "counts" if whole and e.op == "/" else ARITHMETIC[e.op]
        return call(function, self.expr(e.left, scope), self.expr(e.right, scope))

    # --- calls -------------------------------------------------------------------------------------------------

    def _call(self, e: core.Call, scope: Scope) -> Code:
        if e.function not in ON_VALUES:
            return self.unsupported(f"the function {e.function}")
        args = [
            self._raw_list(arg.items, scope) if isinstance(arg, core.ListOf) and _of_family(e.function) else made
            for arg, made in zip(e.args, self._all(e.args, scope), strict=True)
        ]
        return call(ON_VALUES[e.function], *args, *self._options(e.options, scope))

    def _options(self, options: tuple[tuple[str, core.Expr], ...], scope: Scope) -> list[Code]:
        return [Prefixed(f"{name}=", self.expr(value, scope)) for name, value in options]

    def _over_rows(self, e: core.Quantified | core.Aggregate | core.OneRow, scope: Scope) -> Code:
        if isinstance(e, core.OneRow):
            return self._guarded(e.rows, call(e.function, self.rows(e.rows, scope)))
        if isinstance(e, core.Quantified):
            rows, inside = self.source(e.rows, scope)
            condition = "True" if e.condition is None else self.expr(e.condition, inside)
            made: Code = Group(f"{QUANTIFIERS[e.quantifier]}(", (condition, *rows), ")", "")
            return self._guarded(e.rows, made)
        return self._guarded(e.rows, self._aggregate(e, scope))

    def _aggregate(self, e: core.Aggregate, scope: Scope) -> Code:
        if self._is_running(e, scope):
            return self._running(e, scope)
        if e.function == "count":
            return call("count", self.rows(e.rows, scope))
        if e.function == "digest":
            return call("digest_of", repr(e.rows.table))
        if e.function not in OVER:
            return self.unsupported(f"the aggregate {e.function}")
        function = OVER[e.function]
        if e.function == "mean" and e.args[0].type.kind == "int":
            function = "mean_of_counts"
        rows, inside = self.source(e.rows, scope)
        args = self._all(e.args, inside)
        element = args[0] if len(args) == 1 else tuple_of(tuple(args))
        if not e.options:
            return Group(f"{function}(", (element, *rows), ")", "")
        return call(function, Group("[", (element, *rows), "]", ""), *self._options(e.options, scope))

    def _is_running(self, e: core.Aggregate, scope: Scope) -> bool:
        """A sum or count over earlier rows that reads no other row than the one it adds."""
        inside = [*e.args, *e.rows.where]
        plain = e.function in ("sum", "count") and e.rows.scope == "earlier" and e.rows.base is not None
        return plain and not e.rows.order and not set().union(*map(variables, inside)) & set(scope)

    def _running(self, e: core.Aggregate, scope: Scope) -> Code:
        var = self.names.local(e.rows.var, scope.values())
        inside = {**scope, e.rows.var: var}
        added = self.expr(e.args[0], inside) if e.function == "sum" else "1"
        if e.rows.where:
            test = call("holds", call("all_of", *self._all(e.rows.where, inside)))
            added = Group("(", (added, Prefixed("if ", test), "else 0"), ")", "")
        pairs = [tuple_of((repr(m.column), self.expr(m.value, scope))) for m in e.rows.match]
        assert e.rows.base is not None
        base = self.expr(e.rows.base, scope)
        self.sums += 1
        of_row = Prefixed(f"lambda {var}: ", added)
        return call("running", repr(e.rows.table), base, repr(f"sum {self.sums}"), of_row, *pairs)

    def _guarded(self, rows: core.Rows, made: Code) -> Code:
        """What is made of rows; undefined where it may be undefined which rows are meant, and is."""
        sure = rows.scope == "all" and not self.doubts.about(rows)
        return made if sure else call("if_enough", Prefixed("lambda: ", made))

    # --- rows --------------------------------------------------------------------------------------------------

    def row_set(self, rows: core.Rows, scope: Scope) -> Code:
        """The source of a list of rows, or of `None` where it may be undefined which rows are meant, and is."""
        return self._guarded(rows, self.rows(rows, scope))

    def rows(self, rows: core.Rows, scope: Scope) -> Code:
        """The source of a list of rows."""
        if not rows.where and not rows.order:
            return self._base(rows, scope)
        parts, inside = self.source(rows, scope)
        if rows.order:
            return parts[0].code if isinstance(parts[0], Prefixed) else parts[0]
        return Group("[", (inside[rows.var], *parts), "]", "")

    def source(self, rows: core.Rows, scope: Scope) -> tuple[tuple[Code, ...], Scope]:
        """`for row in ... if ...`, and the scope inside."""
        var = self.names.local(rows.var, scope.values())
        inside = {**scope, rows.var: var}
        loop = Prefixed(f"for {var} in ", self._base(rows, scope))
        filters = tuple(Prefixed("if ", call("holds", self.expr(c, inside))) for c in rows.where)
        if not rows.order:
            return (loop, *filters), inside
        kept = Group("[", (var, loop, *filters), "]", "") if filters else self._base(rows, scope)
        made = call("ordered", kept, self.order_key(rows.order, var, inside))
        return (Prefixed(f"for {var} in ", made),), inside

    def order_key(self, order: tuple[core.Expr, ...], var: str, scope: Scope) -> Code:
        """`lambda row: (...)`, enums by their position."""
        return Prefixed(f"lambda {var}: ", tuple_of(tuple(self.sortable(e, scope) for e in order)))

    def sortable(self, e: core.Expr, scope: Scope) -> Code:
        """A value to sort by."""
        made = self.expr(e, scope)
        return call("member", made, repr(e.type.members)) if e.type.kind == "enum" else made

    def _base(self, rows: core.Rows, scope: Scope) -> Code:
        if rows.table not in self.tables:
            if rows.table in RULES and rows.scope == "all" and not rows.match:
                return call("rules", repr(rows.table))
            return self.unsupported(f"the table {rows.table}")
        pairs = [tuple_of((repr(m.column), self.expr(m.value, scope))) for m in rows.match]
        if rows.scope == "all":
            return call("matching", repr(rows.table), *pairs) if pairs else call("table", repr(rows.table))
        if rows.base is None:
            return self.unsupported(f"{rows.scope} without a row to start from")
        number = [str(rows.latest)] if rows.scope == "latest" else []
        return call(rows.scope, repr(rows.table), *number, self.expr(rows.base, scope), *pairs)


def _of_family(function: str) -> bool:
    """A family keeps its undefined members: the function's option says what becomes of them."""
    from protoc_runtime.engine.names import FAMILIES

    return function in FAMILIES


def filters(value: core.Expr) -> bool:
    """Whether an expression opens rows with a filter."""
    return any(rows.where for rows in rows_in(value))


def variables(node: object) -> frozenset[str]:
    """The row variables that an expression reads or opens."""
    if isinstance(node, tuple):
        return frozenset().union(*map(variables, node))
    if isinstance(node, core.RowVar):
        return frozenset((node.var,))
    fields = getattr(type(node), "__record_fields__", ())
    return frozenset().union(*(variables(getattr(node, name)) for name in fields if name not in ("type", "span")))


# --- literals -----------------------------------------------------------------------------------------------------


def literal(value: object) -> Code:
    """A value as source that makes it again."""
    if isinstance(value, datetime):
        parts = value.astimezone(UTC)
        text = f"{parts.year}, {parts.month}, {parts.day}, {parts.hour}, {parts.minute}, {parts.second}"
        return f"datetime({text}, {parts.microsecond}, tzinfo=UTC)"
    if isinstance(value, date):
        return f"date({value.year}, {value.month}, {value.day})"
    if isinstance(value, Fraction):
        if value.denominator == 1:
            return str(value.numerator)
        return f"Fraction({value.numerator}, {value.denominator})"
    if isinstance(value, (tuple, frozenset)):
        items = sorted(value, key=repr) if isinstance(value, frozenset) else value
        return tuple_of(tuple(literal(item) for item in items))
    return repr(value)


def type_literal(kind: core.Type) -> Code:
    """A type as the tuple that `support` reads."""
    if kind.kind == "enum":
        return tuple_of((repr("enum"), tuple_of(tuple(repr(m) for m in kind.members))))
    if kind.kind == "quantity":
        return tuple_of((repr("quantity"), repr(kind.unit), repr(kind.shown or kind.unit)))
    if kind.kind in ("set", "list") and kind.item is not None:
        return tuple_of((repr(kind.kind), type_literal(kind.item)))
    if kind.kind == "row":
        return tuple_of((repr("row"), repr(kind.table)))
    return tuple_of((repr(kind.kind),))
