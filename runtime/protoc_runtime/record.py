"""Frozen value classes that cost nothing to declare.

`dataclass(frozen=True, slots=True)` compiles source text for every class, about half a millisecond each; a
compiler with a hundred node classes would spend its whole start-up on that. `record` keeps the declaration and the
type checking, and compiles nothing: a constructor is the one of its number of fields, with other names in it.
"""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
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
    derived = hasattr(cls.__bases__[0], "__record_fields__")  # then it has all of them but for its own constructor
    for name in ("__init__",) if derived else _SHARED:
        if name not in cls.__dict__:
            setattr(cls, name, _SHARED[name])
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


def _constructor(cls: Any, fields: tuple[str, ...]) -> Callable[..., None]:
    """`__init__(self, *fields)`, which gives the instance a dict with all values at once.

    Attributes of such an instance are found twice as fast as those of a dict that was filled one by one.
    """
    if len(fields) >= len(_TEMPLATES):
        return _put_many
    code = _TEMPLATES[len(fields)].__code__
    names = dict(zip(_PLACES, fields, strict=False))
    constants = [
        tuple([names.get(key, key) for key in value]) if type(value) is tuple else value for value in code.co_consts
    ]
    known = code.replace(co_consts=tuple(constants), co_varnames=("self", *fields), co_qualname=cls.__name__)
    given = len(fields)
    while given and hasattr(cls, fields[given - 1]):
        given -= 1
    return FunctionType(known, globals(), "__init__", tuple([getattr(cls, name) for name in fields[given:]]))


def _put_many(self: Any, *args: object, **kwargs: object) -> None:
    """The constructor of a class with so many fields that there are few instances of it."""
    cls = type(self)
    fields: tuple[str, ...] = cls.__record_fields__
    given = {**dict(zip(fields, args, strict=False)), **kwargs}
    values: dict[str, object] = {_HASH: None}
    for name in fields:
        if name not in given and not hasattr(cls, name):
            raise TypeError(f"{cls.__name__} is made without `{name}`")
        values[name] = given[name] if name in given else getattr(cls, name)
    if len(args) + len(kwargs) != len(given) or not given.keys() <= values.keys():
        raise TypeError(f"{cls.__name__} is made with fields that it has not, or has once")
    _put(self, "__dict__", values)


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
_put = object.__setattr__
_PLACES = "abcdefghi"  # what the fields are called in a template
_TEMPLATES: tuple[Callable[..., None], ...] = (  # by the number of fields
    lambda self: _put(self, "__dict__", {"_hash": None}),
    lambda self, a: _put(self, "__dict__", {"_hash": None, "a": a}),
    lambda self, a, b: _put(self, "__dict__", {"_hash": None, "a": a, "b": b}),
    lambda self, a, b, c: _put(self, "__dict__", {"_hash": None, "a": a, "b": b, "c": c}),
    lambda self, a, b, c, d: _put(self, "__dict__", {"_hash": None, "a": a, "b": b, "c": c, "d": d}),
    lambda self, a, b, c, d, e: _put(self, "__dict__", {"_hash": None, "a": a, "b": b, "c": c, "d": d, "e": e}),
    lambda self, a, b, c, d, e, f: _put(
        self, "__dict__", {"_hash": None, "a": a, "b": b, "c": c, "d": d, "e": e, "f": f}
    ),
    lambda self, a, b, c, d, e, f, g: _put(
        self, "__dict__", {"_hash": None, "a": a, "b": b, "c": c, "d": d, "e": e, "f": f, "g": g}
    ),
    lambda self, a, b, c, d, e, f, g, h: _put(
        self, "__dict__", {"_hash": None, "a": a, "b": b, "c": c, "d": d, "e": e, "f": f, "g": g, "h": h}
    ),
    lambda self, a, b, c, d, e, f, g, h, i: _put(
        self, "__dict__", {"_hash": None, "a": a, "b": b, "c": c, "d": d, "e": e, "f": f, "g": g, "h": h, "i": i}
    ),
)
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
