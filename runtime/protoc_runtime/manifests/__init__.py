"""Freeze manifests: what must stand in the file that pins a candidate, and whether one holds it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from protoc_runtime.declared import Declared


def observed(declared: Declared, folder: Path, package: Path) -> dict[str, Any] | None:
    """The row of a record `from: manifest` as the file beside the spec in `folder` is now, by the validator of the
    generated `package`; None for a protocol without a manifest."""
    if declared.manifest is None:
        return None
    from protoc_runtime.manifests.facts import facts

    return facts(declared, folder, package)
