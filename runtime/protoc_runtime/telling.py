"""What a command prints of results: the verdict first, then what speaks against it, then where everything is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from protoc_runtime.closing import Closed
from protoc_runtime.rendering import KINDS, number

if TYPE_CHECKING:
    from protoc_runtime.why import Why


def told(closed: Closed, place: str) -> str:
    """The end of a run, for people."""
    receipt = closed.receipt
    return "".join(f"{line}\n" for line in (*_run_lines(receipt), f"bundle: {place}"))


def told_results(results: Mapping[str, Any]) -> str:
    """The results of `score`, for people."""
    lines = [f"verdict: {results['verdict']} ({_released(results)})", *results.get("reasons", [])]
    for space in ("metrics", "gates", "blockers", "checks", "verdicts", "statuses", "lists"):
        lines += [f"{space} {name}: {plain(value)}" for name, value in results.get(space, {}).items()]
    return "".join(f"{line}\n" for line in lines)


def told_why(found: Why) -> str:
    """How one case was decided, for people."""
    case = found.case
    reason = f": {case['reason']}" if case.get("reason") else ""
    lines = [f"case {case.get('case', '')}: {case.get('outcome', 'no outcome')}{reason}"]
    lines += [f"  {name}: {_cell(value)}" for name, value in dict(case.get("row") or {}).items()]
    for table, rows in found.rows.items():
        lines.append(f"{table}: {len(rows)} {'row' if len(rows) == 1 else 'rows'}")
        lines += ["  " + ", ".join(f"{name} {_cell(value)}" for name, value in row.items()) for row in rows]
    if found.fault:
        lines.append(f"without it the rules cannot be applied: {found.fault}")
    else:
        lines.append("with it, and without it:" if found.differences else "nothing would be different without it")
    lines += [f"  {one.name}: {plain(one.with_case)}, without it {plain(one.without)}" for one in found.differences]
    if found.same:
        lines.append(f"the same without it: {', '.join(found.same)}")
    return "".join(f"{line}\n" for line in lines)


def _cell(value: Any) -> str:
    from protoc_runtime.reading import write_jsonl

    return write_jsonl([{"": value}]).decode("utf-8").strip()[4:-1]


def plain(value: Any) -> str:
    """A value on a terminal: numbers with their counts, no markup to escape."""
    return number(value).replace("\\", "")


def _run_lines(receipt: Mapping[str, Any]) -> Iterator[str]:
    mark = KINDS.get(receipt["run"]["kind"])
    if mark:
        yield mark
    yield f"verdict: {receipt['verdict']} ({_released(receipt)})"
    for reason in receipt["results"].get("reasons", []):
        yield f"  {reason}"
    counters = receipt["counters"]
    if counters["cases"]:
        parts = [
            f"{counters[name]} {name.replace('_', ' ')}" for name in counters if name != "cases" and counters[name]
        ]
        yield f"cases: {counters['cases']}: {', '.join(parts)}"
    for name, value in receipt["results"].get("metrics", {}).items():
        yield f"  {name}: {plain(value)}"


def _released(found: Mapping[str, Any]) -> str:
    return "released" if found["released"] else "not released"
