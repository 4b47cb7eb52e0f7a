"""What the formulas of a protocol rest on: one `Evidence` for each protocol, and when an expectation can be checked."""

from __future__ import annotations

from functools import lru_cache

from protoc_compiler import core, identity
from protoc_runtime.evidence import Due, Evidence


@lru_cache(maxsize=2)
def evidence(protocol: core.Protocol) -> Evidence:
    """What everything in a protocol rests on."""
    return Evidence(identity.tree(protocol))


def due(protocol: core.Protocol, formula: core.Expr) -> Due:
    """When everything is there that an expectation rests on."""
    return evidence(protocol).due(identity.to_json(formula))
