"""Judgements: which rows people judge, what they see of them, where their answers go, and in which order."""

from __future__ import annotations

from protoc_compiler import core, identity, suggest, syntax
from protoc_compiler.catalogue import document as document_kinds
from protoc_compiler.catalogue import names as name_kinds
from protoc_compiler.catalogue import procedure as kinds
from protoc_compiler.elaborate import observed
from protoc_compiler.elaborate.context import Fault, Scope
from protoc_compiler.elaborate.elaborator import Elaborator
from protoc_compiler.elaborate.rows import frames
from protoc_compiler.settings import texts, words
from protoc_compiler.spec import Formula, JudgementDecl, TableDecl, Text
from protoc_runtime.diagnostics import Related
from protoc_runtime.evidence import Evidence, Leaf
from protoc_runtime.observed import ADJUDICATED
from protoc_runtime.record import replace

SOURCE = "adjudication"


def judgements(el: Elaborator) -> tuple[core.Judgement, ...]:
    """Every judgement that can be resolved; the order among them is found by `ordered`."""
    made = []
    for written in el.spec.procedure.judgements:
        before = el.restart()
        try:
            made.append(_judgement(el, written))
        except Fault:
            continue
        finally:
            el.restart(before)
    _filled_once(el)
    return tuple(made)


def _judgement(el: Elaborator, written: JudgementDecl) -> core.Judgement:
    judged, filled = _table(el, written.judges), _table(el, written.fills)
    decl = el.names.declared.get(written.fills.text)
    if not isinstance(decl, TableDecl) or filled.source != SOURCE:
        el.fault(kinds.NOT_ADJUDICATED, written.fills.span, table=written.fills.text)
    root = el.table(judged.root, written.judges.span)
    _same_key(el, written, root, filled)
    labels = _labels(el, written, filled)
    told = [column for column in decl.columns if column.name.text not in (*filled.key, written.column.text)]
    observed.check(el, SOURCE, tuple(told), ADJUDICATED)
    return core.Judgement(
        written.name.text, judged.name, filled.name, written.column.text, filled.key, _sees(el, written, root), labels,
        says=words(written.says), cites=texts(written.cites), span=written.name.span,
    )  # fmt: skip


def _table(el: Elaborator, name: Text) -> core.Table:
    if not el.names.is_table(name.text):
        hint = suggest.hint(name.text, el.names.table_names())
        el.fault(name_kinds.UNKNOWN_TABLE, name.span, name=name.text, hint=hint)
    el.used.add(name.text)
    return el.table(name.text, name.span)


def _same_key(el: Elaborator, written: JudgementDecl, root: core.Table, filled: core.Table) -> None:
    """The filled row names the judged one: by the same columns, or where that has one key, by a reference to it."""
    alike = filled.key == root.key
    for name in filled.key if alike else ():
        mine, other = el.column(filled.name, name), el.column(root.name, name)
        refers = mine is not None and mine.type.kind == "row" and mine.type.table == root.name
        alike = alike and mine is not None and other is not None and (refers or mine.type == other.type)
    if not alike:
        el.fault(
            kinds.KEYS_DIFFER, written.fills.span, fills=filled.name, key=_listed(el, filled), judges=root.name,
            other=_listed(el, root),
        )  # fmt: skip


def _listed(el: Elaborator, table: core.Table) -> str:
    columns = [el.column(table.name, name) for name in table.key]
    types = [column.type.table or column.type.kind for column in columns if column is not None]
    return "[" + ", ".join(f"{name}: {kind}" for name, kind in zip(table.key, types, strict=False)) + "]"


# --- labels ---------------------------------------------------------------------------------------------------------


def _labels(el: Elaborator, written: JudgementDecl, filled: core.Table) -> tuple[tuple[str, str], ...]:
    column = filled.column(written.column.text)
    if column is None:
        known = [column.name for column in filled.columns]
        hint = suggest.hint(written.column.text, known)
        span, name = written.column.span, written.column.text
        el.fault(name_kinds.UNKNOWN_COLUMN, span, table=filled.name, name=name, hint=hint)
    meanings = {label.text: meaning.text for label, meaning in written.labels}
    problem, hint = _difference(column, filled, meanings)
    if problem:
        table, name = filled.name, written.name.text
        el.fault(
            kinds.LABELS_DIFFER, written.column.span, name=name, table=table, column=column.name, problem=problem,
            hint=hint,
        )  # fmt: skip
    return tuple((member, meanings[member]) for member in column.type.members)


def _difference(column: core.Col, filled: core.Table, meanings: dict[str, str]) -> tuple[str, str]:
    """(what differs, how to mend it), or two empty texts."""
    members = column.type.members
    wanted = f"type it `[{', '.join(meanings)}]`"
    if column.name in filled.key:
        return "the column is part of the key", "name the column that the rater fills"
    if column.type.kind != "enum":
        return f"the column is of type {column.type.kind}", wanted
    if column.optional:
        return "the column may be null, and a rater decides each row", wanted
    lacking = [member for member in members if member not in meanings]
    if lacking:
        return f"{_quoted(lacking)} without a meaning", "add each under `labels`, with what it means"
    unknown = [label for label in meanings if label not in members]
    return (f"the column does not take {_quoted(unknown)}", wanted) if unknown else ("", "")


def _quoted(names: list[str]) -> str:
    return ", ".join(f"`{name}`" for name in names) + (" is" if len(names) == 1 else " are")


# --- what a rater sees ----------------------------------------------------------------------------------------------


def _sees(el: Elaborator, written: JudgementDecl, root: core.Table) -> tuple[tuple[str, core.Expr], ...]:
    row = core.RowVar(core.Type("row", table=root.name), "self")
    scope = frames(el, row, root.name)
    made: dict[str, tuple[tuple[str, core.Expr], ...]] = {}
    places: dict[str, Formula] = {}
    for formula in written.sees:
        label = _label(formula.tree)
        if not label:
            el.fault(kinds.NOT_A_COLUMN, formula.span, found=f"`{formula.text}`")
        if label in made:
            related = (Related(places[label].span, "first here"),)
            el.fault(document_kinds.REPEATED, formula.span, related=related, found=label)
        made[label], places[label] = _seen(el, formula, label, scope), formula
    return tuple(part for parts in made.values() for part in parts)


def _label(tree: syntax.Expr) -> str:
    """The last part of a path: the name under which it stands on the sheet."""
    whole = tree
    while isinstance(tree, syntax.Field):
        tree = tree.base
    if not isinstance(tree, syntax.Name):
        return ""
    return whole.name if isinstance(whole, syntax.Field) else tree.text


def _seen(el: Elaborator, formula: Formula, label: str, scope: Scope) -> tuple[tuple[str, core.Expr], ...]:
    if el.is_rows(formula.tree, scope):
        return _seen_rows(el, formula, label, scope)
    value = el.expr(formula.tree, scope)
    if not isinstance(value, core.Column):
        el.fault(kinds.NOT_A_COLUMN, formula.span, found=f"`{formula.text}`")
    return ((label, value),)


def _seen_rows(el: Elaborator, formula: Formula, label: str, scope: Scope) -> tuple[tuple[str, core.Expr], ...]:
    """Rows that belong to the judged one: each of their columns as a list, in their order."""
    made = []
    for column in _columns(el, formula, scope):
        rows, _ = el.rows(formula.tree, scope)
        value = core.Column(column.type, core.RowVar(core.Type("row", table=_root(el, rows)), rows.var), column.name)
        kind = core.Type("list", item=column.type)
        made.append((f"{label}.{column.name}", core.Aggregate(kind, "list", rows, (value,), ())))
    return tuple(made)


def _columns(el: Elaborator, formula: Formula, scope: Scope) -> list[core.Col]:
    rows, _ = el.rows(formula.tree, scope)
    given = el.table(_root(el, rows), formula.span)
    if not rows.match:
        el.fault(kinds.NOT_A_COLUMN, formula.span, found=f"the whole table `{formula.text}`")
    narrowing = {match.column for match in rows.match}
    return [column for column in given.columns if column.name not in ("position", *narrowing)]


def _root(el: Elaborator, rows: core.Rows) -> str:
    return el.table(rows.table, el.spec.title.span).root


# --- the whole ------------------------------------------------------------------------------------------------------


def _filled_once(el: Elaborator) -> None:
    first: dict[str, JudgementDecl] = {}
    for written in el.spec.procedure.judgements:
        other = first.setdefault(written.fills.text, written)
        if other is not written:
            names = f"`{other.name.text}` and `{written.name.text}`"
            related = (Related(other.fills.span, "first filled here"),)
            el.findings.add(
                kinds.FILLED_TWICE, written.fills.span, related=related, table=written.fills.text, names=names
            )


def ordered(el: Elaborator, protocol: core.Protocol) -> core.Protocol:
    """The protocol with, for each judgement, those that must be told before its rows are known."""
    if not protocol.judgements:
        return protocol
    evidence = Evidence(identity.to_json(protocol))
    fillers = {judgement.fills: judgement.name for judgement in protocol.judgements}
    needs = {judgement.name: _needs(evidence, judgement, fillers) for judgement in protocol.judgements}
    for judgement in protocol.judgements:
        path = _circle(judgement.name, needs)
        if path:
            el.findings.add(
                kinds.JUDGES_ITSELF, judgement.span or el.spec.title.span, name=judgement.name, path=" -> ".join(path)
            )
    made = tuple(replace(each, after=tuple(sorted(needs[each.name]))) for each in protocol.judgements)
    return replace(protocol, judgements=made)


def _needs(evidence: Evidence, judgement: core.Judgement, fillers: dict[str, str]) -> dict[str, Leaf]:
    found = evidence.leaves(("table", judgement.judges))
    found += evidence.of_formula(identity.to_json(tuple(value for _, value in judgement.sees)))
    made: dict[str, Leaf] = {}
    for leaf in found:
        if leaf.source == SOURCE and leaf.table in fillers:
            made.setdefault(fillers[leaf.table], leaf)
    return made


def _circle(start: str, needs: dict[str, dict[str, Leaf]]) -> tuple[str, ...]:
    """The names through which a judgement rests on itself, or nothing."""
    waiting = [(name, leaf.path) for name, leaf in needs[start].items()]
    seen = set()
    for name, path in waiting:
        if name == start:
            return path
        if name not in seen:
            seen.add(name)
            waiting += [(further, (*path, *leaf.path)) for further, leaf in needs[name].items()]
    return ()
