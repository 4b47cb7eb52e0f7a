"""Faults of the ledger, the record of a run."""

from __future__ import annotations

from protoc_runtime.diagnostics import Kind

BROKEN = Kind(
    id="E1501",
    name="ledger-broken",
    severity="error",
    message="line {line} of the ledger does not hold: {reason}",
    hint="restore the file from a copy; a ledger is never edited, and a run cannot continue on a changed one",
    why=(
        "Every line of a ledger names the digest of the line before it. A line that was changed, removed, inserted or "
        "moved after it was written no longer fits its neighbours. Only a last line that was cut off by a crash is "
        "mended, because nobody can have relied on it."
    ),
    example="delete the second line of a run's ledger.jsonl, then `protoc verify RUN`",
)
BUSY = Kind(
    id="E1502",
    name="ledger-busy",
    severity="error",
    message="another process is writing this ledger: {path}",
    hint="wait until it has ended: a run that goes on, a review room that is open, or an import of sheets",
    why="Two writers would break the chain of digests. The lock is dropped by the system when its holder ends.",
    example="`protoc run SPEC --resume RUN` twice at the same time",
)
NOT_WRITABLE = Kind(
    id="E1503",
    name="ledger-not-writable",
    severity="error",
    message="the ledger cannot be written: {path}: {reason}",
    hint="choose a folder that can be written with --out, or mend its permissions",
    why="A run records each event before it acts on it; without a ledger that can be written it does not start.",
    example="`protoc run SPEC --out /proc`",
)
DISK_FULL = Kind(
    id="E1504",
    name="ledger-disk-full",
    severity="error",
    message="no room to record an event in {path}: {reason}",
    hint="free some space and continue with --resume; events that were acknowledged are kept",
    why=(
        "An event counts only once it is safely on the disk. When the disk is full the run stops, and nothing that "
        "was not acknowledged is relied on."
    ),
    example="`protoc run SPEC` on a full disk",
)
WRITE_FAILED = Kind(
    id="E1505",
    name="ledger-write-failed",
    severity="error",
    message="an event could not be recorded in {path}: {reason}",
    hint="look at the disk, then continue with --resume; events that were acknowledged are kept",
    why=(
        "After a failed write or flush the system does not say which bytes reached the disk, so the ledger takes no "
        "further event. Opening it again keeps everything that holds."
    ),
    example="a run on a disk that fails",
)
TORN = Kind(
    id="E1506",
    name="ledger-torn",
    severity="error",
    message="the last line of the ledger is cut off ({bytes} bytes without a newline)",
    hint="continue the run with --resume, which mends the end and records that it did",
    why="A crash in the middle of a write leaves a part of a line. A ledger that was closed properly has none.",
    example="cut the last byte off a run's ledger.jsonl, then `protoc verify RUN`",
)
UNREADABLE = Kind(
    id="E1507",
    name="ledger-unreadable",
    severity="error",
    message="the ledger cannot be read: {path}: {reason}",
    hint="check the path; a run's folder holds its ledger.jsonl",
    why="Without its ledger nothing shows what a run did and in which order.",
    example="remove ledger.jsonl from a run, then `protoc verify RUN`",
)

KINDS = (BROKEN, BUSY, NOT_WRITABLE, DISK_FULL, WRITE_FAILED, TORN, UNREADABLE)
