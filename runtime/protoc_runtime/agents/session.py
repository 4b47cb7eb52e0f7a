"""One session of an agent per case: prompt in, a stream of events out, everything that it did in the ledger.

Before a session begins its prompt and the tool's configuration are in the ledger; when it has ended, its trace is on
the disk and what was read of it in the ledger. There are no retries.
"""

from __future__ import annotations

import hashlib
import json
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote

from protoc_runtime.agents.cells import FILLED, Cell, Cells, Left
from protoc_runtime.agents.configured import read_value
from protoc_runtime.agents.prompt import Prompt
from protoc_runtime.agents.records import Session
from protoc_runtime.agents.response import Response
from protoc_runtime.agents.stream import Stream, read_stream
from protoc_runtime.canonical import digest_bytes, write_atomic
from protoc_runtime.declared import Declared, Subject
from protoc_runtime.ledger import Ledger
from protoc_runtime.record import record, replace
from protoc_runtime.subjects.command import ended_badly
from protoc_runtime.subjects.plain_json import Unreadable, plain_json
from protoc_runtime.subjects.pool import Reply

CONFIGURED, BEGUN, ENDED = "session_configured", "session_begun", "session_ended"
IGNORE = ".gitignore"
CUT_OFF = "its session was cut off by an interruption, and the protocol has no retries"


@record
class Fixed:
    """What holds for every session of a run. `frozen` are the texts that the configuration must have; `raw` is the
    folder of traces; `shows_prompt`: a table of the protocol holds the prompts."""

    session: Session
    prompt: Prompt
    response: Response | None
    frozen: Mapping[str, str]
    raw: Path
    shows_prompt: bool


class Sessions:
    """Asks an agent: one new process per case; several threads ask at once."""

    def __init__(self, cells: Cells, subject: Subject, fixed: Fixed, ledger: Ledger, spec: Path) -> None:
        self.walls = cells.walls
        self._cells, self._fixed, self._ledger, self._spec = cells, fixed, ledger, spec
        self._timeout = None if subject.timeout is None else float(subject.timeout)
        self._guard, self._under_way = threading.Lock(), 0
        self._begun: Counter[str] = Counter(event.body["case"] for event in ledger.events() if event.kind == BEGUN)

    def ask(self, slot: int, case: str, row: bytes, addresses: Mapping[str, Any] | None = None) -> Reply:
        """The reply of a new session to a case, and what it came to; its wall time is that of the whole case."""
        begun = time.monotonic()
        reply = self._asked(slot, case, row, addresses or {})
        return replace(reply, wall=time.monotonic() - begun)

    def _asked(self, slot: int, case: str, row: bytes, addresses: Mapping[str, Any]) -> Reply:
        if self._begun[case] and self._fixed.session.retry == "never":
            return Reply(0.0, reason=CUT_OFF)
        prompt = self._fixed.prompt.fill(json.loads(row, parse_float=Decimal))
        n = self._begun[case] + 1
        self._begun[case] = n
        about = {"case": case, "n": n}
        with self._cells.open(addresses) as cell:
            differs = self._verify(about, cell)
            with self._counted() as at_once:
                self._ledger.append(BEGUN, {**about, **self._told(prompt), "at_once": at_once})
                if differs:
                    return self._not_asked(about, differs)
                left = self._cells.run(slot, case, prompt.encode(), cell)
        return self._close(about, left)

    def interrupt(self) -> None:
        """End every session."""
        self._cells.interrupt()

    def close(self) -> None:
        """Nothing is left between cases."""

    # --- before a session -------------------------------------------------------------------------------------------

    def _verify(self, about: Mapping[str, Any], cell: Cell) -> str:
        """Read the tool's configuration, and say how it differs from what is frozen."""
        if not self._fixed.session.configured:
            return ""
        run = partial(self._cells.printed, cell)
        found = {each.name: read_value(each, self._spec, run) for each in self._fixed.session.configured}
        self._ledger.append(CONFIGURED, {**about, "values": found})
        wrong = [name for name, value in found.items() if value != self._fixed.frozen[name]]
        told = (f"{name} is {found[name] or 'unknown'}, not {self._fixed.frozen[name]}" for name in wrong)
        return "; ".join(told)

    def _told(self, prompt: str) -> dict[str, Any]:
        text = {"prompt": prompt} if self._fixed.shows_prompt else {}
        digest = hashlib.sha256(prompt.encode()).hexdigest()
        return {"prompt_sha256": digest, "prompt_chars": len(prompt), "sandboxed": self._sandboxed, **text}

    @property
    def _sandboxed(self) -> bool:
        session = self._fixed.session
        return bool(session.sandbox) and self.walls.files and (session.network == "open" or self.walls.closed)

    @contextmanager
    def _counted(self) -> Iterator[int]:
        with self._guard:
            self._under_way += 1
            number = self._under_way
        try:
            yield number
        finally:
            with self._guard:
                self._under_way -= 1

    # --- a session, and after it ------------------------------------------------------------------------------------

    def _not_asked(self, about: Mapping[str, Any], reason: str) -> Reply:
        reason = f"nobody was asked: {reason}"
        self._ledger.append(
            ENDED, {**about, "wall_us": None, "failed": True, "reason": reason, "events": [], "turns": []}
        )
        return Reply(0.0, reason=reason)

    def _close(self, about: Mapping[str, Any], left: Left) -> Reply:
        session, ended = self._fixed.session, left.ended
        cut = ended.timed_out or ended.overflowed or left.filled
        stream = read_stream(ended.output, session.allowed, session.usage, cut=cut)
        reply = self._judged(left, stream)
        trace = self._keep(about, ended.output)
        body = {
            **about,
            "wall_us": round(ended.wall * 1_000_000),
            "failed": reply.answer is None,
            "reason": reply.reason,
            "cut": cut,
        }
        self._ledger.append(ENDED, {**body, "trace": trace, **as_json(stream)})
        return reply

    def _judged(self, left: Left, stream: Stream) -> Reply:
        """What a session came to: what it may not do decides first, then how it ended, then what it said."""
        ended = left.ended
        bad = Reply(ended.wall, reason=FILLED) if left.filled else ended_badly(ended, self._timeout)
        if stream.forbidden:
            kinds = ", ".join(stream.forbidden[:5])
            more = f"; {bad.reason}" if bad is not None else ""
            return Reply(ended.wall, reason=f"events that are not allowed: {kinds}{more}", quarantined=True)
        if bad is not None:
            return bad
        if stream.message is None:
            return Reply(ended.wall, reason=stream.fault)
        try:
            answer = plain_json(stream.message.encode())
        except (Unreadable, UnicodeEncodeError) as fault:
            return Reply(ended.wall, reason=f"its answer {fault}")
        misshapen = "" if self._fixed.response is None else self._fixed.response.fault(answer)
        return Reply(ended.wall, reason=misshapen) if misshapen else Reply(ended.wall, answer)

    def _keep(self, about: Mapping[str, Any], output: bytes) -> dict[str, Any]:
        """Keep the trace apart from what may be published; its file and fingerprint."""
        name = trace_name(about["case"], about["n"])
        self._fixed.raw.mkdir(exist_ok=True)
        if not (self._fixed.raw / IGNORE).exists():
            write_atomic(self._fixed.raw / IGNORE, b"*\n")
        write_atomic(self._fixed.raw / name, output)
        return {"file": name, "sha256": digest_bytes(output), "bytes": len(output)}


def trace_name(case: str, n: int) -> str:
    """The file of a session's trace in `raw/`: the case's key as a file name, its digest where it is long."""
    safe = quote(case, safe=" ")
    stem = safe if len(safe) <= 100 and not safe.startswith(".") else hashlib.sha256(case.encode()).hexdigest()
    return f"{stem}.{n}.jsonl"


def as_json(stream: Stream) -> dict[str, Any]:
    """Events and turns as the ledger has them."""
    turns = [
        {"kind": turn.kind, "reported": turn.reported, "malformed": turn.malformed, "counts": dict(turn.counts)}
        for turn in stream.turns
    ]
    return {"events": [[event.kind, event.allowed] for event in stream.events], "turns": turns}


def frozen_texts(declared: Declared) -> dict[str, str]:
    """The frozen texts that a tool's configuration is compared with."""
    return {item.name: item.value for item in declared.freeze if isinstance(item.value, str) and not item.file}
