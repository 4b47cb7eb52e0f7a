"""What there is to pin: the files of a protocol with their digests, and of each split its rows.

Two depths: `present_pins` reads bytes only (a run compares them with the seal before it may read any row), and
`with_rows` adds what is known once the rows have been read and validated, for sealing.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path

from protoc_runtime.bundle import SIGNATURES
from protoc_runtime.canonical import digest_file, open_plain
from protoc_runtime.catalogue import seal as kinds
from protoc_runtime.declared import Declared, Subject, Table
from protoc_runtime.diagnostics import Findings
from protoc_runtime.imported import imported_files
from protoc_runtime.record import replace
from protoc_runtime.seal import FILE_NAME
from protoc_runtime.seal_format import Pinned, PinnedInput, PinnedPackage, PinnedSplit, Pins, package_digest
from protoc_runtime.tables import TableData
from protoc_runtime.workspace import real

_BLOCK = 1 << 20
_BOM = b"\xef\xbb\xbf"


def present_pins(
    declared: Declared, spec: Path, package: Path, *, findings: Findings, digest: str = "", sealed: Pins | None = None
) -> Pins:
    """What is there now, from bytes alone: `rows` and `content` of inputs, and splits, are not known.

    `digest` is the spec digest where the compiler has computed it from the text; else that of the package's
    `protocol.json` is taken. `sealed` spares the second digest of inputs that have not changed. Faults (E1002 to
    E1005, E1113, E1116, E1117) go to `findings`.
    """
    spec = Path(os.path.abspath(spec))
    known = {pin.path: pin for pin in sealed.inputs} if sealed else {}
    found = input_files(declared, spec, findings)
    inputs = [_pin_input(path, spec.parent, table, known) for table, path, _ in found]
    _check_frozen(declared, spec.parent, findings)
    others = set(pinned_files(declared, spec.parent, findings)) - {path for _, path, _ in found}
    return Pins(
        declared.id,
        declared.version,
        digest or declared.digest,
        _pin(spec, spec.parent),
        pin_package(package),
        tuple(inputs),
        tuple(_pin(path, spec.parent) for path in sorted(others)),
        (),
    )


def _check_frozen(declared: Declared, folder: Path, findings: Findings) -> None:
    """Report (E1117) a frozen file whose digest is not the one that the protocol states."""
    for item in declared.freeze:
        path = folder / item.file
        if item.file and item.value is not None and path.is_file():
            found = digest_file(path)
            if found != item.value:
                expected = f"sha256:{item.value}"
                findings.add(kinds.OTHER_FILE, None, path=item.file, name=item.name, found=found, expected=expected)


def with_rows(
    pins: Pins,
    declared: Declared,
    spec: Path,
    tables: Mapping[str, TableData],
    findings: Findings,
    registry: Path | None = None,
) -> Pins:
    """The pins with the rows and content digests of inputs and splits, from tables that have been read; the sketches of
    the splits are kept beside the registry."""
    from protoc_runtime.reading import content_digest

    inputs = []
    for pin, (table, _, split) in zip(pins.inputs, input_files(declared, spec, findings), strict=True):
        data = tables[table]
        rows = None if not split else split_rows(declared, data, split)
        height = data.height if rows is None else len(rows)
        inputs.append(replace(pin, rows=height, content=content_digest(declared, data, tables, rows=rows)))
    return replace(pins, inputs=tuple(inputs), splits=pin_splits(declared, tables, registry))


def input_files(declared: Declared, spec: Path, findings: Findings) -> list[tuple[str, Path, str]]:
    """Every input file: the table, its path, and its split where a table has one file per split."""
    from protoc_runtime.reading.faults import Faults
    from protoc_runtime.reading.files import sources

    found = []
    for table in declared.tables:
        if table.kind == "input" and table.source == "file":
            faults = Faults(table.name, findings)
            sources_of = sources(declared, table, spec.parent, None, faults)
            faults.close()
            found += [(table.name, source.path, source.split) for source in sources_of]
    return found


def pinned_files(declared: Declared, folder: Path, findings: Findings) -> list[Path]:
    """The files of the subject's code (and of recorded answers that exist), the schemas of providers' answers, and the
    frozen files, sorted.

    E1113 for a path that leaves the protocol's folder or is a link, E1116 for one that is not there.
    """
    single = {freeze.file for freeze in declared.freeze if freeze.file}
    single |= {each.answer.json for each in declared.providers if each.answer is not None and each.answer.json}
    named: set[str] = set()
    subject = declared.subject
    if subject is not None:
        named |= set(subject.code)
        if subject.kind == "python":
            single.add(subject.target.rpartition(":")[0])
            single |= _of_python(subject, folder)
        elif subject.kind == "command":
            named |= _of_command(subject, folder)
        elif subject.kind == "recorded" and (folder / subject.target).exists():
            named.add(subject.target)
    files: set[Path] = set()
    for name in sorted(named | single):
        try:
            if name in single and (folder / name).is_dir():
                findings.add(kinds.UNSAFE_PATH, None, path=name, reason="it is a folder, not a file")
            else:
                files |= set(_expanded(folder, name, findings))
        except OSError as error:
            findings.add(kinds.UNREADABLE, None, path=name, reason=error.strerror or error)
    return sorted(files, key=lambda path: path.relative_to(folder).as_posix())


def _of_python(subject: Subject, folder: Path) -> set[str]:
    """The files beside it that the subject's file imports."""
    found = imported_files(folder / subject.target.rpartition(":")[0], folder)
    return {path.relative_to(folder).as_posix() for path in found}


def _of_command(subject: Subject, folder: Path) -> set[str]:
    """The folder beside the spec in which a command runs; where that is the spec's own, the files that it names."""
    if subject.session is not None:
        named = {subject.session.prompt, subject.session.response} - {""}
        return named | {word for word in subject.argv if _is_beside(word, folder)}
    if subject.directory not in ("", ".", "target", "empty"):
        return {subject.directory}
    beside = subject.directory in ("", ".")
    return {word for word in subject.argv if beside and not Path(word).is_absolute() and (folder / word).is_file()}


def _is_beside(word: str, folder: Path) -> bool:
    """Whether a word of a session's command names a file beside the spec."""
    return not Path(word).is_absolute() and ".." not in word.split("/") and (folder / word).is_file()


def pin_package(package: Path) -> PinnedPackage:
    """Every file of a generated package, byte-code apart. A folder that is not there has no files."""
    files = {path.relative_to(package).as_posix(): digest_file(path) for path in _files(package)}
    return PinnedPackage(package.name, package_digest(files), dict(sorted(files.items())))


def pin_splits(
    declared: Declared, tables: Mapping[str, TableData], registry: Path | None = None
) -> tuple[PinnedSplit, ...]:
    """Of each split the rows of the table of cases, by content, by key and, with a registry, by sketch."""
    from protoc_runtime.reading import content_digest

    table = case_table(declared)
    if table is None:
        return ()
    data = tables[table.name]
    roots = {name: other for name, other in tables.items() if "." not in name}
    keys = TableData(data.name, data.frame.select(table.key), {k: v for k, v in data.scales.items() if k in table.key})
    made = []
    for split in declared.splits:
        rows = split_rows(declared, data, split.name)
        content = content_digest(declared, data, tables, rows=rows)
        ids = content_digest(declared, keys, roots, rows=rows)
        made.append(PinnedSplit(split.name, len(rows), content, ids, _sketched(declared, data, tables, rows, registry)))
    return tuple(made)


def _sketched(
    declared: Declared, data: TableData, tables: Mapping[str, TableData], rows: list[int], registry: Path | None
) -> str:
    """The digest of the sketch of these rows, which is kept beside the registry."""
    if registry is None or not rows:
        return ""
    from protoc_runtime.reading.corpus import corpus
    from protoc_runtime.sketch import sketch, to_bytes
    from protoc_runtime.sketches import keep

    return keep(registry, to_bytes(sketch(corpus(declared, data, tables, rows))))


def case_table(declared: Declared) -> Table | None:
    """The table whose rows make up the splits: the subject's cases, else the first input with a column of splits."""
    unit = declared.subject.unit if declared.subject else ""
    inputs = [table for table in declared.tables if table.kind == "input" and table.source == "file"]
    found = [table for table in inputs if _split_column(table) and unit in ("", table.name)]
    return found[0] if found else None


def split_rows(declared: Declared, data: TableData, split: str) -> list[int]:
    """The indexes of the rows of one split."""
    number = [declared_split.name for declared_split in declared.splits].index(split)
    column = _split_column(declared.table(data.name))
    return [index for index, value in enumerate(data.frame[column].to_list()) if value == number]


def text_digest(path: Path, digest: str) -> str:
    """The SHA-256 without byte order mark and with plain line ends; `digest` is that of the bytes, and is given back
    where there is nothing to leave out."""
    hashed, plain, held = hashlib.sha256(), True, b""
    with open_plain(path) as file:
        block = file.read(_BLOCK)
        if block.startswith(_BOM):
            plain, block = False, block[len(_BOM) :]
        while block:
            plain = plain and b"\r\n" not in held + block
            block, held = held + block, b""
            if block.endswith(b"\r"):
                block, held = block[:-1], b"\r"
            hashed.update(block if plain else block.replace(b"\r\n", b"\n"))
            block = file.read(_BLOCK)
    hashed.update(held)
    return digest if plain else hashed.hexdigest()


def _pin(path: Path, folder: Path) -> Pinned:
    return Pinned(path.relative_to(folder).as_posix(), digest_file(path), path.stat().st_size)


def _pin_input(path: Path, folder: Path, table: str, known: Mapping[str, PinnedInput]) -> PinnedInput:
    pin = _pin(path, folder)
    before = known.get(pin.path)
    if before is not None and before.sha256 == pin.sha256:
        return before
    text = text_digest(path, pin.sha256) if path.suffix == ".jsonl" else ""
    return PinnedInput(pin.path, pin.sha256, pin.bytes, table, 0, "", text)


def _split_column(table: Table) -> str:
    return next((c.name for c in table.stored if c.type.kind == "row" and c.type.table == "splits"), "")


def _expanded(folder: Path, name: str, findings: Findings) -> Iterator[Path]:
    path = Path(os.path.normpath(folder / name))
    if Path(name).is_absolute() or not path.is_relative_to(folder) or not real(path).is_relative_to(real(folder)):
        findings.add(kinds.UNSAFE_PATH, None, path=name, reason="it leads out of the protocol's folder")
        return
    if path in own_records(folder):
        findings.add(kinds.UNSAFE_PATH, None, path=name, reason="it is what sealing writes")
        return
    for file in _files(path, own_records(folder)) if path.is_dir() else [path]:
        if file.is_symlink() or not file.is_file():
            file.stat()  # a missing file raises
            reason = "it is a link" if file.is_symlink() else "it is no plain file"
            findings.add(kinds.UNSAFE_PATH, None, path=file.relative_to(folder).as_posix(), reason=reason)
        else:
            with open(file, "rb"):  # one that cannot be read raises
                yield file


def own_records(folder: Path) -> tuple[Path, ...]:
    """What sealing and signing write beside a spec: no seal can pin it, for it changes with each."""
    return folder / FILE_NAME, folder / SIGNATURES


def _files(folder: Path, left_out: Collection[Path] = ()) -> Iterable[Path]:
    """Every file below a folder but byte-code, what is hidden, and what is left out; links to folders are given as
    they are."""
    found = []
    for top, folders, names in os.walk(folder):
        links = [name for name in folders if os.path.islink(os.path.join(top, name))]
        folders[:] = [name for name in folders if name != "__pycache__" and name[0] != "." and name not in links]
        kept = (name for name in names if name[0] != "." and not name.endswith(".pyc"))
        found += [Path(top, name) for name in (*kept, *links)]
    return sorted(path for path in found if path not in left_out)
