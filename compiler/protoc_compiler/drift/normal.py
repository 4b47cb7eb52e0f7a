"""Formulas in a normal form: two that are equal up to algebra have one form.

Commuted, re-associated and distributed sums, turned-around comparisons, renamed row variables, `not` pushed inwards,
lists of words written as alternatives, a filter of `some` or `no` moved into its condition, and the whole-number
neighbours of a threshold on counts (`> 2` is `>= 3`) all come out the same. A form is a nest of tuples whose first
entry says what it is, so that it can be compared, sorted and hashed.

Undefined is respected: nothing is folded that would make an undefined value defined (`a - a` keeps its `a`).
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from protoc_compiler import core
from protoc_compiler.drift.forms import (
    FALSE,
    LARGEST,
    MINUS,
    TRUE,
    TURNED,
    UNDEFINED,
    Form,
    Terms,
    TooLarge,
    added,
    compared,
    const,
    divided,
    in_order,
    joined,
    multiplied,
    negate,
    scaled,
    single,
    summed,
)  # fmt: skip
from protoc_compiler.drift.kept import Kept

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from protoc_compiler.drift.referred import Referred

Env = Mapping[str, Form]
NUMERIC = ("int", "number", "real", "quantity")
_FAR = 64  # alternatives that a list of words is written out to
_POWER = 4


class Normal:
    """Makes forms. `expand` are the names (see `reads.Thing`) that are replaced by what they stand for in `protocol`;
    with `literal`, filters, whole-number thresholds and lists stay as they are written. `referred`: which listed rows
    the data can refer to, where it is data that another protocol takes, too."""

    def __init__(
        self, protocol: core.Protocol | None = None, expand: frozenset[tuple[str, ...]] = frozenset(), *,
        literal: bool = False, referred: Referred | None = None,
    ) -> None:  # fmt: skip
        self.referred = referred
        self.expand = expand
        self.literal = literal
        self.size = 0
        self.known: dict[tuple[Any, ...], tuple[Form, int]] = {}  # what names stand for, and how large it is
        self.tables = {table.name: table for table in protocol.tables} if protocol is not None else {}
        self.relisted = any(
            table.kind == "listed" and ("table", table.name) in expand for table in self.tables.values()
        )
        self.items = {(item.space, item.name): item for item in protocol.items} if protocol is not None else {}
        self.intervals = {item.name: item for item in protocol.intervals} if protocol is not None else {}
        self.frozen = {item.name: item for item in protocol.freeze} if protocol is not None else {}

    def of(self, value: core.Expr | None) -> Form:
        """The form of a formula; raises TooLarge."""
        return ("none",) if value is None else self.form(value, {})

    def form(self, value: core.Expr, env: Env) -> Form:
        """The normal form of a formula under `env` (the forms of free row variables). Raises TooLarge."""
        self.size += 1
        if self.size > LARGEST:
            raise TooLarge
        kind = type(value)
        if kind in _LOGIC and value.type.kind == "bool":
            return self.truth(value, env, negated=False)
        if kind in _SUMS:
            return summed(self.terms(value, env))
        return self.atom(value, env)

    # --- conditions -------------------------------------------------------------------------------------------

    def truth(self, value: core.Expr, env: Env, *, negated: bool) -> Form:
        """The normal form of a condition or of its contrary, `not` pushed inward."""
        match value:
            case core.Not(_, operand):
                return self.truth(operand, env, negated=not negated)
            case core.And(_, parts):
                return joined("or" if negated else "and", [self.truth(part, env, negated=negated) for part in parts])
            case core.Or(_, parts):
                return joined("and" if negated else "or", [self.truth(part, env, negated=negated) for part in parts])
            case core.Compare():
                made = self.compare(value, env)
            case core.InList(_, item, members) if len(members) <= _FAR and not self.literal:
                made = joined("or", [self.equal(item, member, env) for member in members])
            case core.InRange(_, item, low, high) if _constant(low) and _constant(high):
                made = joined("and", [self.pair(">=", item, low, env), self.pair("<=", item, high, env)])
            case core.Quantified():
                made = self.quantified(value, env)
            case core.Is(_, core.Not(_, inner), "true" | "false" as state):
                opposite = "false" if state == "true" else "true"
                made = ("is", opposite, self.truth(inner, env, negated=False))
            case core.Is(_, operand, state):
                made = ("is", state, self.form(operand, env))
            case core.Const(_, bool() as known):
                made = ("const", "bool", known)
            case _:
                made = self.atom(value, env)
        return negate(made) if negated else made

    def equal(self, left: core.Expr, right: core.Expr, env: Env) -> Form:
        """The normal form of left == right."""
        return self.pair("==", left, right, env)

    def compare(self, value: core.Compare, env: Env) -> Form:
        """The normal form of a comparison or chain; a range between two constants becomes two comparisons."""
        if len(value.ops) == 1:
            return self.pair(value.ops[0], value.operands[0], value.operands[1], env)
        forms = [self.form(operand, env) for operand in value.operands]
        ends = _constant(value.operands[0]) and _constant(value.operands[-1])
        if ends and len(value.ops) == 2:
            first, middle, last = value.operands
            return joined(
                "and", [self.pair(value.ops[0], first, middle, env), self.pair(value.ops[1], middle, last, env)]
            )
        if any(op in (">", ">=") for op in value.ops):
            return ("chain", tuple(reversed(forms)), tuple(TURNED[op] for op in reversed(value.ops)))
        return ("chain", tuple(forms), value.ops)

    def pair(self, op: str, left: core.Expr, right: core.Expr, env: Env) -> Form:
        """The normal form of one comparison: numbers as a sum against zero, other operands in a fixed order."""
        if left.type.kind in NUMERIC and right.type.kind in NUMERIC:
            whole = self.whole(left) and self.whole(right)
            sides = self.terms(left, env), self.terms(right, env)
            if self.relisted and any(UNDEFINED in factors for terms in sides for factors in terms):
                return UNDEFINED  # an empty cell, or a row without an entry
            return compared(op, *sides, whole and not self.literal)
        one, other = self.form(left, env), self.form(right, env)
        if self.relisted and UNDEFINED in (one, other):
            return UNDEFINED
        if one[0] == "const" or (other[0] != "const" and repr(other) < repr(one)):
            one, other, op = other, one, TURNED[op]
        if op in ("==", "!=") and not self.literal and _told_apart(one, other):
            return TRUE if (one == other) == (op == "==") else FALSE
        if other in (TRUE, FALSE) and op in ("==", "!=") and not self.literal:
            return one if (other == TRUE) == (op == "==") else negate(one)
        return ("cmp", op, one, other)

    def whole(self, value: core.Expr) -> bool:
        """Whether a formula is a whole number whatever it reads."""
        if isinstance(value, core.Const):
            return isinstance(value.value, _EXACT)
        if isinstance(value, core.Arithmetic):
            return value.type.kind == "int" and self.whole(value.left) and self.whole(value.right)
        return value.type.kind == "int"

    def quantified(self, value: core.Quantified, env: Env) -> Form:
        """The normal form of a quantifier: `no` as the contrary of `some`, a filter as part of its condition."""
        each: Form | None = self.listed.quantified(self, value, env) if self.relisted else None
        if each is not None:
            return negate(each) if value.quantifier == "no" else each
        rows, inner = self.rows(value.rows, env)
        condition = TRUE if value.condition is None else self.truth(value.condition, inner, negated=False)
        if value.quantifier == "all":
            return ("all", rows, condition)
        if not self.literal:
            condition = joined("and", [*rows[-2], condition])
            rows = (*rows[:-2], (), rows[-1])
        made = ("some", rows, condition)
        return made if value.quantifier == "some" else negate(made)

    # --- rows -------------------------------------------------------------------------------------------------

    def rows(self, rows: core.Rows, env: Env) -> tuple[Form, Env]:
        """The form of rows, and the environment in which conditions about one of them are read.

        The form is ("rows", table, scope, latest, base, match, where, order).
        """
        row = ("row", sum(form[0] == "row" for form in env.values()) + 1, self.root(rows.table))
        inner = {**env, rows.var: row}
        table, filters = self.source(rows.table, row, inner)
        where = [*filters, *(self.truth(test, inner, negated=False) for test in rows.where)]
        flat: Form = joined("and", where) if where else ("and",)
        match = in_order([(self.key(rows.table, m.column), self.form(m.value, env)) for m in rows.match])
        base = ("none",) if rows.base is None else self.form(rows.base, env)
        order = tuple(self.form(key, inner) for key in rows.order)
        tests: Form = flat[1:] if flat[0] == "and" else (flat,)
        return ("rows", table, rows.scope, rows.latest, base, tuple(match), tests, order), inner

    def root(self, name: str) -> str:
        """The root of a table, "" for one that there is not."""
        table = self.tables.get(name)
        return table.root if table is not None else ""

    def source(self, name: str, row: Form, env: Env) -> tuple[Any, list[Form]]:
        """What stands for a table: its name, or of an expanded one what it is made of."""
        table = self.tables.get(name)
        if table is None or ("table", name) not in self.expand:
            return name, []
        plain = table.rows is not None and table.rows.scope == "all" and not (table.rows.match or table.rows.order)
        if table.kind == "subset" and plain and table.rows is not None:
            inner = {**env, table.rows.var: row}
            below, filters = self.source(table.rows.table, row, inner)
            return below, [*filters, *(self.truth(test, inner, negated=False) for test in table.rows.where)]
        return self.defined(table), []

    @property
    def listed(self) -> Any:
        """What takes rows that stand in the spec one by one; loaded where some of them have changed."""
        from protoc_compiler.drift import listed

        return listed

    def source_of(self, name: str) -> Form:
        """The rows of a whole table, in full."""
        return self.rows(core.Rows("self", name), {})[0]

    def defined(self, table: core.Table) -> Form:
        """The normal form of a defined table: its rows, and all that its rows depend on beside them."""
        made = self.rows(table.rows, {})[0] if table.rows is not None else ()
        below = table.rows.table if table.rows is not None else table.name
        keys = tuple(self.key(below, name) for name in (*table.group, table.within) if name)
        stacked = [column.name for column in table.columns if column.origin == "stacked"]
        parts = tuple((self.part_of(part), *(self.key(part, name) for name in stacked)) for part in table.parts)
        return ("table", table.kind, made, keys, parts, table.sample, table.order, table.key, table.listed)

    def part_of(self, name: str) -> Any:
        """What stands for a table that another is made of; its columns that are to be expanded are a part of it."""
        table = self.tables.get(name)
        if table is None or ("table", name) not in self.expand:
            return name
        below = self.rows(table.rows, {})[0] if table.kind == "subset" and table.rows is not None else ()
        return (below, self.defined(table))

    def key(self, table: str, name: str) -> Any:
        """A column that rows are told apart by: its name, or where it is to be expanded what it stands for."""
        root = self.root(table)
        made = self.column(("self",), root, name)
        return name if made == ("column", ("self",), name) else (name, made)

    # --- everything else ----------------------------------------------------------------------------------------

    def atom(self, value: core.Expr, env: Env) -> Form:
        """The normal form of what is neither logic nor arithmetic."""
        match value:
            case core.Const(kind, known):
                return const(kind, known)
            case core.RowVar(_, var):
                return env.get(var, ("free", var))
            case core.Column(_, row, name):
                return self.column(self.form(row, env), row.type.table, name)
            case core.Global(_, space, name):
                return self.named(space, name, (), ("value", space, name))
            case core.Entry(_, space, name, keys):
                forms = tuple(self.form(key, env) for key in keys)
                return self.named(space, name, forms, ("entry", space, name, forms))
            case core.Bound(_, name, which, keys) if ("interval", name) in self.expand and name in self.intervals:
                return self.drawn(self.intervals[name], which, tuple(self.form(key, env) for key in keys))
            case core.Aggregate() if self.relisted and (total := self.listed.aggregate(self, value, env)) is not None:
                known_total: Form = total
                return known_total
            case core.Aggregate(_, function, rows, args, options):
                made, inner = self.rows(rows, env)
                inside = tuple(self.form(arg, inner) for arg in args)
                return ("aggregate", function, made, inside, self.options(options, env))
            case core.OneRow(_, "only", rows) if self.relisted and len(self.listed.kept(self, rows, env) or ()) == 1:
                known_row: Form = self.listed.kept(self, rows, env)[0]
                return known_row
            case core.OneRow(_, function, rows):
                return ("one", function, self.rows(rows, env)[0])
            case core.Call(_, function, args, options):
                return ("call", function, tuple(self.form(arg, env) for arg in args), self.options(options, env))
            case core.Cast(kind, operand):
                return ("cast", kind.kind, kind.unit, kind.members, self.form(operand, env))
            case core.InColumn(_, item, rows, inside_value):
                made, inner = self.rows(rows, env)
                return ("in column", self.form(item, env), made, self.form(inside_value, inner))
        return self.other(value, env)

    def options(self, options: tuple[tuple[str, core.Expr], ...], env: Env) -> Form:
        """The forms of named options, in an order that does not depend on how they are written."""
        made: list[Any] = [(name, self.form(option, env)) for name, option in options]
        return tuple(in_order(made))

    def drawn(self, interval: core.Interval, which: str, keys: tuple[Form, ...]) -> Form:
        """A bound of an interval, with all that its draws depend on."""
        env: Env = {f"per{at}": key for at, key in enumerate(keys)}
        metric = self.named("metrics", interval.metric, keys, ("value", "metrics", interval.metric))
        rows: list[Form] = []
        for one in (*interval.resample, *interval.follow):
            made, env = self.rows(one, env)
            rows.append(made)
        within = tuple(self.form(value, env) for value in interval.within)
        changed = tuple(self.source_of(one) for one in interval.per if ("table", one) in self.expand)
        own = (interval.draws, interval.generator, interval.seed, interval.level, interval.per, *changed)
        return (
            "bound",
            which,
            keys,
            metric,
            tuple(rows),
            len(interval.follow),
            within,
            self.part(interval.out_of, env),
            *own,
        )

    def column(self, row: Form, table: str, name: str) -> Form:
        """A column of a row; where it is to be expanded, the form of its formula about that row."""
        known: Form | None = self.listed.cell(self, row, name) if row[0] == "listed" else None
        if known is not None:
            return known
        if not self.expand:
            return ("column", row, name)
        own, whole = ("column", table, name) in self.expand, ("table", table) in self.expand
        found = self.tables[table].column(name) if (own or whole) and table in self.tables else None
        if found is not None and found.origin == "listed" and whole:
            looked_up: Form = self.listed.looked_up(self.referred, row, self.tables[table], name)
            return looked_up
        if found is None or found.expr is None or not own:
            return ("column", row, name)
        return self.once(("column", table, name, row), found.expr, {"self": row})

    def once(self, about: tuple[Any, ...], value: core.Expr, env: Env) -> Form:
        """The form of what a name stands for, made once; it is as large as if it were made again."""
        kept = self.known.get(about)
        if kept is None:
            before = self.size
            made = self.form(value, env)
            self.known[about] = (made, self.size - before)
            return made
        self.size += kept[1]
        if self.size > LARGEST:
            raise TooLarge
        return kept[0]

    def named(self, space: str, name: str, keys: tuple[Form, ...], plain: Form) -> Form:
        """A named value: the form of its formula where it is to be expanded, else `plain`."""
        if space == "freeze" and ("freeze", name) in self.expand and name in self.frozen:
            kept = self.frozen[name]
            return ("frozen", kept.file) if kept.value is None else const(kept.type, kept.value)
        item = self.items.get((space, name))
        if item is None or ("item", space, name) not in self.expand:
            return plain
        env = {f"per{at}": key for at, key in enumerate(keys)}
        made = self.once(("item", space, name, keys), item.expr, env)
        made = self.entered(item, keys, made)
        if item.withheld is not None:
            return ("withheld", made, self.form(item.withheld, env))
        return made

    def entered(self, item: core.Item, keys: tuple[Form, ...], made: Form) -> Form:
        """The form of an entry, where other rows may have entries now: of a row that has none it is undefined."""
        changed = [
            (name, key) for name, key in zip(item.per, keys, strict=False)
            if ("table", name) in self.expand and self.tables[name].kind != "listed"
        ]  # fmt: skip
        known = [self.listed.member(self, name, key) for name, key in changed]
        if False in known:
            return UNDEFINED
        if None not in known:
            return made
        return ("entry of", made, tuple((self.source_of(name), key) for name, key in changed))

    def other(self, value: object, env: Env) -> Form:
        """A node that has no rule of its own: its class and its fields."""
        fields: tuple[str, ...] = getattr(type(value), "__record_fields__", ())
        return (type(value).__name__, *(self.part(getattr(value, name), env) for name in fields if name != "type"))

    def part(self, part: Any, env: Env) -> Any:
        """The form of anything inside a formula; what is no formula stays as it is."""
        if isinstance(part, core.Expr):
            return self.form(part, env)
        if isinstance(part, core.Rows):
            return self.rows(part, env)[0]
        if isinstance(part, tuple):
            return tuple(self.part(item, env) for item in part)
        return part

    # --- sums -----------------------------------------------------------------------------------------------------

    def terms(self, value: core.Expr, env: Env) -> Terms:
        """A formula as a sum: the coefficient of each product of atoms; the empty product is the constant."""
        match value:
            case core.Const(_, known) if type(known) is int or type(known) is Fraction:
                return {(): known if type(known) is Fraction else Fraction(known)}
            case core.Negative(_, operand):
                return scaled(self.terms(operand, env), MINUS)
            case core.Arithmetic(_, "+", left, right):
                return added(self.terms(left, env), self.terms(right, env))
            case core.Arithmetic(_, "-", left, right):
                return added(self.terms(left, env), scaled(self.terms(right, env), MINUS))
            case core.Arithmetic(_, "*", left, right):
                return multiplied(self.terms(left, env), self.terms(right, env))
            case core.Arithmetic(_, "/", left, right):
                return divided(self.terms(left, env), self.terms(right, env))
            case core.Arithmetic(_, "^", base, core.Const(_, int() as n)) if 1 <= n <= _POWER:
                factor = self.terms(base, env)
                made = factor
                for _ in range(n - 1):
                    made = multiplied(made, factor)
                return made
        made_atom = self.other(value, env) if isinstance(value, core.Arithmetic) else self.form(value, env)
        return dict(made_atom[1]) if made_atom[0] == "sum" else single(made_atom)


@Kept
def _plain(value: core.Expr) -> Form:
    return Normal().of(value)


def plain(value: core.Expr) -> Form:
    """The form of a formula by itself, whatever the names in it stand for; raises TooLarge."""
    form: Form = _plain(value)
    return form


def _constant(value: core.Expr) -> bool:
    return isinstance(value, core.Const) and value.value is not None


def _told_apart(one: Form, other: Form) -> bool:
    """Whether two forms are equal only where they are the same: two words, or two rows that stand in the spec."""
    words = one[:2] == other[:2] == ("const", "word")
    return words or (one[0] == other[0] == "listed" and one[1] == other[1])


_EXACT = (int, Fraction)
_SUMS = {core.Arithmetic, core.Negative}
_LOGIC = {core.Not, core.And, core.Or, core.Compare, core.InList, core.InRange, core.Quantified, core.Is, core.Const}
