"""Which changes an amendment declares: those of the new protocol that the old one does not have yet.

A chain is followed by digest. An amendment that says which version it supersedes counts where that is the old version,
or one that another new amendment leads to; one that says nothing counts as it stands.
"""

from __future__ import annotations

from protoc_compiler import core
from protoc_compiler.amending import declares
from protoc_compiler.drift.model import Change, Report
from protoc_compiler.drift.reading import Source
from protoc_runtime.record import replace

_TELLING = ("AMENDMENT_ADDED", "AMENDMENT_REORDERED", "AMENDMENT_WHY_CHANGED")  # what is told, not what is changed
_OWN = ("protocol.version", "protocol.title")


def marked(report: Report, old: Source, new: Source) -> Report:
    """The report with `undeclared` set where the new protocol has new amendments and none of them names a change."""
    fresh = _fresh(old, new)
    if not fresh or report.old is None:
        return report
    told = declares(replace(new.protocol, amendments=fresh), (change.path for change in report.changes))
    changes = tuple(
        replace(change, undeclared=_has_to_be(change) and change.path not in (*told, *_OWN))
        for change in report.changes
    )
    return replace(report, changes=changes, chain=_chain(report.old.digest, fresh))


def _has_to_be(change: Change) -> bool:
    """Whether a change has to be declared: also that the record of an earlier one is gone, or written anew."""
    return change.subject != "HEAD" and change.id not in _TELLING


def declaring(old: Source, new: Source, path: str) -> list[str]:
    """The new amendments that name the change at a path."""
    protocol = new.protocol
    return [each.name for each in _fresh(old, new) if declares(replace(protocol, amendments=(each,)), (path,))]


def _fresh(old: Source, new: Source) -> tuple[core.Amendment, ...]:
    known = {amendment.name for amendment in old.protocol.amendments}
    return tuple(amendment for amendment in new.protocol.amendments if amendment.name not in known)


def _chain(digest: str, fresh: tuple[core.Amendment, ...]) -> str:
    """What is wrong with the chain: new amendments that supersede another version than the old one."""
    others = {each.supersedes for each in fresh} - {"", digest}
    if not others:
        return ""
    known = ", ".join(sorted(others))
    return f"amendments say that they supersede {known}; the old version here is {digest}"
