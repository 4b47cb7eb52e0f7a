"""The errors for which `protoc check` refuses the new version.

Most of `check` is done when a version is read. The rest is done here for the new version, and for the old one only
where something was found that it may have, too. What takes counting all gates together is that no result can pass any
more: it is looked for where something may have got stricter.
"""

from __future__ import annotations

from collections import Counter
from functools import partial

from protoc_compiler.drift.meanwhile import Meanwhile
from protoc_compiler.drift.model import Checked, Report
from protoc_compiler.drift.reading import Source, called
from protoc_runtime.record import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from protoc_compiler.drift.sources import Pair
    from protoc_compiler.elaborate.elaborator import Elaborator
    from protoc_runtime.diagnostics import Diagnostic

_NEVER_STRICTER = {"looser", "equivalent", "text"}


class Checking:
    """What `check` says of both versions; begun here, and done while they are compared. With `prove` also what it finds
    by counting."""

    def __init__(self, pair: Pair, *, prove: bool = True) -> None:
        self._pair, self._prove = pair, prove
        new = pair.new
        works = []
        if new is not None and not (new.contradictions or new.faults):
            works = [partial(_checks_out, new), partial(_counts_out, new)][: 1 + prove]
        self._begun = Meanwhile(*works)

    def __enter__(self) -> Checking:
        return self

    def __exit__(self, *_: object) -> None:
        self._begun.end()

    def told(self, report: Report) -> Report:
        """The report with what there is to say."""
        ways = {*(one.direction for one in report.changes), *(one.direction for one in report.effects)}
        counts = self._prove and not ways <= _NEVER_STRICTER
        was, now = self._pair.old, self._pair.new
        new = [] if now is None or self._begun.nothing(int(counts)) else _checked(now, counts=counts)
        old = [] if was is None else _checked(was, counts=counts) if new else [*was.faults]
        left = Counter(map(_said, old))
        made = []
        for item in new:
            before = left[_said(item)] > 0
            left[_said(item)] -= before
            made.append(Checked(item, "both" if before else "new"))
        both = {_said(one.item) for one in made if one.side == "both"}
        faults = [item for item in (was.faults if was is not None else ()) if _said(item) not in both]
        made += [Checked(item, "old") for item in faults]
        return replace(report, checked=tuple(made))


def _checks_out(source: Source) -> bool:
    """Whether there is no error in a version."""
    return not _checked(source, counts=False)


def _counts_out(source: Source) -> bool:
    """Whether counting shows no error in a version that has none else."""
    from protoc_compiler.analysis import proofs

    el = _elaborated(source)
    el.counts = True
    proofs.check(source.protocol, el)
    return not el.findings.failed


def _checked(source: Source, *, counts: bool) -> list[Diagnostic]:
    """The errors of a version that resolves."""
    from protoc_compiler import pipeline

    el = _elaborated(source)
    el.refusing, el.counts = True, counts
    el.findings.extend(source.contradictions)
    pipeline.beyond(el, source.protocol)
    return called([item for item in el.findings.sorted() if item.severity == "error"], source.shown)


def _elaborated(source: Source) -> Elaborator:
    if source.elaborated is None:
        raise ValueError(f"{source.shown} was not read")
    return source.elaborated


def _said(item: Diagnostic) -> tuple[str, str]:
    """What makes two diagnostics the same, wherever they stand."""
    return item.id, item.message
