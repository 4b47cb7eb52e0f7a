"""What a command prints of providers that did not answer as they should: counts and causes, from the ledger."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

CAUSES = 3  # so many causes are told of each provider, the most frequent first


def told_providers(receipt: Mapping[str, Any], ledger: Path) -> Iterator[str]:
    """A line for each provider of which an attempt came to nothing; none where every answer was acceptable."""
    if not ledger.is_file():  # of a final verdict: the run has told
        return
    lost = [told for told in receipt.get("providers", ()) if told["accepted"] < told["attempts"]]
    causes = _causes(ledger) if lost else {}
    for told in lost:
        number = f"{told['attempts']} {'attempt' if told['attempts'] == 1 else 'attempts'}"
        found = Counter(causes.get(told["provider"], {}))
        if told["unfinished"]:
            found["without an end"] = told["unfinished"]
        parts = [f"{count} {cause}" for cause, count in found.most_common(CAUSES)]
        more = ["and other causes"] if len(found) > CAUSES else []
        yield f"provider {told['provider']}: {number}, {told['accepted']} accepted: {', '.join([*parts, *more])}"


def _causes(ledger: Path) -> dict[str, Counter[str]]:
    """By provider, how often each cause stands in the ledger: `authentication (401)`, `refused (forbidden)`."""
    from protoc_runtime.ledger_file import read_events
    from protoc_runtime.providers.attempts import ENDED, REFUSED

    made: dict[str, Counter[str]] = {}
    for event in read_events(ledger):
        body = event.body
        if event.kind == REFUSED:
            made.setdefault(body["provider"], Counter())[f"refused ({body['reason']})"] += 1
        elif event.kind == ENDED and not body["acceptable"]:
            status = f" ({body['status']})" if body["status"] is not None else ""
            made.setdefault(body["provider"], Counter())[f"{body['error']}{status}"] += 1
    return made
