"""Why the direction of a changed rule is not known from its formula, in terms of the protocol."""

from __future__ import annotations

from protoc_compiler.drift.entails import Given, entails
from protoc_compiler.drift.forms import Form, all_of
from protoc_compiler.drift.model import Direction
from protoc_compiler.drift.sums import leftover
from protoc_compiler.drift.wording import why_open
from protoc_runtime.record import record

_FEWER = (
    "`all` is asked of fewer rows of {table}, so that one which failed may be left out; but of no rows `all` is "
    "undefined, and none may be left, unless the protocol expects one"
)
_MORE = (
    "`all` is asked of more rows of {table}, so that one may fail which was left out; but of no rows `all` is "
    "undefined, and there may have been none, unless the protocol expects one"
)
_SIGN = (
    "the sign of {values} is not known, and with it which of both asks for more, unless the protocol expects of the "
    "rows that none is negative"
)
_OTHER = "`{op}` asks for another value: what the one takes, the other does not"


@record
class Doubt:
    """Why a direction is not known; `direction` is what the formula alone says, if it says anything."""

    why: str
    direction: Direction = "undecided"

    def beside(self, reason: str) -> str:
        """The doubt with the reason why no case was shown, or what else is said of the direction."""
        why = why_open(reason)
        told = f"no case was shown: {why}" if why else reason
        return f"{self.why}; {told}" if told else self.why


def doubt(before: Form, after: Form, given: Given) -> Doubt | None:
    """What keeps two conditions from being compared, where one thing does."""
    pair = _differing(before, after)
    if pair is None:
        return None
    one, other = pair
    if one[0] == other[0] == "all":
        return _of_filters(one, other, given)
    if one[0] == other[0] == "cmp":
        return _of_comparisons(one, other, given)
    return None


def _differing(one: Form, other: Form) -> tuple[Form, Form] | None:
    """The conditions inside two others by which alone they differ."""
    while one != other:
        if one[0] != other[0]:
            return None
        if one[0] in ("and", "or"):
            left = [[part for part in a[1:] if part not in b[1:]] for a, b in ((one, other), (other, one))]
            if len(left[0]) != 1 or len(left[1]) != 1:
                return None
            (one,), (other,) = left
        elif one[0] == "not":
            one, other = one[1], other[1]
        elif one[0] == "is" and one[1] == other[1]:
            one, other = one[2], other[2]
        elif one[0] == "Default" and one[2:] == other[2:]:
            one, other = one[1], other[1]
        elif one[0] in ("all", "some") and one[1] == other[1]:
            one, other = one[2], other[2]
        else:
            return one, other
    return None


def _of_filters(one: Form, other: Form, given: Given) -> Doubt | None:
    if one[2] != other[2] or one[1][:-2] != other[1][:-2]:
        return None
    before, after = all_of(one[1][-2]), all_of(other[1][-2])
    table = f"`{one[1][1]}`" if isinstance(one[1][1], str) else "the table"
    if entails(after, before, given):
        return Doubt(_FEWER.format(table=table), "incomparable")
    return Doubt(_MORE.format(table=table), "incomparable") if entails(before, after, given) else None


def _of_comparisons(one: Form, other: Form, given: Given) -> Doubt | None:
    if one[2] == other[2]:
        if one[1] == other[1] and one[1] in ("==", "!=") and one[3][:1] == other[3][:1] == ("const",):
            return Doubt(_OTHER.format(op=one[1]), "incomparable")
        return None
    unknown = [product for product in leftover(one, other) if given.range_of(product) == (None, None)]
    values = list(dict.fromkeys(name for product in unknown for atom in product if (name := shown(atom))))
    return Doubt(_SIGN.format(values=", ".join(f"`{name}`" for name in values)), "incomparable") if values else None


def shown(atom: Form) -> str:
    """What a reader calls a value; "" where it has no name."""
    match atom:
        case ("value", "metrics" | "definitions", name):
            return str(name)
        case ("value", space, name):
            return f"{space}.{name}"
        case ("entry", _, name, keys):
            return _entry(name, keys)
        case ("column", _, name):
            return str(name)
        case ("aggregate", function, ("rows", str(table), *_), inside, _):
            of = [name for one in inside if (name := shown(one))]
            return f"{function}({', '.join(of)} over {table})" if of else ""
    return ""


def _entry(name: str, keys: tuple[Form, ...]) -> str:
    """`slowest.current`: the name with the words of its keys."""
    made, left = "", name
    for key in keys:
        before, _, behind = left.partition("<")
        placeholder, _, left = behind.partition(">")
        made += before + (_word(key) or f"<{placeholder}>")
    return made + left


def _word(key: Form) -> str:
    match key:
        case ("listed", _, own):
            return " ".join(map(str, own))
        case ("one", "only", ("rows", _, _, _, _, _, (("cmp", "==", _, ("const", "word", word)),), _)):
            return str(word)
    return ""
