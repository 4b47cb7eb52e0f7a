"""Clients that know nothing of the gateway: the real `openai` package, and curl."""

from __future__ import annotations

import base64
import json
import shutil
import struct
import subprocess

import openai
import pytest

from protoc_runtime.ledger import read_events
from protoc_runtime.providers.rows import attempt_rows, calls
from providers.conformance import VECTOR, Server, answer, chunked, embedding, failing
from providers.conformance import events as sse
from providers.running import address, declared, events, forbidden, gateway

curl = pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")


def client(url: str) -> openai.OpenAI:
    """The package as a program would set it up: an address, a key of no value, its own retries left on."""
    return openai.OpenAI(base_url=url + "/v1", api_key="unused")


def in_base64(numbers: list[float]) -> bytes:
    """An answer as the package asks for it by default."""
    text = base64.b64encode(struct.pack(f"<{len(numbers)}f", *numbers)).decode()
    return embedding() if not numbers else json.dumps(
        {"object": "list", "model": "m-1", "data": [{"object": "embedding", "index": 0, "embedding": text}],
         "usage": {"prompt_tokens": 1, "total_tokens": 1}}
    ).encode()  # fmt: skip


def test_openai_embeddings(tmp_path):
    with Server(answer(in_base64(VECTOR)), answer()) as server, gateway(tmp_path, declared(server.url)) as made:
        packed = client(address(made)).embeddings.create(model="m-1", input="what is a martingale")
        plain = client(address(made)).embeddings.create(model="m-1", input=["x"], encoding_format="float")
        asked = [json.loads(one.body) for one in server.asked]
    assert packed.data[0].embedding == plain.data[0].embedding == VECTOR
    assert [one["encoding_format"] for one in asked] == ["base64", "float"]
    rows = attempt_rows(read_events(tmp_path / "ledger.jsonl"), "embedding", {"c1": "c1"})
    assert [(row["vector_dimension"], row["acceptable"], row["model"]) for row in rows] == [(4, True, "m-1")] * 2


@pytest.mark.parametrize(
    ("act", "kind", "attempts"),
    [
        (failing(401), openai.AuthenticationError, 1),
        (failing(422), openai.UnprocessableEntityError, 1),
        (failing(429), openai.RateLimitError, 3),
        (failing(503), openai.InternalServerError, 3),
        (answer(embedding([1.0])), openai.InternalServerError, 1),
    ],
)
def test_openai_does_not_retry_by_itself(tmp_path, act, kind, attempts):
    with Server(act) as server, gateway(tmp_path, declared(server.url)) as made:
        with pytest.raises(kind):
            client(address(made)).embeddings.create(model="m-1", input="x")
        assert len(server.asked) == attempts
    told = calls(read_events(tmp_path / "ledger.jsonl"), "embedding")
    assert (told.attempts, told.calls, told.refused) == (attempts, 1, 0)


def test_openai_generation_is_refused_and_counted(tmp_path):
    with Server(answer()) as server, gateway(tmp_path, declared(server.url), forbidden()) as made:
        for variable in ("EMBEDDING", "GENERATION"):
            with pytest.raises(openai.PermissionDeniedError, match="forbids every call to generation"):
                client(address(made, provider=variable)).chat.completions.create(
                    model="m-1", messages=[{"role": "user", "content": variable}]
                )
        assert server.asked == []
    told = calls(read_events(tmp_path / "ledger.jsonl"), "generation")
    assert (told.attempts, told.calls) == (2, 0)


def test_openai_streams_chat(tmp_path):
    def part(text: str, **more: object) -> dict:
        choice = {"index": 0, "delta": {"role": "assistant", "content": text}, "finish_reason": None}
        return {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "m-1", "choices": [choice], **more}

    usage = {"prompt_tokens": 5, "completion_tokens": 2, "total_tokens": 7}
    act = chunked(sse(part("vari"), part("ance"), part("", usage=usage)), "text/event-stream")
    chat = {"name": "chat", "path": "/v1/chat/completions", "answer": None}
    with Server(act) as server, gateway(tmp_path, declared(server.url, **chat)) as made:
        stream = client(address(made, provider="CHAT")).chat.completions.create(
            model="m-1", messages=[{"role": "user", "content": "x"}], stream=True
        )
        text = "".join(chunk.choices[0].delta.content or "" for chunk in stream)
    assert text == "variance"
    (ended,) = events(tmp_path, "attempt_ended")
    assert (ended["cost"], ended["acceptable"]) == (usage, True)


@curl
def test_curl(tmp_path):
    large = json.dumps({"model": "m-1", "input": "x" * 2_000_000})  # curl waits for `100 Continue` here
    with Server(failing(503), answer()) as server, gateway(tmp_path, declared(server.url)) as made:
        url = address(made) + "/v1/embeddings"
        words = ["curl", "-sS", "--fail-with-body", "-H", "content-type: application/json"]
        first = subprocess.run([*words, "-d", '{"model": "m-1", "input": "x"}', url], capture_output=True)
        (tmp_path / "body.json").write_text(large)
        second = subprocess.run(
            [*words, "-H", "transfer-encoding: chunked", "--data-binary", f"@{tmp_path}/body.json", url, url],
            capture_output=True,
        )
        refused = subprocess.run([*words, "-d", '{"model": "other"}', url], capture_output=True)
        head = subprocess.run(["curl", "-sS", "-I", url], capture_output=True)
        assert [len(asked.body) for asked in server.asked] == [30, 30, len(large), len(large)]
    assert (first.returncode, json.loads(first.stdout)) == (0, json.loads(embedding()))
    assert (second.returncode, second.stdout) == (0, embedding() * 2)
    assert refused.returncode == 22
    assert json.loads(refused.stdout)["error"]["code"] == "model"
    assert head.stdout.startswith(b"HTTP/1.1 405")
