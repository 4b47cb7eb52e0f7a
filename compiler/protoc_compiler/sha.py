"""SHA-256 without OpenSSL: to load `hashlib` costs more than to read a spec, and what is hashed here is small."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def sha256_hex(data: bytes) -> str:
    """The 64 hex digits of the SHA-256 of some bytes."""
    return str(built_in()(data).hexdigest())


@cache
def built_in() -> Callable[..., Any]:
    """Python's own implementation, by its names since 3.12 and before; a build may lack both."""
    for name in ("_sha2", "_sha256"):
        try:
            found: Callable[..., Any] = __import__(name).sha256
        except ImportError:
            continue
        return found
    import hashlib

    return hashlib.sha256
