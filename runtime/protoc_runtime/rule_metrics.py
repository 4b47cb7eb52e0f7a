"""Which metrics a rule reads, so that a receipt can show a rule beside its numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any


def metrics_of(formula: Any) -> tuple[str, ...]:
    """The metrics in a formula of `protocol.json`, as they are named in results: `accuracy`, and `recall.budget` where
    it names one entry. Entries that depend on a row are left out."""
    return tuple(dict.fromkeys(_metrics(formula)))


def _metrics(formula: Any) -> Iterator[str]:
    if isinstance(formula, list):
        for part in formula:
            yield from _metrics(part)
        return
    if not isinstance(formula, dict):
        return
    if formula.get("node") in ("Global", "Entry") and formula.get("space") == "metrics":
        keys = [_key(key) for key in formula.get("keys", [])]
        if all(keys):
            yield _filled(formula["name"], [key for key in keys if key])
    for name, part in formula.items():
        if name not in ("type", "node"):
            yield from _metrics(part)


def _key(row: Mapping[str, Any]) -> str | None:
    """The key of a row that a formula names by its key."""
    conditions = row["rows"]["where"] if row.get("node") == "OneRow" else []
    if len(conditions) != 1 or conditions[0]["node"] != "Compare" or conditions[0]["ops"] != ["=="]:
        return None
    value = conditions[0]["operands"][1]
    return str(value["value"]) if value["node"] == "Const" else None


def _filled(name: str, keys: list[str]) -> str:
    """`recall.<fields>` with its keys: `recall.budget`; of a name without places they stand behind it."""
    for key in keys:
        head, opened, rest = name.partition("<")
        name = f"{head}{key}{rest.partition('>')[2]}" if opened else f"{name}.{key}"
    return name
