"""Two normal forms side by side: in what alone do they differ?"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction

from protoc_compiler.drift.forms import Form, negate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_QUANTIFIERS = ("some", "all")
_NUMBERS = ("number", "quantity", "time")


def numberless(form: Any) -> Any:
    """A form without its numbers and times."""
    if type(form) is not tuple:
        return "#" if isinstance(form, Fraction) else form
    if form[:1] == ("const",) and form[1] in _NUMBERS:
        return "#"
    return tuple([part if type(part) is str else numberless(part) for part in form])


def filterless(form: Any) -> Any:
    """A form without the filters of its rows."""

    def bare(part: Any) -> Any:
        """Rows with a blank for their filter; None for any other part."""
        if _rows(part):
            return ("rows", *(filterless(item) for item in part[1:-2]), "?", filterless(part[-1]))
        return None

    return _mapped(form, bare)


def comparisonless(form: Any) -> Any:
    """A form without the operators of its comparisons."""

    def bare(part: Any) -> Any:
        """A comparison with a blank for its operator; None for any other part."""
        if isinstance(part, tuple) and part and part[0] == "cmp":
            return ("cmp", "?", *(comparisonless(item) for item in part[2:]))
        return None

    return _mapped(form, bare)


def quantifierless(form: Any) -> Any:
    """A form in which it does not matter of how many rows something is asked."""

    def bare(part: Any) -> Any:
        """A quantifier without which one it is, and without a `not` before it; None for any other part."""
        if isinstance(part, tuple) and len(part) == 2 and part[0] == "not" and part[1][0] in _QUANTIFIERS:
            return quantifierless(part[1])
        if isinstance(part, tuple) and part and part[0] in _QUANTIFIERS:
            return ("quantified", *(quantifierless(item) for item in part[1:]))
        return None

    return _mapped(form, bare)


def defaultless(form: Any) -> Any:
    """A form without the values that stand in where something is undefined."""

    def bare(part: Any) -> Any:
        """What stands before a default; None for any other part."""
        return defaultless(part[1]) if isinstance(part, tuple) and part and part[0] == "Default" else None

    return _mapped(form, bare)


def sourceless(form: Any) -> Any:
    """A form without which function of the author's it calls, and without its text."""

    def bare(part: Any) -> Any:
        """A custom metric with a blank for its function and its source; None for any other part."""
        return ("Custom", "?", *part[3:]) if isinstance(part, tuple) and part and part[0] == "Custom" else None

    return _mapped(form, bare)


def numbers(form: Any) -> Iterator[Any]:
    """Its numbers and times, from left to right."""
    if _number(form):
        yield form if isinstance(form, Fraction) else form[2]
    elif isinstance(form, tuple):
        for part in form:
            yield from numbers(part)


def filters(form: Any) -> Iterator[tuple[Form, ...]]:
    """The filters of its rows, from left to right."""
    if not isinstance(form, tuple):
        return
    if _rows(form):
        yield form[-2]
    for part in form:
        yield from filters(part)


def conditions(before: Form, after: Form) -> tuple[frozenset[Form], frozenset[Form]]:
    """The conditions that two forms join: at the top where one of them has several there, else what they ask of rows
    (`no rows have A or B` asks two things)."""
    for parts in (_top, _asked):
        old, new = parts(before), parts(after)
        if max(len(old), len(new)) > 1 and (old < new or new < old):
            return old, new
    return frozenset(), frozenset()


def _top(form: Form) -> frozenset[Form]:
    return frozenset(form[1:]) if form[0] in ("and", "or") else frozenset((form,))


def _asked(form: Form) -> frozenset[Form]:
    if form[0] == "not" and form[1][0] == "some":
        return _top(negate(form[1][2]))
    return _top(form[2]) if form[0] in _QUANTIFIERS else _top(form)


def _number(part: Any) -> bool:
    if isinstance(part, Fraction):
        return True
    return isinstance(part, tuple) and part[:1] == ("const",) and part[1] in _NUMBERS


def _rows(part: Any) -> bool:
    return isinstance(part, tuple) and bool(part) and part[0] == "rows"


def _mapped(form: Any, bare: Callable[[Any], Any]) -> Any:
    made = bare(form)
    if made is not None:
        return made
    if type(form) is not tuple:
        return form
    return tuple([part if type(part) is str else _mapped(part, bare) for part in form])
