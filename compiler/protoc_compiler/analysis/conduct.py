"""What the keys of `procedure` leave open, and rules that say the same once more."""

from __future__ import annotations

from protoc_compiler import core
from protoc_compiler.analysis.origin import SOURCE, unobserved
from protoc_compiler.analysis.walk import parts
from protoc_compiler.catalogue import procedure as kinds
from protoc_compiler.elaborate.context import Context
from protoc_runtime.observed import family

_OF_RETRY = ("waited", "retry_reason")  # what a ledger tells of nothing but the policy of retries


def check(protocol: core.Protocol, el: Context) -> None:
    """Report tables that nobody fills, providers that nobody calls, rules that restate a key."""
    filled = {written.fills.text for written in el.spec.procedure.judgements}
    for table in protocol.tables:
        if table.source == SOURCE and table.name not in filled:
            el.findings.add(kinds.NOBODY_FILLS, table.span or el.spec.title.span, table=table.name)
    reason = unobserved(protocol)
    for written in el.spec.procedure.providers if reason else ():
        el.findings.add(kinds.NOBODY_CALLS, written.name.span, name=written.name.text, reason=reason)
    for item in (*protocol.of("blockers"), *protocol.of("gates")):
        _restated(protocol, el, item)


def _restated(protocol: core.Protocol, el: Context, item: core.Item) -> None:
    sources = {table.name: family(table.source) for table in protocol.tables}
    policies = {provider.name for provider in protocol.providers if provider.retry is not None}
    for value in parts(item.expr):
        if isinstance(value, core.Column) and value.name in _OF_RETRY:
            source, provider = sources.get(value.row.type.table, ("", ""))
            if source == "ledger" and provider in policies:
                key = f"procedure.providers.{provider}.retry"
                what = item.space[:-1]
                el.findings.add(kinds.RESTATED, item.span or el.spec.title.span, what=what, name=item.name, key=key)
                return
