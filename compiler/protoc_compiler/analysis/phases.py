"""The life of splits: what phases may read, subjects that are missing, verdicts that are released."""

from __future__ import annotations

from protoc_compiler import core
from protoc_compiler.catalogue import analysis as kinds
from protoc_compiler.elaborate.context import Context


def check(protocol: core.Protocol, el: Context) -> None:
    """Report uses that a split does not allow, and what is missing around the run."""
    splits = {split.name: split for split in protocol.splits}
    readers: dict[str, list[str]] = {}
    for written in el.spec.procedure.phases:
        for name in written.reads:
            split = splits.get(name.text)
            if split is None:
                continue
            allowed = {use.removesuffix(" once") for use in split.may}
            if written.use.text not in allowed:
                may = ", ".join(split.may) or "nothing"
                el.findings.add(
                    kinds.USE_NOT_ALLOWED, name.span, phase=written.name.text, split=name.text, use=written.use.text,
                    may=may,
                )  # fmt: skip
            if f"{written.use.text} once" in split.may:
                readers.setdefault(name.text, []).append(written.name.text)
                if len(readers[name.text]) == 2:
                    phases = " and ".join(f"`{phase}`" for phase in readers[name.text])
                    el.findings.add(kinds.ONCE_READ_TWICE, name.span, split=name.text, phases=phases)
    if protocol.subject is None:
        for table in protocol.tables:
            if table.source == "subject" and not table.record:
                span = table.span or el.spec.title.span
                el.findings.add(kinds.NO_SUBJECT, span, table=table.name)
    if not protocol.released:
        el.findings.add(kinds.NOTHING_RELEASED, el.spec.verdict.body.span)
