"""`rules.py` of a generated package: a protocol's tables, columns, values and rules as readable Python.

The module needs `protoc_runtime` alone. It is the same to the byte for the same protocol.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence

from protoc_compiler import core
from protoc_compiler.emit import broken as layout
from protoc_compiler.emit.broken import Around, Bracket, Code
from protoc_compiler.emit.depends import changed_by
from protoc_compiler.emit.formulas import Formula
from protoc_compiler.emit.literals import kind_text, literal
from protoc_compiler.emit.naming import Names
from protoc_compiler.emit.templating import rendered
from protoc_compiler.emit.variables import free
from protoc_runtime.diagnostics import Findings, Refused
from protoc_runtime.record import record

_API = (
    "Groups", "Rows", "Rules", "Study", "Vec", "Withheld", "all_of", "any_of", "between", "cast", "chain", "choose",
    "default", "grouped", "in_column", "in_list", "in_set", "lift", "list_of", "undefined",
)  # fmt: skip
_RESERVED = frozenset(
    (*_API, "Any", "Fraction", "Mapping", "Results", "Rows", "TableData", "UTC", "date", "datetime", "evaluate",
     "expectations", "of", "over", "results", "rules", "study")
)  # fmt: skip
_DECORATORS = {
    "definitions": "definition", "metrics": "metric", "blockers": "blocker", "gates": "gate", "checks": "check",
    "verdicts": "subverdict", "verdict": "verdict", "statuses": "status", "lists": "list",
}  # fmt: skip
_TITLES = {
    "definitions": "definitions", "metrics": "metrics", "blockers": "blockers", "gates": "gates",
    "checks": "checks", "verdicts": "sub-verdicts", "verdict": "verdict", "statuses": "statuses of the report",
    "lists": "lists of the report",
}  # fmt: skip


@record
class Section:
    """A part of the module: a title, the rule beside it, and its blocks of code."""

    title: str
    rule: str
    code: str


@record
class Module:
    """All that the template needs."""

    header: str
    imports: tuple[str, ...]
    protocol: str
    version: str
    released: str
    sections: tuple[Section, ...]


def render(protocol: core.Protocol) -> str:
    """The source of `rules.py`. Raises `Refused` with every construct that the engine does not have (E0911)."""
    writer = _Writer(protocol)
    module = writer.module()
    made = rendered("rules.py.j2", module=module)
    ast.parse(made)
    return made


class _Writer:
    """Writes the blocks of a module and notes what they import."""

    def __init__(self, protocol: core.Protocol) -> None:
        self.protocol = protocol
        self.names = Names(_RESERVED)
        self.used: set[str] = set()
        self.refused = Findings()

    def module(self) -> Module:
        """Every section, in reading order; raises what was refused."""
        sections = [self._section("tables", [block for table in self.protocol.tables for block in self._table(table)])]
        for space, title in _TITLES.items():
            blocks = [block for item in self.protocol.of(space) for block in self._guarded(self._item, item)]
            sections.append(self._section(title, blocks))
        expected = [(table, item) for table in self.protocol.tables for item in table.expect]
        sections.append(
            self._section("expectations", [b for pair in expected for b in self._guarded(self._expect, pair)])
        )
        sections.append(self._section("intervals", [b for one in self.protocol.intervals for b in self._interval(one)]))
        if self.refused.failed:
            raise Refused(self.refused)
        kept = tuple(section for section in sections if section.code)
        released = flat_tuple(map(repr, self.protocol.released))
        words = f"The rules of {self.protocol.id}, version {self.protocol.version}: tables, columns, values, verdict."
        return Module(
            f'"""{words}"""', self._imports(), repr(self.protocol.id), str(self.protocol.version), released, kept
        )

    def _section(self, title: str, blocks: Iterable[str]) -> Section:
        made = list(blocks)
        text = "\n".join(("\n\n" if _spaced(made, at) else "") + block for at, block in enumerate(made))
        return Section(title, "-" * (111 - len(title)), text)

    def _guarded(self, make, subject) -> list[str]:  # type: ignore[no-untyped-def]
        try:
            return [make(subject)]
        except Refused as refused:
            self.refused.extend(refused.diagnostics)
            return []

    def _imports(self) -> tuple[str, ...]:
        lines = ["from collections.abc import Mapping"]
        times = [
            name
            for name, needs in (("UTC", "datetime"), ("date", "date"), ("datetime", "datetime"))
            if needs in self.used
        ]
        if times:
            lines.append(f"from datetime import {', '.join(times)}")
        if "Fraction" in self.used:
            lines.append("from fractions import Fraction")
        lines.append("")
        lines.append("from protoc_runtime import results")
        modules = [name for name in ("of", "over") if name in self.used]
        if modules:
            lines.append(f"from protoc_runtime.engine import {', '.join(modules)}")
        api = [name for name in _API if name in self.used or name in ("Rules", "Study")]
        lines.append(layout.render(Around("from protoc_runtime.engine.api import ", Bracket("", tuple(api), ""))))
        if len(lines[-1]) > layout.WIDTH or "\n" in lines[-1]:
            lines[-1] = "from protoc_runtime.engine.api import (\n" + "".join(f"    {name},\n" for name in api) + ")"
        lines.append("from protoc_runtime.results import Results")
        lines.append("from protoc_runtime.tables import TableData")
        return tuple(lines)

    # --- functions ----------------------------------------------------------------------------------------------

    def _formula(self, span: object) -> Formula:
        return Formula(self.protocol, span, _RESERVED)  # type: ignore[arg-type]

    def _function(
        self, decorator: Code | None, name: str, parameters: str, formula: Formula, gives: str = "Vec"
    ) -> str:
        self.used |= formula.used | {word for word in ("Vec", "Rows", "Groups", "Withheld") if word in gives}
        body = "".join(f"    {line}\n" for line in formula.lines)
        head = "" if decorator is None else f"{layout.render(Around('@', decorator))}\n"
        return f"{head}def {name}({parameters}) -> {gives}:\n{body}".rstrip()

    def _item(self, item: core.Item) -> str:
        formula = self._formula(item.span)
        parameters = ["study: Study"]
        for index, table in enumerate(item.per):
            name = formula.local(table)
            formula.variables[f"per{index}"] = name
            parameters.append(f"{name}: Rows")
            self.used.add("Rows")
        gives = self._body(item, formula)
        given = [] if item.space == "verdict" else [repr(item.name)]
        decorator = layout.call(f"rules.{_DECORATORS[item.space]}", *given, *_declared(item))
        name = self.names.of(_DECORATORS[item.space], item.name) if item.space != "verdict" else "verdict"
        return self._function(decorator, name, ", ".join(parameters), formula, gives)

    def _body(self, item: core.Item, formula: Formula) -> str:
        code: Code
        if item.parts and item.joined:
            parts = tuple(Around(f"{text!r}: ", formula.lifted(part)) for text, part in item.parts)
            code = layout.call(formula.bring("all_of" if item.joined == "all" else "any_of"), Bracket("{", parts, "}"))
        else:
            code = formula.lifted(item.expr)
        if item.withheld is None:
            formula.give(code)
            return "Vec"
        formula.give(layout.call("Withheld", code, formula.code(item.withheld)))
        return "Withheld"

    def _interval(self, interval: core.Interval) -> list[str]:
        try:
            return self._interval_parts(interval)
        except Refused as refused:
            self.refused.extend(refused.diagnostics)
            return []

    def _interval_parts(self, interval: core.Interval) -> list[str]:
        blocks: list[str] = []
        given: list[Code] = [repr(interval.name), Around("metric=", repr(interval.metric))]
        given += _texts("per", interval.per)
        drawn = tuple(dict.fromkeys(rows.table for rows in (*interval.resample, *interval.follow)))
        given += _texts("drawn", drawn)
        changed = sorted(changed_by(self.protocol, frozenset(drawn)))
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
        given += _words(interval.says, interval.cites)
        formula, parameters = self._entry_formula(interval)
        sets = [formula.opened(rows, free(rows), ())[0] for rows in interval.resample]
        formula.give(_tuple(sets))
        name = self.names.of("interval", interval.name)
        decorator = layout.call("rules.interval", *given)
        blocks.append(self._function(decorator, name, parameters, formula, "tuple[Rows, ...]"))
        return blocks

    def _entry_formula(self, interval: core.Interval, *, keys: bool = True) -> tuple[Formula, str]:
        """A formula inside of the rows that the metric has entries for, and its parameters."""
        formula = self._formula(interval.span)
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
            strata.append(_tuple([formula.lifted(expr) for expr in interval.within]))
        formula.give(_tuple(strata))
        return self._function(None, name, parameters, formula, "tuple[tuple[Vec, ...], ...]")

    def _follow(self, interval: core.Interval, name: str) -> str:
        if not interval.follow:
            return ""
        formula, parameters, _ = self._sets(interval, keys=False)
        vars_ = {rows.var for rows in interval.resample}
        if any(free(rows) - vars_ for rows in interval.follow):
            raise formula.refuse("rows that follow a draw and depend on the entry of the metric")
        opened = [formula.opened(rows, free(rows), ())[0] for rows in interval.follow]
        formula.give(_tuple(opened))
        return self._function(None, name, parameters, formula, "tuple[Rows, ...]")

    def _out_of(self, interval: core.Interval, name: str) -> str:
        if interval.out_of is None:
            return ""
        formula, parameters = self._entry_formula(interval)
        formula.give(formula.lifted(interval.out_of))
        return self._function(None, name, parameters, formula)

    def _expect(self, pair: tuple[core.Table, core.Item]) -> str:
        table, item = pair
        formula = self._formula(item.span)
        formula.give(formula.lifted(item.expr))
        decorator = layout.call("rules.expect", repr(table.name), repr(item.text))
        return self._function(decorator, self.names.of("expect", item.name), "study: Study", formula)

    # --- tables -------------------------------------------------------------------------------------------------

    def _table(self, table: core.Table) -> list[str]:
        makers = {"subset": self._subset, "grouped": self._grouped}
        blocks = self._guarded(makers.get(table.kind, self._stored), table)
        for column in table.columns:
            if column.expr is not None:
                blocks += self._guarded(self._column, (table, column))
        return blocks

    def _stored(self, table: core.Table) -> str:
        kinds = {"input": "rows", "listed": "listed"}
        given: list[Code] = [repr(table.name), repr(kinds.get(table.kind, table.kind))]
        if table.root != table.name:
            given.append(Around("root=", repr(table.root)))
        given += _texts("key", table.key) + _texts("order", table.order if table.kind != "nested" else ())
        given += self._columns(table)
        if table.record and not table.key:
            given.append("record=True")
        if table.parts:
            given += _texts("parts", table.parts)
        if table.kind == "sample" and table.rows is not None and table.sample is not None:
            if table.rows.where or table.rows.match or table.rows.order:
                raise self._formula(table.span).refuse("a sample of rows that are filtered in the same formula")
            given += _texts("parts", (table.rows.table,))
            given.append(Around("sample=", layout.pair(str(table.sample[0]), repr(table.sample[1]))))
        given += _words(table.says, table.cites)
        return layout.render(layout.call("rules.table", *given))

    def _columns(self, table: core.Table) -> list[Code]:
        stored = [column for column in table.columns if column.expr is None]
        if not stored:
            return []
        pairs = tuple(Around(f"{column.name!r}: ", repr(kind_text(column.type))) for column in stored)
        made: list[Code] = [Around("columns=", Bracket("{", pairs, "}"))]
        if table.kind == "listed":
            rows = tuple(self._listed_row(table, row, stored) for row in table.listed)
            made.append(Around("listed=", Bracket("[", rows, "]")))
            made.append(Around("labels=", Bracket("[", tuple(map(repr, table.labels)), "]")))
        return made

    def _listed_row(self, table: core.Table, row: tuple[core.Value, ...], columns: list[core.Col]) -> Code:
        cells = [self._cell(value, column.type) for value, column in zip(row, columns, strict=True)]
        return Bracket("(", tuple(cells), ")" if len(cells) > 1 else ",)")

    def _cell(self, value: object, kind: core.Type) -> Code:
        if value is None:
            return "None"
        if kind.kind in ("set", "list") and isinstance(value, (tuple, frozenset)) and kind.item is not None:
            item = kind.item
            cells = tuple(self._cell(one, item) for one in value)
            return Bracket("(", cells, ")" if len(cells) != 1 else ",)")
        if kind.kind == "row":
            target = self.protocol.table(kind.table)
            keys = [row[0] for row in target.listed]
            return str(keys.index(value))  # type: ignore[arg-type]
        text = literal(value, kind)  # type: ignore[arg-type]
        self.used |= {name for name in ("Fraction", "datetime", "date") if text.startswith(f"{name}(")}
        return text

    def _subset(self, table: core.Table) -> str:
        assert table.rows is not None
        formula = self._formula(table.span)
        name, _ = formula.opened(table.rows, frozenset(), ())
        formula.give(name)
        given: list[Code] = [repr(table.name), "'subset'", Around("root=", repr(table.root))]
        if self._reordered(table):
            given.append("ordered=True")
        decorator = layout.call("rules.rows", *given, *_words(table.says, table.cites))
        return self._function(decorator, self.names.of("table", table.name), "study: Study", formula, "Rows")

    def _reordered(self, table: core.Table) -> bool:
        while table.kind == "subset" and table.rows is not None:
            if table.rows.order:
                return True
            table = self.protocol.table(table.rows.table)
        return False

    def _grouped(self, table: core.Table) -> str:
        assert table.rows is not None
        formula = self._formula(table.span)
        name, _ = formula.opened(table.rows, frozenset(), ())
        formula.bring("grouped")
        keys = tuple(Around(f"{key!r}: ", f"{name}[{key!r}]") for key in table.group)
        formula.give(layout.call("grouped", name, Bracket("{", keys, "}")))
        given: list[Code] = [repr(table.name), "'grouped'", *_texts("key", table.key), *self._columns(table)]
        decorator = layout.call("rules.rows", *given, *_words(table.says, table.cites))
        return self._function(decorator, self.names.of("table", table.name), "study: Study", formula, "Groups")

    def _column(self, pair: tuple[core.Table, core.Col]) -> str:
        table, column = pair
        assert column.expr is not None
        formula = self._formula(column.span)
        if free(column.expr):
            row = formula.local(table.name)
            formula.variables["self"] = row
            formula.assign(row, f"study.table({table.name!r})")
        formula.give(formula.lifted(column.expr))
        given: list[Code] = [repr(table.name), repr(column.name), *_words(column.says, column.cites)]
        name = self.names.of(table.name, column.name)
        return self._function(layout.call("rules.column", *given), name, "study: Study", formula)


def _spaced(blocks: list[str], at: int) -> bool:
    """Whether two lines stand before a block: around functions, but not between declarations."""
    return at > 0 and any("\ndef " in f"\n{block}" for block in blocks[at - 1 : at + 1])


def _tuple(items: Sequence[Code]) -> Code:
    return Bracket("(", tuple(items), ")" if len(items) != 1 else ",)")


def flat_tuple(items: Iterable[str]) -> str:
    """A tuple display on one line."""
    made = list(items)
    return f"({made[0]},)" if len(made) == 1 else f"({', '.join(made)})"


def _texts(name: str, items: tuple[str, ...]) -> list[Code]:
    if not items:
        return []
    return [Around(f"{name}=", Bracket("(", tuple(map(repr, items)), ")" if len(items) > 1 else ",)"))]


def _words(says: str, cites: tuple[str, ...]) -> list[Code]:
    return ([Around("says=", repr(says))] if says else []) + _texts("cites", cites)


def _declared(item: core.Item) -> list[Code]:
    made = _texts("per", item.per)
    made.append(Around("text=", repr(item.text)))
    made += _words(item.says, item.cites)
    if item.type.kind == "quantity":
        made.append(Around("unit=", repr(item.type.unit)))
    if item.forces:
        made.append(Around("forces=", repr(item.forces)))
    if not item.fires_undefined:
        made.append("fires_undefined=False")
    return made
