"""How two protocols differ, thing by thing and field by field; what does not change the meaning makes no difference.

The last word has the spec digest: where it differs and no difference has been found, that itself is one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from protoc_compiler import core, identity
from protoc_compiler.drift.kept import Kept
from protoc_compiler.drift.model import Delta, Thing
from protoc_compiler.drift.reads import Thing as Read
from protoc_compiler.drift.things import SPACES, things
from protoc_runtime.record import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

LISTED = ("EXPECTATION", "STEP", "DUTY", "LIMIT", "NEVER")  # known by their content
UNORDERED = (
    "DEFINITION", "METRIC", "BLOCKER", "GATE", "CHECK", "SUBVERDICT", "VERDICT", "STATUS", "LIST", "TABLE", "COLUMN",
    "FREEZE", "INTERVAL", "CLAIM", "PROVIDER", "JUDGEMENT", "OUTPUT", "HEAD", "QUESTION", "HIDDEN", "MANIFEST_FIELD",
)  # fmt: skip
SPLITS = "splits"  # the table that lists them
PLACED = ("ROW", "SPLIT")  # what a table lists, which has an order that formulas may read
_PLAIN = {str, bool, type(None)}  # what means itself


def deltas(old: core.Protocol, new: core.Protocol) -> list[Delta]:
    """Every difference, in the order of the new protocol; what is gone comes last of its subject."""
    before, after = _by_subject(things(old)), _by_subject(things(new))
    found: list[Delta] = []
    for subject in dict.fromkeys((*after, *before)):
        olds, news = before.get(subject, []), after.get(subject, [])
        if olds != news:
            pairs = _listed(olds, news) if subject in LISTED else _named(olds, news)
            found += _of_pairs(subject, pairs)
            if subject not in UNORDERED:
                found += _order(subject, pairs, olds, news)
    if not found and old != new and identity.digest(old) != identity.digest(new):
        thing = Thing("PROTOCOL", "", ("protocol",), "protocol", {})
        found.append(Delta("PROTOCOL", "meaning", thing, thing))
    return found


Pair = tuple[Thing | None, Thing | None]


def _by_subject(found: Sequence[Thing]) -> dict[str, list[Thing]]:
    made: dict[str, list[Thing]] = {}
    for thing in found:
        made.setdefault(thing.subject, []).append(thing)
    return made


def _named(olds: Sequence[Thing], news: Sequence[Thing]) -> list[Pair]:
    known = {thing.name: thing for thing in olds}
    there = {thing.name for thing in news}
    pairs: list[Pair] = [(known.get(thing.name), thing) for thing in news]
    return pairs + [(thing, None) for thing in olds if thing.name not in there]


def _listed(olds: Sequence[Thing], news: Sequence[Thing]) -> list[Pair]:
    """Equal ones belong together, and of the others those of one owner in their order."""
    left = list(olds)
    partner: dict[int, Thing] = {}
    for at, thing in enumerate(news):
        same = next((old for old in left if old.owner == thing.owner and not any(_changed(old, thing))), None)
        if same is not None:
            partner[at] = same
            left.remove(same)
    for at, thing in enumerate(news):
        near = next((old for old in left if old.owner == thing.owner), None)
        if at not in partner and near is not None:
            partner[at] = near
            left.remove(near)
    pairs: list[Pair] = [(partner.get(at), thing) for at, thing in enumerate(news)]
    return pairs + [(thing, None) for thing in left]


def _of_pairs(subject: str, pairs: Sequence[Pair]) -> Iterator[Delta]:
    for old, new in pairs:
        if old is None or new is None:
            yield Delta(subject, "added" if old is None else "removed", old, new)
        elif old.fields != new.fields:
            for field in _changed(old, new):
                yield Delta(subject, field, old, new)


def _order(subject: str, pairs: Sequence[Pair], olds: Sequence[Thing], news: Sequence[Thing]) -> Iterator[Delta]:
    """Things that are in both, in another order; told once for those of one owner."""
    told: set[str] = set()
    places = {id(thing): at for at, thing in enumerate(olds)}
    last: dict[str, int] = {}
    for old, new in pairs:
        if old is None or new is None:
            continue
        at = places[id(old)]
        if at < last.get(new.owner, -1) and new.owner not in told:
            told.add(new.owner)
            if subject in PLACED:
                old, new = _with_order(old, olds), _with_order(new, news)
            yield Delta(subject, "order", old, new)
        last[new.owner] = max(at, last.get(new.owner, -1))


def _with_order(thing: Thing, among: Sequence[Thing]) -> Thing:
    """A thing that tells in which order all of its owner stand: accepting one order is not accepting another."""
    listed = tuple(one.name for one in among if one.owner == thing.owner)
    return replace(thing, fields={**thing.fields, "order": listed})


def _changed(old: Thing, new: Thing) -> Iterator[str]:
    for field in dict.fromkeys((*new.fields, *old.fields)):
        before, after = old.fields.get(field), new.fields.get(field)
        if field == "place" or before == after:
            continue
        nested = _is_record(before) and type(before) is type(after) and not isinstance(before, (core.Expr, core.Rows))
        if nested and field != "type":
            yield from _inside(field, before, after)
        elif field == "type" or not same(before, after):
            yield field


def _inside(field: str, before: Any, after: Any) -> Iterator[str]:
    for name in type(before).__record_fields__:
        if name != "span" and not same(getattr(before, name), getattr(after, name)):
            yield f"{field}.{name}"


def _is_record(value: Any) -> bool:
    return hasattr(type(value), "__record_fields__")


def named(delta: Delta) -> list[Read]:
    """What a difference is about, as formulas name it; words and numbers of origin are about nothing."""
    own = delta.subject == "TABLE" and delta.field in ("parts", "order")  # of a table they are what it is made of
    if delta.subject in PLACED:
        table = delta.thing.owner or SPLITS
        if delta.field == "order":
            return [("order", table)]
        return [("table", table)] if delta.field in ("added", "removed", "cells", "role") else []
    if delta.field in ("says", "cites", "renamed", "parts", "place", "order") and not own:
        return []
    found: list[Read] = []
    for thing in (delta.old, delta.new):
        if thing is None:
            continue
        space = SPACES.get(thing.subject, "")
        if space and space != "expect":
            found.append(("item", space, thing.name))
        elif thing.subject == "TABLE":
            found.append(("table", thing.name))
        elif thing.subject == "COLUMN":
            found.append(("column", thing.owner, thing.name.removeprefix(f"{thing.owner}.")))
        elif thing.subject == "FREEZE":
            found.append(("freeze", thing.name))
        elif thing.subject == "INTERVAL":
            found.append(("interval", thing.name))
    return found


# --- sameness ---------------------------------------------------------------------------------------------------------


def same(before: Any, after: Any) -> bool:
    """Whether two values mean the same by themselves: types of what a formula reads are told where it is declared."""
    return bool(before == after) or meaning(before) == meaning(after)


def meaning(value: Any) -> Any:
    """The canonical form of a value without the types of what it reads, row variables by their place. It is kept and
    shared: leave it as it is."""
    return value if type(value) in _PLAIN else _meaning(value)


@Kept
def _meaning(value: Any) -> Any:
    return _bare(value, {})


def _bare(value: Any, names: dict[str, str]) -> Any:
    kind = type(value)
    if kind in _PLAIN:
        return value
    if kind is tuple:
        return [part if type(part) is str else _bare(part, names) for part in value]
    if kind is dict:
        return {key: _bare(part, names) for key, part in value.items()}
    if not _is_record(value):
        return identity.word(value)
    parts = identity.parts_of(value)
    opened = value if kind is core.Rows else parts.get("rows")
    if type(opened) is core.Rows and opened.var not in names:
        names = {**names, opened.var: f"row {len(names)}"}
    made: dict[str, Any] = {"node": kind.__name__}
    for key, part in parts.items():
        if key == "type" and kind is not core.Cast:
            if kind is core.Const:
                made[key] = {"unit": part.unit, "kind": part.kind}
        elif key == "var":
            made[key] = names.get(part, part)
        else:
            made[key] = part if type(part) is str else _bare(part, names)
    return made
