"""Which files hold a table's rows: in the data folder, one format each, nothing from outside of it."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from protoc_runtime.catalogue import rows as kinds
from protoc_runtime.declared import Declared, Table
from protoc_runtime.reading.faults import Faults
from protoc_runtime.reading.layout import SPLITS
from protoc_runtime.record import record
from protoc_runtime.workspace import real

SUFFIXES = (".jsonl", ".csv", ".parquet")


@record
class Source:
    """One file of a table; `split`: the split that all its rows belong to, or empty."""

    path: Path
    split: str = ""


def sources(
    declared: Declared, table: Table, folder: Path, splits: Collection[str] | None, faults: Faults
) -> list[Source]:
    """The files of a table, of all splits or of those named; faults where one is missing or not to be read."""
    name = table.file or table.name
    if SPLITS not in name:
        found = _one(name, folder, table, faults)
        return [Source(found)] if found is not None else []
    made = []
    for split in split_names(declared):
        if splits is None or split in splits:
            if _comes_later(declared, split) and not _there(name.replace(SPLITS, split), folder):
                continue
            path = _one(name.replace(SPLITS, split), folder, table, faults)
            made += [Source(path, split)] if path is not None else []
    return made


def _comes_later(declared: Declared, name: str) -> bool:
    """Whether the rows of a split are made only after a phase, so that there may be none yet."""
    return any(split.name == name and split.after for split in declared.splits)


def _there(name: str, folder: Path) -> list[Path]:
    return [folder / (name + suffix) for suffix in SUFFIXES if (folder / (name + suffix)).exists()]


def split_names(declared: Declared) -> tuple[str, ...]:
    """The names of the splits, in declared order."""
    if declared.splits:
        return tuple(split.name for split in declared.splits)
    return next((table.labels for table in declared.tables if table.name == "splits"), ())


def _one(name: str, folder: Path, table: Table, faults: Faults) -> Path | None:
    if _outside(folder / name, folder):
        faults.add(kinds.UNSAFE_PATH, None, table=table.name, found=name)
        return None
    found = _there(name, folder)
    if len(found) == 1 and not _outside(found[0], folder):
        if found[0].is_file():
            return found[0]
        faults.add(kinds.UNREADABLE, None, table=table.name, found=f"{found[0].name} is no plain file")
        return None
    if len(found) == 1:
        faults.add(kinds.UNSAFE_PATH, None, table=table.name, found=f"{found[0].name} leads to {real(found[0])}")
    elif found:
        faults.add(kinds.TWO_FILES, None, table=table.name, folder=folder, found=", ".join(path.name for path in found))
    else:
        _absent(name, folder, table, faults)
    return None


def _absent(name: str, folder: Path, table: Table, faults: Faults) -> None:
    *others, last = (name + suffix for suffix in SUFFIXES)
    expected = f"{', '.join(others)} or {last}"
    beside = (folder / name).parent
    if name.endswith(SUFFIXES) and (folder / name).is_file():
        expected = f"`file: {name.rpartition('.')[0]}` (a file is named without its ending), or {expected}"
    stem = Path(name).name
    others = sorted(p.name for p in beside.iterdir() if p.stem == stem) if beside.is_dir() else []
    if others:
        found = ", ".join(others)
        faults.add(kinds.UNSUPPORTED_SUFFIX, None, table=table.name, folder=folder, found=found, expected=expected)
    else:
        faults.add(kinds.MISSING_FILE, None, table=table.name, folder=folder, expected=expected)


def _outside(path: Path, folder: Path) -> bool:
    return not real(path).is_relative_to(real(folder))
