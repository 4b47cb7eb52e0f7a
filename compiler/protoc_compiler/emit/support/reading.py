"""Reading the rows: one JSON or CSV file per table, checked against what the protocol declares."""

from __future__ import annotations

import csv
import hashlib
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from protoc_compiler.emit.support.cells import Wrong, cell, from_text, key_parts, of_reference, parse_json
from protoc_compiler.emit.support.rows import PROTOCOL, STUDIES, Column, Row, Study, Table
from protoc_compiler.emit.support.values import Stopped, Unworkable, anything

OBSERVED = ("seal", "runner", "registry", "receipt", "ledger", "adjudication")  # absent where nothing ran
MOST_FAULTS = 50


class Reader:
    """Reads every table of a folder. `faults` says what is wrong, with table, row and field."""

    def __init__(self, folder: Path, told: Path) -> None:
        self.folder, self.told = folder, told
        self.faults: list[str] = []
        self.rows: dict[str, list[Row]] = {name: [] for name in PROTOCOL.tables}
        self.hashes: dict[str, Any] = {}
        self.fields: dict[str, tuple[dict[str, Column], dict[str, str]]] = {}
        self.references: list[tuple[str, Row, str, str]] = []

    def read(self) -> None:
        """Read all tables, then keys, then what refers to them."""
        for name, declared in PROTOCOL.tables.items():
            if declared.kind == "listed":
                for line, values in enumerate(declared.listed):
                    self.add_listed(name, declared, line, values)
            elif declared.kind == "input":
                self.read_table(name, declared)
        keys = {name: self.keyed(name) for name in self.rows}
        for where, row, column, target in self.references:
            found = keys[target].get(row.cells[column]) or self.labelled(target, row.cells[column])
            if found is None:
                key = ", ".join(map(str, row.cells[column]))
                self.fault(f"{where}, field {column}: {target} has no row {key}")
            row.cells[column] = found

    def fault(self, words: str) -> None:
        """Note one fault; a flood of them is cut."""
        if len(self.faults) < MOST_FAULTS:
            self.faults.append(words)

    def digests(self) -> dict[str, str]:
        """What formulas may ask for: the digest of each table's file, and of the frozen files that are there."""
        made = {name: found.hexdigest() for name, found in self.hashes.items()}
        for name, path in PROTOCOL.frozen_files.items():
            if (self.folder / path).is_file():
                made[f"freeze.{name}"] = hashlib.sha256((self.folder / path).read_bytes()).hexdigest()
        return made

    # --- listed rows -------------------------------------------------------------------------------------------

    def add_listed(self, name: str, declared: Table, line: int, values: tuple[Any, ...]) -> None:
        """A row that stands in the protocol itself."""
        columns = [(c, spec.type) for c, spec in declared.columns.items() if spec.derived is None]
        cells = dict(zip((c for c, _ in columns), values, strict=False))
        row = Row(name, cells, line)
        for column, type_ in columns:
            value = cells.get(column)
            if type_[0] == "row" and value is not None:
                cells[column] = as_parts(value)
                self.references.append((f"{name} row {line + 1}", row, column, type_[1]))
            elif type_[0] == "any" and value is not None:
                cells[column] = anything(value)
            elif type_[0] == "set" and value is not None:
                cells[column] = frozenset(value)
            elif type_[0] in ("time", "date", "digest") and isinstance(value, str):
                cells[column] = cell(type_, value)
        row.key = tuple(part for c in declared.key for part in as_parts(cells[c]))
        self.rows[name].append(row)

    # --- rows of files -----------------------------------------------------------------------------------------

    def read_table(self, name: str, declared: Table) -> None:
        """All rows of one table, from its file or its file per split."""
        found = list(self.files_of(name, declared))
        if not found and declared.source == "adjudication":
            PROTOCOL.absent.add(name)
        if not found and not declared.record and declared.source.split(" of ")[0] not in OBSERVED:
            expected = f"{declared.file or name}.jsonl or .csv"
            raise Unworkable(f"no file for the table {name} in {self.folder}: expected {expected}")
        for path, split in found:
            data = path.read_bytes()
            self.hashes.setdefault(name, hashlib.sha256()).update(data)
            for number, raw in self.objects(path, data, declared):
                for wide in unpivoted(declared, raw):
                    self.add(name, declared, f"{name} line {number} of {path.name}", wide | split)
        if declared.record and len(self.rows[name]) > 1:
            self.fault(f"{name}: a record has one row, {path.name} has {len(self.rows[name])}")

    def files_of(self, name: str, declared: Table) -> Iterator[tuple[Path, dict[str, Any]]]:
        """The files of a table, each with the split that its name tells."""
        stem = declared.file or name
        folder = self.told if declared.source == "adjudication" else self.folder
        for candidate in dict.fromkeys((name, stem, last_part(stem))):
            for path in (folder / f"{candidate}.jsonl", folder / f"{candidate}.csv"):
                if "<" not in candidate and path.is_file():
                    yield path, {}
                    return
            if (folder / f"{candidate}.parquet").is_file():
                mend = "use `protoc score`, or JSONL or CSV"
                raise Unworkable(f"{candidate}.parquet: Parquet needs more than Python alone; {mend}")
        if "<splits>" in stem:
            column = next(c for c, spec in declared.columns.items() if spec.type == ("row", "splits"))
            splits = PROTOCOL.tables["splits"]
            for (split, *_), label in zip(splits.listed, splits.labels, strict=True):
                written = stem.replace("<splits>", label)
                places = [f"{place}.{ending}" for place in (written, last_part(written)) for ending in ("jsonl", "csv")]
                for path in [self.folder / place for place in places if (self.folder / place).is_file()][:1]:
                    yield path, {column: split}

    def objects(self, path: Path, data: bytes, declared: Table) -> Iterator[tuple[int, dict[str, Any]]]:
        """The JSON object, or CSV record, of each line."""
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise Unworkable(f"{path.name} is not UTF-8: byte {error.start}") from None
        if path.suffix == ".csv":
            yield from self.records(path, text, declared)
            return
        for number, line in enumerate(text.split("\n"), 1):
            if line.strip():
                try:
                    found = parse_json(line)
                    if not isinstance(found, dict):
                        raise Wrong("it is not a JSON object")
                    yield number, found
                except (Wrong, json.JSONDecodeError) as error:
                    self.fault(f"{path.name} line {number}: {error}")

    def records(self, path: Path, text: str, declared: Table) -> Iterator[tuple[int, dict[str, Any]]]:
        """The records of a CSV file, typed by the columns."""
        reader = csv.reader(io.StringIO(text, newline=""), strict=True)
        header = next(reader, [])
        types = written_types(declared)
        for values in reader:
            try:
                if len(values) != len(header):
                    raise Wrong(f"{len(values)} cells under {len(header)} names")
                cells = zip(header, values, strict=True)
                yield reader.line_num, {c: from_text(types.get(c, ("text",)), v) for c, v in cells}
            except Wrong as error:
                self.fault(f"{path.name} line {reader.line_num}: {error}")

    def add(self, name: str, declared: Table, where: str, raw: dict[str, Any]) -> Row:
        """One row, cell by cell; then the rows nested in it."""
        row = Row(name, {}, len(self.rows[name]))
        self.rows[name].append(row)
        columns, nested = self.fields_of(name, declared)
        for field in raw:
            if field not in columns and field not in nested:
                self.fault(f"{where}: the field {field} is not declared")
        for column, spec in columns.items():
            self.put(row, column, spec, raw, where)
        try:
            row.key = tuple([p for c in declared.key for p in key_parts(columns[c].type, raw.get(c))])
        except Wrong:
            row.key = ("unreadable", len(self.rows[name]))  # the cell itself has been reported
        for column, other in nested.items():
            self.add_nested(row, other, raw.get(column), f"{where}, field {column}")
        return row

    def fields_of(self, name: str, declared: Table) -> tuple[dict[str, Column], dict[str, str]]:
        """What a row of a table has: its columns, and the tables of rows that are nested in it, by field."""
        if name not in self.fields:
            columns = {c: spec for c, spec in declared.columns.items() if spec.derived is None}
            tables = PROTOCOL.tables.items()
            nested = {other[len(name) + 1 :]: other for other, t in tables if t.kind == "nested" and t.parent == name}
            self.fields[name] = columns, nested
        return self.fields[name]

    def put(self, row: Row, column: str, spec: Column, raw: dict[str, Any], where: str) -> None:
        """One cell."""
        type_ = spec.type
        row.cells[column] = None
        if column not in raw:
            self.fault(f"{where}: the field {column} is missing")
        elif raw[column] is None:
            if not spec.optional:
                self.fault(f"{where}, field {column}: null, but the column is not optional")
        else:
            try:
                row.cells[column] = of_reference(type_, raw[column]) if type_[0] == "row" else cell(type_, raw[column])
                if type_[0] == "row":
                    self.references.append((where, row, column, type_[1]))
            except (Wrong, ValueError) as error:
                self.fault(f"{where}, field {column}: {error}")

    def add_nested(self, parent: Row, name: str, items: Any, where: str) -> None:
        """The rows of a list of maps, which stand in a cell of their parent."""
        declared = PROTOCOL.tables[name]
        if not isinstance(items, list):
            self.fault(f"{where}: not a list of rows")
            return
        above = declared.key[0]  # the column that refers to the parent
        own = {c: s for c, s in declared.columns.items() if s.derived is None and c not in (above, "position")}
        for position, raw in enumerate(items, 1):
            place = f"{where}, item {position}"
            row = Row(name, {above: parent, "position": position}, len(self.rows[name]))
            self.rows[name].append(row)
            row.key = (*parent.key, position)
            if not isinstance(raw, dict):
                self.fault(f"{place}: not a JSON object")
                raw = {}
            for extra in raw.keys() - own.keys():
                self.fault(f"{place}: the field {extra} is not declared")
            for column, spec in own.items():
                self.put(row, column, spec, raw, place)

    def labelled(self, name: str, key: tuple[Any, ...]) -> Row | None:
        """The listed row whose key is written so in the protocol (`0.40`)."""
        labels = PROTOCOL.tables[name].labels
        return self.rows[name][labels.index(key[0])] if len(key) == 1 and key[0] in labels else None

    def keyed(self, name: str) -> dict[tuple[Any, ...], Row]:
        """The rows of a table by key; a key that stands twice is a fault, unless a gate judges it."""
        declared = PROTOCOL.tables[name]
        found: dict[tuple[Any, ...], Row] = {}
        for row in self.rows[name]:
            if row.key in found and declared.key and not declared.duplicates:
                self.fault(f"{name}: the key {', '.join(map(str, row.key))} stands twice")
            found.setdefault(row.key, row)
        return found


def last_part(path: str) -> str:
    """The name of a file without the folders that it lies in."""
    return path.rstrip("/").rpartition("/")[2]


def as_parts(value: Any) -> tuple[Any, ...]:
    """A listed key value as a part of a key."""
    return value if type(value) is tuple else (value,)


def unpivoted(declared: Table, raw: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """A wide row as one row per label; any other row as it is."""
    if declared.unpivot is None:
        yield raw
        return
    label, labels, columns = declared.unpivot
    wide = {pattern.replace(f"<{label}>", text) for _, text in labels for _, pattern in columns}
    rest = {name: value for name, value in raw.items() if name not in wide}
    for member, text in labels:
        made = rest | {label: member}
        for name, pattern in columns:
            if pattern.replace(f"<{label}>", text) in raw:
                made[name] = raw[pattern.replace(f"<{label}>", text)]
        yield made


def written_types(declared: Table) -> dict[str, tuple[Any, ...]]:
    """The type of each column of a file, wide ones included."""
    types = {c: spec.type for c, spec in declared.columns.items()}
    if declared.unpivot is not None:
        label, labels, columns = declared.unpivot
        types |= {pattern.replace(f"<{label}>", text): types[name] for _, text in labels for name, pattern in columns}
    return types


def read_rows(folder: Path, digests: dict[str, str] | None = None, told: Path | None = None) -> list[str]:
    """Read a folder of rows and begin a study of them; what is wrong with them. `digests` are those of the files that
    were sealed, where the folder holds the same rows in other files; `told` holds what people judged, if it is
    elsewhere."""
    PROTOCOL.absent = set()
    reader = Reader(folder, told or folder)
    reader.read()
    begin(reader.rows, reader.digests() if digests is None else digests)
    return reader.faults


def begin(rows: dict[str, list[Row]], digests: dict[str, str]) -> None:
    """Begin a study of rows that were read."""
    PROTOCOL.read, PROTOCOL.digests = rows, digests
    PROTOCOL.frozen |= {name: digests.get(f"freeze.{name}") for name in PROTOCOL.frozen_files}
    STUDIES[:] = [Study()]


def digest_of(name: str) -> str:
    """`digest(T)`: the SHA-256 of a table's file, of several files of their bytes in order."""
    found = PROTOCOL.digests.get(PROTOCOL.tables[name].root or name)
    if found is None:
        raise Stopped("E1256", f"no digest is known for {name}")
    return found
