"""The folder of a run: opened under a name of its own, filled, closed with a manifest, and never changed after that.

While a run goes on its folder ends in `.unfinished`; a run that fails or is interrupted keeps that folder, with its
ledger and logs. Closing writes `manifest.json` (every file of the bundle but itself and the receipt), then the
receipt, and renames the folder; a bundle without the suffix is therefore complete.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Collection, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from protoc_runtime.canonical import digest_bytes, digest_file, sync_folder, write_atomic
from protoc_runtime.catalogue import run as kinds
from protoc_runtime.diagnostics import Findings, Refused

UNFINISHED = ".unfinished"
REFUSED = "launch_refused"  # the last event of a launch that the registry did not let read
MANIFEST, RECEIPT, RENDERING = "manifest.json", "receipt.json", "RECEIPT.md"
SUMMARY, LEDGER, SEAL, ROWS, CASES, LOGS = "summary.json", "ledger.jsonl", "seal.json", "rows", "cases.jsonl", "logs"
FROZEN = "frozen"  # the freeze manifest that the run began with
RAW = "raw"  # traces of sessions, apart from what may be published
SPEC, PACKAGE, VERIFIER, DIGESTS = "spec", "package", "verify.py", "digests.json"
SIGNATURES = "signatures.jsonl"  # evidence that is added to a receipt, or to the seals in spec/
OUTSIDE = frozenset((MANIFEST, RECEIPT, RENDERING, SIGNATURES))  # what the manifest does not list
STAGES = ("adjudication", "adjudication.unfinished", "verdict")  # folders of later stages, with manifests of their own
DECIDING = "verdict.unfinished"  # what a verdict is while its stage is written; an interrupted one is begun anew
_SKIPPED = ("__pycache__", ".git")


def open_folder(parent: Path, seal: str, now: datetime | None = None) -> Path:
    """Make the folder of a new run, `<UTC time>_<12 digits of the seal>.unfinished`, which nobody else has.

    Two runs that start in the same second get different folders. Raises `Refused` (E1212) where it cannot be made.
    """
    stem = f"{(now or datetime.now(UTC)).strftime('%Y%m%dT%H%M%SZ')}_{seal[:12]}"
    try:
        parent.mkdir(parents=True, exist_ok=True)
        for name in _candidates(stem):
            folder = parent / (name + UNFINISHED)
            if (parent / name).exists():
                continue
            try:
                folder.mkdir()
            except FileExistsError:
                continue
            sync_folder(parent)
            return folder
    except OSError as error:
        raise cannot_write(parent, error) from None
    raise AssertionError("names never run out")


def cannot_write(path: Path, error: OSError) -> Refused:
    """The refusal (E1212) for a file or folder that cannot be written."""
    return Refused([Findings().add(kinds.CANNOT_WRITE, None, path=path, reason=error.strerror or error)])


def pretty(value: object) -> bytes:
    """JSON for people and programs: sorted keys, two spaces, UTF-8, a newline at the end."""
    return (json.dumps(value, ensure_ascii=False, sort_keys=True, indent=2, allow_nan=False) + "\n").encode()


def in_order(value: object) -> bytes:
    """`pretty` in the order of the value, where the order is the protocol's."""
    return (json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False) + "\n").encode()


def files_of(folder: Path) -> Iterator[Path]:
    """Every file below a folder, sorted by its path; links too, which `manifest` refuses."""
    found = []
    for top, _, names in os.walk(folder, followlinks=False):
        found += [Path(top, name) for name in names]
    found += [path for path in folder.rglob("*") if path.is_symlink() and path.is_dir()]
    yield from sorted(found, key=lambda path: path.relative_to(folder).as_posix())


def manifest(folder: Path, outside: Collection[str] = OUTSIDE) -> dict[str, Any]:
    """`{"schema": "protoc/manifest/1", "files": {path: {"bytes": n, "sha256": hex}}}` of what is in the folder now.

    A link has no digest of its own: its entry has the target of the link, so it never equals a file's.
    """
    files = {}
    for path in files_of(folder):
        name = path.relative_to(folder).as_posix()
        if name in outside or name.partition("/")[0] in (*STAGES, DECIDING):
            continue
        if path.is_symlink():
            files[name] = {"bytes": 0, "sha256": f"a link to {os.readlink(path)}"}
        elif not path.is_file():
            files[name] = {"bytes": 0, "sha256": "no plain file"}
        else:
            files[name] = {"bytes": path.stat().st_size, "sha256": digest_file(path)}
    return {"schema": "protoc/manifest/1", "files": files}


def links(folder: Path, outside: Collection[str] = OUTSIDE) -> dict[str, str]:
    """The links among the files that a manifest does not list, each with its target. A bundle holds what it says."""
    found = [folder / name for name in sorted(outside) if (folder / name).is_symlink()]
    return {path.relative_to(folder).as_posix(): os.readlink(path) for path in found}


def copy_spec(spec: Path, into: Path) -> None:
    """Copy the spec as it is (`protocol.yaml` and its seals) into a bundle."""
    into.mkdir()
    for name in (spec.name, "seal.jsonl", SIGNATURES):
        if (spec.parent / name).is_file():
            shutil.copyfile(spec.parent / name, into / name)


def copy_package(package: Path, into: Path) -> None:
    """Copy the generated package, without byte-code."""
    left_out = shutil.ignore_patterns(*_SKIPPED, "*.pyc")
    shutil.copytree(package, into, ignore=left_out, symlinks=True, copy_function=_copy)


def _copy(source: str, target: str) -> None:
    """Copy a file. The first that fails is told by itself: `copytree` would go on, and raise a list of them."""
    try:
        shutil.copy2(source, target)
    except OSError as error:
        raise cannot_write(unwritten(error, target), error) from None


def unwritten(error: OSError, otherwise: str | Path) -> Path:
    """The file of a failure to write: of a copy the second one, where the first is only read."""
    return Path(error.filename2 or error.filename or otherwise)


def put(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write files of an open bundle durably; a resumed run writes them again."""
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(path, data)


def clear(folder: Path) -> None:
    """Remove what an earlier attempt to close this run wrote: all but its ledger, logs, traces and manifest."""
    for path in folder.iterdir():
        if path.name in (LEDGER, LOGS, RAW, FROZEN):
            continue
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()


def seal_off(folder: Path, outside: Collection[str] = OUTSIDE) -> tuple[bytes, str]:
    """Make everything durable and write the manifest: its bytes and their digest; it does not list `outside`."""
    for path in files_of(folder):
        if not path.is_symlink():
            _sync(path)
    data = pretty(manifest(folder, outside))
    write_atomic(folder / MANIFEST, data)
    return data, digest_bytes(data)


def unfinished_name(folder: Path) -> Path:
    """The folder that the run has until it is finished."""
    return folder if folder.name.endswith(UNFINISHED) else folder.with_name(folder.name + UNFINISHED)


def refused_launch(folder: Path) -> str:
    """Why the registry refused the launch whose folder this is; "" where it did not."""
    try:
        last = (folder / LEDGER).read_bytes().splitlines()[-1]
        event = json.loads(last)
        return str(event["body"]["reason"]) if event["kind"] == REFUSED else ""
    except (OSError, ValueError, KeyError, IndexError, TypeError):
        return ""


def final_name(folder: Path) -> Path:
    """The name that a run's folder has once it is closed, whichever of its two names is given."""
    return folder.with_name(folder.name.removesuffix(UNFINISHED))


def finish(folder: Path) -> Path:
    """Give a closed bundle its final name, which must be free."""
    final = final_name(folder)
    if final.exists():
        raise cannot_write(final, FileExistsError(17, "it exists already"))
    os.rename(folder, final)
    sync_folder(final.parent)
    return final


def number(folder: Path) -> int:
    """Which run of its second and protocol this one is: 1, or what `_candidates` has put behind its name."""
    _, dash, written = final_name(folder).name.rpartition("-")
    return int(written) if dash and written.isdecimal() else 1


def _candidates(stem: str) -> Iterator[str]:
    yield stem
    number = 2
    while True:
        yield f"{stem}-{number}"
        number += 1


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
