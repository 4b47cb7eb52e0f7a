"""The state machine of the phases: names that exist, edges that lead on, guards that can be judged in time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from protoc_compiler import core, suggest
from protoc_compiler.analysis.origin import leaves
from protoc_compiler.catalogue import names as name_kinds
from protoc_compiler.catalogue import phases as kinds
from protoc_compiler.elaborate.context import Context
from protoc_compiler.nodes import brief
from protoc_compiler.spec import PhaseDecl, Text
from protoc_runtime.observed import family

_KNOWN_BEFORE = ("phase", "manifest", "seal", "subject", "frozen", "listed")
Edges = Mapping[str, tuple[str, ...]]


def check(protocol: core.Protocol, el: Context) -> None:
    """Report what keeps the phases from being a machine that a study can walk, one way, to an end."""
    phases = el.spec.procedure.phases
    _check_names(protocol, el)
    edges = {phase.name.text: tuple(to.text for _, many in phase.then for to in many) for phase in phases}
    _check_splits(el, edges)
    _check_same(protocol, el)
    _check_parity(protocol, el)
    if not any(phase.stateful for phase in phases):
        return
    _check_edges(protocol, el, edges)
    for phase in phases:
        if not phase.once and not phase.ends and not phase.then:
            el.findings.add(kinds.ENDLESS, phase.name.span, phase=phase.name.text)
        _check_guard(protocol, el, phase, edges)


def before(edges: Edges, phase: str) -> tuple[str, ...]:
    """The phases from which a phase can be reached, in their order."""
    found = {phase}
    while more := {name for name, to in edges.items() if found & set(to)} - found:
        found |= more
    return tuple(name for name in edges if name in found and name != phase)


def _check_names(protocol: core.Protocol, el: Context) -> None:
    known: list[str] = []
    for phase in el.spec.procedure.phases:
        if phase.name.text in known:
            el.findings.add(kinds.TWICE, phase.name.span, name=phase.name.text)
        known.append(phase.name.text)
    for name in _named(el):
        if name.text not in known:
            el.findings.add(kinds.UNKNOWN_PHASE, name.span, name=name.text, hint=suggest.hint(name.text, known))
    words = protocol.of("verdict")[0].words
    for phase in el.spec.procedure.phases:
        for word in (*phase.ends, *(verdict for verdict, _ in phase.then)):
            if words and word.text not in words:
                shown = ", ".join(f"`{each}`" for each in words)
                el.findings.add(name_kinds.UNKNOWN_VERDICT, word.span, name=word.text, words=shown)


def _named(el: Context) -> Iterator[Text]:
    for phase in el.spec.procedure.phases:
        for _, many in phase.then:
            yield from many
    for split in el.spec.splits:
        if split.after is not None:
            yield split.after


def _check_same(protocol: core.Protocol, el: Context) -> None:
    """Report columns that the subject does not give, and so cannot be compared between two runs."""
    given = _given(protocol)
    for phase in el.spec.procedure.phases:
        for name in phase.same:
            owner, _, column = name.text.partition(".")
            known = given.get(owner, [])
            if owner not in given:
                hint = suggest.hint(owner, given, "name a table `from: subject`: `decisions.route`")
                el.findings.add(name_kinds.UNKNOWN_TABLE, name.span, name=brief(owner), hint=hint)
            elif column not in known:
                hint = suggest.hint(column, known)
                el.findings.add(name_kinds.UNKNOWN_COLUMN, name.span, table=owner, name=column, hint=hint)
        if phase.same and not el.findings.failed and not _reads_changed(protocol):
            same = ", ".join(f"`{name.text}`" for name in phase.same)
            el.findings.add(kinds.NOBODY_READS, phase.same[0].span, phase=phase.name.text, same=same)


def _reads_changed(protocol: core.Protocol) -> bool:
    rules = [item for item in protocol.items if item.space in ("blockers", "gates", "checks", "verdict")]
    return any(
        leaf.source == "runner" and leaf.column == "changed" for item in rules for leaf in leaves(protocol, item)
    )


def _given(protocol: core.Protocol) -> dict[str, list[str]]:
    """The columns that the subject gives, by table."""
    tables = [table for table in protocol.tables if table.source == "subject" and not table.record]
    return {table.name: [column.name for column in table.columns if column.expr is None] for table in tables}


def _check_parity(protocol: core.Protocol, el: Context) -> None:
    """Report a phase that asks for a report that nothing can make: without a run before, or rows to compare."""
    for at, phase in enumerate(el.spec.procedure.phases):
        if phase.parity is None:
            continue
        what, hint = ("", "") if at else ("nothing leads to the first one", "delete `parity` here")
        if protocol.parity is None:
            what, hint = "nothing says what is compared", "declare it under `procedure.parity`"
        elif at and not any(set(protocol.parity.columns) <= set(given) for given in _given(protocol).values()):
            columns = ", ".join(f"`{name}`" for name in protocol.parity.columns)
            what = f"no table of the subject has the columns that it compares: {columns}"
            hint = (
                "name columns of one table `from: subject` under `procedure.parity`, so that every run leaves such rows"
            )
        if what:
            el.findings.add(kinds.NOTHING_COMPARED, phase.parity.span, phase=phase.name.text, what=what, hint=hint)


def _check_splits(el: Context, edges: Edges) -> None:
    after = {split.name.text: split.after.text for split in el.spec.splits if split.after is not None}
    for phase in el.spec.procedure.phases:
        for name in phase.reads:
            made = after.get(name.text, "")
            if made in edges and made not in before(edges, phase.name.text):
                about = {"phase": phase.name.text, "split": name.text, "after": made}
                el.findings.add(kinds.SPLIT_LATER, name.span, related=(), **about)


def _check_edges(protocol: core.Protocol, el: Context, edges: Edges) -> None:
    first, *others = el.spec.procedure.phases
    word = protocol.released[0] if protocol.released else "VERDICT"
    led = {to for many in edges.values() for to in many}
    for phase in others:
        if phase.name.text not in led:
            el.findings.add(kinds.UNREACHABLE, phase.name.span, phase=phase.name.text, verdict=word)
    for phase in (first, *others):
        path = _way_back(edges, phase.name.text)
        if path and path[0] == min(path):  # each circle once
            el.findings.add(kinds.CIRCULAR, phase.name.span, path=" -> ".join(path))


def _way_back(edges: Edges, start: str) -> tuple[str, ...]:
    """A shortest way from a phase to itself, or nothing."""
    waiting: list[tuple[str, ...]] = [(start,)]
    seen = set()
    for path in waiting:  # grows while it is walked
        for to in edges.get(path[-1], ()):
            if to == start:
                return (*path, to)
            if to not in seen:
                seen.add(to)
                waiting.append((*path, to))
    return ()


def _check_guard(protocol: core.Protocol, el: Context, phase: PhaseDecl, edges: Edges) -> None:
    declared = next(made for made in protocol.phases if made.name == phase.name.text)
    guard = next((i for i in protocol.items if i.space == "definitions" and i.name == declared.enter), None)
    if guard is None or phase.enter is None:
        return
    earlier = before(edges, phase.name.text)
    for leaf in leaves(protocol, guard):
        kind, name = family(leaf.source)
        if kind not in _KNOWN_BEFORE:
            what = f"`{leaf.table}.{leaf.column}`" if leaf.column else f"the rows of `{leaf.table}`"
            el.findings.add(kinds.GUARD_READS_ROWS, phase.enter.span, phase=phase.name.text, what=what)
            return
        if kind == "phase" and name not in earlier:
            about = {"record": leaf.table, "other": name, "before": ", ".join(earlier) or "none does"}
            el.findings.add(kinds.LATER_GUARD, phase.enter.span, phase=phase.name.text, related=(), **about)
            return
