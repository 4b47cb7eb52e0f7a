"""Two people give one run its final verdict, each in a clone, and differ."""

from __future__ import annotations

from pathlib import Path

from protoc_runtime.registry import record_decision

HERE = Path()
RUN = next(HERE.glob("runs/*/*")).as_posix()
for verdict, letter in (("PASS", "a"), ("FAIL", "b")):
    record_decision(HERE / "registry.jsonl", RUN, verdict=verdict, receipt=letter * 64)
