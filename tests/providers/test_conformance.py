"""A provider that misbehaves on command: attempts, waits, outcomes and costs in the ledger are what the policy says."""

from __future__ import annotations

import asyncio
import base64
import gzip
import json
import socket
import struct
import time
from fractions import Fraction

import pytest

from protoc_runtime.ledger import read_events
from protoc_runtime.procedure import Answer, Retry
from protoc_runtime.providers.rows import attempt_rows, calls
from providers.conformance import (
    Server,
    answer,
    bomb,
    chunked,
    dripping,
    embedding,
    failing,
    one_bomb,
    raw,
    until,
)  # fmt: skip
from providers.running import KEY, RETRY, SOON, address, declared, events, gateway, post

OK = answer()
CUT = b'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 900\r\n\r\n{"data": [{"emb'
EVERY = ("429", "5xx", "timeout", "connection", "truncated", "dimension", "semantic", "authentication", "validation")
TWICE = Retry(EVERY, 2, (SOON, 2 * SOON))


def seen(folder) -> list[dict]:
    """The rows of the attempts."""
    return attempt_rows(read_events(folder / "ledger.jsonl"), "embedding", {"c1": "c1"})


def outline(folder) -> list[tuple]:
    """What the rows tell in short: status, error, cause of the retry, wait in units of the first one."""
    return [(row["status"], row["error"], row["retry_reason"], row["waited"] / SOON) for row in seen(folder)]


def one_call(folder, *script, **changes) -> tuple[int, object, dict]:
    """One call to a provider that acts by the script."""
    with Server(*script) as server, gateway(folder, declared(server.url, **changes)) as made:
        found = post(address(made))
        one_call.asked = len(server.asked)  # type: ignore[attr-defined]
    return found


SEQUENCES = {
    "at once": ([OK], [(200, None, None, 0)]),
    "one 429": ([failing(429), OK], [(429, "status", None, 0), (200, None, "429", 1)]),
    "429, 503": ([failing(429), failing(503), OK],
                 [(429, "status", None, 0), (503, "status", "429", 1), (200, None, "503", 2)]),
    "never": ([failing(500)], [(500, "status", None, 0), (500, "status", "500", 1), (500, "status", "500", 2)]),
    "503, 401": ([failing(503), failing(401)], [(503, "status", None, 0), (401, "authentication", "503", 1)]),
    "401": ([failing(401), OK], [(401, "authentication", None, 0)]),
    "403": ([failing(403), OK], [(403, "authentication", None, 0)]),
    "400": ([failing(400), OK], [(400, "validation", None, 0)]),
    "422": ([failing(422), OK], [(422, "validation", None, 0)]),
    "404": ([failing(404), OK], [(404, "status", None, 0)]),
    "dimension": ([answer(embedding([1.0] * 5)), OK], [(200, "dimension", None, 0)]),
    "nan": ([answer(embedding([float("nan")] * 4)), OK], [(200, "semantic", None, 0)]),
    "html": ([answer(b"<html>", kind="text/html"), OK], [(200, "content_type", None, 0)]),
    "503, dimension": ([failing(503), answer(embedding([1.0]))],
                       [(503, "status", None, 0), (200, "dimension", "503", 1)]),
}  # fmt: skip


@pytest.mark.parametrize("name", SEQUENCES)
def test_sequences(tmp_path, name):
    script, expected = SEQUENCES[name]
    status, _, headers = one_call(tmp_path, *script)
    assert outline(tmp_path) == expected
    assert one_call.asked == len(expected)
    accepted = expected[-1][1] is None
    assert (status == 200) is accepted
    assert headers.get("x-should-retry") == (None if accepted else "false")
    assert [row["acceptable"] for row in seen(tmp_path)] == [error is None for _, error, *_ in expected]


BROKEN = {
    "reset at once": (raw(b"", then="reset"), None, "connection"),
    "closed at once": (raw(b""), None, "connection"),
    "reset in the head": (raw(b"HTTP/1.1 200 OK\r\ncont", then="reset", after=0.02), None, "connection"),
    "closed in the head": (raw(b"HTTP/1.1 200 OK\r\ncont"), None, "truncated"),
    "closed in the body": (raw(CUT), 200, "truncated"),
    "reset in the body": (raw(CUT, then="reset", after=0.02), 200, "truncated"),
    "closed in a chunk": (chunked([b"{"], end=False), 200, "truncated"),
    "no HTTP": (raw(b"SSH-2.0-x\r\n\r\n"), None, "truncated"),
    "two lengths": (raw(b"HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nxx"), None, "truncated"),
    "a stall": (raw(CUT, then="stall"), 200, "timeout"),
    "no answer": (raw(b"", then="stall"), None, "timeout"),
    "dripping": (dripping(b"[1, 2, 3, 4, 5, 6, 7, 8, 9]", 0.1), 200, "timeout"),
    "dimension": (answer(embedding([1.0])), 200, "dimension"),
    "semantic": (answer(b"{}"), 200, "semantic"),
    "401": (failing(401), 401, "authentication"),
    "422": (failing(422), 422, "validation"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_everything_that_may_be_retried(tmp_path, name):
    act, status, error = BROKEN[name]
    one_call(tmp_path, act, act, OK, retry=TWICE, timeout=Fraction(2) if error == "timeout" else Fraction(20))
    rows = seen(tmp_path)
    assert [(row["status"], row["error"]) for row in rows] == [(status, error)] * 2 + [(200, None)]
    assert [row["retry_reason"] for row in rows] == [None, error, error]
    assert [row["waited"] for row in rows] == [0, SOON, 2 * SOON]


NEVER = {
    "redirect": (answer(b"x", 307, location="http://127.0.0.1:9/v1/embeddings"), 307, "redirect"),
    "gzip bomb": (answer(one_bomb(), content_encoding="gzip"), 200, "too_large"),
    "gzip bombs": (answer(bomb(), content_encoding="gzip"), 200, "truncated"),
    "endless": (answer(b"1" * (17 << 20)), 200, "too_large"),
    "br": (answer(b"x", content_encoding="br"), 200, "content_type"),
}


@pytest.mark.parametrize("name", NEVER)
def test_what_no_policy_retries(tmp_path, name):
    act, status, error = NEVER[name]
    retry = Retry(("5xx", "timeout", "connection", "semantic"), 2, (SOON, SOON))
    found, body, headers = one_call(tmp_path, act, retry=retry)
    assert [(row["status"], row["error"]) for row in seen(tmp_path)] == [(status, error)]
    assert (found, body["error"]["code"]) == (502, error)
    assert "location" not in headers


@pytest.mark.parametrize("packed", [gzip.compress(embedding()), gzip.compress(embedding())[:-20], b"no gzip"])
def test_gzip(tmp_path, packed):
    status, body, headers = one_call(tmp_path, answer(packed, content_encoding="gzip"))
    whole = packed == gzip.compress(embedding()) or (gzip.compress(embedding())[4:8] != packed[4:8] and status == 200)
    assert (status == 200) is whole
    assert "content-encoding" not in headers
    (row,) = seen(tmp_path)
    assert row["error"] == (None if whole else "truncated")
    if whole:
        assert body == json.loads(embedding())
        assert row["bytes"] == len(embedding())


def test_a_redirect_is_not_followed_and_takes_no_credential_along(tmp_path):
    with Server(OK) as other, Server(answer(b"", 308, location=other.url + "/v1/embeddings")) as server:
        with gateway(tmp_path, declared(server.url)) as made:
            status, body, _ = post(address(made))
        assert (status, body["error"]["code"], other.asked) == (502, "redirect", [])
        assert server.asked[0].headers["authorization"] == f"Bearer {KEY}"


def test_a_port_where_nobody_listens(tmp_path):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}"
    with gateway(tmp_path, declared(url)) as made:
        status, body, _ = post(address(made))
    assert (status, body["error"]["code"]) == (502, "connection")
    assert [row["error"] for row in seen(tmp_path)] == ["connection"]


LATER = "Fri, 01 Jan 2100 00:00:00 GMT"


@pytest.mark.parametrize("asked", ["60", LATER, "99999999999999999999999", "soon", "-1"])
def test_a_retry_after_is_recorded_and_changes_nothing(tmp_path, asked):
    begun = time.monotonic()
    status, *_ = one_call(tmp_path, failing(429, retry_after=asked), OK)
    assert status == 200
    assert time.monotonic() - begun < 30
    assert [row["waited"] for row in seen(tmp_path)] == [0, SOON]
    assert events(tmp_path, "attempt_ended")[0]["retry_after"] == asked


@pytest.mark.parametrize(
    ("asked", "waited"),
    [("1", 1), ("0", SOON), ("soon", SOON), ("99999999999999999999999", None), (LATER, None)],
)
def test_a_retry_after_that_is_honoured(tmp_path, asked, waited):
    honoured = Retry(RETRY.only_on, 2, RETRY.waits, (), "honoured")
    begun = time.monotonic()
    one_call(tmp_path, failing(429, retry_after=asked), OK, retry=honoured)
    assert [row["waited"] for row in seen(tmp_path)] == ([0] if waited is None else [0, waited])
    assert waited is None or time.monotonic() - begun >= waited


def test_waits_last_as_long_as_declared(tmp_path):
    waits = (Fraction(1, 10), Fraction(1, 4))
    with (
        Server(failing(503)) as server,
        gateway(tmp_path, declared(server.url, retry=Retry(("5xx",), 2, waits))) as made,
    ):
        post(address(made))
    first, second, third = server.times
    assert second - first >= waits[0]
    assert third - second >= waits[1]
    assert [row["waited"] for row in seen(tmp_path)] == [0, *waits]


def test_costs_of_failed_attempts_are_kept(tmp_path):
    one_call(tmp_path, failing(429), failing(503), OK)
    told = calls(read_events(tmp_path / "ledger.jsonl"), "embedding")
    assert told.cost == {"prompt_tokens": 3, "total_tokens": 7 + 7 + 3}
    assert (told.attempts, told.calls, told.refused, told.usable) == (3, 1, 0, True)


def test_what_an_attempt_tells(tmp_path):
    status, body, headers = one_call(tmp_path, answer(x_request_id="r-1", set_cookie="s=1", x_secret="s"))
    assert (status, body["model"], headers["x-request-id"]) == (200, "m-1", "r-1")
    assert not {"set-cookie", "x-secret"} & set(headers)
    (begun,), (ended,) = events(tmp_path, "attempt_begun"), events(tmp_path, "attempt_ended")
    assert begun["mono"] <= ended["mono"]
    assert begun["url_path"] == "/v1/embeddings"
    assert (begun["model"], begun["request_bytes"]) == ("m-1", len(b'{"model": "m-1", "input": "x"}'))
    assert len(begun["request_sha256"]) == len(ended["answer_sha256"]) == 64
    assert ended["headers"] == {"content-type": "application/json", "x-request-id": "r-1",
                                "content-length": str(len(embedding()))}  # fmt: skip
    assert ended["cost"] == {"prompt_tokens": 3, "total_tokens": 3}
    (row,) = seen(tmp_path)
    assert row == {
        "case": "c1", "n": 1, "call": 1, "status": 200, "error": None, "retry_reason": None, "waited": 0,
        "model": "m-1", "source": "provider", "vector_dimension": 4, "acceptable": True, "bytes": len(embedding()),
        "wall": Fraction(ended["mono"] - begun["mono"], 10**6),
    }  # fmt: skip


ECHOES = [KEY, json.dumps(KEY)[1:-1].replace("/", "\\/"), base64.b64encode(KEY.encode()).decode()]


@pytest.mark.parametrize("echo", ECHOES)
@pytest.mark.parametrize("status", [200, 401, 500])
def test_an_echoed_credential_is_redacted(tmp_path, echo, status):
    act = answer(b'{"x": "%s"}' % echo.encode(), status, x_request_id=f"for {echo}")
    with Server(act) as server:
        provider = declared(server.url, answer=Answer(), retry=None, keep="bodies")
        with gateway(tmp_path, provider, kept=tmp_path / "kept") as made:
            found, body, headers = post(address(made))
    assert (found, body, headers["x-request-id"]) == (status, {"x": "[redacted]"}, "for [redacted]")
    for path in tmp_path.rglob("*"):
        assert not path.is_file() or echo.encode() not in path.read_bytes()


def test_bodies_are_kept_where_asked(tmp_path):
    kept = tmp_path / "kept"
    with Server(failing(503), OK) as server, gateway(tmp_path, declared(server.url, keep="bodies"), kept=kept) as made:
        post(address(made))
    begun, ended = events(tmp_path, "attempt_begun"), events(tmp_path, "attempt_ended")
    assert (kept / begun[0]["request_sha256"]).read_bytes() == b'{"model": "m-1", "input": "x"}'
    assert (kept / ended[1]["answer_sha256"]).read_bytes() == embedding()
    assert len(list(kept.iterdir())) == 3


def test_a_vector_in_base64_has_its_dimension(tmp_path):
    text = base64.b64encode(struct.pack("<4f", 1, 2, 3, 4)).decode()
    status, *_ = one_call(tmp_path, answer(json.dumps({"data": [{"embedding": text}]}).encode()))
    assert (status, seen(tmp_path)[0]["vector_dimension"]) == (200, 4)


def test_concurrency_and_spacing(tmp_path):
    from concurrent.futures import ThreadPoolExecutor

    async def act(writer, asked):
        await until(lambda: server.most >= 3)
        await asyncio.sleep(0.1)  # a fourth one would come now
        await OK(writer, asked)

    with Server(act) as server:
        with gateway(tmp_path, declared(server.url, concurrency=3)) as made, ThreadPoolExecutor(9) as threads:
            found = list(threads.map(lambda number: post(address(made, f"c{number}"))[0], range(9)))
        assert found == [200] * 9
        assert server.most == 3
    with Server(OK) as server:
        spaced = declared(server.url, name="spaced", spacing=Fraction(1, 10))
        with gateway(tmp_path, spaced) as made, ThreadPoolExecutor(4) as threads:
            list(threads.map(lambda number: post(address(made, f"c{number}", "SPACED")), range(4)))
        came = sorted(server.times)
    begun = [body["mono"] for body in events(tmp_path, "attempt_begun") if body["provider"] == "spaced"]
    assert len(begun) == len(came) == 4
    for n, after in enumerate(came):  # by one clock; what is sent late may come late, and nothing comes early
        assert begun[n] >= begun[n - 1] + 99_999 or n == 0
        assert after >= begun[0] / 10**6 + n / 10 - 10**-5


def test_interim_responses_and_http_1_0_are_understood(tmp_path):
    body = embedding()
    act = raw(b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.0 200 OK\r\ncontent-type: application/json\r\n\r\n" + body)
    assert one_call(tmp_path, act)[:2] == (200, json.loads(body))


def test_connections_are_used_again(tmp_path):
    ports = set()

    async def act(writer, asked):
        ports.add(writer.get_extra_info("peername")[1])
        await OK(writer, asked)

    with Server(act) as server, gateway(tmp_path, declared(server.url)) as made:
        for number in range(5):
            assert post(address(made, f"c{number}"))[0] == 200
    assert len(ports) == 1
