"""A finding of the proof engine in the words of a review: what is known of a direction, what is not, and why not.

Text, Markdown and JSON have the same three words for how far a direction is known (`proved`, `shown by a case`,
`not proved`), and the same sentence behind the last.
"""

from __future__ import annotations

from protoc_compiler.drift.model import Direction, Effect
from protoc_runtime.record import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_NEVER = {  # what is proved of a rule that never gets looser, or never stricter
    ("gates", "stricter"): "it holds wherever it held",
    ("gates", "looser"): "it holds only where it held",
    ("blockers", "stricter"): "it fires only where it fired",
    ("blockers", "looser"): "it fires wherever it fired",
    ("verdict", "stricter"): "no release is lost",
    ("verdict", "looser"): "no release is gained",
}
_HAPPENS = {
    ("gates", "looser"): "it holds where it did not",
    ("gates", "stricter"): "it fails where it held",
    ("blockers", "looser"): "it is silent where it fired",
    ("blockers", "stricter"): "it fires where it did not",
    ("verdict", "looser"): "a release is gained",
    ("verdict", "stricter"): "a release is lost",
}
_TRIED = "tried: "  # before counts of which no case was made
_OPEN = "it is open whether "  # before both ways, where neither was shown
_MAY = "such rows may exist"
_OF_MAKING = (  # how reasons begin that tell of how rows are made of counts, which says nothing to a reviewer
    "no rows with these counts", "no rows of these counts", "counts alone do not tell to which rows",
    "there are counts on which they differ, but on the rows that were made of these counts they do not",
)  # fmt: skip


def effect(title: str, found: Any) -> Effect:
    """A finding of the proof engine about the rule, or the verdict, of this title."""
    cases = _cases(found)
    shown = [one.witness.renamed for one in (found.looser, found.stricter) if one.state == "yes"]
    why = _reason(title, found, cases)
    made = Effect(title, _direction(found), found.status, why, _witness(found), cases, bool(shown) and all(shown))
    return replace(made, making=_making(found, why), rows=_rows(found))


def _rows(found: Any) -> tuple[tuple[str, Any], ...]:
    """The rows of the cases that were shown."""
    known = [(way, getattr(found, way)) for way in ("looser", "stricter")]
    return tuple((way, one.witness.rows) for way, one in known if one.state == "yes" and one.witness.rows is not None)


def _making(found: Any, why: str) -> str:
    """What the engine says of making rows, where people are not told of it."""
    left = [one.reason for one in (found.looser, found.stricter) if one.state in ("possible", "unknown")]
    return "; ".join(dict.fromkeys(one for one in left if one.startswith(_OF_MAKING) and one not in why))


def at_most(space: str, direction: Direction, why: str) -> str:
    """What is said of a direction that is the most which can be: never the contrary, and perhaps nothing at all."""
    contrary = "stricter" if direction == "looser" else "looser"
    return f"{why}{_NEVER[space, contrary]}; that {_HAPPENS[space, direction]} was not shown"


def why_open(reason: str) -> str:
    """Of a reason that leaves both ways open what is said of why; empty of any other."""
    return reason.partition(": ")[2] if reason.startswith(_OPEN) else ""


def also(reason: str, more: str) -> str:
    """A reason with one more thing that keeps it open."""
    if not reason:
        return more
    return f"{reason}{'; ' if ': ' in reason else ': '}{more}"


def _direction(found: Any) -> Direction:
    """Its direction; where only one way is ruled out, the other is the most that can be."""
    states = found.looser.state, found.stricter.state
    if states == ("no", "unknown"):
        return "stricter"
    if states == ("unknown", "no"):
        return "looser"
    direction: Direction = found.direction
    return direction


def _reason(title: str, found: Any, cases: tuple[str, ...]) -> str:
    if found.status != "undecided":
        return ""
    why = found.reason
    if not (cases and cases[0].startswith(_TRIED)):
        left = [one.reason for one in (found.looser, found.stricter) if one.state in ("possible", "unknown")]
        why = "; ".join(dict.fromkeys(_MAY if one.startswith(_OF_MAKING) else one for one in left if one))
    said = _said(title.partition(".")[0], found)
    return f"{said}: {why}" if why else said


def _said(space: str, found: Any) -> str:
    """What is known of both ways."""
    states = {"looser": found.looser.state, "stricter": found.stricter.state}
    never = [way for way, state in states.items() if state == "no"]
    shown = [way for way, state in states.items() if state == "yes"]
    left = [way for way, state in states.items() if state in ("possible", "unknown")]
    if never:
        return f"{_NEVER[space, never[0]]}; that {_HAPPENS[space, left[0]]} was not shown"
    if shown:
        renamed = getattr(found, shown[0]).witness.renamed
        happens = "a release has another word" if renamed else _HAPPENS[space, shown[0]]
        return f"{happens}, as the case shows; that {_HAPPENS[space, left[0]]} was not shown"
    other = _HAPPENS[space, "stricter"].replace("a release", "one")
    return f"{_OPEN}{_HAPPENS[space, 'looser']}, and whether {other}"


def _cases(found: Any) -> tuple[str, ...]:
    """The cases that were shown, one for each way, else the counts that were tried; none where there are none to
    tell."""
    known = [one for one in (found.looser, found.stricter) if one.witness is not None]
    shown = tuple(dict.fromkeys(_shown(one.witness, now=one is found.looser) for one in known if one.state == "yes"))
    if shown or not known:
        return shown
    witness = known[0].witness
    return (f"{_TRIED}{witness.text()}: {witness.old} before, {witness.new} now",) if witness.text() else ()


def _shown(witness: Any, *, now: bool) -> str:
    number = witness.errors
    counts = witness.text() or f"{number} error{'s' if number != 1 else ''}"
    if witness.old == witness.new:  # the same word, which only one of the two releases
        outcome = "not released before, released now" if now else "released before, not released now"
        return f"case: {counts}: {witness.old}: {outcome}"
    return f"case: {counts}: {witness.old} before, {witness.new} now"


def _witness(found: Any) -> dict[str, Any] | None:
    """The case for programs; where both ways were shown it is that of the looser one, and holds the `contrary` one."""
    made: dict[str, Any] | None = found.to_json().get("witness")
    if made is not None and found.looser.state == found.stricter.state == "yes":
        made["contrary"] = found.stricter.witness.to_json()
    return made
