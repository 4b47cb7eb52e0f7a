"""How a provider is reached: its address and credential from the environment, and the redaction of the latter.

Only the runner holds a credential. Whatever goes to the ledger, to a kept body or to the subject passes `Redactor`
first, so that a provider that echoes the credential does not give it away.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from urllib.parse import urlsplit

from protoc_runtime import credentials
from protoc_runtime.procedure import Provider
from protoc_runtime.record import record

REDACTED = b"[redacted]"


@record
class Access:
    """The address and credential of a provider ("" where it needs none); `fault` says why it cannot be called, or is
    "". The text of a credential never stands in `fault`."""

    base_url: str
    credential: str
    fault: str

    @property
    def usable(self) -> bool:
        """Whether the provider can be called."""
        return not self.fault

    def __repr__(self) -> str:
        return f"Access(base_url={self.base_url!r}, fault={self.fault!r})"


def access(provider: Provider, environment: Mapping[str, str]) -> Access:
    """The access that an environment gives."""
    url = provider.base_url or environment.get(provider.base_url_env, "").strip()
    credential = environment.get(provider.credential_env, "").strip() if provider.credential_env else ""
    if fault := _url_fault(provider, url):
        return Access("", "", fault)
    if provider.credential_env and not credential:
        return Access(url, "", f"the environment has no {provider.credential_env}")
    if not (credential.isascii() and credential.isprintable()):
        return Access(url, "", f"{provider.credential_env} holds characters that no credential has")
    return Access(url.rstrip("/"), credential, "")


def _url_fault(provider: Provider, url: str) -> str:
    source = provider.base_url_env or "base_url"
    if not url:
        return f"the environment has no {source}"
    import httpx

    try:
        parts = urlsplit(url)
        host = httpx.URL(url).host
        legal = parts.scheme in ("http", "https") and bool(host) and (parts.port or 1) > 0
    except (ValueError, httpx.InvalidURL):
        legal = False
    if not legal or not url.isascii() or not url.isprintable() or " " in url:
        return f"{source} is no http or https address"
    if parts.query or parts.fragment or parts.username is not None or parts.password is not None:
        return f"{source} has a query, a fragment or a user, which an address must not have"
    return ""


class Redactor:
    """Replaces a credential in every form in which the secret scan would find it, and a short one as it is, too."""

    def __init__(self, credential: str) -> None:
        raw = credential.encode()
        forms = {raw, base64.b64encode(raw), *credentials.forms(credential)}
        self.forms = sorted((form for form in forms if form), key=lambda form: (-len(form), form))
        self.longest = len(self.forms[0]) if self.forms else 0

    def bytes(self, data: bytes) -> bytes:
        """The data without the credential."""
        for form in self.forms:
            if form in data:
                data = data.replace(form, REDACTED)
        return data

    def text(self, text: str) -> str:
        """The text without the credential."""
        return self.bytes(text.encode("utf-8", "surrogatepass")).decode("utf-8", "surrogatepass")


class StreamRedactor:
    """`Redactor` for data that comes in parts: the end of a part is held back while a credential may begin in it."""

    def __init__(self, redactor: Redactor) -> None:
        self._redactor, self._held = redactor, b""

    def feed(self, part: bytes) -> bytes:
        """What may be passed on now."""
        data = self._redactor.bytes(self._held + part)
        keep = max((size for size in range(1, self._redactor.longest) if self._begins(data[-size:])), default=0)
        keep = min(keep, len(data))
        self._held = data[len(data) - keep :]
        return data[: len(data) - keep]

    def end(self) -> bytes:
        """What was held back."""
        held, self._held = self._held, b""
        return held

    def _begins(self, end: bytes) -> bool:
        return any(form.startswith(end) for form in self._redactor.forms)
