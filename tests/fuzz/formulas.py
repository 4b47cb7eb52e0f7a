"""Random formulas by type: what is written is what its place wants, so that most of it passes the checker.

A condition of a filter must be proved defined. It is marked `\N{LEFT-POINTING ANGLE BRACKET}...\N{RIGHT-POINTING ANGLE BRACKET}` here; `settled` writes it as it is, or `(...) is true`
where the checker wanted that.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random

from fuzz import kinds
from fuzz.kinds import ANY, BOOL, DATE, ENUM, INT, MEASURES, NUM, REAL, TEXT, TIME, UNITS, Kind, alike, literal

OPEN, CLOSE = "\u2329", "\u232a"
ANY_BESIDE = ("1", "0.5", '"a"')
COMPARED = ("==", "!=", "<", "<=", ">", ">=")


def settled(text: str, wrapped: bool) -> str:
    """The formula with its marked conditions as they are, or decided by `is true`."""
    one, other = ("(", ") is true") if wrapped else ("", "")
    return text.replace(OPEN, one).replace(CLOSE, other)


@dataclass
class Column:
    """A column of a table, plain or derived."""

    name: str
    kind: Kind
    optional: bool = False
    stored: bool = True


@dataclass
class Table:
    """A table as formulas see it; `root` holds its columns. `unique`: an int column that tells its rows apart."""

    name: str
    root: str
    columns: list[Column] = field(default_factory=list)
    ordered: bool = False
    unique: str = ""
    key: str = ""
    labels: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()
    parent: str = ""


@dataclass
class Frame:
    """A row in scope."""

    root: str
    alias: str = ""


@dataclass
class Value:
    """A named value: a definition, a metric, an entry per row of `per`."""

    name: str
    kind: Kind
    per: tuple[str, ...] = ()


Scope = tuple[Frame, ...]


class Formulas:
    """Writes formulas over the tables and values that there are so far."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self.tables: dict[str, Table] = {}
        self.values: list[Value] = []
        self.aliases = 0

    def columns(self, root: str) -> list[Column]:
        """The columns of a root table; of a product those of its parts too."""
        table = self.tables[root]
        made = list(table.columns)
        for part in table.parts:
            made += self.columns(self.tables[part].root)
        return made

    def pick(self, *ways: tuple[float, Callable[[], str]]) -> str:
        """One of several ways by weight; the others where it gives nothing."""
        left = list(ways)
        while left:
            chosen = self.rng.choices(left, [weight for weight, _ in left])[0]
            made = chosen[1]()
            if made:
                return made
            left.remove(chosen)
        return ""

    # --- what is in scope -------------------------------------------------------------------------------------

    def readable(self, scope: Scope, kind: Kind) -> list[str]:
        """Every name and path of this type."""
        found, hidden = [], set[str]()
        for frame in reversed(scope):
            for column in self.columns(frame.root):
                name = f"{frame.alias}.{column.name}" if frame.alias else column.name
                if name in hidden:
                    continue
                hidden.add(name)
                if alike(column.kind, kind):
                    found.append(name)
                if column.kind.name == "row":
                    found += [f"{name}.{c.name}" for c in self.columns(column.kind.table) if alike(c.kind, kind)]
        for value in self.values:
            if not alike(value.kind, kind) or value.name in hidden:
                continue
            if not value.per:
                found.append(value.name)
            elif any(not frame.alias and frame.root == value.per[0] for frame in scope) and len(value.per) == 1:
                found.append(value.name)
            elif all(self.tables[name].labels for name in value.per):
                keys = ".".join(self.rng.choice(self.tables[name].labels) for name in value.per)
                found.append(f"{value.name}.{keys}")
        return found

    def named(self, scope: Scope, kind: Kind) -> str:
        """A name of this type, if there is one."""
        found = self.readable(scope, kind)
        return self.rng.choice(found) if found else ""

    # --- rows -------------------------------------------------------------------------------------------------

    def rows(self, scope: Scope, depth: int, *, ordered: bool = False, table: str = "") -> tuple[str, Scope] | None:
        """Rows, and the scope inside of them."""
        rng = self.rng
        known = [t for t in self.tables.values() if (t.ordered or t.unique or not ordered) and not t.parent]
        nested = [t for t in self.tables.values() if t.parent and any(f.root == t.parent and not f.alias for f in scope)]
        if nested and not table and rng.random() < 0.3:
            chosen = rng.choice(nested)
            return self.filtered(chosen, chosen.name.rpartition(".")[2], scope, depth, ordered=ordered)
        if not known:
            return None
        chosen = self.tables[table] if table else rng.choice(known)
        text, roll = chosen.name, rng.random()
        if any(frame.root == chosen.root and not frame.alias for frame in scope) and chosen.ordered and roll < 0.5:
            text = f"earlier {text}" if roll < 0.3 else f"latest {rng.randint(1, 4)} {text}"
        elif roll > 0.85 and scope:
            text = f"entire {text}"
        return self.filtered(chosen, text, scope, depth, ordered=ordered)

    def filtered(self, table: Table, text: str, scope: Scope, depth: int, *, ordered: bool) -> tuple[str, Scope]:
        """The rows with an alias, filters, an order."""
        rng = self.rng
        alias = ""
        if rng.random() < 0.12:
            self.aliases += 1
            alias = f"o{self.aliases}"
            text += f" as {alias}"
        inside = (*scope, Frame(table.root, alias))
        if rng.random() < 0.2:
            text += self.matching(table, scope)
        for _ in range(rng.choice((0, 0, 1, 1, 2)) if depth > 0 else rng.choice((0, 0, 1))):
            text += f" where {self.test(inside, max(depth - 1, 0))}"
        if table.unique and (rng.random() < 0.15 or (ordered and not table.ordered)):
            text += f" ordered by {self.order(table, alias)}"
        return text, inside

    def test(self, scope: Scope, depth: int) -> str:
        """The condition of a filter, marked where it may need to be decided."""
        rng = self.rng
        if rng.random() < 0.25:
            names = self.readable(scope, rng.choice((BOOL, INT, NUM, TEXT, ENUM)))
            if names:
                return f"({rng.choice(names)} is {rng.choice(('defined', 'defined', 'undefined'))})"
        return f"{OPEN}{self.condition(scope, depth)}{CLOSE}"

    def matching(self, table: Table, scope: Scope) -> str:
        """`matching c` for a column that a row in scope has, too."""
        around = {c.name: c.kind for frame in scope if not frame.alias for c in self.columns(frame.root)}
        known = [c.name for c in self.columns(table.root) if around.get(c.name) == c.kind and c.kind.name != "set"]
        return f" matching {self.rng.choice(known)}" if known else ""

    def order(self, table: Table, alias: str) -> str:
        """What rows are ordered by: mostly something that never ties."""
        path = f"{alias}." if alias else ""
        keys = [path + table.unique]
        firsts = [c.name for c in self.columns(table.root) if c.kind.name in (*MEASURES, "text", "enum") and not c.optional]
        firsts = [name for name in firsts if name != table.unique]
        if firsts and self.rng.random() < 0.5:
            keys.insert(0, path + self.rng.choice(firsts))
        if len(keys) > 1 and self.rng.random() < 0.03:
            keys.pop()
        return " then ".join(keys)

    def over(self, scope: Scope, depth: int, kind: Kind, form: str, *, ordered: bool = False) -> str:
        """`f(x over ROWS)`; `form` holds `{x}` (of this type) and `{rows}`."""
        found = self.rows(scope, depth, ordered=ordered)
        if found is None:
            return ""
        text, inside = found
        for _ in range(3):
            operand = self.named(inside, kind) if self.rng.random() < 0.6 else self.value(inside, kind, depth - 1)
            if operand:
                return form.format(x=operand, y=self.value(inside, kind, 0), c=self.condition(inside, 0), rows=text)
        return ""

    # --- values -----------------------------------------------------------------------------------------------

    def value(self, scope: Scope, kind: Kind, depth: int) -> str:
        """A formula of a type."""
        if kind.name == "bool":
            return self.condition(scope, depth)
        if depth <= 0 or (kind.name in ("digest", "any", "row") and self.rng.random() < 0.8):
            return self.pick((4, lambda: self.named(scope, kind)), (1, lambda: literal(self.rng, kind))) or self.made(
                scope, kind, depth
            )
        return self.pick(
            (2, lambda: self.named(scope, kind)),
            (0.6, lambda: literal(self.rng, kind)),
            (4, lambda: self.made(scope, kind, depth)),
        )

    def made(self, scope: Scope, kind: Kind, depth: int) -> str:
        """A value that is computed."""
        ways: dict[str, Callable[[], str]] = {
            "int": lambda: self.whole(scope, depth),
            "num": lambda: self.number(scope, depth),
            "text": lambda: self.text(scope, depth),
            "time": lambda: self.extreme(scope, depth, TIME),
            "date": lambda: self.pick(
                (1, lambda: self.extreme(scope, depth, DATE)), (1, lambda: self.wrapped("day({})", scope, TIME, depth))
            ),
            "real": lambda: self.real(scope, depth),
            "list": lambda: self.over(scope, depth, kind.item or INT, "list({x} over {rows})"),
        }
        if kind.name in UNITS:
            return self.pick(
                (3, lambda: self.quantity(scope, kind, depth)), (1, lambda: literal(self.rng, kind))
            )
        return self.pick(
            (5, ways.get(kind.name, lambda: "")),
            (0.7, lambda: self.of_one_row(scope, depth, kind)),
            (0.1, lambda: literal(self.rng, kind)),
        )

    def wrapped(self, form: str, scope: Scope, kind: Kind, depth: int) -> str:
        """A function of one value."""
        inner = self.value(scope, kind, depth - 1)
        return form.format(inner) if inner else ""

    def of_one_row(self, scope: Scope, depth: int, kind: Kind) -> str:
        """`first(T).x`, `last(T).x`, `only(T where ...).x`."""
        found = self.rows(scope, depth, ordered=True)
        if found is None:
            return ""
        text, inside = found
        names = [c.name for c in self.columns(inside[-1].root) if alike(c.kind, kind)]
        if not names:
            return ""
        table, name = self.tables[inside[-1].root], self.rng.choice(names)
        if self.rng.random() < 0.3 and table.unique:
            path = f"{inside[-1].alias}." if inside[-1].alias else ""
            text = re.sub(r" (where|ordered) .*", "", text, flags=re.DOTALL)
            return f"only({text} where {path}{table.unique} == {self.rng.randint(0, 8)}).{name}"
        if self.rng.random() < 0.02:
            return f"only({text}).{name}"
        return f"{self.rng.choice(('first', 'last'))}({text}).{name}"

    def extreme(self, scope: Scope, depth: int, kind: Kind) -> str:
        """The smallest or largest."""
        function = self.rng.choice(("min", "max"))
        return self.pick(
            (2, lambda: self.over(scope, depth, kind, f"{function}({{x}} over {{rows}})")),
            (1, lambda: self.pair(f"{function}({{}}, {{}})", scope, kind, depth)),
        )

    def pair(self, form: str, scope: Scope, kind: Kind, depth: int) -> str:
        """Something of two values of one type."""
        one, other = self.value(scope, kind, depth - 1), self.value(scope, kind, depth - 1)
        same = one.rpartition(".")[2] == other.rpartition(".")[2]
        return form.format(one, other) if one and other and not same else ""

    def whole(self, scope: Scope, depth: int) -> str:
        """A whole number."""
        rng = self.rng
        any_kind = rng.choice((INT, NUM, TEXT, ENUM, BOOL, ANY, DATE, TIME))
        return self.pick(
            (4, lambda: self.count(scope, depth)),
            (1, lambda: self.over(scope, depth, any_kind, "distinct({x} over {rows})")),
            (1, lambda: self.over(scope, depth, BOOL, "longest_run({x} over {rows})", ordered=True)),
            (2, lambda: self.over(scope, depth, INT, "sum({x} over {rows})")),
            (0.5, lambda: self.over(scope, depth, INT, "product({x} over {rows})")),
            (1, lambda: self.extreme(scope, depth, INT)),
            (2, lambda: self.pair(f"({{}} {rng.choice('+-*')} {{}})", scope, INT, depth)),
            (0.5, lambda: self.wrapped("abs({})", scope, INT, depth)),
            (0.5, lambda: self.wrapped("(-{})", scope, INT, 0)),
            (0.5, lambda: self.wrapped("floor({})", scope, NUM, depth)),
            (0.5, lambda: self.wrapped("indicator({})", scope, BOOL, depth)),
            (0.5, lambda: self.wrapped("chars({})", scope, TEXT, depth)),
            (0.5, lambda: self.collection(scope, "size({})")),
            (0.3, lambda: self.pair("occurrences({}, {})", scope, TEXT, depth)),
            (0.3, lambda: self.pair("offset({}, {})", scope, TEXT, depth)),
            (0.3, lambda: self.wrapped(f"({{}}) ^ {rng.randint(0, 3)}", scope, INT, 0)),
            (0.3, lambda: self.over(scope, depth, BOOL, f"mcnemar({{x}}, {{c}} over {{rows}}).{rng.choice(('only_first', 'only_second'))}")),
            (0.3, lambda: self.over(scope, depth, NUM, "sign_test({x}, {y} over {rows}, ties = dropped).more")),
        )  # fmt: skip

    def count(self, scope: Scope, depth: int) -> str:
        """How many rows."""
        found = self.rows(scope, depth)
        return f"count({found[0]})" if found else ""

    def collection(self, scope: Scope, form: str) -> str:
        """Something of a set or list."""
        names = [n for item in (INT, TEXT, NUM) for form_ in ("set", "list")
                 for n in self.readable(scope, Kind(form_, item=item))]  # fmt: skip
        return form.format(self.rng.choice(names)) if names else ""

    def number(self, scope: Scope, depth: int) -> str:
        """A number."""
        rng = self.rng
        kind = rng.choice((INT, NUM))
        at = rng.choice(("50%", "25%", "0.9", "10%", "0", "1"))
        method = rng.choice(("", ", method = linear"))
        missing = rng.choice(("", ", missing = dropped", ", missing = counted"))
        level = rng.choice(("90%", "95%", "99%"))
        return self.pick(
            (3, lambda: self.over(scope, depth, BOOL, "rate({x} over {rows})")),
            (2, lambda: self.over(scope, depth, kind, "mean({x} over {rows})")),
            (1, lambda: self.over(scope, depth, NUM, "sum({x} over {rows})")),
            (1, lambda: self.over(scope, depth, kind, "median({x} over {rows})")),
            (1, lambda: self.over(scope, depth, kind, "variance({x} over {rows})")),
            (1, lambda: self.over(scope, depth, kind, f"quantile({{x}} over {{rows}}, at = {at}{method})")),
            (0.5, lambda: self.over(scope, depth, kind, "p95({x} over {rows})")),
            (0.5, lambda: self.over(scope, depth, kind, "mad({x} over {rows})")),
            (0.5, lambda: self.over(scope, depth, kind, "harmonic_mean({x} over {rows})")),
            (0.3, lambda: self.over(scope, depth, NUM, "product({x} over {rows})")),
            (0.5, lambda: self.over(scope, depth, NUM, f"cut_off({{x}} over {{rows}}, group = {rng.randint(1, 3)}, of = {rng.randint(1, 4)})")),
            (0.5, lambda: self.over(scope, depth, NUM, "max_drawdown({x} over {rows})", ordered=True)),
            (0.5, lambda: self.over(scope, depth, NUM, "auc({x}, {c} over {rows})")),
            (0.5, lambda: self.over(scope, depth, BOOL, "mcnemar({x}, {c} over {rows}).p")),
            (0.5, lambda: self.over(scope, depth, NUM, "correlation({x}, {y} over {rows}).signed_square")),
            (0.5, lambda: self.over(scope, depth, NUM, "spearman({x}, {y} over {rows}).signed_square")),
            (0.3, lambda: self.over(scope, depth, NUM, f"benjamini_hochberg({{x}} over {{rows}}, level = {level}).limit")),
            (0.3, lambda: self.over(scope, depth, NUM, f"sign_test({{x}}, {{y}} over {{rows}}, ties = {rng.choice(('dropped', 'halved'))}).p")),
            (0.3, lambda: self.over(scope, depth, ENUM, "cohen_kappa({x}, {y} over {rows})")),
            (0.3, lambda: self.over(scope, depth, NUM, "brier({x}, {c} over {rows})")),
            (0.3, lambda: self.over(scope, depth, NUM, f"ece({{x}}, {{c}} over {{rows}}, bins = {rng.randint(1, 4)})")),
            (2, lambda: self.pair(f"({{}} {rng.choice('+-*/')} {{}})", scope, kind, depth)),
            (1, lambda: self.pair("({} / {})", scope, INT, depth)),
            (1, lambda: self.pair("({} / {})", scope, kinds.measure(rng), depth)),
            (0.5, lambda: self.extreme(scope, depth, NUM)),
            (0.5, lambda: self.wrapped("abs({})", scope, NUM, depth)),
            (0.5, lambda: self.wrapped(f"round({{}}, digits = {rng.randint(0, 4)})", scope, rng.choice((NUM, REAL)), depth)),
            (0.3, lambda: self.wrapped(f"({{}}) ^ {rng.randint(0, 3)}", scope, NUM, 0)),
            (0.3, lambda: self.family(scope, missing)),
            (0.3, lambda: self.test_of_counts(scope, depth)),
        )  # fmt: skip

    def family(self, scope: Scope, missing: str) -> str:
        """An adjusted p of one of a family."""
        members = list(dict.fromkeys(self.value(scope, NUM, 0) for _ in range(3)))
        function = self.rng.choice(("holm", "bonferroni", "benjamini_hochberg"))
        return f"{function}({members[0]}, [{', '.join(members)}]{missing})" if len(members) > 1 else ""

    def test_of_counts(self, scope: Scope, depth: int) -> str:
        """An exact test of counts."""
        counts = [self.value(scope, INT, depth - 1) for _ in range(4)]
        side = self.rng.choice(("p", "at_least", "at_most"))
        if self.rng.random() < 0.5:
            return f"fisher({', '.join(counts)}).{side}"
        return f"binomial_test({counts[0]}, {counts[1]}, 0.5).{side}"

    def real(self, scope: Scope, depth: int) -> str:
        """A real number."""
        level, side = self.rng.choice(("90%", "95%", "99%", "80%")), self.rng.choice(("low", "high"))
        function = self.rng.choice(("wilson", "wilson", "clopper_pearson"))
        return self.pick(
            (1, lambda: self.wrapped("sqrt({})", scope, NUM, depth)),
            (1, lambda: self.pair(f"{function}({{}}, {{}}, level = {level}).{side}", scope, INT, depth)),
            (1, lambda: self.over(scope, depth, NUM, "spearman({x}, {y} over {rows}).value")),
        )

    def quantity(self, scope: Scope, kind: Kind, depth: int) -> str:
        """A duration, size or sum of money."""
        rng = self.rng
        function = rng.choice(("sum", "mean", "min", "max", "median", "p95", "mad"))
        return self.pick(
            (3, lambda: self.over(scope, depth, kind, f"{function}({{x}} over {{rows}})")),
            (1, lambda: self.pair(f"({{}} {rng.choice('+-')} {{}})", scope, kind, depth)),
            (1, lambda: self.scaled(scope, kind, depth)),
            (0.5, lambda: self.pair(f"{rng.choice(('min', 'max'))}({{}}, {{}})", scope, kind, depth)),
            (0.5, lambda: self.wrapped("abs({})", scope, kind, depth)),
        )

    def scaled(self, scope: Scope, kind: Kind, depth: int) -> str:
        """A quantity times or by a number."""
        one, number = self.value(scope, kind, depth - 1), self.value(scope, NUM, depth - 1)
        return f"({one} {self.rng.choice('*/')} {number})" if one and number else ""

    def text(self, scope: Scope, depth: int) -> str:
        """A text."""
        return self.pick(
            (1, lambda: self.wrapped(f"slice({{}}, {self.rng.randint(0, 1)}, {self.rng.randint(1, 3)})", scope, TEXT, depth)),
            (1, lambda: self.named(scope, TEXT)),
            (1, lambda: literal(self.rng, TEXT)),
        )  # fmt: skip

    # --- conditions -------------------------------------------------------------------------------------------

    def condition(self, scope: Scope, depth: int) -> str:
        """A condition."""
        return self.pick(
            (2, lambda: self.named(scope, BOOL)),
            (4, lambda: self.comparison(scope, depth)),
            (1.5 if depth > 0 else 0.1, lambda: self.joined(scope, depth)),
            (1, lambda: self.wrapped("(not {})", scope, BOOL, depth) if depth > 0 else ""),
            (1, lambda: self.state(scope, depth)),
            (2 if depth > 0 else 0.2, lambda: self.quantified(scope, depth)),
            (1.5, lambda: self.membership(scope, depth)),
        )

    def comparison(self, scope: Scope, depth: int) -> str:
        """Two values of a type, or three in a chain."""
        rng = self.rng
        kind = rng.choice((INT, INT, NUM, NUM, kinds.measure(rng), TEXT, ENUM, TIME, DATE, ANY, BOOL))
        if kind == ANY:
            return self.any_compared(scope)
        if rng.random() < 0.08:
            return self.rows_compared(scope)
        if kind.name in (*MEASURES, "time", "date"):
            if rng.random() < 0.15 and depth > 0:
                parts = [self.value(scope, kind, depth - 1) for _ in range(3)]
                if all(parts) and parts[0] != parts[1] != parts[2]:
                    return f"({parts[0]} {rng.choice(COMPARED)} {parts[1]} {rng.choice(COMPARED)} {parts[2]})"
            return self.pair(f"({{}} {rng.choice(COMPARED)} {{}})", scope, kind, depth)
        op = rng.choice(("==", "!="))
        if kind == ENUM:
            left, other = self.named(scope, kind), self.named(scope, kind)
            other = rng.choice(kind.members) if other in ("", left) or rng.random() < 0.6 else other
            return f"({left} {op} {other})" if left else ""
        return self.pair(f"({{}} {op} {{}})", scope, kind, depth)

    def any_compared(self, scope: Scope) -> str:
        """A value of any kind beside another value: of its own kind, so that the rows fit."""
        left = self.named(scope, ANY)
        others = [name for name in self.readable(scope, ANY) if name != left]
        if not left:
            return ""
        if others and self.rng.random() < 0.7:
            return f"({left} == {self.rng.choice(others)})"
        return f"({left} == {self.rng.choice(ANY_BESIDE)})" if self.rng.random() < 0.1 else ""

    def rows_compared(self, scope: Scope) -> str:
        """Two references to one table."""
        for table in self.tables:
            names = self.readable(scope, Kind("row", table=table))
            if len(names) > 1:
                one, other = self.rng.sample(names, 2)
                return f"({one} {self.rng.choice(('==', '!='))} {other})"
        return ""

    def joined(self, scope: Scope, depth: int) -> str:
        """`and`, `or`."""
        parts = [self.condition(scope, depth - 1) for _ in range(self.rng.choice((2, 2, 3)))]
        word = self.rng.choice((" and ", " or "))
        return f"({word.join(parts)})" if all(parts) else ""

    def state(self, scope: Scope, depth: int) -> str:
        """`x is [not] defined`."""
        rng = self.rng
        no = rng.choice(("", "not "))
        if rng.random() < 0.5:
            return self.wrapped(f"({{}} is {no}{rng.choice(('true', 'false'))})", scope, BOOL, depth)
        kind = rng.choice((INT, NUM, TEXT, ENUM, ANY, TIME))
        return self.wrapped(f"({{}} is {no}{rng.choice(('defined', 'undefined'))})", scope, kind, depth)

    def quantified(self, scope: Scope, depth: int) -> str:
        """`all|some|no ROWS have CONDITION`."""
        found = self.rows(scope, depth - 1)
        if found is None:
            return ""
        word = self.rng.choice(("all", "some", "no"))
        if word != "all" and self.rng.random() < 0.3:
            return f"({word} {found[0]})"
        return f"({word} {found[0]} have {self.condition(found[1], depth - 1)})"

    def membership(self, scope: Scope, depth: int) -> str:
        """`x in ...`."""
        rng = self.rng
        no = rng.choice(("", "", "not "))
        kind = rng.choice((INT, NUM, TEXT, kinds.measure(rng), DATE))
        item = self.value(scope, kind, 0)
        roll = rng.random()
        if not item:
            return ""
        if roll < 0.3 and kind.name != "text":
            return f"({item} {no}in {self.value(scope, kind, 0)}..{self.value(scope, kind, 0)})"
        if roll < 0.55:
            members = [self.value(scope, kind, 0) for _ in range(rng.randint(1, 3))]
            return f"({item} {no}in [{', '.join(members)}])"
        if roll < 0.75:
            held = [n for form in ("set", "list") for n in self.readable(scope, Kind(form, item=kind))]
            return f"({item} {no}in {rng.choice(held)})" if held else ""
        tables = [(t.name, c.name) for t in self.tables.values() for c in t.columns if alike(c.kind, kind) and not t.parent]
        if not tables:
            return ""
        table, column = rng.choice(tables)
        if rng.random() < 0.5:
            return f"({item} {no}in {table}.{column})"
        return f"({item} {no}in ({table} where {self.test((*scope, Frame(self.tables[table].root)), 0)}).{column})"
