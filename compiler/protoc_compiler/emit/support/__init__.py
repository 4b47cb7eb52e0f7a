"""The fixed part of every generated `verify.py`, as modules that `emit.verify` joins into one file.

Standard library only, and nothing of the runtime: a stranger reads and runs the result without installing anything.
"""

from __future__ import annotations

ORDER = (
    "values",
    "statistics",
    "functions",
    "proportions",
    "agreement",
    "rows",
    "narrowing",
    "items",
    "custom",
    "cells",
    "reading",
    "results",
    "resampling",
    "bundle",
    "stages",
    "command",
)
