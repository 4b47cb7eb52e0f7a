"""Words for what differs in a bundle."""

from __future__ import annotations

import json
from typing import Any

from protoc_runtime.catalogue import bundle as kinds
from protoc_runtime.diagnostics import Findings


def differs(findings: Findings, what: str, expected: Any, found: Any) -> None:
    """Tell that the receipt says something else (E1405)."""
    findings.add(kinds.RECEIPT_DIFFERS, None, what=what, expected=_plain(expected), found=_plain(found))


def as_json(value: Any) -> str:
    """A value as it stands in JSON."""
    return json.dumps(value, ensure_ascii=False)


def short(digest: str) -> str:
    """The first 12 digits of a digest; another text as it is."""
    text = digest.removeprefix("sha256:")
    return text[:12] if len(text) == 64 else text


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else as_json(value)
