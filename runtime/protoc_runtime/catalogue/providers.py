"""E16xx: why a run cannot call the providers that its protocol declares."""

from __future__ import annotations

from protoc_runtime.diagnostics import Kind

UNUSABLE = Kind(
    "E1601",
    "provider-unusable",
    "error",
    "the provider {provider} cannot be called: {reason}",
    "set the variable in the environment of `protoc run`; or declare a record `from: provider {provider}` and a "
    "blocker on its column usable, if the protocol is to decide about this case",
    "The runner takes the address and the credential of a provider from its own environment. Without them no case "
    "can be answered, so the run stops before the first row of a split is read, unless the protocol itself says what "
    "a missing credential means.",
    "`protoc run SPEC` without the variable that `credential: env NAME` names",
)
BAD_SCHEMA = Kind(
    "E1602",
    "answer-schema-unusable",
    "error",
    "the schema {path} of the answers of {provider} cannot be used: {reason}",
    "mend the schema; it must be JSON Schema in one file, whose references begin with #",
    "Every answer is checked against the schema that the protocol pins. A schema that cannot be read, is no schema, "
    "or refers to another place (which is never fetched) would let every answer pass or fail for a wrong reason.",
    '{"$ref": "https://example.org/schema.json"}',
)

KINDS = (UNUSABLE, BAD_SCHEMA)
