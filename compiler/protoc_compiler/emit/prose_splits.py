"""What `PROTOCOL.md` says of a split beside its role and uses."""

from __future__ import annotations

from collections.abc import Iterator

from protoc_compiler import core
from protoc_compiler.emit.markdown import escape


def terms(split: core.Split) -> Iterator[str]:
    """The conditions of reading it, a sentence each."""
    if split.status:
        yield f"Its status: {escape(split.status)}."
    if split.cases:
        yield f"It has {split.cases} cases."
    if split.disjoint_from:
        others = ", ".join(map(escape, split.disjoint_from))
        yield f"It shares no key, row, text or near-duplicate with {others}; an audit shows it before it is read."
    if split.at_most:
        yield f"At most {split.at_most} {'candidate reads' if split.at_most == 1 else 'candidates read'} it."
