"""The secret scan of a bundle: exact values that the runner loaded, and a small set of typed rules.

A finding names file, line, rule and a digest, never the secret. Rules look for things that have a form of their own
(private keys, authorization and cookie headers, well-known token prefixes), so that digests, ids and prose do not
alarm. Files are read in pieces that overlap, whatever their size.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from protoc_runtime.credentials import forms
from protoc_runtime.record import record

PIECE = 1 << 20
OVERLAP = 1 << 13  # longer than anything that a rule matches

# a header's value that is only a placeholder is no secret
_PLACEHOLDER = re.compile(rb"(?i)^[\"']?\s*(?:<[^>]*>|\[redacted[^\]]*\]|\*+|\.{3}|x{3,}|\$\{?\w+\}?|none|null)")
RULES: dict[str, re.Pattern[bytes]] = {
    "private key": re.compile(rb"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY-----"),
    "authorization header": re.compile(
        rb"(?i)\b(?:proxy-)?authorization[\"']?\s*[:=]\s*[\"']?(?:bearer|basic|token|digest)\s+([A-Za-z0-9._~+/=-]{8,512})"
    ),
    "bearer token": re.compile(rb"(?i)\bbearer\s+([A-Za-z0-9._~+/=-]{20,512})"),
    "cookie header": re.compile(
        rb"(?i)(?:^|[\s\"'{,])(?:set-)?cookie[\"']?\s*:\s*[\"']?([\w.-]{1,64}=[^;\s\"']{8,512})"
    ),
    "api key header": re.compile(rb"(?i)\b(?:x-)?api[-_]?key[\"']?\s*[:=]\s*[\"']?([A-Za-z0-9._~+/=-]{16,512})"),
    "provider key": re.compile(rb"\b(?:sk|rk|pk)-(?:[a-z]+-){0,3}[A-Za-z0-9_-]{20,256}"),
    "cloud access key": re.compile(rb"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b"),
    "code host token": re.compile(rb"\b(?:gh[pousr]_[A-Za-z0-9]{36,255}|glpat-[A-Za-z0-9_-]{20,64})\b"),
    "signed token": re.compile(rb"\beyJ[A-Za-z0-9_-]{8,1024}\.eyJ[A-Za-z0-9_-]{8,4096}\.[A-Za-z0-9_-]{16,1024}"),
    "password in an address": re.compile(rb"\b[a-z][a-z0-9+.-]{1,16}://[^\s/:@\"']{1,64}:([^\s/@\"']{4,256})@[\w.-]+"),
}

# what each match contains, in lower case: data without any of these is not searched for the rule
NEEDLES: dict[str, tuple[bytes, ...]] = {
    "private key": (b"private key-----",),
    "authorization header": (b"authorization",),
    "bearer token": (b"bearer",),
    "cookie header": (b"cookie",),
    "api key header": (b"apikey", b"api-key", b"api_key"),
    "provider key": (b"sk-", b"rk-", b"pk-"),
    "cloud access key": (b"akia", b"asia"),
    "code host token": (b"ghp_", b"gho_", b"ghu_", b"ghs_", b"ghr_", b"glpat-"),
    "signed token": (b".eyj",),
    "password in an address": (b"://",),
}


@record
class Found:
    """One finding; `sha256` is of the bytes that matched."""

    file: str
    line: int
    rule: str
    sha256: str

    def told(self) -> str:
        """For people: where it stands, without what it is."""
        return f"{self.file}:{self.line}: {self.rule} (sha256 {self.sha256[:12]})"


def scan_folder(folder: Path, secrets: Mapping[str, str], paths: Iterable[str] | None = None) -> list[Found]:
    """Every finding in the files below a folder (or in the named ones), by file, line and rule."""
    names = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    chosen = names if paths is None else sorted(paths)
    known = {form: f"the value of {name}" for name, value in secrets.items() for form in forms(value)}
    return [found for name in chosen for found in _scan_file(folder / name, name, known)]


def scan_bytes(data: bytes, name: str, secrets: Mapping[str, str]) -> list[Found]:
    """Every finding in one piece of text that is not a file yet."""
    known = {form: f"the value of {label}" for label, value in secrets.items() for form in forms(value)}
    return _unique(
        Found(name, data.count(b"\n", 0, at) + 1, rule, _digest(hit)) for at, rule, hit in _hits(data, known)
    )


def _scan_file(path: Path, name: str, known: Mapping[bytes, str]) -> list[Found]:
    found, line, tail = [], 1, b""
    with path.open("rb") as stream:
        while piece := stream.read(PIECE):
            data = tail + piece
            for at, rule, hit in _hits(data, known):
                found.append(Found(name, line + data.count(b"\n", 0, at), rule, _digest(hit)))
            tail = data[-OVERLAP:]
            line += data.count(b"\n", 0, len(data) - len(tail))
    return _unique(found)


def _hits(data: bytes, known: Mapping[bytes, str]) -> Iterator[tuple[int, str, bytes]]:
    for form, rule in known.items():
        at = data.find(form)
        while at >= 0:
            yield at, rule, form
            at = data.find(form, at + 1)
    folded = data.lower()
    for rule, pattern in RULES.items():
        if not any(needle in folded for needle in NEEDLES[rule]):
            continue
        for match in pattern.finditer(data):
            value = match.group(1) if pattern.groups else match.group(0)
            if not _PLACEHOLDER.match(value):
                yield match.start(), rule, match.group(0)


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _unique(found: Iterable[Found]) -> list[Found]:
    return sorted(set(found), key=lambda item: (item.file, item.line, item.rule, item.sha256))
