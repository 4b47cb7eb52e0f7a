"""Recorded runs under the new protocol: which verdicts, gates and blockers flip.

Nothing is run: the rows that a bundle holds are evaluated by the rules of the new protocol. What it asks for and the
bundle has not recorded is told as an error of that bundle. A run that was made under another protocol than the old one
is evaluated under that one, too: what it was given under a third one is told, and is no change between the two.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import Any

from protoc_compiler import core, identity
from protoc_compiler.drift.model import Report
from protoc_compiler.drift.reading import Source
from protoc_runtime.diagnostics import Refused
from protoc_runtime.record import replace
from protoc_runtime.strict_json import parsed

_GONE = "the protocol is gone, and has no rules any more under which a recorded run could be evaluated"
_WORDS = {True: "true", False: "false", None: "undefined"}


def replayed(report: Report, old: Source | None, new: Source, runs: Sequence[str]) -> Report:
    """The report with what each run gives under the new protocol. Raises `Refused` for a folder that is no run."""
    with tempfile.TemporaryDirectory() as folder:
        after = _Rules(new.protocol, Path(folder) / "new")
        before = _Rules(old.protocol, Path(folder) / "old") if old is not None else None
        found = tuple(_replay(Path(run), before, after) for run in dict.fromkeys(runs))
    return replace(report, replayed=found)


def gone(report: Report, runs: Sequence[str]) -> Report:
    """The report of a protocol that is gone: it evaluates no run. Raises `Refused` for a folder that is no run."""
    return replace(report, replayed=tuple({**_unknown(Path(run)), "error": _GONE} for run in dict.fromkeys(runs)))


class _Rules:
    """A protocol that evaluates rows; compiled when it is asked for the first time."""

    def __init__(self, protocol: core.Protocol, folder: Path) -> None:
        self.protocol, self._folder = protocol, folder

    @cached_property
    def digest(self) -> str:
        """Which protocol it is."""
        return identity.digest(self.protocol)

    @cached_property
    def _compiled(self) -> tuple[Any, ModuleType]:
        from protoc_compiler.emit import package
        from protoc_runtime.packages import load_protocol, load_rules

        place = self._folder / self.protocol.package
        package.write(package.render(self.protocol, "protocol.yaml"), place)
        return load_protocol(place), load_rules(place)

    def results(self, run: Path) -> Mapping[str, Any] | str:
        """What the rows of a run come to, or why that cannot be told."""
        from protoc_runtime.evaluating import adjudicated, evaluate
        from protoc_runtime.opened import load_digests

        declared, rules = self._compiled
        try:
            tables = _recorded(run, declared)
            known = {*tables, *adjudicated(declared)}  # what waits for people has no value yet
            lacking = [table.name for table in declared.tables if table.kind == "input" and table.name not in known]
            if lacking:
                return f"it has no rows of {', '.join(lacking)}"
            return evaluate(declared, rules, tables, load_digests(run))
        except Refused as refused:
            return str(refused.diagnostics[0].message)
        except KeyError as fault:
            return f"it lacks {fault}"


def _replay(run: Path, before: _Rules | None, after: _Rules) -> dict[str, Any]:
    recorded, made = _ended(run), _unknown(run)
    results = after.results(run)
    if isinstance(results, str):
        return {**made, "error": results}
    old = recorded
    if before is not None and recorded.get("spec_digest") != before.digest:
        found = before.results(run)
        if not isinstance(found, str):  # else what was recorded is all that is known of before
            old, made["recorded"] = found, made["old"]
            made["old"] = str(found["verdict"])
    new = str(results["verdict"])
    gained = _gained(old, new, bool(results["released"]), after.protocol.released)
    return {**made, "new": new, "flips": _flips(old, results), "error": None, "gained": gained}


def _gained(old: Mapping[str, Any], new: str, released: bool, words: Sequence[str]) -> bool:
    """Whether a run is released that was not, or under another of the words that are released now."""
    other = old["verdict"] != new and old["verdict"] in words
    return released and (not old["released"] or other)


def _unknown(run: Path) -> dict[str, Any]:
    """What is told of a run as long as it is not evaluated."""
    old = str(_ended(run)["verdict"])
    return {"run": str(run), "old": old, "recorded": None, "new": None, "flips": [], "gained": False}


def _ended(run: Path) -> Mapping[str, Any]:
    """The results with which a run ended: the final ones, where people have judged what it left to them."""
    from protoc_runtime import bundle
    from protoc_runtime.adjudication.stages import VERDICT
    from protoc_runtime.canonical import read_plain
    from protoc_runtime.opened import open_bundle

    opened, final = open_bundle(run), run / VERDICT / bundle.SUMMARY
    return dict(parsed(read_plain(final))) if final.is_file() else opened.summary


def _recorded(run: Path, declared: Any) -> dict[str, Any]:
    """The rows of a run, and those that people told."""
    from protoc_runtime import bundle
    from protoc_runtime.adjudication.stages import FOLDER
    from protoc_runtime.written import read_bundle

    told = run / FOLDER / bundle.ROWS
    if not told.is_dir():
        return read_bundle(declared, run / bundle.ROWS)
    with tempfile.TemporaryDirectory() as folder:  # rows that were told refer to rows of the run
        for rows in (run / bundle.ROWS, told):
            shutil.copytree(rows, folder, dirs_exist_ok=True)
        return read_bundle(declared, Path(folder))


def _flips(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    """Each gate and blocker that both have and that is another, as `gates.few true -> false`."""
    return [
        f"{space}.{name} {_WORDS[old[space][name]]} -> {_WORDS[value]}"
        for space in ("blockers", "gates")
        for name, value in new[space].items()
        if name in old[space] and old[space][name] != value
    ]
