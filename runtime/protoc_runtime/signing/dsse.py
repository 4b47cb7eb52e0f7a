"""Dead Simple Signing Envelope (DSSE 1.0): what is signed is the payload together with its type.

Keys are Ed25519 for signing; for verification ECDSA over P-256 with SHA-256 as well, with signatures as r and s in a
row or in DER. The key id is the SHA-256 of the public key (SubjectPublicKeyInfo, DER); a hint, which decides nothing.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from protoc_runtime.catalogue import signing as kinds
from protoc_runtime.diagnostics import Findings, Refused

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

IN_TOTO = "application/vnd.in-toto+json"
_EXTRA = "pip install 'evalprotoc[sign]'"


def pae(payload_type: str, payload: bytes) -> bytes:
    """The pre-authentication encoding: the bytes that are signed."""
    kind = payload_type.encode("utf-8")
    return b"DSSEv1 %d %b %d %b" % (len(kind), kind, len(payload), payload)


def sign(key: Ed25519PrivateKey, payload: bytes, payload_type: str = IN_TOTO) -> dict[str, Any]:
    """An envelope with one signature."""
    signature = {"keyid": key_id(key.public_key()), "sig": _base64(key.sign(pae(payload_type, payload)))}
    return {"payload": _base64(payload), "payloadType": payload_type, "signatures": [signature]}


def verified(envelope: Mapping[str, Any], keys: Iterable[Any], payload: bytes) -> tuple[str, ...]:
    """The ids of those keys that have signed exactly this payload. Raises ValueError where it is no envelope."""
    try:
        kind = str(envelope["payloadType"])
        held = base64.b64decode(envelope["payload"], validate=True)
        signatures = [base64.b64decode(entry["sig"], validate=True) for entry in envelope["signatures"]]
    except (KeyError, TypeError, ValueError) as fault:
        raise ValueError(f"it is no DSSE envelope ({type(fault).__name__}: {fault})") from None
    if held != payload:
        return ()
    signed = pae(kind, payload)
    return tuple(key_id(key) for key in keys if any(_fits(key, signature, signed) for signature in signatures))


def key_ids(envelope: Mapping[str, Any]) -> tuple[str, ...]:
    """What the envelope says of its keys, unchecked."""
    return tuple(str(entry.get("keyid", "")) for entry in envelope.get("signatures", ()))


def private_key(path: Path) -> Ed25519PrivateKey:
    """The Ed25519 key of a PEM or OpenSSH file without a passphrase. Raises `Refused` (E2401, E2402)."""
    serialization = _serialization()
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    data = _read(path)
    try:
        opening = b"-----BEGIN OPENSSH"
        load = serialization.load_ssh_private_key if opening in data else serialization.load_pem_private_key
        key = load(data, password=None)
    except (ValueError, TypeError) as fault:
        raise _bad_key(path, str(fault).partition(". ")[0]) from None
    if not isinstance(key, Ed25519PrivateKey):
        raise _bad_key(path, "it is no Ed25519 key")
    return key


def public_key(path: Path) -> Any:
    """The public key of a PEM file or of a line as OpenSSH writes it. Raises `Refused` (E2401, E2402)."""
    serialization = _serialization()
    data = _read(path)
    try:
        if data.startswith((b"ssh-", b"ecdsa-")):
            return serialization.load_ssh_public_key(data)
        return serialization.load_pem_public_key(data)
    except (ValueError, TypeError) as fault:
        raise _bad_key(path, str(fault).partition(". ")[0]) from None


def key_id(key: Any) -> str:
    """The SHA-256 of a public key, in hex."""
    serialization = _serialization()
    info = serialization.PublicFormat.SubjectPublicKeyInfo
    return hashlib.sha256(key.public_bytes(serialization.Encoding.DER, info)).hexdigest()


def _fits(key: Any, signature: bytes, signed: bytes) -> bool:
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePublicKey
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        if isinstance(key, Ed25519PublicKey):
            key.verify(signature, signed)
        elif isinstance(key, EllipticCurvePublicKey):
            _verify_ecdsa(key, signature, signed)
        else:
            return False
    except InvalidSignature:
        return False
    return True


def _verify_ecdsa(key: Any, signature: bytes, signed: bytes) -> None:
    from cryptography.hazmat.primitives.asymmetric.ec import ECDSA
    from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
    from cryptography.hazmat.primitives.hashes import SHA256

    if len(signature) == 64:
        numbers = (int.from_bytes(half, "big") for half in (signature[:32], signature[32:]))
        signature = encode_dss_signature(*numbers)
    key.verify(signature, signed, ECDSA(SHA256()))


def _serialization() -> Any:
    try:
        from cryptography.hazmat.primitives import serialization
    except ImportError:
        what = "signatures need the package cryptography"
        raise Refused([Findings().add(kinds.NO_EXTRA, None, what=what, hint=_EXTRA)]) from None
    return serialization


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise _bad_key(path, error.strerror or str(error)) from None


def _bad_key(path: Path, reason: str) -> Refused:
    return Refused([Findings().add(kinds.BAD_KEY, None, path=path, reason=reason)])


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")
