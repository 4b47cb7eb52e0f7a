"""Opening the room: a port of this machine alone, one link per rater, until it is interrupted."""

from __future__ import annotations

import socket
from collections.abc import Callable
from contextlib import suppress
from importlib.util import find_spec

from protoc_runtime.adjudication.parts import raters
from protoc_runtime.adjudication.sending import require_rater
from protoc_runtime.adjudication.stages import Stage
from protoc_runtime.catalogue import room as kinds
from protoc_runtime.diagnostics import Findings, Refused

LOOPBACK = "127.0.0.1"
NEEDED = ("starlette", "uvicorn")


def serve(stage: Stage, *, rater: str, port: int, say: Callable[[str], None]) -> None:
    """Serve until interrupted. Raises `Refused`: E2624, E2625, E2626, E1502 where another room is open."""
    require_rater(stage, rater)
    lacking = [name for name in NEEDED if find_spec(name) is None]
    if lacking:
        raise Refused([Findings().add(kinds.NOT_INSTALLED, None, package=" and ".join(lacking))])
    listener = _listen(port)
    try:
        _run(stage, listener, (rater,) if rater else raters(stage.declared), say)
    finally:
        listener.close()


def _run(stage: Stage, listener: socket.socket, names: tuple[str, ...], say: Callable[[str], None]) -> None:
    import uvicorn

    from protoc_runtime.room.desk import Desk
    from protoc_runtime.room.guard import Sessions
    from protoc_runtime.room.web import application

    port = listener.getsockname()[1]
    hosts = frozenset((f"{LOOPBACK}:{port}", f"localhost:{port}"))
    with Desk(stage) as desk:
        sessions = Sessions(names, port)
        app = application(desk, sessions, hosts)
        links = {rater: link for link, rater in sessions.links.items()}
        for name in names:
            say(f"{name or 'rater'}: http://{LOOPBACK}:{port}/enter/{links[name]}\n")
        say("Each link opens once. Every step is kept; Ctrl-C closes the room.\n")
        config = uvicorn.Config(
            app, access_log=False, log_level="error", ws="none", lifespan="off", server_header=False
        )
        with suppress(KeyboardInterrupt):  # the server hands it on once it has closed its connections
            uvicorn.Server(config).run(sockets=[listener])
        left = [part.name for part in desk.stage.turns if part.name not in desk.stage.sheets]
        say(f"not locked yet: {', '.join(left)}\n" if left else f"next: protoc verdict {stage.folder}\n")


def _listen(port: int) -> socket.socket:
    made = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((LOOPBACK, port))
        made.listen(16)
    except (OSError, OverflowError) as error:
        made.close()
        reason = getattr(error, "strerror", None) or str(error)
        raise Refused([Findings().add(kinds.NO_PORT, None, port=port, reason=reason)]) from None
    return made
