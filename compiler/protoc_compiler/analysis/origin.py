"""Where values come from: what adjudication can change, and that it changes nothing that is sealed."""

from __future__ import annotations

from functools import lru_cache

from protoc_compiler import core, identity
from protoc_compiler.catalogue import procedure as kinds
from protoc_compiler.elaborate.context import Context
from protoc_compiler.names import RULE_SPACES
from protoc_runtime.evidence import Evidence, Leaf
from protoc_runtime.observed import family

SOURCE = "adjudication"


def check(protocol: core.Protocol, el: Context) -> None:
    """Report what is sealed although people can change it, and blockers over what nothing records."""
    for name in el.spec.report.sealed:
        path = decided(protocol, name.text)
        if path:
            el.findings.add(kinds.SEALED_READS, name.span, name=name.text, path=" -> ".join(path))
    reason = unobserved(protocol)
    if reason:
        _blockers(protocol, el, reason)


def _blockers(protocol: core.Protocol, el: Context, reason: str) -> None:
    if not any(family(table.source)[0] == "ledger" for table in protocol.tables):
        return
    for item in protocol.of("blockers"):
        leaf = next((leaf for leaf in _leaves(protocol, item) if family(leaf.source)[0] == "ledger"), None)
        if leaf is not None:
            span = item.span or el.spec.title.span
            el.findings.add(kinds.NOT_RECORDED, span, name=item.name, table=leaf.table, reason=reason)


def unobserved(protocol: core.Protocol) -> str:
    """Why no call of this protocol is seen, or "" where calls are."""
    if protocol.subject is None:
        return "there is no subject"
    return "the answers of the subject are recorded ones" if protocol.subject.kind == "recorded" else ""


def decided(protocol: core.Protocol, name: str) -> tuple[str, ...]:
    """The names through which people decide a value or rule (`gates.P2.1`); nothing where they cannot."""
    space, _, rest = name.partition(".")
    wanted = [(space, rest)] if space in RULE_SPACES else [("metrics", name), ("definitions", name)]
    item = next((item for item in protocol.items if (item.space, item.name) in wanted), None)
    leaves = _leaves(protocol, item) if item is not None else []
    return next((leaf.path for leaf in leaves if leaf.source == SOURCE), ())


def influenced(protocol: core.Protocol) -> tuple[str, ...]:
    """The metrics and rules that people decide, in declared order."""
    if not protocol.judgements:
        return ()
    shown = [item for item in protocol.items if item.space in ("metrics", "blockers", "gates", "checks")]
    names = [f"{item.space}.{item.name}" if item.space in RULE_SPACES else item.name for item in shown]
    return tuple(name for name in names if decided(protocol, name))


def _leaves(protocol: core.Protocol, item: core.Item) -> list[Leaf]:
    return evidence(protocol).leaves(("item", item.space, item.name))


@lru_cache(maxsize=2)
def evidence(protocol: core.Protocol) -> Evidence:
    """What everything of a protocol rests on."""
    return Evidence(identity.to_json(protocol))
