"""What a receipt tells of the procedure: the target, each provider with its counters and costs, the rules of conduct.

Made from the protocol and the ledger alone, so that whoever verifies a bundle makes it once more and compares.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from protoc_runtime.chain import Line
from protoc_runtime.conduct import conduct
from protoc_runtime.declared import Declared
from protoc_runtime.phases.receipt import entered
from protoc_runtime.procedure import Provider, Target


def sections(declared: Declared, events: Iterable[Line]) -> dict[str, Any]:
    """The parts `entered`, `target`, `providers` and `conduct` of a receipt; each is there if the protocol has some of
    it."""
    lines = list(events) if declared.target is not None or declared.providers or declared.phases else []
    made: dict[str, Any] = {}
    if (way := entered(declared, lines)) is not None:
        made["entered"] = way
    if declared.target is not None:
        made["target"] = _target(declared.target, lines)
    if declared.providers:
        made["providers"] = [_provider(provider, lines) for provider in declared.providers]
    rules = [{"rule": rule.name, "says": rule.says, "how": rule.how} for rule in conduct(declared)]
    return made | ({"conduct": rules} if rules else {})


def _target(target: Target, events: Sequence[Line]) -> dict[str, Any]:
    """The pinned commit, what its worktree was at the start and at the finish, and the digests of declared files."""
    from protoc_runtime.target import OPENED, target_facts

    facts = target_facts(events, target.commit)
    opened = [event.body for event in events if event.kind == OPENED]
    counts = {name: opened[-1][name] for name in ("files", "bytes", "left_out")} if opened else {}
    names = [name for name, _ in target.digests]
    return {
        "pinned": target.commit,
        **{name: facts[name] for name in ("commit", "detached", "clean_at_start", "clean_at_finish", "first_read")},
        **counts,
        "digests": {name: facts[name] for name in names if name in facts},
    }


def _provider(provider: Provider, events: Sequence[Line]) -> dict[str, Any]:
    """What was pinned of a provider and what was seen; the counters are zero where nothing called it."""
    from protoc_runtime.providers.rows import calls

    told = calls(events, provider.name)
    ended = list(_ended(events, provider.name))
    answer = provider.answer
    return {
        "provider": provider.name,
        "request": f"{provider.method} {provider.path}",
        "forbidden": provider.forbidden,
        "usable": told.usable,
        "model": provider.model,
        "models": _counted(body.get("model") for body in ended),
        "dimension": None if answer is None else answer.dimension,
        "dimensions": _counted(body.get("dimension") for body in ended),
        "attempts": told.attempts,
        "calls": told.calls,
        "refused": told.refused,
        "retried": sum(bool(body["retried"]) for body in ended),
        "accepted": sum(bool(body["acceptable"]) for body in ended),
        "unfinished": told.attempts - told.refused - len(ended),
        "cost": dict(told.cost),
    }


def _ended(events: Iterable[Line], provider: str) -> Iterator[Mapping[str, Any]]:
    from protoc_runtime.providers.attempts import ENDED

    return (event.body for event in events if event.kind == ENDED and event.body["provider"] == provider)


def _counted(values: Iterable[Any]) -> dict[str, int]:
    """How often each value was seen; None is none."""
    return dict(sorted(Counter(str(value) for value in values if value is not None).items()))
