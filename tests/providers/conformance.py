"""A provider that misbehaves on command, in a thread of its own; it keeps a log of what it was sent.

`Provider(script)` answers the first request by the first act of the script and so on; the last act is repeated. An act
is a function of the connection's writer; `acts` below makes them.
"""

from __future__ import annotations

import asyncio
import gzip
import json
import socket
import struct
import threading
from collections.abc import Awaitable, Callable, Iterable, Mapping

DIMENSION = 4
VECTOR = [0.25, -0.5, 0.125, 1.0]
Act = Callable[[asyncio.StreamWriter, "Asked"], Awaitable[None]]


class Asked:
    """One request as it came."""

    def __init__(self, line: str, headers: Mapping[str, str], body: bytes) -> None:
        self.line, self.headers, self.body = line, headers, body


class Server:
    """The running provider; `with Server(act, ...) as server`."""

    def __init__(self, *script: Act) -> None:
        self.script, self.asked = list(script), list[Asked]()
        self.under_way = self.most = 0
        self.times: list[float] = []
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)

    def __enter__(self) -> Server:
        self._thread.start()
        self._server = asyncio.run_coroutine_threadsafe(
            asyncio.start_server(self._serve, "127.0.0.1", 0, backlog=512), self._loop
        ).result()
        self.port = self._server.sockets[0].getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        return self

    def __exit__(self, *_: object) -> None:
        async def close() -> None:
            self._server.close()
            tasks = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

        asyncio.run_coroutine_threadsafe(close(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while not writer.transport.is_closing():
                asked = await _read(reader)
                self.times.append(self._loop.time())
                act = self.script[min(len(self.asked), len(self.script) - 1)]
                self.asked.append(asked)
                self.under_way += 1
                self.most = max(self.most, self.under_way)
                try:
                    await act(writer, asked)
                finally:
                    self.under_way -= 1
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            pass
        finally:
            writer.close()


async def _read(reader: asyncio.StreamReader) -> Asked:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    line, *lines = head[:-4].split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (item.partition(":") for item in lines)}
    return Asked(line, headers, await reader.readexactly(int(headers.get("content-length", "0"))))


def embedding(vector: Iterable[object] = VECTOR, **more: object) -> bytes:
    """An answer in the shape of OpenAI's embeddings."""
    data = [{"object": "embedding", "index": 0, "embedding": list(vector)}]
    usage = {"prompt_tokens": 3, "total_tokens": 3}
    return json.dumps({"object": "list", "model": "m-1", "data": data, "usage": usage, **more}).encode()


def answer(body: bytes = b"", status: int = 200, kind: str = "application/json", **headers: str) -> Act:
    """A whole answer."""
    body = body or embedding()

    async def act(writer: asyncio.StreamWriter, asked: Asked) -> None:
        more = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in headers.items())
        head = f"HTTP/1.1 {status} X\r\ncontent-type: {kind}\r\n{more}content-length: {len(body)}\r\n\r\n"
        writer.write(head.encode("utf-8") + body)
        await writer.drain()

    return act


def failing(status: int, **headers: str) -> Act:
    """An answer with an error status; it has a usage, because failures cost too."""
    body = json.dumps({"error": {"message": "no", "code": status}, "usage": {"total_tokens": 7}}).encode()
    return answer(body, status, **headers)


def raw(data: bytes, *, then: str = "close", after: float = 0.0) -> Act:
    """Any bytes, then `close`, `reset` or `stall`."""

    async def act(writer: asyncio.StreamWriter, asked: Asked) -> None:
        writer.write(data)
        await writer.drain()
        await asyncio.sleep(after)
        if then == "stall":
            await asyncio.sleep(60)
        if then == "reset":
            given: socket.socket = writer.get_extra_info("socket")
            given.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            writer.transport.abort()
        writer.close()

    return act


def slow(seconds: float, act: Act | None = None) -> Act:
    """Answers late."""

    async def late(writer: asyncio.StreamWriter, asked: Asked) -> None:
        await asyncio.sleep(seconds)
        await (act or answer())(writer, asked)

    return late


async def until(ripe: Callable[[], bool]) -> None:
    """Wait for what another thread does."""
    while not ripe():
        await asyncio.sleep(0.005)


def held(free: threading.Event, act: Act | None = None) -> Act:
    """Answers only once the event is set: what the test does before has happened before, on any machine."""

    async def late(writer: asyncio.StreamWriter, asked: Asked) -> None:
        await until(free.is_set)
        await (act or answer())(writer, asked)

    return late


def dripping(body: bytes, every: float) -> Act:
    """A body that comes byte by byte: no single read takes long, the whole does."""

    async def act(writer: asyncio.StreamWriter, asked: Asked) -> None:
        writer.write(
            f"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n".encode()
        )
        for number in range(len(body)):
            writer.write(body[number : number + 1])
            await writer.drain()
            await asyncio.sleep(every)

    return act


def chunked(
    parts: Iterable[bytes],
    kind: str = "application/json",
    every: float = 0.0,
    end: bool = True,
    heard: Callable[[], bool] = lambda: True,
) -> Act:
    """A chunked body; without its `end` the connection is closed in the middle. After a part, `heard` is waited for."""

    async def act(writer: asyncio.StreamWriter, asked: Asked) -> None:
        writer.write(f"HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ntransfer-encoding: chunked\r\n\r\n".encode())
        for part in parts:
            writer.write(b"%x;x=y\r\n%s\r\n" % (len(part), part))
            await writer.drain()
            await asyncio.sleep(every)
            await until(heard)
        if end:
            writer.write(b"0\r\ntrailer: x\r\n\r\n")
            await writer.drain()
        else:
            writer.close()

    return act


def bomb(size: int = 300 * 1024 * 1024) -> bytes:
    """A gzip body that would expand to `size` bytes."""
    packed = gzip.compress(b"\0" * (1 << 20), 9)
    return packed * (size >> 20)


def one_bomb(size: int = 200 * 1024 * 1024) -> bytes:
    """The same in one member."""
    return gzip.compress(b"[" + b"0," * (size // 2) + b"0]", 6)


def events(*values: object) -> list[bytes]:
    """Server-sent events as chat completions stream them."""
    return [b"data: " + json.dumps(value).encode() + b"\n\n" for value in values] + [b"data: [DONE]\n\n"]
