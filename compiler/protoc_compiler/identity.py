"""The meaning of a protocol as bytes: RFC 8785 canonical JSON of the resolved tree, and its digest.

What does not mean anything is left out: positions, the formula's spelling, which narrowing was written and which
came from a reference. The format has a name and a version of its own, so that a digest can be recomputed later.
"""

from __future__ import annotations

from datetime import date, datetime
from fractions import Fraction
from typing import Any

from protoc_compiler import core

FORMAT = "protoc-identity/1"
_MEANINGLESS = {"span", "text", "narrowed"}


def canonical(protocol: core.Protocol) -> bytes:
    """The bytes of `protocol.json`: `{"format": "protoc-identity/1", "protocol": {...}}`."""
    import rfc8785

    return rfc8785.dumps({"format": FORMAT, "protocol": to_json(protocol)})


def digest(protocol: core.Protocol) -> str:
    """The spec digest, `sha256:` and 64 hex digits."""
    import hashlib

    return "sha256:" + hashlib.sha256(canonical(protocol)).hexdigest()


def to_json(value: object) -> Any:
    """A record as `{"node": its class, field: ...}`; int as digits, a rational as `num/den`, a time in ISO form."""
    fields = getattr(type(value), "__record_fields__", None)
    if fields is not None:
        if isinstance(value, core.Item):
            return _item(value)
        return {"node": type(value).__name__} | {
            name: to_json(getattr(value, name)) for name in fields if name not in _MEANINGLESS
        }
    if isinstance(value, tuple):
        return [to_json(item) for item in value]
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, Fraction):
        return f"{value.numerator}/{value.denominator}"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, (date, datetime)):
        return value.isoformat()
    raise TypeError(f"no canonical form for {type(value).__name__}")


def _item(item: core.Item) -> dict[str, Any]:
    made = {"node": "Item"} | {
        name: to_json(getattr(item, name))
        for name in core.Item.__record_fields__  # type: ignore[attr-defined]
        if name not in _MEANINGLESS and name != "parts"
    }
    made["parts"] = [to_json(part) for _, part in item.parts]
    return made
