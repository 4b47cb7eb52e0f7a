"""Which listed rows a filter leaves over: what stands in the others makes no difference to what is asked of its rows.

`cases where kind.critical` refers to critical kinds alone, so that a limit of another kind is read by nothing that is
asked of these cases. Only what is false by a cell that stands in the spec leaves a row out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from protoc_compiler.drift.forms import FALSE, TRUE, Form

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

CellsOf = Callable[
    [Form, str], "dict[Any, Form]"
]  # of what a form refers to the cells of a column, by key; {}: unknown
_NUMBERS = ("number", "quantity")


def narrowed(form: Any, cells_of: CellsOf) -> Any:
    """A form in which columns of listed rows have the cells that its filters leave over."""
    if type(form) is not tuple or not form:
        return form
    made: Any = tuple([part if type(part) is str else narrowed(part, cells_of) for part in form])
    match made:
        case ("some", rows, condition):
            tests = (*rows[-2], *(condition[1:] if condition[0] == "and" else (condition,)))
            return _without(made, tests, cells_of)
        case ("all", rows, _) | ("aggregate", _, rows, _, _) | ("one", _, rows):
            return _without(made, rows[-2], cells_of) if rows[:1] == ("rows",) else made
    return made


def _without(form: Form, tests: Iterable[Form], cells_of: CellsOf) -> Form:
    """A form without the cells of rows of which one of the tests is false, whichever of both versions is asked."""
    left_out: dict[Form, set[Any]] = {}
    for test in tests:
        column, asked = _asked(test)
        if column is not None:
            cells = cells_of(column[1], column[2])
            left_out.setdefault(column[1], set()).update(key for key, cell in cells.items() if asked(cell) is False)
    made = form
    for row, out in left_out.items():
        made = _dropped(made, row, out) if out else made
    return made


def _dropped(form: Any, row: Form, out: set[Any]) -> Any:
    if type(form) is not tuple:
        return form
    if form[:1] == ("column",) and len(form) == 4 and form[1] == row:
        return (*form[:3], tuple(one for one in form[3] if one[0] not in out))
    return tuple([part if type(part) is str else _dropped(part, row, out) for part in form])


def _asked(test: Form) -> tuple[Form | None, Callable[[Form], bool | None]]:
    """The column with the same cells in both versions that a condition asks something of, if it asks nothing else, and
    what a cell makes of it."""
    match test:
        case ("column", _, _):
            return test, {TRUE: True, FALSE: False}.get
        case ("not", ("column", _, _) as column):
            return column, {TRUE: False, FALSE: True}.get
        case ("cmp", op, ("column", _, _) as column, ("const", kind, known)):
            return column, lambda cell: _compared(op, cell, kind, known)
    return None, lambda _: None


def _compared(op: str, cell: Form, kind: str, known: Any) -> bool | None:
    if cell[:1] != ("const",):
        return None
    if kind in _NUMBERS and cell[1] in _NUMBERS:
        value = cell[2]
        return {"<": value < known, "<=": value <= known, ">": value > known, ">=": value >= known,
                "==": value == known, "!=": value != known}.get(op)  # fmt: skip
    if kind == cell[1] == "word" and op in ("==", "!="):
        return bool((cell[2] == known) is (op == "=="))
    return None


__all__ = ["narrowed"]
