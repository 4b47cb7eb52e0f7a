"""The parts of a receipt's page about what stands around the subject: target, providers, rules of conduct."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from protoc_runtime.rendering_words import code, escape


def target_part(receipt: dict[str, Any]) -> Iterator[str]:
    """The section on the target: its commit, whether it was clean, and the digests of declared files."""
    if "target" not in receipt:
        return
    target = receipt["target"]
    states = {True: "yes", False: "**no**"}
    yield from ("## Target", "")
    read = target["first_read"] or "never"
    yield f"- Pinned commit `{target['pinned']}`, found `{target['commit']}`, first read {read}"
    detached, start, finish = (states[target[name]] for name in ("detached", "clean_at_start", "clean_at_finish"))
    yield f"- Detached: {detached}; clean at the start: {start}; clean at the finish: {finish}"
    if "files" in target:
        left = f"; {target['left_out']} submodules or large files left out" if target["left_out"] else ""
        yield f"- {target['files']} files of {target['bytes']} bytes{left}"
    yield from (f"- Digest of {code(name)}: `{digest}`" for name, digest in target["digests"].items())
    yield ""


def providers_part(receipt: dict[str, Any]) -> Iterator[str]:
    """The section on providers: a row for each, with its counters as the ledger has them."""
    if "providers" not in receipt:
        return
    head = ("provider", "request", "attempts", "calls", "refused", "retried", "accepted", "model", "dimension", "cost")
    yield from ("## Providers", "", "Counted by the ledger; failed attempts keep their cost.", "")
    yield from (f"| {' | '.join(head)} |", "|---" * len(head) + "|")
    for each in receipt["providers"]:
        usable = "" if each["usable"] or each["forbidden"] else ", cannot be called"
        name = escape(each["provider"]) + (" (forbidden)" if each["forbidden"] else usable)
        counts = (str(each[part]) for part in head[2:7])
        pinned = (_pinned(each["model"], each["models"]), _pinned(each["dimension"], each["dimensions"]))
        cost = ", ".join(f"{escape(part)} {count}" for part, count in each["cost"].items())
        yield f"| {' | '.join((name, code(each['request']), *counts, *pinned, cost))} |"
    yield ""


def _pinned(pinned: Any, seen: dict[str, int]) -> str:
    """What was pinned, and what was seen how often."""
    found = ", ".join(f"{escape(value)} ({count})" for value, count in seen.items())
    must = "" if pinned in (None, "") else f"{escape(str(pinned))}; "
    return f"{must}seen {found}" if found else f"{must}none seen"


def conduct_part(receipt: dict[str, Any]) -> Iterator[str]:
    """The section on the rules of conduct: a row for each, and whether it is enforced or recorded."""
    if receipt.get("conduct"):
        yield from (
            "## Rules of conduct",
            "",
            "What follows from the keys of the procedure. *enforced*: the runner makes no",
        )
        yield "run in which it is otherwise. *recorded*: it may be otherwise, and then the ledger shows it."
        yield from ("", "| rule | how | words |", "|---|---|---|")
        for rule in receipt["conduct"]:
            yield f"| {escape(rule['rule'])} | {rule['how']} | {escape(rule['says'])} |"
        yield ""
