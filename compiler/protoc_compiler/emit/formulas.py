"""Formulas as statements of generated code: each table that a formula opens becomes a named variable."""

from __future__ import annotations

from collections.abc import Sequence

from protoc_compiler import core
from protoc_compiler.emit import broken as layout
from protoc_compiler.emit.bodies import Body
from protoc_compiler.emit.broken import Around, Bracket, Code, Infix
from protoc_compiler.emit.doubts import conjuncts
from protoc_compiler.emit.literals import literal
from protoc_compiler.emit.variables import can_stop, equality, free
from protoc_runtime.engine.names import AGGREGATES, FAMILIES, FUNCTIONS
from protoc_runtime.record import record, replace

READERS = {
    "definitions": "definition",
    "metrics": "metric",
    "gates": "gate",
    "blockers": "blocker",
    "checks": "check",
    "verdicts": "subverdict",
    "statuses": "status",
    "lists": "listing",
}
_CASTS = ("bool", "int", "number", "quantity", "text", "digest", "enum")
_CHAIN = 100  # operands in a row: Python reads `a & b & c` as nested, and does so a few thousand deep at most


@record
class Piece:
    """Code, and whether it must be bracketed beside an operator."""

    code: Code
    loose: bool = False


class Formula(Body):
    """Writes one function's body from its formula."""

    def finish(self, expr: core.Expr) -> None:
        """`return` the value of an expression."""
        self.give(self.code(expr))

    # --- expressions --------------------------------------------------------------------------------------------

    def code(self, expr: core.Expr) -> Code:
        """An expression as code that stands alone."""
        return self.piece(expr).code

    def operand(self, expr: core.Expr) -> Code:
        """An expression beside an operator, bracketed where it must be."""
        made = self.piece(expr)
        if isinstance(made.code, Infix):
            return replace(made.code, bracketed=True)
        return Around("(", made.code, ")") if made.loose else made.code

    def vector(self, expr: core.Expr) -> Code:
        """An expression on which a method or an operator between constants is called."""
        return layout.call(self.bring("lift"), self.code(expr)) if _constant(expr) else self.operand(expr)

    def lifted(self, expr: core.Expr) -> Code:
        """An expression as an argument that must be a vector."""
        return layout.call(self.bring("lift"), self.code(expr)) if _constant(expr) else self.code(expr)

    def piece(self, expr: core.Expr) -> Piece:
        """An expression as code."""
        if self.variables and list(self.variables)[-1] not in (read := free(expr)) and can_stop(expr):
            return Piece(self._where_reached(expr, read))
        method = getattr(self, "_" + type(expr).__name__.lower(), None)
        if method is None:
            raise self.refuse(f"a {type(expr).__name__}")
        made = method(expr)
        return made if isinstance(made, Piece) else Piece(made)

    def _const(self, expr: core.Const) -> Code:
        if expr.type.kind == "row" and expr.value is not None:
            raise self.refuse("a row that is written as a constant")
        text = literal(expr.value, expr.type)
        for name in ("undefined", "Fraction", "datetime", "date"):
            if text == name or text.startswith(f"{name}("):
                self.bring(name)
        return text

    def _rowvar(self, expr: core.RowVar) -> Code:
        return f"{self.variables[expr.var]}.row"

    def _column(self, expr: core.Column) -> Code:
        if isinstance(expr.row, core.RowVar):
            return f"{self.variables[expr.row.var]}[{expr.name!r}]"
        return Around("", self.operand(expr.row), f"[{expr.name!r}]")

    def _global(self, expr: core.Global) -> Code:
        if expr.space == "freeze":
            return self._frozen(expr.name)
        return self._read(expr.space, expr.name, ())

    def _entry(self, expr: core.Entry) -> Code:
        return self._read(expr.space, expr.name, tuple(self.code(key) for key in expr.keys))

    def _read(self, space: str, name: str, keys: tuple[Code, ...]) -> Code:
        if space == "report":
            spaces = {item.space for item in self.protocol.items if item.name == name}
            space = "statuses" if "statuses" in spaces else "lists"
        if space not in READERS:
            raise self.refuse(f"a reading of the {space}")
        return layout.call(f"study.{READERS[space]}", repr(name), *keys)

    def _bound(self, expr: core.Bound) -> Code:
        return layout.call("study.bound", repr(expr.interval), repr(expr.which), *(self.code(key) for key in expr.keys))

    def _frozen(self, name: str) -> Code:
        frozen = next(item for item in self.protocol.freeze if item.name == name)
        if frozen.value is None:
            return f"study.digest({f'freeze.{name}'!r})"
        return layout.call(self.bring("lift"), self._const(core.Const(frozen.type, frozen.value)))

    def _negative(self, expr: core.Negative) -> Piece:
        return Piece(Around("-", self.operand(expr.operand)), True)

    def _arithmetic(self, expr: core.Arithmetic) -> Piece:
        both = _constant(expr.left) and _constant(expr.right)
        left = self.vector(expr.left) if both or expr.op == "^" else self.operand(expr.left)
        op = "**" if expr.op == "^" else expr.op
        if expr.op == "^":
            assert isinstance(expr.right, core.Const)
            return Piece(Infix((left, str(expr.right.value)), op))
        return Piece(Infix((left, self.operand(expr.right)), op))

    def _compare(self, expr: core.Compare) -> Piece:
        if len(expr.ops) == 1:
            left, right = expr.operands
            made = self.vector(left) if _constant(right) else self.operand(left)
            return Piece(Infix((made, self.operand(right)), expr.ops[0]))
        first, *rest = expr.operands
        steps = tuple(layout.pair(repr(op), self.code(item)) for op, item in zip(expr.ops, rest, strict=True))
        return Piece(layout.call(self.bring("chain"), self.code(first), *steps))

    def _inlist(self, expr: core.InList) -> Code:
        return layout.call(self.bring("in_list"), self.code(expr.item), *map(self.code, expr.members))

    def _inrange(self, expr: core.InRange) -> Code:
        return layout.call(self.bring("between"), *map(self.code, (expr.item, expr.low, expr.high)))

    def _inset(self, expr: core.InSet) -> Code:
        return layout.call(self.bring("in_set"), self.code(expr.item), self.code(expr.collection))

    def _incolumn(self, expr: core.InColumn) -> Code:
        item = self.code(expr.item)
        outside = free(expr.rows) | (free(expr.value) - {expr.rows.var})
        rows, value = self.opened(expr.rows, outside | free(expr.item) if outside else outside, (expr.value,))
        return layout.call(self.bring("in_column"), item, rows, value[0])

    def _is(self, expr: core.Is) -> Code:
        return Around("", self.vector(expr.operand), f".is_{expr.state}()")

    def _not(self, expr: core.Not) -> Piece:
        return Piece(Around("~", self.vector(expr.operand)), True)

    def _and(self, expr: core.And) -> Piece:
        return self._logic(expr.parts, "&")

    def _or(self, expr: core.Or) -> Piece:
        return self._logic(expr.parts, "|")

    def _logic(self, parts: Sequence[core.Expr], sign: str) -> Piece:
        if len(parts) == 1:
            return self.piece(parts[0])
        return Piece(_joined([self.vector(part) for part in parts], sign))

    def _choose(self, expr: core.Choose) -> Code:
        choose = self.bring("choose")
        if not can_stop((expr.lines, expr.otherwise)):
            lines = tuple(layout.pair(self.code(test), self.code(value)) for test, value in expr.lines)
            return layout.call(choose, *lines, Around("otherwise=", self.code(expr.otherwise)))
        inside = list(self.variables.values())[-1] if self.variables else "study.root"
        lines = tuple(layout.pair(self._line(test), self._line(value)) for test, value in expr.lines)
        otherwise = Around("otherwise=", self._line(expr.otherwise))
        return layout.call(choose, *lines, otherwise, Around("inside=", inside))

    def _line(self, expr: core.Expr) -> Code:
        """A part of a first-match line; one that can stop the run is a function of the rows that reach it."""
        return self._deferred(expr) if can_stop(expr) else self.code(expr)

    def _where_reached(self, expr: core.Expr, read: frozenset[str]) -> Code:
        """What can stop the run and reads none of the innermost rows: computed only where there are such rows."""
        every, inner = self.variables, list(self.variables.values())[-1]
        last = max((place for place, var in enumerate(every) if var in read), default=-1)
        self.variables = dict(list(every.items())[: last + 1])
        home = list(self.variables.values())[-1] if self.variables else "study.root"
        name = self._deferred(expr)
        self.variables = every
        return layout.call(self.bring("where_reached"), name, home, inner)

    def _deferred(self, expr: core.Expr) -> str:
        """The name of a function that computes an expression, of the innermost rows if there are any."""
        name, before = self.local("reached"), self.lines
        self.lines = []
        self.give(self.lifted(expr))
        body, self.lines = [f"    {line}" for text in self.lines for line in text.splitlines()], before
        parameter = f"{list(self.variables.values())[-1]}: {self.bring('Rows')}" if self.variables else ""
        self.lines += [f"def {name}({parameter}) -> {self.bring('Vec')}:", *body]
        return name

    def _default(self, expr: core.Default) -> Code:
        return layout.call(self.bring("default"), self.code(expr.operand), self.code(expr.value))

    def _cast(self, expr: core.Cast) -> Code:
        if expr.type.kind not in _CASTS:
            raise self.refuse(f"a value of any type read as {expr.type.kind}")
        return layout.call(self.bring("cast"), self.code(expr.operand), repr(expr.type.kind))

    def _custom(self, expr: core.Custom) -> Code:
        self.bring("Fraction")
        lines = Bracket("(", (*map(repr, expr.source.splitlines(keepends=True)), "''"), ")")
        head = (repr(self.item), repr(expr.target), Around("''.join(", lines, ")"), repr(expr.gives))
        seconds = f"Fraction({str(expr.seconds)!r})"
        return layout.call(self.bring("custom"), *head, seconds, *map(self.code, expr.args))

    def _listof(self, expr: core.ListOf) -> Code:
        return layout.call(self.bring("list_of"), *map(self.code, expr.items))

    def _part(self, expr: core.Part) -> Code:
        return Around("", self.operand(expr.struct), f"[{expr.name!r}]")

    def _call(self, expr: core.Call) -> Code:
        if expr.function not in FUNCTIONS:
            raise self.refuse(f"the function `{expr.function}`")
        self.bring("of")
        args = [self._argument(expr.function, arg) for arg in expr.args]
        return layout.call(f"of.{expr.function}", *args, *self._options(expr.options))

    def _argument(self, function: str, arg: core.Expr) -> Code:
        if function in FAMILIES and isinstance(arg, core.ListOf):
            return Bracket("[", tuple(map(self.code, arg.items)), "]")
        return self.code(arg)

    def _options(self, options: tuple[tuple[str, core.Expr], ...]) -> tuple[Code, ...]:
        return tuple(Around(f"{name}=", self.code(value)) for name, value in options)

    # --- over rows ----------------------------------------------------------------------------------------------

    def _quantified(self, expr: core.Quantified) -> Code:
        self.bring("over")
        function = {"all": "every", "some": "some", "no": "no"}[expr.quantifier]
        inner = () if expr.condition is None else (expr.condition,)
        if expr.quantifier != "all" and self._running(expr.rows, inner):
            rows, base, given = self._before(expr.rows, inner)
            return layout.call(f"over.earlier_{expr.quantifier}", rows, *(given or ["None"]), base)
        rows, args = self.opened(expr.rows, free(expr), inner)
        return layout.call(f"over.{function}", rows, *args)

    def _aggregate(self, expr: core.Aggregate) -> Code:
        if expr.function == "digest":
            return f"study.digest({expr.rows.table!r})"
        if expr.function not in AGGREGATES:
            raise self.refuse(f"the function `{expr.function}`")
        self.bring("over")
        options = self._options(expr.options)
        if expr.function in ("count", "sum", "mean", "rate") and self._running(expr.rows, expr.args):
            rows, base, given = self._before(expr.rows, expr.args)
            return layout.call(f"over.earlier_{expr.function}", rows, *given, base)
        rows, args = self.opened(expr.rows, free(expr), expr.args)
        if expr.function in ("sum", "product") and expr.args[0].type.kind != "int" and can_stop(expr.args):
            options = (*options, "whole=False")  # where the operand is not reached, it has no values to tell its kind
        return layout.call(f"over.{expr.function}", rows, *args, *options)

    def _onerow(self, expr: core.OneRow) -> Code:
        self.bring("over")
        if expr.function == "only" and ("table", expr.rows.table) in self.changed:
            what = f"a single row of `{expr.rows.table}` where a resampling interval draws them"
            raise self.refuse(what, "a draw may repeat a row or leave it out: rest on counts, sums and means of rows")
        rows, _ = self.opened(expr.rows, free(expr), ())
        return layout.call(f"over.{expr.function}", rows)

    def _running(self, rows: core.Rows, inner: Sequence[core.Expr]) -> bool:
        """Whether rows are `earlier T` and nothing else binds them to their surroundings, in no draw."""
        alone = not rows.match and not rows.order and not free((rows.where, tuple(inner))) - {rows.var}
        return rows.scope == "earlier" and alone and not self.changed and not can_stop((rows, tuple(inner)))

    def _before(self, rows: core.Rows, inner: Sequence[core.Expr]) -> tuple[str, Code, list[Code]]:
        """Statements that open all rows of the table; their variable, the base, and what is read inside."""
        assert rows.base is not None
        base = self.code(rows.base)
        name, given = self.opened(replace(rows, scope="all", base=None), frozenset(), inner)
        return name, base, given

    def opened(self, rows: core.Rows, outside: frozenset[str], inner: Sequence[core.Expr]) -> tuple[str, list[Code]]:
        """Statements that open rows; their variable, and the code of what is read inside of them."""
        if ("table", rows.table) in self.changed and (rows.order or rows.scope != "all"):
            what = f"an order among the rows of `{rows.table}` where a resampling interval draws them"
            raise self.refuse(what, "drawn rows repeat and stand in no order: let the metric read them without one")
        name = self.local(rows.table)
        homes = [var for var in self.variables if var in outside]
        if not homes:
            self._alone(rows, name)
        elif rows.scope == "latest":
            self._window(rows, name, self.variables[homes[-1]])
        else:
            self._joined_rows(rows, name, self.variables[homes[-1]])
        with_row = self._inside(rows.var, name)
        if rows.order:
            keys = tuple(self.code(key) for key in rows.order)
            self.assign(name, layout.call(f"{name}.ordered", *keys))
        args = [self.lifted(item) for item in inner]
        self.variables = with_row
        return name, args

    def _inside(self, var: str, name: str) -> dict[str, str]:
        before = dict(self.variables)
        self.variables[var] = name
        return before

    def _alone(self, rows: core.Rows, name: str) -> None:
        self.assign(name, f"study.rows({rows.table!r})")
        self._filter(rows, name, self._matches(rows), rows.where)

    def _window(self, rows: core.Rows, name: str, home: str) -> None:
        assert rows.base is not None
        base = self.code(rows.base)
        self.assign(name, layout.call(f"{home}.latest", f"study.rows({rows.table!r})", base, str(rows.latest)))
        self._filter(rows, name, self._matches(rows), rows.where)

    def _matches(self, rows: core.Rows) -> list[core.Expr]:
        """The matches as equations."""
        row = core.RowVar(core.Type("row"), rows.var)
        sides = [(core.Column(match.value.type, row, match.column), match.value) for match in rows.match]
        return [core.Compare(core.BOOL, pair, ("==",)) for pair in sides]

    def _joined_rows(self, rows: core.Rows, name: str, home: str) -> None:
        alone, pairs, rest = [], [], []
        for place, whole in enumerate(rows.where):
            unsure = any(map(self.doubts.of, rows.where[:place]))
            if unsure or can_stop(rows.where[: place + 1]):  # from here on filters are applied as they are written
                rest.append((whole, True))
                continue
            doubtful = self.doubts.of(whole)
            parts = [part for part in conjuncts(whole) if part not in doubtful]
            left = [part for part in parts if free(part) - {rows.var} and equality(part, rows.var) is None]
            alone += [part for part in parts if not free(part) - {rows.var}]
            pairs += [pair for part in parts if (pair := equality(part, rows.var)) is not None]
            as_written = len(left) == len(parts) and not doubtful
            rest += [(whole, True)] if as_written else [(part, False) for part in left]
            if doubtful:  # of the rows for which all else is true, these parts are undefined or the whole is not
                rest.append((core.And(core.BOOL, doubtful) if len(doubtful) > 1 else doubtful[0], True))
        self.assign(name, f"study.rows({rows.table!r})")
        self._filter(rows, name, alone, ())
        keys = [self._pair(rows, name, match) for match in self._matches(rows)]
        keys += [self._written_pair(rows, name, inner, outer) for inner, outer in pairs]
        self.assign(name, layout.call(f"{home}.open", name, *keys))
        if rows.scope == "earlier":
            assert rows.base is not None
            self.assign(name, layout.call(f"{name}.earlier", self.code(rows.base)))
        for condition, whole_one in rest:
            self._filter(rows, name, () if whole_one else (condition,), (condition,) if whole_one else ())

    def _pair(self, rows: core.Rows, name: str, match: core.Expr) -> Code:
        assert isinstance(match, core.Compare)
        return self._written_pair(rows, name, *match.operands)

    def _written_pair(self, rows: core.Rows, name: str, inner: core.Expr, outer: core.Expr) -> Code:
        value = self.lifted(outer)
        before = self._inside(rows.var, name)
        made = layout.pair(self.code(inner), value)
        self.variables = before
        return made

    def _filter(self, rows: core.Rows, name: str, narrow: Sequence[core.Expr], where: Sequence[core.Expr]) -> None:
        for method, conditions in (("narrow", narrow), ("where", where)):
            for condition in conditions:
                before = self._inside(rows.var, name)
                code = self.lifted(condition)
                self.variables = before
                self.assign(name, layout.call(f"{name}.{method}", code))


def _joined(operands: Sequence[Code], sign: str) -> Infix:
    """The operands in a row; very many in rows of rows, which is the same: both signs are associative."""
    while len(operands) > _CHAIN:
        starts = range(0, len(operands), _CHAIN)
        operands = [Infix(tuple(operands[at : at + _CHAIN]), sign, bracketed=True) for at in starts]
    return Infix(tuple(operands), sign)


def _constant(expr: core.Expr) -> bool:
    return isinstance(expr, core.Const) or (isinstance(expr, core.Negative) and _constant(expr.operand))
