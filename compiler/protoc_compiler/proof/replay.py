"""Lets a compiled protocol decide rows: its generated verifier, in this process, on files that are held in memory."""

from __future__ import annotations
import __future__

import builtins
import json
import sys
from functools import cache, lru_cache
from importlib import import_module
from importlib.machinery import PathFinder
from types import CodeType, SimpleNamespace
from typing import Any

from protoc_compiler import core
from protoc_compiler.drift.reads import Readers
from protoc_compiler.emit import support
from protoc_compiler.emit.layout import Code, flat
from protoc_compiler.proof.closing import Closing
from protoc_compiler.proof.realise import Json
from protoc_compiler.proof.scored import Scored
from protoc_compiler.sha import built_in
from protoc_runtime.record import replace

_KEPT = 4
_DECIDING = ("gates", "blockers", "checks", "verdicts", "verdict")
_programs: list[tuple[core.Protocol, dict[str, Any]]] = []


class NotReplayed(Exception):
    """The rows could not be decided; the text says why."""


class Folder:
    """The rows of a witness as the files of a folder, as far as the reader of a verifier looks at one.

    It reads the same bytes as from a disk. They are written once for both protocols, each of which sees its own tables.
    """

    def __init__(self, rows: Json) -> None:
        self.rows = rows
        self.names: frozenset[str] = frozenset()  # of the tables that are there
        self.written: dict[str, bytes] = {}

    def of(self, protocol: core.Protocol) -> Folder:
        """The files of the tables that a protocol reads."""
        made = Folder(self.rows)
        made.names = frozenset(table.name for table in protocol.tables if table.kind == "input")
        made.written = self.written
        return made

    def __truediv__(self, path: str) -> _File:
        return _File(self, path)

    def __str__(self) -> str:
        return "the rows of the witness"

    def data(self, name: str) -> bytes:
        """The lines of a table."""
        if name not in self.written:
            lines = [_ENCODER.encode(row) + "\n" for row in self.rows.get(name, [])]
            self.written[name] = "".join(lines).encode()
        return self.written[name]


class _File:
    """A file of a folder that is held in memory."""

    def __init__(self, folder: Folder, path: str) -> None:
        self.folder, self.name = folder, path
        self.stem, _, ending = path.rpartition(".")
        self.suffix = f".{ending}"

    def is_file(self) -> bool:
        """Whether it is there."""
        return self.suffix == ".jsonl" and self.stem in self.folder.names

    def read_bytes(self) -> bytes:
        """What is in it."""
        if not self.is_file():
            raise FileNotFoundError(self.name)
        return self.folder.data(self.stem)


_ENCODER = json.JSONEncoder(ensure_ascii=False)


def results(protocol: core.Protocol, rows: Folder) -> dict[str, Any]:
    """What the compiled protocol says of the rows, as the JSON of `score`. Raises `NotReplayed`."""
    program = _program(protocol)
    try:
        faults = program["read_rows"](rows.of(protocol))
        if faults:
            raise NotReplayed(f"the rows of the witness are not valid rows: {faults[0]}")
        broken = _broken(protocol, program["expectations"]())
        if broken:
            raise NotReplayed(f"no rows of these counts were found that are as the protocol expects: {broken[0]}")
        found: dict[str, Any] = program["results"](*program["ABOUT"][:4])
    except program["Stopped"] as stopped:
        raise NotReplayed(f"the rows of the witness cannot be decided: {stopped}") from None
    return found


def _broken(protocol: core.Protocol, told: list[str]) -> list[str]:
    """The broken expectations but for those that say nothing of the rows that are scored."""
    if not told:
        return []
    unsaid = [f"expectation {name}:" for name in Scored(protocol, Closing(protocol)).left_out()]
    return [text for text in told if not any(name in text for name in unsaid)]


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
    functions, data = verify.modelled(_without_draws(protocol), frozenset(made), _on_one_line).pieces()
    for piece in (*functions, *data):
        exec(_compiled(piece), made)  # noqa: S102  # our own program
    _programs.append((protocol, made))
    del _programs[:-_KEPT]
    return made


def _on_one_line(code: Code, indent: int, used: int) -> str:
    """What is compiled and not read says the same on one line."""
    return flat(code)


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


class _Later:
    """A module of the standard library, or something in one, that is loaded when it is used: most of what a verifier
    imports is for what it does beside deciding rows."""

    def __init__(self, module: str, name: str = "") -> None:
        self._module, self._name = module, name

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loaded(), name)

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        return self._loaded()(*arguments, **named)

    def _loaded(self) -> Any:
        module = import_module(self._module)
        return getattr(module, self._name) if self._name else module


# what no verifier takes more of than attributes and calls
_LATER = frozenset(("argparse", "base64", "csv", "pathlib", "random", "statistics", "subprocess", "threading"))


def _support() -> dict[str, Any]:
    """The hand-written half in a namespace of its own, which what it imports from itself is looked up in, too.

    Python has compiled these modules before: joining and compiling their text takes ten times as long.
    """
    made: dict[str, Any] = {"__name__": "protoc_replay"}
    joined = _Joined()
    joined.__dict__ = made

    def own(name: str, among: Any = None, local: Any = None, parts: Any = (), level: int = 0) -> Any:
        """What an `import` of generated code gives: the joined parts for one of them, else what there is."""
        if name.startswith(f"{support.__name__}."):
            return joined
        if name not in sys.modules:
            if name == "hashlib":  # to load it, and OpenSSL with it, takes as long as to read all rows
                return SimpleNamespace(sha256=built_in())
            if name in _LATER:
                return SimpleNamespace(**{part: _Later(name, part) for part in parts}) if parts else _Later(name)
        return __import__(name, among, local, parts, level)

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
