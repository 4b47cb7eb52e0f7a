"""Value classes that cost nothing to declare and little to make.

`dataclass(frozen=True, slots=True)` compiles source text for every class, about half a millisecond each; a
compiler with a hundred node classes would spend its whole start-up on that. `record` keeps the declaration and the
type checking, and compiles nothing: a constructor is the one of its number of fields, with other names in it.

That nobody changes a record is what mypy sees to. Python could only be kept from it by a `__setattr__`, past which each
constructor would have to go: it took twice as long, and the attributes of what it made were slower to find.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from types import FunctionType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeVar, dataclass_transform

    T = TypeVar("T")
else:

    def dataclass_transform(**_):
        """What it says is for mypy alone, and means nothing to Python."""
        return lambda decorator: decorator


@dataclass_transform(frozen_default=True)
def record(cls: type[T]) -> type[T]:
    """Make `cls` a value class with the fields that its annotations name (inherited ones first), frozen for mypy."""
    own = cls.__dict__
    above: tuple[str, ...] | None = getattr(cls, "__record_fields__", None)
    fields = dict.fromkeys((*(above or ()), *own.get("__annotations__", ())))
    cls.__record_fields__ = cls.__match_args__ = tuple(fields)  # type: ignore[attr-defined,misc]
    for name in _SHARED if above is None else ("__init__",):  # a derived one has all but its own constructor
        if name not in own:
            setattr(cls, name, _SHARED[name])
    return cls


def replace(value: T, /, **changes: object) -> T:
    """A copy of a record with some fields changed."""
    kind: Any = type(value)
    made = object.__new__(kind)
    for name in kind.__record_fields__:
        setattr(made, name, changes[name] if name in changes else getattr(value, name))
    return made  # type: ignore[no-any-return]


def values_of(value: object) -> tuple[Any, ...]:
    """The values of the fields of a record, in their order. `__dict__` would make a dict for it first."""
    kind = type(value)
    return (_GETTERS.get(kind) or _getter(kind))(value)


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
    """`__init__(self, *fields)`."""
    if len(fields) >= len(_TEMPLATES):
        return _put_many
    code = _TEMPLATES[len(fields)].__code__
    known = code.replace(co_names=fields, co_varnames=("self", *fields), co_qualname=cls.__name__)
    given = len(fields)
    while given and hasattr(cls, fields[given - 1]):
        given -= 1
    return FunctionType(known, globals(), "__init__", tuple([getattr(cls, name) for name in fields[given:]]))


def _put_many(self: Any, *args: object, **kwargs: object) -> None:
    """The constructor of a class with so many fields that there are few instances of it."""
    cls = type(self)
    fields: tuple[str, ...] = cls.__record_fields__
    for name, value in zip(fields, args, strict=False):
        setattr(self, name, value)
    for name in fields[len(args) :]:
        if name in kwargs:
            setattr(self, name, kwargs.pop(name))
        elif hasattr(cls, name):
            setattr(self, name, getattr(cls, name))
        else:
            raise TypeError(f"{cls.__name__} is made without `{name}`")
    if kwargs or len(args) > len(fields):
        raise TypeError(f"{cls.__name__} is made with fields that it has not, or has once")


def _getter(kind: Any) -> Callable[[Any], tuple[Any, ...]]:
    """What gives the values of all fields of an instance."""
    fields = kind.__record_fields__
    if len(fields) > 1:
        made: Callable[[Any], tuple[Any, ...]] = attrgetter(*fields)
    else:
        made = lambda value: tuple([getattr(value, name) for name in fields])  # noqa: E731
    _GETTERS[kind] = made
    return made


def _eq(self: Any, other: object) -> bool:
    kind = type(self)
    if kind is not type(other):
        return False
    mine, theirs = self._hash, other._hash  # type: ignore[attr-defined]
    if mine is not None and theirs is not None and mine != theirs:
        return False
    get = _GETTERS.get(kind) or _getter(kind)
    return get(self) == get(other)


def _hash(self: Any) -> int:
    """The hash of a tree is computed once for each of its nodes."""
    kept: int | None = self._hash
    if kept is None:
        kept = self._hash = hash((type(self), *values_of(self)))
    return kept


def _state(self: Any) -> dict[str, object]:
    """What is pickled: a hash is of use in its own process only."""
    return {name: getattr(self, name) for name in type(self).__record_fields__}


def _repr(self: Any) -> str:
    inner = ", ".join(f"{name}={getattr(self, name)!r}" for name in type(self).__record_fields__)
    return f"{type(self).__name__}({inner})"


def _init_0(self: Any) -> None:
    pass


def _init_1(self: Any, a: Any) -> None:
    self.a = a


def _init_2(self: Any, a: Any, b: Any) -> None:
    self.a = a
    self.b = b


def _init_3(self: Any, a: Any, b: Any, c: Any) -> None:
    self.a = a
    self.b = b
    self.c = c


def _init_4(self: Any, a: Any, b: Any, c: Any, d: Any) -> None:
    self.a = a
    self.b = b
    self.c = c
    self.d = d


def _init_5(self: Any, a: Any, b: Any, c: Any, d: Any, e: Any) -> None:
    self.a = a
    self.b = b
    self.c = c
    self.d = d
    self.e = e


def _init_6(self: Any, a: Any, b: Any, c: Any, d: Any, e: Any, f: Any) -> None:
    self.a = a
    self.b = b
    self.c = c
    self.d = d
    self.e = e
    self.f = f


def _init_7(self: Any, a: Any, b: Any, c: Any, d: Any, e: Any, f: Any, g: Any) -> None:
    self.a = a
    self.b = b
    self.c = c
    self.d = d
    self.e = e
    self.f = f
    self.g = g


def _init_8(self: Any, a: Any, b: Any, c: Any, d: Any, e: Any, f: Any, g: Any, h: Any) -> None:
    self.a = a
    self.b = b
    self.c = c
    self.d = d
    self.e = e
    self.f = f
    self.g = g
    self.h = h


def _init_9(self: Any, a: Any, b: Any, c: Any, d: Any, e: Any, f: Any, g: Any, h: Any, i: Any) -> None:
    self.a = a
    self.b = b
    self.c = c
    self.d = d
    self.e = e
    self.f = f
    self.g = g
    self.h = h
    self.i = i


# By the number of fields. A constructor is one of these with the names of the fields in it.
_TEMPLATES: tuple[Callable[..., None], ...] = (
    _init_0, _init_1, _init_2, _init_3, _init_4, _init_5, _init_6, _init_7, _init_8, _init_9,
)  # fmt: skip
_GETTERS: dict[type, Callable[[Any], tuple[Any, ...]]] = {}
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
    "_hash": None,
}
