"""`rules.py` of a generated package: a protocol's tables, columns, values and rules as readable Python.

The module needs `protoc_runtime` alone. It is the same to the byte for the same protocol.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from protoc_compiler import core
from protoc_compiler.emit import broken as layout
from protoc_compiler.emit.blocks import API, flat_tuple, texts, words
from protoc_compiler.emit.broken import Around, Bracket, Code
from protoc_compiler.emit.formulas import Formula
from protoc_compiler.emit.interval_blocks import IntervalBlocks
from protoc_compiler.emit.sheet_blocks import SheetBlocks
from protoc_compiler.emit.table_blocks import TableBlocks
from protoc_compiler.emit.templating import rendered
from protoc_runtime.diagnostics import Diagnostic, Refused
from protoc_runtime.record import record

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


def refused(protocol: core.Protocol) -> list[Diagnostic]:
    """What a spec can say and the engine cannot evaluate (E0911): it has to do with draws and samples."""
    try:
        _Writer(protocol).module()
    except Refused as found:
        return found.diagnostics
    return []


class _Writer(TableBlocks, IntervalBlocks, SheetBlocks):
    """Writes the whole module."""

    def module(self) -> Module:
        """Every section, in reading order; raises what was refused."""
        sections = [
            self._section(
                "tables", [block for table in self.protocol.tables for block in self.guarded(self.table, table)]
            )
        ]
        for space, title in _TITLES.items():
            blocks = [block for item in self.protocol.of(space) for block in self.guarded(self._item, item)]
            sections.append(self._section(title, blocks))
        expected = [(table, item) for table in self.protocol.tables for item in table.expect]
        sections.append(
            self._section("expectations", [b for pair in expected for b in self.guarded(self._expect, pair)])
        )
        sections.append(
            self._section("intervals", [b for one in self.protocol.intervals for b in self.guarded(self.interval, one)])
        )
        judged = [block for one in self.protocol.judgements for block in self.guarded(self.sheet, one)]
        sections.append(self._section("judgements", judged))
        if self.refused.failed:
            raise Refused(self.refused)
        kept = tuple(section for section in sections if section.code)
        released = flat_tuple(map(repr, self.protocol.released))
        header = f"The rules of {self.protocol.id}, version {self.protocol.version}: tables, columns, values, verdict."
        return Module(
            f'"""{header}"""', self._imports(), repr(self.protocol.id), str(self.protocol.version), released, kept
        )

    def _section(self, title: str, blocks: Iterable[str]) -> Section:
        made = list(blocks)
        text = "\n".join(("\n\n" if _spaced(made, at) else "") + block for at, block in enumerate(made))
        return Section(title, "-" * (111 - len(title)), text)

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
        api = [name for name in API if name in self.used or name in ("Rules", "Study")]
        lines.append(layout.render(Around("from protoc_runtime.engine.api import ", Bracket("", tuple(api), ""))))
        if len(lines[-1]) > layout.WIDTH or "\n" in lines[-1]:
            lines[-1] = "from protoc_runtime.engine.api import (\n" + "".join(f"    {name},\n" for name in api) + ")"
        lines.append("from protoc_runtime.results import Results")
        lines.append("from protoc_runtime.tables import TableData")
        return tuple(lines)

    def _item(self, item: core.Item) -> str:
        formula = self.formula(item.span, "item", item.space, item.name)
        formula.item = item.name
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
        return self.function(decorator, name, ", ".join(parameters), formula, gives)

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

    def _expect(self, pair: tuple[core.Table, core.Item]) -> str:
        table, item = pair
        formula = self.formula(item.span)
        formula.give(formula.lifted(item.expr))
        decorator = layout.call("rules.expect", repr(table.name), repr(item.text))
        return self.function(decorator, self.names.of("expect", item.name), "study: Study", formula)


def _spaced(blocks: list[str], at: int) -> bool:
    """Whether two lines stand before a block: around functions, but not between declarations."""
    return at > 0 and any("\ndef " in f"\n{block}" for block in blocks[at - 1 : at + 1])


def _declared(item: core.Item) -> list[Code]:
    made = texts("per", item.per)
    made.append(Around("text=", repr(item.text)))
    made += words(item.says, item.cites)
    if item.type.kind == "quantity":
        made.append(Around("unit=", repr(item.type.unit)))
    if isinstance(item.expr, core.Custom):
        made.append("outside=True")
    if item.forces:
        made.append(Around("forces=", repr(item.forces)))
    if not item.fires_undefined:
        made.append("fires_undefined=False")
    return made
