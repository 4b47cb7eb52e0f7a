"""The gateway: what is attributed, forwarded, refused and counted."""

from __future__ import annotations

import base64
import contextlib
import http.client
import json
import os
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from urllib.parse import urlsplit

import pytest

from protoc_runtime.diagnostics import Refused
from protoc_runtime.ledger import Ledger, check_chain, read_events
from protoc_runtime.procedure import Answer, Retry
from protoc_runtime.providers.gateway import Gateway, variable
from protoc_runtime.providers.rows import attempt_rows, calls
from providers.conformance import Server, answer, chunked, embedding, failing, held, raw, slow
from providers.conformance import events as sse
from providers.running import KEY, SOON, address, declared, events, forbidden, gateway, post

OK = answer()
PLAIN = Answer()


def told(folder, provider="embedding"):
    """The counters of a provider."""
    return calls(read_events(folder / "ledger.jsonl"), provider)


def refusals(folder) -> list[tuple]:
    """Provider, case and reason of what was refused."""
    return [(body["provider"], body["case"], body["reason"]) for body in events(folder, "call_refused")]


def until_ended(folder) -> None:
    """Wait until an attempt has ended."""
    deadline = time.monotonic() + 60
    while not events(folder, "attempt_ended") and time.monotonic() < deadline:
        time.sleep(0.05)


def exchange(url: str, data: bytes, *, wait: float = 20.0) -> bytes:
    """Raw bytes to the gateway, and everything that comes until it closes."""
    parts = urlsplit(url)
    with socket.create_connection((parts.hostname, parts.port), timeout=wait) as connection:
        connection.sendall(data)
        received = b""
        try:
            while part := connection.recv(65536):
                received += part
        except TimeoutError:
            pass
    return received


def test_a_forbidden_provider_is_refused_and_counted(tmp_path):
    with Server(OK) as server, gateway(tmp_path, declared(server.url), forbidden()) as made:
        url = address(made, provider="GENERATION")
        asked = {"model": "gpt", "messages": []}
        status, body, headers = post(url, asked, path="/v1/chat/completions")
        other, *_ = post(url, asked, path="/v1/anything")
        assert (status, other) == (403, 403)
        assert body["error"]["code"] == "forbidden"
        assert headers["x-should-retry"] == "false"
        assert server.asked == []
    found = told(tmp_path, "generation")
    assert (found.attempts, found.calls, found.refused) == (2, 0, 2)
    assert refusals(tmp_path) == [("generation", "c1", "forbidden")] * 2
    rows = attempt_rows(read_events(tmp_path / "ledger.jsonl"), "generation", {"c1": 7})
    assert [(row["case"], row["n"], row["call"], row["error"], row["model"], row["acceptable"]) for row in rows] == [
        (7, 1, 1, "refused", "gpt", False),
        (7, 2, 2, "refused", "gpt", False),
    ]


def test_a_call_to_another_provider_at_this_ones_address_is_seen(tmp_path):
    """Programs that have one base address for everything."""
    with Server(OK) as server, gateway(tmp_path, declared(server.url), forbidden()) as made:
        status, body, _ = post(address(made), {"model": "m-1"}, path="/v1/chat/completions")
    assert (status, body["error"]["code"]) == (403, "forbidden")
    assert (told(tmp_path).attempts, told(tmp_path, "generation").attempts) == (0, 1)


@pytest.mark.parametrize(
    ("body", "code", "model"),
    [
        ({"model": "m-2", "input": "x"}, "model", "m-2"),
        ({"input": "x"}, "model", None),
        ({"model": ["m-1"]}, "model", None),
        (b'{"model": "m-2", "model": "m-1"}', "no_json", None),
        (b"[]", "no_json", None),
        (b"\xff", "no_json", None),
        (b"", "no_json", None),
    ],
)
def test_another_model_is_refused_and_counted(tmp_path, body, code, model):
    with Server(OK) as server, gateway(tmp_path, declared(server.url)) as made:
        status, told_body, _ = post(address(made), body)
        assert status in (400, 403)
        assert told_body["error"]["code"] == code
        assert server.asked == []
    assert (told(tmp_path).attempts, told(tmp_path).calls) == (1, 0)
    (row,) = attempt_rows(read_events(tmp_path / "ledger.jsonl"), "embedding", {"c1": "c1"})
    assert (row["model"], row["error"], row["status"]) == (model, "refused", None)


def test_without_a_pinned_model_any_body_goes_through(tmp_path):
    with Server(OK) as server, gateway(tmp_path, declared(server.url, model="")) as made:
        assert post(address(made), b"any")[0] == 200
        assert server.asked[0].body == b"any"


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        ("POST", "/v1/models", 404, "path"),
        ("POST", "/v1/embeddings/", 404, "path"),
        ("POST", "/v1/embeddings?x=1", 404, "path"),
        ("POST", "/../embedding/v1/embeddings", 404, "path"),
        ("POST", "", 404, "path"),
        ("GET", "/v1/embeddings", 405, "method"),
        ("OPTIONS", "/v1/embeddings", 405, "method"),
        ("HEAD", "/v1/embeddings", 405, None),
    ],
)
def test_other_paths_and_methods_are_refused(tmp_path, method, path, status, code):
    with Server(OK) as server, gateway(tmp_path, declared(server.url)) as made:
        found, body, headers = post(address(made), method=method, path=path)
        assert (found, server.asked) == (status, [])
        assert code is None or body["error"]["code"] == code
        assert headers.get("allow") == ("POST" if status == 405 else None)
    assert refusals(tmp_path) == [("embedding", "c1", code or "method")]


@pytest.mark.parametrize("target", ["/", "/x", "/x/embedding/v1/embeddings", "//", "/favicon.ico"])
def test_a_guessed_address_reaches_nothing(tmp_path, target):
    with Server(OK) as server, gateway(tmp_path, declared(server.url)) as made:
        base = address(made).rsplit("/", 2)[0]
        assert post(base, path=target)[0] == 404
        assert server.asked == []
    known = target == "/x/embedding/v1/embeddings"
    assert refusals(tmp_path) == ([("embedding", None, "address")] if known else [])
    assert told(tmp_path).attempts == known


def test_each_case_has_an_address_of_its_own(tmp_path):
    with Server(slow(0.02)) as server, gateway(tmp_path, declared(server.url, concurrency=16)) as made:
        with ThreadPoolExecutor(16) as threads:
            done = threads.map(
                lambda n: post(address(made, f"c{n % 8}"), {"model": "m-1", "input": str(n)})[0], range(48)
            )
            assert list(done) == [200] * 48
        assert len({address(made, f"c{number}") for number in range(8)}) == 8
        assert address(made, "c1") == address(made, "c1")
    rows = attempt_rows(read_events(tmp_path / "ledger.jsonl"), "embedding", {f"c{n}": f"c{n}" for n in range(8)})
    assert [(row["case"], row["n"]) for row in rows] == [(f"c{n}", m) for n in range(8) for m in range(1, 7)]
    assert {row["call"] == row["n"] for row in rows} == {True}


def test_keep_alive_and_chunked_request_bodies(tmp_path):
    with Server(OK) as server, gateway(tmp_path, declared(server.url)) as made:
        parts = urlsplit(address(made))
        connection = http.client.HTTPConnection(parts.hostname, parts.port)
        for number in range(3):
            body = (part for part in (b'{"model": "m-1", ', b'"input": "%d"}' % number))
            headers = {"transfer-encoding": "chunked", "content-type": "application/json"}
            connection.request("POST", parts.path + "/v1/embeddings", body, headers, encode_chunked=True)
            reply = connection.getresponse()
            assert (reply.status, json.loads(reply.read())["model"]) == (200, "m-1")
            used = connection.sock
            assert used is not None
        connection.close()
        assert [asked.body for asked in server.asked] == [b'{"model": "m-1", "input": "%d"}' % n for n in range(3)]
        assert all("content-length" in asked.headers for asked in server.asked)


@pytest.mark.parametrize(
    "head",
    [
        b"POST /x HTTP/1.1\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab",
        b"POST /x HTTP/1.1\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
        b"POST /x HTTP/1.1\r\ntransfer-encoding: gzip\r\n\r\n",
        b"POST /x HTTP/1.1\r\ncontent-length: +1\r\n\r\na",
        b"POST /x HTTP/1.1\r\ncontent-length: -1\r\n\r\n",
        b"POST /x HTTP/1.1\r\nfolded: a\r\n b\r\n\r\n",
        b"POST /x HTTP/1.1\r\n: nameless\r\n\r\n",
        b"POST /x HTTP/1.1\r\nname : x\r\n\r\n",
        b"POST /x HTTP/2\r\n\r\n",
        b"POST x HTTP/1.1\r\n\r\n",
        b"\x16\x03\x01\r\n\r\n",
        b"POST /x HTTP/1.1\r\n" + b"a: b\r\n" * 300 + b"\r\n",
        b"POST /" + b"x" * 70_000 + b" HTTP/1.1\r\n\r\n",
        b"POST /x HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n",
    ],
)
def test_what_could_be_read_in_two_ways_is_refused(tmp_path, head):
    with gateway(tmp_path, declared("http://127.0.0.1:9")) as made:
        received = exchange(address(made), head)
    assert received.startswith(b"HTTP/1.1 400 ")
    assert b"connection: close" in received


def test_a_request_has_a_largest_size(tmp_path):
    with gateway(tmp_path, declared("http://127.0.0.1:9")) as made:
        received = exchange(address(made), b"POST /x HTTP/1.1\r\ncontent-length: 99999999\r\n\r\n")
    assert received.startswith(b"HTTP/1.1 413 ")


def test_continue_is_said_to_those_who_wait_for_it(tmp_path):
    body = b'{"model": "m-1", "input": "x"}'
    with Server(OK) as server, gateway(tmp_path, declared(server.url)) as made:
        path = urlsplit(address(made)).path
        head = f"POST {path}/v1/embeddings HTTP/1.1\r\nexpect: 100-continue\r\nconnection: close\r\n"
        received = exchange(address(made), f"{head}content-length: {len(body)}\r\n\r\n".encode() + body)
    assert received.startswith(b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n")
    assert received.endswith(embedding())


def test_a_failed_call_cannot_be_repeated_by_the_subject(tmp_path):
    """Retries are for the declared policy; a program that retries by itself would go round it."""
    with Server(failing(401), OK) as server, gateway(tmp_path, declared(server.url)) as made:
        found = [post(address(made))[0], post(address(made))[0], post(address(made), {"model": "m-1", "input": "y"})[0]]
        other = post(address(made, "c2"))[0]
        assert (found, other) == ([401, 403, 200], 200)
        assert len(server.asked) == 3
    assert refusals(tmp_path) == [("embedding", "c1", "repeated")]
    assert (told(tmp_path).attempts, told(tmp_path).calls) == (4, 3)


@pytest.mark.parametrize(
    ("environment", "changes", "reason"),
    [
        ({}, {}, "the environment has no TEST_KEY"),
        ({"TEST_KEY": "  "}, {}, "the environment has no TEST_KEY"),
        ({"TEST_KEY": "a\nb"}, {}, "TEST_KEY holds characters that no credential has"),
        ({"TEST_KEY": KEY}, {"base_url": "", "base_url_env": "TEST_URL"}, "the environment has no TEST_URL"),
        ({"TEST_KEY": KEY}, {"base_url": "file:///etc"}, "base_url is no http or https address"),
        ({"TEST_KEY": KEY}, {"base_url": "http://u:p@h/"}, "base_url has a query, a fragment or a user, which an "
                                                           "address must not have"),
    ],
)  # fmt: skip
def test_a_provider_that_cannot_be_called(tmp_path, environment, changes, reason):
    with Server(OK) as server:
        provider = declared(**{"url": server.url} | {}) if not changes else declared(**{"url": server.url, **changes})
        with gateway(tmp_path, provider, environment=environment) as made:
            assert made.unusable == {"embedding": reason}
            status, body, _ = post(address(made))
        assert (status, body["error"]["code"], server.asked) == (503, "unusable", [])
    assert not told(tmp_path).usable
    assert [body["reason"] for body in events(tmp_path, "credential")] == [reason]


def test_the_address_may_come_from_the_environment(tmp_path):
    with Server(OK) as server:
        given = {"TEST_KEY": KEY, "TEST_URL": server.url + "/"}
        with gateway(tmp_path, declared("", base_url_env="TEST_URL"), environment=given) as made:
            assert made.unusable == {}
            assert post(address(made))[0] == 200
        assert server.asked[0].line == "POST /v1/embeddings HTTP/1.1"


def test_only_some_headers_of_the_subject_go_on(tmp_path):
    with Server(OK) as server, gateway(tmp_path, declared(server.url)) as made:
        post(address(made), None, Authorization="Bearer mine", Cookie="a=b", OpenAI_Beta="x", Accept="application/json")
        (asked,) = server.asked
        assert asked.headers["authorization"] == f"Bearer {KEY}"
        assert asked.headers["accept"] == "application/json"
        assert set(asked.headers) == {"accept", "accept-encoding", "authorization", "content-length", "content-type",
                                      "host", "user-agent"}  # fmt: skip
    assert KEY.encode() not in (tmp_path / "ledger.jsonl").read_bytes()


def test_the_subject_never_gets_the_credential(tmp_path):
    with gateway(tmp_path, declared("http://127.0.0.1:9", retry=None), forbidden()) as made:
        environment = made.environment_for("c1")
        found = [post(address(made)), post(address(made), path="/x"), post(address(made), {"model": "y"})]
    assert set(environment) == {"PROTOC_EMBEDDING_URL", "PROTOC_GENERATION_URL"}
    assert KEY not in str(environment) + str(found) + str(vars(made)) + str(made._clients["embedding"].__dict__)


def test_streamed_answers_pass_through_while_they_come(tmp_path):
    parts = sse({"model": "m-1", "n": 1}, {"n": 2}, {"usage": {"total_tokens": 11}})
    chat = {"name": "chat", "path": "/v1/chat/completions", "answer": None, "keep": "bodies"}
    heard, kept = threading.Semaphore(0), tmp_path / "kept"
    act = chunked(parts, "text/event-stream", heard=lambda: heard.acquire(blocking=False))
    with Server(act) as server, gateway(tmp_path, declared(server.url, **chat), kept=kept) as made:
        parsed = urlsplit(address(made, provider="CHAT"))
        connection = http.client.HTTPConnection(parsed.hostname, parsed.port)
        connection.request("POST", parsed.path + "/v1/chat/completions", json.dumps({"model": "m-1", "stream": True}))
        received, reply = b"", connection.getresponse()
        while part := reply.read1():
            received += part
            heard.release()  # only now the provider goes on
        connection.close()
    assert received == b"".join(parts)
    (ended,) = events(tmp_path, "attempt_ended")
    assert (ended["acceptable"], ended["answer_bytes"], ended["model"]) == (True, len(received), "m-1")
    assert ended["cost"] == {"total_tokens": 11}
    assert (kept / ended["answer_sha256"]).read_bytes() == received


def test_a_credential_in_a_stream_is_redacted_wherever_it_is_cut(tmp_path):
    text = f"data: {KEY} and {KEY[:9]}\n\n".encode()
    act = chunked([text[n : n + 3] for n in range(0, len(text), 3)], "text/event-stream")
    with Server(act) as server, gateway(tmp_path, declared(server.url, answer=None)) as made:
        status, body, _ = post(address(made))
    assert (status, body) == (200, f"data: [redacted] and {KEY[:9]}\n\n".encode())


def test_a_stream_that_is_cut_off_is_cut_off_for_the_subject_too(tmp_path):
    every = Retry(("truncated",), 2, (SOON, SOON))
    cut = chunked(sse({"n": 1})[:1], "text/event-stream", end=False)
    with Server(cut) as server, gateway(tmp_path, declared(server.url, answer=None, retry=every)) as made:
        with pytest.raises(http.client.IncompleteRead):
            post(address(made))
        assert len(server.asked) == 1
    (ended,) = events(tmp_path, "attempt_ended")
    assert (ended["error"], ended["retried"]) == ("truncated", False)
    assert ended["retry_reason"] == "the subject has a part of the answer already"


def test_a_stream_where_vectors_are_declared_is_no_answer(tmp_path):
    with Server(chunked(sse({}), "text/event-stream")) as server, gateway(tmp_path, declared(server.url)) as made:
        status, body, _ = post(address(made))
    assert (status, body["error"]["code"]) == (502, "content_type")


def test_the_end_of_a_case_closes_its_attempts(tmp_path):
    with Server(slow(30)) as server, gateway(tmp_path, declared(server.url)) as made:
        found: list = []
        url, other = address(made), address(made, "c2")
        waiting = threading.Thread(target=lambda: found.append(post(url)))
        waiting.start()
        while not server.asked:
            time.sleep(0.01)
        begun = time.monotonic()
        made.end("c1")
        waiting.join(25)
        assert time.monotonic() - begun < 20
        assert found[0][0] == 403
        assert post(url)[1]["error"]["code"] == "ended"
        assert other != url
    (ended,) = events(tmp_path, "attempt_ended")
    assert (ended["case"], ended["error"], ended["reason"]) == ("c1", "unfinished", "the case ended first")
    assert refusals(tmp_path) == [("embedding", "c1", "ended")]


def test_closing_the_gateway_closes_open_attempts(tmp_path):
    with Server(slow(30)) as server:
        with gateway(tmp_path, declared(server.url)) as made:
            threads = [threading.Thread(target=_ignoring, args=(address(made, f"c{n}"),)) for n in range(3)]
            for thread in threads:
                thread.start()
            while len(server.asked) < 3:
                time.sleep(0.01)
        for thread in threads:
            thread.join(25)
            assert not thread.is_alive()
    assert [body["error"] for body in events(tmp_path, "attempt_ended")] == ["unfinished"] * 3
    assert not check_chain(tmp_path / "ledger.jsonl").failed


def _ignoring(url: str) -> None:
    with contextlib.suppress(OSError):
        post(url)


def test_nobody_is_called_again_for_a_subject_that_has_gone(tmp_path):
    retry = Retry(("5xx",), 2, (Fraction(1, 10), Fraction(1, 10)))
    body = b'{"model": "m-1", "input": "x"}'
    left = threading.Event()
    with Server(held(left, failing(503))) as server, gateway(tmp_path, declared(server.url, retry=retry)) as made:
        parts = urlsplit(address(made))
        with socket.create_connection((parts.hostname, parts.port)) as connection:
            head = f"POST {parts.path}/v1/embeddings HTTP/1.1\r\ncontent-length: {len(body)}\r\n\r\n"
            connection.sendall(head.encode() + body)
            while not server.asked:
                time.sleep(0.01)
        left.set()
        until_ended(tmp_path)
        time.sleep(0.4)  # it would be called again now
        assert len(server.asked) == 1
    (ended,) = events(tmp_path, "attempt_ended")
    assert (ended["retried"], ended["retry_reason"]) == (False, "the subject no longer waits for the answer")


def test_nothing_is_sent_that_the_ledger_cannot_hold(tmp_path):
    with Server(OK) as server, Ledger.open(tmp_path / "ledger.jsonl") as ledger:
        made = Gateway((declared(server.url),), ledger, {"TEST_KEY": KEY}, tmp_path)
        made.start()
        try:
            url = address(made)
            spare = os.dup(ledger._descriptor)
            os.dup2(os.open("/dev/full", os.O_WRONLY), ledger._descriptor)
            status, body, _ = post(url)
            os.dup2(spare, ledger._descriptor)
            assert (status, body["error"]["code"], server.asked) == (500, "gateway_fault", [])
            with pytest.raises(Refused, match="E150"):
                made.end("c1")
        finally:
            made.close()


def test_a_resumed_run_goes_on_counting(tmp_path):
    with Server(OK) as server:
        for _ in range(2):
            with gateway(tmp_path, declared(server.url)) as made:
                assert post(address(made))[0] == 200
    rows = attempt_rows(read_events(tmp_path / "ledger.jsonl"), "embedding", {"c1": "c1"})
    assert [(row["n"], row["call"]) for row in rows] == [(1, 1), (2, 2)]


def test_names_of_variables():
    assert variable("embedding") == "PROTOC_EMBEDDING_URL"
    assert variable("my-rerank.2") == "PROTOC_MY_RERANK_2_URL"


def test_a_broken_answer_does_not_break_the_next(tmp_path):
    with Server(raw(b"HTTP/1.1 200 OK\r\n\r\n"), OK) as server, gateway(tmp_path, declared(server.url)) as made:
        assert post(address(made))[0] == 502
        assert post(address(made, "c2"))[0] == 200


def test_no_subject_and_no_provider_can_stop_the_gateway(tmp_path):
    """Texts that a ledger or a head cannot hold, in every place where one may come from outside."""
    half = b'{"model": "\\ud800", "input": "x"}'
    odd = answer(b'{"model": "\\ud800", "usage": {"\\udfff": 1}}', x_request_id="\u20ac\u00e9")
    failed = answer(b'{"model": "\\ud800"}', 429, x_request_id="\xe9")
    with Server(odd, failed) as server:
        with gateway(tmp_path, declared(server.url, model="", answer=PLAIN, retry=None)) as made:
            assert post(address(made), half)[0] == 200
            assert post(address(made), b'{"input": "y"}', Accept="\xe9")[0] == 429
            assert server.asked[1].headers["accept"] == "\xe9"
            made.end("c1")
        with gateway(tmp_path, declared(server.url)) as made:
            assert post(address(made), half)[0] == 403
            made.end("c1")
    assert [body["model"] for body in events(tmp_path, "attempt_begun")] == ["?", None]
    assert [body["model"] for body in events(tmp_path, "call_refused")] == ["?"]
    first = events(tmp_path, "attempt_ended")[0]
    assert (first["model"], first["cost"], first["headers"]["x-request-id"]) == ("?", {"?": 1}, "??")


@pytest.mark.parametrize("host", ["x" * 70 + ".example", "no-such-host.invalid", "xn--a.example"])
def test_a_host_that_is_none(tmp_path, host):
    with gateway(tmp_path, declared(f"http://{host}:80")) as made:
        legal = not made.unusable
        assert post(address(made))[0] == (502 if legal else 503)
        made.end("c1")
    assert [body["error"] for body in events(tmp_path, "attempt_ended")] == ["connection"] * legal


def test_a_subject_that_goes_away_before_a_stream_begins(tmp_path):
    left = threading.Event()
    act = held(left, chunked(sse({"n": 1}, {"n": 2}), "text/event-stream", every=0.05))
    with Server(act) as server, gateway(tmp_path, declared(server.url, answer=None)) as made:
        parts, body = urlsplit(address(made)), b'{"model": "m-1"}'
        with socket.create_connection((parts.hostname, parts.port)) as connection:
            head = f"POST {parts.path}/v1/embeddings HTTP/1.1\r\ncontent-length: {len(body)}\r\n\r\n"
            connection.sendall(head.encode() + body)
            while not server.asked:
                time.sleep(0.01)
        left.set()
        until_ended(tmp_path)
        made.end("c1")
    (ended,) = events(tmp_path, "attempt_ended")
    assert (ended["acceptable"], ended["error"]) == (True, None)


@pytest.mark.parametrize(
    "more",
    [
        "content-length: 20000000\r\n\r\n",  # more than is taken
        "content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",  # two lengths
        "transfer-encoding: chunked\r\n\r\nzz\r\n",
    ],
)
def test_a_forbidden_request_counts_whatever_its_body_is(tmp_path, more):
    with Server(OK) as server, gateway(tmp_path, declared(server.url), forbidden()) as made:
        url = address(made, provider="GENERATION")
        head = f"POST {urlsplit(url).path}/v1/chat/completions HTTP/1.1\r\nhost: x\r\n{more}"
        assert exchange(url, head.encode()).startswith(b"HTTP/1.1 403 ")
    assert refusals(tmp_path) == [("generation", "c1", "forbidden")]


def test_a_forbidden_request_counts_though_nobody_waits_for_its_end(tmp_path):
    with Server(OK) as server, gateway(tmp_path, declared(server.url), forbidden()) as made:
        for provider, path in (("GENERATION", "/x"), ("EMBEDDING", "/v1/embeddings")):
            parts = urlsplit(address(made, provider=provider))
            with socket.create_connection((parts.hostname, parts.port), timeout=30) as connection:
                connection.sendall(f"POST {parts.path}{path} HTTP/1.1\r\ncontent-length: 9\r\n\r\n{{".encode())
                connection.shutdown(socket.SHUT_WR)
                while connection.recv(65536):
                    continue
        assert server.asked == []
    assert refusals(tmp_path) == [("generation", "c1", "forbidden")]


@pytest.mark.parametrize(
    "path",
    [
        "/v1/chat/completions?stream=1", "//v1/chat/completions", "/v1/%63hat/completions", "/v1/chat/completions/",
        "/v1/./chat/../chat/completions", "/v1%2Fchat/completions",
    ],
)  # fmt: skip
def test_a_forbidden_path_is_known_in_any_spelling(tmp_path, path):
    with Server(OK) as server, gateway(tmp_path, declared(server.url), forbidden()) as made:
        assert post(address(made), {"model": "m-1"}, path=path)[0] == 403
        assert server.asked == []
    assert refusals(tmp_path) == [("generation", "c1", "forbidden")]


def test_a_model_beside_the_pinned_one_is_refused(tmp_path):
    """A server that knows no case would take the last of them."""
    with Server(OK) as server, gateway(tmp_path, declared(server.url)) as made:
        status, body, _ = post(address(made), b'{"model": "m-1", "Model": "m-2", "input": "x"}')
        assert (status, body["error"]["code"], server.asked) == (403, "model", [])


@pytest.mark.parametrize(
    "stale",
    [b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}",
     b"HTTP/1.1 408 Request Timeout\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"],
)  # fmt: skip
@pytest.mark.parametrize("then", ["stay", "close"])
def test_what_nobody_asked_for_is_nobodys_answer(tmp_path, stale, then):
    """Servers say 408 on a connection that was idle for long, and some send more than one answer."""

    sent = threading.Semaphore(0)

    async def twice(writer, asked):
        await OK(writer, asked)
        writer.write(stale)
        await writer.drain()
        sent.release()
        if then == "close":
            writer.close()

    with Server(twice) as server, gateway(tmp_path, declared(server.url, concurrency=1)) as made:
        for number in range(3):
            assert post(address(made), {"model": "m-1", "input": str(number)})[0] == 200
            assert sent.acquire(timeout=60)
        assert len(server.asked) == 3
    assert [body["status"] for body in events(tmp_path, "attempt_ended")] == [200, 200, 200]


def test_a_credential_that_comes_back_in_another_form_is_taken_out(tmp_path):
    lower = KEY.replace("/", "%2f").replace("+", "%2b").replace("=", "%3d")
    inside = base64.b64encode(b"x" + KEY.encode() + b"y").decode()
    for form in (KEY.encode().hex(), KEY.replace("/", "\\/"), lower, inside):
        echo = answer(json.dumps({"echo": "~"}).replace("~", form).encode())
        with Server(echo) as server, gateway(tmp_path, declared(server.url, answer=PLAIN, model="")) as made:
            body = post(address(made), b"{}")[1]
        assert "[redacted]" in json.dumps(body), form
