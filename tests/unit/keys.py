"""Ed25519 keys for tests, made at run time."""

from __future__ import annotations

from pathlib import Path

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

PEM, NONE = serialization.Encoding.PEM, serialization.NoEncryption()


def key_files(folder: Path, name: str) -> tuple[Path, Path]:
    """A new private key and its public one."""
    key = Ed25519PrivateKey.generate()
    private, public = folder / name, folder / f"{name}.pub"
    private.write_bytes(key.private_bytes(PEM, serialization.PrivateFormat.PKCS8, NONE))
    private.chmod(0o600)
    public.write_bytes(key.public_key().public_bytes(PEM, serialization.PublicFormat.SubjectPublicKeyInfo))
    return private, public
