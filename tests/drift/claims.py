"""What a review claims of a pair of protocols, held against rows that both compiled protocols decide."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from drift import tiny
from protoc_compiler import core
from protoc_compiler.drift.failing import failing
from protoc_compiler.drift.model import Report
from protoc_compiler.drift.reading import read
from protoc_compiler.drift.review import changes_of
from protoc_compiler.proof.replay import Folder, NotReplayed, good, results
from protoc_runtime.diagnostics import Refused

Claims = dict[tuple[str, str], tuple[bool, bool]]  # of a rule: nothing is gained, nothing is lost
_RULES = ("gates", "blockers")


def resolved(text: str) -> core.Protocol | None:
    """The protocol of a text; None where its names and types do not resolve."""
    try:
        return read("tiny.yaml", "tiny.yaml", text.encode()).protocol
    except Refused:
        return None


def claims(old: core.Protocol, new: core.Protocol, *, prove: bool = True) -> tuple[core.Protocol, Claims]:
    """The old protocol in the names of the new one, and what the review rules out."""
    changes, context = changes_of(old, new, prove=prove)
    names = {(space, item.name) for space in _RULES for side in (context.old, new) for item in side.of(space)}
    made: Claims = dict.fromkeys(names, (True, True))  # of a rule that is not told, nothing changes
    told = {("verdict", "verdict"): context.verdict}
    told |= {tuple(one.rule.split(".", 1)): one for one in context.effects}  # type: ignore[misc]
    for name, one in told.items():
        made[name] = one.direction in ("equivalent", "stricter"), one.direction in ("equivalent", "looser")
    for found in (*context.proof.rules, context.proof.verdict) if context.proof is not None else ():
        gains, losses = made[found.space, found.name]
        made[found.space, found.name] = (
            gains or found.looser.state == "no", losses or found.stricter.state == "no"
        )  # fmt: skip
    report = Report(None, None, tuple(changes), context.effects, context.verdict)
    if not failing(report, (), "looser").found:  # a review that passes says that nothing more is released
        made["verdict", "verdict"] = True, made["verdict", "verdict"][1]
    return context.old, made


def decided(protocol: core.Protocol, rows: tiny.Rows) -> dict[str, object] | None:
    """The results on the rows; None where the protocol refuses them."""
    try:
        return results(protocol, Folder(rows))
    except NotReplayed:
        return None


def wrong(old: core.Protocol, new: core.Protocol, made: Claims, rows: tiny.Rows) -> list[str]:
    """The claims that these rows contradict."""
    one, two = decided(old, rows), decided(new, rows)
    found = []
    for (space, name), (no_gain, no_loss) in made.items():
        if space != "verdict" and (one is None or two is None):
            continue
        before = one is not None and good(old, one, space, name)
        after = two is not None and good(new, two, space, name)
        if space == "verdict" and before and after and one is not None and two is not None:
            other = one["verdict"] != two["verdict"] and bool({one["verdict"], two["verdict"]} & _both(old, new))
            if other and (no_gain or no_loss):
                found.append(f"verdict: {one['verdict']} before, {two['verdict']} now, claimed {(no_gain, no_loss)}")
        if (no_gain and after and not before) or (no_loss and before and not after):
            found.append(f"{space}.{name}: {before} before, {after} now, claimed {(no_gain, no_loss)}")
    return found


def _both(old: core.Protocol, new: core.Protocol) -> set[object]:
    return set(old.released) & set(new.released)


@dataclass(frozen=True)
class Pair:
    """Two specs, the parts of the first, and what its rows are drawn with."""

    old: str
    new: str
    parts: tiny.Parts
    chance: Random


def pair(seed: int) -> Pair | None:
    """The pair of a seed; None where nothing was changed."""
    chance = Random(seed)
    maker = tiny.Tiny(chance)
    parts = maker.parts()
    old, new = tiny.text(parts), tiny.text(tiny.changed(parts, chance, maker))
    return Pair(old, new, parts, chance) if old != new else None
