"""Records of a run that are known before it begins: its seal, its subject."""

from __future__ import annotations

from typing import Any

from protoc_runtime.canonical import digest_bytes
from protoc_runtime.git import find_repository
from protoc_runtime.plan import Plan


def seal_facts(made: Plan, now: str) -> dict[str, Any]:
    """What a record of the seal holds. A rehearsal without a seal is rehearsed as if it were sealed now."""
    match = not any(item.severity == "error" for item in made.differences) or not made.seals
    if not made.seals:
        return {"time": now, "files_match": True, "reseals": 0, "commit": None, "clean": None}
    last = made.seals[-1]
    about = {"commit": last.commit, "clean": last.clean}
    return {"time": last.time, "files_match": match, "reseals": len(made.seals) - 1, **about}


def subject_facts(made: Plan) -> dict[str, Any]:
    """The subject's file (of recorded answers: all of them), whether git has it as it is, how many files pinned."""
    subject = made.declared.subject
    if subject is None:
        return {"sha256": digest_bytes(b""), "committed": False, "files": 0}
    target = subject.target.rpartition(":")[0] if subject.kind == "python" else subject.target.rstrip("/")
    own = subject.kind in ("command", "http")  # its code is all that the protocol pins
    pins = [pin for pin in made.pins.code if own or pin.path == target or pin.path.startswith(target + "/")]
    digest = pins[0].sha256 if len(pins) == 1 else digest_bytes("".join(pin.sha256 for pin in pins).encode())
    repository = find_repository(made.folder)
    paths = [made.folder / pin.path for pin in made.pins.code]
    committed = repository is not None and bool(paths) and not repository.unclean(paths)
    return {"sha256": digest, "committed": committed, "files": len(made.pins.code)}
