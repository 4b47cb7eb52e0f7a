"""The part of the receipt's page that tells of splits: what each is for, audits, and every reading."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from protoc_runtime.auditing import words
from protoc_runtime.rendering_words import escape


def splits(receipt: dict[str, Any]) -> Iterator[str]:
    """The section; nothing where the protocol has no splits."""
    if not receipt["splits"]:
        return
    head = ("split", "role", "may be used to", "this run", "baseline", "words")
    yield from ("## Splits", "", f"| {' | '.join(head)} |", "|---" * len(head) + "|")
    for split in receipt["splits"]:
        role = escape(split["role"]) + (f", was {escape(split['was'])}" if split["was"] else "")
        read = receipt["run"]["use"] if split["read"] else "not read"
        may = escape(", ".join(split["may"]) or "nothing")
        told = "; ".join(escape(part) for part in (split["says"], *split.get("terms", ())) if part)
        yield f"| {escape(split['split'])} | {role} | {may} | {read} | {escape(split['baseline'])} | {told} |"
    yield ""
    yield from _never(receipt)
    yield from _audits(receipt)
    yield from ("Every reading that this workspace's registry holds:", "")
    if not receipt["readings"]:
        yield "- none"
    yield from map(_reading, receipt["readings"], [receipt["run"]["name"]] * len(receipt["readings"]))
    yield ""


def _never(receipt: dict[str, Any]) -> Iterator[str]:
    if receipt.get("never"):
        yield "No split is ever used to (the uses above are enforced; that nothing else was done is a person's word):"
        yield ""
        yield from (*(f"- {escape(use)}" for use in receipt["never"]), "")


def _audits(receipt: dict[str, Any]) -> Iterator[str]:
    if receipt.get("audits"):
        yield from ("Audits of overlap, made with the seal; `audit.json` has them:", "")
        for audit in receipt["audits"]:
            pair = f"{escape(audit['split'])} and {escape(audit['other'])}"
            rows = f"{audit['rows']} against {audit['other_rows']} cases"
            texts = f"{audit['texts']} against {audit['other_texts']} different texts"
            how = f"{escape(audit['measure'])}; pairs: {escape(audit['method'])}"
            yield f"- {pair}: {words(audit)} ({rows}, {texts}; near-duplicates by {how})"
        yield ""


def _reading(reading: dict[str, Any], own: str) -> str:
    note = f", {escape(reading['note'])}" if reading.get("note") else ""
    run = ", this run" if reading["run"] == own else f", run `{reading['run']}`" if reading["run"] else ""
    return f"- {escape(reading['split'])}: {reading['use']}, {reading['at']}{run}{note}"
