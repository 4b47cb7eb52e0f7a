"""What a command prints of results: the verdict first, then what speaks against it, then where everything is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from protoc_runtime.bundle import LEDGER, LOGS
from protoc_runtime.closing import Closed
from protoc_runtime.naming import rows_of, told_row
from protoc_runtime.rendering import KINDS, WAITS, mark_of, number
from protoc_runtime.telling_providers import told_providers
from protoc_runtime.verdict_words import spoken

if TYPE_CHECKING:
    from protoc_runtime.adjudication.verdict import Decided
    from protoc_runtime.why import Difference, Why

REASONS = 3  # so many reasons why cases have no score are told
REASON = 200  # characters of each
SHOWN = 6  # so many metrics have a line each; more are told in one paragraph


def told(closed: Closed | Decided, place: str) -> str:
    """The end of a run, for people."""
    receipt = closed.receipt
    logs = receipt["unscored"] and (closed.bundle / LOGS).is_dir()
    where = [f"what the subject printed: {place}/{LOGS}"] if logs else []
    return "".join(f"{line}\n" for line in (*_run_lines(receipt, closed.bundle / LEDGER), *where, f"bundle: {place}"))


def told_results(results: Mapping[str, Any]) -> str:
    """The results of `score`, for people."""
    lines = [f"verdict: {spoken(results['verdict'])} ({_released(results)})"]
    for reason in results.get("reasons", []):
        lines += [reason, *(f"  {told_row(row)}" for row in rows_of(results, reason))]
    for space in ("metrics", "gates", "blockers", "checks", "verdicts", "statuses", "lists"):
        values = results.get(space, {}).items()
        lines += [f"{space} {name}: {mark_of(results, space, name) or plain(value)}" for name, value in values]
    return "".join(f"{line}\n" for line in lines)


def told_why(found: Why) -> str:
    """How one case was decided, for people: its outcome and rows, what it changed, and last the numbers it entered."""
    case = found.case
    reason = f": {case['reason']}" if case.get("reason") else ""
    lines = [KINDS[found.kind]] if found.kind in KINDS else []
    lines.append(f"case {case.get('case', '')}: {case.get('outcome', 'no outcome')}{reason}")
    lines += [f"  {name}: {_cell(value)}" for name, value in dict(case.get("row") or {}).items()]
    for table, rows in found.rows.items():
        lines.append(f"{table}: {len(rows)} {'row' if len(rows) == 1 else 'rows'}")
        lines += ["  " + ", ".join(f"{name} {_cell(value)}" for name, value in row.items()) for row in rows]
    if found.against:
        lines += ["a row of it made fail:", *(f"  {reason}" for reason in found.against)]
    if found.fault:
        lines.append(f"without it the rules cannot be applied: {found.fault}")
    else:
        lines += [*_changed(found.differences), *_unchanged(found.same)]
    return "".join(f"{line}\n" for line in lines)


def _changed(differences: Iterable[Difference]) -> Iterator[str]:
    rest = [one for one in differences if one.space != "metrics"]
    numbers = [one for one in differences if one.space == "metrics"]
    yield "with it, and without it:" if rest or numbers else "nothing would be different without it"
    for one in rest if len(numbers) > SHOWN else [*rest, *numbers]:
        yield f"  {f'{one.space} {one.name}'.strip()}: {_both(one)}"
    if len(numbers) > SHOWN:
        told = [f"{one.name} {_short(one.with_case)} (without it {_short(one.without)})" for one in numbers]
        yield from _wrapped(f"  {len(numbers)} metrics: ", "; ".join(told))


def _both(one: Difference) -> str:
    """The values with and without the case; of long lists only what is in one of them."""
    both = (one.with_case, one.without)
    if all(isinstance(value, list) for value in both) and max(map(len, both)) > SHOWN:
        only = [[item for item in a if item not in b] for a, b in (both, both[::-1])]
        parts = [f"{plain(items)} {words} it" for items, words in zip(only, ("with", "without"), strict=True) if items]
        return f"of {len(one.with_case)}: {'; '.join(f'only {part}' for part in parts) or 'in another order'}"
    return f"{plain(one.with_case)}, without it {plain(one.without)}"


def _unchanged(same: Iterable[tuple[str, str]]) -> Iterator[str]:
    names = [f"{space} {name}".strip() for space, name in same if space != "metrics"]
    numbers = sum(space == "metrics" for space, _ in same)
    names += [f"{numbers} {'metric' if numbers == 1 else 'metrics'}"] if numbers else []
    if names:
        yield from _wrapped("the same without it: ", ", ".join(names))


def _wrapped(head: str, words: str) -> Iterator[str]:
    from textwrap import wrap

    yield from wrap(head + words, 110, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False)


def _short(value: Any) -> str:
    """A value without its decimals: `87/96`."""
    return plain(value).partition(" = ")[0]


def _cell(value: Any) -> str:
    from protoc_runtime.reading import write_jsonl

    return write_jsonl([{"": value}]).decode("utf-8").strip()[4:-1]


def plain(value: Any) -> str:
    """A value on a terminal: numbers with their counts, no markup to escape."""
    return number(value).replace("\\", "")


def _run_lines(receipt: Mapping[str, Any], ledger: Path) -> Iterator[str]:
    mark = KINDS.get(receipt["run"]["kind"])
    if mark:
        yield mark
    yield f"verdict: {spoken(receipt['verdict'])} ({_released(receipt)})"
    if receipt["run"].get("stopped"):
        yield f"  stopped before any row was read and any split was spent: {receipt['run']['stopped']}"
    if "blocked" in receipt:
        yield f"  secret scan: {receipt['blocked']['because']}; the rules give {spoken(receipt['blocked']['verdict'])}"
    numbers = {rule["name"]: rule["numbers"] for rule in receipt["rules"] if rule["against"]}
    for reason in receipt["results"].get("reasons", []):
        yield f"  {reason}"
        yield from (f"    {told_row(row)}" for row in rows_of(receipt["results"], reason))
        read = numbers.get(reason.partition(": ")[0], {})
        yield from (f"    {name} is {plain(value)}" for name, value in read.items())
    if "pending" in receipt:
        number = sum(map(len, receipt["pending"].values()))
        wait = "value waits" if number == 1 else "values wait"
        yield f"  {number} {wait} for people: `protoc adjudicate`, then `protoc verdict`"
    yield from _open_walls(receipt)
    yield from told_providers(receipt, ledger)
    counters = receipt["counters"]
    if counters["cases"]:
        parts = [
            f"{counters[name]} {name.replace('_', ' ')}" for name in counters if name != "cases" and counters[name]
        ]
        yield f"cases: {counters['cases']}: {', '.join(parts)}"
        yield from _unscored(receipt["unscored"])
    late = receipt.get("pending", {}).get("metrics", ())
    for name, value in receipt["results"].get("metrics", {}).items():
        yield f"  {name}: {WAITS if name in late else mark_of(receipt['results'], 'metrics', name) or plain(value)}"


def _unscored(cases: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Why cases have no score: the most frequent reasons, each with the first case."""
    groups: dict[tuple[str, str], list[str]] = {}
    for case in cases:
        reason = " ".join(str(case["reason"] or "").split())[:REASON]
        groups.setdefault((case["outcome"].replace("_", " "), reason), []).append(str(case["case"]))
    ranked = sorted(groups.items(), key=lambda item: -len(item[1]))
    for (outcome, reason), keys in ranked[:REASONS]:
        first = f"first {keys[0]}" if len(keys) > 1 else keys[0]
        yield f"  {len(keys)} {outcome}: {reason or 'no reason is known'} ({first})"
    if len(ranked) > REASONS:
        yield f"  and {len(ranked) - REASONS} more reasons; RECEIPT.md has them"


def _open_walls(receipt: Mapping[str, Any]) -> Iterator[str]:
    """What a program could have done beside what was recorded."""
    for claim in receipt["claims"]:
        if claim.get("open") in ("command", "http"):
            yield f"  only attested: {claim['says']} ({claim['evidence']})"


def _released(found: Mapping[str, Any]) -> str:
    return "released" if found["released"] else "not released"
