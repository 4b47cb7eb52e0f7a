"""The forms in which a loaded secret may stand in a file, and how each is taken out again.

A secret that the runner loaded is known exactly, so it is looked for exactly: as it is, in base64 at each of the three
alignments, in hex of either case, percent-encoded, and as JSON strings write it. Short values are not secrets: a
value of fewer than eight characters would be found everywhere.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Mapping
from urllib.parse import quote, quote_plus

LEAST_LENGTH = 8
_PERCENT = re.compile("%[0-9A-F]{2}")


def forms(value: str) -> frozenset[bytes]:
    """Every byte string that shows this secret; none for a value that is too short to be one."""
    raw = value.encode("utf-8", "surrogatepass")
    if len(value) < LEAST_LENGTH:
        return frozenset()
    hexed = raw.hex()
    coded = {quote(value, safe=""), quote_plus(value, safe="")}
    written = json.dumps(value)[1:-1]
    texts = {*coded, *map(_lower, coded), written, written.replace("/", "\\/"), hexed, hexed.upper()}
    found = {raw, *(text.encode() for text in texts)}
    for shift in range(3):
        found |= _base64(raw, shift)
    return frozenset(form for form in found if len(form) >= LEAST_LENGTH)


def _lower(coded: str) -> str:
    """The same in the lower-case digits that some encoders write: `%2f`."""
    return _PERCENT.sub(lambda found: found[0].lower(), coded)


def _base64(raw: bytes, shift: int) -> set[bytes]:
    """The characters that the secret alone decides when it begins `shift` bytes into a group of three."""
    coded = base64.b64encode(b"\0" * shift + raw).rstrip(b"=")
    first = (8 * shift + 5) // 6  # characters that also depend on what stands before
    last = len(coded) if (shift + len(raw)) % 3 == 0 else len(coded) - 1
    inner = coded[first:last]
    return {inner, inner.replace(b"+", b"-").replace(b"/", b"_")}


def redacted(data: bytes, secrets: Mapping[str, str]) -> bytes:
    """The bytes with every form of every secret replaced by its name and the start of its digest."""
    for name, value in sorted(secrets.items()):
        mark = f"[redacted {name} sha256:{hashlib.sha256(value.encode()).hexdigest()[:12]}]".encode()
        for form in sorted(forms(value), key=len, reverse=True):
            data = data.replace(form, mark)
    return data
