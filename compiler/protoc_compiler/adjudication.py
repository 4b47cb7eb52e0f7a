"""Judgements: which rows people judge, what they see of them, where their answers go, and in which order."""

from __future__ import annotations

from protoc_compiler import core, judging, resting, review_facts, suggest, syntax
from protoc_compiler.catalogue import document as document_kinds
from protoc_compiler.catalogue import procedure as kinds
from protoc_compiler.catalogue import visibility as own
from protoc_compiler.elaborate.context import Fault, Scope
from protoc_compiler.elaborate.elaborator import Elaborator
from protoc_compiler.elaborate.rows import frames
from protoc_compiler.spec import Formula, JudgementDecl, TableDecl
from protoc_compiler.spec_parts import texts, words
from protoc_runtime.diagnostics import Related
from protoc_runtime.evidence import REVIEW, Evidence, Leaf
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
    if len(made) == len(el.spec.procedure.judgements):
        review_facts.check(el, tuple(made))
    return tuple(made)


def _judgement(el: Elaborator, written: JudgementDecl) -> core.Judgement:
    judged, filled = el.named_table(written.judges), el.named_table(written.fills)
    decl = el.names.declared.get(written.fills.text)
    if not isinstance(decl, TableDecl) or filled.source != SOURCE:
        el.fault(kinds.NOT_ADJUDICATED, written.fills.span, table=written.fills.text)
    root = el.table(judged.root, written.judges.span)
    key = judging.same_key(el, written, root, filled)
    labels = judging.labels(el, written, filled)
    judging.check_told(el, written, decl, key)
    sees = _sees(el, written, root)
    return core.Judgement(
        written.name.text, judged.name, filled.name, written.column.text, key, sees, labels,
        says=words(written.says), cites=texts(written.cites), span=written.name.span,
        choices=judging.choices(el, written, sees), marks=judging.marks(el, written, sees),
        follows=_follows(el, written), raters=judging.raters(el, written),
    )  # fmt: skip


def _follows(el: Elaborator, written: JudgementDecl) -> tuple[str, ...]:
    known = [each.name.text for each in el.spec.procedure.judgements]
    for name in written.follows:
        if name.text not in known:
            el.fault(own.UNKNOWN_JUDGEMENT, name.span, name=name.text, hint=suggest.hint(name.text, known))
    return tuple(sorted(texts(written.follows)))


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
    evidence = resting.evidence(protocol)
    fillers = {judgement.fills: judgement.name for judgement in protocol.judgements}
    needs = {judgement.name: _needs(evidence, judgement, fillers) for judgement in protocol.judgements}
    for judgement in protocol.judgements:
        path = _circle(judgement.name, needs)
        if path:
            el.findings.add(
                kinds.JUDGES_ITSELF, judgement.span or el.spec.title.span, name=judgement.name, path=" -> ".join(path)
            )
        elif _check_follows(el, protocol, judgement, needs):
            break
    made = tuple(replace(each, after=tuple(sorted(needs[each.name]))) for each in protocol.judgements)
    return replace(protocol, judgements=made)


def _needs(evidence: Evidence, judgement: core.Judgement, fillers: dict[str, str]) -> dict[str, Leaf]:
    found = evidence.leaves(("table", judgement.judges))
    found += evidence.of_formula(tuple(value for _, value in judgement.sees))
    made: dict[str, Leaf] = {}
    for leaf in found:
        if leaf.source == SOURCE and leaf.table in fillers:
            made.setdefault(fillers[leaf.table], leaf)
        if leaf.source == REVIEW:  # what is recorded of all judgements is known when the last one is told
            made.setdefault(judgement.name, leaf)
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


def _check_follows(
    el: Elaborator, protocol: core.Protocol, judgement: core.Judgement, needs: dict[str, dict[str, Leaf]]
) -> bool:
    """Report (E2608) a judgement that follows itself; whether it does."""
    before = {each.name: (*each.follows, *needs[each.name]) for each in protocol.judgements}
    paths: dict[str, tuple[str, ...]] = {name: (judgement.name, name) for name in before[judgement.name]}
    waiting = list(paths)
    for name in waiting:
        if name == judgement.name:
            span, path = judgement.span or el.spec.title.span, " -> ".join(paths[name])
            el.findings.add(own.FOLLOWS, span, name=name, path=path)
            return True
        for further in before[name]:
            if further not in paths:
                paths[further] = (*paths[name], further)
                waiting.append(further)
    return False
