"""A generated verifier in this process, made of the same text as `verify.py` but for what only people read.

What is written by hand in it is run once and holds no protocol but the one that it was last told to look at.
"""

from __future__ import annotations
import __future__

import builtins
import sys
from functools import cache, lru_cache
from importlib import import_module
from importlib.machinery import PathFinder
from types import CodeType, SimpleNamespace

from protoc_compiler import core
from protoc_compiler.emit import support as parts
from protoc_compiler.emit.deciding import deciding
from protoc_compiler.sha import built_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeAlias

Read: TypeAlias = "tuple[dict[str, list[Any]], list[tuple[Any, dict[str, Any]]], dict[str, str]]"


class Program:
    """The verifier of one protocol."""

    def __init__(self, protocol: core.Protocol) -> None:
        model = deciding(protocol, frozenset(support()))
        self.own: dict[str, Any] = {"PROTOCOL": support()["Declared"](), "UNITS_OF": {}, "INTERVALS": {}}
        self.names = {**support(), **self.own}
        self.declared = (model.tables, model.frozen_files)
        for lines in model.pieces():
            for piece in lines:
                exec(_compiled(piece), self.names)  # noqa: S102  # our own program

    def chosen(self) -> dict[str, Any]:
        """The hand-written half, which looks at this protocol from now on."""
        half = support()
        half.update(self.own)
        return half

    def read(self, folder: Any, known: dict[object, Read]) -> list[str]:
        """Read the rows of a folder; what is wrong with them. `known`: what was read of it before, by the declarations
        of those tables. Under the same ones the same rows are taken again, without what was computed of them."""
        half, protocol = self.chosen(), self.own["PROTOCOL"]
        if self.declared in known:
            rows, cells, digests = known[self.declared]
            for row, own in cells:
                row.cells = dict(own)
            half["begin"](rows, digests)
            return []
        faults: list[str] = half["read_rows"](folder)
        if not faults:
            cells = [(row, dict(row.cells)) for rows in protocol.read.values() for row in rows]
            known[self.declared] = protocol.read, cells, protocol.digests
        return faults


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


@cache
def support() -> dict[str, Any]:
    """The hand-written half in a namespace of its own, which what it imports from itself is looked up in, too.

    Python has compiled these modules before: joining and compiling their text takes ten times as long.
    """
    made: dict[str, Any] = {"__name__": "protoc_replay"}
    joined = _Joined()
    joined.__dict__ = made

    def own(name: str, among: Any = None, local: Any = None, taken: Any = (), level: int = 0) -> Any:
        """What an `import` of generated code gives: the joined parts for one of them, else what there is."""
        if name.startswith(f"{parts.__name__}."):
            return joined
        if name not in sys.modules:
            if name == "hashlib":  # to load it, and OpenSSL with it, takes as long as to read all rows
                return SimpleNamespace(sha256=built_in())
            if name in _LATER:
                return SimpleNamespace(**{part: _Later(name, part) for part in taken}) if taken else _Later(name)
        return __import__(name, among, local, taken, level)

    made["__builtins__"] = {**vars(builtins), "__import__": own}
    for name in parts.ORDER:
        exec(_code(f"{parts.__name__}.{name}"), made)  # noqa: S102  # our own modules
    return made


def _code(name: str) -> CodeType:
    spec: Any = PathFinder.find_spec(name, parts.__path__)
    code: CodeType = spec.loader.get_code(name)
    return code
