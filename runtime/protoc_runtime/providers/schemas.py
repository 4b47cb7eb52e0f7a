"""The JSON Schema of a provider's answers: read once, complete in itself, and nothing it names is ever fetched."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from protoc_runtime.catalogue import providers as kinds
from protoc_runtime.diagnostics import Findings, Refused

REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")


def load_schema(folder: Path, name: str, provider: str) -> Any:
    """The validator for a schema beside the spec. Raises `Refused` (E1602)."""
    import jsonschema
    import referencing

    try:
        schema = json.loads((folder / name).read_bytes())
        made = jsonschema.validators.validator_for(schema, default=jsonschema.Draft202012Validator)
        made.check_schema(schema)
        validator = made(schema, registry=referencing.Registry())
        _resolve_all(schema)
    except OSError as error:
        reason = error.strerror or str(error)
    except (ValueError, RecursionError):
        reason = "it is not JSON"
    except jsonschema.SchemaError as error:
        reason = f"it is no JSON Schema: {error.message[:200]}"
    except _Elsewhere as error:
        reason = f"its reference {str(error)!r} leads nowhere in the file"
    else:
        return validator
    raise Refused([Findings().add(kinds.BAD_SCHEMA, None, path=name, provider=provider, reason=reason)])


class _Elsewhere(Exception):
    pass


def _resolve_all(schema: Any) -> None:
    import referencing
    import referencing.exceptions
    import referencing.jsonschema

    resource = referencing.Resource.from_contents(schema, referencing.jsonschema.DRAFT202012)
    resolver = referencing.Registry().with_resource("", resource).resolver()
    for reference in _references(schema):
        if not reference.startswith("#"):
            raise _Elsewhere(reference)
        try:
            resolver.lookup(reference)
        except referencing.exceptions.Unresolvable:
            raise _Elsewhere(reference) from None


def _references(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, item in value.items():
            if key in REFERENCES and isinstance(item, str):
                yield item
            else:
                yield from _references(item)
    elif isinstance(value, list):
        for item in value:
            yield from _references(item)
