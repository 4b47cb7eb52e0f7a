"""Generated verifiers in tests: built from small trees, loaded in process, fed with rows."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

from protoc_compiler import core
from protoc_compiler.core import BOOL, INT, NUMBER, TEXT, Col, Const, Expr, Item, Rows, RowVar, Table, Type
from protoc_compiler.emit import verify
from unit.protocols import protocol as whole

CASES = Type("row", table="cases")
WORDS = Type("enum", members=("yes", "no"))


def cases(*more: Col, **parts: Any) -> Table:
    """A table of cases: `case`, an optional number `x`, an optional flag `right`, a group `kind`."""
    columns = (
        Col("case", TEXT, False, "input"),
        Col("x", NUMBER, True, "input"),
        Col("n", INT, True, "input"),
        Col("right", BOOL, True, "input"),
        Col("kind", WORDS, True, "input"),
        *more,
    )
    return Table("cases", "input", "cases", key=("case",), columns=columns, source="file", **parts)


def row(case: str, **cells: Any) -> dict[str, Any]:
    """A row of `cases`; what is not given is null."""
    return {"case": case, "x": None, "n": None, "right": None, "kind": None} | cells


def const(value: Any) -> Const:
    """A literal with its type."""
    kind = (
        BOOL
        if isinstance(value, bool)
        else INT
        if isinstance(value, int)
        else TEXT
        if isinstance(value, str)
        else NUMBER
    )
    return Const(kind, value)


def this(var: str = "r") -> RowVar:
    """The row of a variable."""
    return RowVar(CASES, var)


def column(name: str, kind: Type = NUMBER, var: str = "r") -> core.Column:
    """A column of the row of a variable."""
    return core.Column(kind, this(var), name)


def over(function: str, *args: Expr, rows: Rows | None = None, kind: Type = NUMBER, **options: Expr) -> core.Aggregate:
    """An aggregate over cases."""
    return core.Aggregate(kind, function, rows or Rows("r", "cases"), args, tuple(sorted(options.items())))


def metric(name: str, expr: Expr, **parts: Any) -> Item:
    """A metric."""
    return Item("metrics", name, expr.type, expr, parts.pop("text", name), **parts)


def study(*items: Item, tables: tuple[Table, ...] = (), **parts: Any) -> core.Protocol:
    """A protocol over cases with these items."""
    return whole((cases(), *tables) if not any(t.name == "cases" for t in tables) else tables, items=items, **parts)


def load(protocol: core.Protocol) -> dict[str, Any]:
    """The generated program as a namespace."""
    program: dict[str, Any] = {"__name__": "generated_verifier"}
    exec(compile(verify.render(protocol), "verify.py", "exec"), program)
    return program


def write(folder: Path, rows: dict[str, list[dict[str, Any]]]) -> Path:
    """Rows as JSON lines."""
    for name, found in rows.items():
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(each) + "\n" for each in found))
    return folder


def evaluate(protocol: core.Protocol, **rows: list[dict[str, Any]]) -> dict[str, Any]:
    """What the generated program computes from rows."""
    program = load(protocol)
    with tempfile.TemporaryDirectory() as folder:
        faults = program["read_rows"](write(Path(folder), rows))
    assert faults == []
    found: dict[str, Any] = program["results"](*program["ABOUT"][:4])
    return found


def value_of(expr: Expr, *given: dict[str, Any], **parts: Any) -> Any:
    """One formula over cases, as JSON."""
    return evaluate(study(metric("m", expr), **parts), cases=list(given))["metrics"]["m"]
