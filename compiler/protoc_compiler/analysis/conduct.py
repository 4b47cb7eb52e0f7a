"""What the keys of `procedure` leave open, and rules that say the same once more."""

from __future__ import annotations

from protoc_compiler import core, suggest
from protoc_compiler.analysis.origin import SOURCE, leaves
from protoc_compiler.catalogue import names as name_kinds
from protoc_compiler.catalogue import procedure as kinds
from protoc_compiler.core.tree import parts
from protoc_compiler.elaborate.context import Context
from protoc_compiler.nodes import brief
from protoc_runtime.conduct import conduct as derived
from protoc_runtime.observed import family
from protoc_runtime.review_facts import facts

_OF_RETRY = ("waited", "retry_reason")  # what a ledger tells of nothing but the policy of retries


def check(protocol: core.Protocol, el: Context) -> None:
    """Report tables that nobody fills, providers that nobody calls, rules that restate a key."""
    filled = {written.fills.text for written in el.spec.procedure.judgements}
    for table in protocol.tables:
        recorded = filled and facts(column.name for column in table.columns)  # of judgements, where there are some
        if table.source == SOURCE and table.name not in filled and not recorded:
            el.findings.add(kinds.NOBODY_FILLS, table.span or el.spec.title.span, table=table.name)
    _shown(protocol, el)
    _readable(protocol, el)
    reason = _unobserved(protocol)
    if reason:
        _silent(protocol, el, reason)
    for item in (*protocol.of("blockers"), *protocol.of("gates")):
        _restated(protocol, el, item)
        _never_sent(protocol, el, item)


def _shown(protocol: core.Protocol, el: Context) -> None:
    """Steps name rules of conduct that there are."""
    known = [rule.name for rule in derived(protocol)]
    for step in el.spec.procedure.steps:
        for name in step.shown_by:
            if name.text not in known:
                hint = suggest.hint(name.text, known)
                el.findings.add(name_kinds.UNKNOWN_NAME, name.span, name=brief(name.text), hint=hint)


def _readable(protocol: core.Protocol, el: Context) -> None:
    """A variable that holds a provider's credential is left out of what a command gets (W0534)."""
    secret = {provider.credential_env: provider.name for provider in protocol.providers if provider.credential_env}
    written = el.spec.procedure.subject
    for name in written.environment if written is not None else ():
        if name.text in secret:
            el.findings.add(kinds.CREDENTIAL_SHOWN, name.span, name=name.text, provider=secret[name.text])


def _unobserved(protocol: core.Protocol) -> str:
    """Why no call of this protocol is seen, or "" where calls are."""
    if protocol.subject is None:
        return "there is no subject"
    return "the answers of the subject are recorded ones" if protocol.subject.kind == "recorded" else ""


def _silent(protocol: core.Protocol, el: Context, reason: str) -> None:
    """Blockers over ledgers that stay empty; a provider that no blocker reads is only useless."""
    read: set[str] = set()
    for item in protocol.of("blockers") if protocol.providers else ():
        for leaf in leaves(protocol, item):
            source, provider = family(leaf.source)
            if source == "ledger" and provider not in read:
                read.add(provider)
                span = item.span or el.spec.title.span
                el.findings.add(kinds.NOT_RECORDED, span, name=item.name, table=leaf.table, reason=reason)
    for written in el.spec.procedure.providers:
        if written.name.text not in read:
            el.findings.add(kinds.NOBODY_CALLS, written.name.span, name=written.name.text, reason=reason)


def _restated(protocol: core.Protocol, el: Context, item: core.Item) -> None:
    sources = {table.name: family(table.source) for table in protocol.tables}
    policies = {provider.name for provider in protocol.providers if provider.retry is not None}
    for value in parts(item.expr):
        if isinstance(value, core.Column) and value.name in _OF_RETRY:
            source, provider = sources.get(value.row.type.table, ("", ""))
            if source == "ledger" and provider in policies:
                key = f"procedure.providers.{provider}.retry"
                span = item.span or el.spec.title.span
                el.findings.add(kinds.RESTATED, span, what=item.space[:-1], name=item.name, key=key)
                return


def _never_sent(protocol: core.Protocol, el: Context, item: core.Item) -> None:
    """A rule over the `calls` of a forbidden provider that does not read its `attempts`, too: it can never speak."""
    forbidden = {provider.name for provider in protocol.providers if provider.forbidden}
    read: dict[tuple[str, str], set[str]] = {}
    for leaf in leaves(protocol, item) if forbidden else ():
        source, provider = family(leaf.source)
        if source == "ledger" and provider in forbidden:
            read.setdefault((leaf.table, provider), set()).add(leaf.column)
    for (table, provider), columns in read.items():
        if columns == {"calls"}:
            span, what = item.span or el.spec.title.span, item.space[:-1]
            el.findings.add(kinds.NEVER_SENT, span, what=what, name=item.name, table=table, provider=provider)
