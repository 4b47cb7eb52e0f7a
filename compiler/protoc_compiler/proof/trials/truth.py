"""How far a condition is from being true, and from being false: what a generated verifier computes with such values.

The functions here stand in for those that the conditions of a verifier call (`ge`, `all_of`, `first_match`, ...): their
outcome is the same, with a distance beside it. A search over rows follows the distances; what it finds is decided by
the verifiers themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

_LEAST = 0.02  # what a condition that is not as wanted is away at least
_APART = 0.3  # two values that have no distance and should be equal
_TOUCH = 0.1  # two equal values that should not be
_FILTERED = 0.02  # what filters count for beside numbers
_NONE = 5.0  # a word that no line gives
_UNCOMPUTED = object()
_TEXTS = (str, bool, type(None))


class Truth:
    """An outcome, with the distances to true (`yes`) and to false (`no`); the one that it has is at 0."""

    __slots__ = ("no", "state", "yes")

    def __init__(self, state: bool | None, yes: float, no: float) -> None:
        self.state, self.yes, self.no = state, yes, no


class Choice:
    """The word of the line that is taken, and those of all lines with the distance to taking each."""

    __slots__ = ("ways", "word")

    def __init__(self, word: Any, ways: list[tuple[float, Any]]) -> None:
        self.word, self.ways = word, ways

    def among(self, words: Iterable[Any]) -> Truth:
        """That it is one of these."""
        wanted = frozenset(words)
        state = None if self.word is None else self.word in wanted
        yes = min([far for far, word in self.ways if word in wanted], default=_NONE)
        no = min([far for far, word in self.ways if word not in wanted], default=_NONE)
        return Truth(state, 0.0 if state else max(yes, _LEAST), 0.0 if state is False else max(no, _LEAST))


TRUE, FALSE = Truth(True, 0.0, 1.0), Truth(False, 1.0, 0.0)
compared: list[tuple[Any, Any]] = []  # the values that the rule which is being computed has compared
missed: list[float] = []  # how far the filters of the rule that is being computed are from keeping another row


def unknown() -> Truth:
    """An undefined outcome: nearer where a filter nearly keeps a row, since of no rows most values are undefined."""
    far = 1.0 if not missed else 0.5 + min(missed) / 2 / (1 + min(missed))
    return Truth(None, far, far)


def _nearly() -> float:
    """What a number that is not as it should be is away beside itself: some filter may nearly keep one row more."""
    return _FILTERED * min(missed) / (1 + min(missed)) if missed else _FILTERED


def truth(value: Any) -> Truth:
    """A condition with its distances; those of a plain outcome are as they are where nothing is known."""
    if type(value) is Truth:
        return value
    return unknown() if value is None else TRUE if value else FALSE


def plain(value: Any) -> Any:
    """A value without distances."""
    kind = type(value)
    if kind is Truth:
        return value.state
    if kind is Choice:
        return value.word
    if kind is tuple:
        return tuple([plain(part) for part in value])
    if kind is list:
        return [plain(part) for part in value]
    return (plain(part) for part in value) if kind.__name__ == "generator" else value


def taking_plain(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of a verifier that knows no distances."""

    def taking(*arguments: Any, **named: Any) -> Any:
        """The function on the plain values of what it gets."""
        return function(*map(plain, arguments), **{name: plain(value) for name, value in named.items()})

    return taking


class Measures:
    """What stands in for the comparisons of the hand-written half of a verifier: the same, with distances."""

    def __init__(self, half: dict[str, Any]) -> None:
        self.same, self.order, self.real, self.plain_holds = half["same"], half["order"], half["Real"], half["holds"]
        self.signs = {
            "==": self.eq, "!=": self.ne, "<": self.lt, "<=": self.le, ">": self.gt, ">=": self.ge,
        }  # fmt: skip

    def _far(self, a: Any, b: Any) -> float:
        """A distance below 1, by the size of the two numbers."""
        x, y = _float(a, self.real), _float(b, self.real)
        if x is None or y is None:
            return _APART
        apart = abs(x - y)
        return apart / (apart + max(abs(x), abs(y), 1e-9))

    def _compared(self, a: Any, b: Any, holds: Callable[[int], bool]) -> Truth:
        a, b = plain(a), plain(b)
        compared.append((a, b))
        if a is None or b is None:
            return unknown()
        away = _LEAST + self._far(a, b) + _nearly()
        return Truth(True, 0.0, away) if holds(self.order(a, b)) else Truth(False, away, 0.0)

    def eq(self, a: Any, b: Any) -> Truth:
        """a == b"""
        if type(a) is Choice and type(b) in _TEXTS:
            return a.among([b])
        a, b = plain(a), plain(b)
        compared.append((a, b))
        if a is None or b is None:
            return unknown()
        return Truth(True, 0.0, _TOUCH) if self.same(a, b) else Truth(False, _LEAST + self._far(a, b) + _nearly(), 0.0)

    def ne(self, a: Any, b: Any) -> Truth:
        """a != b"""
        return not_(self.eq(a, b))

    def lt(self, a: Any, b: Any) -> Truth:
        """a < b"""
        return self._compared(a, b, lambda side: side < 0)

    def le(self, a: Any, b: Any) -> Truth:
        """a <= b"""
        return self._compared(a, b, lambda side: side <= 0)

    def gt(self, a: Any, b: Any) -> Truth:
        """a > b"""
        return self._compared(a, b, lambda side: side > 0)

    def ge(self, a: Any, b: Any) -> Truth:
        """a >= b"""
        return self._compared(a, b, lambda side: side >= 0)

    def chain(self, *parts: Any) -> Truth:
        """a < b <= c and so on: operands and signs in turns."""
        operands = parts[::2]
        if None in [plain(one) for one in operands]:
            return unknown()
        pairs = zip(operands, parts[1::2], operands[1:], strict=False)
        return all_of(*[self.signs[sign](left, right) for left, sign, right in pairs])

    def within(self, x: Any, low: Any, high: Any) -> Truth:
        """low <= x <= high"""
        return unknown() if None in (plain(x), low, high) else all_of(self.le(low, x), self.le(x, high))

    def among(self, x: Any, members: Iterable[Any] | None) -> Truth:
        """Whether a value is one of these."""
        if members is None:
            return unknown()
        found = list(members)
        if type(x) is Choice and all(type(one) in _TEXTS for one in found):
            return x.among(found)
        return any_of(*[self.eq(x, one) for one in found]) if found else FALSE

    def holds(self, condition: Any) -> Any:
        """Whether a filter keeps a row; how far one is that it does not keep is remembered as missed."""
        if type(condition) is Truth and condition.state is False:
            missed.append(condition.yes)
        return self.plain_holds(plain(condition))


def measured(half: dict[str, Any]) -> dict[str, Callable[..., Any]]:
    """The functions that stand in for those of the same name in the hand-written half of a verifier."""
    by = Measures(half)
    return {
        "eq": by.eq, "ne": by.ne, "lt": by.lt, "le": by.le, "gt": by.gt, "ge": by.ge, "chain": by.chain,
        "within": by.within, "among": by.among, "not_": not_, "all_of": all_of, "any_of": any_of,
        "every": every, "some": some, "none": none,
        "is_true": is_true, "is_false": is_false, "is_defined": is_defined, "is_undefined": is_undefined,
        "first_match": first_match, "if_undefined": if_undefined, "if_enough": half["if_enough"], "holds": by.holds,
    }  # fmt: skip


def _float(value: Any, real: type) -> float | None:
    """A number, or the seconds of a time, as a number that only measures."""
    if isinstance(value, real):
        value = value.number  # type: ignore[attr-defined]  # of the verifier's own class
    if hasattr(value, "kind"):
        value = value.value
    if type(value) is bool or isinstance(value, str):
        return None
    try:
        return float(value.timestamp() if hasattr(value, "timestamp") else value)
    except (TypeError, ValueError, OverflowError):
        return float(value.toordinal()) if hasattr(value, "toordinal") else None


def not_(x: Any) -> Truth:
    """The contrary."""
    one = truth(x)
    return Truth(None if one.state is None else not one.state, one.no, one.yes)


def all_of(*parts: Any) -> Truth:
    """True where all are: all distances together; false where one is."""
    found = [truth(part) for part in parts]
    states = [one.state for one in found]
    state = False if False in states else None if None in states else True
    no = 0.0 if state is False else min([one.no for one in found], default=1.0)
    return Truth(state, sum([one.yes for one in found]), no)


def any_of(*parts: Any) -> Truth:
    """True where one is; false where none is."""
    return not_(all_of(*[not_(part) for part in parts]))


def every(conditions: Iterable[Any]) -> Truth:
    """Of many rows what they lack together stays below 1."""
    found = list(conditions)
    if not found:
        return unknown()
    whole = all_of(*found)
    return Truth(whole.state, whole.yes / (1 + whole.yes), whole.no)


def some(conditions: Iterable[Any]) -> Truth:
    """Of no rows false."""
    return not_(none(conditions))


def none(conditions: Iterable[Any]) -> Truth:
    """Of no rows true."""
    found = [not_(one) for one in conditions]
    return every(found) if found else TRUE


def is_true(x: Any) -> Truth:
    """Always defined."""
    one = truth(x)
    return Truth(one.state is True, one.yes, one.no if one.state is True else 0.0)


def is_false(x: Any) -> Truth:
    """Always defined."""
    return is_true(not_(x))


def is_defined(x: Any) -> Truth:
    """Of no rows most values are undefined: a filter may nearly keep some."""
    return TRUE if plain(x) is not None else Truth(False, unknown().yes, 0.0)


def is_undefined(x: Any) -> Truth:
    """The contrary of `is_defined`."""
    return not_(is_defined(x))


def if_undefined(x: Any, value: Any) -> Any:
    """Of a condition: away from the outcome that it does not have is where the condition itself is."""
    if type(x) is Choice:
        return x if x.word is not None else value
    if type(x) is not Truth or x.state is not None or type(value) is not bool:
        return value if x is None or (type(x) is Truth and x.state is None) else x
    return Truth(True, 0.0, x.no) if value else Truth(False, x.yes, 0.0)


def first_match(*lines: tuple[Callable[[], Any], Callable[[], Any]], otherwise: Callable[[], Any]) -> Any:
    """The value of the first line whose condition is true; the other lines are at the distance of being reached."""
    taken, before = -1, 0.0
    far: list[float] = []
    for at, (condition, _) in enumerate(lines):
        try:
            met = truth(condition())
        except Exception:
            if taken < 0:
                raise
            met = unknown()  # what is behind the line that is taken is not computed by a verifier
        far.append(before + met.yes)
        before += met.no
        if taken < 0 and met.state is not False:
            taken = at if met.state else len(lines) + 1
    far.append(before)
    values = [*[line[1] for line in lines], otherwise]
    taken = len(lines) if taken < 0 else taken
    got = values[taken]() if taken < len(values) else None
    if type(got) not in (*_TEXTS, Truth, Choice):
        return got
    ways: list[tuple[float, Any]] = []
    for at, (distance, value) in enumerate(zip(far, values, strict=True)):
        one = got if at == taken else _otherwise(value)
        if one is _UNCOMPUTED:
            continue
        ways += [(distance + more, word) for more, word in one.ways] if type(one) is Choice else [(distance, one)]
    return _folded(got, ways)


def _otherwise(value: Callable[[], Any]) -> Any:
    """What a line that is not taken gives, if it can be computed."""
    try:
        return value()
    except Exception:
        return _UNCOMPUTED


def _folded(got: Any, ways: list[tuple[float, Any]]) -> Any:
    if type(got) is Choice or isinstance(got, str) or any(isinstance(one, str) for _, one in ways):
        return Choice(plain(got), ways)
    found = [(far, truth(one)) for far, one in ways]
    state = truth(got).state
    yes = 0.0 if state is True else max(_LEAST, min(far + one.yes for far, one in found))
    no = 0.0 if state is False else max(_LEAST, min(far + one.no for far, one in found))
    return Truth(state, yes, no)


__all__ = [
    "FALSE",
    "TRUE",
    "Choice",
    "Truth",
    "compared",
    "measured",
    "missed",
    "plain",
    "taking_plain",
    "truth",
    "unknown",
]
