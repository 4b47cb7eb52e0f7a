"""Answers in parts: bounded decompression and size, kept bodies by their digest."""

from __future__ import annotations

import os
import zlib
from pathlib import Path

from protoc_runtime.canonical import digest_bytes
from protoc_runtime.providers.answers import LARGEST


class BodyFault(Exception):
    """A body that cannot be taken; `error` is its class."""

    def __init__(self, error: str, reason: str) -> None:
        self.error, self.reason = error, reason
        super().__init__(reason)


class Decoder:
    """Decodes the parts of a body, never beyond `LARGEST` bytes in all, whatever they would expand to."""

    def __init__(self, encoding: str) -> None:
        self._size = 0
        encoding = encoding.strip().lower()
        if encoding in ("", "identity"):
            self._bits, self._inflate = None, None
        elif encoding in ("gzip", "x-gzip", "deflate"):
            self._bits = 15 if encoding == "deflate" else 31
            self._inflate = zlib.decompressobj(self._bits)
        else:
            raise BodyFault("content_type", f"the content encoding {encoding[:40]!r} was not asked for")

    def feed(self, raw: bytes) -> bytes:
        """The next decoded bytes."""
        data = raw if self._inflate is None else self._inflated(raw)
        self._size += len(data)
        if self._size > LARGEST:
            raise BodyFault("too_large", f"the answer has more than {LARGEST} bytes")
        return data

    def end(self) -> None:
        """Raise if the body was cut off."""
        if self._inflate is not None and not self._inflate.eof:
            raise BodyFault("truncated", "the compressed answer is cut off")

    def _inflated(self, raw: bytes) -> bytes:
        assert self._inflate is not None
        try:
            data = self._inflate.decompress(raw, LARGEST - self._size + 1)
        except zlib.error:
            raise BodyFault("truncated", "the compressed answer is damaged") from None
        if self._inflate.unused_data:
            raise BodyFault("truncated", "the compressed answer is followed by something else")
        return data


def keep(folder: Path | None, body: bytes, digest: str = "") -> str:
    """The digest of a body (`digest`, where it is known); where a folder is given, the body is kept there under it."""
    name = digest or digest_bytes(body)
    if folder is not None and not (path := folder / name).exists():
        folder.mkdir(parents=True, exist_ok=True)
        temporary = folder / f".{name}.{os.urandom(4).hex()}"
        temporary.write_bytes(body)
        temporary.replace(path)
    return name
