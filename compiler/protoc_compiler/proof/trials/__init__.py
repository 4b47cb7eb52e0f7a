"""A search over rows: what counting leaves open may be shown by rows that both compiled protocols decide."""

from __future__ import annotations

from protoc_compiler import core
from protoc_compiler.proof.trials.cases import Trials
from protoc_compiler.proof.trials.judge import Unfit


def of(old: core.Protocol, new: core.Protocol) -> Trials | None:
    """Rows that are tried on both; None where the two read different tables."""
    try:
        return Trials(old, new)
    except Unfit:
        return None


__all__ = ["Trials", "of"]
