"""E10xx: faults of rows, and of the protocol file that says what they must be."""

from __future__ import annotations

from protoc_runtime.diagnostics import Kind

BAD_PROTOCOL = Kind(
    "E1001",
    "bad-protocol-file",
    "error",
    "protocol.json cannot be read ({found}); expected the format {expected}",
    "compile the protocol again with `protoc compile`; the file is generated and not meant to be edited",
    "A generated package carries its protocol as canonical JSON. A file in another format, or a damaged one, would "
    "leave the runner without the tables and rules that it must follow, so nothing is read from it.",
    '{"format": "protoc-identity/0", "protocol": {}}',
)

KINDS: tuple[Kind, ...] = (BAD_PROTOCOL,)
