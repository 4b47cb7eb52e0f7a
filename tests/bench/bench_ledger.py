"""Acknowledged events per second of the ledger with 32 writers, against one flush per event in the same run."""

from __future__ import annotations

import asyncio
import json
import os
import statistics
import tempfile
import threading
import time
from pathlib import Path

from common import Figure, Size, show

from protoc_runtime.ledger import Ledger, check_chain

LEAST = 5_000  # acknowledged events per second
WRITERS = 32
BODY = {"case": "c0001", "attempt": 1, "outcome": "scored", "request": "a" * 64}


def per_event(folder: Path, events: int) -> float:
    """Events per second of a bare append and fsync for each event."""
    started = time.perf_counter()
    with open(folder / "plain.jsonl", "ab", buffering=0) as file:
        for _ in range(events):
            file.write(json.dumps(BODY).encode() + b"\n")
            os.fsync(file.fileno())
    return events / (time.perf_counter() - started)


def grouped(folder: Path, writers: int, each: int) -> float:
    """Acknowledged events per second of the ledger with threads."""
    with Ledger.open(folder / f"threads{writers}.jsonl") as ledger:

        def write() -> None:
            for _ in range(each):
                ledger.append("outcome", BODY)

        threads = [threading.Thread(target=write) for _ in range(writers)]
        started = time.perf_counter()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        took = time.perf_counter() - started
        assert ledger.length == writers * each
    assert not check_chain(ledger.path).failed
    return writers * each / took


def grouped_tasks(folder: Path, writers: int, each: int) -> float:
    """Acknowledged events per second of the ledger with asyncio tasks."""

    async def write(ledger: Ledger) -> None:
        for _ in range(each):
            await ledger.append_async("outcome", BODY)

    async def together(ledger: Ledger) -> float:
        started = time.perf_counter()
        await asyncio.gather(*(write(ledger) for _ in range(writers)))
        return time.perf_counter() - started

    with Ledger.open(folder / f"tasks{writers}.jsonl") as ledger:
        return writers * each / asyncio.run(together(ledger))


def run(size: Size) -> list[Figure]:
    """On the disk of the working folder, since a memory file system flushes nothing."""
    each = max(10, size.of(400))
    plain, threads, tasks = [], [], []
    for _ in range(min(size.rounds, 5)):
        with tempfile.TemporaryDirectory(dir=".", prefix=".bench-") as name:
            plain.append(per_event(Path(name), max(20, size.of(500))))
            threads.append(grouped(Path(name), WRITERS, each))
            tasks.append(grouped_tasks(Path(name), WRITERS, each))
    base = statistics.median(plain)
    text = f"{WRITERS} {{}}, {each} events each; one fsync per event gives {base:,.0f} events/s"
    return [
        Figure("ledger", text.format(of), f"{rate:,.0f} events/s", "a fixed number", rate, LEAST, True, "events/s")
        for of, rate in (("threads", statistics.median(threads)), ("asyncio tasks", statistics.median(tasks)))
    ]


if __name__ == "__main__":
    show(run)
