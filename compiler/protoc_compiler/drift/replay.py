"""Recorded runs under the new protocol: which verdicts, gates and blockers flip.

Nothing is run: the rows that a bundle holds are evaluated by the rules of the new protocol. What it asks for and the
bundle has not recorded is told as an error of that bundle.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from protoc_compiler import core
from protoc_compiler.drift.model import Report
from protoc_compiler.drift.reading import Source
from protoc_runtime.diagnostics import Refused
from protoc_runtime.record import replace

_WORDS = {True: "true", False: "false", None: "undefined"}


def replayed(report: Report, new: Source, runs: Sequence[str]) -> Report:
    """The report with what each run gives under the new protocol. Raises `Refused` for a folder that is no run."""
    with tempfile.TemporaryDirectory() as folder:
        declared, rules = _compiled(new.protocol, Path(folder))
        found = tuple(_replay(Path(run), declared, rules) for run in dict.fromkeys(runs))
    return replace(report, replayed=found)


def _compiled(protocol: core.Protocol, folder: Path) -> tuple[Any, ModuleType]:
    from protoc_compiler.emit import package
    from protoc_runtime.packages import load_protocol, load_rules

    place = folder / protocol.package
    package.write(package.render(protocol, "protocol.yaml"), place)
    return load_protocol(place), load_rules(place)


def _replay(run: Path, declared: Any, rules: ModuleType) -> dict[str, Any]:
    from protoc_runtime import bundle
    from protoc_runtime.evaluating import evaluate
    from protoc_runtime.opened import load_digests, open_bundle
    from protoc_runtime.written import read_bundle

    opened = open_bundle(run)
    made: dict[str, Any] = {"run": str(run), "old": str(opened.summary["verdict"]), "new": None, "flips": []}
    try:
        tables = read_bundle(declared, run / bundle.ROWS)
        lacking = [table.name for table in declared.tables if table.kind == "input" and table.name not in tables]
        if lacking:
            return {**made, "error": f"it has no rows of {', '.join(lacking)}"}
        results = evaluate(declared, rules, tables, load_digests(run))
    except Refused as refused:
        return {**made, "error": refused.diagnostics[0].message}
    except KeyError as fault:
        return {**made, "error": f"it lacks {fault}"}
    return {**made, "new": str(results["verdict"]), "flips": _flips(opened.summary, results), "error": None}


def _flips(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    """Each gate and blocker that both have and that is another, as `gates.few true -> false`."""
    return [
        f"{space}.{name} {_WORDS[old[space][name]]} -> {_WORDS[value]}"
        for space in ("blockers", "gates")
        for name, value in new[space].items()
        if name in old[space] and old[space][name] != value
    ]
