"""What is left when a run is killed in the middle of its calls, and what its own processes can see of it."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import shutil
import signal
import ssl
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import httpx
import pytest

from protoc_runtime.ledger import Ledger, read_events
from protoc_runtime.providers.attempts import AttemptLog
from protoc_runtime.providers.rows import attempt_rows, calls
from protoc_runtime.providers.transport import StreamTransport
from providers.conformance import Server, answer, slow
from providers.running import address, declared, gateway, post

HERE = Path(__file__).parent
CASES = [f"c{number}" for number in range(12)]


def child(folder: Path, url: str) -> None:
    """Calls without end, for twelve cases at once; it says when it has begun."""
    import threading

    with gateway(folder, declared(url, concurrency=8)) as made:

        def call(case: str) -> None:
            number = 0
            while True:
                number += 1
                post(address(made, case), {"model": "m-1", "input": f"{case} {number}"})

        for case in CASES:
            threading.Thread(target=call, args=(case,), daemon=True).start()
        print("begun", flush=True)
        time.sleep(60)


@pytest.mark.parametrize("after", [0.15, 0.4, 0.7])
def test_every_request_that_was_sent_is_in_the_ledger_of_a_killed_run(tmp_path, after):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([*sys.path, str(HERE.parent)])}
    with Server(slow(0.01)) as server:
        words = [sys.executable, __file__, str(tmp_path), server.url]
        with subprocess.Popen(words, stdout=subprocess.PIPE, env=environment) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == b"begun\n"
            while not server.asked:
                time.sleep(0.01)
            time.sleep(after)
            process.send_signal(signal.SIGKILL)
        time.sleep(0.1)
        sent = Counter(json.loads(asked.body)["input"].split()[0] for asked in server.asked)
    with Ledger.open(tmp_path / "ledger.jsonl") as ledger:  # mends an end that was cut off
        log = AttemptLog(ledger)
        assert log.next_call("embedding", "c0") > sent["c0"]
    rows = attempt_rows(read_events(tmp_path / "ledger.jsonl"), "embedding", {case: case for case in CASES})
    held = Counter(row["case"] for row in rows)
    assert sum(sent.values()) > 0
    assert all(held[case] >= sent[case] for case in CASES)
    assert sum(held.values()) - sum(sent.values()) <= 8  # begun, not yet sent
    unfinished = [row for row in rows if row["error"] == "unfinished"]
    assert all(row["wall"] is None and row["status"] is None and not row["acceptable"] for row in unfinished)
    finished = len(rows) - len(unfinished)
    told = calls(read_events(tmp_path / "ledger.jsonl"), "embedding")
    assert told.attempts == len(rows)
    assert told.cost.get("total_tokens", 0) == 3 * finished


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_other_processes_cannot_read_the_runner(tmp_path):
    """As another user than root, because root reads everything."""
    if os.geteuid() != 0:
        pytest.skip("only root can become another user")
    program = (
        "import ctypes, os, subprocess, sys\n"
        "from protoc_runtime.providers.hiding import hidden_process\n"
        "os.setgid(65534); os.setuid(65534)\n"
        "ctypes.CDLL(None).prctl(4, 1)\n"  # as a process is that was started by this user
        "ask = ['cat', f'/proc/{os.getpid()}/environ']\n"
        "print(b'SECRET_OF_TEST=x' in subprocess.run(ask, capture_output=True).stdout)\n"
        "with hidden_process():\n"
        "    done = subprocess.run(ask, capture_output=True)\n"
        "    print(done.returncode, b'SECRET_OF_TEST' in done.stdout)\n"
        "print(b'SECRET_OF_TEST=x' in subprocess.run(ask, capture_output=True).stdout)\n"
    )
    environment = {"PATH": os.environ["PATH"], "SECRET_OF_TEST": "x", "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, cwd="/")
    assert done.stdout.split() == ["True", "1", "False", "True"], done.stderr


@pytest.fixture
def certificate(tmp_path):
    """A certificate for localhost that nobody has signed."""
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not installed")
    key, made = tmp_path / "key.pem", tmp_path / "certificate.pem"
    words = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"]
    words += ["-addext", "subjectAltName=DNS:localhost", "-keyout", str(key), "-out", str(made)]
    subprocess.run(words, check=True, capture_output=True)
    return key, made


def test_encrypted_connections(certificate):
    key, made = certificate
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(made, key)

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
            await reader.readuntil(b"\r\n\r\n")
            await answer()(writer, None)
        writer.close()

    async def call(url: str, transport: StreamTransport) -> int:
        async with httpx.AsyncClient(transport=transport, trust_env=False) as client:
            return (await client.get(url)).status_code

    async def both() -> int:
        server = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=context)
        port = server.sockets[0].getsockname()[1]
        trusting = StreamTransport(ssl.create_default_context(cafile=str(made)))
        status = await call(f"https://localhost:{port}/", trusting)
        with pytest.raises(httpx.ConnectError):  # nobody whom the system trusts has signed it
            await call(f"https://localhost:{port}/", StreamTransport())
        with pytest.raises(httpx.ConnectError):  # it is for another name
            await call(f"https://127.0.0.1:{port}/", trusting)
        server.close()
        return status

    assert asyncio.run(both()) == 200


if __name__ == "__main__":
    child(Path(sys.argv[1]), sys.argv[2])
