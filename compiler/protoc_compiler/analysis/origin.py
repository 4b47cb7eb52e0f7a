"""Where values come from: what adjudication can change, and that it changes nothing that is sealed."""

from __future__ import annotations

from protoc_compiler import core
from protoc_compiler.catalogue import agents as output_kinds
from protoc_compiler.catalogue import procedure as kinds
from protoc_compiler.elaborate.context import Context
from protoc_compiler.names import RULE_SPACES
from protoc_compiler.resting import evidence
from protoc_runtime.evidence import REVIEW, Leaf

SOURCE = "adjudication"


def check(protocol: core.Protocol, el: Context) -> None:
    """Report what is sealed although people can change it, and what is written before they have told it."""
    for name in el.spec.report.sealed:
        path = decided(protocol, name.text)
        if path:
            el.findings.add(kinds.SEALED_READS, name.span, name=name.text, path=" -> ".join(path))
    for output, written in zip(protocol.outputs, el.spec.procedure.outputs, strict=True):
        path = _told_later(protocol, output)
        if path:
            what = f"is written when the run ends, before people have judged: {' -> '.join(path)}"
            hint = "take it out; the outputs `adjudication` and `receipt` are written after the final verdict, too"
            el.findings.add(output_kinds.LEAKS, written.kind.span, name=output.path, problem=what, hint=hint)


def _told_later(protocol: core.Protocol, output: core.Output) -> tuple[str, ...]:
    """The names through which a file of rows reads what people tell; nothing where it does not."""
    if not output.of or not protocol.judgements:
        return ()
    root = protocol.table(output.of).root
    shown = [("column", root, name) for name in (*output.shows, *output.rejected, *output.digests)]
    roots = [*(("table", name) for name in (output.of, output.kept) if name), *shown]
    found = evidence(protocol).leaves(*roots)
    return next((leaf.path for leaf in found if leaf.source in (SOURCE, REVIEW)), ())


def decided(protocol: core.Protocol, name: str) -> tuple[str, ...]:
    """The names through which people decide a value or rule (`gates.P2.1`); nothing where they cannot."""
    space, _, rest = name.partition(".")
    wanted = [(space, rest)] if space in RULE_SPACES else [("metrics", name), ("definitions", name)]
    item = next((item for item in protocol.items if (item.space, item.name) in wanted), None)
    found = [leaf for leaf in (leaves(protocol, item) if item else ()) if leaf.source in (SOURCE, REVIEW)]
    told = {(judgement.fills, judgement.column) for judgement in protocol.judgements}
    found.sort(key=lambda leaf: ((leaf.table, leaf.column) not in told, leaf.column == ""))  # what says most, first
    return found[0].path if found else ()


def decided_by_people(protocol: core.Protocol) -> tuple[str, ...]:
    """The metrics and rules that people decide, in declared order."""
    if not protocol.judgements:
        return ()
    shown = [item for item in protocol.items if item.space in ("metrics", *RULE_SPACES)]
    names = [f"{item.space}.{item.name}" if item.space in RULE_SPACES else item.name for item in shown]
    return tuple(name for name in names if decided(protocol, name))


def leaves(protocol: core.Protocol, *items: core.Item) -> list[Leaf]:
    """Everything from outside that these items rest on."""
    return evidence(protocol).leaves(*(("item", item.space, item.name) for item in items))


def reached(protocol: core.Protocol, *things: tuple[str, ...]) -> list[tuple[str, ...]]:
    """Everything that these things rest on, themselves included: (item, space, name), (column, table, name), ..."""
    return list(evidence(protocol).reached(*things))
