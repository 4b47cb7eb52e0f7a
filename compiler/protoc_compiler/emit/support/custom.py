"""Custom metrics: functions of the protocol's author. They are run where that is asked for; else what the bundle states
is taken, and told as not checked."""

from __future__ import annotations

import json
import subprocess
import sys
from fractions import Fraction
from typing import Any

from protoc_compiler.emit.support.values import Unworkable

RUN_CUSTOM = [False]  # whether --custom was given
STATED: dict[str, Any] = {}  # what the bundle states of its metrics
TAKEN: list[str] = []  # the metrics that were taken from there

CHILD = r"""
import decimal, fractions, json, sys
number = fractions.Fraction

def given(x):
    if not isinstance(x, dict):
        return x
    return number(x["exact"]) if "exact" in x else [given(item) for item in x["items"]]

def told(x, kind):
    kinds = {"bool": (bool,), "text": (str,), "int": (int,), "decimal": (int, float, decimal.Decimal, number)}
    if x is None:
        return None
    if not isinstance(x, kinds[kind]) or (isinstance(x, bool) and kind != "bool"):
        raise TypeError("%r is no %s" % (x, kind))
    return x if kind in ("bool", "text") else str(number(str(x)))

task, out = json.loads(sys.stdin.read()), sys.stdout
sys.stdout = sys.stderr
names = {"__name__": "custom"}
exec(compile(task["source"], task["file"], "exec"), names)
out.write(json.dumps([told(names[task["function"]](*[given(x) for x in task["operands"]]), task["gives"])]))
"""


def custom(name: str, target: str, source: str, gives: str, seconds: Any, *operands: Any) -> Any:
    """The value of a custom metric under the name that it is reported by."""
    if not RUN_CUSTOM[0]:
        if name not in STATED:
            raise Unworkable(f"the metric {name} is a function of the protocol's author ({target}): --custom runs it")
        TAKEN.append(name)
        stated = STATED[name]
        return as_given(f"{stated['num']}/{stated['den']}", gives) if isinstance(stated, dict) else stated
    file, _, function = target.rpartition(":")
    task = {"source": source, "file": file, "function": function, "gives": gives}
    task["operands"] = [operand_of(x) for x in operands]  # type: ignore[assignment]
    try:
        done = subprocess.run(  # noqa: S603 - our own interpreter, and the function that the spec pins
            [sys.executable, "-s", "-P", "-c", CHILD],
            input=json.dumps(task).encode(),
            capture_output=True,
            check=False,
            timeout=float(seconds),
            env={"PYTHONHASHSEED": "0"},
        )
        (made,) = json.loads(done.stdout)
    except subprocess.TimeoutExpired:
        raise Unworkable(f"the metric {name} took longer than {float(seconds):g} s") from None
    except ValueError:
        lines = done.stderr.decode("utf-8", "replace").strip().splitlines() or ["no answer"]
        raise Unworkable(f"the function {target} of the metric {name}: {lines[-1]}") from None
    return made if made is None or gives not in ("int", "decimal") else as_given(made, gives)


def as_given(written: str, gives: str) -> int | Fraction:
    """A number as it was written."""
    found = Fraction(written)
    return int(found) if gives == "int" else found


def operand_of(x: Any) -> Any:
    """An operand as the child reads it."""
    if isinstance(x, (tuple, list, set, frozenset)):
        return {"items": [operand_of(item) for item in x]}
    return {"exact": f"{x.numerator}/{x.denominator}"} if isinstance(x, Fraction) else x
