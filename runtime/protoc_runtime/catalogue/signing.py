"""Faults of signatures and time stamps over seals and receipts."""

from __future__ import annotations

from protoc_runtime.diagnostics import Kind


def _kind(id_: str, name: str, message: str, hint: str, why: str, example: str) -> Kind:
    return Kind(id_, name, "error", message, hint, why, example)


NO_EXTRA = _kind(
    "E2401",
    "signing-not-installed",
    "{what}",
    "{hint}",
    "Signatures and time stamps are extras: a protocol can be run and verified without them, only with weaker words in "
    "its receipt.",
    "`protoc sign SPEC --key KEY` without the extra `sign`",
)
BAD_KEY = _kind(
    "E2402",
    "key-unusable",
    "the key or certificate {path} cannot be used: {reason}",
    "`openssl genpkey -algorithm ed25519` makes a key that can; without a passphrase, outside of the repository",
    "Envelopes are signed with Ed25519, and what is given as trusted must be readable: a check that silently trusts "
    "nothing would look like one that found nothing.",
    "`protoc sign SPEC --key README.md`",
)
NOT_SIGNED = _kind(
    "E2403",
    "not-signed",
    "no signature or time stamp over {what} is one of {who}",
    "ask the author for signatures.jsonl, or for the key or certificate that belongs to it",
    "Whoever names a trusted key, signer or authority asks for evidence by just these. A signature by another key, "
    "over other bytes, or a token of another authority is none.",
    "`protoc verify RUN --key OTHER.pub`",
)
BROKEN = _kind(
    "E2404",
    "signature-broken",
    "line {line} of {path} is no evidence for {what}: {reason}",
    "restore the file; `protoc sign` adds evidence anew",
    "What stands in signatures.jsonl speaks of exactly one seal or receipt. A line that speaks of other bytes, or that "
    "cannot be read, was damaged or moved.",
    "copy signatures.jsonl from one run into another, then `protoc verify RUN`",
)
NOTHING = _kind(
    "E2405",
    "nothing-to-sign",
    "{target} holds neither a seal nor a finished run",
    "name the folder of a sealed protocol, or the folder that `protoc run` printed",
    "A signature is over the last seal of a protocol, or over the receipt of a finished run.",
    "`protoc sign .`",
)
NO_TOKEN = _kind(
    "E2406",
    "no-time-stamp",
    "the authority {url} gave no time-stamp token: {reason}",
    "try again later, or another authority; nothing was added",
    "A token counts only if it is for this very request: the digest and the random number that were sent.",
    "`protoc sign SPEC --timestamp http://127.0.0.1:9`",
)

KINDS: tuple[Kind, ...] = tuple(value for value in list(globals().values()) if isinstance(value, Kind))
