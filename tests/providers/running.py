"""A declared provider, a ledger and a gateway for tests, and a plain client that calls it."""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from protoc_runtime.ledger import Ledger, read_events
from protoc_runtime.procedure import Answer, Provider, Retry
from protoc_runtime.providers.gateway import Gateway

KEY = "not-a-real-key/of+this=test"
SOON = Fraction(1, 50)
RETRY = Retry(("429", "5xx"), 2, (SOON, 2 * SOON), ("semantic", "authentication", "validation", "dimension"))
DEFAULT = Answer(dimension=4, finite=True)


def declared(url: str, **changes: Any) -> Provider:
    """An embedding provider as a protocol would declare it."""
    values: dict[str, Any] = {
        "name": "embedding", "method": "POST", "path": "/v1/embeddings", "base_url": url, "base_url_env": "",
        "credential_env": "TEST_KEY", "model": "m-1", "answer": DEFAULT, "retry": RETRY, "timeout": Fraction(30),
        "concurrency": 4, "spacing": Fraction(0), "keep": "digests", "forbidden": False,
    }  # fmt: skip
    return Provider(**{**values, **changes})


def forbidden(name: str = "generation", path: str = "/v1/chat/completions") -> Provider:
    """A provider that no subject may call."""
    return declared(
        "http://127.0.0.1:9", name=name, path=path, forbidden=True, credential_env="", model="", answer=None
    )


@contextmanager
def gateway(
    folder: Path, *providers: Provider, environment: Mapping[str, str] | None = None, kept: Path | None = None
) -> Iterator[Gateway]:
    """A gateway with a ledger in `folder`."""
    given = {"TEST_KEY": KEY} if environment is None else environment
    with Ledger.open(folder / "ledger.jsonl") as ledger:
        made = Gateway(providers, ledger, given, folder, kept)
        made.start()
        try:
            yield made
        finally:
            made.close()


def events(folder: Path, kind: str) -> list[dict[str, Any]]:
    """The bodies of one kind of event, in order."""
    return [dict(event.body) for event in read_events(folder / "ledger.jsonl") if event.kind == kind]


def address(made: Gateway, case: str = "c1", provider: str = "EMBEDDING") -> str:
    """The address of a provider for a case."""
    return made.environment_for(case)[f"PROTOC_{provider}_URL"]


def post(
    url: str, body: object = None, method: str = "POST", path: str = "/v1/embeddings", **headers: str
) -> tuple[int, Any, dict[str, str]]:
    """One request; status, body (JSON where it is some) and headers."""
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=60)
    data = (
        body
        if isinstance(body, bytes)
        else json.dumps({"model": "m-1", "input": "x"} if body is None else body).encode()
    )
    try:
        connection.request(method, parts.path + path, data, {"content-type": "application/json", **headers})
        answer = connection.getresponse()
        content = answer.read()
    finally:
        connection.close()
    try:
        value = json.loads(content)
    except ValueError:
        value = content
    return answer.status, value, {name.lower(): text for name, text in answer.getheaders()}
