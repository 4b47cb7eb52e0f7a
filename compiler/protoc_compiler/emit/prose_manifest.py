"""Freeze manifests and parity in `PROTOCOL.md`."""

from __future__ import annotations

from collections.abc import Iterator

from protoc_compiler import core
from protoc_compiler.emit.markdown import cited, code, escape, table
from protoc_compiler.emit.prose_types import amount
from protoc_runtime.manifests.records import Value


def manifest(protocol: core.Protocol) -> Iterator[str]:
    """The fields of the freeze manifest, and from when they are needed."""
    found = protocol.manifest
    if found is None:
        return
    yield from ("### Freeze manifest", "")
    where = f", {code(found.file)}," if found.file else ""
    says = f": {escape(found.says)}" if found.says else ""
    yield f"A file{where} pins the candidate{says}{cited(found.cites)}. Its field {code(found.status)} tells the phase."
    yield ""
    phases = ((escape(p.name), code(p.status), (escape(p.says) + cited(p.cites)).strip()) for p in found.phases)
    yield from table(("phase", "status", "words"), phases)
    closed = [code(path) for path in found.closed]
    fields = (
        (
            code(f.path),
            " or ".join(map(_value, f.values)),
            escape(f.needed) or "never",
            code(f.collect),
            (escape(f.says) + cited(f.cites)).strip(),
        )
        for f in found.fields
    )
    yield from table(("field", "holds", "needed from", "collected", "words"), fields)
    if closed:
        yield from (f"Nothing but these fields may stand in {', '.join(closed)}.", "")


def _value(value: Value) -> str:
    if value.kind == "is":
        return code(value.constant)
    if value.kind == "enum":
        return f"one of {', '.join(map(escape, value.members))}"
    if value.block:
        return f"{value.kind} of {code(f'freeze.{value.block}')}"
    return f"{value.kind} of {value.item.kind}" if value.item is not None else value.kind


def copied(item: core.Freeze) -> str:
    """A canonical block and its ties."""
    assert item.copy is not None
    ties = ", ".join(f"{code(entry)} is the threshold of {code(rule)}" for entry, rule in item.copy.ties)
    return f"a copy of {code(item.copy.shown)}: {code(item.copy.block)}" + (f"; {ties}" if ties else "")


def parity(protocol: core.Protocol) -> Iterator[str]:
    """What is compared of two runtimes."""
    found = protocol.parity
    if found is None:
        return
    yield from ("### Parity", "")
    if found.says:
        yield from (escape(found.says), "")
    bounds = f"{amount(found.low, '')} to {amount(found.high, '')}"
    rows = [
        ("the same cases", code(found.id), cited(found.cited("id"))),
        ("the same route of every case", code(found.route), cited(found.cited("route"))),
        (f"scores from {bounds}", code(found.score), cited(found.cited("score", "low", "high"))),
        (f"the same decision at {amount(found.threshold, '')}", code(found.score), cited(found.cited("threshold"))),
        ("no error", code(found.error), cited(found.cited("error"))),
    ]
    if found.violation:
        rows.append(("no violation of authority", code(found.violation), cited(found.cited("violation"))))
    if found.summary:
        counts = ", ".join(map(code, found.summary))
        rows.append(("counts of the summary that are 0", counts, cited(found.cited("summary"))))
    yield from table(("what", "read from", "rules"), ((what, read, rules.strip()) for what, read, rules in rows))
    yield from ("Drift of the score and the distance from the threshold are recorded; they decide nothing.", "")
