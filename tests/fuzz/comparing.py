"""Both computations of one protocol on the same files, in one process."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from types import CodeType, ModuleType
from typing import Any

from fuzz.kinds import written
from fuzz.tables import Rows
from protoc_compiler import core, identity
from protoc_runtime.declared import Declared, load
from protoc_runtime.diagnostics import Findings, Refused
from protoc_runtime.engine.counted import counted
from protoc_runtime.evaluating import evaluate
from protoc_runtime.scoring import Digests, read_data, score

SPLIT = "# The protocol\n"  # what stands before it in `verify.py` is the same for every protocol


class Programs:
    """The two generated programs of a protocol, loaded."""

    def __init__(self, protocol: core.Protocol, rules: str, verify: str) -> None:
        self.declared: Declared = load(identity.canonical(protocol))
        self.rules = ModuleType("generated_rules")
        self.rules.__file__ = None  # it is in no package
        exec(compile(rules, "rules.py", "exec"), self.rules.__dict__)
        self.last: dict[str, Any] = {}  # what the engine said last
        self.alone: dict[str, Any] = {"__name__": "generated_verify"}
        head, _, tail = verify.partition(SPLIT)
        exec(_compiled(head), self.alone)
        exec(compile("from __future__ import annotations\n" + tail, "verify.py", "exec"), self.alone)

    def engine(self, folder: Path) -> dict[str, Any]:
        """What the engine makes of the rows: the results as JSON, or the ids of what stops it."""
        try:
            scored = score(self.declared, self.rules, folder)
        except Refused as refused:
            return stopped([item.id for item in refused.diagnostics])
        return computed(scored.results) | {"unexpected": len(scored.warnings)}

    def from_counts(self, folder: Path) -> dict[str, Any] | None:
        """The same where tables are counted, however small; None where no table of the rules can be."""
        if all(rule.counted is None for rule in self.rules.rules.tables.values()):
            return None
        try:
            tables = counted(self.rules.rules, read_data(self.declared, folder, Findings()), least=1)
            unexpected = sum(held is not True for *_, held in self.rules.expectations(tables))
            made = evaluate(self.declared, self.rules, tables, Digests(self.declared, folder))
        except Refused as refused:
            return stopped([item.id for item in refused.diagnostics])
        return computed(made) | {"unexpected": unexpected}

    def verifier(self, folder: Path) -> dict[str, Any]:
        """The same of the verifier."""
        most = sys.get_int_max_str_digits()
        sys.set_int_max_str_digits(0)  # as it does when it is a program of its own
        try:
            if self.alone["read_rows"](folder):
                return stopped(["E10"])
            unexpected = len(self.alone["expectations"]())
            return dict(self.alone["results"](*self.alone["ABOUT"][:4])) | {"unexpected": unexpected}
        except self.alone["Stopped"] as fault:
            return stopped([fault.fault])
        finally:
            sys.set_int_max_str_digits(most)


def computed(results: Mapping[str, Any]) -> dict[str, Any]:
    """Results without the rows that the engine names for people, which `verify.py` does not."""
    return {name: value for name, value in results.items() if name != "rows"}


def stopped(ids: list[str]) -> dict[str, Any]:
    """A run that is stopped; a fault of a row is one, whichever it is."""
    return {"stopped": sorted({"E10" if each.startswith("E10") else each for each in ids if each.startswith("E")})}


@cache
def _compiled(head: str) -> CodeType:
    return compile(head, "verify.py", "exec")


def put(folder: Path, rows: Rows) -> None:
    """Rows as files."""
    for name, found in rows.items():
        (folder / f"{name}.jsonl").write_text("".join(written(row) + "\n" for row in found), "utf-8")


def differences(programs: Programs, rows: Rows) -> dict[str, Any]:
    """What the two say differently: by key of the results, the engine's value and the verifier's."""
    with TemporaryDirectory() as name:
        put(Path(name), rows)
        engine, verifier = programs.engine(Path(name)), programs.verifier(Path(name))
        counts = programs.from_counts(Path(name))
    programs.last = engine
    found = difference(engine, verifier)
    return found or {f"counted {key}": value for key, value in difference(engine, counts or engine).items()}


def difference(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    """Where two results differ."""
    found = {}
    for key in sorted(one.keys() | other.keys()):
        mine, theirs = one.get(key), other.get(key)
        if repr(mine) == repr(theirs):
            continue  # the order of entries included
        inner = difference(mine, theirs) if isinstance(mine, dict) and isinstance(theirs, dict) else {}
        found[key] = inner or (mine, theirs)
    return found
