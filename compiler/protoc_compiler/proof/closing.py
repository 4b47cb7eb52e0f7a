"""Formulas without names: every definition, metric, derived column and subset is put in the place of its name.

What is left reads nothing but the columns of root tables, so that the formulas of two protocols can be compared: two
that are equal here mean the same. Row variables are named by their depth; `!=`, `>` and `>=` are written with `==`,
`<` and `<=`; the parts of sums, products, `and` and `or` stand in a fixed order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property, lru_cache
from operator import is_

from protoc_compiler import core
from protoc_compiler.core.tree import holding
from protoc_compiler.proof.placed import order_of_rows, placed, words_in_order
from protoc_compiler.sha import sha256_hex
from protoc_runtime.record import record, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from protoc_compiler.drift.referred import Referred
    from protoc_compiler.proof.fixed import Totals

Env = dict[str, core.Expr]
Closed = Callable[[str, str], core.Expr | None]
_DEPTH = 60  # of nested names; a formula that is deeper stays as it is written
_FLIPPED = {">": "<", ">=": "<="}
_FREE = ("row", "bool")


class TooDeep(Exception):
    """A formula is nested deeper than any that people write."""


@record
class Grouping:
    """Groups of the rows of one root table: by which columns, of which rows (formulas about `self`)."""

    root: str
    columns: tuple[str, ...]
    where: tuple[core.Expr, ...]


class Closing:
    """Closes the formulas of one protocol."""

    def __init__(
        self, protocol: core.Protocol, shuffled: frozenset[str] = frozenset(),
        recelled: frozenset[tuple[str, str]] = frozenset(), shared: dict[core.Expr, core.Expr] | None = None,
        closed: Closed | None = None, chosen: frozenset[str] = frozenset(), referred: Referred | None = None,
    ) -> None:  # fmt: skip
        """`shared`: the closed formulas of the protocol beside this one, each under itself; its own are put there.
        `closed` gives the formula of an item that means the same there. `chosen`: the tables that may be made of other
        rows there. `referred`: to which listed rows the data of both can refer."""
        self.protocol = protocol
        self.closed = closed
        self.shared: dict[core.Expr, core.Expr] = {} if shared is None else shared
        self.chosen = chosen
        self.referred = referred
        self.shuffled = shuffled  # the tables whose order is another in the protocol beside this one
        self.recelled = recelled  # the columns of listed tables whose cells are others there
        self.tables = {table.name: table for table in protocol.tables}
        self.groupings: dict[str, Grouping] = {}
        self.listed: dict[str, core.Table] = {}  # by the names that tell what they are
        self._items = {(item.space, item.name): item for item in protocol.items}
        self._frozen = {item.name: item for item in protocol.freeze}
        self._intervals = {item.name: item for item in protocol.intervals}
        self._closed: dict[tuple[str, str], core.Expr] = {}
        self._names: dict[str, str] = {}

    @cached_property
    def _totals(self) -> Totals:
        from protoc_compiler.proof.fixed import Totals  # few pairs have other listed rows

        return Totals(self.protocol)

    def item(self, space: str, name: str) -> core.Expr:
        """The closed formula of a study-level item; undefined where it is withheld."""
        key = (space, name)
        if key not in self._closed:
            known = self.closed(space, name) if self.closed is not None else None
            self._closed[key] = self._item(self._items[key]) if known is None else known
        return self._closed[key]

    def _item(self, item: core.Item) -> core.Expr:
        return self._withheld(item, self.close(item.expr, {}, 0), {}, 0)

    def close(self, value: core.Expr, env: Env, depth: int) -> core.Expr:
        """A formula whose free row variables are given by `env`, under `depth` open rows."""
        if depth > _DEPTH:
            raise TooDeep
        special = _SPECIAL.get(type(value))
        made: core.Expr = special(self, value, env, depth) if special else self._any_other(value, env, depth)
        if type(made) in _ORDERED:
            made = ordered(made)
        return self.shared.setdefault(made, made)  # so that what is alike is one, and is compared at once

    # --- names ----------------------------------------------------------------------------------------------

    def _rowvar(self, value: core.RowVar, env: Env, depth: int) -> core.Expr:
        return env.get(value.var, value)

    def _global(self, value: core.Global, env: Env, depth: int) -> core.Expr:
        if (value.space, value.name) in self._items:
            return self.item(value.space, value.name)
        frozen = self._frozen.get(value.name) if value.space == "freeze" else None
        if frozen is not None and frozen.value is not None:
            return core.Const(value.type, frozen.value)
        text = f"{value.space}.{value.name}" + (f" of {frozen.file}" if frozen is not None else "")
        return core.Call(value.type, "named", (core.Const(core.TEXT, text),), ())

    def _entry(self, value: core.Entry, env: Env, depth: int) -> core.Expr:
        found = self._items[value.space, value.name]
        keys = {f"per{at}": self.close(key, env, depth) for at, key in enumerate(value.keys)}
        return self._withheld(
            found, self._entered(found.per, self.close(found.expr, keys, depth + 1), keys), keys, depth + 1
        )

    def _entered(self, per: tuple[str, ...], made: core.Expr, keys: Env) -> core.Expr:
        """The entry of rows: undefined where one of them is none of the rows that have entries."""
        for at, name in enumerate(per):
            if name in self.chosen and self.tables[name].kind != "listed":
                rows = _short(self.rows(core.Rows("row", name), {}, 0)[0])
                inside = core.Call(core.BOOL, "entered", (core.Const(core.TEXT, rows), keys[f"per{at}"]), ())
                made = core.Choose(made.type, ((inside, made),), core.Const(made.type, None))
        return made

    def _withheld(self, item: core.Item, made: core.Expr, env: Env, depth: int) -> core.Expr:
        if item.withheld is None:
            return made
        hidden = core.Const(made.type, None)
        return core.Choose(made.type, ((self.close(item.withheld, env, depth), hidden),), made)

    def _column(self, value: core.Column, env: Env, depth: int) -> core.Expr:
        row = self.close(value.row, env, depth)
        table = self.tables.get(value.row.type.table)
        column = table.column(value.name) if table is not None else None
        if column is not None and column.expr is not None:
            return self.close(column.expr, {"self": row}, depth + 1)
        if table is not None and (table.name, value.name) in self.recelled and not self._alike(row, table, value.name):
            return core.Column(value.type, row, recelled_name(table, value.name))
        return core.Column(value.type, row, value.name)

    def _alike(self, row: core.Expr, table: core.Table, name: str) -> bool:
        """Whether the same stands in a column of all listed rows that this can be, on data that both protocols take."""
        if self.referred is None or not isinstance(row, core.Column) or not self.referred.by_data(row.name, table.name):
            return False
        return self.referred.alike(table.name, name, by_data=True)

    def _bound(self, value: core.Bound, env: Env, depth: int) -> core.Expr:
        found = self._intervals[value.interval]
        keys = tuple(self.close(key, env, depth) for key in value.keys)
        metric = core.Entry(core.NUMBER, "metrics", found.metric, keys if found.per else ())
        read = () if found.per and not keys else (self.close(metric, {}, depth),)
        words = (core.Const(core.TEXT, f"{value.which} {_digest(self._drawn(found, keys, depth))}"),)
        made = core.Call(value.type, "interval", (*words, *read, *keys), ())
        return self._entered(found.per, made, {f"per{at}": key for at, key in enumerate(keys)}) if keys else made

    def _drawn(self, found: core.Interval, keys: tuple[core.Expr, ...], depth: int) -> tuple[object, ...]:
        """All that the draws of an interval depend on, beside its metric."""
        env: Env = {f"per{at}": key for at, key in enumerate(keys)}
        rows: list[str] = []
        for at, one in enumerate((*found.resample, *found.follow)):
            made, env = self.rows(one, env, depth + at, "first")
            rows.append(key_of_rows(made))
        below = depth + len(rows)
        strata = tuple(self.close(value, env, below) for value in found.within)
        within = (_inner(strata), words_in_order(strata))
        out_of = key_of(self.close(found.out_of, env, below)) if found.out_of is not None else ""
        own = (found.draws, found.generator, found.seed, found.level, found.per)
        return (*rows, len(found.follow), within, out_of, *own)

    # --- rows -----------------------------------------------------------------------------------------------

    def rows(self, rows: core.Rows, env: Env, depth: int, function: str = "") -> tuple[core.Rows, Env]:
        """Rows of a root table or of groups that a function reads, with the conditions of subsets written out; and
        what is known inside."""
        var = f"v{depth}"
        base = self.close(rows.base, env, depth) if rows.base is not None else None
        match = tuple(core.Match(self._key(rows.table, m.column), self.close(m.value, env, depth)) for m in rows.match)
        table, where = self._root(rows.table, var, depth + 1, rows.scope == "all")
        root = self.tables[rows.table].root
        inside = env | {rows.var: core.RowVar(core.Type("row", table=root), var)}
        where += [part for test in rows.where for part in _flat(self.close(test, inside, depth + 1))]
        order = tuple(self.close(key, inside, depth + 1) for key in rows.order)
        kept = tuple(sorted(dict.fromkeys(where), key=key_of))
        sorted_match = tuple(sorted(match, key=lambda one: (one.column, key_of(one.value))))
        made = core.Rows(var, table, rows.scope, rows.latest, base, sorted_match, kept, order)
        return (placed(made, rows.table, self.tables, function) if rows.table in self.shuffled else made), inside

    def _root(self, name: str, var: str, depth: int, free: bool) -> tuple[str, list[core.Expr]]:
        table = self.tables[name]
        if table.kind == "subset" and table.rows is not None and free and table.rows.scope == "all":
            upper, where = self._root(table.rows.table, var, depth, free)
            inside: Env = {table.rows.var: core.RowVar(core.Type("row", table=table.root), var)}
            own = [part for test in table.rows.where for part in _flat(self.close(test, inside, depth))]
            where = where + own
            if not (table.rows.match or table.rows.order):
                return upper, where
        return self.named(name), []

    def named(self, name: str) -> str:
        """The name of a table that tells what it is: the same in two protocols if and only if it means the same."""
        if name not in self._names:
            self._names[name] = name
            self._names[name] = self._meaning(self.tables[name])
        return self._names[name]

    def _meaning(self, table: core.Table) -> str:
        if table.kind in ("input", "nested"):
            return table.name
        if table.kind == "grouped" and table.rows is not None and table.rows.scope == "all" and not table.rows.match:
            rows, _ = self.rows(table.rows, {}, 0)
            where = tuple(canonical(part, "v0") for part in rows.where)
            name = f"{rows.table} by {', '.join(self._key(table.rows.table, one) for one in table.group)}" + (
                f" ({_digest(where)})" if where else ""
            )
            self.groupings[name] = Grouping(rows.table, table.group, where)
            return name
        if table.kind == "listed":
            cells = [(column.name, column.expr is None) for column in table.columns]
            name = f"{table.name}#{_digest((cells, tuple(sorted(zip(table.labels, table.listed, strict=True)))))}"
            self.listed[name] = table
            return name
        stacked = [column.name for column in table.columns if column.origin == "stacked"]
        parts = [
            (self.named(part), *(self._key(part, name) for name in stacked))
            for part in table.parts if part in self.tables
        ]  # fmt: skip
        rows_text = key_of_rows(self.rows(table.rows, {}, 0)[0]) if table.rows is not None else ""
        shuffled = table.sample is not None and table.name in self.shuffled
        drawn = (order_of_rows(table.name, self.tables),) if shuffled else ()
        below = table.rows.table if table.rows is not None else table.name
        keys = tuple(self._key(below, one) for one in (*table.group, table.within) if one)
        return f"{table.kind}#{_digest((parts, rows_text, keys, table.sample, *drawn))}"

    def _key(self, table: str, name: str) -> str:
        """A column that rows are told apart by: its name; of one that is defined what it means, too."""
        root = self.tables[self.tables[table].root]
        column = root.column(name)
        if column is None or column.expr is None:
            return name
        row = core.RowVar(core.Type("row", table=root.name), "self")
        return f"{name}#{_short(canonical(self.close(column.expr, {'self': row}, 1), 'self'))}"

    def _quantified(self, value: core.Quantified, env: Env, depth: int) -> core.Expr:
        rows, inside = self.rows(value.rows, env, depth)
        if value.condition is None:
            count = core.Aggregate(core.INT, "count", rows, (), ())
            none = core.Const(core.INT, 0)
            if value.quantifier == "some":
                return core.Compare(core.BOOL, (none, count), ("<",))
            return core.Compare(core.BOOL, (count, none), ("==",))
        return core.Quantified(value.type, value.quantifier, rows, self.close(value.condition, inside, depth + 1))

    def _aggregate(self, value: core.Aggregate, env: Env, depth: int) -> core.Expr:
        root = self.tables[self.tables[value.rows.table].root]
        if root.kind == "listed" and root.name in self.chosen:  # it may be another number in the other protocol
            known = self._totals.number(value)
            if known is not None:
                return known
        rows, inside = self.rows(value.rows, env, depth, value.function)
        args = tuple(self.close(arg, inside, depth + 1) for arg in value.args)
        options = tuple((name, self.close(option, env, depth)) for name, option in value.options)
        return core.Aggregate(value.type, value.function, rows, args, options)

    def _onerow(self, value: core.OneRow, env: Env, depth: int) -> core.Expr:
        return core.OneRow(value.type, value.function, self.rows(value.rows, env, depth, value.function)[0])

    def _incolumn(self, value: core.InColumn, env: Env, depth: int) -> core.Expr:
        rows, inside = self.rows(value.rows, env, depth)
        return core.InColumn(
            value.type, self.close(value.item, env, depth), rows, self.close(value.value, inside, depth + 1)
        )

    def _compare(self, value: core.Compare, env: Env, depth: int) -> core.Expr:
        operands = tuple(self.close(part, env, depth) for part in value.operands)
        if len(value.ops) != 1:
            return core.Compare(value.type, operands, value.ops)
        (left, right), op = operands, value.ops[0]
        if op in _FLIPPED:
            return core.Compare(core.BOOL, (right, left), (_FLIPPED[op],))  # type: ignore[arg-type]
        if op in ("==", "!="):
            left, right = sorted((left, right), key=key_of)
            same = core.Compare(core.BOOL, (left, right), ("==",))
            return same if op == "==" else core.Not(core.BOOL, same)
        return core.Compare(core.BOOL, (left, right), (op,))

    def _any_other(self, value: core.Expr, env: Env, depth: int) -> core.Expr:
        changed = {}
        kind: Any = type(value)
        for name in holding(kind):
            part = getattr(value, name)
            made = self._inside_of(part, env, depth)
            if made is not part:
                changed[name] = made
        return replace(value, **changed) if changed else value

    def _inside_of(self, part: object, env: Env, depth: int) -> object:
        if isinstance(part, core.Expr):
            return self.close(part, env, depth)
        if isinstance(part, tuple):
            made = [self._inside_of(inner, env, depth) for inner in part]
            return part if all(map(is_, made, part)) else tuple(made)
        return part


_SPECIAL: dict[type, Callable[[Closing, Any, Env, int], core.Expr]] = {
    core.RowVar: Closing._rowvar,
    core.Global: Closing._global,
    core.Entry: Closing._entry,
    core.Column: Closing._column,
    core.Bound: Closing._bound,
    core.Quantified: Closing._quantified,
    core.Aggregate: Closing._aggregate,
    core.OneRow: Closing._onerow,
    core.InColumn: Closing._incolumn,
    core.Compare: Closing._compare,
}
_ORDERED = frozenset((core.And, core.Or, core.Arithmetic, core.Not))


def recelled_name(table: core.Table, column: str) -> str:
    """The name of a column of a listed table that tells what stands in it."""
    return f"{column}#{_digest(table.cells(column))}"


def ordered(value: core.Expr) -> core.Expr:
    """`and`, `or`, sums and products with their parts flat and in a fixed order."""
    if isinstance(value, (core.And, core.Or)):
        parts = tuple(sorted(dict.fromkeys(_flat(value, type(value))), key=key_of))
        return parts[0] if len(parts) == 1 else replace(value, parts=parts)
    if isinstance(value, core.Arithmetic) and value.op in ("+", "*"):
        left, right = sorted((value.left, value.right), key=key_of)
        return replace(value, left=left, right=right)
    if isinstance(value, core.Not) and isinstance(value.operand, core.Not):
        return value.operand.operand
    return value


def _flat(value: core.Expr, kind: type = core.And) -> list[core.Expr]:
    if isinstance(value, kind):
        return [inner for part in value.parts for inner in _flat(part, kind)]  # type: ignore[attr-defined]
    return [value]


@lru_cache(maxsize=1 << 12)
def canonical(value: core.Expr, var: str) -> Any:
    """The same formula with the row variable `var` called `self` and the others numbered as they are opened."""
    return _Renaming({var: "self"}).part(value)


class _Renaming:
    def __init__(self, names: dict[str, str]) -> None:
        self.names = names
        self.count = 0

    def part(self, value: Any) -> Any:
        """A part of a formula with its row variables renamed; what has none of them stays as it is."""
        kind: Any = type(value)
        if kind is core.RowVar:
            return replace(value, var=self.names[value.var]) if value.var in self.names else value
        if kind is tuple:
            made = [self.part(item) for item in value]
            return value if all(map(is_, made, value)) else tuple(made)
        if not issubclass(kind, (core.Expr, core.Match)):
            return value
        fields = holding(kind)
        if "rows" in fields:
            return self._opened(value, value.rows, fields)
        changed = self._changed(value, fields)
        return replace(value, **changed) if changed else value

    def _changed(self, value: Any, fields: Iterable[str]) -> dict[str, Any]:
        """The fields that are others with their row variables renamed."""
        before = [(name, getattr(value, name)) for name in fields]
        return {name: made for name, part in before if (made := self.part(part)) is not part}

    def _opened(self, value: Any, rows: core.Rows, fields: tuple[str, ...]) -> Any:
        outside = self._changed(value, [name for name in fields if name == "item"])
        base, match = self.part(rows.base), self.part(rows.match)
        before = self.names
        self.count += 1
        self.names = before | {rows.var: f"w{self.count}"}
        made = replace(
            rows, var=f"w{self.count}", base=base, match=match, where=self.part(rows.where), order=self.part(rows.order)
        )
        inner = self._changed(value, [name for name in fields if name not in ("rows", "item")])
        self.names = before
        return replace(value, rows=made, **outside, **inner)


_KEYS: dict[Any, str] = {}


def key_of(value: core.Expr) -> str:
    """A text that orders formulas, the same in every process."""
    known = _KEYS.get(value)
    if known is None:
        if len(_KEYS) > 1 << 16:
            _KEYS.clear()
        known = _KEYS[value] = _text(value)
    return known


def key_of_rows(rows: core.Rows) -> str:
    """The same for rows."""
    return _text(rows)


def _text(value: Any) -> str:
    if isinstance(value, core.Expr):
        fields = [_inner(part) for name, part in value.__dict__.items() if name not in ("type", "_hash")]
        return f"{type(value).__name__}({','.join(fields)})"
    return _inner(value)


def _inner(value: Any) -> str:
    if isinstance(value, core.Expr):
        return key_of(value)
    if isinstance(value, tuple):
        return f"({','.join(map(_inner, value))})"
    if hasattr(type(value), "__record_fields__"):
        fields = [
            _inner(part) for name, part in value.__dict__.items() if name not in ("_hash", "narrowed", "span", "text")
        ]
        if type(value) is core.Rows and value.order:
            fields.append(words_in_order(value.order))
        return f"{type(value).__name__}({','.join(fields)})"
    return repr(value)


def _short(value: object) -> str:
    return _digest(_inner(value))


def _digest(value: object) -> str:
    return sha256_hex(_inner(value).encode())[:12]
