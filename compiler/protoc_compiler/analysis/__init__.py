"""What can be said of a protocol without data: bounds, reachability, redundancy, the life of splits."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from protoc_compiler import core
from protoc_compiler.elaborate.context import Context

_PARTS = (  # modules beside this one, in the order in which they report
    *("thresholds", "twins", "unread", "counts", "drawing", "reach", "releases", "seen", "shares", "precedence"),
    *("bands", "better", "phases", "splits", "statistics_said", "machine", "origin", "review_times", "conduct"),
    *("families", "mappings", "mixed", "unreached", "usage", "absent", "proofs"),
)
# Those that never refuse a protocol.
_ADVICE = frozenset((
    *("twins", "unread", "counts", "releases", "seen", "statistics_said"),
    *("review_times", "mappings", "mixed", "unreached", "absent"),
))  # fmt: skip
# A module that is about one construct is loaded for a protocol that has it.
_OF: dict[str, Callable[[core.Protocol], bool]] = {
    "better": lambda protocol: any(item.better for item in protocol.items),
    "drawing": lambda protocol: bool(protocol.intervals),
    "review_times": lambda protocol: len(protocol.judgements) > 1,  # it compares the times of two
    "usage": lambda protocol: protocol.subject is not None and protocol.subject.session is not None,
}


def check(protocol: core.Protocol, el: Context) -> None:
    """Report everything that this pass finds."""
    for name in _PARTS:
        if (name not in _OF or _OF[name](protocol)) and not (el.refusing and name in _ADVICE):
            import_module(f"{__name__}.{name}").check(protocol, el)
