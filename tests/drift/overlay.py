"""The small specs of the pairs: `base.yaml` with what a file beside it says instead; `~` takes an entry out."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from drift.specs import Plain, plain, written

HERE = Path(__file__).parent
BASE, PAIRS = HERE / "base.yaml", HERE / "pairs"


@cache
def _base() -> bytes:
    return BASE.read_bytes()


def spec(path: Path) -> bytes:
    """The whole spec that an overlay stands for."""
    data = path.read_bytes()
    return written(merged(plain(_base(), "base.yaml"), plain(data, path.name) if data.strip() else {}))


def merged(base: Plain, over: Plain) -> Plain:
    """Maps are merged, everything else is replaced."""
    if not isinstance(base, dict) or not isinstance(over, dict):
        return over
    made = dict(base)
    for key, value in over.items():
        if value == "~":
            made.pop(key, None)
        else:
            made[key] = merged(made[key], value) if key in made else value
    return made
