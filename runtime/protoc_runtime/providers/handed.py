"""What a Python subject is handed as its second parameter: its protocol's providers, through the run's gateway.

    def answer(case, providers):
        made = providers.embedding.post({"model": "ask-embed-1", "input": case["question"]})

Runs in the subject's own process, with the standard library only; `providers.embedding.client` alone needs httpx.
A refused or failed call raises `providers.Failed` with `status` and `code`. Nothing here holds a credential.
"""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterator, Mapping
from typing import Any


class Failed(Exception):
    """A call that was refused or failed; `code` is the gateway's word for it, or the provider's own."""

    def __init__(self, provider: str, status: int, code: str, words: str) -> None:
        self.provider, self.status, self.code = provider, status, code
        super().__init__(f"{provider}: status {status} ({code}): {words}")


class Provider:
    """One provider; `url` is its address for this case, which other clients may be given."""

    def __init__(self, name: str, address: Mapping[str, str]) -> None:
        self.name, self.url = name, address["url"]
        self._method, self._path = address["method"], address["path"]
        self._client: Any = None

    def post(self, body: object) -> Any:
        """Send a JSON body by the declared request; the JSON answer. Raises `Failed`, OSError."""
        host, _, path = self.url.removeprefix("http://").partition("/")
        connection = http.client.HTTPConnection(host)
        try:
            data = json.dumps(body, allow_nan=False).encode()
            headers = {"content-type": "application/json", "accept": "application/json"}
            connection.request(self._method, f"/{path}{self._path}", data, headers)
            answer = connection.getresponse()
            content = answer.read()
        finally:
            connection.close()
        if answer.status >= 400:
            raise self._failed(answer.status, content)
        return json.loads(content)

    @property
    def client(self) -> Any:
        """An `httpx.Client` whose base is the address, for requests that `post` does not make."""
        if self._client is None:
            import httpx

            self._client = httpx.Client(base_url=self.url, trust_env=False, timeout=None)  # noqa: S113 - the gateway has one
        return self._client

    def close(self) -> None:
        """Let go of the client."""
        if self._client is not None:
            self._client.close()

    def _failed(self, status: int, content: bytes) -> Failed:
        try:
            error = json.loads(content)["error"]
            return Failed(self.name, status, str(error.get("code")), str(error.get("message")))
        except (ValueError, TypeError, KeyError, AttributeError):
            return Failed(self.name, status, "status", content[:200].decode("utf-8", "replace"))


class Providers:
    """The providers of a protocol by their names: `providers.embedding` or `providers["embedding"]`."""

    Failed = Failed

    def __init__(self, addresses: Mapping[str, Mapping[str, str]]) -> None:
        self._providers = {name: Provider(name, address) for name, address in addresses.items()}

    def __getattr__(self, name: str) -> Provider:
        if name.startswith("_") or name not in self._providers:
            raise AttributeError(f"the protocol has no provider {name!r}")
        return self._providers[name]

    def __getitem__(self, name: str) -> Provider:
        return self._providers[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._providers)

    def close(self) -> None:
        """Let go of what was opened for this case."""
        for provider in self._providers.values():
            provider.close()
