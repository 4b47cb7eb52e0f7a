"""What can be signed: the last seal of a protocol, or the receipt of a finished run, with that of its final verdict
where people judged; and adding evidence to it."""

from __future__ import annotations

from pathlib import Path

from protoc_runtime import bundle
from protoc_runtime.canonical import read_plain
from protoc_runtime.catalogue import signing as kinds
from protoc_runtime.diagnostics import Findings, Refused
from protoc_runtime.record import record
from protoc_runtime.seal import FILE_NAME, load_seals
from protoc_runtime.seal_format import to_bytes
from protoc_runtime.signing import dsse, ssh, timestamps
from protoc_runtime.signing.sidecar import DSSE, SSH, TIMESTAMP, add


@record
class Target:
    """Bytes that evidence is about: `folder` is where their `signatures.jsonl` is, `what` they are in words."""

    folder: Path
    data: bytes
    what: str


def targets(path: Path) -> tuple[Target, ...]:
    """The receipt of a finished run in this folder, with that of its final verdict, else the last seal beside this
    protocol. Raises `Refused` (E2405, E1103)."""
    folder = path if path.is_dir() else path.parent
    if (folder / bundle.RECEIPT).is_file() and not folder.name.endswith(bundle.UNFINISHED):
        final = folder / bundle.STAGES[-1]
        stages = ((folder, f"the receipt of {folder.name}"), (final, f"the final verdict of {folder.name}"))
        receipts = ((place, place / bundle.RECEIPT, what) for place, what in stages)
        return tuple(Target(place, read_plain(data), what) for place, data, what in receipts if data.is_file())
    seals = load_seals(folder / FILE_NAME)
    if not seals:
        raise Refused([Findings().add(kinds.NOTHING, None, target=path)])
    return (Target(folder, to_bytes(seals[-1]), f"the seal {seals[-1].digest[:12]}"),)


def sign_target(on: Target, *, key: Path | None, ssh_key: Path | None, url: str | None) -> list[str]:
    """Add the evidence that is asked for; what was added, in words. Raises `Refused` (E2401, E2402, E2406), OSError."""
    made = []
    if key is not None:
        private = dsse.private_key(key)
        add(on.folder, DSSE, on.data, dsse.sign(private, on.data))
        made.append(f"{on.what} is signed with key {dsse.key_id(private.public_key())}")
    if ssh_key is not None:
        add(on.folder, SSH, on.data, ssh.sign(ssh_key, on.data))
        made.append(f"{on.what} is signed with the OpenSSH key {ssh_key.name}")
    if url is not None:
        answer = timestamps.request(url, on.data)
        add(on.folder, TIMESTAMP, on.data, answer)
        made.append(f"{url} states that {on.what} existed at {timestamps.time_of(answer)}")
    return made
