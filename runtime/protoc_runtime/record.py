"""Frozen value classes that cost nothing to declare.

`dataclass(frozen=True, slots=True)` compiles source text for every class, about half a millisecond each; a
compiler with a hundred node classes would spend its whole start-up on that. `record` keeps the declaration and the
type checking, and compiles one constructor for each number of fields.
"""

from __future__ import annotations

from functools import cache
from types import CodeType, FunctionType
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
    object.__setattr__(made, "__dict__", {**value.__dict__, **changes, _HASH: None})
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
    """The first instance of a class makes its constructor: most classes of a start-up never have one."""
    cls = type(self)
    cls.__init__ = _constructor(cls, cls.__record_fields__)
    cls.__init__(self, *args, **kwargs)


def _constructor(cls: Any, fields: tuple[str, ...]) -> FunctionType:
    """`__init__(self, *fields)`, which gives the instance a dict with all values at once.

    Attributes of such an instance are found twice as fast as those of a dict that was filled one by one.
    """
    code = _template(len(fields))
    names: dict[Any, str] = dict(zip(_PLACES, fields, strict=False))
    constants = [
        tuple([names.get(key, key) for key in value]) if type(value) is tuple else names.get(value, value)
        for value in code.co_consts
    ]
    known = code.replace(co_consts=tuple(constants), co_varnames=("self", *fields))
    given = len(fields)
    while given and hasattr(cls, fields[given - 1]):
        given -= 1
    return FunctionType(known, _GLOBALS, "__init__", tuple([getattr(cls, name) for name in fields[given:]]))


@cache
def _template(count: int) -> CodeType:
    """The code of a constructor of so many fields; that of a class only has its own names in it."""
    places = _PLACES[:count]
    values = "".join([f", '{place}': {place}" for place in places])
    made: dict[str, Any] = {}
    exec(f"def made({', '.join(('self', *places))}): put(self, '__dict__', {{'{_HASH}': None{values}}})", made)  # noqa: S102
    code: CodeType = made["made"].__code__
    return code


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
        kept = values[_HASH] = hash((type(self), *values.values()))
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
_PLACES = tuple([f"f{place}" for place in range(100)])  # what the fields are called in a template
_GLOBALS = {"put": object.__setattr__}
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
