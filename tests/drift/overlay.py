"""The specs of the pairs: a base with what a file beside it says instead; `~` takes an entry out.

The base is `base.yaml`, and of topics called `agent-...` and `router-...` the seed that declares such things. A map
with numbers as keys changes single entries of a list.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from drift.specs import ROOT, Plain, plain, written
from protoc_compiler.sections import SPEC
from protoc_compiler.shape import Keys

HERE = Path(__file__).parent
BASE, PAIRS = HERE / "base.yaml", HERE / "pairs"
SEEDS = {"agent": "neochart_r5", "router": "schemarouter_operation_routing"}


def base_of(path: Path) -> Path:
    """The spec that an overlay changes."""
    seed = SEEDS.get(path.name.partition("-")[0])
    return BASE if seed is None else ROOT / "specs" / seed / "protocol.yaml"


@cache
def _base(path: Path = BASE) -> Plain:
    """The values of a base; what is merged into them makes copies."""
    return plain(path.read_bytes(), path.name)


def spec(path: Path) -> bytes:
    """The whole spec that an overlay stands for."""
    return _spec(base_of(path), path.read_bytes())


@cache
def _spec(base: Path, over: bytes) -> bytes:
    return written(ordered(merged(_base(base), plain(over, "overlay.yaml") if over.strip() else {})))


def ordered(made: Plain) -> Plain:
    """With what is new under `procedure` and `report` in its place."""
    return {**made, **{name: _in_order(name, made[name]) for name in ("procedure", "report") if name in made}}


def _in_order(name: str, made: Plain) -> Plain:
    section = SPEC.key(name)
    assert section is not None
    assert isinstance(section.shape, Keys)
    order = [key.name for key in section.shape.keys]
    return dict(sorted(made.items(), key=lambda entry: order.index(entry[0])))


def merged(base: Plain, over: Plain) -> Plain:
    """Maps are merged, lists by the numbers of their entries, everything else is replaced."""
    if isinstance(base, list) and isinstance(over, dict) and all(key.isdigit() for key in over):
        return _listed(base, over)
    if not isinstance(base, dict) or not isinstance(over, dict):
        return over
    made = dict(base)
    for key, value in over.items():
        if value == "~":
            made.pop(key, None)
        else:
            made[key] = merged(made[key], value) if key in made else value
    return made


def _listed(base: list[Plain], over: dict[str, Plain]) -> list[Plain]:
    made = [merged(value, over[str(at)]) if str(at) in over else value for at, value in enumerate(base)]
    return [value for value in made if value != "~"]
