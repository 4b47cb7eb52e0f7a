"""A report as annotations of GitHub Actions, or as SARIF: each change as a finding at its place in the new file."""

from __future__ import annotations

import os
from collections.abc import Iterator
from importlib import import_module

from protoc_compiler.drift.accepted import Entry
from protoc_compiler.drift.failing import Failing, failing, told
from protoc_compiler.drift.model import Change, Effect, Report, as_said
from protoc_compiler.drift.show.text import known
from protoc_compiler.render import render as rendered
from protoc_runtime.diagnostics import Diagnostic, Kind, Severity, Span
from protoc_runtime.record import replace


def render(reports: list[tuple[Report, tuple[Entry, ...]]], form: str, level: str | None = None) -> str:
    """`form` is github or sarif. An error is what fails at the level of `--fail-on`, or would fail at `looser`."""
    found: list[Diagnostic] = []
    for report, entries in reports:
        reasons = {entry.fingerprint: entry.reason for entry in entries}
        judged = failing(report, entries, level)
        failed = {change.fingerprint for change in judged.changes}
        for change in report.changes:
            weight: Severity = "error" if change.fingerprint in failed else "note"
            found.append(_diagnostic(change, reasons.get(change.fingerprint), weight))
        if judged.whole:
            found.append(_as_a_whole(judged, report.verdict))
        elif judged.rules or judged.runs:
            found.append(_beside(judged))
        found += _checked(report)
    return rendered(found, form)


def _checked(report: Report) -> Iterator[Diagnostic]:
    """What does not fit, and the errors of `check`; of the old version alone they refuse nothing."""
    refused = set(map(as_said, report.refused))
    for item in (*report.contradictions, *(one.item for one in report.beside)):
        harmless = item.severity == "error" and as_said(item) not in refused
        kind = replace(item.kind, severity="note") if harmless else item.kind
        yield replace(item, kind=kind, span=_in_tree(item.span))


def _as_a_whole(judged: Failing, verdict: Effect) -> Diagnostic:
    """The finding of what no change does by itself."""
    rule = "Looser, incomparable or undecided as the verdict is, where not every change is accepted."
    kind = Kind("VERDICT_AS_A_WHOLE", "verdict-as-a-whole", "error", "{message}", "", rule, "")
    return Diagnostic(kind, None, f"{told(judged)}; it is {verdict.direction}{known(verdict)}", "")


def _beside(judged: Failing) -> Diagnostic:
    """The finding of rules alone, or of recorded runs, that no change tells by itself."""
    rule = "Looser, incomparable or undecided as a rule alone is, or released as a recorded run is that was not."
    kind = Kind("MORE_PASSES", "more-passes", "error", "{message}", "", rule, "")
    return Diagnostic(kind, None, told(judged), "")


def _diagnostic(change: Change, reason: str | None, weight: Severity) -> Diagnostic:
    side = change.new if change.new is not None else change.old
    hint = f"accepted: {reason}" if reason is not None else f"fingerprint {change.fingerprint}"
    message = f"{change.direction}: {change.message}"
    return Diagnostic(_kind(change, weight), _in_tree(side.span) if side is not None else None, message, hint)


def _in_tree(span: Span | None) -> Span | None:
    """The place in the tree: of `REF:path` the path, for an annotation stands beside a file, whatever its commit."""
    if span is None or os.path.exists(span.file):
        return span
    reference, colon, path = span.file.partition(":")
    return replace(span, file=path) if colon and reference and path else span


def _kind(change: Change, weight: Severity) -> Kind:
    name = change.id.lower().replace("_", "-")
    return Kind(change.id, name, weight, "{message}", "", rule_of(change.id, change.subject), "")


def rule_of(name: str, subject: str) -> str:
    """The direction rule of a kind of change."""
    from protoc_compiler.drift.pages import module_of

    return str(import_module(module_of(name, subject)).RULE)
