"""What is made of a whole protocol, kept for the last few of them."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from functools import wraps

from protoc_compiler import core

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeVar

    T = TypeVar("T")
_KEPT = 4


def by_protocol(make: Callable[[core.Protocol], T]) -> Callable[[core.Protocol], T]:
    """The function, which makes things of one protocol once: to find a protocol by its hash would take as long."""
    kept: deque[tuple[core.Protocol, T]] = deque(maxlen=_KEPT)

    @wraps(make)
    def made(protocol: core.Protocol) -> T:
        """What was made of this very protocol, or is made now."""
        for known, found in kept:
            if known is protocol:
                return found
        new = make(protocol)
        kept.append((protocol, new))
        return new

    return made
