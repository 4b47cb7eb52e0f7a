"""How many rows of each label the groups have, read off the sealed rows where they lie beside the spec."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from protoc_compiler.proof.archetype import alike
from protoc_compiler.proof.ask import Engine
from protoc_compiler.proof.interpret import Beyond, Row, Rows
from protoc_runtime.strict_json import parsed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

Kinds = Counter[tuple[int, ...]]  # by the totals of the blocks of a group (all but the last), how many groups have them


def kinds_of_groups(engine: Engine, folder: Path) -> Kinds | None:
    """The totals of all groups; None where the rows are not there as JSON lines, or are not as is expected."""
    groups = engine.groups
    if groups is None:
        return None
    rows = _rows(folder, engine.space.tables[groups.root].file or groups.root)
    if not rows:
        return None
    counted: dict[tuple[Any, ...], list[int]] = {}
    try:
        for cells in rows:
            key = tuple(cells.get(column) for column in engine.space.groupings[groups.grouping].columns)
            counted.setdefault(key, [0] * len(groups.default))[_block(engine, Row(groups.root, cells))] += 1
    except (Beyond, KeyError, TypeError, StopIteration):
        return None
    whole = len(counted) == groups.number and all(sum(totals) == groups.size for totals in counted.values())
    return Counter(tuple(totals[:-1]) for totals in counted.values()) if whole else None


def _rows(folder: Path, name: str) -> list[dict[str, Any]]:
    made: list[dict[str, Any]] = []
    try:
        for path in sorted(folder.glob(name.replace("<splits>", "*").removesuffix(".jsonl") + ".jsonl")):
            for line in path.read_text(encoding="utf-8").splitlines():
                row = parsed(line)
                made.append(
                    {key: tuple(cell) if isinstance(cell, list) and _plain(cell) else cell for key, cell in row.items()}
                )
    except (OSError, ValueError, AttributeError):
        return []
    return made


def _plain(cell: Any) -> bool:
    return isinstance(cell, list) and not any(isinstance(item, (dict, list)) for item in cell)


def _block(engine: Engine, row: Row) -> int:
    """The block of groups to which a row belongs, by its sealed features."""
    groups = engine.groups
    assert groups is not None
    population = groups.population
    rows = Rows(engine.space.tables, engine.space.groupings)
    known = engine.space.features[groups.root].ordered()
    sealed = []
    for index, domain, own in zip(population.features, population.domains, population.sealed, strict=True):
        if own:
            value = rows.value(known[index].value, {"self": row})
            sealed.append(next(one for one in domain if alike(known[index], one, value)))
    return groups.block_of[population.block_of[tuple(sealed)]]
