"""Finds what only has another name: a thing that is gone and one that is new, alike in all but the name.

Alike means of one form (formulas in normal form); of rules and values also of one form but for the numbers in it. A
pair counts only where neither has a second partner. Each rename is carried through the old protocol before the next
is looked for, so that what reads the renamed thing is alike again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from protoc_compiler import core
from protoc_compiler.drift import forms, normal
from protoc_compiler.drift.deltas import LISTED, meaning
from protoc_compiler.drift.kept import Kept
from protoc_compiler.drift.model import Delta, Thing
from protoc_compiler.drift.shapes import numberless
from protoc_compiler.drift.things import SPACES, things

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# What others are named after comes before them: a judgement before the columns of its times, a phase before its guard.
_FIRST = ("TABLE", "JUDGEMENT", "COLUMN", "FREEZE", "SPLIT", "PHASE", "DEFINITION", "METRIC")
_WORDS = ("says", "cites", "place", "text")
_NEVER = (*LISTED, "HEAD", "QUESTION", "ROW", "PROTOCOL", "VERDICT")
_OF_MANIFEST = ("MANIFEST_PHASE", "MANIFEST_FIELD")
_IN_PROCEDURE = ("PHASE", "JUDGEMENT", "PROVIDER", *_OF_MANIFEST)
_ROUNDS = 40
_PLAIN = {str, bool, type(None)}  # what means itself


def renamed(old: core.Protocol, new: core.Protocol) -> tuple[core.Protocol, list[Delta]]:
    """The old protocol in the names of the new one, and what had another name."""
    found: list[Delta] = []
    kept: set[tuple[str, str]] = set()  # things that cannot be given another name: they are gone, and others new
    after_all = things(new)
    for _ in range(_ROUNDS):
        candidates = _candidates(things(old), after_all)
        pair = next((pair for pair in candidates if (pair[0].subject, pair[0].name) not in kept), None)
        if pair is None:
            break
        before, after = pair
        carried = _carried(old, after, _bare(before), _bare(after))
        if carried == old:
            kept.add((before.subject, before.name))
            continue
        found.append(Delta(after.subject, "renamed", before, after))
        old = carried
    words = _words(old, new)
    if words:
        from protoc_compiler.drift.renaming import rename_words

        old = rename_words(old, words)
        found += [Delta("WORD", "renamed", _word(before), _word(after)) for before, after in words.items()]
    return old, found


def _carried(old: core.Protocol, thing: Thing, was: str, now: str) -> core.Protocol:
    """The old protocol with the new name of a thing."""
    from protoc_compiler.drift.renaming import rename

    if thing.subject not in _IN_PROCEDURE:
        return rename(old, thing.subject, thing.owner, was, now)
    from protoc_compiler.drift.renaming_procedure import rename_in_procedure

    return rename_in_procedure(old, thing.subject, was, now)


def _word(word: str) -> Thing:
    return Thing("WORD", word, ("verdict",), f"verdict {word}", {})


def _words(old: core.Protocol, new: core.Protocol) -> dict[str, str]:
    """The words of the verdict that are others, where its lines have the same conditions."""
    before, after = (_lines(side) for side in (old, new))
    if [line[0] for line in before] != [line[0] for line in after]:
        return {}
    pairs = dict.fromkeys((was[1], now[1]) for was, now in zip(before, after, strict=True) if was[1] != now[1])
    kept = {was[1] for was, now in zip(before, after, strict=True) if was[1] == now[1]}
    words = dict(list(pairs))
    fresh = len(words) == len(pairs) == len(set(words.values())) and not set(words.values()) & {
        line[1] for line in before
    }
    return words if fresh and not kept & words.keys() else {}


def _lines(protocol: core.Protocol) -> list[tuple[Any, str]]:
    """Condition and word of each line of the verdict."""
    item = next((item for item in protocol.items if item.space == "verdict"), None)
    if item is None or not isinstance(item.expr, core.Choose):
        return []
    lines = [*item.expr.lines, (None, item.expr.otherwise)]
    return [
        (_comparable(condition), str(value.value))
        for condition, value in lines
        if isinstance(value, core.Const) and isinstance(value.value, str)
    ]


def _bare(thing: Thing) -> str:
    within = thing.subject in ("COLUMN", *_OF_MANIFEST)
    return thing.name.removeprefix(f"{thing.owner}.") if within else thing.name


def _candidates(before: list[Thing], after: list[Thing]) -> Iterator[tuple[Thing, Thing]]:
    there = {(thing.subject, thing.name) for thing in after}
    here = {(thing.subject, thing.name) for thing in before}
    gone = [thing for thing in before if (thing.subject, thing.name) not in there and thing.subject not in _NEVER]
    come = [thing for thing in after if (thing.subject, thing.name) not in here and thing.subject not in _NEVER]
    subjects = [thing.subject for thing in gone]
    for subject in dict.fromkeys((*(s for s in _FIRST if s in subjects), *subjects)):
        olds = [thing for thing in gone if thing.subject == subject]
        news = [thing for thing in come if thing.subject == subject]
        for near in (False, True):
            yield from _alike(olds, news, near)


Group = tuple[list[Thing], list[Thing]]  # of the old and of the new protocol


def _alike(olds: list[Thing], news: list[Thing], near: bool) -> Iterator[tuple[Thing, Thing]]:
    groups = _split([(olds, news)], _near) if near else _exact([(olds, news)])
    pairs = {id(new[0]): old[0] for old, new in groups if len(old) == len(new) == 1}
    return ((pairs[id(thing)], thing) for thing in news if id(thing) in pairs)


def _exact(groups: list[Group]) -> list[Group]:
    """Those that are alike in every field: by one after the other, for most can be told apart by the first few."""
    groups = _split(groups, lambda thing: (thing.owner, frozenset(thing.fields.keys() - {*_WORDS, "type"})))
    names = {name: None for olds, _ in groups for thing in olds for name in thing.fields if name not in _WORDS}
    for name in [name for name in names if name != "enter"]:  # a guard has the name of its phase
        if not groups:
            return []
        groups = _split(groups, lambda thing, name=name: (_sign(thing.fields.get(name)),))  # type: ignore[misc]
    return _split(groups, lambda thing: (thing.subject == "COLUMN" and thing.fields.get("place"),))


def _split(groups: list[Group], sign: Callable[[Thing], Any]) -> list[Group]:
    """The groups by what their things have in common, where both protocols have one; None is like nothing."""
    made: list[Group] = []
    for olds, news in groups:
        found: dict[Any, Group] = {}
        for thing in olds:
            found.setdefault(sign(thing), ([], []))[0].append(thing)
        for thing in news:
            group = found.get(sign(thing))
            if group is not None:
                group[1].append(thing)
        found.pop(None, None)
        made += [group for group in found.values() if group[1]]
    return made


def _sign(value: Any) -> Any:
    """What all fields of one meaning have, formulas of one normal form."""
    return value if type(value) in _PLAIN else _written(value)


@Kept
def _written(value: Any) -> tuple[str]:
    return (repr(_comparable(value)),)


def _comparable(value: Any) -> Any:
    if isinstance(value, core.Expr):
        try:
            return normal.plain(value)
        except forms.TooLarge:
            return None
    return meaning(value)


def _near(thing: Thing) -> Any:
    """What a rule or value has in common with one that has other numbers; None where a rename could not be told."""
    fields = thing.fields
    if thing.subject in SPACES:
        return _unnumbered(fields["expr"])
    if thing.subject == "TABLE" and fields["kind"] in ("input", "listed"):
        return (fields["source"], fields["file"]) if fields["file"] else None
    if thing.subject == "PROVIDER":
        return (fields["method"], fields["path"], fields["forbidden"])
    return None


@Kept
def _unnumbered(value: core.Expr) -> str | None:
    form = _comparable(value)
    return None if form is None else repr(numberless(form))
