"""What a protocol declares, as the runtime needs it: read from `protocol.json`, without the compiler.

`protocol.json` is the canonical identity of a protocol (`protoc-identity/1`): its SHA-256 is the spec digest. This
package reads the tables, splits, phases and the names of rules; the formulas in it are for other readers. Positions
and the spelling of formulas are not part of a protocol's identity, so they are not here either.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from protoc_runtime.catalogue import rows as kinds
from protoc_runtime.declared.decoding import Decoder
from protoc_runtime.declared.records import (
    Amendment,
    Cell,
    Claim,
    Column,
    Declared,
    Freeze,
    Item,
    Measured,
    Phase,
    Split,
    Statement,
    Subject,
    Table,
    Type,
    Unpivot,
)
from protoc_runtime.diagnostics import Findings, Refused, Span
from protoc_runtime.strict_json import parsed

__all__ = [
    "FORMAT",
    "Amendment",
    "Cell",
    "Claim",
    "Column",
    "Declared",
    "Freeze",
    "Item",
    "Measured",
    "Phase",
    "Split",
    "Statement",
    "Subject",
    "Table",
    "Type",
    "Unpivot",
    "load",
]
FORMAT = "protoc-identity/1"


def load(source: str | Path | bytes) -> Declared:
    """Read `protocol.json` from a path or its bytes; refuses (E1001) what is not `protoc-identity/1`."""
    where = "protocol.json" if isinstance(source, bytes) else str(source)
    raw = source if isinstance(source, bytes) else Path(source).read_bytes()
    try:
        document = parsed(raw)
        if document["format"] != FORMAT:
            raise ValueError(f"its format is {document['format']!r}")
        return Decoder(document["protocol"]).protocol("sha256:" + hashlib.sha256(raw).hexdigest())
    except (ValueError, KeyError, TypeError, IndexError, AttributeError) as error:
        findings = Findings()
        place = Span(where, 1, 1, 1, 2)
        findings.add(kinds.BAD_PROTOCOL, place, found=_why(error), expected=FORMAT)
        raise Refused(findings) from error


def _why(error: Exception) -> str:
    """What is wrong with a file that was not written by the compiler, or not as a whole."""
    return str(error) if isinstance(error, ValueError) else f"a part of it is lacking or of another kind: {error}"
