"""HTTP/1.1 on asyncio streams, strict and bounded: heads and bodies, for the client's side and the gateway's.

What two readers could understand differently is refused: two lengths, a length beside chunks, folded or nameless
headers, sizes that are no plain hexadecimal digits.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable

from protoc_runtime.record import record

LARGEST_HEAD = 64 * 1024
MOST_HEADERS = 200
BUFFER = 256 * 1024  # bytes that a connection buffers; also what is read at once
_TOKEN = re.compile(rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_UNSAFE = re.compile(rb"[\x00-\x08\x0a-\x1f\x7f]")
_SIZE = re.compile(rb"[0-9A-Fa-f]{1,12}")

Headers = list[tuple[str, str]]


class WireFault(Exception):
    """The peer does not speak HTTP/1.1 as it must; the text says how."""


class Ended(WireFault):
    """The peer closed the connection before the message was whole; `clean` if not one byte of it had come."""

    def __init__(self, clean: bool) -> None:
        self.clean = clean
        super().__init__("the connection was closed" + ("" if clean else " in the middle of a message"))


@record
class Head:
    """The start line and headers of a message; names are in lower case."""

    start: bytes
    headers: Headers

    def get(self, name: str, default: str = "") -> str:
        """The first header of a name (in lower case)."""
        return next((value for key, value in self.headers if key == name), default)

    def words(self, name: str) -> list[str]:
        """The comma-separated words of all headers of a name, in lower case."""
        found = ",".join(value for key, value in self.headers if key == name)
        return [word.strip().lower() for word in found.split(",") if word.strip()]


async def read_head(reader: asyncio.StreamReader) -> Head:
    """The head of the next message. Raises `WireFault`, `Ended`, OSError."""
    try:
        raw = await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError as error:
        raise Ended(not error.partial) from None
    except asyncio.LimitOverrunError:
        raise WireFault("a head that does not end") from None
    if len(raw) > LARGEST_HEAD:
        raise WireFault(f"a head of more than {LARGEST_HEAD} bytes")
    start, *lines = raw[:-4].split(b"\r\n")
    if len(lines) > MOST_HEADERS:
        raise WireFault(f"more than {MOST_HEADERS} headers")
    return Head(start, [_header(line) for line in lines])


def _header(line: bytes) -> tuple[str, str]:
    name, colon, value = line.partition(b":")
    value = value.strip(b" \t")
    if not colon or not _TOKEN.fullmatch(name) or _UNSAFE.search(value):
        raise WireFault("a header that is none")
    return name.decode("ascii").lower(), value.decode("latin-1")


def parse_status(start: bytes) -> int:
    """The status of a response's start line. Raises `WireFault`."""
    version, _, rest = start.partition(b" ")
    digits = rest[:3]
    if version not in (b"HTTP/1.1", b"HTTP/1.0") or not digits.isdigit() or rest[3:4] not in (b"", b" "):
        raise WireFault("a response that is not HTTP/1.1")
    status = int(digits)
    if status < 100:
        raise WireFault("a response that is not HTTP/1.1")
    return status


def body_size(head: Head, default: int | None) -> int | None:
    """The bytes of a body; -1 if it is chunked; `default` if the head does not say. Raises `WireFault`."""
    coded = head.words("transfer-encoding")
    lengths = {value for key, value in head.headers if key == "content-length"}
    if coded:
        if coded != ["chunked"] or lengths:
            raise WireFault("a body whose length is told in an unknown way, or twice")
        return -1
    if not lengths:
        return default
    text = lengths.pop()
    if lengths or not (text.isascii() and text.isdigit()) or len(text) > 12:
        raise WireFault("a body whose length is no number, or two numbers")
    return int(text)


class BodyReader:
    """Reads a body of this size (-1: chunked, None: until the connection ends), part by part.

    An object and no generator: asyncio keeps a book on every asynchronous generator, which costs more than reading.
    """

    def __init__(self, reader: asyncio.StreamReader, size: int | None) -> None:
        self._reader, self._size = reader, size
        self._left = 0 if size is None or size < 0 else size
        self._ended = False

    async def part(self) -> bytes:
        """The next bytes; empty at the end of the body. Raises `WireFault`, `Ended`, OSError."""
        if self._size is None:
            return await self._reader.read(BUFFER)
        if self._left == 0 and self._size < 0 and not self._ended:
            self._left = await _chunk_size(self._reader)
            if self._left == 0:
                self._ended = True
                while await _line(self._reader) != b"":
                    continue
        if self._left == 0:
            return b""
        try:
            found = await self._reader.readexactly(min(self._left, BUFFER))
        except asyncio.IncompleteReadError:
            raise Ended(False) from None
        self._left -= len(found)
        if self._left == 0 and self._size < 0 and await _line(self._reader) != b"":
            raise WireFault("a chunk that is longer than it says")
        return found


async def _chunk_size(reader: asyncio.StreamReader) -> int:
    digits, _, _ = (await _line(reader)).partition(b";")
    digits = digits.strip(b" \t")
    if not _SIZE.fullmatch(digits):
        raise WireFault("a chunk whose size is no number")
    return int(digits, 16)


async def _line(reader: asyncio.StreamReader) -> bytes:
    try:
        line = await reader.readuntil(b"\r\n")
    except asyncio.IncompleteReadError:
        raise Ended(False) from None
    except asyncio.LimitOverrunError:
        raise WireFault("a line that does not end") from None
    if len(line) > LARGEST_HEAD:
        raise WireFault("a line that does not end")
    return line[:-2]


def head_bytes(start: str, headers: Iterable[tuple[str, str]]) -> bytes:
    """The bytes of a head."""
    return "".join([start, "\r\n", *[f"{name}: {value}\r\n" for name, value in headers], "\r\n"]).encode("latin-1")


def chunk(data: bytes) -> bytes:
    """One chunk of a chunked body; of no data the last one."""
    return b"%x\r\n%s\r\n" % (len(data), data)
