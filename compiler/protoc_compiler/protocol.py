"""From names to the whole: every table, column and item elaborated, and the sections around them resolved.

Each definition is tried by itself, so that the faults of all of them are told at once.
"""

from __future__ import annotations

from protoc_compiler import around, core, phases, suggest
from protoc_compiler.catalogue import names as kinds
from protoc_compiler.catalogue import types as type_kinds
from protoc_compiler.elaborate import bodies, expressions
from protoc_compiler.elaborate.context import Fault
from protoc_compiler.elaborate.elaborator import Elaborator
from protoc_compiler.elaborate.kinds import comparable, describe
from protoc_compiler.nodes import brief
from protoc_compiler.spec import FirstMatch, NestedType, TableDecl, Text
from protoc_runtime.record import record, replace

_SHOWN = ("statuses", "lists")  # what `report` may withhold


@record
class _Sections:
    """What the sections come to, before it is known whether all of them could be resolved."""

    tables: list[core.Table]
    items: list[core.Item]
    verdict: core.Item | None
    intervals: tuple[core.Interval, ...]
    subject: core.Subject | None
    freeze: tuple[core.Freeze, ...]
    candidates: tuple[core.Manifest | None, core.Parity | None]
    services: tuple[core.Target | None, tuple[core.Provider, ...], tuple[core.Output, ...]]
    judgements: tuple[core.Judgement, ...]
    sealed: core.Sealed | None
    hidden: tuple[core.Hidden, ...]


def resolve(el: Elaborator, despite: frozenset[str] = frozenset()) -> core.Protocol | None:
    """The resolved protocol, or None when something could not be resolved (then it is reported). `despite` are the ids
    of errors that leave everything as it is written."""
    sections = _sections(el)
    _check_owners(el)
    _check_labels(el)
    if sections.verdict is not None:
        _check_words(el, sections.verdict)
        _check_lines(el, sections.verdict)
    faults = (item for item in el.findings if item.severity == "error" and item.id not in despite)
    if sections.verdict is None or any(faults):
        return None
    made = _whole(el, sections, sections.verdict)
    made = _ordered(el, made) if sections.judgements else made
    return _proved(el, made) if sections.hidden else made


def _sections(el: Elaborator) -> _Sections:
    """Every section by itself, in an order in which what a later one reads is there."""
    tables, items, verdict = _tables(el), _items(el) + phases.guards(el), _verdict(el)
    resampled = _intervals(el)
    subject = around.subject(el, el.spec.procedure.subject)
    freeze = around.freeze(el)
    return _Sections(
        tables=tables,
        items=items,
        verdict=verdict,
        intervals=resampled,
        subject=subject,
        freeze=freeze,
        candidates=_candidates(el, freeze),
        services=_services(el),
        judgements=_judgements(el),
        sealed=around.sealed(el),
        hidden=_hidden(el),
    )


def _whole(el: Elaborator, sections: _Sections, verdict: core.Item) -> core.Protocol:
    """The protocol of sections that are all resolved; its last item is the verdict."""
    spec = el.spec
    target, services, outputs = sections.services
    pinned, compared = sections.candidates
    return core.Protocol(
        id=spec.id.text,
        version=spec.version,
        title=spec.title.text,
        head=_pairs(spec.head),
        question=_pairs(spec.question),
        tables=tuple(sections.tables),
        splits=around.splits(spec),
        subject=sections.subject,
        freeze=sections.freeze,
        phases=phases.phases(el),
        items=(*sections.items, verdict),
        intervals=sections.intervals,
        released=tuple(word.text for word in spec.report.released),
        statements=around.statements(spec),
        claims=around.claims(el, verdict),
        amendments=around.amendments(spec),
        target=target,
        providers=services,
        judgements=sections.judgements,
        outputs=outputs,
        sealed=sections.sealed,
        manifest=pinned,
        parity=compared,
        hidden=sections.hidden,
    )


def _services(
    el: Elaborator,
) -> tuple[core.Target | None, tuple[core.Provider, ...], tuple[core.Output, ...]]:
    """Target, providers and outputs; what reads them is loaded for a protocol that has some."""
    procedure = el.spec.procedure
    if procedure.target is None and not procedure.providers and not procedure.outputs:
        return None, (), ()
    from protoc_compiler import providers

    return providers.target(el), providers.providers(el), providers.outputs(el)


def _candidates(el: Elaborator, freeze: tuple[core.Freeze, ...]) -> tuple[core.Manifest | None, core.Parity | None]:
    """The freeze manifest, and how two runtimes are compared."""
    if el.spec.procedure.manifest is None and el.spec.procedure.parity is None:
        return None, None
    from protoc_compiler import manifests, parity

    return manifests.manifest(el, freeze), parity.parity(el)


def _judgements(el: Elaborator) -> tuple[core.Judgement, ...]:
    if not el.spec.procedure.judgements:
        return ()
    from protoc_compiler import adjudication

    return adjudication.judgements(el)


def _ordered(el: Elaborator, protocol: core.Protocol) -> core.Protocol:
    from protoc_compiler import adjudication

    return adjudication.ordered(el, protocol)


def _hidden(el: Elaborator) -> tuple[core.Hidden, ...]:
    if not el.spec.procedure.visibility:
        return ()
    from protoc_compiler import visibility

    return visibility.hidden(el)


def _proved(el: Elaborator, protocol: core.Protocol) -> core.Protocol:
    from protoc_compiler import visibility

    visibility.prove(el, protocol)
    return protocol


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
    if not el.spec.intervals:
        return ()
    from protoc_compiler.elaborate import intervals

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
        "verdict", "verdict", value.type, value, bodies.text(source.body), words=words,
        cites=bodies.cites(source.body), span=source.body.span,
    )  # fmt: skip


def _check_labels(el: Elaborator) -> None:
    """What takes the labels of a wide file can hold them; few protocols have one."""
    wide = [decl for decl in el.names.declared.values() if isinstance(decl, TableDecl) and decl.unpivot is not None]
    if wide:
        from protoc_compiler.elaborate.wide import check_labels

        check_labels(el, wide)


def _check_owners(el: Elaborator) -> None:
    for owner, columns in el.names.columns.items():
        for name, source in columns.items():
            span = source.name.span
            try:
                if not el.names.is_table(owner):
                    hint = suggest.hint(owner, el.names.table_names())
                    el.findings.add(kinds.UNKNOWN_TABLE, span, name=brief(owner), hint=hint)
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


def _check_lines(el: Elaborator, verdict: core.Item) -> None:
    """Each line of the verdict gives a word."""
    written = el.spec.verdict.body
    if isinstance(written, FirstMatch) and isinstance(verdict.expr, core.Choose):
        made = (*(value for _, value in verdict.expr.lines), verdict.expr.otherwise)
        for line, value in zip(written.lines, made, strict=False):  # a misplaced `otherwise` is another fault
            absent = isinstance(value, core.Const) and value.value is None
            if absent or value.type.kind != "enum":
                found = "`undefined`" if absent else describe(value.type)
                el.findings.add(type_kinds.VERDICT_WITHOUT_WORD, line.value.span, found=found)


def _check_hidden(el: Elaborator) -> None:
    """Columns that hide a value of their own kind, or a column of a row farther out, where they are read."""
    for span, name, table, kind in el.hiding:
        item = el.names.values[name]
        if not item.per and comparable(kind, el.item(item).type):
            space = "metric" if item.space == "metrics" else "definition"
            el.findings.add(kinds.HIDDEN_VALUE, span, name=name, table=table, space=space)
    for span, name, inner, outer in sorted(el.shadowing, key=lambda each: (each[0].line, each[0].column, each[3])):
        el.findings.add(kinds.SHADOWED, span, name=name, inner=inner, outer=outer)


def check_references(el: Elaborator, made: core.Protocol) -> None:
    """Splits that phases read, what is not withheld, and definitions that nothing uses."""
    splits = [split.name.text for split in el.spec.splits]
    for phase in el.spec.procedure.phases:
        for name in phase.reads:
            if name.text not in splits:
                el.findings.add(kinds.UNKNOWN_SPLIT, name.span, name=name.text, hint=suggest.hint(name.text, splits))
    _check_hidden(el)
    _check_shown(el, made)
    for definition in el.spec.definitions.items:
        title = definition.name.text
        known = title in el.names.defined or (title in el.names.values and "." not in title)
        if known and title not in el.used:
            el.findings.add(kinds.UNUSED, definition.name.span, name=title)


def _check_shown(el: Elaborator, made: core.Protocol) -> None:
    """Names of what is not withheld: one that is nothing's would withhold what its author wants to show."""
    metrics, checks, report = el.spec.metrics, el.spec.checks, el.spec.report
    kept = ((("metrics",), metrics.not_withheld), (("checks",), checks.not_withheld), (_SHOWN, report.not_withheld))
    for spaces, names in kept:
        known = [item.name for item in made.items if item.space in spaces]
        for name in names:
            if name.text not in known:
                hint = suggest.hint(name.text, known)
                el.findings.add(kinds.UNKNOWN_NAME, name.span, name=brief(name.text), hint=hint)


def explain(el: Elaborator) -> list[str]:
    """How each name was narrowed, for `check --explain`."""
    lines = sorted({(span.line, span.column, text) for span, text in el.readings})
    return [f"{el.spec.file}:{line}:{column}: {text}" for line, column, text in lines]
