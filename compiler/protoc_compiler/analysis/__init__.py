"""What can be said of a protocol without data: bounds, reachability, redundancy, the life of splits."""

from __future__ import annotations

from protoc_compiler import core
from protoc_compiler.analysis import (
    absent,
    bands,
    conduct,
    counts,
    families,
    machine,
    mappings,
    origin,
    phases,
    precedence,
    proofs,
    reach,
    splits,
    thresholds,
    unreached,
    usage,
)
from protoc_compiler.elaborate.context import Context


def check(protocol: core.Protocol, el: Context) -> None:
    """Report everything that this pass finds."""
    for part in (
        thresholds,
        counts,
        reach,
        precedence,
        bands,
        phases,
        splits,
        machine,
        origin,
        conduct,
        families,
        mappings,
        unreached,
        usage,
        absent,
        proofs,
    ):
        part.check(protocol, el)
