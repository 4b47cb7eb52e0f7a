"""Random formulas by type: what is written is what its place wants, so that most of it passes the checker.

A condition of a filter must be proved defined. It stands between two marks here; `settled` writes it as it is, or
`(...) is true` where the checker wanted that.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from random import Random

from fuzz import kinds, library
from fuzz.kinds import ANY, BOOL, DATE, ENUM, INT, MEASURES, NUM, TEXT, TIME, UNITS, Kind, alike, literal
from fuzz.scope import Column, Frame, Scope, Table, Value

OPEN, CLOSE = "\u2329", "\u232a"
ANY_BESIDE = ("1", "0.5", '"a"')
COMPARED = ("==", "!=", "<", "<=", ">", ">=")


def settled(text: str, wrapped: bool) -> str:
    """The formula with its marked conditions as they are, or decided by `is true`."""
    one, other = ("(", ") is true") if wrapped else ("", "")
    return text.replace(OPEN, one).replace(CLOSE, other)


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
        here = {frame.root for frame in scope if not frame.alias}
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
            if not value.per or (len(value.per) == 1 and value.per[0] in here):
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
        nested = [
            t for t in self.tables.values() if t.parent and any(f.root == t.parent and not f.alias for f in scope)
        ]
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
            text += f" where {self.filtering(inside, max(depth - 1, 0))}"
        if table.unique and (rng.random() < 0.15 or (ordered and not table.ordered)):
            text += f" ordered by {self.order(table, alias)}"
        return text, inside

    def filtering(self, scope: Scope, depth: int) -> str:
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
        firsts = [
            c.name for c in self.columns(table.root) if c.kind.name in (*MEASURES, "text", "enum") and not c.optional
        ]
        firsts = [name for name in firsts if name != table.unique]
        if firsts and self.rng.random() < 0.5:
            keys.insert(0, path + self.rng.choice(firsts))
        if len(keys) > 1 and self.rng.random() < 0.03:
            keys.pop()
        return " then ".join(keys)

    def over(self, scope: Scope, depth: int, kind: Kind, form: str, *, ordered: bool = False) -> str:
        """A function over rows; see `fuzz.library`."""
        found = self.rows(scope, depth, ordered=ordered)
        if found is None:
            return ""
        rows, inside = found
        for _ in range(3):
            operand = self.named(inside, kind) if self.rng.random() < 0.6 else self.value(inside, kind, depth - 1)
            if operand:
                other, condition = self.value(inside, kind, 0), self.condition(inside, 0)
                return form.format(x=operand, y=other, c=condition, rows=rows, **library.options(self.rng))
        return ""

    def on_values(self, scope: Scope, depth: int, kind: Kind, form: str) -> str:
        """A function of one value, or of two different ones."""
        one, other = (self.value(scope, kind, depth - 1) for _ in range(2))
        if not one or ("{y}" in form and (not other or one.rpartition(".")[2] == other.rpartition(".")[2])):
            return ""
        return form.format(x=one, y=other, **library.options(self.rng))

    # --- values -----------------------------------------------------------------------------------------------

    def value(self, scope: Scope, kind: Kind, depth: int) -> str:
        """A formula of a type."""
        if kind.name == "bool":
            return self.condition(scope, depth)
        if depth <= 0 or (kind.name in ("digest", "any", "row") and self.rng.random() < 0.8):
            return self.pick((4, lambda: self.named(scope, kind)), (1, lambda: literal(self.rng, kind)))
        return self.pick(
            (2, lambda: self.named(scope, kind)),
            (0.6, lambda: literal(self.rng, kind)),
            (4, lambda: self.made(scope, kind, depth)),
        )

    def made(self, scope: Scope, kind: Kind, depth: int) -> str:
        """A value that is computed."""
        ways: list[tuple[float, Callable[[], str]]] = [(0.7, lambda: self.of_one_row(scope, depth, kind))]
        name = "measure" if kind.name in UNITS else kind.name
        for table, ordered in ((library.OVER, False), (library.ORDERED, True)):
            for weight, operand, form in table.get(name, ()):
                ways.append(
                    (weight, partial(self.over, scope, depth, operand if operand.name else kind, form, ordered=ordered))
                )
        for weight, operand, form in library.ON_VALUES.get(name, ()):
            ways.append((weight, partial(self.on_values, scope, depth, operand, form)))
        if kind.name == "int":
            ways += [(4, lambda: self.count(scope, depth)), (0.5, lambda: self.collection(scope, "size({})"))]
        if kind.name in ("time", "date", *MEASURES):
            ways.append((1.5, lambda: self.extreme(scope, depth, kind)))
        if kind.name in UNITS:
            ways += [
                (1, lambda: self.scaled(scope, kind, depth)),
                (1, lambda: self.on_values(scope, depth, kind, "({x} - {y})")),
            ]
        if kind.name == "list":
            ways.append((3, lambda: self.over(scope, depth, kind.item or INT, "list({x} over {rows})")))
        return self.pick(*ways) or literal(self.rng, kind)

    def extreme(self, scope: Scope, depth: int, kind: Kind) -> str:
        """The smallest or largest, of rows or of two values."""
        function = self.rng.choice(("min", "max"))
        return self.pick(
            (2, lambda: self.over(scope, depth, kind, f"{function}({{x}} over {{rows}})")),
            (1, lambda: self.on_values(scope, depth, kind, f"{function}({{x}}, {{y}})")),
        )

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

    def count(self, scope: Scope, depth: int) -> str:
        """How many rows."""
        found = self.rows(scope, depth)
        return f"count({found[0]})" if found else ""

    def collection(self, scope: Scope, form: str) -> str:
        """Something of a set or list."""
        found = [Kind(form_, item=item) for item in (INT, TEXT, NUM) for form_ in ("set", "list")]
        names = [name for kind in found for name in self.readable(scope, kind)]
        return form.format(self.rng.choice(names)) if names else ""

    def scaled(self, scope: Scope, kind: Kind, depth: int) -> str:
        """A quantity times or by a number."""
        one, number = self.value(scope, kind, depth - 1), self.value(scope, NUM, depth - 1)
        return f"({one} {self.rng.choice('*/')} {number})" if one and number else ""

    # --- conditions -------------------------------------------------------------------------------------------

    def condition(self, scope: Scope, depth: int) -> str:
        """A condition."""
        return self.pick(
            (2, lambda: self.named(scope, BOOL)),
            (4, lambda: self.comparison(scope, depth)),
            (1.5 if depth > 0 else 0.1, lambda: self.joined(scope, depth)),
            (1, lambda: self.on_values(scope, depth, BOOL, "(not {x})") if depth > 0 else ""),
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
            return self.on_values(scope, depth, kind, f"({{x}} {rng.choice(COMPARED)} {{y}})")
        op = rng.choice(("==", "!="))
        if rng.random() < 0.1:
            item = Kind(rng.choice(("set", "list")), item=rng.choice((INT, TEXT, NUM)))
            names = self.readable(scope, item)
            if len(names) > 1:
                return f"({names[0]} {op} {names[-1]})"
        if kind == ENUM:
            left, other = self.named(scope, kind), self.named(scope, kind)
            other = rng.choice(kind.members) if other in ("", left) or rng.random() < 0.6 else other
            return f"({left} {op} {other})" if left else ""
        return self.on_values(scope, depth, kind, f"({{x}} {op} {{y}})")

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
            return self.on_values(scope, depth, BOOL, f"({{x}} is {no}{rng.choice(('true', 'false'))})")
        kind = rng.choice((INT, NUM, TEXT, ENUM, ANY, TIME))
        return self.on_values(scope, depth, kind, f"({{x}} is {no}{rng.choice(('defined', 'undefined'))})")

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
        tables = [
            (t.name, c.name) for t in self.tables.values() for c in t.columns if alike(c.kind, kind) and not t.parent
        ]
        if not tables:
            return ""
        table, column = rng.choice(tables)
        if rng.random() < 0.5:
            return f"({item} {no}in {table}.{column})"
        return f"({item} {no}in ({table} where {self.filtering((*scope, Frame(self.tables[table].root)), 0)}).{column})"
