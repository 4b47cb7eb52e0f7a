"""The room as a web application: one page, its files, and the few things that it asks and does."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, select_autoescape
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from protoc_runtime.room.desk import Desk
from protoc_runtime.room.guard import LARGEST, Guard, Sessions
from protoc_runtime.room.steps import Fault

HERE = Path(__file__).parent
_USED = "This link was used already, or belongs to an earlier start of the room. Each link opens the room once."
_NO_ENTRY = "The room is opened by the link that `protoc adjudicate --serve` has printed."
_STALE = "This page belongs to an earlier start of the room. Open the new link; nothing that you did is lost."
Handler = Callable[[Request, str], Awaitable[Response]]


def application(desk: Desk, sessions: Sessions, hosts: frozenset[str]) -> Starlette:
    """The room for one desk."""
    room = _Room(desk, sessions)
    return Starlette(
        routes=[
            Route("/", room.page),
            Route("/enter/{token}", room.enter),
            Route("/api/desk", room.desk),
            Route("/api/act", room.act, methods=["POST"]),
            Mount("/static", StaticFiles(directory=HERE / "static")),
        ],
        middleware=[Middleware(Guard, hosts=hosts)],
    )


class _Room:
    def __init__(self, desk: Desk, sessions: Sessions) -> None:
        self._desk, self._sessions = desk, sessions
        loader = FileSystemLoader(HERE / "templates")
        self._pages = Environment(loader=loader, autoescape=select_autoescape(default=True))

    async def enter(self, request: Request) -> Response:
        """Exchange a one-time link for a cookie."""
        cookie = self._sessions.enter(request.path_params["token"])
        if cookie is None:
            if self._rater(request) is not None:
                return RedirectResponse("/", 303)
            return self._door(_USED, 403)
        answer = RedirectResponse("/", 303)
        answer.set_cookie(self._sessions.cookie, cookie, httponly=True, samesite="strict", path="/")
        return answer

    async def page(self, request: Request) -> Response:
        """The page of a rater; what it shows is asked for by its script."""
        if self._rater(request) is None:
            return self._door(_NO_ENTRY, 403)
        return HTMLResponse(self._pages.get_template("room.html").render(title=self._desk.stage.declared.title))

    async def desk(self, request: Request) -> Response:
        """The parts of the rater, and how far they are."""
        rater = self._rater(request)
        return _stale() if rater is None else JSONResponse(self._desk.view(rater))

    async def act(self, request: Request) -> Response:
        """Whatever changes or is recorded: a name, that a row is shown, a step, a lock."""
        rater = self._rater(request)
        if rater is None:
            return _stale()
        try:
            return JSONResponse(self._done(rater, _wanted(await _body(request))))
        except Fault as fault:
            return JSONResponse({"fault": str(fault)}, 409)

    def _done(self, rater: str, wanted: dict[str, Any]) -> dict[str, Any]:
        act, part, row = wanted["act"], wanted["part"], wanted["row"]
        if act == "name":
            self._desk.enter(rater, wanted["name"])
        elif act == "lock":
            self._desk.lock(rater, part)
        elif act == "show":
            return {"row": self._desk.show(rater, part, row), "desk": self._desk.view(rater)}
        else:
            return {"row": self._desk.act(rater, part, row, wanted), "desk": self._desk.view(rater)}
        return {"desk": self._desk.view(rater)}

    def _rater(self, request: Request) -> str | None:
        return self._sessions.rater(request.cookies.get(self._sessions.cookie))

    def _door(self, words: str, status: int) -> Response:
        return HTMLResponse(self._pages.get_template("door.html").render(words=words), status)


async def _body(request: Request) -> bytes:
    made = b""
    async for part in request.stream():
        made += part
        if len(made) > LARGEST:
            raise Fault("This is too much at once.")
    return made


def _wanted(data: bytes) -> dict[str, Any]:
    """What is asked for, with the fields that every request may have. Raises `Fault`."""
    try:
        given = json.loads(data)
    except (ValueError, RecursionError):
        raise Fault("This request cannot be read.") from None
    if not isinstance(given, dict):
        raise Fault("This request cannot be read.")
    wanted = {"act": "", "part": "", "row": 0, "name": ""} | given
    if type(wanted["row"]) is not int or not all(isinstance(wanted[name], str) for name in ("act", "part", "name")):
        raise Fault("This request cannot be read.")
    return wanted


def _stale() -> Response:
    return JSONResponse({"fault": _STALE}, 403)
