"""One call to a provider as the protocol declares it: attempts, each in the ledger before it is sent, by the policy."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path
from typing import Any

import httpx

from protoc_runtime.procedure import Provider
from protoc_runtime.providers.access import Access, Redactor
from protoc_runtime.providers.answers import Acceptance
from protoc_runtime.providers.attempts import Attempt, AttemptLog, Ending
from protoc_runtime.providers.bodies import keep
from protoc_runtime.providers.exchange import Answered, Asked, Exchange, Means, Sink
from protoc_runtime.providers.limits import Limits
from protoc_runtime.providers.policy import Decision, decide, retry_after

LONGEST_ATTEMPT = Fraction(600)  # seconds, where the protocol declares no time-out
CASE_ENDED = Decision(False, Fraction(0), "the case ended first")
SUBJECT_GONE = Decision(False, Fraction(0), "the subject no longer waits for the answer")
PARTLY_THERE = Decision(False, Fraction(0), "the subject has a part of the answer already")


class Client:
    """Calls one provider; belongs to one event loop. `http` is shared by the clients of a run."""

    def __init__(
        self,
        provider: Provider,
        access: Access,
        log: AttemptLog,
        http: httpx.AsyncBaseTransport,
        schema: Any = None,
        kept: Path | None = None,
    ) -> None:
        self._provider, self._log = provider, log
        self._limits = Limits(provider.concurrency, provider.spacing)
        self._means = Means(
            provider=provider,
            access=access,
            http=http,
            url=httpx.URL(access.base_url + provider.path),
            acceptance=Acceptance(provider.answer, schema),
            redactor=Redactor(access.credential),
            timeout=float(LONGEST_ATTEMPT if provider.timeout is None else provider.timeout),
            kept=kept if provider.keep == "bodies" else None,
        )

    async def call(self, asked: Asked, sink: Sink) -> Answered:
        """Send a call, and again as the policy says; how it ended in the end. A wait lasts at least what is declared.

        Raises `Refused` where the ledger cannot be written; then nothing is sent.
        """
        number, n = self._log.next_call(self._provider.name, asked.case), 0
        while True:
            n += 1
            attempt = self._log.next_attempt(self._provider.name, asked.case, number)
            answered, decision = await self._attempt(attempt, n, asked, sink)
            if not decision.retry:
                return answered
            await asyncio.sleep(float(decision.wait))

    async def _attempt(self, attempt: Attempt, n: int, asked: Asked, sink: Sink) -> tuple[Answered, Decision]:
        """Begin, send, judge, decide, end."""
        exchange = Exchange(self._means, asked, sink)
        try:
            await self._limits.enter(lambda: self._begin(attempt, asked))
            try:
                answered, ending = await exchange.run()
            finally:
                self._limits.leave()
        except asyncio.CancelledError:
            self._log.end(attempt, Ending("unfinished", CASE_ENDED.reason, exchange.status), CASE_ENDED)
            raise
        waits = retry_after(ending.retry_after, datetime.now(UTC))
        decision = decide(self._provider.retry, n, ending.status, ending.error, waits)
        if decision.retry and answered.streamed:
            decision = PARTLY_THERE
        elif decision.retry and sink.gone():
            decision = SUBJECT_GONE
        self._log.end(attempt, ending, decision)
        return answered, decision

    async def _begin(self, attempt: Attempt, asked: Asked) -> None:
        keep(self._means.kept, asked.body, asked.digest)
        await self._log.begin(attempt, self._provider.path, len(asked.body), asked.digest, asked.model)
