"""A failing example made smaller: entries, then rows, are taken away as long as it still fails in the same way."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator

from fuzz.comparing import Programs, differences
from fuzz.entries import Spec
from fuzz.kinds import written
from fuzz.repair import emitted
from fuzz.tables import Rows

Fails = Callable[[Spec, Rows], str]


def differs(spec: Spec, rows: Rows) -> str:
    """How the two computations differ: the keys of the results, or the exception; empty where they agree."""
    made = emitted(spec)
    if isinstance(made, list):
        return ""
    try:
        return " ".join(differences(Programs(*made), rows))
    except Exception as error:
        return type(error).__name__


def smaller(spec: Spec, rows: Rows, fails: Fails = differs) -> tuple[Spec, Rows]:
    """An example that fails like this one, from which nothing can be taken away."""
    wanted = "stopped" in fails(spec, rows)
    while True:
        for fewer in (*_without_entry(spec, rows), *_without_row(spec, rows)):
            found = fails(*fewer)
            if found and ("stopped" in found) == wanted:
                spec, rows = fewer
                break
        else:
            return spec, rows


def _without_entry(spec: Spec, rows: Rows) -> Iterator[tuple[Spec, Rows]]:
    for part in (*_halves(len(spec.entries)), *([n] for n in reversed(range(len(spec.entries))))):
        made = copy.deepcopy(spec)
        made.entries = [entry for at, entry in enumerate(made.entries) if at not in part]
        yield made, rows


def _halves(size: int) -> list[list[int]]:
    middle = size // 2
    return [[*range(middle, size)], [*range(middle)]] if size > 3 else []


def _without_row(spec: Spec, rows: Rows) -> Iterator[tuple[Spec, Rows]]:
    for name, found in rows.items():
        for at in range(len(found)):
            yield spec, {**rows, name: found[:at] + found[at + 1 :]}


def shown(spec: Spec, rows: Rows) -> str:
    """A spec and its rows for people."""
    lines = [spec.text()]
    for name, found in rows.items():
        lines += [f"# {name}.jsonl", *map(written, found)]
    return "\n".join(lines)
