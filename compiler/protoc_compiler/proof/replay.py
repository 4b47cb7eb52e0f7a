"""Lets a compiled protocol decide rows: its generated verifier, in this process, on files in a folder of its own."""

from __future__ import annotations
import __future__

import builtins
import json
import tempfile
from functools import cache, lru_cache
from importlib.machinery import PathFinder
from pathlib import Path
from types import CodeType
from typing import Any

from protoc_compiler import core
from protoc_compiler.drift.reads import Readers
from protoc_compiler.emit import support
from protoc_compiler.proof.closing import Closing
from protoc_compiler.proof.realise import Json
from protoc_compiler.proof.scored import Scored
from protoc_runtime.record import replace

_KEPT = 4
_DECIDING = ("gates", "blockers", "checks", "verdicts", "verdict")
_programs: list[tuple[core.Protocol, dict[str, Any]]] = []


class NotReplayed(Exception):
    """The rows could not be decided; the text says why."""


def results(protocol: core.Protocol, rows: Json) -> dict[str, Any]:
    """What the compiled protocol says of the rows, as the JSON of `score`. Raises `NotReplayed`."""
    program = _program(protocol)
    own = {table.name for table in protocol.tables if table.kind == "input"}
    with tempfile.TemporaryDirectory(prefix="protoc-proof-") as folder:
        for name in sorted(own):
            lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows.get(name, []))
            (Path(folder) / f"{name}.jsonl").write_text(lines, encoding="utf-8", newline="\n")
        try:
            faults = program["read_rows"](Path(folder))
            if faults:
                raise NotReplayed(f"the rows of the witness are not valid rows: {faults[0]}")
            unsaid = [f"expectation {name}:" for name in Scored(protocol, Closing(protocol)).left_out()]
            broken = [text for text in program["expectations"]() if not any(name in text for name in unsaid)]
            if broken:
                raise NotReplayed(f"no rows of these counts were found that are as the protocol expects: {broken[0]}")
            found: dict[str, Any] = program["results"](*program["ABOUT"][:4])
        except program["Stopped"] as stopped:
            raise NotReplayed(f"the rows of the witness cannot be decided: {stopped}") from None
    return found


def good(protocol: core.Protocol, found: dict[str, Any], space: str, name: str) -> bool:
    """Whether the results say that a gate holds, a blocker does not fire, the verdict is released (or this word)."""
    if space == "verdict":
        return bool(found["released"]) if name == "verdict" else found["verdict"] == name
    item = next((item for item in protocol.of(space) if item.name == name), None)
    if item is None:
        return True
    values = [value for entry, value in found[space].items() if _of(entry, item)]
    if space == "gates":
        return all(value is True for value in values)
    fires = (True, None) if item.fires_undefined else (True,)
    return not any(value in fires for value in values)


def _of(entry: str, item: core.Item) -> bool:
    if not item.per:
        return entry == item.name
    return entry.startswith(item.name.partition("<")[0])


def _program(protocol: core.Protocol) -> dict[str, Any]:
    """The verifier of a protocol as a namespace; the last few are kept."""
    for known, program in _programs:
        if known is protocol:
            return program
    from protoc_compiler.emit import verify

    made = _support()
    functions, data = verify.modelled(_without_draws(protocol), frozenset(made)).pieces()
    for piece in (*functions, *data):
        exec(_compiled(piece), made)  # noqa: S102  # our own program
    _programs.append((protocol, made))
    del _programs[:-_KEPT]
    return made


def _without_draws(protocol: core.Protocol) -> core.Protocol:
    """The protocol with one draw for each interval that no rule reads: thousands take seconds, and decide nothing."""
    if not protocol.intervals:
        return protocol
    readers = Readers(protocol)
    kept = [
        any(thing[0] == "item" and thing[1] in _DECIDING for thing in readers.above([("interval", interval.name)]))
        for interval in protocol.intervals
    ]
    pairs = zip(protocol.intervals, kept, strict=True)
    return replace(protocol, intervals=tuple(one if read else replace(one, draws=1) for one, read in pairs))


@lru_cache(maxsize=1 << 10)
def _compiled(piece: str) -> CodeType:
    """Two versions of a protocol have most of their functions in common."""
    flag = __future__.annotations.compiler_flag
    made: CodeType = compile(piece, "verify.py", "exec", flags=flag, dont_inherit=True)
    return made


class _Joined:
    """The modules of `support` as one: they are one program here, as in the text of `verify.py`."""


def _support() -> dict[str, Any]:
    """The hand-written half in a namespace of its own, which what it imports from itself is looked up in, too.

    Python has compiled these modules before: joining and compiling their text takes ten times as long.
    """
    made: dict[str, Any] = {"__name__": "protoc_replay"}
    joined = _Joined()
    joined.__dict__ = made

    def own(name: str, *rest: Any) -> Any:
        """What an `import` of generated code gives: the joined parts for one of them, else what there is."""
        return joined if name.startswith(f"{support.__name__}.") else __import__(name, *rest)

    made["__builtins__"] = {**vars(builtins), "__import__": own}
    for code in _codes():
        exec(code, made)  # noqa: S102  # our own modules
    return made


@cache
def _codes() -> tuple[CodeType, ...]:
    return tuple(_code(f"{support.__name__}.{name}") for name in support.ORDER)


def _code(name: str) -> CodeType:
    spec: Any = PathFinder.find_spec(name, support.__path__)
    code: CodeType = spec.loader.get_code(name)
    return code
