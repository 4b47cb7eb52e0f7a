"""From whom a column is hidden, and the proof that no road leads to them: through no formula, row choice or order."""

from __future__ import annotations

from collections.abc import Iterator

from protoc_compiler import core, resting, suggest
from protoc_compiler.catalogue import names as name_kinds
from protoc_compiler.catalogue import visibility as kinds
from protoc_compiler.elaborate.context import Fault
from protoc_compiler.elaborate.elaborator import Elaborator
from protoc_compiler.roads import Road, roads
from protoc_compiler.spec import HiddenDecl, Text
from protoc_compiler.spec_parts import texts, words
from protoc_runtime.evidence import Thing
from protoc_runtime.procedure import PUBLIC, RATERS, SUBJECT, Hidden
from protoc_runtime.review_order import saved_before

UNTIL = " until "


# --- what is written ------------------------------------------------------------------------------------------------


def hidden(el: Elaborator) -> tuple[Hidden, ...]:
    """Every entry of `procedure.visibility` that can be resolved."""
    made: dict[tuple[str, str], Hidden] = {}
    for written in el.spec.procedure.visibility:
        try:
            table, column = _named(el, written.name)
        except Fault:
            continue
        who = tuple(pair for name in written.hidden_from for pair in _who(el, name))
        made[table, column] = Hidden(table, column, tuple(sorted(set(who))), words(written.says), texts(written.cites))
    return tuple(made.values())


def _named(el: Elaborator, name: Text) -> tuple[str, str]:
    """The root table and the column ("" for all of it) that an entry names."""
    owner, _, column = name.text.partition(".")
    if not el.names.is_table(owner):
        el.fault(name_kinds.UNKNOWN_TABLE, name.span, name=owner, hint=suggest.hint(owner, el.names.table_names()))
    el.used.add(owner)
    table = el.table(owner, name.span)
    if table.root != owner:
        el.fault(name_kinds.COLUMN_OF_SUBSET, name.span, table=owner, root=table.root, column=column or "its rows")
    nested = f"{owner}.{column.partition('.')[0]}"
    if nested in el.names.declared or _is_nested(el, nested, name):
        return (owner, column) if "." not in column else (nested, column.partition(".")[2])
    if column and el.column(owner, column) is None:
        known = [*(each.name for each in table.columns), *el.names.columns.get(owner, {})]
        hint = suggest.hint(column, known)
        el.fault(name_kinds.UNKNOWN_COLUMN, name.span, table=owner, name=column, hint=hint)
    return owner, column


def _is_nested(el: Elaborator, name: str, place: Text) -> bool:
    decl = el.names.declared.get(name.partition(".")[0])
    found = [column for column in getattr(decl, "columns", ()) if column.name.text == name.partition(".")[2]]
    return bool(found) and type(found[0].type).__name__ == "NestedType"


def _who(el: Elaborator, name: Text) -> Iterator[tuple[str, str]]:
    who, _, until = name.text.partition(UNTIL)
    judgements = el.spec.procedure.judgements
    raters = {rater for judgement in judgements for rater in texts(judgement.raters)}
    known = [SUBJECT, RATERS, PUBLIC, *sorted(raters)]
    if who not in known:
        el.findings.add(kinds.WHO, name.span, name=who, hint=suggest.hint(who, known))
        return
    reason, hint = _no_time(judgements, who, until)
    if reason:
        el.findings.add(kinds.UNTIL, name.span, name=name.text, reason=reason, hint=hint)
        return
    yield who, until


def _no_time(judgements: tuple[object, ...], who: str, until: str) -> tuple[str, str]:
    """Why somebody has never saved a judgement, and how to mend it; or two empty texts."""
    known = {judgement.name.text: texts(judgement.raters) for judgement in judgements}  # type: ignore[attr-defined]
    if not until:
        return "", ""
    if who in (SUBJECT, PUBLIC):
        return f"the {who} judges nothing", f"write `{who}` alone"
    if until not in known:
        return f"there is no judgement `{until}`", suggest.hint(until, known)
    if who != RATERS and who not in known[until]:
        mine = [name for name, raters in known.items() if who in raters]
        return f"{who} is no rater of `{until}`", f"{who} takes part in {', '.join(mine)}"
    return "", ""


# --- the proof ------------------------------------------------------------------------------------------------------


def prove(el: Elaborator, protocol: core.Protocol) -> None:
    """Report (E2601) each withheld thing that somebody can see, with the names through which it is read."""
    evidence = resting.evidence(protocol)
    written = {_named(el, entry.name): entry for entry in el.spec.procedure.visibility}
    told: set[tuple[str, str, str]] = set()
    for road in roads(protocol, evidence):
        reached = evidence.reached(*road.things)
        for entry in protocol.hidden:
            whom = {who: words for who in road.who if (words := _hidden_from(protocol, entry, road.stage, who))}
            path = next((path for thing, path in reached.items() if _is(thing, entry)), None) if whom else None
            key = (road.stage, entry.table, entry.column)
            if path is not None and key not in told:
                told.add(key)
                _report(el, written[entry.table, entry.column], road, whom, path)


def _report(el: Elaborator, entry: HiddenDecl, road: Road, hidden: dict[str, str], path: tuple[str, ...]) -> None:
    who = f"{' and '.join(hidden)} in `{road.stage}`" if road.stage else f"the {road.who[0]}"
    whom = " and ".join(dict.fromkeys(hidden.values()))
    if path[0] != road.place:
        path = (road.place, *path)
    el.findings.add(
        kinds.SEEN, entry.name.span, who=who, hidden=entry.name.text, whom=whom, path=" -> ".join(path),
        place=road.place,
    )  # fmt: skip


def _hidden_from(protocol: core.Protocol, entry: Hidden, stage: str, person: str) -> str:
    """The words of the entry that hide it from somebody in a judgement, or ""."""
    for who, until in entry.who:
        meant = who == person or (who == RATERS and person not in (SUBJECT, PUBLIC))
        if meant and (not until or until not in saved_before(protocol.judgements, stage)):
            return who + (UNTIL + until if until else "")
    return ""


def _is(thing: Thing, entry: Hidden) -> bool:
    """Whether this thing is what is hidden, or a part of it."""
    if thing[0] not in ("column", "table"):
        return False
    nested = f"{entry.table}.{entry.column}" if entry.column else entry.table
    within = thing[1] == nested or (not entry.column and thing[1].startswith(nested + "."))
    return within or (bool(entry.column) and thing == ("column", entry.table, entry.column))
