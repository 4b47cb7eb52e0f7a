"""`schemas/freeze.PHASE.json` of a generated package: JSON Schema of the freeze manifest in each phase."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from protoc_compiler import core
from protoc_compiler.emit.manifest import expanded
from protoc_compiler.emit.schemas import DRAFT
from protoc_runtime.manifests.meaning import parse_json
from protoc_runtime.manifests.records import Field, Value

_SHA256 = "[0-9a-f]{64}"
_TIME = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,6})?)?(Z|[+-][0-9]{2}:[0-9]{2})$"
_PLAIN: dict[str, dict[str, Any]] = {
    "text": {"type": "string", "pattern": r"\S"},
    "int": {"type": "integer"},
    "positive int": {"type": "integer", "minimum": 1},
    "decimal": {"type": "number"},
    "bool": {"type": "boolean"},
    "time": {"type": "string", "format": "date-time", "pattern": _TIME},
    "sha256": {"type": "string", "pattern": f"^{_SHA256}$"},
    "digest": {"type": "string", "pattern": f"^(sha256:)?{_SHA256}$"},
    "revision": {"type": "string", "pattern": "^[0-9a-f]{40,64}$"},
    "version": {"type": "string", "pattern": "^[A-Za-z0-9][A-Za-z0-9._:/@+-]*$"},
    "object": {"type": "object"},
    "any": {},
}
_BOUNDS = {"at_least": "minimum", "at_most": "maximum", "equal_to": "const"}


def render(protocol: core.Protocol) -> dict[str, dict[str, Any]]:
    """The schemas by name, one per phase. What a schema cannot say (numbers by value, moving names) the module says."""
    manifest = protocol.manifest
    if manifest is None:
        return {}
    copies = {item.name: item.copy for item in protocol.freeze if item.copy is not None}
    fields = expanded(manifest, copies)
    made, known = {}, set()
    for phase in manifest.phases:
        known.add(phase.name)
        blocks = {name: copy.block for name, copy in copies.items()}
        body = _Writer(blocks, known, frozenset(manifest.closed)).group("", fields)
        body["properties"][manifest.status.split(".")[0]] = _status(manifest.status, phase.status, body)
        body["required"] = sorted({*body.get("required", ()), manifest.status.split(".")[0]})
        made[f"freeze.{phase.name}"] = {"$schema": DRAFT, "title": f"{protocol.title}: freeze, {phase.name}", **body}
    return made


def _status(path: str, status: str, body: dict[str, Any]) -> dict[str, Any]:
    first, _, rest = path.partition(".")
    if not rest:
        return {"const": status}
    inner = dict(body["properties"].get(first, {"type": "object", "properties": {}}))
    name = rest.split(".")[0]
    inner["properties"] = {**inner["properties"], name: _status(rest, status, inner)}
    inner["required"] = sorted({*inner.get("required", ()), name})
    return inner


class _Writer:
    def __init__(self, blocks: dict[str, str], phases: set[str], closed: frozenset[str]) -> None:
        self._blocks, self._phases, self._closed = blocks, phases, closed

    def group(self, path: str, fields: tuple[Field, ...]) -> dict[str, Any]:
        """The schema of a group; `fields` have paths from this group on."""
        properties: dict[str, Any] = {}
        required = []
        for name in dict.fromkeys(field.path.split(".")[0] for field in fields):
            inner = tuple(
                Field(f.path[len(name) + 1 :], f.values, f.needed, f.alias, f.collect, f.says, f.cites)
                for f in fields if f.path.startswith(f"{name}.")
            )  # fmt: skip
            bare = name.removesuffix("[]")
            needed = any(f.needed in self._phases for f in (inner or fields) if inner or f.path == name)
            below = f"{path}.{bare}" if path else bare
            shown = self._below(below, name, inner) if inner else self._field(next(f for f in fields if f.path == name))
            properties[bare] = shown if needed else _or_null(shown)
            required += [bare] if needed else []
        made: dict[str, Any] = {"type": "object", "properties": properties}
        made |= {"required": sorted(required)} if required else {}
        return made | ({"additionalProperties": False} if path in self._closed else {})

    def _below(self, path: str, name: str, inner: tuple[Field, ...]) -> dict[str, Any]:
        group = self.group(path, inner)
        return {"type": "array", "minItems": 1, "items": group} if name.endswith("[]") else group

    def _field(self, field: Field) -> dict[str, Any]:
        each = [self._value(value) for value in field.values]
        made = each[0] if len(each) == 1 else {"anyOf": each}
        words = "; ".join(part for part in (field.says, ", ".join(field.cites)) if part)
        return {"description": words} | made if words else made

    def _value(self, value: Value) -> dict[str, Any]:
        if value.kind in _PLAIN:
            return dict(_PLAIN[value.kind])
        if value.kind == "enum":
            return {"enum": list(value.members)}
        if value.kind in ("list", "map"):
            assert value.item is not None
            item = self._value(value.item)
            if value.kind == "list":
                return {"type": "array", "items": item}
            return {"type": "object", "minProperties": 1, "additionalProperties": item}
        if value.kind in _BOUNDS:
            return {"type": "number", _BOUNDS[value.kind]: _number(parse_json(value.constant.encode()))}
        return {"const": _plain(parse_json((self._blocks[value.block] if value.block else value.constant).encode()))}


def _or_null(schema: dict[str, Any]) -> dict[str, Any]:
    return {"anyOf": [schema, {"type": "null"}]} if schema else schema


def _number(value: Any) -> int | float:
    return value if isinstance(value, int) else float(value)


def _plain(value: Any) -> Any:
    """A constant as `json` writes it."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return float(value) if isinstance(value, Decimal) else value
