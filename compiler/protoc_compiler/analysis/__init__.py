"""What can be said of a protocol without data: bounds, reachability, redundancy, the life of splits."""

from __future__ import annotations

from protoc_compiler import core
from protoc_compiler.analysis import (
    absent,
    bands,
    better,
    conduct,
    counts,
    drawing,
    families,
    machine,
    mappings,
    mixed,
    origin,
    phases,
    precedence,
    proofs,
    reach,
    releases,
    review_times,
    seen,
    shares,
    splits,
    statistics_said,
    thresholds,
    twins,
    unreached,
    unread,
    usage,
)
from protoc_compiler.elaborate.context import Context


def check(protocol: core.Protocol, el: Context) -> None:
    """Report everything that this pass finds."""
    for part in (
        thresholds,
        twins,
        unread,
        counts,
        drawing,
        reach,
        releases,
        seen,
        shares,
        precedence,
        bands,
        better,
        phases,
        splits,
        statistics_said,
        machine,
        origin,
        review_times,
        conduct,
        families,
        mappings,
        mixed,
        unreached,
        usage,
        absent,
        proofs,
    ):
        part.check(protocol, el)
