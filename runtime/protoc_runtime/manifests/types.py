"""What the generated validators of freeze manifests are made of.

Each check takes a value and raises ValueError with the reason why it does not fit, in words that follow the path of
the field. `one_of` makes an annotation of one or several: a value fits if one of them takes it. Null passes: whether a
field may be absent depends on the phase, and is told apart from what it holds.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import datetime
from decimal import Decimal
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from protoc_runtime.manifests.meaning import Unreadable, canonical, number, parse_json, shown, told

Check = Callable[[Any], None]

_REVISION = re.compile(r"[0-9a-f]{40,64}")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_VERSION = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:/@+-]*")
_MOVING = re.compile(
    r"(?:.*[-_:/@.])?(?:latest|main|master|head|trunk|default|stable|current|newest|nightly|dev|develop|preview)",
    re.IGNORECASE,
)
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?(?:Z|[+-]\d\d:\d\d)", re.ASCII)


class Group(BaseModel):
    """A block of a manifest. What it holds beside the declared fields is kept, and told."""

    model_config = ConfigDict(extra="allow", frozen=True, protected_namespaces=(), validate_by_name=False)


class Closed(Group):
    """A block that holds the declared fields and nothing else."""

    model_config = ConfigDict(extra="forbid")


def one_of(*checks: Check) -> BeforeValidator:
    """An annotation: one of the checks must take the value, or it is null."""

    def test(value: Any) -> Any:
        """Give the value back if it is none or one check accepts it; else raise ValueError with all of their
        reasons."""
        reasons = []
        for check in checks if value is not None else ():
            try:
                check(value)
            except ValueError as reason:
                reasons.append(str(reason))
            else:
                return value
        if reasons:
            raise ValueError(reasons[0] if len(set(reasons)) == 1 else "; nor: ".join(reasons))
        return value

    return BeforeValidator(test)


def text(value: Any) -> None:
    """Text that is not empty."""
    if not isinstance(value, str):
        raise ValueError(f"text is needed, found {told(value)}")
    if not value.strip():
        raise ValueError("text is needed, found none")


def whole(value: Any) -> None:
    """A whole number."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise ValueError(f"a whole number is needed, found {told(value)}")


def positive(value: Any) -> None:
    """A whole number from 1."""
    whole(value)
    if value < 1:
        raise ValueError(f"a whole number from 1 is needed, found {value}")


def finite(value: Any) -> None:
    """A finite number."""
    if isinstance(value, bool) or not isinstance(value, (int, float, Decimal)):
        raise ValueError(f"a number is needed, found {told(value)}")
    if not Decimal(value).is_finite():
        raise ValueError(f"a finite number is needed, found {value}")


def truth(value: Any) -> None:
    """True or false."""
    if not isinstance(value, bool):
        raise ValueError(f"true or false is needed, found {told(value)}")


def time(value: Any) -> None:
    """A time with its zone."""
    text(value)
    if not _TIME.fullmatch(value):
        raise ValueError(f"a time with its zone is needed, such as 2026-08-10T12:30:00Z, found {told(value)}")
    try:
        datetime.fromisoformat(value)
    except ValueError:
        raise ValueError(f"there is no such time: {told(value)}") from None


def sha256(value: Any) -> None:
    """A SHA-256 without a prefix."""
    text(value)
    if not _SHA256.fullmatch(value):
        raise ValueError(f"a SHA-256 is needed, 64 lower-case hexadecimal digits, found {told(value)}")


def digest(value: Any) -> None:
    """A SHA-256, with `sha256:` before it or without."""
    text(value)
    if not _SHA256.fullmatch(value.removeprefix("sha256:")):
        raise ValueError(
            f"a SHA-256 is needed, 64 lower-case hexadecimal digits, with `sha256:` before them or without, "
            f"found {told(value)}"
        )


def revision(value: Any) -> None:
    """An immutable commit."""
    text(value)
    if not _REVISION.fullmatch(value):
        raise ValueError(f"a commit is needed, 40 to 64 lower-case hexadecimal digits, found {told(value)}")


def version(value: Any) -> None:
    """An immutable id of a provider: it names one version, not whatever is newest."""
    text(value)
    if not _VERSION.fullmatch(value) or _MOVING.fullmatch(value):
        raise ValueError(f"an id of one version is needed that never moves, found {told(value)}")


def anything(value: Any) -> None:
    """Any value."""


def block(value: Any) -> None:
    """A JSON object."""
    if not isinstance(value, Mapping):
        raise ValueError(f"an object is needed, found {told(value)}")


def member(*members: str) -> Check:
    """One of these words."""

    def check(value: Any) -> None:
        """Raise ValueError for what is not one of the members, as text."""
        if not isinstance(value, str) or value not in members:
            raise ValueError(f"one of {', '.join(members)} is needed, found {told(value)}")

    return check


def exactly(constant: str) -> Check:
    """Exactly this value, given as JSON: numbers by value, no order of keys."""
    wanted = parse_json(constant.encode())
    due = canonical(wanted)

    def check(value: Any) -> None:
        """Raise ValueError for a value that is not the same, compared in canonical form."""
        try:
            same = canonical(value) == due
        except Unreadable:
            same = False
        if not same:
            raise ValueError(f"it must be {shown(wanted)}, found {told(value)}")

    return check


def copied(place: str, constant: str) -> Check:
    """Exactly the canonical block: the first differences are told with both sides."""
    wanted = parse_json(constant.encode())

    def check(value: Any) -> None:
        """Raise ValueError with each place at which the value differs from the copied one."""
        from protoc_runtime.manifests.meaning import differences

        found = [f"{path or 'as a whole'} is {there}, there {ours}" for path, ours, there in differences(wanted, value)]
        if found:
            raise ValueError(f"it differs from {place}: {'; '.join(found)}")

    return check


def at_least(bound: str) -> Check:
    """A finite number that is not below the bound."""
    return _bounded(bound, "at least", lambda value, limit: value >= limit)


def at_most(bound: str) -> Check:
    """A finite number that is not above the bound."""
    return _bounded(bound, "at most", lambda value, limit: value <= limit)


def equal_to(bound: str) -> Check:
    """A finite number that equals the bound."""
    return _bounded(bound, "exactly", lambda value, limit: value == limit)


def each(check: Check) -> Check:
    """A list, each item of which fits."""

    def test(value: Any) -> None:
        """Raise ValueError for what is no list, or for its first item that the check does not accept."""
        if not isinstance(value, list):
            raise ValueError(f"a list is needed, found {told(value)}")
        for place, item in enumerate(value):
            try:
                check(item)
            except ValueError as reason:
                raise ValueError(f"item {place}: {reason}") from None

    return test


def named(check: Check) -> Check:
    """An object with at least one entry, each of which fits."""

    def test(value: Any) -> None:
        """Raise ValueError for an empty block, or for its first entry that the check does not accept."""
        block(value)
        if not value:
            raise ValueError("at least one entry is needed, found none")
        for name, item in value.items():
            try:
                check(item)
            except ValueError as reason:
                raise ValueError(f"{name}: {reason}") from None

    return test


def _bounded(bound: str, words: str, holds: Callable[[Decimal, Decimal], bool]) -> Check:
    limit = Decimal(bound)

    def check(value: Any) -> None:
        """Raise ValueError for a number that is not finite, or on the wrong side of the bound (compared exactly)."""
        finite(value)
        exact = Decimal(repr(value)) if isinstance(value, float) else Decimal(value)
        if not holds(exact, limit):
            raise ValueError(f"{words} {number(limit)} is needed, found {number(exact)}")

    return check


__all__ = [
    "Annotated",
    "Closed",
    "Field",
    "Group",
    "anything",
    "at_least",
    "at_most",
    "block",
    "copied",
    "digest",
    "each",
    "equal_to",
    "exactly",
    "finite",
    "member",
    "named",
    "one_of",
    "positive",
    "revision",
    "sha256",
    "text",
    "time",
    "truth",
    "version",
    "whole",
]
