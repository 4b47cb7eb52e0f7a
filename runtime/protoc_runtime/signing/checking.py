"""What the evidence beside a seal or a receipt is worth to somebody who trusts certain keys and certificates.

Only what was checked against something trusted is called verified. What nobody named a key for is told as being there,
and as not checked.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from protoc_runtime.canonical import digest_bytes
from protoc_runtime.catalogue import signing as kinds
from protoc_runtime.diagnostics import Findings
from protoc_runtime.record import record
from protoc_runtime.signing import dsse, ssh, timestamps
from protoc_runtime.signing.sidecar import DSSE, FILE, SSH, TIMESTAMP, Piece, pieces


@record
class Trust:
    """What a reader trusts: public keys, a file of allowed OpenSSH signers, certificates of time-stamp authorities."""

    keys: tuple[Path, ...] = ()
    signers: Path | None = None
    certificates: tuple[Path, ...] = ()


@record
class Verdict:
    """One piece of evidence: its kind, whether it was verified, by whom or when (ISO, UTC; empty for a token that was
    not read), in words; `digest` is that of its line."""

    kind: str
    verified: bool
    who: str
    time: str
    digest: str

    def told(self, what: str) -> str:
        """In words, never stronger than what was checked."""
        if self.kind == TIMESTAMP and not self.time:
            return f"not checked, and not read without {timestamps.PACKAGE}: there is a time-stamp token over {what}"
        if self.kind == TIMESTAMP:
            said = f"a time-stamp token says that {what} existed at {self.time}"
            if self.verified:
                return f"verified with {self.who}: {said}"
            return f"not verified ({self.who}): {said}" if self.who else f"not checked against any authority: {said}"
        if self.verified:
            return f"verified: {what} is signed by {self.who}"
        return f"not checked: a signature over {what} names {self.who}"


def examine(folder: Path, data: bytes, what: str, trust: Trust, findings: Findings, *, only: bool) -> list[Verdict]:
    """Everything in the folder's file about some data. With `only`, a line about other data is a fault (E2404).

    For everything that is trusted there must be evidence (E2403).
    """
    made = []
    for piece in pieces(folder, what, findings):
        if piece.of != digest_bytes(data):
            if only:
                reason = f"it speaks of {piece.of[:12]}"
                findings.add(kinds.BROKEN, None, line=piece.number, path=folder / FILE, what=what, reason=reason)
            continue
        try:
            made.append(_judge(piece, data, trust))
        except (ValueError, TypeError, AttributeError) as fault:
            findings.add(kinds.BROKEN, None, line=piece.number, path=folder / FILE, what=what, reason=fault)
    for kind, who in _asked(trust):
        if not any(verdict.kind == kind and verdict.verified for verdict in made):
            findings.add(kinds.NOT_SIGNED, None, what=what, who=who)
    return made


def _asked(trust: Trust) -> Iterator[tuple[str, str]]:
    if trust.keys:
        yield DSSE, "the given keys"
    if trust.signers is not None:
        yield SSH, f"the signers in {trust.signers}"
    if trust.certificates:
        yield TIMESTAMP, "the given authorities"


def _judge(piece: Piece, data: bytes, trust: Trust) -> Verdict:
    if piece.kind == DSSE:
        return _signed(piece, data, trust)
    if piece.kind == SSH:
        who = ssh.verified(piece.value, data, trust.signers) if trust.signers is not None else ""
        return Verdict(SSH, bool(who), who or "an OpenSSH key", "", piece.digest)
    answer = piece.answer()
    if not trust.certificates and not timestamps.readable():
        return Verdict(TIMESTAMP, False, "", "", piece.digest)  # nobody asks what it is worth
    time, reasons = timestamps.time_of(answer), []
    for path in trust.certificates:
        reason = timestamps.verified(answer, data, path)
        if not reason:
            return Verdict(TIMESTAMP, True, path.name, time, piece.digest)
        reasons.append(reason)
    return Verdict(TIMESTAMP, False, "; ".join(reasons), time, piece.digest)


def _signed(piece: Piece, data: bytes, trust: Trust) -> Verdict:
    keys = {dsse.key_id(key): path for path in trust.keys for key in [dsse.public_key(path)]}
    known = dsse.verified(piece.value, [dsse.public_key(path) for path in trust.keys], data)
    if known:
        return Verdict(DSSE, True, f"{keys[known[0]].name} (key {known[0][:12]})", "", piece.digest)
    named = ", ".join(name[:12] or "no key" for name in dsse.key_ids(piece.value))
    return Verdict(DSSE, False, f"key {named}", "", piece.digest)
