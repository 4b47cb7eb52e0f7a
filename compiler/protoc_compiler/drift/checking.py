"""The errors for which `protoc check` refuses the new version.

Most of `check` is done when a version is read. The rest is done here for the new version, and for the old one only
where something was found that it may have, too. What takes counting all gates together is that no result can pass any
more: it is looked for where something may have got stricter.
"""

from __future__ import annotations

from collections import Counter

from protoc_compiler.drift.model import Checked, Report
from protoc_compiler.drift.reading import Source, called
from protoc_runtime.record import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from protoc_compiler.drift.sources import Pair
    from protoc_runtime.diagnostics import Diagnostic

_NEVER_STRICTER = {"looser", "equivalent", "text"}


def told(report: Report, pair: Pair, *, prove: bool = True) -> Report:
    """The report with what `check` says. With `prove` also what it finds by counting."""
    ways = {*(one.direction for one in report.changes), *(one.direction for one in report.effects)}
    counts = prove and not ways <= _NEVER_STRICTER
    new = [] if pair.new is None else _checked(pair.new, counts=counts)
    old = [] if pair.old is None else _checked(pair.old, counts=counts) if new else [*pair.old.faults]
    left = Counter(map(_said, old))
    made = []
    for item in new:
        before = left[_said(item)] > 0
        left[_said(item)] -= before
        made.append(Checked(item, "both" if before else "new"))
    both = {_said(one.item) for one in made if one.side == "both"}
    faults = [item for item in (pair.old.faults if pair.old is not None else ()) if _said(item) not in both]
    made += [Checked(item, "old") for item in faults]
    return replace(report, checked=tuple(made))


def _checked(source: Source, *, counts: bool) -> list[Diagnostic]:
    """The errors of a version that resolves."""
    from protoc_compiler import pipeline

    el = source.elaborated
    if el is None:
        raise ValueError(f"{source.shown} was not read")
    el.refusing, el.counts = True, counts
    el.findings.extend(source.contradictions)
    pipeline.beyond(el, source.protocol)
    return called([item for item in el.findings.sorted() if item.severity == "error"], source.shown)


def _said(item: Diagnostic) -> tuple[str, str]:
    """What makes two diagnostics the same, wherever they stand."""
    return item.id, item.message
