"""An `http` subject: a service that gets each case as a POST of JSON and answers with JSON.

The addresses of the providers for the case come as headers, `protoc-embedding-url` beside `PROTOC_EMBEDDING_URL` of a
command. No redirect is followed, no proxy or variable of the environment is used, and one deadline stands over the
whole exchange.
"""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from protoc_runtime.declared import Subject
from protoc_runtime.subjects.plain_json import Unreadable, plain_json
from protoc_runtime.subjects.pool import LoadFault, Reply
from protoc_runtime.subjects.program import LARGEST_OUTPUT
from protoc_runtime.subjects.walls import SERVICE

LONGEST = 600.0  # seconds, where the protocol declares no time-out
CONNECTING = 10.0


class Services:
    """Asks a service; several threads at once, each with a connection of its own per case."""

    walls = SERVICE

    def __init__(self, subject: Subject) -> None:
        self._url = subject.target
        self._timeout = LONGEST if subject.timeout is None else float(subject.timeout)
        self._guard = threading.Lock()
        self._asking: set[tuple[asyncio.AbstractEventLoop, asyncio.Task[Any]]] = set()
        self._ended = False

    def check(self) -> None:
        """Raises LoadFault if nobody listens at the address."""
        try:
            parts = urlsplit(self._url)
            if parts.scheme not in ("http", "https") or not parts.hostname:
                raise ValueError("it is no http or https address")
            port = parts.port or (443 if parts.scheme == "https" else 80)
            socket.create_connection((parts.hostname, port), CONNECTING).close()
        except ValueError as fault:
            raise LoadFault(str(fault)) from None
        except OSError as error:
            raise LoadFault(f"nobody answers there: {error.strerror or error}") from None

    def ask(self, slot: int, case: str, row: bytes, addresses: Mapping[str, Any] | None = None) -> Reply:
        """The answer of the service to a case."""
        begun = time.monotonic()
        try:
            status, body = asyncio.run(self._exchange(row, addresses or {}))
        except TimeoutError:
            reason = f"no answer within {self._timeout:g} s"
            return Reply(time.monotonic() - begun, reason=reason, timed_out=True)
        except (_Fault, asyncio.CancelledError) as fault:
            return Reply(time.monotonic() - begun, reason=str(fault) or "it was interrupted")
        wall = time.monotonic() - begun
        if status != 200:
            return Reply(wall, reason=f"the service answered with status {status}")
        try:
            return Reply(wall, plain_json(body))
        except Unreadable as fault:
            return Reply(wall, reason=f"its answer {fault}")

    def interrupt(self) -> None:
        """Cut off what is under way, from another thread."""
        with self._guard:
            self._ended = True
            for loop, task in self._asking:
                loop.call_soon_threadsafe(task.cancel)

    def close(self) -> None:
        """Nothing is left between cases."""

    async def _exchange(self, row: bytes, addresses: Mapping[str, Any]) -> tuple[int, bytes]:
        import httpx

        from protoc_runtime.providers.transport import StreamTransport

        task = asyncio.current_task()
        assert task is not None
        entry = (asyncio.get_running_loop(), task)
        with self._guard:
            if self._ended:
                raise _Fault("it was interrupted")
            self._asking.add(entry)
        headers = {"content-type": "application/json", "accept": "application/json", "accept-encoding": "identity"}
        headers |= {f"protoc-{name.replace('_', '-')}-url": address["url"] for name, address in addresses.items()}
        try:
            async with asyncio.timeout(self._timeout), StreamTransport() as transport:
                request = httpx.Request("POST", self._url, headers=headers, content=row)
                response = await transport.handle_async_request(request)
                try:
                    return response.status_code, await _whole(response)
                finally:
                    await response.aclose()
        except httpx.TransportError as fault:
            raise _Fault(f"the exchange failed: {fault}") from None
        finally:
            with self._guard:
                self._asking.discard(entry)


class _Fault(Exception):
    pass


async def _whole(response: Any) -> bytes:
    parts, size = [], 0
    async for part in response.stream:
        size += len(part)
        if size > LARGEST_OUTPUT:
            raise _Fault(f"it answered with more than {LARGEST_OUTPUT} bytes")
        parts.append(part)
    return b"".join(parts)
