"""Times of a review that are compared although they are of different raters."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from protoc_compiler import core
from protoc_compiler.analysis import origin
from protoc_compiler.analysis.walk import written
from protoc_compiler.catalogue import visibility as kinds
from protoc_compiler.core.tree import parts
from protoc_compiler.elaborate.context import Context
from protoc_runtime.review_facts import Fact, facts, tables

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from protoc_runtime.adjudication.parts import Part

Things = frozenset[tuple[str, ...]]


def check(protocol: core.Protocol, el: Context) -> None:
    """Report (W2611) when what the last rater has saved meets what the first one was shown: each pair once."""
    waiting = [(table.name, *pair) for table in tables(protocol) for pair in _pairs(protocol, table)]
    for value, span, _ in written(protocol, el) if waiting else ():
        sides = [each for part in parts(value) for each in _sides(protocol, part)]
        for name, saved, shown in tuple(waiting):
            if any(_meet(pair, name, saved.column, shown.column) for pair in sides):
                waiting.remove((name, saved, shown))
                el.findings.add(kinds.TIMES_OF_ALL, span, related=(), **_told(protocol, name, saved, shown))


def _pairs(protocol: core.Protocol, table: core.Table) -> Iterator[tuple[Fact, Fact]]:
    """What one row of a table has of all raters: saved by the last, and shown to the first, perhaps before that."""
    if "rater" in table.key:
        return
    known = {judgement.name: judgement for judgement in protocol.judgements}
    times = [each for each in facts(column.name for column in table.columns) if each.judgement in known]
    for saved in (each for each in times if each.what == "saved"):
        for shown in (each for each in times if each.what == "shown" and each.judgement != saved.judgement):
            if _may_be_earlier(protocol, known[saved.judgement], known[shown.judgement]):
                yield saved, shown


def _may_be_earlier(protocol: Any, saved: Any, shown: Any) -> bool:
    """Whether somebody may be shown the one while another rater has not saved the other."""
    from protoc_runtime.adjudication.parts import parts_of

    if len(saved.raters) < 2:
        return False
    due = {part.name for part in parts_of(saved)}
    return any(not due <= _told_first(protocol, part) for part in parts_of(shown))


def _told_first(protocol: Any, part: Part) -> set[str]:
    """The names of the parts that are saved before a part is shown."""
    from protoc_runtime.adjudication.parts import before, parts_of

    known = {each.name: each for judgement in protocol.judgements for each in parts_of(judgement)}
    waiting = list(before(protocol, part))
    for name in waiting:  # grows while it is walked
        waiting += [further for further in before(protocol, known[name]) if further not in waiting]
    return set(waiting)


def _sides(protocol: core.Protocol, part: core.Expr) -> Iterator[tuple[Things, Things]]:
    """What both sides of a comparison of times rest on, each pair of neighbours both ways."""
    operands = part.operands if isinstance(part, core.Compare) else ()
    read = [_read(protocol, each) if each.type.kind == "time" else frozenset() for each in operands]
    for left, right in pairwise(read):
        yield left, right
        yield right, left


def _read(protocol: core.Protocol, value: core.Expr) -> Things:
    found: list[tuple[str, ...]] = []
    for part in parts(value):
        if isinstance(part, core.Column) and part.row.type.table:
            found.append(("column", protocol.table(part.row.type.table).root, part.name))
        elif isinstance(part, core.Global | core.Entry):
            found.append(("item", part.space, part.name))
    return frozenset(origin.reached(protocol, *found))


def _meet(pair: tuple[Things, Things], table: str, saved: str, shown: str) -> bool:
    return ("column", table, saved) in pair[0] and ("column", table, shown) in pair[1]


def _told(protocol: core.Protocol, table: str, saved: Fact, shown: Fact) -> dict[str, str]:
    known = {judgement.name: judgement for judgement in protocol.judgements}
    key = protocol.table(table).key
    of_row = [each for each in protocol.judgements if set(each.key) == set(key)]
    raters = sorted({rater for each in of_row or [known[saved.judgement]] for rater in each.raters})
    return {
        "table": table, "saved": saved.column, "shown": shown.column, "judgement": saved.judgement,
        "later": shown.judgement, "who": " and ".join(known[saved.judgement].raters),
        "key": ", ".join((*key, "rater")), "raters": ", ".join(raters),
    }  # fmt: skip
