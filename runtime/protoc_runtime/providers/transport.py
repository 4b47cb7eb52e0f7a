"""An httpx transport for HTTP/1.1 over asyncio streams, with a keep-alive pool per origin.

httpx is the interface; its own pool scans every connection for each request, which costs most of the time of a call
at high concurrency (`tests/bench/bench_gateway.py` has the figures). Here an idle connection is taken from a stack.

A request is written once and never repeated: whether a lost one may be sent again is for the declared policy. So that
a connection which the provider has dropped is rarely taken up, idle ones are kept for a short time only.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator
from types import TracebackType

import httpx

from protoc_runtime.providers.http1 import (
    BUFFER,
    BodyReader,
    Ended,
    Head,
    WireFault,
    body_size,
    head_bytes,
    parse_status,
    read_head,
)  # fmt: skip

LONGEST_IDLE = 3.0  # seconds; servers in use drop idle connections after five and more
MOST_IDLE = 512  # per origin
Origin = tuple[str, str, int]


class _Connection:
    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self._writer = reader, writer
        self.since = 0.0

    def alive(self, now: float) -> bool:
        """Whether an idle connection may be used again."""
        fresh = now - self.since < LONGEST_IDLE
        return fresh and not _has_more(self.reader) and not self._writer.transport.is_closing()

    async def send(self, data: bytes) -> None:
        """Write all bytes; returns when the system has taken them. Raises OSError."""
        self._writer.write(data)
        await self._writer.drain()

    def close(self) -> None:
        """Drop the connection at once, without waiting for what is under way."""
        self._writer.transport.abort()


class StreamTransport(httpx.AsyncBaseTransport):
    """The transport; one per event loop."""

    def __init__(self, context: ssl.SSLContext | None = None) -> None:
        self._context = context
        self._idle: dict[Origin, list[_Connection]] = {}

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request and read the head of its response; the body is read from the response's stream.

        Raises httpx.ConnectError, httpx.ReadError (before an answer began), httpx.RemoteProtocolError.
        """
        url = request.url
        origin = (url.scheme, url.raw_host.decode("ascii"), url.port or (443 if url.scheme == "https" else 80))
        target = url.raw_path.decode("ascii")
        head = head_bytes(f"{request.method} {target} HTTP/1.1", _headers(request))
        body = await _content(request)
        connection = await self._connection(origin)
        try:
            await connection.send(head + body)
            status, answer = await _answer_head(connection.reader)
            size = 0 if _bodiless(request.method, status) else body_size(answer, None)
        except OSError as error:
            connection.close()
            raise httpx.ReadError(f"the connection failed: {type(error).__name__}", request=request) from error
        except Ended as error:
            connection.close()
            kind = httpx.ReadError if error.clean else httpx.RemoteProtocolError
            raise kind(str(error), request=request) from error
        except WireFault as error:
            connection.close()
            raise httpx.RemoteProtocolError(str(error), request=request) from error
        except BaseException:
            connection.close()
            raise
        reusable = size is not None and "close" not in answer.words("connection") and answer.start[5:8] == b"1.1"
        stream = _Body(self, origin, connection, size, reusable, request)
        headers = [(name.encode("ascii"), value.encode("latin-1")) for name, value in answer.headers]
        return httpx.Response(status, headers=headers, stream=stream, request=request)

    def give_back(self, origin: Origin, connection: _Connection) -> None:
        """Keep a connection whose response was read to its end."""
        idle = self._idle.setdefault(origin, [])
        if len(idle) >= MOST_IDLE:
            connection.close()
            return
        connection.since = asyncio.get_running_loop().time()
        idle.append(connection)

    async def aclose(self) -> None:
        """Close every idle connection."""
        for idle in self._idle.values():
            for connection in idle:
                connection.close()
        self._idle.clear()

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None = None,
        exc_value: BaseException | None = None,
        traceback: TracebackType | None = None,
    ) -> None:
        await self.aclose()

    async def _connection(self, origin: Origin) -> _Connection:
        idle, now = self._idle.get(origin, []), asyncio.get_running_loop().time()
        while idle:
            connection = idle.pop()
            if connection.alive(now):
                return connection
            connection.close()
        scheme, host, port = origin
        context = None
        if scheme == "https":
            if self._context is None:
                self._context = httpx.create_ssl_context(trust_env=False)
            context = self._context
        try:
            return _Connection(*await asyncio.open_connection(host, port, ssl=context, limit=BUFFER))
        except (OSError, UnicodeError) as error:  # ssl.SSLError is an OSError; a host's name may be none
            raise httpx.ConnectError(f"no connection: {type(error).__name__}") from error


class _Body(httpx.AsyncByteStream):
    """The raw body of a response; its connection goes back to the pool when it was read to its end."""

    def __init__(
        self,
        transport: StreamTransport,
        origin: Origin,
        connection: _Connection,
        size: int | None,
        reusable: bool,
        request: httpx.Request,
    ) -> None:
        self._transport, self._origin, self._connection = transport, origin, connection
        self._body = BodyReader(connection.reader, size)
        self._reusable, self._request = reusable, request
        self._open = True

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self

    async def __anext__(self) -> bytes:
        try:
            part = await self._body.part()
        except OSError as error:
            raise httpx.ReadError(f"the connection failed: {type(error).__name__}", request=self._request) from error
        except WireFault as error:
            raise httpx.RemoteProtocolError(str(error), request=self._request) from error
        if part:
            return part
        if self._open and self._reusable:
            self._open = False
            self._transport.give_back(self._origin, self._connection)
        raise StopAsyncIteration

    async def aclose(self) -> None:
        """Let go of the connection."""
        if self._open:
            self._open = False
            self._connection.close()


def _has_more(reader: asyncio.StreamReader) -> bool:
    """Whether the peer has sent anything, or its end, that nobody asked for: the next call would take it for its own
    answer. asyncio tells it by whether reading waits."""
    reading = reader.read(1)
    try:
        reading.send(None)
    except StopIteration:
        return True
    except OSError:
        return True
    reading.close()
    return False


async def _content(request: httpx.Request) -> bytes:
    """A request's whole body."""
    stream = request.stream
    if isinstance(stream, httpx.SyncByteStream):
        return b"".join(stream)
    return b"".join([part async for part in stream])


def _headers(request: httpx.Request) -> list[tuple[str, str]]:
    return [(name.decode("latin-1"), value.decode("latin-1")) for name, value in request.headers.raw]


def _bodiless(method: str, status: int) -> bool:
    return method == "HEAD" or status in (204, 304)


async def _answer_head(reader: asyncio.StreamReader) -> tuple[int, Head]:
    """The head of the final response; interim ones (1xx) are passed over."""
    for _ in range(10):
        head = await read_head(reader)
        status = parse_status(head.start)
        if status >= 200:
            return status, head
    raise WireFault("more interim responses than anybody sends")
