"""Bytes that can be pinned: canonical JSON, SHA-256, and writes that survive a crash.

Digests are 64 lower-case hex digits without a prefix. Canonical JSON is RFC 8785; it has no NaN, no infinity and no
integer beyond 2^53 - 1, so larger counts and rationals are written as text.
"""

from __future__ import annotations

import errno
import hashlib
import os
import re
import stat
from collections.abc import Sequence
from functools import cache
from io import BufferedReader
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from json import JSONEncoder

_LARGE = re.compile(rb"[0-9]{16}")
_DEEP = 50
_BEYOND = re.compile("[\ud800-\udfff\U00010000-\U0010ffff]")  # sorted otherwise as keys, or no text at all
_ASTRAL = re.compile(rb"[\xf0-\xf4]")


class NotCanonical(ValueError):
    """The bytes are not the RFC 8785 form of any JSON value; the text says why."""


def dumps(value: object) -> bytes:
    """`value` as RFC 8785 bytes.

    Raises `rfc8785.CanonicalizationError` (a ValueError) for NaN, infinities, integers beyond 2^53 - 1, keys that are
    not text and lone surrogates.
    """
    if _without_numbers_of_doubt(value):
        text = _encoder().encode(value)
        if not _BEYOND.search(text):
            return text.encode()
    import rfc8785

    return rfc8785.dumps(value)  # type: ignore[no-any-return,arg-type,unused-ignore]


def loads(data: bytes) -> Any:
    """The value of bytes that are exactly canonical, so that one value has one spelling and one digest.

    Raises `NotCanonical` otherwise: duplicate keys, spaces, another key order, another spelling of a number.
    """
    import json

    floats: list[str] = []

    def note_float(text: str) -> float:
        """A number with a point or exponent as a float, kept as it was written to be told afterwards."""
        floats.append(text)
        return float(text)

    try:
        value = json.loads(data.decode("utf-8"), parse_float=note_float)
    except (ValueError, RecursionError) as error:
        raise NotCanonical(f"not JSON: {error}") from None
    if _dumps_again(value, data, bool(floats)) != data:
        raise NotCanonical("not in canonical form (RFC 8785)")
    return value


def digest_bytes(data: bytes) -> str:
    """The SHA-256 of bytes, in hex."""
    return hashlib.sha256(data).hexdigest()


def digest_json(value: object) -> str:
    """The SHA-256 of the canonical form, in hex."""
    return digest_bytes(dumps(value))


def digest_file(path: str | os.PathLike[str]) -> str:
    """The SHA-256 of a plain file's bytes, in hex; constant memory. Raises OSError."""
    with open_plain(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def digest_files(paths: Sequence[str | os.PathLike[str]]) -> str:
    """The SHA-256 of the bytes of several plain files in a row, in hex; constant memory. Raises OSError."""
    if len(paths) == 1:
        return digest_file(paths[0])
    hashed = hashlib.sha256()
    for path in paths:
        with open_plain(path) as file:
            while part := file.read(1 << 20):
                hashed.update(part)
    return hashed.hexdigest()


def open_plain(path: str | os.PathLike[str]) -> BufferedReader:
    """Open a file for reading bytes; OSError for anything but a plain file.

    A pipe that nobody writes to would hold up whoever opens it, and a device may never end.
    """
    return open(path, "rb", opener=_plain_only)


def read_plain(path: str | os.PathLike[str]) -> bytes:
    """All bytes of a plain file. Raises OSError."""
    with open_plain(path) as file:
        return file.read()


def write_atomic(path: str | os.PathLike[str], data: bytes, *, overwrite: bool = True) -> None:
    """Write a whole file, durably, or leave what was there.

    With `overwrite=False` an existing file is kept and FileExistsError raised, also if two processes race. An
    overwritten file keeps its permissions. Raises OSError; then nothing of the new file is left.
    """
    target = Path(path)
    temporary = target.with_name(f".{target.name}.{os.getpid()}.{os.urandom(4).hex()}.tmp")
    try:
        _write_synced(temporary, data, _mode_of(target))
        if overwrite:
            os.replace(temporary, target)
        else:
            os.link(temporary, target)
    finally:
        temporary.unlink(missing_ok=True)
    sync_folder(target.parent)


def append_synced(descriptor: int, data: bytes) -> None:
    """Append to an open file and fsync it. Raises OSError; then a part of `data` may stand in the file."""
    write_all(descriptor, data)
    os.fsync(descriptor)


def write_all(descriptor: int, data: bytes) -> None:
    """Write every byte, also where the system takes them in parts."""
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def sync_folder(folder: str | os.PathLike[str]) -> None:
    """Make the names in a folder durable."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _plain_only(path: str, flags: int) -> int:
    descriptor = os.open(path, flags | os.O_NONBLOCK | os.O_CLOEXEC)
    mode = os.fstat(descriptor).st_mode
    if stat.S_ISREG(mode):
        return descriptor
    os.close(descriptor)
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    raise OSError(errno.EINVAL, "it is no plain file", path)


@cache
def _encoder() -> JSONEncoder:
    """The C encoder of `json`, made once: `json.dumps` makes one for each value."""
    from json import JSONEncoder

    return JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)


def _without_numbers_of_doubt(value: object, depth: int = 0) -> bool:
    """Whether the C encoder of `json` writes a value canonically: plain types, whole numbers of up to 15 digits."""
    kind = type(value)
    if kind is str or value is None or kind is bool:
        return True
    if kind is int:
        return -(10**15) < value < 10**15  # type: ignore[operator]
    if depth > _DEEP:
        return False
    if kind is dict:
        for key, item in value.items():  # type: ignore[attr-defined]
            if type(key) is not str or (type(item) is not str and not _without_numbers_of_doubt(item, depth + 1)):
                return False
        return True
    return kind is list and all(_without_numbers_of_doubt(item, depth + 1) for item in value)  # type: ignore[attr-defined]


def _dumps_again(value: object, data: bytes, has_floats: bool) -> bytes:
    """The canonical form; by the C encoder of `json` where it is known to give the same bytes, for speed."""
    try:
        if has_floats or _LARGE.search(data) or _ASTRAL.search(data):
            return dumps(value)
        return _encoder().encode(value).encode()
    except (ValueError, RecursionError) as error:
        raise NotCanonical(f"has no canonical form: {error}") from None


def _write_synced(path: Path, data: bytes, mode: int | None) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
    try:
        if mode is not None:
            os.fchmod(descriptor, mode)
        append_synced(descriptor, data)
    finally:
        os.close(descriptor)


def _mode_of(path: Path) -> int | None:
    try:
        return path.stat().st_mode & 0o7777
    except FileNotFoundError:
        return None
