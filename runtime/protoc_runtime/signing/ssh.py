"""Signatures by `ssh-keygen -Y`, where it is installed: the keys that people already have, also in an agent."""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

from protoc_runtime.catalogue import signing as kinds
from protoc_runtime.diagnostics import Findings, Refused

NAMESPACE = "evalprotoc"
_SECONDS = 60


def sign(key: Path, data: bytes) -> str:
    """The signature of data by the private key (or the public one, whose private one an agent holds). Raises `Refused`
    (E2401 without ssh-keygen, E2402 where it refuses)."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "data")
        path.write_bytes(data)
        done = _run("-Y", "sign", "-f", str(key.absolute()), "-n", NAMESPACE, str(path))
        if done.returncode != 0:
            reason = done.stderr.decode("utf-8", "replace").strip().splitlines()
            raise Refused([Findings().add(kinds.BAD_KEY, None, path=key, reason=reason[-1] if reason else "refused")])
        return path.with_name("data.sig").read_text(encoding="ascii")


def verified(signature: str, data: bytes, signers: Path) -> str:
    """Which of the allowed signers (a file as for `ssh-keygen -Y verify`) has signed data; "" if none has."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "data.sig")
        path.write_text(signature, encoding="utf-8")
        allowed = str(signers.absolute())
        found = _run("-Y", "find-principals", "-s", str(path), "-f", allowed)
        for name in found.stdout.decode("utf-8", "replace").split():
            done = _run("-Y", "verify", "-f", allowed, "-I", name, "-n", NAMESPACE, "-s", str(path), given=data)
            if done.returncode == 0:
                return name
    return ""


def _run(*arguments: str, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    command = ["ssh-keygen", *arguments]
    environment = {"PATH": "/usr/local/bin:/usr/bin:/bin", "LC_ALL": "C", **_agent()}
    try:
        return subprocess.run(  # noqa: S603 - a fixed program; paths are absolute or ours
            command, input=given, capture_output=True, timeout=_SECONDS, check=False, env=environment
        )
    except FileNotFoundError:
        what, hint = "this signature needs ssh-keygen", "install OpenSSH 8.9 or newer"
    except subprocess.TimeoutExpired:
        what, hint = f"ssh-keygen did not end within {_SECONDS} s", "use a key without a passphrase, or an agent"
    raise Refused([Findings().add(kinds.NO_EXTRA, None, what=what, hint=hint)])


def _agent() -> dict[str, str]:
    import os

    return {name: os.environ[name] for name in ("SSH_AUTH_SOCK",) if name in os.environ}
