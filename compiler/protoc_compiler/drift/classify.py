"""From differences to changes: every kind of change that fits says its part, and what no kind fits is still told."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from importlib import import_module

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.fingerprint import fingerprint
from protoc_compiler.drift.forms import TooLarge
from protoc_compiler.drift.kinds import KINDS
from protoc_compiler.drift.model import KEYED, Change, Delta

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_FORMULA = (
    "rewritten", "threshold_lowered", "threshold_raised", "numbers_changed", "comparison_changed", "quantifier_changed",
    "filter_changed", "undefined_changed", "function_changed", "condition_added", "condition_removed",
)  # fmt: skip
_LINES = ("lines_reordered", "line_added", "line_removed", "word_renamed", "line_changed")
SHARED: dict[str, tuple[str, ...]] = {
    "expr": (*_FORMULA, *_LINES, "formula_changed"),
    "rows": ("population_narrowed", "population_widened", "population_rewritten", "population_changed"),
    "says": ("words_changed",),
    "cites": ("cites_changed",),
    "type": ("value_type_changed",),
    "withheld": ("withholding_changed",),
    "parts": ("parts_changed",),
    "order": ("reordered",),
    "renamed": ("renamed",),
    "added": ("added",),
    "removed": ("removed",),
}
_FOLLOWS = {
    "type": ("expr",), "parts": ("expr",), "words": ("expr",), "origin": ("expr", "type"), "argv": ("target", "kind"),
    "rows": ("kind",), "sample": ("kind",), "group": ("kind",), "optional": ("expr",), "method": ("path",),
    "key": ("group", "parts", "kind"), "target": ("kind",),
}  # fmt: skip
_OWNERS = {
    "MANIFEST_FIELD": "MANIFEST", "MANIFEST_PHASE": "MANIFEST", "PHASE_RECORD": "PHASE", "PHASE_DUTY": "PHASE",
}  # fmt: skip
_RULES = ("GATE", "BLOCKER", "CHECK")
_MOVES = ("added", "removed", "renamed", "fires_undefined")


def classify(deltas: Iterable[Delta], context: Context) -> list[Change]:
    """The changes, in the order of the differences."""
    return [change for delta in told(deltas) for change in changes(delta, context)]


def told(deltas: Iterable[Delta]) -> list[Delta]:
    """The differences without those that only come with another one of the same thing."""
    found = list(deltas)
    fields: dict[tuple[str, str], set[str]] = {}
    for delta in found:
        fields.setdefault((delta.subject, delta.thing.name), set()).add(delta.field)
    moved = any(delta.subject in _RULES and delta.field in _MOVES for delta in found)
    return [
        delta
        for delta in found
        if not _follows(delta, fields[delta.subject, delta.thing.name])
        and not _inside(delta, fields.get((_OWNERS.get(delta.subject, "TABLE"), delta.thing.owner), set()))
        and not (moved and _lists_rules(delta))
    ]


def _follows(delta: Delta, fields: set[str]) -> bool:
    """Whether a difference comes with another one of the same thing: the type of a formula that has changed."""
    return any(field in fields for field in _FOLLOWS.get(delta.field, ()))


def _inside(delta: Delta, table: set[str]) -> bool:
    """Whether a column or row comes with its table: one that is new or gone, or is filled from elsewhere."""
    if not delta.thing.owner:
        return False
    return delta.field in table & {"added", "removed"} or (delta.field == "origin" and bool(table & {"source", "kind"}))


def _lists_rules(delta: Delta) -> bool:
    """Whether the lines of a verdict differ because there are other rules, which is told of the rules."""
    if delta.subject not in ("VERDICT", "SUBVERDICT") or delta.old is None or delta.new is None:
        return False
    return delta.field in ("expr", "parts") and delta.old.text == delta.new.text


def changes(delta: Delta, context: Context) -> Iterator[Change]:
    """What every kind of change that fits says of a difference; at least one does."""
    own = KINDS.get(delta.subject, {}).get(delta.field, ())
    found = False
    for name in own:
        module = _module("kinds", name)
        change = _change(name.upper(), module, delta, context)
        if change is not None:
            found = True
            yield change
    if found:
        return
    for name in (*SHARED.get(delta.field, ()), "changed"):
        module = _module("shared", name)
        change = _change(shared_id(delta.subject, name), module, delta, context)
        if change is not None:
            yield change
            return


@cache
def _module(folder: str, name: str) -> Any:
    return import_module(f"protoc_compiler.drift.{folder}.{name}")


def shared_id(subject: str, name: str) -> str:
    """The id of a kind of change that many subjects share; a population is a table."""
    return name.upper() if name.startswith("population_") else f"{subject}_{name.upper()}"


def _change(name: str, module: Any, delta: Delta, context: Context) -> Change | None:
    try:
        judged = module.judge(delta, context)
    except TooLarge:
        return None
    if judged is None:
        return None
    message = judged.message
    if delta.field == "expr" and judged.direction in ("incomparable", "undecided"):
        from protoc_compiler.drift.shared.comparing import besides  # few changes are

        message += besides(delta, context)
    mark = fingerprint(name, delta, context.stands(delta))
    return Change(
        name, _path(delta), judged.direction, None, None, message, mark, delta.subject, delta.field, delta.thing.name,
    )  # fmt: skip


def _path(delta: Delta) -> str:
    """Where the change is: the thing, and of a field that is a key of its own this key."""
    shown = delta.thing.shown
    own = delta.subject in KEYED
    whole = delta.field in ("added", "removed", "renamed", "order", "meaning")
    return f"{shown}.{delta.field}" if own and not whole else shown
