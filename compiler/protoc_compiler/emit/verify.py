"""The generated `verify.py`: a second computation of everything a protocol reports, with the standard library only.

The text is the hand-written `support` modules joined, and one plain function per table, column and item of the
protocol. It is independent of the polars engine: the two share the resolved tree and no code.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache, cached_property
from typing import Any

from protoc_compiler import core, identity, resting
from protoc_compiler.drawn import changed_by, drawn_tables
from protoc_compiler.emit.layout import Code, Group, Prefixed, broken, call, docstring, flat, tuple_of
from protoc_compiler.emit.lowering import Lowering, literal, type_literal
from protoc_compiler.emit.naming import Names
from protoc_runtime.copied import copies
from protoc_runtime.diagnostics import Findings, Refused
from protoc_runtime.evidence import INPUTS
from protoc_runtime.record import record

SINGULAR = {
    "definitions": "definition",
    "metrics": "metric",
    "blockers": "blocker",
    "gates": "gate",
    "checks": "check",
    "verdicts": "verdict",
    "verdict": "verdict",
    "statuses": "status",
    "lists": "list",
    "expect": "expect",
}


@record
class Function:
    """One generated function; `words` is what its docstring must mean."""

    name: str
    parameters: str
    docstring: str
    body: str
    words: str


@record
class Model:
    """What is written of one protocol."""

    functions: tuple[Function, ...]
    tables: str
    items: str
    frozen: str
    frozen_files: str
    units: str
    intervals: str
    about: str

    def text(self) -> str:
        """The second half of the program."""
        functions, data = self.pieces()
        return "".join(functions) + "\n" + "\n".join(data)

    def pieces(self) -> tuple[list[str], list[str]]:
        """The functions, and the tables and items that are made of them."""
        functions = [
            f"\ndef {made.name}({made.parameters}):\n    {made.docstring}\n    return {made.body}\n\n"
            for made in self.functions
        ]
        data = [
            *(f"PROTOCOL.{name} = {getattr(self, name)}\n" for name in ("tables", "items", "frozen", "frozen_files")),
            f"UNITS_OF.update({self.units})\n",
            f"INTERVALS.update({self.intervals})\n",
            f"ABOUT = {self.about}\n",
        ]
        return functions, data


def render(protocol: core.Protocol) -> str:
    """The text of `verify.py`. Raises `Refused` (E0951) where a construct has no form in it."""
    from protoc_compiler.emit.support_text import support

    model = modelled(protocol, support().names)
    _check(model)
    return str(_template().render(m=model, imports=support().imports, support=support().text))


def modelled(protocol: core.Protocol, taken: frozenset[str]) -> Model:
    """The second half alone; `taken` are the names of the first, which no function may have. Raises as `render`."""
    return built(Builder, protocol, taken)


def built(kind: type[Builder], protocol: core.Protocol, taken: frozenset[str]) -> Model:
    """What a builder of this kind makes. Raises as `render`."""
    findings = Findings()
    model = kind(protocol, findings, taken).model()
    if findings.failed:
        raise Refused(findings)
    return model


@cache
def _template() -> Any:
    import jinja2

    environment = jinja2.Environment(  # noqa: S701  (Python source, not HTML; every author string goes through repr)
        loader=jinja2.PackageLoader("protoc_compiler.emit", "templates"),
        trim_blocks=True,
        keep_trailing_newline=True,
        undefined=jinja2.StrictUndefined,
    )
    return environment.get_template("verify.py.j2")


def _check(model: Model) -> None:
    """The text parses, and every docstring means exactly the words that it was made from."""
    import ast
    import inspect

    tree = ast.parse(model.text())
    found = {node.name: ast.get_docstring(node) for node in tree.body if isinstance(node, ast.FunctionDef)}
    for function in model.functions:
        if found.get(function.name) != inspect.cleandoc(function.words):
            raise AssertionError(f"the words of {function.name} did not survive")


class Builder:
    """Writes the second half. A subclass may say less, and lay out what it says in another way."""

    lay: staticmethod[[Code, int, int], str] = staticmethod(broken)

    def __init__(self, protocol: core.Protocol, findings: Findings, taken: frozenset[str]) -> None:
        self.protocol = protocol
        self.names = Names(taken)
        self.lowering = Lowering(protocol, self.names, findings)
        self.functions: list[Function] = []

    def model(self) -> Model:
        """The whole program, as its template takes it; `functions` are complete only when all parts are made."""
        tables = [self._table(table) for table in self.protocol.tables]
        items = [self._item(item) for item in self.protocol.items]
        items += [self._item(item) for table in self.protocol.tables for item in table.expect]
        intervals = [self._interval(interval) for interval in self.protocol.intervals]
        freeze = self.protocol.freeze
        return Model(
            functions=tuple(self.functions),
            tables=self._display(tables),
            items=self._display(items),
            frozen=self._display([(repr(f.name), literal(f.value)) for f in freeze if f.value is not None]),
            frozen_files=self._display([(repr(f.name), repr(f.file)) for f in freeze if f.value is None]),
            units=self._display(self._units()),
            intervals=self._display(intervals),
            about=self.lay(self._about(), 0, 0),
        )

    def _function(self, thing: tuple[str, ...], parameters: str, words: str, body: Code) -> str:
        name = self.names.of(*thing)
        self.functions.append(Function(name, parameters, self._docstring(words), self.lay(body, 4, 7), words.strip()))
        return name

    def _docstring(self, words: str) -> str:
        return re.sub(r"\n(?=.)", "\n    ", docstring(words.strip()))

    # --- tables ------------------------------------------------------------------------------------------------

    def _table(self, table: core.Table) -> tuple[Code, Code]:
        self.lowering.place = table.span
        columns = [(repr(col.name), self._column(table, col)) for col in table.columns]
        given: list[tuple[str, Code]] = [("kind", repr(table.kind)), ("root", repr(table.root))]
        given += [(name, _texts(getattr(table, name))) for name in ("key", "order", "parts", "group", "labels")]
        given.append(("columns", _mapping(columns)))
        given += [(name, repr(getattr(table, name))) for name in ("source", "file", "parent", "duplicates")]
        given.append(("record", repr(table.record)))
        if table.listed:
            given.append(("listed", tuple_of(tuple(literal(row) for row in table.listed))))
        if table.unpivot is not None:
            plan = (table.unpivot.label, table.unpivot.labels, table.unpivot.columns)
            given.append(("unpivot", literal(plan)))
        given += self._rows(table)
        shown = [
            Prefixed(f"{name}=", code) for name, code in given if name == "columns" or code not in ("()", "''", "False")
        ]
        return repr(table.name), call("Table", *shown)

    def _rows(self, table: core.Table) -> list[tuple[str, Code]]:
        if table.rows is None:
            return self._inherited(table)
        words = f"Table {table.name}: {table.says}".rstrip(": ") + f"\n\n{table.text}"
        body = self.lowering.rows(table.rows, {})
        if table.sample is not None:
            more = [repr(table.within)] if table.within else []
            body = call("sample", body, str(table.sample[0]), repr(table.sample[1]), *more)
        given: list[tuple[str, Code]] = [("rows", self._function(("rows", table.name), "", words, body))]
        if table.kind == "subset" and table.rows.order:
            scope = {table.rows.var: "row"}
            key = tuple_of(tuple(self.lowering.sortable(e, scope) for e in table.rows.order))
            words = f"What the rows of {table.name} are sorted by."
            given.append(("sorted_by", self._function(("order", table.name), "row", words, key)))
        return given + (self._inherited(table) if len(given) == 1 else [])

    def _inherited(self, table: core.Table) -> list[tuple[str, Code]]:
        """A subset of a subset has the order of its source."""
        source = table.rows.table if table.rows is not None and table.kind in ("subset", "sample") else ""
        while source:
            origin = self.lowering.tables.get(source)
            if origin is None or origin.rows is None or origin.kind not in ("subset", "sample"):
                return []
            if origin.rows.order:
                return [("sorted_by", self.names.of("order", source))]
            source = origin.rows.table
        return []

    def _column(self, table: core.Table, col: core.Col) -> Code:
        derived: list[Code] = []
        if col.expr is not None:
            self.lowering.place = col.span or table.span
            words = f"{table.name}.{col.name}: {col.says}".rstrip(": ") + f"\n\n{col.text}"
            body = self.lowering.expr(col.expr, {"self": "self"})
            derived = [Prefixed("derived=", self._function(("column", table.name, col.name), "self", words, body))]
        optional: list[Code] = [Prefixed("optional=", "True")] if col.optional and not derived else []
        return call("Column", type_literal(col.type), *optional, *derived)

    # --- items -------------------------------------------------------------------------------------------------

    def _item(self, item: core.Item) -> tuple[Code, Code]:
        self.lowering.place, self.lowering.item = item.span, item
        singular = SINGULAR.get(item.space, item.space)
        name = "verdict" if item.space == "verdict" else item.name
        scope = {f"per{place}": f"per{place}" for place in range(len(item.per))}
        parameters = ", ".join(scope)
        words = f"{singular} {name}: {item.says}".rstrip(": ") if name != singular else f"The {singular}."
        thing = (singular,) if item.space == "verdict" else (singular, item.name)
        lines = self._verdict_lines(item)
        first = call("first_match", f"*(line[1:] for line in {lines}())", "otherwise=lambda: None")
        body = first if lines else self.lowering.expr(item.expr, scope)
        function = self._function(thing, parameters, f"{words}\n\n{item.text}", body)
        given: list[Code] = [function, *([Prefixed("lines=", lines)] if lines else [])]
        if item.per:
            given.append(Prefixed("per=", _texts(item.per)))
        if item.withheld is not None:
            test = self.lowering.expr(item.withheld, scope)
            withheld = self._function(("withheld", *thing), parameters, f"When {name} is withheld.", test)
            given.append(Prefixed("withheld=", withheld))
        if isinstance(item.expr, core.Custom):
            given.append("outside=True")
        given += self._times(item)
        if item.space in ("blockers", "gates"):
            given.append(Prefixed("says=", repr(item.says)))
            parts = self.lowering.parts(tuple(part for _, part in item.parts), scope)
            shown = [
                tuple_of((repr(text), Prefixed(f"lambda {parameters}: ".replace(" :", ":"), part)))
                for (text, _), part in zip(item.parts, parts, strict=True)
            ]
            given += [Prefixed("parts=", tuple_of(tuple(shown)))] if shown else []
        if item.space == "blockers":
            given += [Prefixed("forces=", repr(item.forces)), Prefixed("fires_undefined=", repr(item.fires_undefined))]
        return tuple_of((repr(item.space), repr(name))), call("Item", *given)

    def _times(self, item: core.Item) -> list[Code]:
        """Before what an item has no value, and an expectation cannot be checked."""
        waits: list[Code] = ["waits=True"] if (item.space, item.name) in self.waiting else []
        due = resting.due(self.protocol, item.expr) if item.space == "expect" else INPUTS
        return waits + ([Prefixed("due=", repr(due))] if due != INPUTS else [])

    @cached_property
    def waiting(self) -> frozenset[tuple[str, str]]:
        """What has no value before people have judged, by space and name."""
        return resting.evidence(self.protocol).waiting() if self.protocol.judgements else frozenset()

    def _verdict_lines(self, item: core.Item) -> str:
        """The lines of the verdict by themselves, so that the results can tell which one leaves none."""
        if item.space != "verdict" or not isinstance(item.expr, core.Choose):
            return ""
        chosen = (*item.expr.lines, (core.Const(core.BOOL, True), item.expr.otherwise))
        made = [
            tuple_of((repr(text), *(Prefixed("lambda: ", self.lowering.expr(part, {})) for part in line)))
            for text, line in zip(item.lines(len(chosen)), chosen, strict=True)
        ]
        words = "The lines of the verdict, each with its condition and its word."
        return self._function(("lines", "verdict"), "", words, tuple_of(tuple(made)))

    def _units(self) -> list[tuple[Code, Code]]:
        found: list[tuple[Code, Code]] = []
        for item in self.protocol.of("metrics"):
            if item.type.kind == "quantity":
                found.append((tuple_of((repr(item.space), repr(item.name))), repr(item.type.unit)))
        return found

    def _interval(self, interval: core.Interval) -> tuple[Code, Code]:
        self.lowering.place = interval.span
        scope = {f"per{place}": f"per{place}" for place in range(len(interval.per))}
        pers = ", ".join(scope)
        inside = {**scope, **{rows.var: "row" for rows in interval.resample}}
        rowed = ", ".join(("row", *scope))
        metric = next((item for item in self.protocol.items if item.name == interval.metric), None)
        space = metric.space if metric is not None else "metrics"
        drawn = drawn_tables(interval)
        changed = sorted(changed_by(self.protocol, interval))
        sets = self._sets(interval.resample, scope)
        words = f"{interval.name}: {interval.says}".rstrip(": ")
        given = [repr(space), repr(interval.metric)]
        resample = self._function(("interval", interval.name), pers, f"{words}\n\nWhat is drawn.", sets)
        more: list[Code] = [Prefixed("resample=", resample), Prefixed("draws=", str(interval.draws))]
        more += [Prefixed("seed=", repr(interval.seed)), Prefixed("level=", literal(interval.level))]
        more += [Prefixed("drawn=", _texts(drawn))]
        more += [Prefixed("changed=", call("frozenset", tuple_of(tuple(literal(thing) for thing in changed))))]
        if interval.follow:
            body = self._sets(interval.follow, inside)
            words = f"{interval.name}: the rows that come with a drawn row."
            more.append(Prefixed("follow=", self._function(("follow", interval.name), rowed, words, body)))
        if interval.within:
            body = tuple_of(tuple(self.lowering.sortable(e, inside) for e in interval.within))
            words = f"{interval.name}: the stratum of a row."
            more.append(Prefixed("within=", self._function(("within", interval.name), rowed, words, body)))
        if interval.out_of is not None:
            body = self.lowering.expr(interval.out_of, scope)
            words = f"{interval.name}: the number of units."
            more.append(Prefixed("out_of=", self._function(("out_of", interval.name), pers, words, body)))
        return repr(interval.name), call("Interval", *given, *more)

    def _sets(self, sets: tuple[core.Rows, ...], scope: dict[str, str]) -> Code:
        pairs = [tuple_of((repr(rows.table), self.lowering.row_set(rows, scope))) for rows in sets]
        return Group("[", tuple(pairs), "]")

    def _about(self) -> Code:
        formulas = [
            (tuple_of((repr(i.space), repr(i.name))), repr(" ".join(i.text.split()))) for i in self.protocol.items
        ]
        return call(
            "About",
            repr(self.protocol.id),
            repr(self.protocol.version),
            repr(identity.digest(self.protocol)),
            _texts(self.protocol.released),
            _mapping(formulas),
            *([Prefixed("copies=", literal(given))] if (given := self._copies()) else []),
        )

    def _copies(self) -> tuple[tuple[str, str], ...]:
        return tuple(copies(self.protocol.outputs).items())

    def _display(self, pairs: Sequence[tuple[Code, Code]]) -> str:
        """A dict display, one entry to a line."""
        named = [(flat(key), value) for key, value in pairs]
        lines = [f"    {name}: {self.lay(value, 4, len(name) + 2)},\n" for name, value in named]
        return "{\n" + "".join(lines) + "}" if lines else "{}"


def _texts(texts: tuple[str, ...]) -> Code:
    return tuple_of(tuple(repr(text) for text in texts)) if texts else "()"


def _mapping(pairs: Sequence[tuple[Code, Code]]) -> Code:
    return Group("{", tuple(Prefixed(f"{flat(key)}: ", value) for key, value in pairs), "}") if pairs else "{}"
