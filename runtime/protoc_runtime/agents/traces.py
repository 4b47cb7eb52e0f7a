"""The traces of a bundle, read once more: what the ledger says of them must come out again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from protoc_runtime import bundle
from protoc_runtime.agents.records import Session
from protoc_runtime.agents.session import ENDED, as_json
from protoc_runtime.agents.stream import read_stream
from protoc_runtime.canonical import digest_bytes, read_plain
from protoc_runtime.chain import Line


def trace_faults(folder: Path, events: Iterable[Line], session: Session) -> Iterator[tuple[str, str]]:
    """Each trace that is not the recorded one, or of which other events or turns were recorded. A bundle without
    `raw/`, as it is published, has none."""
    if not (folder / bundle.RAW).is_dir():
        return
    for event in events:
        trace = event.body.get("trace") if event.kind == ENDED else None
        if trace is None:
            continue
        name = f"{bundle.RAW}/{trace['file']}"
        try:
            data = read_plain(folder / name)
        except OSError as error:
            yield name, f"it cannot be read: {error.strerror}"
            continue
        told = {part: event.body[part] for part in ("events", "turns")}
        if digest_bytes(data) != trace["sha256"]:
            yield name, "it is not the trace of the ledger"
        elif as_json(read_stream(data, session.allowed, session.usage, cut=event.body["cut"])) != told:
            yield name, "the ledger has other events or turns of it"
