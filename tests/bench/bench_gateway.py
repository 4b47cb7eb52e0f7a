"""Calls per second to a provider that answers 1,536 numbers after 20 ms, against a bare socket client of the same run.

Rows per concurrency: `sockets` (asyncio streams, keep-alive, nothing recorded, the numbers read with `json.loads`),
`unread` (the same, but the answer is thrown away as bytes), `client` (the client of a run in one process: httpx
interface, acceptance, ledger), `gateway` (the first client through the gateway, which does all that). The provider, the
gateway and the sockets are processes of their own. On a machine with other work ratios say little: the load is told.

Run: `PYTHONPATH=compiler:runtime python tests/bench/bench_gateway.py [CALLS]`; prints one JSON document.
"""

from __future__ import annotations

import asyncio
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from fractions import Fraction
from pathlib import Path

import httpx

from protoc_runtime.canonical import digest_bytes
from protoc_runtime.ledger import Ledger, check_chain
from protoc_runtime.procedure import Answer, Provider, Retry
from protoc_runtime.providers.access import access
from protoc_runtime.providers.attempts import AttemptLog
from protoc_runtime.providers.client import Client
from protoc_runtime.providers.exchange import Asked
from protoc_runtime.providers.gateway import Gateway
from protoc_runtime.providers.transport import StreamTransport

NUMBERS, DELAY = 1536, 0.020
VECTOR = [round(-0.5 + number / 1999, 8) for number in range(NUMBERS)]
ANSWER = json.dumps({"object": "list", "model": "bench", "data": [{"index": 0, "embedding": VECTOR}],
                     "usage": {"prompt_tokens": 8, "total_tokens": 8}}).encode()  # fmt: skip
REQUEST = json.dumps({"model": "bench", "input": "how is variance related to bias"}).encode()


async def _answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    head = f"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {len(ANSWER)}\r\n\r\n".encode()
    try:
        while True:
            asked = await reader.readuntil(b"\r\n\r\n")
            length = int(asked.lower().partition(b"content-length:")[2].partition(b"\r\n")[0])
            await reader.readexactly(length)
            await asyncio.sleep(DELAY)
            writer.write(head + ANSWER)
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        writer.close()


async def provider() -> None:
    """The provider's process: prints its port, then answers for ever."""
    server = await asyncio.start_server(_answer, "127.0.0.1", 0, backlog=1024)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


def declared(port: int, concurrency: int) -> Provider:
    """The provider as a protocol declares it."""
    retry = Retry(("429", "5xx"), 2, (Fraction(1), Fraction(2)))
    return Provider(
        "embedding", "POST", "/v1/embeddings", f"http://127.0.0.1:{port}", "", "BENCH_KEY", "bench",
        Answer(dimension=NUMBERS, finite=True), retry, Fraction(20), concurrency, Fraction(0), "digests", False,
    )  # fmt: skip


def gateway(port: int, concurrency: int) -> None:
    """The gateway's process: prints the address of a case, then serves until its input ends."""
    with tempfile.TemporaryDirectory() as place:
        ledger = Ledger.open(Path(place) / "ledger.jsonl")
        served = Gateway((declared(port, concurrency),), ledger, {"BENCH_KEY": "of-no-value"}, Path(place))
        served.start()
        print(served.environment_for("c1")["PROTOC_EMBEDDING_URL"], flush=True)
        sys.stdin.read()
        served.close()
        ledger.close()
        assert not check_chain(ledger.path).failed


async def _sockets(port: int, path: str, concurrency: int, calls: int, read: bool = True) -> float:
    """Calls per second of bare asyncio streams; `read` parses the numbers, as whoever asked for them would."""
    request = (
        f"POST {path} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: {len(REQUEST)}\r\n\r\n"
    )
    data, left = request.encode() + REQUEST, calls

    async def work() -> None:
        nonlocal left
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        while left > 0:
            left -= 1
            writer.write(data)
            head = await reader.readuntil(b"\r\n\r\n")
            assert head.startswith(b"HTTP/1.1 200"), head
            body = await reader.readexactly(int(head.lower().partition(b"content-length:")[2].partition(b"\r\n")[0]))
            assert not read or len(json.loads(body)["data"][0]["embedding"]) == NUMBERS
            assert len(body) == len(ANSWER)
        writer.close()

    started = time.perf_counter()
    await asyncio.gather(*[work() for _ in range(concurrency)])
    return calls / (time.perf_counter() - started)


class _Nobody:
    async def start(self, status: int, headers: object) -> None:
        raise AssertionError("no answer is streamed here")

    async def write(self, part: bytes) -> None:
        raise AssertionError("no answer is streamed here")

    def gone(self) -> bool:
        return False


async def _client(port: int, concurrency: int, calls: int, transport: httpx.AsyncBaseTransport) -> float:
    """Calls per second of a run's client over a transport, ledger included."""
    with tempfile.TemporaryDirectory() as place, Ledger.open(Path(place) / "ledger.jsonl") as ledger:
        made = declared(port, concurrency)
        client = Client(made, access(made, {"BENCH_KEY": "of-no-value"}), AttemptLog(ledger), transport)
        left = calls

        async def work(case: str) -> None:
            nonlocal left
            while left > 0:
                left -= 1
                answered = await client.call(Asked(case, REQUEST, digest_bytes(REQUEST), (), "bench", 1), _Nobody())
                assert answered.error is None, answered

        started = time.perf_counter()
        await asyncio.gather(*[work(f"c{number}") for number in range(concurrency)])
        took = time.perf_counter() - started
        await transport.aclose()
    return calls / took


def _through(port: int, concurrency: int, calls: int) -> float:
    words = [sys.executable, __file__, "--gateway", str(port), str(concurrency)]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        its_port, _, path = address.removeprefix("http://127.0.0.1:").partition("/")
        rate = asyncio.run(_sockets(int(its_port), f"/{path}/v1/embeddings", concurrency, calls))
        process.communicate("")
    assert process.returncode == 0
    return rate


def _best(measure: Callable[[], float], times: int = 2) -> float:
    return round(max(measure() for _ in range(times)), 1)


def measured(port: int, concurrency: int, calls: int) -> dict[str, float]:
    """The rates and ratios at one concurrency."""

    def run(made: Callable[[], Awaitable[float]]) -> float:
        return _best(lambda: asyncio.run(made()))  # type: ignore[arg-type]

    sockets = run(lambda: _sockets(port, "/v1/embeddings", concurrency, calls))
    unread = run(lambda: _sockets(port, "/v1/embeddings", concurrency, calls, read=False))
    client = run(lambda: _client(port, concurrency, calls, StreamTransport()))
    through = _best(lambda: _through(port, concurrency, calls))
    figures = {"sockets": sockets, "unread": unread, "client": client, "gateway": through}
    ratios = {f"{name} / {base}": round(figures[name] / figures[base], 3)
              for base in ("sockets", "unread") for name in ("client", "gateway")}  # fmt: skip
    return {**figures, **ratios}


def main(calls: int) -> None:
    """Measure and print."""
    with subprocess.Popen([sys.executable, __file__, "--provider"], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        port = int(process.stdout.readline())
        try:
            figures = {str(concurrency): measured(port, concurrency, calls) for concurrency in (32, 256)}
        finally:
            process.kill()
    about = {"python": platform.python_version(), "cpus": os.cpu_count(), "load": os.getloadavg()[0], "calls": calls}
    print(json.dumps({"about": about, "concurrency": figures}, indent=2))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--provider"]:
        asyncio.run(provider())
    elif sys.argv[1:2] == ["--gateway"]:
        gateway(int(sys.argv[2]), int(sys.argv[3]))
    else:
        main(int(sys.argv[1]) if len(sys.argv) > 1 else 3000)
