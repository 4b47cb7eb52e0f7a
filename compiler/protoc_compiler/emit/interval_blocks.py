"""Resampling intervals in `rules.py`."""

from __future__ import annotations

from protoc_compiler import core
from protoc_compiler.drawn import changed_by, drawn_tables, redrawn
from protoc_compiler.emit import broken as layout
from protoc_compiler.emit.blocks import Blocks, display, texts, words
from protoc_compiler.emit.broken import Around, Bracket, Code
from protoc_compiler.emit.formulas import Formula
from protoc_compiler.emit.variables import free


class IntervalBlocks(Blocks):
    """Writes the intervals of a protocol."""

    def interval(self, interval: core.Interval) -> list[str]:
        """An interval as functions: its strata, what follows a draw, its units, and what is drawn."""
        blocks: list[str] = []
        given: list[Code] = [repr(interval.name), Around("metric=", repr(interval.metric))]
        given += texts("per", interval.per)
        drawn = drawn_tables(interval)
        given += texts("drawn", drawn)
        changed = sorted(changed_by(self.protocol, interval))
        anew = redrawn(self.protocol, interval)
        for table in self.protocol.tables:
            fixed = table.kind in ("subset", "grouped") or table.name in drawn
            if ("table", table.name) in anew and not fixed:
                made = self.formula(interval.span)
                what = f"an interval whose draws change `{table.name}`, a table of the kind `{table.kind}`"
                raise made.refuse(what, "let the metric read subsets and groups of what is drawn only")
        things = tuple(Bracket("(", tuple(map(repr, thing)), ")") for thing in changed)
        given.append(Around("changed=", layout.call("frozenset", Bracket("{", things, "}"))))
        for part, write in (("strata", self._strata), ("follow", self._follow), ("out_of", self._out_of)):
            name = self.names.of(part, interval.name)
            block = write(interval, name)
            if block:
                blocks.append(block)
                given.append(f"{part}={name}")
        given += [f"draws={interval.draws}", f"seed={interval.seed!r}"]
        level = interval.level
        self.used.add("Fraction")
        given.append(f"level=Fraction({level.numerator}, {level.denominator})")
        given += words(interval.says, interval.cites)
        formula, parameters = self._entry_formula(interval)
        sets = [formula.opened(rows, free(rows), ())[0] for rows in interval.resample]
        formula.give(display(sets))
        name = self.names.of("interval", interval.name)
        decorator = layout.call("rules.interval", *given)
        blocks.append(self.function(decorator, name, parameters, formula, "tuple[Rows, ...]"))
        return blocks

    def _entry_formula(self, interval: core.Interval, *, keys: bool = True) -> tuple[Formula, str]:
        """A formula inside of the rows that the metric has entries for, and its parameters."""
        formula = self.formula(interval.span)
        parameters = ["study: Study"]
        for index, table in enumerate(interval.per if keys else ()):
            name = formula.local(table)
            formula.variables[f"per{index}"] = name
            parameters.append(f"{name}: Rows")
        self.used.add("Rows")
        return formula, ", ".join(parameters)

    def _sets(self, interval: core.Interval, *, keys: bool) -> tuple[Formula, str, list[str]]:
        """The same, with the rows that are drawn as further parameters."""
        formula, parameters = self._entry_formula(interval, keys=keys)
        names = []
        for rows in interval.resample:
            names.append(formula.local(rows.table))
            formula.variables[rows.var] = names[-1]
        return formula, ", ".join([parameters, *(f"{name}: Rows" for name in names)]), names

    def _strata(self, interval: core.Interval, name: str) -> str:
        if not interval.within:
            return ""
        formula, parameters, names = self._sets(interval, keys=True)
        strata = []
        for own in names:
            for rows in interval.resample:
                formula.variables[rows.var] = own
            strata.append(display([formula.lifted(expr) for expr in interval.within]))
        formula.give(display(strata))
        return self.function(None, name, parameters, formula, "tuple[tuple[Vec, ...], ...]")

    def _follow(self, interval: core.Interval, name: str) -> str:
        if not interval.follow:
            return ""
        formula, parameters, _ = self._sets(interval, keys=False)
        vars_ = {rows.var for rows in interval.resample}
        if any(free(rows) - vars_ for rows in interval.follow):
            what = "rows that follow a draw and depend on the entry of the metric"
            raise formula.refuse(what, "let what follows depend on the drawn row only, and narrow it in the metric")
        if not all(free(rows) for rows in interval.follow):
            what = "rows that follow a draw and belong to no drawn row"
            raise formula.refuse(what, "name rows that refer to a drawn row, or `T matching COLUMN`")
        opened = [formula.opened(rows, free(rows), ())[0] for rows in interval.follow]
        formula.give(display(opened))
        return self.function(None, name, parameters, formula, "tuple[Rows, ...]")

    def _out_of(self, interval: core.Interval, name: str) -> str:
        if interval.out_of is None:
            return ""
        formula, parameters = self._entry_formula(interval)
        formula.give(formula.lifted(interval.out_of))
        return self.function(None, name, parameters, formula)
