"""Calls per second to a provider that answers 1,536 numbers after 20 ms, against a bare socket client of the same run.

Per concurrency: `sockets` (asyncio streams, keep-alive, nothing recorded, the numbers read with `json.loads`), `client`
(the client of a run in one process: httpx interface, acceptance, ledger), `gateway` (the first client through the
gateway, which does all that). The provider, the gateway and the sockets are processes of their own.

Run: `python tests/bench/bench_gateway.py [--quick] [--rounds N]`. Rates of one round are compared with each other, and
the medians of these ratios are told: what else the machine does hits all of a round.
"""

from __future__ import annotations

import asyncio
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path

import httpx
from common import Figure, Size, show

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


async def _sockets(port: int, path: str, concurrency: int, calls: int) -> float:
    """Calls per second of bare asyncio streams; the numbers are parsed, as whoever asked for them would."""
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
            assert len(json.loads(body)["data"][0]["embedding"]) == NUMBERS
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


@contextmanager
def _provider() -> Iterator[int]:
    """The port of a provider that runs."""
    with subprocess.Popen([sys.executable, __file__, "--provider"], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield int(process.stdout.readline())
        finally:
            process.kill()


def _round(port: int, concurrency: int, calls: int) -> dict[str, float]:
    """The rates of one round, one after the other."""
    return {
        "sockets": asyncio.run(_sockets(port, "/v1/embeddings", concurrency, calls)),
        "client": asyncio.run(_client(port, concurrency, calls, StreamTransport())),
        "gateway": _through(port, concurrency, calls),
    }


def run(size: Size) -> Iterator[Figure]:
    """Calls of a run's client, and through the gateway, against bare sockets."""
    calls, rounds = size.of(3000), min(size.rounds, 5)
    with _provider() as port:
        for concurrency in (32, 256):
            rates = [_round(port, concurrency, calls) for _ in range(rounds)]
            base = statistics.median(rate["sockets"] for rate in rates)
            for name, words, limit in (("client", "client of a run", 0.3), ("gateway", "through the gateway", 0.2)):
                ratio = statistics.median(rate[name] / rate["sockets"] for rate in rates)
                own = statistics.median(rate[name] for rate in rates)
                yield Figure(
                    f"provider calls: {words}", f"{concurrency} at once, {NUMBERS:,} numbers after 20 ms, recorded",
                    f"{own:,.0f} calls/s", f"bare sockets {base:,.0f} calls/s", ratio, limit, least=True,
                )  # fmt: skip


if __name__ == "__main__":
    if sys.argv[1:2] == ["--provider"]:
        asyncio.run(provider())
    elif sys.argv[1:2] == ["--gateway"]:
        gateway(int(sys.argv[2]), int(sys.argv[3]))
    else:
        show(run)
