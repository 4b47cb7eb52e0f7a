"""The fingerprint of a change: the same for the same change, however it is worded or laid out."""

from __future__ import annotations

import json

from protoc_compiler import core
from protoc_compiler.drift import forms, normal
from protoc_compiler.drift.deltas import meaning
from protoc_compiler.drift.model import Delta, Thing
from protoc_compiler.sha import sha256_hex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

LENGTH = 16
_TEXT = json.JSONEncoder(ensure_ascii=False, check_circular=False, sort_keys=True, default=repr).encode


def fingerprint(name: str, delta: Delta, among: tuple[tuple[str, ...], ...] = ()) -> str:
    """16 hex digits from the kind of the change, what it is about, and both meanings in normal form.

    Words count only where they are what has changed. `among`: of what came or went, all beside which it stands on both
    sides, where something reads their order.
    """
    if delta.field in ("added", "removed", "renamed"):
        sides: list[Any] = [_thing(delta.old), _thing(delta.new), *among]
    elif delta.field == "order" and delta.before is None:
        sides = []
    else:
        sides = [_value(delta.before), _value(delta.after)]
    about = [name, delta.thing.name if delta.subject != "EXPECTATION" else delta.thing.owner, delta.field, sides]
    return sha256_hex(_TEXT(about).encode("utf-8"))[:LENGTH]


def _thing(thing: Thing | None) -> Any:
    if thing is None:
        return None
    kept = {name: _value(value) for name, value in thing.fields.items() if name not in ("says", "cites", "place")}
    spoken = thing.fields.get("says") if not any(kept.values()) else None
    return [thing.name, kept, spoken]


def _value(value: Any) -> Any:
    if isinstance(value, core.Expr):
        try:
            return repr(normal.plain(value))
        except forms.TooLarge:
            return repr(meaning(value))
    return meaning(value)
