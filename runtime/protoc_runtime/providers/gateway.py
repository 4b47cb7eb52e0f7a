"""The gateway of a run: a loopback server in a thread of its own, through which every call to a provider goes.

    with serve(declared, ledger, os.environ, folder=spec_folder) as gateway:
        environment = gateway.environment_for(case)   # {"PROTOC_EMBEDDING_URL": "http://127.0.0.1:PORT/TOKEN/embedding"}
        ...                                           # the subject works on this case
        gateway.end(case)                             # nothing of this case is under way any more

The address is valid for one case, so each request is attributed to it, and a guessed address reaches nothing.
"""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from protoc_runtime.canonical import digest_bytes
from protoc_runtime.declared import Declared
from protoc_runtime.ledger import Ledger
from protoc_runtime.procedure import Provider
from protoc_runtime.providers.access import access
from protoc_runtime.providers.attempts import AttemptLog
from protoc_runtime.providers.client import Client
from protoc_runtime.providers.exchange import Answered, Asked
from protoc_runtime.providers.hiding import hidden_process
from protoc_runtime.providers.refusals import NO_RETRY, Refusal, Reply, error, failed, refused
from protoc_runtime.providers.routing import Content, Route, Ticket, closed, content, pinned, route, split
from protoc_runtime.providers.schemas import load_schema
from protoc_runtime.providers.server import Incoming, Outgoing, Server
from protoc_runtime.providers.transport import StreamTransport

_OF_STATUS = ("authentication", "validation", "status")  # errors whose answer tells the subject what it must know


@contextmanager
def serve(
    declared: Declared,
    ledger: Ledger,
    environment: Mapping[str, str],
    *,
    folder: Path,
    kept: Path | None = None,
) -> Iterator[Gateway]:
    """A running gateway for the declared providers; `folder` is the spec's, `kept` where bodies are kept if asked.

    Records for each provider whether it can be called. Raises `Refused`: E1602 for a schema of answers that cannot be
    used, E1503 to E1505 where the ledger cannot be written.
    """
    gateway = Gateway(declared.providers, ledger, environment, folder, kept)
    with hidden_process():
        gateway.start()
        try:
            yield gateway
        finally:
            gateway.close()


class Gateway:
    """See `serve`. `environment_for` and `end` are for the threads of the run; the rest belongs to the loop."""

    def __init__(
        self,
        providers: tuple[Provider, ...],
        ledger: Ledger,
        environment: Mapping[str, str],
        folder: Path,
        kept: Path | None = None,
    ) -> None:
        self._providers = {provider.name: provider for provider in providers}
        self._access = {provider.name: access(provider, environment) for provider in providers}
        self._log = AttemptLog(ledger)
        self._schemas = {
            provider.name: load_schema(folder, provider.answer.json, provider.name)
            for provider in providers
            if provider.answer is not None and provider.answer.json
        }
        self._kept = kept
        self._clients: dict[str, Client] = {}
        self._tickets: dict[str, Ticket] = {}
        self._cases: dict[str, Ticket] = {}
        self._fault: BaseException | None = None
        self._port = 0
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="gateway", daemon=True)

    def start(self) -> None:
        """Listen, and record which providers can be called."""
        for provider in self._providers.values():
            if not provider.forbidden:
                found = self._access[provider.name]
                self._log.usable(provider.name, found.usable, found.fault)
        self._thread.start()
        try:
            asyncio.run_coroutine_threadsafe(self._start(), self._loop).result()
        except BaseException:
            self._stop_loop()
            raise

    def close(self) -> None:
        """End every case and every connection; what was under way has its end in the ledger."""
        for case in list(self._cases):
            self._end(case)
        asyncio.run_coroutine_threadsafe(self._close(), self._loop).result()
        self._stop_loop()

    @property
    def unusable(self) -> dict[str, str]:
        """The providers that may be called but cannot, each with the reason."""
        return {
            name: self._access[name].fault
            for name, provider in self._providers.items()
            if not provider.forbidden and not self._access[name].usable
        }

    def environment_for(self, case: str) -> dict[str, str]:
        """The addresses of all providers for one case, forbidden ones included, as environment variables."""
        return {variable(name): address["url"] for name, address in self.addresses(case).items()}

    def addresses(self, case: str) -> dict[str, dict[str, str]]:
        """By provider: `url` for one case, and `method` and `path` of the declared request."""
        ticket = self._cases.get(case)
        if ticket is None:
            ticket = self._cases[case] = Ticket(case)
            self._tickets[ticket.token] = ticket
        base = f"http://127.0.0.1:{self._port}/{ticket.token}"
        return {
            name: {"url": f"{base}/{name}", "method": provider.method, "path": provider.path}
            for name, provider in self._providers.items()
        }

    @property
    def port(self) -> int:
        """The port of every address on 127.0.0.1."""
        return self._port

    def listen(self, listener: socket.socket) -> Callable[[], object]:
        """Answer a socket of a closed network too, on which the same addresses are good; what ends that is given back.

        The socket then belongs to the gateway.
        """
        made = asyncio.run_coroutine_threadsafe(self._server.listen(listener), self._loop).result()
        return lambda: self._loop.call_soon_threadsafe(made.close)

    def end(self, case: str) -> None:
        """The case is over: what is under way is cut off and recorded, later requests are refused.

        Raises what went wrong in the gateway itself, such as a ledger that can no longer be written.
        """
        self._end(case)
        if self._fault is not None:
            raise self._fault

    def _end(self, case: str) -> None:
        ticket = self._cases.pop(case, None)
        if ticket is not None:
            asyncio.run_coroutine_threadsafe(_ended(ticket), self._loop).result()

    def _stop_loop(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _start(self) -> None:
        self._http = StreamTransport()
        for name, provider in self._providers.items():
            if not provider.forbidden and self._access[name].usable:
                self._clients[name] = Client(
                    provider, self._access[name], self._log, self._http, self._schemas.get(name), self._kept
                )
        self._server = Server(self._handle)
        self._port = await self._server.start()

    async def _close(self) -> None:
        await self._server.close()
        await self._http.aclose()

    async def _handle(self, incoming: Incoming, outgoing: Outgoing) -> Reply | None:
        try:
            return await self._answer(incoming, outgoing)
        except Exception as fault:
            self._fault = fault
            return error(500, "gateway_fault", "gateway_fault", "the run cannot go on; its own output says why")

    async def _answer(self, incoming: Incoming, outgoing: Outgoing) -> Reply | None:
        token, name, path = split(incoming.target)
        found, ticket = route(self._providers, name, incoming.method, path), self._tickets.get(token)
        if found is None or ticket is None:
            return self._unknown(found, incoming.fault)
        provider = found.provider
        refusal = closed(found, ticket, incoming.method, self._access[provider.name].fault) or incoming.fault
        if refusal is not None:
            said = _said(incoming.body)
        else:
            said, refusal = pinned(provider, incoming.body)
        digest = digest_bytes(incoming.body)
        place = (provider.name, digest)
        if refusal is None and place in ticket.failed:
            refusal = Refusal("repeated", "this request has failed in this case; the protocol's retries are used")
        if refusal is not None:
            if refusal.code != "cut_off":  # nobody has asked it to the end
                self._log.refuse(provider.name, ticket.case, refusal.code, said.model)
            return refused(refusal, provider.method)
        headers = tuple(incoming.head.headers)
        asked = Asked(ticket.case, incoming.body, digest, headers, said.model, said.inputs)
        answered = await self._call(provider, ticket, asked, outgoing)
        if answered is None:
            return refused(Refusal("ended", "the case of this address has ended"))
        if answered.error is not None:
            ticket.failed.add(place)
        return _reply(answered)

    def _unknown(self, found: Route | None, fault: Refusal | None) -> Reply:
        if found is not None:
            self._log.refuse(found.provider.name, None, "address", None)
        return refused(fault or Refusal("address", "there is nothing at this address"))

    async def _call(self, provider: Provider, ticket: Ticket, asked: Asked, outgoing: Outgoing) -> Answered | None:
        """How the call ended; None if its case ended first."""
        task = asyncio.ensure_future(self._clients[provider.name].call(asked, outgoing))
        ticket.tasks.add(task)
        task.add_done_callback(ticket.tasks.discard)
        await asyncio.wait({task})
        return None if task.cancelled() else task.result()


def variable(provider: str) -> str:
    """The environment variable that holds a provider's address: `PROTOC_EMBEDDING_URL`."""
    return "PROTOC_" + "".join(letter if letter.isalnum() else "_" for letter in provider).upper() + "_URL"


async def _ended(ticket: Ticket) -> None:
    ticket.ended = True
    tasks = list(ticket.tasks)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


def _said(body: bytes) -> Content:
    try:
        return content(body)
    except ValueError:
        return Content()


def _reply(answered: Answered) -> Reply | None:
    """What the subject gets; None for an answer that was streamed to its end."""
    if answered.streamed and answered.error is None:
        return None
    status = answered.status
    passable = answered.error is None or (status is not None and status >= 400 and answered.error in _OF_STATUS)
    if passable and status is not None and not answered.streamed:
        headers = tuple(answered.headers.items())
        return Reply(status, headers if answered.error is None else (*headers, NO_RETRY), answered.body)
    return failed(answered.error or "connection", f"the provider's answer cannot be used: {answered.reason}")
