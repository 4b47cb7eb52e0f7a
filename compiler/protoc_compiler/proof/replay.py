"""Lets a compiled protocol decide rows: its generated verifier, in this process, on files that are held in memory."""

from __future__ import annotations

import json

from protoc_compiler import core
from protoc_compiler.drift.reads import Thing, readers
from protoc_compiler.proof.closing import Closing
from protoc_compiler.proof.program import Program, Read
from protoc_compiler.proof.scored import Scored
from protoc_runtime.record import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from protoc_compiler.proof.written import Json

_KEPT = 4
_PLAIN = ("bool", "int", "number", "real", "text", "enum", "quantity")  # kinds of values that are told in a word
_DEFINED = ("subset", "grouped", "cross", "stack", "sample")
_DECIDING = ("gates", "blockers", "checks", "verdicts", "verdict")
_programs: list[tuple[core.Protocol, Program]] = []


class NotReplayed(Exception):
    """The rows could not be decided; the text says why."""


class Folder:
    """The rows of a witness as the files of a folder, as far as the reader of a verifier looks at one.

    It reads the same bytes as from a disk. They are written once for both protocols, each of which sees its own tables,
    and read once where both declare these alike.
    """

    def __init__(self, rows: Json) -> None:
        self.rows = rows
        self.names: frozenset[str] = frozenset()  # of the tables that are there
        self.written: dict[str, bytes] = {}
        self.parsed: dict[object, Read] = {}

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


def results(protocol: core.Protocol, rows: Folder, *, beside: bool = False) -> dict[str, Any]:
    """What the compiled protocol says of the rows, as the JSON of `score` but for a digest. Raises `NotReplayed`.

    With `beside` also the definitions that rules may read without any metric: values of the study; of how many rows a
    condition is true; how many rows a defined table has; and what the rules look at inside.
    """
    program = _program(protocol)
    half = program.chosen()
    try:
        faults = program.read(rows.of(protocol), rows.parsed)
        if faults:
            raise NotReplayed(_invalid(protocol, faults[0]))
        broken = _broken(protocol, half["expectations"]())
        if broken:
            raise NotReplayed(f"no rows of these counts were found that are as the protocol expects: {broken[0]}")
        found: dict[str, Any] = half["results"](protocol.id, protocol.version, "", protocol.released)
        return {**found, **_beside(protocol, program, half)} if beside else found
    except half["Stopped"] as stopped:
        raise NotReplayed(f"the rows of the witness cannot be decided: {stopped}") from None


def _beside(protocol: core.Protocol, program: Program, half: dict[str, Any]) -> dict[str, Any]:
    """What is told of a case only."""
    from protoc_compiler.proof.parts import inside

    return {"beside": _defined(protocol, half), "inside": inside(protocol, program.names, half)}


def _defined(protocol: core.Protocol, half: dict[str, Any]) -> dict[Thing, Any]:
    """What is defined, by what it is, each as the JSON of `score` has a metric."""
    made: dict[Thing, Any] = {}
    for item in protocol.of("definitions"):
        if not item.per and item.type.kind in _PLAIN:
            made["item", "definitions", item.name] = half["to_json"](half["valued"]("definitions", item.name))
    for table in protocol.tables:
        if table.kind in _DEFINED:
            made["table", table.name] = {"num": len(half["known_rows"](table.name)), "den": 1}
        for column in table.columns:
            if column.expr is not None and column.type.kind == "bool":
                rows = half["known_rows"](table.name)
                true = sum(row[column.name] is True for row in rows)
                made["column", table.name, column.name] = {"num": true, "den": len(rows)}
    return made


def _invalid(protocol: core.Protocol, fault: str) -> str:
    """Why rows that were made of counts cannot be read, in words for a reader of the comparison."""
    for table in protocol.tables:
        for column in table.columns if fault.startswith(f"{table.name} line ") else ():
            if column.type.kind == "row" and f", field {column.name}: null," in fault:
                whole, part = f"`{column.type.table}`", f"`{table.name}`"
                return f"counts alone do not tell to which rows of {whole} those of {part} belong, so none were made"
    return f"the rows of the witness are not valid rows: {fault}"


def _broken(protocol: core.Protocol, told: list[str]) -> list[str]:
    """The broken expectations but for those that say nothing of the rows that are scored."""
    if not told:
        return []
    unsaid = [f"expectation {name}:" for name in Scored(protocol, Closing(protocol)).left_out()]
    return [text for text in told if not any(name in text for name in unsaid)]


def good(protocol: core.Protocol, found: dict[str, Any], space: str, name: str) -> bool:
    """Whether the results say that a gate holds, a blocker does not fire, the verdict is released (as this word)."""
    if space == "verdict":
        return bool(found["released"]) and name in ("verdict", found["verdict"])
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


def _program(protocol: core.Protocol) -> Program:
    """The verifier of a protocol; the last few are kept."""
    for known, program in _programs:
        if known is protocol:
            return program
    made = Program(_without_draws(protocol))
    _programs.append((protocol, made))
    del _programs[:-_KEPT]
    return made


def _without_draws(protocol: core.Protocol) -> core.Protocol:
    """The protocol with one draw for each interval that no rule reads: thousands take seconds, and decide nothing."""
    if not protocol.intervals:
        return protocol
    reading = readers(protocol)
    kept = [
        any(thing[0] == "item" and thing[1] in _DECIDING for thing in reading.above([("interval", interval.name)]))
        for interval in protocol.intervals
    ]
    pairs = zip(protocol.intervals, kept, strict=True)
    return replace(protocol, intervals=tuple(one if read else replace(one, draws=1) for one, read in pairs))
