"""The process in which a `python` subject lives: loads the callable once, then answers one case after the other.

Run as a script, with the standard library only: `worker.py REQUESTS REPLIES FILE FUNCTION [HANDED]`, where the first
two are file descriptors and the last is the file of what a subject with providers is handed beside the case; each
request then begins with a line of JSON, their addresses. A message is a length (4 bytes, big-endian) and that many
bytes of JSON. Whatever the subject does ends in one reply, or in the end of this process, which the parent sees. Its
standard output and error belong to the subject and go to the run's logs; replies have a channel of their own.
"""

from __future__ import annotations

import importlib.util
import json
import math
import os
import sys
import traceback
from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Any

LONGEST_REASON = 400
LARGEST_ANSWER = 16 * 1024 * 1024
DEEPEST_ANSWER = 64


class AnswerFault(Exception):
    """The subject's answer is not plain data."""


def main(argv: list[str]) -> None:
    """Serve until the parent closes the requests."""
    requests, replies = int(argv[1]), int(argv[2])
    for channel in (requests, replies):
        os.set_inheritable(channel, False)
    own = os.getpid()
    _die_with_parent()
    try:
        function = _load(argv[3], argv[4])
        handed = _handed(argv[5], function) if len(argv) > 5 else None
    except BaseException as fault:
        traceback.print_exc()
        _flush()
        _send(replies, {"fault": _reason(fault)})
        return
    _send(replies, {"ready": True})
    while (message := _receive(requests)) is not None:
        reply = _call(function if handed is None else handed(message), _case(message))
        _flush()
        if os.getpid() != own:
            os._exit(0)  # a fork of the subject came back here; only the original may answer
        reply["children"] = _has_children()
        _send(replies, reply)


def _load(path: str, name: str) -> Callable[[Any], Any]:
    sys.path.insert(0, os.path.dirname(path))
    made = importlib.util.spec_from_file_location(os.path.splitext(os.path.basename(path))[0], path)
    if made is None or made.loader is None:
        raise ImportError(f"{os.path.basename(path)} is not a Python file")
    module = importlib.util.module_from_spec(made)
    sys.modules[made.name] = module
    made.loader.exec_module(module)
    function = getattr(module, name, None)
    if not callable(function):
        raise AttributeError(f"{os.path.basename(path)} has no function {name!r}")
    return function  # type: ignore[no-any-return]


def _case(message: bytes) -> Any:
    return json.loads(message[message.find(b"\n") + 1 :], parse_float=Decimal)


def _handed(path: str, function: Callable[..., Any]) -> Callable[[bytes], Callable[[Any], Any]]:
    """What makes the function of one case, with the providers of this case as second parameter where it has one."""
    import inspect

    made = importlib.util.spec_from_file_location("protoc_handed", path)
    assert made is not None
    assert made.loader is not None
    module = importlib.util.module_from_spec(made)
    made.loader.exec_module(module)
    try:
        inspect.signature(function).bind(None, None)
    except (TypeError, ValueError):
        return lambda message: function

    def of_case(message: bytes) -> Callable[[Any], Any]:
        """The function for one case; the first line of its message has the addresses of its providers."""
        providers = module.Providers(json.loads(message.partition(b"\n")[0]))

        def call(case: Any) -> Any:
            """Ask the function, and close its connections whatever becomes of it."""
            try:
                return function(case, providers)
            finally:
                providers.close()

        return call

    return of_case


def _call(function: Callable[[Any], Any], case: Any) -> dict[str, Any]:
    try:
        text = "".join(encode(function(case)))
    except AnswerFault as fault:
        return {"fault": f"the answer {fault}"}
    except BaseException as fault:
        traceback.print_exc()
        return {"fault": _reason(fault)}
    if len(text) > LARGEST_ANSWER:
        return {"fault": f"the answer has {len(text)} characters, at most {LARGEST_ANSWER} are taken"}
    return {"answer": text}


def encode(value: Any, depth: int = 0) -> Iterator[str]:
    """Plain data as JSON text, numbers as the exact decimals that they show; AnswerFault for anything else."""
    if depth > DEEPEST_ANSWER:
        raise AnswerFault(f"is nested deeper than {DEEPEST_ANSWER}")
    if value is None or isinstance(value, (bool, str)):
        yield _scalar(value)
    elif isinstance(value, (int, float, Decimal)):
        yield _number(value)
    elif isinstance(value, dict):
        yield from _mapping(value, depth)
    elif isinstance(value, (list, tuple)):
        yield from _joined("[", "]", (encode(item, depth + 1) for item in value))
    elif isinstance(value, (set, frozenset)):
        yield from _joined("[", "]", iter(sorted(["".join(encode(item, depth + 1))] for item in value)))
    elif callable(getattr(value, "isoformat", None)):
        yield json.dumps(value.isoformat())
    else:
        raise AnswerFault(f"holds a value of type {type(value).__name__}, which is not plain data")


def _scalar(value: bool | str | None) -> str:
    if isinstance(value, str):
        try:
            value.encode("utf-8")
        except UnicodeEncodeError:
            raise AnswerFault("holds text that is not valid Unicode (a lone surrogate)") from None
    return json.dumps(value, ensure_ascii=False)


def _number(value: int | float | Decimal) -> str:
    if isinstance(value, int):
        return int.__repr__(value)
    if not (math.isfinite(value) if isinstance(value, float) else value.is_finite()):
        raise AnswerFault(f"holds {value}, which is not a number that can be scored")
    return float.__repr__(value) if isinstance(value, float) else str(value)


def _mapping(value: dict[Any, Any], depth: int) -> Iterator[str]:
    for key in value:
        if not isinstance(key, str):
            raise AnswerFault(f"has a key of type {type(key).__name__}; keys are text")
    yield from _joined("{", "}", ([_scalar(key), ":", *encode(item, depth + 1)] for key, item in value.items()))


def _joined(opening: str, closing: str, items: Iterator[Any]) -> Iterator[str]:
    yield opening
    for number, parts in enumerate(items):
        if number:
            yield ","
        yield from parts
    yield closing


def _reason(fault: BaseException) -> str:
    try:
        words = str(fault)
    except BaseException:
        words = ""
    text = f"raised {type(fault).__name__}" + (f": {words}" if words else "")
    return text[:LONGEST_REASON].encode("utf-8", "replace").decode("utf-8")


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except BaseException:  # noqa: S112 - the subject may have closed or replaced it
            continue


def _has_children() -> bool:
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        return False
    return True


def _die_with_parent() -> None:
    if sys.platform == "linux":
        import ctypes
        import signal

        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


def _receive(channel: int) -> bytes | None:
    head = _exactly(channel, 4)
    return None if head is None else _exactly(channel, int.from_bytes(head, "big"))


def _exactly(channel: int, size: int) -> bytes | None:
    parts = bytearray()
    while len(parts) < size:
        part = os.read(channel, size - len(parts))
        if not part:
            return None
        parts += part
    return bytes(parts)


def _send(channel: int, message: dict[str, Any]) -> None:
    data = json.dumps(message).encode()
    view = memoryview(len(data).to_bytes(4, "big") + data)
    while view:
        view = view[os.write(channel, view) :]


if __name__ == "__main__":
    main(sys.argv)
