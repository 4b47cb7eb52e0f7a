"""Who may speak to the room: pages of its own address, with the cookie that a one-time link gave.

Every answer forbids to be framed, cached, or to load anything from elsewhere.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; font-src 'self'; "
    "form-action 'none'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
}
LARGEST = 64 * 1024  # bytes of what a page may send


class Sessions:
    """One-time links and the cookies that they were exchanged for, each of one rater."""

    def __init__(self, raters: Iterable[str], port: int) -> None:
        self.cookie = f"protoc_room_{port}"
        self.links = {secrets.token_urlsafe(24): rater for rater in raters}
        self._open: dict[str, str] = {}

    def enter(self, token: str) -> str | None:
        """The cookie for a link that was not used before, or None."""
        for link in list(self.links):
            if secrets.compare_digest(link.encode(), token.encode()):
                made = secrets.token_urlsafe(32)
                self._open[made] = self.links.pop(link)
                return made
        return None

    def rater(self, cookie: str | None) -> str | None:
        """Whose cookie this is, or None."""
        for known, rater in self._open.items():
            if cookie is not None and secrets.compare_digest(known.encode(), cookie.encode()):
                return rater
        return None


class Guard:
    """An ASGI layer that refuses every other host, origin and method, and large bodies."""

    def __init__(self, app: ASGIApp, hosts: frozenset[str]) -> None:
        self._app, self._hosts = app, hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse, or pass on."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return

        async def sealed(message: Message) -> None:
            """Send a message on; the start of an answer gets the headers that shut the page off from others."""
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers[name] = value
            await send(message)

        fault = self._fault(scope) if scope["type"] == "http" else "only pages are served"
        if not fault:
            await self._app(scope, receive, sealed)
        elif scope["type"] == "http":
            await PlainTextResponse(fault, 403)(scope, receive, sealed)

    def _fault(self, scope: Scope) -> str:
        headers = Headers(scope=scope)
        if headers.get("host") not in self._hosts:
            return "this address is not the room's"
        if scope["method"] == "GET":
            return ""  # and not HEAD: who only looks whether a link leads somewhere would use it up
        if scope["method"] != "POST":
            return "this method is not served"
        if headers.get("origin") not in {f"http://{host}" for host in self._hosts}:
            return "only the room's own page may do this"
        if headers.get("sec-fetch-site", "same-origin") != "same-origin":
            return "only the room's own page may do this"
        if headers.get("content-type", "").partition(";")[0].strip() != "application/json":
            return "only JSON is taken"
        length = headers.get("content-length", "")
        return "" if length.isdigit() and int(length) <= LARGEST else "this is too large"
