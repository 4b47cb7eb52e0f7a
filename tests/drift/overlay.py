"""The small specs of the pairs: `base.yaml` with what a file beside it says instead; `~` takes an entry out."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from drift.specs import Plain, plain, written
from protoc_compiler.sections import SPEC
from protoc_compiler.shape import Keys

HERE = Path(__file__).parent
BASE, PAIRS = HERE / "base.yaml", HERE / "pairs"


@cache
def _base() -> Plain:
    """The values of the base; what is merged into them makes copies."""
    return plain(BASE.read_bytes(), "base.yaml")


def spec(path: Path) -> bytes:
    """The whole spec that an overlay stands for."""
    return _spec(path.read_bytes())


@cache
def _spec(over: bytes) -> bytes:
    return written(ordered(merged(_base(), plain(over, "overlay.yaml") if over.strip() else {})))


def ordered(made: Plain) -> Plain:
    """With what is new under `procedure` in its place."""
    section = SPEC.key("procedure")
    assert section is not None
    assert isinstance(section.shape, Keys)
    order = [key.name for key in section.shape.keys]
    return {**made, "procedure": dict(sorted(made["procedure"].items(), key=lambda entry: order.index(entry[0])))}


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
