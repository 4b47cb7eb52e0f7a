"""The rows of each case that a review shows, as files that `protoc score` takes: `--cases DIR`.

A folder holds one case. Both protocols read it, and the other tables and columns are not looked at; where the two call
a table, a column or a split by other names, each has a folder of its own inside.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Callable, Sequence

from protoc_compiler import core
from protoc_compiler.cli.usage import Usage
from protoc_compiler.drift.model import Effect, Report
from protoc_compiler.drift.renames import renamed
from protoc_compiler.drift.things import things
from protoc_runtime.record import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeAlias

    from protoc_compiler.drift.sources import Pair

Rows: TypeAlias = "dict[str, list[dict[str, Any]]]"


def free(folder: str) -> None:
    """Raises `Usage` where something is there already: nothing is overwritten."""
    if os.path.lexists(folder) and (not os.path.isdir(folder) or os.listdir(folder)):
        what = "the folder is not empty" if os.path.isdir(folder) else "it is no folder"
        raise Usage(f"--cases cannot write to `{folder}`: {what}", "name a folder that is not there yet")


def written(reviews: Sequence[tuple[Report, Pair]], folder: str) -> list[Report]:
    """The reports, with the folder of each case; all folders or none. Without a case nothing is written."""
    parent = os.path.dirname(os.path.abspath(folder))
    os.makedirs(parent, exist_ok=True)
    made = tempfile.mkdtemp(prefix=".cases-", dir=parent)
    try:
        told = [_Cases(pair, made, folder, _inner(report, reviews)).of(report) for report, pair in reviews]
        if os.listdir(made):
            os.chmod(made, 0o777 & ~_umask())
            free(folder)
            os.rename(made, folder)
        return told
    finally:
        shutil.rmtree(made, ignore_errors=True)


def _inner(report: Report, reviews: Sequence[tuple[Report, Pair]]) -> str:
    """Where several protocols are compared, the folder of this one."""
    version = report.new or report.old
    return version.id if version is not None and len(reviews) > 1 else ""


def _umask() -> int:
    known = os.umask(0o077)
    os.umask(known)
    return known


class _Cases:
    """Writes the cases of one review below the folder `made`, which will be called `folder`."""

    def __init__(self, pair: Pair, made: str, folder: str, inner: str) -> None:
        self._pair, self._made, self._folder, self._inner = pair, made, folder, inner
        self._taken: set[str] = set()

    def of(self, report: Report) -> Report:
        """The report with the folders of its cases."""
        if self._pair.old is None or self._pair.new is None:
            return report
        self._sides = self._pair.old.protocol, self._pair.new.protocol
        self._before = _namer(*self._sides)
        verdict = self._effect(report.verdict)
        return replace(report, verdict=verdict, effects=tuple(map(self._effect, report.effects)))

    def _effect(self, effect: Effect) -> Effect:
        if not effect.rows or effect.witness is None or effect.direction == "equivalent":
            return effect
        witness, cases = dict(effect.witness), list(effect.cases)
        for at, (way, rows) in enumerate(effect.rows):
            before, now = self._case(f"{effect.rule}-{way}", rows)
            folders = {"folder": now, "folder_before": before}
            if at == 0:
                witness |= folders
            else:
                witness["contrary"] = {**witness["contrary"], **folders}
            told = f"`{now}`" if now == before else f"`{before}` before, `{now}` now"
            cases.append(f"rows{f' of the {way} case' if len(effect.rows) > 1 else ''}: {told}")
        return replace(effect, witness=witness, cases=tuple(cases))

    def _case(self, title: str, rows: Rows) -> tuple[str, str]:
        """Write one case; the folders for the old and the new protocol."""
        name = self._named(title)
        before = self._before(rows)
        if before == rows:
            self._files(name, rows, self._sides)
            return (self._shown(name),) * 2
        parts = os.path.join(name, "old"), os.path.join(name, "new")
        self._files(parts[0], before, self._sides[:1])
        self._files(parts[1], rows, self._sides[1:])
        return self._shown(parts[0]), self._shown(parts[1])

    def _named(self, title: str) -> str:
        """A name for a folder, of which there is no other one."""
        name = plain = re.sub(r"[^\w.-]+", "_", title)
        while name.lower() in self._taken:
            name = f"{plain}-{len(self._taken)}"
        self._taken.add(name.lower())
        return os.path.join(self._inner, name)

    def _shown(self, name: str) -> str:
        return os.path.join(self._folder, name)

    def _files(self, name: str, rows: Rows, protocols: Sequence[core.Protocol]) -> None:
        from protoc_compiler.proof.replay import Folder

        place = os.path.join(self._made, name)
        os.makedirs(place)
        lines = Folder(rows)
        for table in sorted({table.name for side in protocols for table in side.tables if table.kind == "input"}):
            with open(os.path.join(place, f"{table}.jsonl"), "wb") as file:
                file.write(lines.data(table))


def _namer(old: core.Protocol, new: core.Protocol) -> Callable[[Rows], Rows]:
    """Gives rows that are called as in the new protocol the names of the old one."""
    same, _ = renamed(old, new)
    names = {
        (now.subject, now.owner, now.name.rpartition(".")[2] if now.subject == "COLUMN" else now.name): was
        for now, was in zip(things(same), things(old), strict=True) if now.subject in ("TABLE", "COLUMN", "SPLIT")
    }  # fmt: skip

    def called(subject: str, owner: str, name: str) -> str:
        """What it was called."""
        was = names.get((subject, owner, name))
        return was.name.rpartition(".")[2] if was is not None else name

    splits = {
        (table.name, column.name) for table in same.tables for column in table.columns if column.type.table == "splits"
    }

    def before(rows: Rows) -> Rows:
        """The same rows in the names of the old protocol."""
        return {
            called("TABLE", "", table): [
                {
                    called("COLUMN", table, name): called("SPLIT", "", value) if (table, name) in splits else value
                    for name, value in row.items()
                }
                for row in lines
            ]
            for table, lines in rows.items()
        }  # fmt: skip

    return before
