"""Finds what only has another name: a thing that is gone and one that is new, alike in all but the name.

Alike means of one form (formulas in normal form); of rules and values also of one form but for the numbers in it. A
pair counts only where neither has a second partner. Each rename is carried through the old protocol before the next
is looked for, so that what reads the renamed thing is alike again.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from protoc_compiler import core
from protoc_compiler.drift import forms, normal
from protoc_compiler.drift.deltas import LISTED, meaning
from protoc_compiler.drift.model import Delta, Thing
from protoc_compiler.drift.renaming import rename, rename_words
from protoc_compiler.drift.shapes import numberless
from protoc_compiler.drift.things import SPACES, things

_FIRST = ("TABLE", "COLUMN", "FREEZE", "SPLIT", "DEFINITION", "METRIC")
_WORDS = ("says", "cites", "place", "text")
_NEVER = (*LISTED, "HEAD", "QUESTION", "ROW", "PROTOCOL", "VERDICT")
_ROUNDS = 40


def renamed(old: core.Protocol, new: core.Protocol) -> tuple[core.Protocol, list[Delta]]:
    """The old protocol in the names of the new one, and what had another name."""
    found: list[Delta] = []
    signs = _Signs()
    after_all = things(new)
    for _ in range(_ROUNDS):
        pair = next(_candidates(things(old), after_all, signs), None)
        if pair is None:
            break
        before, after = pair
        found.append(Delta(after.subject, "renamed", before, after))
        old = rename(old, after.subject, after.owner, _bare(before), _bare(after))
    words = _words(old, new)
    if words:
        old = rename_words(old, words)
        found += [Delta("WORD", "renamed", _word(before), _word(after)) for before, after in words.items()]
    return old, found


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
    return thing.name.removeprefix(f"{thing.owner}.") if thing.subject == "COLUMN" else thing.name


def _candidates(before: list[Thing], after: list[Thing], signs: _Signs) -> Iterator[tuple[Thing, Thing]]:
    there = {(thing.subject, thing.name) for thing in after}
    here = {(thing.subject, thing.name) for thing in before}
    gone = [thing for thing in before if (thing.subject, thing.name) not in there and thing.subject not in _NEVER]
    come = [thing for thing in after if (thing.subject, thing.name) not in here and thing.subject not in _NEVER]
    subjects = [thing.subject for thing in gone]
    for subject in dict.fromkeys((*(s for s in _FIRST if s in subjects), *subjects)):
        olds = [thing for thing in gone if thing.subject == subject]
        news = [thing for thing in come if thing.subject == subject]
        for near in (False, True):
            yield from _alike(olds, news, near, signs)


class _Signs:
    """What each thing has in common with others, worked out once: the new ones stay while old ones are renamed."""

    def __init__(self) -> None:
        self._kept: dict[tuple[int, bool], tuple[Thing, Any]] = {}  # with the thing, lest another gets its id

    def of(self, thing: Thing, near: bool) -> Any:
        """The signature of a thing, made once."""
        known = self._kept.get((id(thing), near))
        if known is None:
            known = self._kept[id(thing), near] = (thing, _signature(thing, near))
        return known[1]


def _alike(olds: list[Thing], news: list[Thing], near: bool, signs: _Signs) -> Iterator[tuple[Thing, Thing]]:
    if not olds or not news:
        return
    before = [(signs.of(thing, near), thing) for thing in olds]
    after = [(signs.of(thing, near), thing) for thing in news]
    for sign, thing in after:
        partners = [other for known, other in before if known == sign and sign is not None]
        rivals = [other for known, other in after if known == sign]
        if len(partners) == 1 and len(rivals) == 1:
            yield partners[0], thing


def _signature(thing: Thing, near: bool) -> Any:
    """What two of one kind have in common; None where a rename could not be told from a replacement."""
    if near:
        return _near(thing)
    kept = {name: _comparable(value) for name, value in thing.fields.items() if name not in _WORDS}
    if thing.subject == "COLUMN":
        kept["at"] = thing.fields.get("place")
    kept["type"] = repr(meaning(thing.fields.get("type")))
    return (thing.owner, repr(sorted(kept.items())))


def _comparable(value: Any) -> Any:
    if isinstance(value, core.Expr):
        try:
            return normal.plain(value)
        except forms.TooLarge:
            return None
    return meaning(value)


def _near(thing: Thing) -> Any:
    """A rule or value that has also other numbers."""
    if thing.subject in SPACES:
        form = _comparable(thing.fields["expr"])
        return None if form is None else (thing.subject, repr(numberless(form)))
    if thing.subject == "TABLE" and thing.fields["kind"] in ("input", "listed"):
        return ("TABLE", thing.fields["source"], thing.fields["file"]) if thing.fields["file"] else None
    if thing.subject == "PROVIDER":
        return ("PROVIDER", thing.fields["method"], thing.fields["path"], thing.fields["forbidden"])
    return None
