"""The freeze manifest in a bundle: taken when the run begins, and looked at again when the bundle is verified."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from protoc_runtime import bundle
from protoc_runtime.canonical import digest_bytes, read_plain, write_atomic
from protoc_runtime.declared import Declared
from protoc_runtime.gathering import Tables, with_rows
from protoc_runtime.ledger import read_events
from protoc_runtime.manifests.facts import facts_of, manifest_path
from protoc_runtime.observing import observed_tables
from protoc_runtime.written import row_files

NOTED = "manifest"  # the key of the first event of a run that holds the digest


def keep(declared: Declared, spec_folder: Path, folder: Path) -> dict[str, str]:
    """Copy the manifest into the folder of a run; what its first event says of it. A protocol without one says nothing.

    A later change of the file changes nothing in this run.
    """
    found = manifest_path(declared, spec_folder)
    if found is None:
        return {}
    if not found.is_file():
        return {NOTED: ""}
    data = read_plain(found)
    (folder / bundle.FROZEN).mkdir(exist_ok=True)
    write_atomic(folder / bundle.FROZEN / found.name, data)
    return {NOTED: digest_bytes(data)}


def kept(declared: Declared, folder: Path) -> bytes | None:
    """The manifest of a bundle, or None where there was none."""
    found = manifest_path(declared, folder / bundle.FROZEN)
    path = None if found is None else folder / bundle.FROZEN / found.name
    return read_plain(path) if path is not None and path.is_file() else None


def kept_facts(declared: Declared, folder: Path, package: Path) -> dict[str, Any]:
    """The row of a record `from: manifest`, from the manifest of the bundle; nothing where the protocol has none."""
    return {} if declared.manifest is None else facts_of(declared, kept(declared, folder), package)


def manifest_faults(declared: Declared, folder: Path, package: Path, tables: Tables) -> Iterator[tuple[str, str]]:
    """Where the bundle says something else of the manifest than the manifest that it holds: file, and what differs."""
    records = [table for table in observed_tables(declared) if table.source == "manifest"]
    if declared.manifest is None:
        return
    first = next(read_events(folder / bundle.LEDGER), None)
    data = kept(declared, folder)
    noted = "" if first is None else str(first.body.get(NOTED, ""))
    if noted != ("" if data is None else digest_bytes(data)):
        yield f"{bundle.FROZEN}/{Path(declared.manifest.file).name}", "it is not the manifest that the run began with"
    for table in records:
        row = {column.name: facts_of(declared, data, package)[column.name] for column in table.stored}
        name = f"{bundle.ROWS}/{table.name}.jsonl"
        due = row_files(declared, with_rows(declared, tables, {table.name: [row]}))[name]
        if not (folder / name).is_file() or read_plain(folder / name) != due:
            yield name, "it is not what the manifest of the bundle says"
