"""Formulas that say the same: equal but for the numbers of their row variables."""

from __future__ import annotations

import re
from functools import lru_cache

from protoc_compiler import core


@lru_cache(maxsize=1 << 12)  # several analyses ask for the same formulas
def shape(value: core.Expr) -> str:
    """The same text for formulas that differ only in the numbers of their row variables."""
    names: dict[str, str] = {}
    return re.sub(r"'r\d+'", lambda found: names.setdefault(found[0], f"row {len(names)}"), repr(value))
