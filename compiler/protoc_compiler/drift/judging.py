"""What the kinds of change share: numbers that rise or fall, lists that gain or lose."""

from __future__ import annotations

from fractions import Fraction

from protoc_compiler import core
from protoc_compiler.drift.model import Delta, Direction, Judged

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def rose(delta: Delta, direction: Direction, what: str, *, unset: Any = None) -> Judged | None:
    """The number is greater than before, or there is no limit any more (`unset` None)."""
    before, after = delta.before, delta.after
    more = before is not None if after is None else before is not None and after > before
    return Judged(direction, f"{what}: {told(before)} -> {told(after)}") if more else None


def fell(delta: Delta, direction: Direction, what: str) -> Judged | None:
    """The number is smaller than before, or there is a limit now."""
    before, after = delta.before, delta.after
    less = after is not None if before is None else after is not None and after < before
    return Judged(direction, f"{what}: {told(before)} -> {told(after)}") if less else None


def gained(delta: Delta, direction: Direction, what: str) -> Judged | None:
    """The list has something that it did not have."""
    new = [told(part) for part in delta.after or () if part not in (delta.before or ())]
    return Judged(direction, f"{what}: {', '.join(new)}") if new else None


def lost(delta: Delta, direction: Direction, what: str) -> Judged | None:
    """The list lacks something that it had."""
    gone = [told(part) for part in delta.before or () if part not in (delta.after or ())]
    return Judged(direction, f"{what}: {', '.join(gone)}") if gone else None


def became(delta: Delta, value: Any, direction: Direction, message: str) -> Judged | None:
    """The value is now this one."""
    return Judged(direction, message) if delta.after == value else None


def differs(delta: Delta, direction: Direction, what: str) -> Judged:
    """The value is another one."""
    return Judged(direction, f"{what}: {told(delta.before)} -> {told(delta.after)}")


def told(value: Any) -> str:
    """A value as it is shown in a message."""
    if value is None or value in ("", ()):
        return "none"
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Fraction):
        from protoc_runtime.reading.decimals import decimal_text

        return decimal_text(value)
    if isinstance(value, tuple):
        return ", ".join(map(told, value))
    if isinstance(value, int):
        return str(value)
    name = getattr(value, "name", None)
    return name if isinstance(name, str) else type(value).__name__.lower()


def counted(number: int, what: str) -> str:
    """`1 line`, `2 lines`."""
    return f"{number} {what}{'s' if number != 1 else ''}"


def cited(value: Any) -> str:
    """The ids that a thing cites; of one with a list for each key, all of them."""
    flat = [part if isinstance(part, str) else f"{part[0]}: {told(part[1])}" for part in value or ()]
    return ", ".join(flat) or "nothing"


def used(delta: Delta, direction: Direction, what: str, *, more: bool) -> Judged | None:
    """Uses of a split that came or went, however often each is allowed."""
    before, after = ({use.removesuffix(" once") for use in value} for value in (delta.before, delta.after))
    found = sorted(after - before if more else before - after)
    return Judged(direction, f"{what}: {', '.join(found)}") if found else None


def waited(delta: Delta) -> Judged:
    """Waits between attempts, compared one by one where there are as many."""
    before, after = delta.before, delta.after
    pairs = list(zip(before, after, strict=False))
    longer, shorter = all(new >= old for old, new in pairs), all(new <= old for old, new in pairs)
    direction: Direction = (
        "looser" if longer and not shorter else "stricter" if shorter and not longer else "incomparable"
    )
    if longer and shorter:  # as many as there are retries, which is told by itself
        direction = "looser" if len(after) > len(before) else "stricter"
    return Judged(
        direction, f"provider `{delta.thing.name}`, seconds between attempts: {told(before)} -> {told(after)}"
    )


def wider(delta: Delta) -> Direction:
    """Of a key: more columns make fewer rows equal."""
    old, new = set(delta.before), set(delta.after)
    return "looser" if old < new else "stricter" if new < old else "incomparable"


def waits(delta: Delta) -> Direction:
    """Of what must have happened before: fewer are looser."""
    old, new = set(delta.before), set(delta.after)
    return "stricter" if old < new else "looser" if new < old else "incomparable"


def names(pairs: Any) -> str:
    """The names of named parts."""
    return ", ".join(name for name, _ in pairs or ()) or "none"


def pairs(delta: Delta) -> Direction:
    """Of named parts that are pinned: what is gone is looser, what is new is stricter."""
    old, new = dict(delta.before or ()), dict(delta.after or ())
    if any(old[name] != new[name] for name in old.keys() & new.keys()):
        return "incomparable"
    return "looser" if new.keys() < old.keys() else "stricter" if old.keys() < new.keys() else "incomparable"


def seen(delta: Delta, direction: Direction, what: str, *, more: bool) -> Judged | None:
    """Names of what is shown that came or went."""
    return named_more(delta, direction, what, more=more)


def named_more(delta: Delta, direction: Direction, what: str, *, more: bool) -> Judged | None:
    """Named parts that came or went."""
    before, after = ([name for name, _ in value or ()] for value in (delta.before, delta.after))
    found = [name for name in after if name not in before] if more else [name for name in before if name not in after]
    return Judged(direction, f"{what}: {', '.join(found)}") if found else None


def same_names(delta: Delta, direction: Direction, message: str) -> Judged | None:
    """Named parts that are in both and differ, or stand in another order."""
    before, after = ([name for name, _ in value or ()] for value in (delta.before, delta.after))
    kept = [name for name in before if name in after]
    old, new = dict(delta.before or ()), dict(delta.after or ())
    moved = kept != [name for name in after if name in before]
    found = [name for name in kept if old[name] != new[name]] or (["the order"] if moved else [])
    return Judged(direction, f"{message}: {', '.join(found)}") if found else None


def members(delta: Delta, direction: Direction, what: str, *, more: bool) -> Judged | None:
    """Members of an enum that came or went."""
    before, after = (_members(value) for value in (delta.before, delta.after))
    if before is None or after is None:
        return None
    found = [name for name in after if name not in before] if more else [name for name in before if name not in after]
    return Judged(direction, f"{what}: {', '.join(found)}") if found else None


def same_members(delta: Delta, direction: Direction, message: str) -> Judged | None:
    """The same members in another order."""
    before, after = (_members(value) for value in (delta.before, delta.after))
    if before is None or after is None or sorted(before) != sorted(after):
        return None
    return Judged(direction, message)


def other_type(delta: Delta, direction: Direction, what: str) -> Judged | None:
    """A type that is not the same enum with other members."""
    before, after = (_members(value) for value in (delta.before, delta.after))
    if before is not None and after is not None:
        return None
    return Judged(direction, f"{what}: {typed(delta.before)} -> {typed(delta.after)}")


def _members(value: Any) -> tuple[str, ...] | None:
    return value.members if value is not None and value.kind == "enum" else None


def typed(value: Any) -> str:
    """A type as it is written in a spec."""
    if value is None:
        return "none"
    if value.item is not None:
        return f"{value.kind} of {typed(value.item)}"
    return (
        value.shown or value.unit or value.table or (f"[{', '.join(value.members)}]" if value.members else value.kind)
    )


def cells(delta: Delta) -> str:
    """The columns of a listed row that differ."""
    before, after = delta.before, delta.after
    differ = [name for name in (*after, *before) if before.get(name) != after.get(name)]
    return ", ".join(f"{name} {told(before.get(name))} -> {told(after.get(name))}" for name in dict.fromkeys(differ))


def referring(side: core.Protocol, delta: Delta, other: str) -> str:
    """Behind what is said of a listed row that only one side has: which rows the other one refuses for it."""
    names = [
        f"`{table.name}`" for table in side.tables
        if any(column.expr is None and column.type.table == delta.thing.owner for column in table.columns)
        and table.kind in ("input", "nested")
    ]  # fmt: skip
    told = (
        f"; the {other} protocol refuses rows of {', '.join(names)} that refer to it, so rules are compared on others"
    )
    return told if names else ""


def frozen(delta: Delta, direction: Direction) -> Judged | None:
    """Another frozen value; a digest has no more and no less."""
    if delta.before is None or delta.after is None:
        return None
    digest = delta.thing.fields["type"].kind == "digest" or direction == "equivalent"
    return differs(delta, "incomparable" if digest else direction, f"`{delta.thing.shown}`")


def claims(delta: Delta) -> Direction:
    """A claim that only forbids is stricter, any other looser."""
    fields = delta.thing.fields
    return "stricter" if fields["never"] and not fields["may"] and not fields["verdicts"] else "looser"


def edges(delta: Delta, direction: Direction, what: str, *, more: bool) -> Judged | None:
    """Verdict words that lead to phases: what is new, or gone."""
    before, after = ({(word, phase) for word, phases in value or () for phase in phases} for value in
                     (delta.before, delta.after))  # fmt: skip
    found = sorted(after - before if more else before - after)
    return Judged(direction, f"{what}: {', '.join(f'{word} to {phase}' for word, phase in found)}") if found else None


def alternatives(delta: Delta) -> Direction:
    """Of a list of alternatives: more are looser."""
    return {"looser": "stricter", "stricter": "looser"}.get(waits(delta), "incomparable")  # type: ignore[return-value]


def evidence(delta: Delta) -> Direction:
    """Of what shows something: more is stricter."""
    return waits(delta)


def walled(delta: Delta) -> Direction:
    """Of sandboxes, from none to one that nobody needs to vouch for."""
    order = ("", "read-only or attested", "read-only")
    return "looser" if order.index(delta.after or "") < order.index(delta.before or "") else "stricter"
