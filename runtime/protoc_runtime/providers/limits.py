"""How many attempts at one provider are under way at once, and how far apart they are sent."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from fractions import Fraction


class Limits:
    """The declared bounds of one provider; one per event loop."""

    def __init__(self, concurrency: int, spacing: Fraction) -> None:
        self._slots = asyncio.Semaphore(max(1, concurrency))
        self._spacing, self._last = float(spacing), float("-inf")
        self._gate = asyncio.Lock()

    async def enter(self, begin: Callable[[], Awaitable[None]]) -> None:
        """Wait for a place among the attempts that are under way; `begin` has run when the request may be sent.

        The space is kept between the moments at which `begin` has ended, so a slow disk cannot bring two sends closer.
        Who has entered leaves; who was cancelled while entering has no place.
        """
        await self._slots.acquire()
        try:
            if self._spacing <= 0:
                await begin()
                return
            async with self._gate:
                await self._space()
                await begin()
                self._last = asyncio.get_running_loop().time()
        except BaseException:
            self._slots.release()
            raise

    def leave(self) -> None:
        """Make the place free."""
        self._slots.release()

    async def _space(self) -> None:
        left = self._last + self._spacing - asyncio.get_running_loop().time()
        if left > 0:
            await asyncio.sleep(left)
