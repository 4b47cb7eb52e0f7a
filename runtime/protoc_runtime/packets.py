"""Files of rows that a protocol asks for: what may be published of a table, and of rejected rows only digests."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from types import ModuleType
from typing import Any

from protoc_runtime import bundle
from protoc_runtime.declared import Declared
from protoc_runtime.evaluating import adjudicated, in_file_order, shown
from protoc_runtime.gathering import with_rows
from protoc_runtime.procedure import OF_TABLES, Output
from protoc_runtime.tables import TableData


def packet_files(
    declared: Declared, rules: ModuleType, tables: Mapping[str, TableData], digests: Mapping[str, str]
) -> dict[str, bytes]:
    """Every such file of a protocol, by its name. They depend on no answer of a person."""
    from protoc_runtime.reading import write_jsonl

    wanted = [output for output in declared.outputs if output.kind in OF_TABLES]
    if not wanted:
        return {}
    told = [table for table in adjudicated(declared) if table not in tables]
    study = rules.study(with_rows(declared, dict(tables), {table: [] for table in told}), digests)
    return {output.path: write_jsonl(_lines(declared, study, output)) for output in wanted}


def ignored(declared: Declared) -> dict[str, bytes]:
    """What git leaves out of a bundle of which packets are published: everything that has rejected texts in it."""
    tables = sorted({output.of for output in declared.outputs if output.kind == "packets"})
    if not tables:
        return {}
    hidden = [f"/{bundle.RAW}/", f"/{bundle.LEDGER}", f"/{bundle.LOGS}/"]
    hidden += [f"/{bundle.CASES}", f"/verdict/{bundle.CASES}"]
    hidden += [f"/{bundle.ROWS}/{name}.jsonl" for name in tables]
    return {
        ".gitignore": ("# packets are published, and what was rejected is not\n" + "\n".join(hidden) + "\n").encode()
    }


def _lines(declared: Declared, study: Any, output: Output) -> list[dict[str, Any]]:
    table = declared.table(output.of)
    rows = [shown(row) for row in in_file_order(study, table)]
    kept = set(study.rows(output.kept).row.data.to_list()) if output.kept else set(range(len(rows)))
    made = []
    for place, row in enumerate(rows):
        key = {name: row[name] for name in table.key}
        if place in kept:
            made.append({**key, **({"kept": True} if output.kept else {}), **{n: row[n] for n in output.shows}})
        elif output.kind == "packets":
            told = {name: row[name] for name in output.rejected}
            made.append({**key, "kept": False, **told, **{f"{n}_sha256": _digest(row[n]) for n in output.digests}})
    return made


def _digest(text: str | None) -> str | None:
    return None if text is None else hashlib.sha256(text.encode("utf-8")).hexdigest()
