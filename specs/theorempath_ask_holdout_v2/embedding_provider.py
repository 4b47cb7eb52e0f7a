"""A local embedding provider that speaks the OpenAI embeddings API, with vectors that are computed, not made up.

A text becomes its TF-IDF weights over the stems of the corpus, projected on an orthonormal basis of 64 directions which
Gram-Schmidt finds in the topics, the one with most left over first. Nothing but Python is needed.

python3 embedding_provider.py    serve on a free port and print the address and the credential
"""

from __future__ import annotations

import hmac
import json
import math
import re
import secrets
import threading
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

CORPUS = Path(__file__).resolve().parent / "ask" / "corpus" / "topics.jsonl"
MODEL = "ask-embed-1"
DIMENSION = 64
COMMON = frozenset(
    re.findall(
        r"\w+",
        "a an and are as at be by can do does for from had has have how i if in into is it its me my no not of on or "
        "our so such that the their them then there they this to was we what when where which why will with you",
    )
)
Weights = dict[str, float]


def stems(text: str) -> list[str]:
    """The words of a text that carry meaning, without their commonest endings."""
    words = re.findall(r"[a-z]+(?:-[a-z]+)*|\d+", text.lower().replace("'s", ""))
    return [
        re.sub(r"(ies|es|s|ing|ed|ly|e)$", "", word) if len(word) > 4 else word for word in words if word not in COMMON
    ]


def dot(one: Weights, other: Weights) -> float:
    """The inner product of two sparse vectors."""
    small, large = sorted((one, other), key=len)
    return sum(weight * large.get(word, 0.0) for word, weight in small.items())


class Embedder:
    """Vectors of one model, learned from the texts of the corpus."""

    def __init__(self, texts: list[str]) -> None:
        held = Counter(word for text in texts for word in set(stems(text)))
        self.rarity = {word: math.log((1 + len(texts)) / count) for word, count in held.items()}
        self.basis = orthonormal([self.weights(text) for text in texts], DIMENSION)
        self.known: dict[str, list[float]] = {}

    def weights(self, text: str) -> Weights:
        """TF-IDF weights of a text, of length 1 where any of its words is known."""
        found = {
            word: (1 + math.log(n)) * self.rarity[word]
            for word, n in Counter(stems(text)).items()
            if word in self.rarity
        }
        length = math.sqrt(dot(found, found))
        return {word: weight / length for word, weight in found.items()} if length else {}

    def vector(self, text: str) -> list[float]:
        """The vector of a text, 64 finite numbers."""
        if text not in self.known:
            weights = self.weights(text)
            self.known[text] = [dot(weights, direction) for direction in self.basis]
        return self.known[text]


def orthonormal(vectors: list[Weights], size: int) -> list[Weights]:
    """Gram-Schmidt: `size` orthonormal directions, each from the vector that is least described by those before."""
    left, basis = [dict(vector) for vector in vectors], []
    while len(basis) < size:
        lengths = [math.sqrt(dot(vector, vector)) for vector in left]
        most = max(range(len(left)), key=lengths.__getitem__)
        direction = {word: weight / lengths[most] for word, weight in left[most].items()}
        basis.append(direction)
        for vector in left:
            part = dot(vector, direction)
            for word, weight in direction.items():
                vector[word] = vector.get(word, 0.0) - part * weight
    return basis


def learned() -> Embedder:
    """The model, from the corpus."""
    topics = [json.loads(line) for line in CORPUS.read_text(encoding="utf-8").splitlines()]
    return Embedder([f"{topic['title']}. {topic['summary']}" for topic in topics])


class Provider:
    """The service: `with Provider() as provider` gives its `url` and the `credential` that it asks for."""

    def __init__(self, fail_first: int = 0) -> None:
        self.embedder, self.credential = learned(), secrets.token_urlsafe(24)
        self.to_fail, self.lock = fail_first, threading.Lock()
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), handler_of(self))
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def __enter__(self) -> Provider:
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.server.shutdown()
        self.server.server_close()

    def answer(self, path: str, credential: str, body: bytes) -> tuple[int, dict[str, Any]]:
        """Status and body of the answer to one request."""
        if path != "/v1/embeddings":
            return 404, fault("there is nothing here")
        if not hmac.compare_digest(credential.encode(), f"Bearer {self.credential}".encode()):
            return 401, fault("the credential is not the one of this provider")
        with self.lock:
            self.to_fail, failing = max(self.to_fail - 1, 0), self.to_fail > 0
        return (503, fault("try again")) if failing else self.embeddings(body)

    def embeddings(self, body: bytes) -> tuple[int, dict[str, Any]]:
        """The vectors of one or more texts."""
        try:
            asked = json.loads(body)
            texts = [asked["input"]] if isinstance(asked["input"], str) else [str(text) for text in asked["input"]]
        except (ValueError, KeyError, TypeError):
            return 400, fault("the body is a JSON object with `model` and `input`")
        if asked.get("model") != MODEL:
            return 404, fault("there is no such model")
        data = [
            {"object": "embedding", "index": n, "embedding": self.embedder.vector(text)} for n, text in enumerate(texts)
        ]
        count = sum(len(text.split()) for text in texts)
        usage = {"prompt_tokens": count, "total_tokens": count}
        return 200, {"object": "list", "data": data, "model": MODEL, "usage": usage}


def fault(words: str) -> dict[str, Any]:
    """The body of an answer that is an error."""
    return {"error": {"message": words, "type": "invalid_request_error"}}


def handler_of(provider: Provider) -> type[BaseHTTPRequestHandler]:
    """The part that speaks HTTP."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length", 0)))
            status, answer = provider.answer(self.path, self.headers.get("authorization", ""), body)
            told = json.dumps(answer).encode()
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(told)))
            self.end_headers()
            self.wfile.write(told)

        def log_message(self, format: str, *args: object) -> None:
            """Requests are told in the runner's ledger."""

    return Handler


if __name__ == "__main__":
    with Provider() as serving:
        print(f"EMBEDDING_BASE_URL={serving.url}\nEMBEDDING_API_KEY={serving.credential}", flush=True)
        threading.Event().wait()
