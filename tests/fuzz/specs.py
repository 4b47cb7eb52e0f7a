"""Random well-typed specs.

Everything is made from one seed, which hypothesis gives. Hypothesis cannot make such an example smaller, so
`fuzz.shrinking` takes entries and rows away from one that fails.
"""

from __future__ import annotations

import re
from random import Random

from fuzz import kinds, tables
from fuzz.entries import Entry, Spec
from fuzz.formulas import Formulas
from fuzz.kinds import ANY, BOOL, DATE, ENUM, INT, NUM, REAL, TEXT, TIME, Kind, literal
from fuzz.scope import Column, Frame, Scope, Table, Value

NUMBER = re.compile(
    r"(?<!\w)(?<!\w\.)(?:\d{4}-\d\d-\d\d[T\d:]*Z?|\d[\d_]*(?:\.\d+)?(?: ?%| (?:ms|s|min|B|KiB|USD)\b)?)"
)
STORED = (BOOL, INT, NUM, TEXT, TIME, DATE, ENUM, *(Kind(name, unit[0]) for name, unit in kinds.UNITS.items()))


def spec(rng: Random) -> Spec:
    """A random spec."""
    return _Maker(rng).spec()


class _Maker:
    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self.write = Formulas(rng)
        self.data = tables.data(rng)
        self.write.tables = {table.name: table for table in self.data.tables}
        self.write.values = list(self.data.values)
        self.entries: list[Entry] = []
        self.number = 0

    def spec(self) -> Spec:
        """Definitions of every sort, metrics, intervals, rules, lists."""
        rng = self.rng
        if rng.random() < 0.3:
            self.arm()
        for _ in range(rng.randint(4, 12)):
            rng.choices((self.subset, self.column, self.constant, self.table, self.row), (3, 6, 2, 1.2, 0.7))[0]()
        for _ in range(rng.randint(3, 8)):
            self.metric()
        if rng.random() < 0.2:
            self.withhold()
        for _ in range(rng.choice((0, 0, 1, 2))):
            self.interval()
        self.rules()
        made = Spec(self.data, self.entries)
        if rng.random() < 0.2:  # a line of its own, which rows that break what they expect leave undefined
            made.verdict.insert(1, Entry("verdict", "", f"EARLY when {self.write.filtering((), 2)}"))
        return made

    # --- small parts ------------------------------------------------------------------------------------------

    def name(self, prefix: str) -> str:
        """A new name."""
        self.number += 1
        return f"{prefix}{self.number}x"

    def put(self, section: str, name: str, text: str) -> None:
        """Add an entry."""
        self.entries.append(Entry(section, name, text, wrapped=self.rng.random() < 0.5))

    def kind(self) -> Kind:
        """A type of a value."""
        return self.rng.choice(STORED)

    def table_of(self, *, columns: bool = False) -> Table:
        """A table; with `columns` one that columns can be defined for."""
        found = [t for t in self.write.tables.values() if not columns or (t.name == t.root and "." not in t.name)]
        return self.rng.choice(found)

    def decided(self, text: str, kind: Kind) -> str:
        """The formula, now and then with a value for where it is undefined."""
        constant = self.rng.choice(kind.members) if kind.members else literal(self.rng, kind)
        if constant and self.rng.random() < 0.35:
            return f"is: >-\n  {text}\nif_undefined: >-\n  {constant}"
        return text

    def choice(self, scope: Scope, kind: Kind | None) -> str:
        """A first-match list, of words where no type is given."""
        if kind is not None and not self.write.value(scope, kind, 1):
            return ""

        def one() -> str:
            made = self.rng.choice(kinds.WORDS) if kind is None else self.write.value(scope, kind, 1)
            return made if kind is None or not made else f"({made})"

        lines = [f"- >-\n  {one()} when {self.write.filtering(scope, 1)}" for _ in range(self.rng.randint(1, 3))]
        return "\n".join([*lines, f"- >-\n  {one()} otherwise"])

    # --- definitions ------------------------------------------------------------------------------------------

    def subset(self) -> None:
        """Some rows of a table."""
        source = self.table_of()
        if source.parent:
            return
        name, inside = self.name("sub"), (Frame(source.root),)
        text = source.name + f" where {self.write.filtering(inside, 1)}"
        if source.unique and self.rng.random() < 0.3:
            text += f" ordered by {self.write.order(source, '')}"
        ordered = source.ordered or "ordered by" in text
        self.put("definitions", name, text)
        self.write.tables[name] = Table(name, source.root, [], ordered, source.unique, source.key)

    def column(self) -> None:
        """A column of a root table."""
        table, kind = self.table_of(columns=True), self.kind()
        scope = (Frame(table.root),)
        name = self.name("d")
        if self.rng.random() < 0.25:
            words = self.rng.random() < 0.5
            kind = ENUM if words else kind
            text = self.choice(scope, None if words else kind)
        else:
            text = self.write.value(scope, kind, self.rng.randint(1, 3))
            text = self.decided(text, kind) if text else ""
        if text:
            self.put("definitions", f"{table.root}.{name}", text)
            table.columns.append(Column(name, kind, True, stored=False))

    def row(self) -> None:
        """A column whose value is a row."""
        table = self.table_of(columns=True)
        found = self.write.rows((Frame(table.root),), 1, ordered=True)
        if found is not None:
            root, name = found[1][-1].root, self.name("w")
            self.put("definitions", f"{table.root}.{name}", f"{self.rng.choice(('first', 'last'))}({found[0]})")
            table.columns.append(Column(name, Kind("row", table=root), True, stored=False))

    def arm(self) -> None:
        """An arm of the cases."""
        cases = self.write.tables["cases"]
        if "tries" in self.write.tables:
            name = self.name("arm")
            row = f"only(tries where at == {self.rng.randint(0, 5)})"
            self.put("arms", name, f"of: cases\nsays: an arm\nrow: {row}")
            cases.columns.append(Column(name, Kind("row", table="tries"), True, stored=False))

    def withhold(self) -> None:
        """Withhold the metrics but some, under a condition that reads none of them."""
        metrics = [entry.name for entry in self.entries if entry.section == "metrics"]
        values = self.write.values
        self.write.values = [value for value in values if not value.name.startswith(("m", "v", "b"))]
        condition = self.write.filtering((), 2)
        self.write.values = values
        kept = [name for name in metrics if self.rng.random() < 0.4]
        first = [Entry("metrics", "withheld when", condition)]
        if kept:
            first.append(Entry("metrics", "not withheld", "\n".join(["", *(f"- {name}" for name in kept)])))
        self.entries = first + self.entries

    def constant(self) -> None:
        """A value of the study, or one per row of a table."""
        kind, per = self.kind(), self.per()
        scope = tuple(Frame(self.write.tables[name].root) for name in per)
        text = self.write.value(scope, kind, 3)
        if text:
            name = self.name("v")
            self.put("definitions", ".".join((name, *(f"<{table}>" for table in per))), self.decided(text, kind))
            self.write.values.append(Value(name, kind, per))

    def per(self) -> tuple[str, ...]:
        """The tables of placeholders: mostly none."""
        known = [t.name for t in self.write.tables.values() if t.key and not t.parent]
        roll = self.rng.random()
        if roll < 0.7:
            return ()
        listed = [name for name in known if self.write.tables[name].labels]
        if roll > 0.95 and len(listed) > 1:
            return tuple(self.rng.sample(listed, 2))
        return (self.rng.choice(listed if self.rng.random() < 0.6 else known),)

    def table(self) -> None:
        """Groups, a product, a stack, a sample."""
        self.rng.choice((self.groups, self.groups, self.cross, self.stack, self.sample))()

    def groups(self) -> None:
        """`T grouped by c`."""
        source = self.table_of()
        known = [c for c in self.write.columns(source.root) if c.kind.name not in ("set", "list", "any", "digest")]
        if source.parent or not known:
            return
        keys = self.rng.sample(known, min(len(known), self.rng.choice((1, 1, 2))))
        name, text = self.name("grp"), source.name
        for key in keys:
            if key.optional and self.rng.random() < 0.9:
                text += f" where {key.name} is defined"
        self.put("definitions", name, f"{text} grouped by {' and '.join(key.name for key in keys)}")
        columns = [Column(key.name, key.kind) for key in keys]
        self.write.tables[name] = Table(name, name, columns, True, "", keys[0].name if len(keys) == 1 else "")

    def cross(self) -> None:
        """`cross of A and B`."""
        known = [t for t in self.write.tables.values() if t.key and not t.parent and not t.parts]
        if len(known) > 1:
            one, other = self.rng.sample(known, 2)
            if one.root != other.root and not {c.name for c in one.columns} & {c.name for c in other.columns}:
                name = self.name("crs")
                self.put("definitions", name, f"cross of {one.name} and {other.name}")
                self.write.tables[name] = Table(name, name, [], False, "", "", parts=(one.name, other.name))

    def stack(self) -> None:
        """`stack of A and B`."""
        known = [t for t in self.write.tables.values() if not t.parent and not t.parts]
        one, other = self.rng.choice(known), self.rng.choice(known)
        common = [
            c
            for c in self.write.columns(one.root)
            if any(o.name == c.name and o.kind == c.kind for o in self.write.columns(other.root))
        ]
        if one.name != other.name and common:
            name = self.name("stk")
            self.put("definitions", name, f"stack of {one.name} and {other.name}")
            columns = [Column(c.name, c.kind, True) for c in common]
            self.write.tables[name] = Table(name, name, columns)

    def sample(self) -> None:
        """`sample(T, n, seed = s)`."""
        source = self.table_of()
        if not source.parent:
            name = self.name("smp")
            self.put(
                "definitions",
                name,
                f"sample({source.name}, {self.rng.choice((0, 1, 1, 2))}, seed = {self.rng.randint(1, 9)})",
            )
            self.write.tables[name] = Table(name, source.root, [], False, source.unique, source.key)

    # --- what is reported -------------------------------------------------------------------------------------

    def metric(self) -> None:
        """A metric, of the study or of each row of a table."""
        rng, per = self.rng, self.per()
        kind = rng.choice((INT, NUM, NUM, NUM, kinds.measure(rng), REAL, BOOL, TEXT, ENUM, TIME))
        scope = tuple(Frame(self.write.tables[name].root) for name in per)
        text = self.write.made(scope, kind, 3) if kind != BOOL else self.write.condition(scope, 3)
        if not text:
            return
        name = self.name("m")
        self.put("metrics", ".".join((name, *(f"<{table}>" for table in per))), self.decided(text, kind))
        if kind != REAL:
            self.write.values.append(Value(name, kind, per))
            self.with_groups(name, per)

    def with_groups(self, name: str, per: tuple[str, ...]) -> None:
        """Let a group table have the metric as a column."""
        if per or self.rng.random() > 0.25:
            return
        found = [e for e in self.entries if e.name.startswith("grp") and "\n" not in e.text]
        if found:
            entry = self.rng.choice(found)
            entry.text = f"is: >-\n  {entry.text}\nwith: [{name}]"

    def interval(self) -> None:
        """A metric over rows that are drawn, and its interval."""
        rng, write = self.rng, self.write
        known = [t for t in write.tables.values() if not t.parent and t.name != "arms" and not t.parts]
        table = rng.choice(known)
        inside = (Frame(table.root),)
        form, kind = rng.choice(
            (
                ("rate({} over {})", BOOL),
                ("mean({} over {})", NUM),
                ("mean({} over {})", INT),
                ("sum({} over {})", INT),
                ("median({} over {})", NUM),
                ("variance({} over {})", NUM),
            )
        )
        operand = write.value(inside, kind, rng.randint(0, 2))
        if not operand:
            return
        rows = table.name + (f" where {write.filtering(inside, 1)}" if rng.random() < 0.4 else "")
        per = (rng.choice(("arms",)),) if rng.random() < 0.2 else ()
        name = self.name("b")
        full = ".".join((name, *(f"<{one}>" for one in per)))
        self.put("metrics", full, form.format(operand, rows))
        lines = [f"metric: {full}", f"resample: {table.name}"]
        within = [c.name for c in write.columns(table.root) if c.kind.name in ("bool", "enum", "int", "text")]
        if within and rng.random() < 0.4:
            lines.append(f"within: {rng.choice(within)}")
        elif rng.random() < 0.2:
            lines.append(f"out_of: {rng.randint(1, 14)}")
        followers = [
            t.name for t in write.tables.values() if any(c.kind.table == table.root for c in t.columns) and not t.parent
        ]
        if followers and rng.random() < 0.5:
            lines.insert(2, f"follow: [{rng.choice(followers)}]")
        lines += [
            f"draws: {rng.randint(1, 12)}",
            "generator: mersenne twister",
            f"seed: {rng.choice(('7', 'word', '2026'))}",
            f"level: {rng.choice(('50%', '80%', '95%'))}",
        ]
        for which in ("low", "high", "kept", "p"):
            if rng.random() < 0.8:
                lines.append(f"{which}: {full.replace(name, name + which, 1)}")
        self.put("intervals", self.name("interval "), "\n".join(lines))

    def rules(self) -> None:
        """Blockers, gates, checks, sub-verdicts, statuses and lists."""
        rng = self.rng
        self.rule("gates", "must", "count(cases) >= 2", "")
        self.rule("blockers", "when", "count(cases) > 11", "")
        for section, key in (("blockers", "when"), ("gates", "must"), ("gates", "must"), ("checks", "is")):
            if rng.random() < 0.75:
                per = self.per()
                scope = tuple(Frame(self.write.tables[name].root) for name in per)
                conditions = [self.write.condition(scope, 2) for _ in range(rng.choice((1, 1, 3)))]
                text = conditions[0]
                if len(conditions) > 1:
                    text = f"\n  {rng.choice(('all', 'any'))}:" + "".join(
                        f"\n    - >-\n      {each}" for each in conditions
                    )
                self.rule(section, key, text, "".join(f".<{table}>" for table in per))
        for section in ("verdicts", "statuses"):
            if rng.random() < 0.6:
                per = self.per()
                scope = tuple(Frame(self.write.tables[name].root) for name in per)
                self.put(section, self.name("s") + "".join(f".<{table}>" for table in per), self.choice(scope, None))
        for _ in range(rng.randint(1, 4)):
            kind = rng.choice((*STORED, ANY))
            text = self.write.over((), 2, kind, "list({x} over {rows})", ordered=rng.random() < 0.6)
            if text:
                self.put("lists", self.name("l"), text)

    def rule(self, section: str, key: str, text: str, per: str) -> None:
        """A rule; its words say every number of its formula."""
        said = ", ".join(dict.fromkeys(NUMBER.findall(text)))
        lines = [f"says: It is so ({said}).", f"{key}: {text}" if text.startswith("\n") else f"{key}: >-\n  {text}"]
        if section == "blockers":
            lines.append("forces: STOP")
            if self.rng.random() < 0.4:
                lines.append("if_undefined: does not fire")
        self.put(section, self.name("r") + per, "\n".join(lines))
