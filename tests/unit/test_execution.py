"""One outcome per case, durable before it counts, never repeated."""

from __future__ import annotations

import io
import json
import signal
import threading
import time

import pytest

from protoc_runtime.diagnostics import Refused
from protoc_runtime.execution import (
    Case,
    Interrupted,
    Progress,
    Result,
    _speed,
    finished_cases,
    fitting,
    run_cases,
)
from protoc_runtime.ledger import Ledger, read_events


class Echo:
    """Answers with the row; remembers what it was asked and how many asked at the same time."""

    def __init__(self, at_case=None, then=lambda: None):
        self.asked, self.at_once, self.most = [], 0, 0
        self.interrupted = threading.Event()
        self._at_case, self._then, self._guard = at_case, then, threading.Lock()

    def ask(self, slot, case):
        with self._guard:
            self.asked.append(case.key)
            self.at_once += 1
            self.most = max(self.most, self.at_once)
        if case.key == self._at_case:
            self._then()
        time.sleep(0.001)
        with self._guard:
            self.at_once -= 1
        return Result(case.key, "scored", None, 1000, case.row.decode())

    def interrupt(self):
        self.interrupted.set()


def cases(number):
    return [Case(f"c{n:03}", json.dumps({"n": n}).encode()) for n in range(number)]


def test_every_case_ends_once_in_the_order_of_the_cases(tmp_path):
    subject = Echo()
    with Ledger.open(tmp_path / "ledger.jsonl") as ledger:
        results = run_cases(cases(50), subject, ledger, concurrency=3, done={})
    assert list(results) == [case.key for case in cases(50)]
    assert sorted(subject.asked) == list(results)
    assert 1 <= subject.most <= 3
    events = list(read_events(tmp_path / "ledger.jsonl"))
    for key in results:
        kinds = [event.kind for event in events if event.body["case"] == key]
        assert kinds == ["case_started", "case_finished"]
    assert finished_cases(events) == results


def test_a_case_is_given_away_when_its_start_and_the_end_before_it_are_on_the_disk(tmp_path):
    path = tmp_path / "ledger.jsonl"
    seen = []

    class Looking(Echo):
        def ask(self, slot, case):
            seen.append((case.key, [(event.kind, event.body["case"]) for event in read_events(path)]))
            return super().ask(slot, case)

    with Ledger.open(path) as ledger:
        counted = []
        run_cases(cases(6), Looking(), ledger, concurrency=1, done={}, progress=counted.append)
        assert ledger.length == 12
    keys = [case.key for case in cases(6)]
    assert [result.key for result in counted] == [key for key, _ in seen] == keys
    for at, (key, events) in enumerate(seen):
        ended = [(kind, other) for other in keys[:at] for kind in ("case_started", "case_finished")]
        assert sorted(events) == sorted([*ended, ("case_started", key)])


def test_finished_cases_are_not_repeated(tmp_path):
    path = tmp_path / "ledger.jsonl"
    with Ledger.open(path) as ledger:
        run_cases(cases(10), Echo(), ledger, concurrency=1, done={})
    done = finished_cases(read_events(path))
    subject = Echo()
    with Ledger.open(path) as ledger:
        results = run_cases(cases(15), subject, ledger, concurrency=2, done=done)
    assert sorted(subject.asked) == [f"c{n:03}" for n in range(10, 15)]
    assert list(results) == [case.key for case in cases(15)]


def test_a_started_case_without_end_is_given_away_again(tmp_path):
    path = tmp_path / "ledger.jsonl"
    with Ledger.open(path) as ledger:
        ledger.append("case_started", {"case": "c000"})
    with Ledger.open(path) as ledger:
        results = run_cases(cases(1), Echo(), ledger, concurrency=1, done=finished_cases(read_events(path)))
    assert results["c000"].outcome == "scored"


def test_an_interruption_keeps_what_is_finished_and_nothing_that_is_not(tmp_path):
    path = tmp_path / "ledger.jsonl"

    def stop():
        signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
        assert subject.interrupted.wait(30)

    subject = Echo("c005", stop)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell ignores it for what runs behind it
    try:
        with Ledger.open(path) as ledger, pytest.raises(Interrupted) as raised:
            run_cases(cases(10), subject, ledger, concurrency=1, done={})
    finally:
        signal.signal(signal.SIGINT, before)
    done = finished_cases(read_events(path))
    assert sorted(done) == [f"c{n:03}" for n in range(5)]
    assert raised.value.done == 5


def test_a_ledger_that_takes_nothing_more_stops_the_run(tmp_path):
    ledger = Ledger.open(tmp_path / "ledger.jsonl")

    def fail():
        ledger.close()

    with pytest.raises((ValueError, Refused)):
        run_cases(cases(10), Echo("c003", fail), ledger, concurrency=2, done={})


def test_the_bar_is_for_terminals_only():
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    silent, shown = io.StringIO(), Terminal()
    for stream in (silent, shown):
        bar = Progress(2, 0, stream)
        bar(Result("a", "scored", None, 1, "{}"))
        bar(Result("b", "failed", "why", 1, None))
        bar.close()
    assert silent.getvalue() == ""
    assert "0/2 cases\x1b" in shown.getvalue().split("\r")[1], "before the first case has ended"
    assert "2/2 cases" in shown.getvalue()
    assert "1 not scored" in shown.getvalue()


@pytest.mark.parametrize(
    ("cases", "seconds", "told"), [(0, 5, ""), (30, 10, "  3/s"), (8, 120, "  4/min"), (1, 120, "  30/h")]
)
def test_the_speed_of_slow_cases_is_told_by_the_minute(cases, seconds, told):
    assert _speed(cases, seconds) == told


def test_the_bar_stays_on_one_line_of_a_narrow_terminal():
    bar, words = "█" * 24, "12/96 cases  3/s"
    assert fitting(bar, words, 80) == f"{bar} {words}"
    assert fitting(bar, words, 30) == words
    assert fitting(bar, words, 10) == words[:9]
    assert fitting(bar, words, 0) == ""
    assert all(len(fitting(bar, words, columns)) < max(columns, 1) for columns in range(60))
