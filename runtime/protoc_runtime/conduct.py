"""The rules of conduct that follow from the keys of `procedure`: what the runner does, as a sentence for the receipt.

An author writes `timeout: 5 s` and not a rule beside it; this module says the rule. It reads a protocol as the
compiler resolves it or as the runtime loads it: both have the same fields.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction

from protoc_runtime.phases.machine import is_machine, ways_to
from protoc_runtime.procedure import Provider
from protoc_runtime.reading.decimals import decimal_text
from protoc_runtime.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Literal


@record
class Conduct:
    """One rule. `how`: `enforced`, the runner makes no run in which it is otherwise; `recorded`, it may be otherwise,
    and then the ledger and the receipt show it."""

    name: str
    says: str
    cites: tuple[str, ...]
    how: Literal["enforced", "recorded"]


def conduct(protocol: Any) -> tuple[Conduct, ...]:
    """Every derived rule, in the order of the section `procedure`; `protocol` is a `core.Protocol` or a `Declared`."""
    return (
        *_target(protocol.target),
        *(rule for provider in protocol.providers for rule in _provider(provider)),
        *_subject(protocol.subject),
        *_phases(protocol),
        *(rule for judgement in protocol.judgements for rule in _judgement(judgement)),
        *(_hidden(entry) for entry in protocol.hidden),
        *_runner(protocol),
    )


def _cited(owner: Any, *keys: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(rule for key, rules in owner.cites if key in keys for rule in rules))


def _target(target: Any) -> Iterator[Conduct]:
    if target is None:
        return
    says = f"The target is a detached worktree at commit {target.commit}, clean at the start and at the finish."
    yield Conduct("target.commit", says, _cited(target, "repository", "commit"), "recorded")
    for name, globs in target.digests:
        pinned = dict(target.pinned).get(name)
        must = f"; it must be {pinned}" if pinned else ""
        says = f"The digest of {_and(globs)} of the target is recorded as {name}{must}."
        yield Conduct(f"target.{name}", says, _cited(target, f"digests.{name}"), "recorded")


def _provider(provider: Provider) -> Iterator[Conduct]:
    name = provider.name
    if provider.forbidden:
        says = f"No request reaches {name} ({provider.method} {provider.path}): each is refused and counted."
        yield Conduct(f"{name}.forbidden", says, _cited(provider, "forbidden", "request"), "enforced")
        return
    if provider.credential_env:
        says = (
            f"The runner alone reads the credential of {name}, from {provider.credential_env}; the subject never does."
        )
        yield Conduct(f"{name}.credential", says, _cited(provider, "credential"), "enforced")
    if provider.model:
        says = f"A request to {name} for another model than {provider.model} is refused and counted."
        yield Conduct(f"{name}.model", says, _cited(provider, "model"), "enforced")
    if provider.answer is not None:
        yield Conduct(f"{name}.answer", _answer(provider), _cited(provider, "answer"), "recorded")
    yield Conduct(f"{name}.retry", _retry(provider), _cited(provider, "retry"), "enforced")
    if provider.timeout is not None:
        says = f"A call to {name} ends after {_time(provider.timeout)}, its retries included."
        yield Conduct(f"{name}.timeout", says, _cited(provider, "timeout"), "enforced")
    calls = f"1 call to {name} is" if provider.concurrency == 1 else f"{provider.concurrency} calls to {name} are"
    says = f"At most {calls} under way at once."
    yield Conduct(f"{name}.concurrency", says, _cited(provider, "concurrency"), "enforced")
    if provider.spacing:
        says = f"At least {_time(provider.spacing)} between two sends to {name}."
        yield Conduct(f"{name}.spacing", says, _cited(provider, "spacing"), "enforced")


def _answer(provider: Provider) -> str:
    answer = provider.answer
    assert answer is not None
    parts = [f"status {_or(answer.statuses)}"]
    if answer.dimension is not None:
        parts.append(f"vectors of {answer.dimension} numbers")
    if answer.finite:
        parts.append("finite numbers only")
    if answer.json:
        parts.append(f"the shape of {answer.json}")
    return f"An answer of {provider.name} is acceptable with {_and(parts)}; any other is a failure."


def _retry(provider: Provider) -> str:
    retry = provider.retry
    if retry is None:
        return f"A call to {provider.name} is never sent again."
    times = "once" if retry.at_most == 1 else f"{retry.at_most} times"
    says = (
        f"A call to {provider.name} is sent again only on {_or(retry.only_on)}, at most {times}, after waits of "
        f"{_and(_time(wait) for wait in retry.waits)}"
    )
    if retry.never_on:
        says += f", and never on {_or(retry.never_on)}"
    after = (
        "honoured: the wait is at least as long" if retry.retry_after == "honoured" else "recorded and changes nothing"
    )
    return f"{says}; Retry-After is {after}."


def _subject(subject: Any) -> Iterator[Conduct]:
    if subject is None or subject.kind == "recorded":
        return
    says = f"Of a row of {subject.unit} the subject gets {_and(subject.sees) or 'nothing'}, and nothing else."
    yield Conduct("subject.sees", says, _cited(subject, "sees"), "enforced")
    if subject.timeout is not None:
        says = f"A case ends after {_time(subject.timeout)}."
        yield Conduct("subject.timeout", says, _cited(subject, "timeout"), "enforced")
    says = f"At most {subject.concurrency} {'case is' if subject.concurrency == 1 else 'cases are'} under way at once."
    yield Conduct("subject.concurrency", says, _cited(subject, "concurrency"), "enforced")
    if subject.kind == "command":
        names = f"the variables {_and(subject.environment)}" if subject.environment else "no variable"
        says = f"The command gets {names} of the runner's environment."
        yield Conduct("subject.environment", says, _cited(subject, "environment"), "enforced")
        yield from _command(subject)
    if subject.session is not None:
        from protoc_runtime.agents.conduct import rules

        yield from (
            Conduct(f"subject.{key}", says, _cited(subject, *keys), how) for key, keys, says, how in rules(subject)
        )


def _command(subject: Any) -> Iterator[Conduct]:
    """What a command may read, where its file system can be closed, and how long it lives."""
    more = f", {_and(subject.files)}" if subject.files else ""
    says = f"The command finds the system, its own folder{more}, and no other file."
    yield Conduct("subject.files", says, _cited(subject, "files", "directory"), "recorded")
    if subject.pool:
        says = "A program answers one case after the other, so that a case may influence the next of its slot."
        yield Conduct("subject.pool", says, _cited(subject, "pool"), "enforced")


def _phases(protocol: Any) -> Iterator[Conduct]:
    for phase in protocol.phases:
        says = f"The phase {phase.name} reads {_and(phase.reads)}, to {phase.use}, and no other split."
        yield Conduct(f"{phase.name}.reads", says, phase.cites, "enforced")
        yield from _way(protocol, phase)
    for split in protocol.splits:
        if "score once" in split.may:
            says = f"The split {split.name} is read once to score; a second reading is refused."
            yield Conduct(f"{split.name}.once", says, split.cites, "enforced")


def _way(protocol: Any, phase: Any) -> Iterator[Conduct]:
    """How a phase of a state machine is entered and left."""
    if not is_machine(protocol):
        return
    ways = [f"{before} has ended with {verdict}" for before, verdict in ways_to(protocol, phase.name)]
    says = f"The phase {phase.name} may be entered "
    says += f"only after {_or(ways)}, by the same protocol and for the same candidate" if ways else "first"
    says += f" but for {_and(phase.may_change)}" if phase.may_change else ""
    says += ", when its guard is true" if phase.enter else ""
    yield Conduct(f"{phase.name}.enter", f"{says}, and never after a later phase.", phase.cites, "enforced")
    if phase.once:
        yield Conduct(f"{phase.name}.run_once", f"The phase {phase.name} is run once.", phase.cites, "enforced")
    if phase.ends:
        says = f"The phase {phase.name} is not run again after {_or(phase.ends)}."
        yield Conduct(f"{phase.name}.ends", says, phase.cites, "enforced")


def _judgement(judgement: Any) -> Iterator[Conduct]:
    seen = _and(_seen(judgement.sees))
    says = f"Who judges {judgement.name} sees {seen} of a row of {judgement.judges}, and nothing else."
    yield Conduct(f"{judgement.name}.sees", says, judgement.cites, "enforced")
    if judgement.follows:
        says = f"A rater is shown {judgement.name} only after the same rater has saved {_and(judgement.follows)}."
        yield Conduct(f"{judgement.name}.follows", says, judgement.cites, "enforced")
    if len(judgement.raters) > 1:
        says = f"{_and(judgement.raters)} each judge {judgement.name} on sheets of their own, without the others'."
        yield Conduct(f"{judgement.name}.raters", says, judgement.cites, "enforced")


def _hidden(entry: Any) -> Conduct:
    name = f"{entry.table}.{entry.column}" if entry.column else entry.table
    whom = _and(f"{who} until {until} is saved" if until else who for who, until in entry.who)
    says = f"{name} is hidden from {whom}: no formula, row choice or order that they see reads it."
    return Conduct(f"{name}.hidden", says, entry.cites, "enforced")


def _runner(protocol: Any) -> Iterator[Conduct]:
    """What holds for every run of such a protocol, whatever its keys say; steps name these rules (`shown_by`)."""
    if protocol.subject is None:
        return
    says = "A launch that fails keeps its ledger and logs in a folder of its own, and no later launch writes there."
    yield Conduct("runner.launches", says, (), "enforced")
    if protocol.providers:
        says = "Of the headers of an exchange the ledger has a closed list, and credentials are taken out of every log."
        yield Conduct("runner.redaction", says, (), "recorded")
    observed = {table.source for table in protocol.tables}
    for provider in protocol.providers:
        if f"provider {provider.name}" in observed and provider.credential_env:
            says = (
                f"Without a usable credential of {provider.name} no row is read and no split is spent; the blocker "
                "decides, and the logs are kept."
            )
            yield Conduct(f"{provider.name}.stop", says, (), "enforced")


def _seen(sees: Iterable[Any]) -> Iterator[str]:
    """The labels, those of a list of rows together: `messages (role, content)`."""
    grouped: dict[str, list[str]] = {}
    for item in sees:
        label, _, part = (item if isinstance(item, str) else item[0]).partition(".")
        grouped.setdefault(label, []).extend([part] if part else [])
    return (f"{label} ({', '.join(parts)})" if parts else label for label, parts in grouped.items())


def _time(seconds: Fraction) -> str:
    return f"{decimal_text(seconds)} s"


def _and(names: Iterable[str]) -> str:
    return _joined(list(names), "and")


def _or(names: Iterable[str]) -> str:
    return _joined(list(names), "or")


def _joined(names: list[str], word: str) -> str:
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} {word} {names[-1]}"
