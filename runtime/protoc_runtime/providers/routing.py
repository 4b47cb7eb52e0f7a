"""Which provider a request is for, and whether it may be sent.

An address is `/<token>/<provider><path>`: the token stands for one case. A request that comes to one provider with
the method and path of another is that other's: programs that have one base address for everything are seen through.
"""

from __future__ import annotations

import posixpath
import secrets
from asyncio import Task
from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote

from protoc_runtime.procedure import Provider
from protoc_runtime.providers.answers import parse_request
from protoc_runtime.providers.refusals import Refusal
from protoc_runtime.record import record


class Ticket:
    """The address of one case: what is under way for it, and the bodies whose calls have failed for good."""

    def __init__(self, case: str) -> None:
        self.case, self.token = case, secrets.token_hex(16)
        self.tasks: set[Task[Any]] = set()
        self.failed: set[tuple[str, str]] = set()
        self.ended = False


@record
class Route:
    """A provider and the rest of the path, with its query."""

    provider: Provider
    path: str


def split(target: str) -> tuple[str, str, str]:
    """Token, name of the provider and rest of the path of a request's target; "" where they are lacking."""
    _, _, rest = target.partition("/")
    token, _, rest = rest.partition("/")
    name, slash, rest = rest.partition("/")
    return token, name, slash + rest


def route(providers: Mapping[str, Provider], name: str, method: str, path: str) -> Route | None:
    """The provider that a request is for; None if its address names none."""
    named = providers.get(name)
    if named is None:
        return None
    if (named.method, named.path) != (method, path):
        for other in providers.values():
            meant = plain(path) if other.forbidden else path
            if (other.method, other.path) == (method, meant):
                return Route(other, path)
    return Route(named, path)


def plain(path: str) -> str:
    """A path as servers understand it: without query, percent signs, `.`, `..` and repeated or last slashes."""
    bare = unquote(path.partition("?")[0].partition("#")[0])
    return posixpath.normpath("/" + bare.lstrip("/"))


def closed(found: Route, ticket: Ticket, method: str, fault: str) -> Refusal | None:
    """Why a request is refused whatever it asks, or None."""
    provider = found.provider
    if provider.forbidden:
        return Refusal("forbidden", f"the protocol forbids every call to {provider.name}; this one was counted")
    if ticket.ended:
        return Refusal("ended", "the case of this address has ended")
    if found.path != provider.path:
        return Refusal("path", f"the protocol declares {provider.method} {provider.path} of {provider.name} only")
    if method != provider.method:
        return Refusal("method", f"the protocol declares {provider.method} {provider.path} of {provider.name} only")
    if fault:
        return Refusal("unusable", f"{provider.name} cannot be called: {fault}")
    return None


@record
class Content:
    """What a request's body says: its model and how many vectors it asks for."""

    model: str | None = None
    inputs: int | None = None
    others: tuple[str, ...] = ()  # names that some servers read as `model`, too: those of Go know no case


def content(body: bytes) -> Content:
    """What a body says, as far as it is JSON. Raises ValueError where it is none."""
    value = parse_request(body)
    if not isinstance(value, dict):
        raise ValueError("the body is not an object")
    model = value.get("model")
    others = tuple(name[:60] for name in value if name != "model" and name.casefold() == "model")
    return Content(model[:200] if isinstance(model, str) else None, _inputs(value.get("input")), others)


def pinned(provider: Provider, body: bytes) -> tuple[Content, Refusal | None]:
    """What a body says, and why it is refused: where a model is pinned, it must name just that one."""
    try:
        found = content(body)
    except ValueError as fault:
        return Content(), Refusal("no_json", str(fault)) if provider.model else None
    if provider.model and found.others:
        words = f"the protocol pins the model {provider.model!r}; the request has also {found.others[0]!r}"
        return found, Refusal("model", words)
    if provider.model and found.model != provider.model:
        named = "no model" if found.model is None else f"the model {found.model!r}"
        return found, Refusal("model", f"the protocol pins the model {provider.model!r}; the request names {named}")
    return found, None


def _inputs(given: Any) -> int | None:
    if isinstance(given, str):
        return 1
    if not isinstance(given, list) or not given:
        return None
    return 1 if isinstance(given[0], int) else len(given)
