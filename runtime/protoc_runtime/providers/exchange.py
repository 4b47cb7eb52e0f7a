"""One exchange with a provider: a request is sent, and what comes back is bounded, judged and described.

httpx is the interface. Nothing is read from the environment, no redirect is followed, one deadline stands over
everything from the connection to the last byte, and answers are decompressed within a bound.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

import httpx

from protoc_runtime.procedure import Provider
from protoc_runtime.providers.access import Access, Redactor, StreamRedactor
from protoc_runtime.providers.answers import Acceptance, Verdict, usage_of_stream
from protoc_runtime.providers.attempts import Ending, shown_headers
from protoc_runtime.providers.bodies import BodyFault, Decoder, keep
from protoc_runtime.record import record

TAIL = 64 * 1024  # bytes at the end of a streamed answer in which its counts are looked for
BEARER = "authorization: Bearer {credential}"
PASSED_ON = frozenset({"accept", "content-type", "openai-beta", "anthropic-version"})  # of the subject's headers
NOT_PASSED_BACK = frozenset({"retry-after", "content-length", "content-encoding", "date"})


@record
class Asked:
    """What a subject asks a provider for: the case, the whole body and its digest, its headers (names in lower case),
    the model that the body names, and the number of vectors that it asks for."""

    case: str
    body: bytes
    digest: str
    headers: tuple[tuple[str, str], ...]
    model: str | None
    inputs: int | None = None


@record
class Answered:
    """How a call ended; `error` None means acceptable. A `streamed` answer has gone to the sink already, as far as it
    came; `headers` are those that the subject may get."""

    error: str | None
    reason: str
    status: int | None
    headers: Mapping[str, str]
    body: bytes
    streamed: bool = False


class Sink(Protocol):
    """Takes a streamed answer part by part."""

    async def start(self, status: int, headers: Mapping[str, str]) -> None:
        """The head of the answer."""
        ...

    async def write(self, part: bytes) -> None:
        """The next bytes."""
        ...

    def gone(self) -> bool:
        """Whether nobody waits for the answer any more."""
        ...


@record
class Means:
    """What the exchanges with one provider need. `timeout` is in seconds; `kept` is where bodies are kept, or None."""

    provider: Provider
    access: Access
    http: httpx.AsyncBaseTransport
    url: httpx.URL
    acceptance: Acceptance
    redactor: Redactor
    timeout: float
    kept: Path | None


class Exchange:
    """One exchange; `status` is known once an answer has begun."""

    def __init__(self, means: Means, asked: Asked, sink: Sink) -> None:
        self._means, self._asked, self._sink = means, asked, sink
        self.status: int | None = None
        self._headers: dict[str, str] = {}
        self._type, self._streamed = "", False

    async def run(self) -> tuple[Answered, Ending]:
        """Send and receive; every failure is an ending, except that the task itself is cancelled."""
        try:
            async with asyncio.timeout(self._means.timeout):
                return await self._exchange()
        except TimeoutError:
            return self._failed("timeout", f"no whole answer within {self._means.timeout:g} s")
        except BodyFault as fault:
            return self._failed(fault.error, fault.reason)
        except httpx.TransportError as fault:
            begun = self.status is not None or isinstance(fault, httpx.RemoteProtocolError)
            return self._failed("truncated" if begun else "connection", str(fault))

    def _failed(self, error: str, reason: str) -> tuple[Answered, Ending]:
        answered = Answered(error, reason, None, {}, b"", self._streamed)
        waits = self._headers.get("retry-after")
        return answered, Ending(error, reason, self.status, waits, headers=self._headers, model=self._asked.model)

    async def _exchange(self) -> tuple[Answered, Ending]:
        response = await self._means.http.handle_async_request(self._request())
        try:
            self._begun(response)
            decoder = Decoder(response.headers.get("content-encoding", ""))
            if self._passes_through():
                return await self._stream(response, decoder)
            return await self._whole(response, decoder)
        finally:
            await response.aclose()

    def _request(self) -> httpx.Request:
        own = [("accept-encoding", "identity"), ("user-agent", "protoc")]
        if self._means.access.credential:
            name, _, form = (self._means.provider.sent_as or BEARER).partition(": ")
            own.append((name.lower(), form.replace("{credential}", self._means.access.credential)))
        passed = [(name, value) for name, value in self._asked.headers if name in PASSED_ON]
        headers = [(name.encode("ascii"), value.encode("latin-1")) for name, value in (*passed, *own)]
        return httpx.Request(self._means.provider.method, self._means.url, headers=headers, content=self._asked.body)

    def _begun(self, response: httpx.Response) -> None:
        self.status = response.status_code
        self._type = response.headers.get("content-type", "")
        shown = shown_headers(response.headers.multi_items())
        self._headers = {name: self._means.redactor.text(value) for name, value in shown.items()}

    def _passes_through(self) -> bool:
        """Whether the answer goes to the subject as it comes: nothing but its status is asked of it."""
        assert self.status is not None
        kind = self._type.partition(";")[0].strip().lower()
        acceptance = self._means.acceptance
        return kind == "text/event-stream" and acceptance.status(self.status) is None and not acceptance.content

    async def _whole(self, response: httpx.Response, decoder: Decoder) -> tuple[Answered, Ending]:
        assert self.status is not None
        parts = [decoder.feed(raw) async for raw in response.stream]  # type: ignore[union-attr]
        decoder.end()
        body = self._means.redactor.bytes(b"".join(parts))
        verdict = self._means.acceptance.judge(self.status, self._type, body, self._asked.inputs)
        ending = self._ending(verdict, keep(self._means.kept, body), len(body))
        return Answered(verdict.error, ending.reason, self.status, self._passed_back(), body), ending

    async def _stream(self, response: httpx.Response, decoder: Decoder) -> tuple[Answered, Ending]:
        assert self.status is not None
        redactor, passed = StreamRedactor(self._means.redactor), _Passed(self._sink, self._means.kept)
        self._streamed = True
        await self._sink.start(self.status, self._passed_back())
        async for raw in response.stream:  # type: ignore[union-attr]
            await passed.on(redactor.feed(decoder.feed(raw)))
        decoder.end()
        await passed.on(redactor.end())
        model, cost = usage_of_stream(passed.tail)
        ending = self._ending(Verdict(None, "", model=model, cost=cost), passed.digest(), passed.size)
        return Answered(None, "", self.status, {}, b"", streamed=True), ending

    def _ending(self, verdict: Verdict, digest: str, size: int) -> Ending:
        return Ending(
            error=verdict.error,
            reason=self._means.redactor.text(verdict.reason),
            status=self.status,
            retry_after=self._headers.get("retry-after"),
            dimension=verdict.dimension,
            answer_sha256=digest,
            answer_bytes=size,
            headers=self._headers,
            model=verdict.model or self._asked.model,
            cost=verdict.cost,
        )

    def _passed_back(self) -> dict[str, str]:
        return {name: value for name, value in self._headers.items() if name not in NOT_PASSED_BACK}


class _Passed:
    """Passes the parts of a streamed answer on, and knows their digest, their size and the last of them."""

    def __init__(self, sink: Sink, kept: Path | None) -> None:
        self._sink, self._kept = sink, kept
        self._hash, self._parts = hashlib.sha256(), list[bytes]()
        self.size, self.tail = 0, b""

    async def on(self, part: bytes) -> None:
        """Hand a part of the answer on, and count, hash and (where it is wanted) keep it."""
        if not part:
            return
        self._hash.update(part)
        self.size, self.tail = self.size + len(part), (self.tail + part)[-TAIL:]
        if self._kept is not None:
            self._parts.append(part)
        await self._sink.write(part)

    def digest(self) -> str:
        """The SHA-256 (hex) of all that passed; what was kept is written now."""
        if self._kept is not None:
            keep(self._kept, b"".join(self._parts))
        return self._hash.hexdigest()
