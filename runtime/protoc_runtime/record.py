"""Frozen value classes that cost nothing to declare.

`dataclass(frozen=True, slots=True)` compiles source text for every class, about half a millisecond each; a
compiler with a hundred node classes would spend its whole start-up on that. `record` keeps the declaration and the
type checking, and shares one constructor between all classes.
"""

from __future__ import annotations

from typing import Any, TypeVar, dataclass_transform

T = TypeVar("T")


@dataclass_transform(frozen_default=True)
def record(cls: type[T]) -> type[T]:
    """Make `cls` an immutable value class with the fields that its annotations name (inherited ones first)."""
    fields: dict[str, None] = {}
    for base in reversed(cls.__mro__[1:]):
        fields.update(dict.fromkeys(getattr(base, "__record_fields__", ())))
    fields.update(dict.fromkeys(name for name in cls.__dict__.get("__annotations__", {}) if not name.startswith("__")))
    cls.__record_fields__ = tuple(fields)  # type: ignore[attr-defined]
    cls.__match_args__ = tuple(fields)  # type: ignore[attr-defined,misc]
    for name, member in _SHARED.items():
        if name not in cls.__dict__:
            setattr(cls, name, member)
    return cls


def replace(value: T, /, **changes: object) -> T:
    """A copy of a record with some fields changed."""
    made = object.__new__(type(value))
    made.__dict__.update(value.__dict__)
    made.__dict__.update(changes)
    made.__dict__[_HASH] = None
    return made


def check_types(value: object) -> None:
    """Raise TypeError unless every field declared as `str` or `int` (or one of them or None) holds just that.

    For records that are read from files; other fields are passed over.
    """
    for name, declared in type(value).__annotations__.items():
        allowed = _CHECKED.get(declared)
        if allowed and type(getattr(value, name)) not in allowed:
            raise TypeError(f"{name} is not {declared}")


def _init(self: Any, *args: object, **kwargs: object) -> None:
    fields = type(self).__record_fields__
    values = self.__dict__
    values[_HASH] = None
    values.update(zip(fields, args))  # noqa: B905  # told below
    if len(args) == len(fields) and not kwargs:
        return
    if len(args) > len(fields):
        raise TypeError(f"{type(self).__name__} takes {len(fields)} values, {len(args)} given")
    for name, value in kwargs.items():
        if name not in fields or name in values:
            raise TypeError(f"{type(self).__name__} got an unexpected or repeated field {name!r}")
        values[name] = value
    if len(values) <= len(fields):
        for name in fields:
            if name not in values:
                if not hasattr(type(self), name):
                    raise TypeError(f"{type(self).__name__} lacks {name!r}")
                values[name] = getattr(type(self), name)


def _eq(self: Any, other: object) -> bool:
    if type(self) is not type(other):
        return False
    mine, theirs = self.__dict__, other.__dict__
    if mine == theirs:
        return True
    if mine[_HASH] is not None and theirs[_HASH] is not None:
        return False
    fields: tuple[str, ...] = type(self).__record_fields__  # type: ignore[attr-defined]
    return all(mine[name] == theirs[name] for name in fields)


def _hash(self: Any) -> int:
    values = self.__dict__
    kept: int | None = values[_HASH]
    if kept is None:
        kept = values[_HASH] = hash((type(self), *[values[name] for name in type(self).__record_fields__]))
    return kept


def _state(self: Any) -> dict[str, object]:
    """What is pickled: a hash is of use in its own process only."""
    return {**self.__dict__, _HASH: None}


def _repr(self: Any) -> str:
    inner = ", ".join(f"{name}={self.__dict__[name]!r}" for name in type(self).__record_fields__)
    return f"{type(self).__name__}({inner})"


def _frozen(self: Any, name: str, value: object = None) -> None:
    raise AttributeError(f"{type(self).__name__}.{name} cannot change")


_HASH = "_hash"  # beside the fields: the hash of a tree is computed once for each of its nodes
_CHECKED: dict[object, tuple[type, ...]] = {
    "str": (str,),
    "int": (int,),
    "str | None": (str, type(None)),
    "bool | None": (bool, type(None)),
}
_SHARED: dict[str, Any] = {
    "__init__": _init,
    "__eq__": _eq,
    "__hash__": _hash,
    "__repr__": _repr,
    "__getstate__": _state,
    "__setattr__": _frozen,
    "__delattr__": _frozen,
}
