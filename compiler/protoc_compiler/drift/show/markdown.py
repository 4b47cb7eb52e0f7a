"""A report as a comment of a pull request."""

from __future__ import annotations

from collections.abc import Iterator

from protoc_compiler.drift.accepted import Entry
from protoc_compiler.drift.failing import failing
from protoc_compiler.drift.failing import told as judged
from protoc_compiler.drift.model import DIRECTIONS, Change, Effect, Report, Side
from protoc_compiler.drift.show.text import LIKEWISE, checked, direction_counts, known, none_shown, told_replay
from protoc_runtime.rendering_words import code, escape

TYPE_CHECKING = False
if TYPE_CHECKING:
    from protoc_runtime.diagnostics import Diagnostic


def render(report: Report, entries: tuple[Entry, ...], level: str | None = None) -> str:
    """The whole report, and what it comes to at the level of `--fail-on`; every text of an author is escaped."""
    lines = [f"## {_title(report)}", ""]
    for name, version in (("Old", report.old), ("New", report.new)):
        told = (
            "there is none"
            if version is None
            else (f"{code(version.file)}, {escape(version.id)} version {version.version}, `{version.digest}`")
        )
        lines.append(f"- {name}: {told}")
    lines += ["", *_checked(report)]
    if not report.changes:
        told_so = [none_shown(report), "", *_judged(report, entries, level)]
        return "\n".join([*lines, *told_so, *_rest(report)]).rstrip() + "\n"
    lines += [*_verdict(report.verdict), "", *_judged(report, entries, level), *_rules(report)]
    reasons = {entry.fingerprint: entry.reason for entry in entries}
    for direction in DIRECTIONS:
        found = [change for change in report.changes if change.direction == direction]
        if found:
            lines += [f"### {direction.capitalize()} ({len(found)})", ""]
            lines += [line for change in found for line in _change(change, reasons.get(change.fingerprint))]
    return "\n".join([*lines, *_rest(report)]).rstrip() + "\n"


def _title(report: Report) -> str:
    version = report.new or report.old
    name = version.id if version is not None else ""
    return f"Drift of {escape(name)}: {direction_counts(report.changes)}"


def _checked(report: Report) -> Iterator[str]:
    for title, found in checked(report):
        yield from (f"**{told(title)}:**", "")
        yield from (f"- {_where(one.item)}{one.item.id} {told(one.item.message)}{LIKEWISE[one.side]}" for one in found)
        yield ""


def _where(item: Diagnostic) -> str:
    return f"{code(f'{item.span.file}:{item.span.line}')}: " if item.span else ""


def _verdict(effect: Effect) -> Iterator[str]:
    yield f"**The verdict as a whole: {effect.direction}**{told(known(effect))}."
    for case in effect.cases:
        yield from ("", told(case))


def _judged(report: Report, entries: tuple[Entry, ...], level: str | None) -> Iterator[str]:
    said = judged(failing(report, entries, level))
    if said:
        yield from (f"**{escape(said)}.**", "")


def _rules(report: Report) -> Iterator[str]:
    if not report.effects:
        return
    yield from ("| rule alone | direction | known by |", "|---|---|---|")
    for effect in report.effects:
        by = known(effect).removeprefix(", ").removeprefix(": ")
        first, *others = effect.cases or ("",)
        if first:
            by = f"{by}: {first.removeprefix('case: ')}" if effect.status == "witness" else f"{by}; {first}"
        cell = "<br>".join(map(told, (by, *others)))
        yield f"| {code(effect.rule)} | {effect.direction} | {cell} |"
    yield ""


def _change(change: Change, reason: str | None) -> Iterator[str]:
    marks = ", **no amendment declares it**" if change.undeclared else ""
    yield f"- `{change.id}` {code(change.path)}{marks}: {told(change.message)}"
    for name, side in (("old", change.old), ("new", change.new)):
        if side is not None:
            yield f"  - {name} {_place(side)}{_text(side)}"
    accepted = f"; accepted: {escape(reason)}" if reason is not None else ""
    yield f"  - fingerprint `{change.fingerprint}`{accepted}"
    yield ""


def _place(side: Side) -> str:
    return f"({code(f'{side.span.file}:{side.span.line}')}) " if side.span is not None else ""


def _text(side: Side) -> str:
    lines = side.text.split("\n")
    if len(lines) == 1:
        return code(lines[0]) if lines[0] else ""
    fence = "```" if "```" not in side.text else "````"
    return "\n\n" + "\n".join(f"    {line}" for line in (fence + "yaml", *lines, fence)) + "\n"


def _rest(report: Report) -> Iterator[str]:
    if report.contradictions:
        yield from ("### Words that contradict their formula", "")
        for item in report.contradictions:
            yield f"- {_where(item)}{item.id} {escape(item.message)}"
        yield ""
    if report.replayed:
        yield from ("### Recorded runs under the new protocol", "")
        yield from (f"- {escape(told_replay(found))}" for found in report.replayed)
        yield ""
    if report.chain:
        yield from (f"Chain of amendments: {escape(report.chain)}.", "")
    if report.seen:
        yield f"Read before this change: {', '.join(map(escape, report.seen))}."


def told(message: str) -> str:
    """A message, with what it quotes as code."""
    parts = message.split("`")
    return "".join(code(part) if at % 2 and part else _spaced(part) for at, part in enumerate(parts))


def _spaced(part: str) -> str:
    """Escaped words that keep the space which parts them from the code beside them."""
    before, behind = part[:1].isspace(), part[-1:].isspace()
    return f"{' ' if before else ''}{escape(part)}{' ' if behind and part.strip() else ''}"
