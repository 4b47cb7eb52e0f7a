"""A time-stamp authority for tests: `openssl ts` behind HTTP on the loopback address, with keys made at run time."""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

CONFIG = """[tsa]
default_tsa = tsa_config
[tsa_config]
serial = {folder}/serial
signer_digest = sha256
default_policy = 1.2.3.4.1
digests = sha256, sha512
accuracy = secs:1
ess_cert_id_alg = sha256
"""
Key = ec.EllipticCurvePrivateKey


class Authority:
    """`root` is the certificate that a reader trusts; `spoil` makes the answers wrong."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self.folder, self.root, self.url, self.spoil = folder, folder / "root.pem", "", ""
        self._kept: bytes = b""
        root_key, key = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
        root = _certificate("root", root_key, "root", root_key, authority=True)
        signer = _certificate("tsa", key, "root", root_key, authority=False)
        _write(self.root, root.public_bytes(serialization.Encoding.PEM))
        _write(folder / "signer.pem", signer.public_bytes(serialization.Encoding.PEM))
        plain = serialization.NoEncryption()
        _write(folder / "key", key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, plain))
        (folder / "serial").write_text("01\n")
        (folder / "tsa.cnf").write_text(CONFIG.format(folder=folder))

    def answer(self, query: bytes) -> bytes:
        """The answer of `openssl ts`, or the spoiled one."""
        if self.spoil == "replay" and self._kept:
            return self._kept
        (self.folder / "query").write_bytes(query)
        about = ["-signer", "signer.pem", "-inkey", "key", "-config", "tsa.cnf", "-section", "tsa_config"]
        command = ["openssl", "ts", "-reply", "-queryfile", "query", *about, "-out", "answer"]
        subprocess.run(command, cwd=self.folder, check=True, capture_output=True, timeout=60)
        self._kept = (self.folder / "answer").read_bytes()
        return b"no token" if self.spoil == "nonsense" else self._kept


@contextmanager
def authority(folder: Path) -> Iterator[Authority]:
    """An authority that answers until the block ends."""
    made = Authority(folder)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            query = self.rfile.read(int(self.headers["Content-Length"]))
            answer = made.answer(query)
            self.send_response(503 if made.spoil == "down" else 200)
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    made.url = f"http://127.0.0.1:{server.server_port}/"
    try:
        yield made
    finally:
        server.shutdown()
        server.server_close()
        thread.join(10)


def _certificate(name: str, key: Key, issuer: str, issuer_key: Key, *, authority: bool) -> x509.Certificate:
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)]))
        .issuer_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, issuer)]))
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=30))
        .add_extension(x509.BasicConstraints(ca=authority, path_length=None), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(issuer_key.public_key()), critical=False)
    )
    if authority:
        usage = x509.KeyUsage(False, False, False, False, False, True, True, False, False)
        made = made.add_extension(usage, critical=True)
    else:
        made = made.add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.TIME_STAMPING]), critical=True)
        usage = x509.KeyUsage(True, False, False, False, False, False, False, False, False)
        made = made.add_extension(usage, critical=True)
    return made.sign(issuer_key, hashes.SHA256())


def _write(path: Path, data: bytes) -> None:
    path.write_bytes(data)
    path.chmod(0o600)
