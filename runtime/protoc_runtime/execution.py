"""The loop of a run: every case is given to the subject once, and ends in exactly one outcome that is durable.

Before a case is given away its `case_started` event is on the disk, and the case counts as finished only when its
`case_finished` event is. That event holds the answer too, so a run that was interrupted goes on where it stopped: cases
are known by their key, finished ones are not repeated, and started ones that have no end are given away again.
"""

from __future__ import annotations

import os
import queue
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from typing import IO, Any, Protocol

from protoc_runtime.ledger import Ledger, Posted
from protoc_runtime.record import record

STARTED, FINISHED = "case_started", "case_finished"
Outcome = str  # one of observed.OUTCOMES


@record
class Case:
    """One case: its key as text, and what the subject sees of it, as JSON."""

    key: str
    row: bytes


@record
class Result:
    """How a case ended. `wall` is in whole microseconds of a clock that never goes back; `answer` is JSON text."""

    key: str
    outcome: Outcome
    reason: str | None
    wall: int | None
    answer: str | None


class Subject(Protocol):
    """What a run asks; `slot` counts the threads that ask at the same time."""

    def ask(self, slot: int, case: Case) -> Result:
        """How the case ended; never raises for what the subject does."""
        ...

    def interrupt(self) -> None:
        """End whatever still runs, so that every `ask` returns soon; called from another thread."""
        ...


class Interrupted(Exception):
    """The user stopped the run; `done` cases are finished and durable."""

    def __init__(self, done: int) -> None:
        self.done = done
        super().__init__(f"{done} cases finished")


def finished_cases(events: Iterable[Any]) -> dict[str, Result]:
    """The results that a ledger holds, by case key; a second end of a case cannot stand in a ledger of ours, and the
    first one counts."""
    results: dict[str, Result] = {}
    for event in events:
        if event.kind == FINISHED:
            body = event.body
            result = Result(body["case"], body["outcome"], body["reason"], body["wall_us"], body["answer"])
            results.setdefault(result.key, result)
    return results


def run_cases(
    cases: Iterable[Case],
    subject: Subject,
    ledger: Ledger,
    *,
    concurrency: int,
    done: Mapping[str, Result],
    progress: Callable[[Result], None] = lambda result: None,
) -> dict[str, Result]:
    """Give every case that is not `done` to the subject; the results of all, by key in the order of `cases`.

    Raises `Interrupted` on Ctrl-C, and whatever the ledger raises when it can no longer record.
    """
    cases = list(cases)
    loop = _Loop(subject, ledger, progress)
    waiting: queue.SimpleQueue[Case] = queue.SimpleQueue()
    for case in cases:
        if case.key not in done:
            waiting.put(case)
    loop.run(waiting, max(1, min(concurrency, len(cases))))
    results = {**done, **loop.results}
    return {case.key: results[case.key] for case in cases}


class _Loop:
    def __init__(self, subject: Subject, ledger: Ledger, progress: Callable[[Result], None]) -> None:
        self._subject, self._ledger, self._progress = subject, ledger, progress
        self._stop = threading.Event()
        self._guard = threading.Lock()
        self.results: dict[str, Result] = {}

    def run(self, waiting: queue.SimpleQueue[Case], size: int) -> None:
        """Ask about all waiting cases with `size` threads. Raises Interrupted when the user stops it."""
        try:
            with ThreadPoolExecutor(size, "subject") as threads:
                try:  # a signal may come as soon as the first slot has begun
                    self._wait({threads.submit(self._serve, slot, waiting) for slot in range(size)})
                except BaseException:
                    self._stop.set()
                    self._subject.interrupt()
                    raise
        except KeyboardInterrupt:
            raise Interrupted(len(self.results)) from None  # what was being recorded is recorded now

    def _wait(self, running: set[Future[None]]) -> None:
        while running:  # in short waits: a signal that reached another thread is seen only between them
            ended, running = wait(running, timeout=0.1, return_when=FIRST_EXCEPTION)
            for one in ended:
                one.result()

    def _serve(self, slot: int, waiting: queue.SimpleQueue[Case]) -> None:
        ended: tuple[Posted, Result] | None = None
        try:
            while not self._stop.is_set():
                case = waiting.get_nowait()
                started = self._ledger.post(STARTED, {"case": case.key})  # on the disk together with the end before it
                if ended is not None:
                    self._finish(*ended)
                    ended = None
                started.wait()
                result = self._subject.ask(slot, case)
                if self._stop.is_set():
                    return  # the subject was ended from outside, which says nothing about the case
                ended = self._ledger.post(FINISHED, _end(result)), result
        except queue.Empty:
            return
        except BaseException:
            self._stop.set()
            raise
        finally:
            if ended is not None:
                self._finish(*ended)

    def _finish(self, posted: Posted, result: Result) -> None:
        """Count a case whose end is durable."""
        posted.wait()
        with self._guard:
            self.results[result.key] = result
            self._progress(result)


def _end(result: Result) -> dict[str, Any]:
    body = {"case": result.key, "outcome": result.outcome, "reason": result.reason}
    return {**body, "wall_us": result.wall, "answer": result.answer}


class Progress:
    """A bar with counts and rate, on a terminal only; elsewhere it stays silent."""

    WIDTH = 24

    def __init__(self, total: int, done: int, stream: IO[str] | None) -> None:
        self._shown = stream is not None and stream.isatty() and total > 0
        self._stream, self._total, self._done, self._unscored = stream, total, done, 0
        self._first, self._begun, self._next = done, time.monotonic(), 0.0
        if self._shown and done < total:
            self._draw(self._begun)  # the first case may take minutes

    def __call__(self, result: Result) -> None:
        """Count one finished case."""
        self._done += 1
        self._unscored += result.outcome != "scored"
        now = time.monotonic()
        if self._shown and (now >= self._next or self._done == self._total):
            self._next = now + 0.1
            self._draw(now)

    def close(self) -> None:
        """Leave the bar's line."""
        if self._shown and self._stream is not None and self._first < self._total:
            self._stream.write("\n")
            self._stream.flush()

    def _draw(self, now: float) -> None:
        assert self._stream is not None
        filled = self.WIDTH * self._done // self._total
        speed = _speed(self._done - self._first, now - self._begun)
        unscored = f"  {self._unscored} not scored" if self._unscored else ""
        bar = "█" * filled + "·" * (self.WIDTH - filled)
        words = f"{self._done}/{self._total} cases{speed}{unscored}"
        self._stream.write(f"\r{fitting(bar, words, _columns(self._stream))}\x1b[K")
        self._stream.flush()


def _speed(cases: int, seconds: float) -> str:
    """How many cases end in a second, a minute or an hour, whichever is not too few; nothing before the first has."""
    if not cases:
        return ""
    rates = {unit: cases * length / max(seconds, 1e-9) for unit, length in (("s", 1), ("min", 60), ("h", 3600))}
    unit = next((unit for unit, rate in rates.items() if rate >= 2), "h")
    return f"  {rates[unit]:.0f}/{unit}"


def fitting(bar: str, words: str, columns: int) -> str:
    """A bar with words behind it on one line of a terminal: the bar goes first, then the end of the words. A line that
    wrapped could not be written over."""
    whole = f"{bar} {words}"
    return whole if len(whole) < columns else words[: max(columns - 1, 0)]


def _columns(stream: IO[str]) -> int:
    try:
        return os.get_terminal_size(stream.fileno()).columns or 80
    except (OSError, ValueError):
        return 80
