"""Tables and derived columns in `rules.py`."""

from __future__ import annotations

from protoc_compiler import core
from protoc_compiler.emit import broken as layout
from protoc_compiler.emit.blocks import Blocks, display, texts, words
from protoc_compiler.emit.broken import Around, Bracket, Code
from protoc_compiler.emit.literals import kind_text, literal
from protoc_compiler.emit.variables import can_stop, free


class TableBlocks(Blocks):
    """Writes the tables of a protocol."""

    def table(self, table: core.Table) -> list[str]:
        """A table and its derived columns."""
        makers = {"subset": self._subset, "grouped": self._grouped}
        blocks = self.guarded(makers.get(table.kind, self._stored), table)
        for column in table.columns:
            if column.expr is not None:
                blocks += self.guarded(self._column, (table, column))
        return blocks

    def _stored(self, table: core.Table) -> str:
        kinds = {"input": "rows", "listed": "listed"}
        given: list[Code] = [repr(table.name), repr(kinds.get(table.kind, table.kind))]
        if table.root != table.name:
            given.append(Around("root=", repr(table.root)))
        given += texts("key", table.key) + texts("order", table.order if table.kind != "nested" else ())
        given += self._columns(table)
        if table.name in self.counted:
            given.append(Around("counted=", display([*map(repr, self.counted[table.name])])))
        if table.record and not table.key:
            given.append("record=True")
        if table.parts:
            given += texts("parts", table.parts)
        if table.kind == "sample" and table.rows is not None and table.sample is not None:
            if table.rows.where or table.rows.match or table.rows.order:
                what = "a sample of rows that are filtered in the same formula"
                raise self.formula(table.span).refuse(what, "define the subset first, and sample it by its name")
            given += texts("parts", (table.rows.table,))
            given.append(Around("sample=", layout.pair(str(table.sample[0]), repr(table.sample[1]))))
            if table.within:
                given.append(Around("within=", repr(table.within)))
        given += words(table.says, table.cites)
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
            words = {c.name: c.type.members for c in stored if c.type.kind == "enum" and table.key != (c.name,)}
            if words:
                pairs = tuple(Around(f"{name!r}: ", display([*map(repr, members)])) for name, members in words.items())
                made.append(Around("members=", Bracket("{", pairs, "}")))
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

    def _subset(self, table: core.Table) -> list[str]:
        assert table.rows is not None
        blocks = []
        if table.rows.order:
            blocks.append(self._order(table, table.rows))
        formula = self.formula(table.span, "table", table.name)
        name, _ = formula.opened(table.rows, frozenset(), ())
        formula.give(name)
        given: list[Code] = [repr(table.name), "'subset'", Around("root=", repr(table.root))]
        ordering = self._ordering(table)
        if ordering:
            given.append(f"order_by={self.names.of('order', ordering)}")
        decorator = layout.call("rules.rows", *given, *words(table.says, table.cites))
        return [*blocks, self.function(decorator, self.names.of("table", table.name), "study: Study", formula, "Rows")]

    def _order(self, table: core.Table, rows: core.Rows) -> str:
        """The values that rows are ordered by, for any rows of the root."""
        formula = self.formula(table.span)
        name = formula.local(table.root)
        formula.variables[rows.var] = name
        formula.give(display([formula.lifted(key) for key in rows.order]))
        self.used.add("Rows")
        parameters = f"study: Study, {name}: Rows"
        return self.function(None, self.names.of("order", table.name), parameters, formula, "tuple[Vec, ...]")

    def _ordering(self, table: core.Table) -> str:
        """The table, of this one and those it is taken from, that has an order of its own."""
        while table.kind == "subset" and table.rows is not None:
            if table.rows.order:
                return table.name
            table = self.protocol.table(table.rows.table)
        return ""

    def _grouped(self, table: core.Table) -> str:
        assert table.rows is not None
        formula = self.formula(table.span, "table", table.name)
        name, _ = formula.opened(table.rows, frozenset(), ())
        formula.bring("grouped")
        keys = tuple(Around(f"{key!r}: ", f"{name}[{key!r}]") for key in table.group)
        formula.give(layout.call("grouped", name, Bracket("{", keys, "}")))
        given: list[Code] = [repr(table.name), "'grouped'", *texts("key", table.key), *self._columns(table)]
        decorator = layout.call("rules.rows", *given, *words(table.says, table.cites))
        return self.function(decorator, self.names.of("table", table.name), "study: Study", formula, "Groups")

    def _column(self, pair: tuple[core.Table, core.Col]) -> str:
        table, column = pair
        assert column.expr is not None
        formula = self.formula(column.span, "column", table.name, column.name)
        if free(column.expr) or can_stop(column.expr):
            row = formula.local(table.name)
            formula.variables["self"] = row
            formula.assign(row, f"study.table({table.name!r})")
        formula.give(formula.lifted(column.expr))
        given: list[Code] = [repr(table.name), repr(column.name), *words(column.says, column.cites)]
        if column.type.kind == "enum":
            given.insert(2, Around("members=", display([*map(repr, column.type.members)])))
        name = self.names.of(table.name, column.name)
        return self.function(layout.call("rules.column", *given), name, "study: Study", formula)
