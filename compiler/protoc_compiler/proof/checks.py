"""What `protoc check` reports by proof: contradictions, what never fails, is out of reach, or is implied.

The work is counted in steps, the same on every machine, and small: what is not decided with it is not reported, and
left to `protoc explain`.
"""

from __future__ import annotations

from protoc_compiler import core
from protoc_compiler.catalogue import analysis as thresholds
from protoc_compiler.catalogue import proof as kinds
from protoc_compiler.elaborate.context import Context
from protoc_compiler.proof import nodes as n
from protoc_compiler.proof.closing import TooDeep
from protoc_compiler.proof.conditions import Budget, Conditions, Counts, OutOfBudget
from protoc_compiler.proof.facts import Facts, Part
from protoc_compiler.proof.search import search

_STEPS = 200  # for one question
_MOST_RULES = 60


def check(protocol: core.Protocol, el: Context, alone: list[core.Item], *, counted: bool) -> None:
    """Report what is sure: of each rule of `alone` by itself, and of the gates together where they are `counted`."""
    if len(protocol.of("gates")) > _MOST_RULES:
        return
    facts = Facts(protocol, _STEPS)
    try:
        found = [_alone(facts, el, item) for item in alone]
        if counted and not any(found) and _bounded(facts):
            _counted(facts, el)
    except TooDeep:
        return


def _alone(facts: Facts, el: Context, item: core.Item) -> bool:
    """What a rule is by its form alone, whatever is counted; whether something was reported."""
    good = facts.side.good(item.space, item.name)
    span = item.span or el.spec.title.span
    gate = item.space == "gates"
    if _never(facts, good, n.TRUE):
        kind = kinds.NEVER_HOLDS if gate else kinds.BLOCKER_ALWAYS_FIRES
        el.findings.add(kind, span, name=item.name, when="")
        return True
    made = facts.side.raw(item)
    if _never(facts, made, n.FALSE if gate else n.TRUE):
        kind = kinds.NEVER_FAILS if gate else kinds.BLOCKER_NEVER_FIRES
        el.findings.add(kind, span, name=item.name, when="")
        return True
    return False


def _never(facts: Facts, node: int, outcome: int) -> bool:
    """Whether a condition can never have an outcome, with every count left open."""
    try:
        conditions = Conditions(facts.space, Counts(), {node: outcome}, {}, [])
        return search(conditions, ((), ()), [], Budget(_STEPS)) is None
    except OutOfBudget:
        return False


def _bounded(facts: Facts) -> bool:
    """Whether there are gates over counts of tables whose size is expected, few enough for a quick look."""
    return len(facts.counted) > 1 and facts.engine is not None and facts.engine.model.bounded


def _counted(facts: Facts, el: Context) -> None:
    """What follows from the numbers of rows that are expected."""
    gates = {item.name: item for item in facts.protocol.of("gates")}
    if facts.all_hold().state == "impossible":
        _out_of_reach(facts, el)
        return
    if el.refusing:
        return
    told = {item.span for item in el.findings if item.kind == thresholds.IMPLIED}
    for name in dict.fromkeys(part.gate for part in facts.counted):
        own = [part for part in facts.counted if part.gate == name]
        if all(facts.follows(part, []) for part in own):
            when = " at the counts that are expected"
            el.findings.add(kinds.NEVER_FAILS, gates[name].span or el.spec.title.span, name=name, when=when)
            continue
        implied = [] if gates[name].span in told else _others(facts, own)
        if implied:
            span = gates[name].span or el.spec.title.span
            shown = ", ".join(f"`{other}`" for other in implied)
            el.findings.add(kinds.IMPLIED_BY_COUNTS, span, name=name, others=shown)


def _others(facts: Facts, own: list[Part]) -> list[str]:
    """The other gates that imply this one, as few as suffice."""
    rest = [part for part in facts.counted if part not in own]
    if len(own) > 1 or not rest or not facts.follows(own[0], rest):
        return []
    for other in list(rest):
        fewer = [part for part in rest if part is not other]
        if fewer and facts.follows(own[0], fewer):
            rest = fewer
    return list(dict.fromkeys(part.gate for part in rest))


def _out_of_reach(facts: Facts, el: Context) -> None:
    verdict = next(iter(facts.protocol.of("verdict")))
    for word in facts.protocol.released:
        if facts.verdict(word).state == "impossible":
            el.findings.add(kinds.UNREACHABLE_BY_COUNTS, verdict.span or el.spec.title.span, word=word)
