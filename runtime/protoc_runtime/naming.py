"""Which rows made a rule fail: named beside the results, for a rule that speaks of all, some or no rows.

Found from the values that the rules have already; what it says decides nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from protoc_runtime.record import record
from protoc_runtime.results import Reason, fill

if TYPE_CHECKING:
    from protoc_runtime.engine.causes import Cause
    from protoc_runtime.engine.study import BaseStudy, Entries

FIRST = 5  # so many rows are named; the others are counted


@record
class Named:
    """The rows that made one rule, or one condition (`part`) of it, fail: their places in the table `root`. `state` is
    what the condition is for each of them: true, false, or undefined (None); without a condition `out_of` is None."""

    space: str
    rule: str
    part: str
    table: str
    root: str
    state: bool | None
    places: tuple[int, ...]
    first: tuple[str, ...]
    out_of: int | None

    def to_json(self) -> dict[str, Any]:
        """The entry of `rows` in summary.json."""
        return {
            "space": self.space,
            "rule": self.rule,
            **({"part": self.part} if self.part else {}),
            "table": self.table,
            "has": self.state,
            "rows": len(self.places),
            **({"of": self.out_of} if self.out_of is not None else {}),
            "first": list(self.first),
        }


def named_rows(study: BaseStudy, reasons: Iterable[Reason]) -> Iterator[Named]:
    """The rows behind each reason, in the order of the reasons; none for rules that speak of no single rows, and none
    of a table of which only the counts are known."""
    counted = study.counted()  # so that a large table is looked at row by row only where a rule speaks of its rows
    for reason in reasons:
        found = list(_causes(counted, reason))
        for text, cause, at in found if counted is study or not found else _causes(study, reason):
            if cause.rows.weights is None:
                yield from _named(study, reason, text, cause, at)


def told_rows(study: BaseStudy, vec: Any) -> str:
    """The rows that keep one closed condition from being true, for people; "" where it speaks of no single rows."""
    reason = Reason("expect", "", "", "", "", ())
    causes = [each for each in getattr(vec, "causes", ()) if each.state(0) is not True and each.rows.weights is None]
    named = [found for cause in causes for found in _named(study, reason, "", cause, 0)]
    return "; ".join(told_row(found.to_json()) for found in named)


def _causes(study: BaseStudy, reason: Reason) -> Iterator[tuple[str, Cause, int]]:
    """The quantifiers that speak against a release, each with its condition and the entry that it is of."""
    found = _entry(study, reason)
    if found is None:
        return
    entries, at = found
    released = reason.space == "gates"  # what the rule is where nothing speaks against a release
    parts: Mapping[str, Any] = entries.parts or {"": entries.value}
    for text, vec in parts.items():
        yield from ((text, each, at) for each in getattr(vec, "causes", ()) if each.state(at) is not released)


def rows_of(results: Mapping[str, Any], reason: str) -> Iterator[Mapping[str, Any]]:
    """The entries of `rows` that belong to a reason, as it is told."""
    return (row for row in results.get("rows", ()) if reason.startswith(f"{row['rule']}: {row['space'][:-1]} "))


def told_row(named: Mapping[str, Any]) -> str:
    """One line for people, from the entry of `rows`: `not so for 3 of 20 cases: c4, c7, c9`."""
    count = named["rows"]
    if "of" in named:
        state = {True: "so", False: "not so", None: "undefined"}[named["has"]]
        told = f"{state} for {count} of {named['of']} {named['table']}"
    else:
        told = f"{count} {'row' if count == 1 else 'rows'} of {named['table']}"
    part = f"{named['part']}: " if "part" in named else ""
    more = ", ..." if count > len(named["first"]) else ""
    return f"{part}{told}: {', '.join(named['first'])}{more}"


def _entry(study: BaseStudy, reason: Reason) -> tuple[Entries, int] | None:
    """The entries of the item of a reason, and which of them it is."""
    for item in study.rules.of(reason.space):
        if item.name == reason.name or item.per:
            entries = study.entries(reason.space, item.name)
            for at in range(entries.value.context.size):
                if fill(item.name, study.labels(entries, at) if item.per else []) == reason.name:
                    return entries, at
    return None


def _named(study: BaseStudy, reason: Reason, text: str, cause: Cause, at: int) -> Iterator[Named]:
    places = cause.deciding(at)
    if not len(places):
        return
    rows = cause.rows
    size = None if cause.condition is None else cause.size(at)
    roots = rows.row.data.gather(places).to_list()
    first = tuple(study.label(rows.root, row) or f"row {row + 1}" for row in roots[:FIRST])
    state = None if cause.value[at] is None else cause.quantifier == "some"
    yield Named(reason.space, reason.name, text, rows.table, rows.root, state, tuple(roots), first, size)
