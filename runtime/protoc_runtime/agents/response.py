"""The JSON Schema that an answer of a session must have the shape of."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from protoc_runtime.canonical import read_plain
from protoc_runtime.catalogue import agents as kinds
from protoc_runtime.catalogue import providers as provider_kinds
from protoc_runtime.diagnostics import Findings, Refused


class Response:
    """A schema beside the spec, and its bytes as the agent gets them."""

    def __init__(self, name: str, data: bytes, validator: Any) -> None:
        self._name, self.data, self._validator = name, data, validator

    @classmethod
    def load(cls, folder: Path, name: str) -> Response:
        """Read it. Raises `Refused` (E2532)."""
        from protoc_runtime.providers.schemas import load_schema

        findings = Findings()
        try:
            return cls(name, read_plain(folder / name), load_schema(folder, name, ""))
        except OSError as error:
            findings.add(kinds.BAD_RESPONSE, None, path=name, reason=error.strerror or error)
        except Refused as refused:
            told = [fault for fault in refused.diagnostics if fault.kind is provider_kinds.BAD_SCHEMA]
            reason = told[0].message.rpartition(": ")[2] if told else "it cannot be read"
            findings.add(kinds.BAD_RESPONSE, None, path=name, reason=reason)
        raise Refused(findings)

    def fault(self, answer: str) -> str:
        """Why an answer (JSON text) does not have the shape, or ""; of what it says nothing is repeated."""
        from jsonschema.exceptions import best_match

        error = best_match(self._validator.iter_errors(json.loads(answer)))
        if error is None:
            return ""
        place = "/".join(str(part) for part in error.absolute_path)
        return f"its answer does not have the shape of {self._name}: /{place} breaks `{error.validator}`"
