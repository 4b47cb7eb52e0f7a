"""The names of a spec: what each one is, before anything has a type.

A definition is a table, a column or a value by its form alone: `T.c` with a table T is a column, a filtered or
combined table is a table, everything else is a value. This pass also takes placeholder names apart.
"""

from __future__ import annotations

import re

from protoc_compiler import library, suggest, syntax
from protoc_compiler.catalogue import names as kinds
from protoc_compiler.spec import (
    ArmDecl,
    Body,
    Definition,
    Formula,
    IntervalDecl,
    RecordDecl,
    Rule,
    Spec,
    TableDecl,
    Text,
    Verdict,
)
from protoc_runtime.diagnostics import Findings, Related, Span
from protoc_runtime.record import record

PLACEHOLDER = re.compile(r"<([^<>]*)>")
RULE_SPACES = ("gates", "blockers", "checks")


@record
class ItemName:
    """A named value or rule. `stripped` is the name without its placeholders: how a row of `per` reads its entry."""

    space: str
    name: str
    stripped: str
    per: tuple[str, ...]
    source: Definition | Rule | Verdict | IntervalDecl
    span: Span
    which: str = ""  # of an interval's output: low, high, kept, p


class Names:
    """Every name of a spec."""

    def __init__(self, spec: Spec, findings: Findings) -> None:
        self.spec = spec
        self.findings = findings
        self.declared: dict[str, TableDecl | RecordDecl] = {}
        self.defined: dict[str, Definition] = {}
        self.columns: dict[str, dict[str, Definition | ArmDecl]] = {}
        self.items: dict[tuple[str, str], ItemName] = {}
        self.values: dict[str, ItemName] = {}  # definitions and metrics by full name
        self.entries: dict[str, list[ItemName]] = {}  # by stripped name
        self._places: dict[str, Span] = {}
        self._collect()

    def is_table(self, name: str) -> bool:
        """Whether the name is that of a table, record, `splits` or table definition."""
        return name in self.declared or name in self.defined or (name == "splits" and bool(self.spec.splits))

    def table_names(self) -> list[str]:
        """All of them, for suggestions."""
        return [*self.declared, *self.defined, *(["splits"] if self.spec.splits else [])]

    # --- collecting -------------------------------------------------------------------------------------------

    def _collect(self) -> None:
        declared: tuple[TableDecl | RecordDecl, ...] = (*self.spec.tables, *self.spec.records)
        if self.spec.procedure.target is not None:
            self._places["target"] = self.spec.procedure.target.span
        for table in declared:
            if self._claim(table.name):
                self.declared[table.name.text] = table
        self._find_tables()
        for arm in self.spec.arms:
            self.columns.setdefault(arm.of.text, {})[arm.name.text] = arm
        for definition in self.spec.definitions.items:
            if definition.name.text not in self.defined:
                self._definition(definition)
        for definition in self.spec.metrics.items:
            self._value("metrics", definition)
        for interval in self.spec.intervals:
            for which, output in interval.outputs:
                self._add_item("metrics", output, interval, which)
        for space in RULE_SPACES:
            for rule in getattr(self.spec, space).items:
                self._add_item(space, rule.name, rule)
        for verdict in self.spec.verdicts:
            if verdict.name is not None:
                self._add_item("verdicts", verdict.name, verdict)
        for space, definitions in (("statuses", self.spec.report.statuses), ("lists", self.spec.report.lists)):
            for definition in definitions:
                self._add_item(space, definition.name, definition)

    def _find_tables(self) -> None:
        pending = [item for item in self.spec.definitions.items if "." not in item.name.text]
        found = True
        while found:
            found = False
            for definition in list(pending):
                if self._is_table_form(definition.body):
                    pending.remove(definition)
                    found = True
                    if self._claim(definition.name):
                        self.defined[definition.name.text] = definition

    def _is_table_form(self, body: Body) -> bool:
        if not isinstance(body, Formula):
            return False
        tree = body.tree
        if isinstance(tree, syntax.Call):
            return tree.name in library.TABLE_FUNCTIONS
        if isinstance(tree, syntax.Name):
            return self.is_table(tree.text)
        return isinstance(tree, (syntax.Table, syntax.Combined))

    def _definition(self, definition: Definition) -> None:
        owner, dot, column = definition.name.text.partition(".")
        if not dot or not self.is_table(owner):
            self._value("definitions", definition)
            return
        known = self.columns.setdefault(owner, {})
        if column in known:
            self.findings.add(kinds.DUPLICATE_NAME, definition.name.span, name=definition.name.text)
        known[column] = definition

    def _value(self, space: str, definition: Definition) -> None:
        self._add_item(space, definition.name, definition)

    def _add_item(
        self, space: str, name: Text, source: Definition | Rule | Verdict | IntervalDecl, which: str = ""
    ) -> None:
        per = tuple(PLACEHOLDER.findall(name.text))
        for table in per:
            if not self.is_table(table):
                hint = suggest.hint(table, self.table_names())
                self.findings.add(kinds.UNKNOWN_PLACEHOLDER, name.span, name=table, whole=name.text, hint=hint)
                return
        if (space, name.text) in self.items:
            self.findings.add(kinds.DUPLICATE_NAME, name.span, name=name.text)
            return
        item = ItemName(space, name.text, strip(name.text), per, source, name.span, which)
        self.items[space, name.text] = item
        if space in ("definitions", "metrics") and self._claim(name):
            self.values[name.text] = item
        if per:
            self.entries.setdefault(item.stripped, []).append(item)

    def _claim(self, name: Text) -> bool:
        text = name.text
        if text in self._places:
            related = [Related(self._places[text], "first defined here")]
            self.findings.add(kinds.DUPLICATE_NAME, name.span, name=text, related=related)
            return False
        self._places[text] = name.span
        return True


def strip(name: str) -> str:
    """A name without its placeholders: `accuracy.<systems>.repeat<repeats>` gives `accuracy.repeat`."""
    bare = PLACEHOLDER.sub("", name)
    return ".".join(part for part in bare.split(".") if part)


def fill(name: str, labels: tuple[str, ...]) -> str:
    """A name with its placeholders replaced by the labels of rows."""
    given = iter(labels)
    return PLACEHOLDER.sub(lambda _: next(given), name)
