"""The whole review: two specs in, a report out."""

from __future__ import annotations

from protoc_compiler import core, identity
from protoc_compiler.drift.classify import changes, classify, told
from protoc_compiler.drift.deltas import deltas, named
from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.fingerprint import LENGTH
from protoc_compiler.drift.model import Change, Delta, Effect, Report, Side, Thing, Version
from protoc_compiler.drift.pinned import differences
from protoc_compiler.drift.placing import placed
from protoc_compiler.drift.reading import Source
from protoc_compiler.drift.renames import renamed
from protoc_compiler.drift.things import things
from protoc_compiler.sha import sha256_hex
from protoc_runtime.record import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from protoc_compiler.drift.sources import Pair


def of_pair(pair: Pair, *, prove: bool = True) -> Report:
    """Compare what stands on both sides; a protocol that is only on one is one change."""
    if pair.old is not None and pair.new is not None:
        return review(pair.old, pair.new, prove=prove)
    known = pair.new if pair.new is not None else pair.old
    if known is None:
        raise ValueError("nothing to compare")
    version, protocol = _version(known), known.protocol
    side = Side(known.root.span, f"{protocol.id} version {protocol.version}")
    about = ("", "PROTOCOL", "added" if pair.new is not None else "removed", "")
    mark = sha256_hex(f"{about} {version.digest}".encode())[:LENGTH]
    lacking = "old" if pair.new is not None else "new"
    unknown = Effect("verdict", "undecided", "undecided", f"there is no {lacking} protocol to compare with")
    if pair.new is not None:
        message = f"protocol `{protocol.id}` is new: there is nothing to compare it with"
        change = Change("PROTOCOL_ADDED", "protocol", "text", None, side, message, mark, *about[1:])
        return Report(None, version, (change,), (), unknown, known.contradictions)
    message = f"protocol `{protocol.id}` is gone: its rules bind nobody any more"
    change = Change("PROTOCOL_REMOVED", "protocol", "looser", side, None, message, mark, *about[1:])
    return Report(version, None, (change,), (), unknown, known.contradictions)


def review(old: Source, new: Source, *, prove: bool = True) -> Report:
    """Compare two specs."""
    pairs, context = _compared(old, new, prove=prove)
    found = tuple(change for _, change in pairs)
    if context is None:
        effects: tuple[Effect, ...] = ()
        verdict = Effect("verdict", "equivalent", "proved")
    else:
        effects, verdict = context.effects, context.verdict
        makers = _makers(pairs, context)
        effects = tuple(replace(one, makers=frozenset(makers.get(one.rule, ()))) for one in effects)
    contradictions = {(item.id, item.message, item.span): item for item in (*old.contradictions, *new.contradictions)}
    made = Report(_version(old), _version(new), found, effects, verdict, tuple(contradictions.values()))
    if not new.protocol.amendments:
        return made
    from protoc_compiler.drift.declared import marked

    return marked(made, old, new)


def undeclared(report: Report) -> Report:
    """The report with nothing but the changes that no new amendment declares; without such amendments all of them."""
    if not amended(report):
        return report
    left = tuple(change for change in report.changes if change.undeclared)
    declared = tuple(change for change in report.changes if not change.undeclared)
    return replace(report, changes=left, declared=declared)


def amended(report: Report) -> bool:
    """Whether the new protocol has an amendment that the old one does not have."""
    return any(change.undeclared or change.id == "AMENDMENT_ADDED" for change in report.changes)


def changes_of(old: core.Protocol, new: core.Protocol, *, prove: bool = False) -> tuple[list[Change], Context]:
    """The changes between two protocols, without places, and what they do."""
    same, renames = renamed(old, new)
    found = [*renames, *deltas(same, new)]
    context = Context(same, new, found, prove=prove)
    return classify(found, context), context


def _compared(old: Source, new: Source, *, prove: bool) -> tuple[list[tuple[Delta, Change]], Context | None]:
    files = differences(old.pins, new.pins)
    if old.protocol == new.protocol and not files:
        return [], None
    same, renames = renamed(old.protocol, new.protocol)
    found = [*renames, *deltas(same, new.protocol), *files]
    if not found:
        return [], None
    context = Context(same, new.protocol, found, prove=prove)
    before = _originals(old.protocol, same)
    made: list[tuple[Delta, Change]] = []
    for delta in told(found):
        here = Delta(delta.subject, delta.field, before.get(_key(delta), delta.old) if delta.old else None, delta.new)
        made += [(delta, placed(change, here, old, new)) for change in changes(delta, context)]
    return made, context


def _makers(pairs: list[tuple[Delta, Change]], context: Context) -> dict[str, set[str]]:
    """The fingerprints of the changes that each rule reads, however far away."""
    made: dict[str, set[str]] = {}
    for delta, change in pairs:
        for thing in context.above(named(delta)):
            if thing[0] == "item":
                made.setdefault(".".join(thing[1:]), set()).add(change.fingerprint)
    return made


def _key(delta: Delta) -> tuple[str, str]:
    """What the old thing of a difference is called in the names of the new protocol."""
    thing = delta.new if delta.field == "renamed" else delta.old
    return delta.subject, thing.name if thing is not None else ""


def _originals(old: core.Protocol, same: core.Protocol) -> dict[tuple[str, str], Thing]:
    """Each thing of the old protocol by its name in the new one: renaming keeps their order."""
    return {(now.subject, now.name): was for now, was in zip(things(same), things(old), strict=True)}


def _version(source: Source) -> Version:
    protocol = source.protocol
    return Version(source.shown, protocol.id, protocol.version, identity.digest(protocol))
