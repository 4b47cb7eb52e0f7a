"""Acknowledged events per second with 32 writers, against one flush per event in the same run.

Run: `PYTHONPATH=compiler:runtime python tests/bench/bench_ledger.py [FOLDER]`; prints one JSON document.
"""

from __future__ import annotations

import asyncio
import json
import os
import platform
import sys
import tempfile
import threading
import time
from pathlib import Path

from protoc_runtime.ledger import Ledger, check_chain

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


def main() -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory(dir=sys.argv[1] if len(sys.argv) > 1 else ".") as name:
        folder = Path(name)
        base = per_event(folder, 500)
        threads = {n: grouped(folder, n, 12_800 // n) for n in (1, 8, 32)}
        tasks = grouped_tasks(folder, 32, 400)
    print(
        json.dumps(
            {
                "machine": f"{platform.machine()}, {os.cpu_count()} cores",
                "python": platform.python_version(),
                "per_event_fsync_per_s": round(base),
                "threads_per_s": {str(n): round(rate) for n, rate in threads.items()},
                "tasks_32_per_s": round(tasks),
                "ratio_32_threads": round(threads[32] / base, 1),
            },
            indent=2,
        )
    )


if __name__ == "__main__":
    main()
