"""The loopback server of the gateway: one connection after the other, each with one request at a time."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import Awaitable, Callable, Iterable, Mapping
from http import HTTPStatus

from protoc_runtime.providers.http1 import (
    BUFFER,
    BodyReader,
    Ended,
    Head,
    WireFault,
    body_size,
    chunk,
    head_bytes,
    read_head,
)  # fmt: skip
from protoc_runtime.providers.refusals import Refusal, Reply, error
from protoc_runtime.record import record

LARGEST_REQUEST = 16 * 1024 * 1024


@record
class Incoming:
    """A request as it came, its body whole; or, with a `fault`, not as it has to come, and its body left out."""

    method: str
    target: str
    head: Head
    body: bytes
    fault: Refusal | None = None


class Outgoing:
    """Where the answer to one request goes; it is the sink of a streamed answer."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, modern: bool) -> None:
        self._reader, self._writer, self._modern = reader, writer, modern
        self.streaming = False

    def gone(self) -> bool:
        """Whether the peer has closed the connection."""
        return self._reader.at_eof() or self._writer.transport.is_closing()

    async def start(self, status: int, headers: Mapping[str, str]) -> None:
        """Begin a streamed answer."""
        self.streaming = True
        framing = ("transfer-encoding", "chunked") if self._modern else ("connection", "close")
        await self._pass(_head(status, [*headers.items(), framing]))

    async def write(self, part: bytes) -> None:
        """The next part of a streamed answer."""
        await self._pass(chunk(part) if self._modern else part)

    async def _pass(self, data: bytes) -> None:
        """Write; what nobody takes any more is dropped, for it does not change what the provider answered."""
        if not self._writer.transport.is_closing():
            with contextlib.suppress(ConnectionError):
                self._writer.write(data)
                await self._writer.drain()

    async def finish(self) -> None:
        """End a streamed answer."""
        if self._modern:
            await self._pass(chunk(b""))

    async def send(self, reply: Reply, *, body: bool, close: bool) -> None:
        """A whole answer."""
        headers = [*reply.headers, ("content-length", str(len(reply.body)))]
        headers += [("connection", "close")] if close else []
        self._writer.write(_head(reply.status, headers) + (reply.body if body else b""))
        await self._writer.drain()


Handler = Callable[[Incoming, Outgoing], Awaitable[Reply | None]]


class Server:
    """Listens on 127.0.0.1 at a port that the system chooses; a handler's None means that it streamed a whole answer.

    A handler that fails after it began to stream ends the connection, so that nobody takes the answer for whole.
    """

    def __init__(self, handler: Handler) -> None:
        self._handler = handler
        self._connections: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server | None = None

    async def start(self) -> int:
        """Listen; the port."""
        self._server = await asyncio.start_server(self._connected, "127.0.0.1", 0, limit=BUFFER, backlog=1024)
        return int(self._server.sockets[0].getsockname()[1])

    async def listen(self, listener: socket.socket) -> asyncio.Server:
        """Take connections from one more socket, which may be of another network; close what is given back to end."""
        return await asyncio.start_server(self._connected, sock=listener, limit=BUFFER)

    async def close(self) -> None:
        """Take no more connections and end those that are open."""
        if self._server is not None:
            self._server.close()
        for task in self._connections:
            task.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._connections.add(task)
        try:
            with contextlib.suppress(ConnectionError, Ended, asyncio.CancelledError):
                while await self._exchange(reader, writer):
                    continue
        finally:
            self._connections.discard(task)
            writer.close()

    async def _exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Serve one request; whether the connection goes on."""
        try:
            head = await read_head(reader)
            method, target, modern = _request_line(head)
        except Ended:
            raise
        except WireFault as fault:
            bad = error(400, "invalid_request_error", "bad_request", str(fault))
            await Outgoing(reader, writer, True).send(bad, body=True, close=True)
            return False
        outgoing = Outgoing(reader, writer, modern)
        body, refusal = await _body(head, reader, writer)
        close = not modern or "close" in head.words("connection") or refusal is not None
        reply = await self._handler(Incoming(method, target, head, body, refusal), outgoing)
        if reply is not None and not outgoing.streaming:
            await outgoing.send(reply, body=method != "HEAD", close=close)
            return not close
        if reply is None:
            await outgoing.finish()
            return not close
        writer.transport.abort()
        return False


def _request_line(head: Head) -> tuple[str, str, bool]:
    parts = head.start.split(b" ")
    if len(parts) != 3 or parts[2] not in (b"HTTP/1.1", b"HTTP/1.0") or not head.start.isascii():
        raise WireFault("a request that is not HTTP/1.1")
    method, target = parts[0].decode(), parts[1].decode()
    if not method.isalpha() or not (target.startswith("/") or (method == "OPTIONS" and target == "*")):
        raise WireFault("a request that is not HTTP/1.1")
    return method, target, parts[2] == b"HTTP/1.1"


async def _body(head: Head, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> tuple[bytes, Refusal | None]:
    """A request's body; or why there is none that could be sent on."""
    try:
        size = body_size(head, 0)
        if "100-continue" in head.words("expect"):
            writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        body = await _whole(reader, size)
    except Ended as fault:
        return b"", Refusal("cut_off", str(fault))
    except WireFault as fault:
        return b"", Refusal("malformed", str(fault))
    if body is None:
        return b"", Refusal("too_large", f"a request has at most {LARGEST_REQUEST} bytes")
    return body, None


async def _whole(reader: asyncio.StreamReader, size: int | None) -> bytes | None:
    """A request's whole body; None if it is too large."""
    if size is not None and size > LARGEST_REQUEST:
        return None
    parts, total, body = [], 0, BodyReader(reader, size)
    while part := await body.part():
        total += len(part)
        if total > LARGEST_REQUEST:
            return None
        parts.append(part)
    return b"".join(parts)


def _head(status: int, headers: Iterable[tuple[str, str]]) -> bytes:
    try:
        phrase = HTTPStatus(status).phrase
    except ValueError:
        phrase = ""
    return head_bytes(f"HTTP/1.1 {status} {phrase}", headers)
