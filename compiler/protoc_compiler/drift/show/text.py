"""A report for people at a terminal: what a reviewer asks first, then every change with both texts side by side."""

from __future__ import annotations

from collections.abc import Iterator

from protoc_compiler.drift.accepted import Entry
from protoc_compiler.drift.failing import failing
from protoc_compiler.drift.failing import told as judged
from protoc_compiler.drift.model import DIRECTIONS, Change, Checked, Direction, Effect, Report, Side
from protoc_runtime.visible import visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from protoc_runtime.diagnostics import Diagnostic

COLORS: dict[str, str] = {
    "looser": "31", "incomparable": "35", "undecided": "33", "stricter": "32", "equivalent": "36", "text": "90",
}  # fmt: skip
MEANS: dict[str, str] = {
    "looser": "something can be released now that could not be before",
    "stricter": "something can no longer be released that could be before",
    "incomparable": "some results are released only before, others only now",
    "equivalent": "of the same rows the same results are released as before",
    "undecided": "not known",
    "text": "only words differ",
}
_RENAMED = "some results are released under another word"
_LINES = 12
_CHECKED = (
    ("`protoc check` refuses the new version", False),
    ("`protoc check` refuses the old version", True),
)
LIKEWISE = {"new": "", "both": " (of the old version, too)", "old": ""}


def render(report: Report, entries: tuple[Entry, ...], *, color: bool, width: int, level: str | None = None) -> str:
    """The whole report; what it comes to at the level of `--fail-on` stands last."""
    paint = _Paint(color)
    lines = [*_head(report, paint), "", *_checked(report)]
    if not report.changes:
        lines += [none_shown(report), ""]
    else:
        lines += [*_verdict(report, paint), ""]
        reasons = {entry.fingerprint: entry for entry in entries}
        for direction in DIRECTIONS:
            found = [change for change in report.changes if change.direction == direction]
            if found:
                lines += [paint(f"{direction.upper()} ({len(found)})", direction, bold=True), ""]
                for change in found:
                    lines += [*_change(change, reasons.get(change.fingerprint), paint, width), ""]
    lines += _rest(report, paint)
    stands = failing(report, entries, level)
    if judged(stands):
        lines += [paint(visible(judged(stands)), "looser" if stands.found else "stricter", bold=stands.fails)]
    return "\n".join(visible(line) if not color else line for line in lines).rstrip() + "\n"


class _Paint:
    def __init__(self, color: bool) -> None:
        self.color = color

    def __call__(self, text: str, direction: str, *, bold: bool = False) -> str:
        code = COLORS[direction] + (";1" if bold else "")
        return f"\x1b[{code}m{text}\x1b[0m" if self.color else text


def _head(report: Report, paint: _Paint) -> Iterator[str]:
    for name, version in (("old", report.old), ("new", report.new)):
        if version is None:
            yield f"{name}: there is none"
        else:
            yield f"{name}: {visible(version.file)}, {version.id} version {version.version}, {version.digest[:19]}"


def _checked(report: Report) -> Iterator[str]:
    """What `check` says, under what it comes to."""
    for title, found in checked(report):
        yield f"{title}:"
        for one in found:
            yield f"  {visible(place(one.item))}{one.item.id} {visible(one.item.message)}{LIKEWISE[one.side]}"
        yield ""


def checked(report: Report) -> Iterator[tuple[str, list[Checked]]]:
    """Titles, and what `check` says under each."""
    for title, old in _CHECKED:
        found = [one for one in report.beside if (one.side == "old") is old]
        if found:
            yield title, found


def place(item: Diagnostic) -> str:
    """Where it stands, for what is said there to follow."""
    return f"{item.span.file}:{item.span.line}: " if item.span else ""


def _verdict(report: Report, paint: _Paint) -> Iterator[str]:
    verdict = report.verdict
    yield f"The verdict as a whole: {paint(verdict.direction, verdict.direction, bold=True)}{visible(known(verdict))}"
    yield from (f"  {visible(case)}" for case in verdict.cases)
    yield from _rules(report, paint)


def _rules(report: Report, paint: _Paint) -> Iterator[str]:
    moved = [effect for effect in report.effects if effect.direction != "equivalent"]
    same = [effect.rule for effect in report.effects if effect.direction == "equivalent"]
    if moved or same:
        yield "Each rule alone:"
    for effect in moved:
        yield f"  {visible(effect.rule)}: {paint(effect.direction, effect.direction)}{visible(known(effect))}"
        yield from (f"    {visible(case)}" for case in effect.cases)
    if same:
        yield f"  equivalent: {visible(', '.join(same))}"


def known(effect: Effect) -> str:
    """How far the direction is known, and of the verdict what it means; where it is not known, why not."""
    if effect.status == "undecided":
        doubt = "" if effect.direction == "undecided" else ", not proved"
        return f"{doubt}: {effect.reason}" if effect.reason else doubt
    means = f": {_RENAMED if effect.renamed else MEANS[effect.direction]}" if effect.rule == "verdict" else ""
    return f", {'proved' if effect.status == 'proved' else 'shown by a case'}{means}"


def _change(change: Change, entry: Entry | None, paint: _Paint, width: int) -> Iterator[str]:
    marks = " (no amendment declares it)" if change.undeclared else ""
    yield f"{paint(change.id, change.direction, bold=True)} {visible(change.path)}{marks}"
    yield f"  {visible(change.message)}"
    yield from _sides(change, paint, width)
    accepted = f"  accepted: {visible(entry.reason)}" if entry is not None else ""
    yield f"  {change.fingerprint}{accepted}"


def _sides(change: Change, paint: _Paint, width: int) -> Iterator[str]:
    """Both texts beside each other; one alone where there is no other."""
    half = max((width - 7) // 2, 24)
    left, right = _block(change.old, half), _block(change.new, half)
    if not left and not right:
        return
    for at in range(max(len(left), len(right))):
        before = left[at] if at < len(left) else ""
        after = right[at] if at < len(right) else ""
        yield f"  {_dim(before.ljust(half), '31', paint)} | {_dim(after, '32', paint)}".rstrip()


def _dim(text: str, code: str, paint: _Paint) -> str:
    return f"\x1b[{code}m{text}\x1b[0m" if paint.color and text.strip() else text


def _block(side: Side | None, half: int) -> list[str]:
    if side is None:
        return []
    place = f"{side.span.file}:{side.span.line}" if side.span is not None else ""
    lines = side.text.split("\n")
    more = [f"... {len(lines) - _LINES} more lines"] if len(lines) > _LINES else []
    made = [visible(place), *map(visible, lines[:_LINES]), *more]
    return [part for line in made for part in (_cut(line, half) or [""])]


def _cut(line: str, half: int) -> list[str]:
    """A line in pieces of at most so many characters, cut between words where a word is not too long itself."""
    made = []
    while len(line) > half:
        at = _fitting(line, half)
        made.append(line[:at].rstrip())
        line = line[at:]
    return [*made, line.rstrip()] if line else made


def _fitting(line: str, half: int) -> int:
    """How much of a longer line stands together in so many characters: all words, and runs of spaces, that fit."""
    head, rest = line[:half], line[half:]
    if (head[-1] == " ") != (rest[0] == " "):
        return half
    if rest[0] == " ":
        start, end = len(head.rstrip(" ")), len(line) - len(rest.lstrip(" "))
    else:
        start, end = head.rfind(" ") + 1, half + len(rest.partition(" ")[0])
    return half if end - start > half else start


def _rest(report: Report, paint: _Paint) -> Iterator[str]:
    if report.contradictions:
        yield "Words that contradict their formula:"
        for item in report.contradictions:
            yield f"  {visible(place(item))}{item.id} {visible(item.message)}"
        yield ""
    if report.replayed:
        yield "Recorded runs under the new protocol:"
        for found in report.replayed:
            yield f"  {visible(told_replay(found))}"
        yield ""
    if report.chain:
        yield f"Chain of amendments: {visible(report.chain)}"
    if report.seen:
        yield f"Read before this change: {visible(', '.join(report.seen))}"


def none_shown(report: Report) -> str:
    """What is said where no change is shown."""
    return "Every change is declared by an amendment." if report.declared else "No change of meaning."


def told_replay(found: dict[str, object]) -> str:
    """One recorded run in one line."""
    if found["error"]:
        return f"{found['run']}: cannot be evaluated: {found['error']}"
    same = found["old"] == found["new"]
    verdict = f"{found['old']}, as before" if same else f"{found['old']} -> {found['new']}"
    if found["recorded"] is not None:
        verdict += f" (recorded as {found['recorded']}, under another protocol than the old one)"
    flips = found["flips"]
    listed = ", ".join(map(str, flips)) if isinstance(flips, list) else ""
    return f"{found['run']}: {verdict}" + (f"; {listed}" if listed else "")


def direction_counts(changes: tuple[Change, ...]) -> str:
    """How many changes go which way."""
    counts: dict[Direction, int] = {}
    for change in changes:
        counts[change.direction] = counts.get(change.direction, 0) + 1
    return ", ".join(f"{counts[way]} {way}" for way in DIRECTIONS if way in counts) or "none"
