"""From names to the whole: every table, column and item elaborated, and the sections around them resolved.

Each definition is tried by itself, so that the faults of all of them are told at once.
"""

from __future__ import annotations

from fractions import Fraction

from protoc_runtime.record import replace

from protoc_compiler import core, suggest, syntax
from protoc_compiler.catalogue import names as kinds
from protoc_compiler.catalogue import types as type_kinds
from protoc_compiler.elaborate import bodies, expressions, intervals
from protoc_compiler.elaborate.context import Fault
from protoc_compiler.elaborate.elaborator import Elaborator
from protoc_compiler.elaborate.kinds import describe
from protoc_compiler.spec import Duty, Formula, NestedType, Spec, SubjectDecl, TableDecl, Text


def resolve(el: Elaborator) -> core.Protocol | None:
    """The resolved protocol, or None when something could not be resolved (then it is reported)."""
    tables = _tables(el)
    items = _items(el)
    verdict = _verdict(el)
    spec = el.spec
    resampled = _intervals(el)
    subject = _subject(el, spec.procedure.subject)
    freeze = _freeze(el)
    _check_owners(el)
    if verdict is not None:
        items.append(verdict)
        _check_words(el, verdict)
    if el.findings.failed or verdict is None:
        return None
    return core.Protocol(
        id=spec.id.text,
        version=spec.version,
        title=spec.title.text,
        head=_pairs(spec.head),
        question=_pairs(spec.question),
        tables=tuple(tables),
        splits=_splits(spec),
        subject=subject,
        freeze=freeze,
        phases=_phases(spec),
        items=tuple(items),
        intervals=resampled,
        released=tuple(word.text for word in spec.report.released),
        statements=_statements(spec),
        claims=_claims(el, verdict),
        amendments=_amendments(spec),
    )


def _pairs(pairs: tuple[tuple[Text, Text], ...]) -> tuple[tuple[str, str], ...]:
    return tuple((name.text, value.text) for name, value in pairs)


# --- tables and items ----------------------------------------------------------------------------------------------


def _tables(el: Elaborator) -> list[core.Table]:
    made = []
    for name in _table_names(el):
        try:
            table = el.table(name, el.spec.title.span)
            made.append(replace(table, columns=_columns(el, table), expect=_expect(el, table)))
        except Fault:
            continue
    return made


def _table_names(el: Elaborator) -> list[str]:
    names = ["splits"] if el.spec.splits else []
    for name, decl in el.names.declared.items():
        names.append(name)
        names += [f"{name}.{column.name.text}" for column in decl.columns if isinstance(column.type, NestedType)]
    return names + list(el.names.defined)


def _columns(el: Elaborator, table: core.Table) -> tuple[core.Col, ...]:
    if table.root != table.name:
        return ()
    columns = {column.name: column for column in table.columns}
    wanted = list(el.names.columns.get(table.name, {}))
    if table.name in el.names.defined:
        wanted += [item.text for item in el.names.defined[table.name].with_metrics]
    if table.kind == "stack":
        first = el.table(el.table(table.parts[0], el.spec.title.span).root, el.spec.title.span)
        wanted = [column.name for column in _columns(el, first)] + wanted
    for name in wanted:
        try:
            column = el.column(table.name, name)
        except Fault:
            continue
        if column is not None:
            columns[name] = column
    return tuple(columns.values())


def _expect(el: Elaborator, table: core.Table) -> tuple[core.Item, ...]:
    decl = el.names.declared.get(table.name)
    made = []
    for index, formula in enumerate(decl.expect if isinstance(decl, TableDecl) else ()):
        before = el.restart()
        try:
            test = expressions.condition(el, formula.tree, (), "`expect`")
            name = f"{table.name}.{index + 1}"
            made.append(core.Item("expect", name, core.BOOL, test, formula.text, span=formula.span))
        except Fault:
            continue
        finally:
            el.restart(before)
    return tuple(made)


def _items(el: Elaborator) -> list[core.Item]:
    made = []
    for name in el.names.items.values():
        try:
            made.append(el.item(name))
        except Fault:
            continue
    return made


def _intervals(el: Elaborator) -> tuple[core.Interval, ...]:
    made = []
    for decl in el.spec.intervals:
        try:
            made.append(intervals.interval(el, decl))
        except Fault:
            continue
    return tuple(made)


def _verdict(el: Elaborator) -> core.Item | None:
    source = el.spec.verdict
    el.restart()
    try:
        value = bodies.body(el, source.body, ())
    except Fault:
        return None
    words = bodies.words(source.body) or value.type.members
    return core.Item(
        "verdict", "verdict", value.type, value, bodies.text(source.body), words=words, span=source.body.span
    )


def _check_owners(el: Elaborator) -> None:
    for owner, columns in el.names.columns.items():
        for name, source in columns.items():
            span = source.name.span
            try:
                if not el.names.is_table(owner):
                    hint = suggest.hint(owner, el.names.table_names())
                    el.findings.add(kinds.UNKNOWN_TABLE, span, name=owner, hint=hint)
                    continue
                table = el.table(owner, span)
            except Fault:
                continue
            if table.root != owner:
                el.findings.add(kinds.COLUMN_OF_SUBSET, span, table=owner, root=table.root, column=name)


def _check_words(el: Elaborator, verdict: core.Item) -> None:
    words = ", ".join(f"`{word}`" for word in verdict.words) or "no word"
    named = list(el.spec.report.released)
    named += [rule.forces for rule in el.spec.blockers.items if rule.forces is not None]
    for word in named:
        if verdict.words and word.text not in verdict.words:
            el.findings.add(kinds.UNKNOWN_VERDICT, word.span, name=word.text, words=words)


# --- procedure ------------------------------------------------------------------------------------------------------


def _subject(el: Elaborator, written: SubjectDecl | None) -> core.Subject | None:
    if written is None:
        return None
    tables = [table for table in el.spec.tables if table.source.text == "subject"]
    unit = written.unit.text if written.unit is not None else ""
    if unit and unit not in el.names.declared:
        hint = suggest.hint(unit, el.names.declared)
        el.findings.add(kinds.UNKNOWN_TABLE, written.unit.span if written.unit else written.span, name=unit, hint=hint)
        return None
    decl = el.names.declared.get(unit)
    known = [column.name.text for column in decl.columns] if decl is not None else []
    for name in written.sees:
        if name.text not in known:
            hint = suggest.hint(name.text, known)
            el.findings.add(kinds.UNKNOWN_COLUMN, name.span, table=unit, name=name.text, hint=hint)
    return core.Subject(
        kind=written.kind.text,  # type: ignore[arg-type]
        target=written.target.text,
        unit=unit,
        sees=tuple(name.text for name in written.sees),
        gives=tuple(table.name.text for table in tables),
        code=tuple(path.text for path in written.code),
        timeout=_seconds(el, written.timeout),
        concurrency=_whole(el, written.concurrency),
        cites=tuple((key, tuple(cite.text for cite in cites)) for key, cites in written.cites),
    )


def _seconds(el: Elaborator, formula: Formula | None) -> Fraction | None:
    if formula is None:
        return None
    tree = formula.tree
    if isinstance(tree, syntax.Quantity):
        value = el.expr(tree, ())
        if isinstance(value, core.Const) and value.type.unit == "s" and isinstance(value.value, Fraction):
            return value.value
    hint = "write a duration with its unit, such as `5 s` or `900 ms`"
    el.findings.add(type_kinds.BAD_LITERAL, formula.span, found=formula.text, expected="a duration", hint=hint)
    return None


def _whole(el: Elaborator, formula: Formula | None) -> int:
    if formula is None:
        return 1
    tree = formula.tree
    if isinstance(tree, syntax.Number) and tree.value.denominator == 1 and tree.value >= 1 and not tree.percent:
        return int(tree.value)
    hint = "write how many cases may run at once, such as `2`"
    el.findings.add(type_kinds.BAD_LITERAL, formula.span, found=formula.text, expected="a whole number", hint=hint)
    return 1


def _freeze(el: Elaborator) -> tuple[core.Freeze, ...]:
    made = []
    for item in el.spec.procedure.freeze:
        cites = tuple(cite.text for cite in item.cites)
        name = item.name.text
        if item.digest is not None:
            made.append(core.Freeze(name, core.DIGEST, item.digest.text.removeprefix("sha256:"), cites=cites))
        elif item.file is not None:
            made.append(core.Freeze(name, core.DIGEST, None, item.file.text, cites))
        elif item.value is not None:
            value = el.expr(item.value.tree, ())
            if isinstance(value, core.Const) and value.value is not None:
                made.append(core.Freeze(name, value.type, value.value, cites=cites))
            else:
                el.findings.add(
                    type_kinds.BAD_LITERAL, item.value.span, found=item.value.text, expected="a literal value",
                    hint=f"write a literal, a digest, or {{file: PATH}}; this is {describe(value.type)}",
                )  # fmt: skip
    return tuple(made)


def _splits(spec: Spec) -> tuple[core.Split, ...]:
    return tuple(
        core.Split(
            split.name.text,
            split.role.text,
            tuple(use.text for use in split.may),
            split.says.text if split.says is not None else "",
            split.was.text if split.was is not None else "",
            split.baseline.text if split.baseline is not None else "",
            tuple(cite.text for cite in split.cites),
        )
        for split in spec.splits
    )


def _phases(spec: Spec) -> tuple[core.Phase, ...]:
    return tuple(
        core.Phase(
            phase.name.text,
            tuple(split.text for split in phase.reads),
            phase.use.text,
            phase.says.text if phase.says is not None else "",
            tuple(cite.text for cite in phase.cites),
        )
        for phase in spec.procedure.phases
    )


def _statements(spec: Spec) -> tuple[core.Statement, ...]:
    made = [
        core.Statement("step", f"step {index + 1}", step.says.text, step.by.text if step.by else "", _cites(step.cites))
        for index, step in enumerate(spec.procedure.steps)
    ]
    made += [_duty("duty", index, duty) for index, duty in enumerate(spec.report.duties)]
    made += [
        core.Statement("attestation", item.name.text, item.says.text, "attestation", _cites(item.cites))
        for item in spec.attestations
    ]
    made += [_duty("limit", index, duty) for index, duty in enumerate(spec.limits)]
    return tuple(made)


def _duty(kind: str, index: int, duty: Duty) -> core.Statement:
    return core.Statement(kind, f"{kind} {index + 1}", duty.says.text, "", _cites(duty.cites))


def _cites(cites: tuple[Text, ...]) -> tuple[str, ...]:
    return tuple(cite.text for cite in cites)


# --- claims and amendments ------------------------------------------------------------------------------------------


def _claims(el: Elaborator, verdict: core.Item) -> tuple[core.Claim, ...]:
    made = []
    for claim in el.spec.report.claims:
        words: tuple[str, ...] = ()
        may = ""
        if isinstance(claim.may, Formula):
            words = _verdict_words(el, claim.may.tree, verdict)
        elif claim.may is not None:
            may = claim.may.text
        texts = [text.text if text is not None else "" for text in (claim.never, claim.says, claim.status)]
        made.append(core.Claim(claim.name.text, words, may, *texts))
    return tuple(made)


def _verdict_words(el: Elaborator, tree: syntax.Expr, verdict: core.Item) -> tuple[str, ...]:
    if isinstance(tree, syntax.Or):
        return tuple(word for part in tree.parts for word in _verdict_words(el, part, verdict))
    if isinstance(tree, syntax.Name) and tree.text in verdict.words:
        return (tree.text,)
    name = tree.text if isinstance(tree, syntax.Name) else "this formula"
    words = ", ".join(f"`{word}`" for word in verdict.words)
    el.findings.add(kinds.UNKNOWN_VERDICT, tree.span, name=name, words=words)
    return ()


def _amendments(spec: Spec) -> tuple[core.Amendment, ...]:
    return tuple(
        core.Amendment(
            item.name.text,
            tuple(change.text for change in item.changes),
            item.why.text,
            tuple(seen.text for seen in item.seen),
            item.at.text if item.at is not None else "",
        )
        for item in spec.report.amendments
    )


def check_references(el: Elaborator) -> None:
    """Splits that phases read, and definitions that nothing uses."""
    splits = [split.name.text for split in el.spec.splits]
    for phase in el.spec.procedure.phases:
        for name in phase.reads:
            if name.text not in splits:
                el.findings.add(kinds.UNKNOWN_SPLIT, name.span, name=name.text, hint=suggest.hint(name.text, splits))
    for definition in el.spec.definitions.items:
        title = definition.name.text
        known = title in el.names.defined or (title in el.names.values and "." not in title)
        if known and title not in el.used:
            el.findings.add(kinds.UNUSED, definition.name.span, name=title)


def explain(el: Elaborator) -> list[str]:
    """How each name was narrowed, for `check --explain`."""
    lines = sorted({(span.line, span.column, text) for span, text in el.readings})
    return [f"{el.spec.file}:{line}:{column}: {text}" for line, column, text in lines]
