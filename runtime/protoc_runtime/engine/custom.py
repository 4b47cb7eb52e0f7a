"""Custom metrics: a function of the author's, run in a process of its own, with a time limit and typed values.

What it gives is outside of what is checked: nothing but the function says what it means.
"""

from __future__ import annotations

import json
import subprocess
import sys
from fractions import Fraction
from typing import Any

import polars as pl

from protoc_runtime.catalogue import rules as kinds
from protoc_runtime.engine.exact import Real
from protoc_runtime.engine.faults import stop
from protoc_runtime.engine.numbers import numbers
from protoc_runtime.engine.plain import Plain
from protoc_runtime.engine.vec import Bools, Vec, aligned, lift

WORKER = """
import json, sys
from decimal import Decimal
from fractions import Fraction

def read(given):
    if isinstance(given, dict):
        return [read(item) for item in given["list"]] if "list" in given else Fraction(given["number"])
    return given

def plain(found, kind):
    if found is None:
        return None
    whole = isinstance(found, int) and not isinstance(found, bool)
    if kind in ("bool", "text") and type(found) is {"bool": bool, "text": str}[kind]:
        return found
    if kind == "int" and whole:
        return str(found)
    if kind == "decimal" and (whole or isinstance(found, (float, Decimal, Fraction))):
        return str(Fraction(str(found)))
    raise TypeError(f"it gives {found!r}, which is no {kind}")

asked = json.load(sys.stdin)
answer = sys.stdout
sys.stdout = sys.stderr
space = {"__name__": "custom"}
try:
    exec(compile(asked["source"], asked["file"], "exec"), space)
    function = space[asked["function"]]
    made = [plain(function(*map(read, call)), asked["gives"]) for call in asked["calls"]]
    json.dump({"made": made}, answer)
except BaseException as fault:
    json.dump({"fault": f"{type(fault).__name__}: {fault}"}, answer)
"""


def custom(name: str, target: str, source: str, gives: str, seconds: Fraction, *args: object) -> Vec:
    """The values of a custom metric, one per tuple of its operands. An operand that is undefined is None to the
    function, and None from it is undefined.

    Stops the run (E1259) if the function raises, gives another type, or takes longer than `seconds` for all calls.
    """
    vecs = aligned(*map(lift, args)) if args else [lift(True)]
    columns = [vec.values() for vec in vecs] if args else []
    calls = [[_written(value) for value in row] for row in zip(*columns, strict=True)] if args else [[]]
    made = [_value(value, gives) for value in _asked(name, target, source, gives, seconds, calls)]
    context = vecs[0].context
    if gives == "bool":
        return Bools(context, pl.Series(made, dtype=pl.Boolean))
    if gives == "text":
        return Plain(context, pl.Series(made, dtype=pl.String), "text")
    return numbers(context, made, whole=gives == "int")


def _asked(name: str, target: str, source: str, gives: str, seconds: Fraction, calls: list[Any]) -> list[Any]:
    file, _, function = target.rpartition(":")
    asked = {"source": source, "file": file, "function": function, "gives": gives, "calls": calls}
    program = [sys.executable, "-s", "-P", "-c", WORKER]
    try:
        done = subprocess.run(  # noqa: S603 - our own interpreter
            program, input=json.dumps(asked), capture_output=True, text=True, encoding="utf-8",
            timeout=float(seconds), env={"PYTHONHASHSEED": "0"}, check=False,
        )  # fmt: skip
        found = json.loads(done.stdout)
    except subprocess.TimeoutExpired:
        stop(kinds.CUSTOM_FAILED, name=name, target=target, reason=f"it took longer than {float(seconds):g} s")
    except ValueError:
        reason = f"its process ended with status {done.returncode} and no answer"
        stop(kinds.CUSTOM_FAILED, name=name, target=target, reason=reason)
    if "fault" in found:
        stop(kinds.CUSTOM_FAILED, name=name, target=target, reason=found["fault"])
    made: list[Any] = found["made"]
    return made


def _value(told: Any, gives: str) -> Any:
    if told is None or gives not in ("int", "decimal"):
        return told
    return int(told) if gives == "int" else Fraction(told)


def _written(value: Any) -> Any:
    """An operand as the worker reads it: whole numbers, texts, conditions as they are, others by their exact value."""
    if isinstance(value, (tuple, list, set, frozenset)):
        return {"list": [_written(item) for item in value]}
    if isinstance(value, Fraction) and not isinstance(value, Real):
        return {"number": f"{value.numerator}/{value.denominator}"}
    return value
