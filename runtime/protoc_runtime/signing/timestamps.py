"""Time-stamp tokens of RFC 3161: an authority states that data existed at a time, without seeing it."""

from __future__ import annotations

from datetime import UTC
from pathlib import Path
from typing import Any

from protoc_runtime.catalogue import signing as kinds
from protoc_runtime.diagnostics import Findings, Refused

PACKAGE = "the package rfc3161-client"
_EXTRA = "pip install 'evalprotoc[timestamp]'"
_SECONDS = 30
_LARGEST = 1 << 20  # bytes of an answer


def request(url: str, data: bytes) -> bytes:
    """The answer of an authority at a URL for the SHA-256 of data, as it came; it is one for this data and nonce.

    Raises `Refused`: E2401 without the package, E2406 where the authority gives no token for this data.
    """
    client = _client()
    import httpx

    asked = client.TimestampRequestBuilder(data=data, hash_algorithm=client.HashAlgorithm.SHA256).build()
    try:
        answer = httpx.post(
            url, content=asked.as_bytes(), headers={"Content-Type": "application/timestamp-query"},
            timeout=_SECONDS, follow_redirects=False,
        )  # fmt: skip
    except (httpx.HTTPError, httpx.InvalidURL) as fault:
        raise _no_token(url, f"{type(fault).__name__}: {fault}") from None
    if answer.status_code != 200 or len(answer.content) > _LARGEST:
        raise _no_token(url, f"HTTP status {answer.status_code}, {len(answer.content)} bytes")
    try:
        token = client.decode_timestamp_response(answer.content)
        nonce, held = token.tst_info.nonce, token.tst_info.message_imprint.message
    except (ValueError, TypeError) as fault:
        raise _no_token(url, f"what it answered is no token: {fault}") from None
    if nonce != asked.nonce or held != asked.message_imprint.message:
        raise _no_token(url, "its token is for another request")
    return answer.content


def readable() -> bool:
    """Whether the package is here that reads tokens."""
    try:
        _client()
    except Refused:
        return False
    return True


def time_of(answer: bytes) -> str:
    """When a token says that its data existed (UTC, ISO, microseconds), unchecked. Raises ValueError, `Refused`."""
    moment = _client().decode_timestamp_response(answer).tst_info.gen_time
    return str(moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ"))


def verified(answer: bytes, data: bytes, certificates: Path) -> str:
    """Why a token is not one of a trusted authority for data; "" where it is.

    `certificates`: a PEM file; self-signed ones are trusted roots, the others may stand between.
    """
    client = _client()
    from cryptography import x509

    try:
        loaded = x509.load_pem_x509_certificates(certificates.read_bytes())
    except (OSError, ValueError) as fault:
        raise Refused([Findings().add(kinds.BAD_KEY, None, path=certificates, reason=fault)]) from None
    builder = client.VerifierBuilder(
        roots=[each for each in loaded if each.issuer == each.subject],
        intermediates=[each for each in loaded if each.issuer != each.subject],
    )
    try:
        builder.build().verify_message(client.decode_timestamp_response(answer), data)
    except (client.VerificationError, ValueError, TypeError) as fault:
        return str(fault) or type(fault).__name__
    return ""


def _client() -> Any:
    try:
        import rfc3161_client
    except ImportError:
        what = f"time stamps need {PACKAGE}"
        raise Refused([Findings().add(kinds.NO_EXTRA, None, what=what, hint=_EXTRA)]) from None
    return rfc3161_client


def _no_token(url: str, reason: str) -> Refused:
    return Refused([Findings().add(kinds.NO_TOKEN, None, url=url, reason=reason)])
