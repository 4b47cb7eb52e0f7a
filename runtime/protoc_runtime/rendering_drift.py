"""What a seal says about the protocol that was sealed before, as the receipt shows it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from protoc_runtime.rendering_words import code, escape


def drift_part(seal: dict[str, Any]) -> Iterator[str]:
    """The changes that let more pass, each with what declares it and whether anybody has accepted it and why."""
    drift = seal.get("drift")
    if drift is None:
        return
    seen = ", ".join(map(escape, drift["seen"]))
    after = f"after {seen} had been read" if seen else "before any split had been read"
    if not drift["compared"]:
        yield f"  - The protocol means something else than the one before, changed {after}."
        yield "    What changed is not known: the text that was sealed is in no commit and in no run."
        return
    yield f"  - The protocol was changed {after}; the verdict as a whole: **{escape(drift['verdict'])}**."
    if not drift["changes"]:
        yield "    No change lets more pass."
    for change in drift["changes"]:
        told = _answered(change["accepted"], change.get("declared", []))
        place = f"{code(change['id'])} at {code(change['path'])}"
        yield f"    - {change['direction']}: {place}: {escape(change['message'])}; {told}"


def _answered(reason: str | None, amendments: list[str]) -> str:
    """What is said of a change: the amendments that declare it, and who accepted it by its fingerprint."""
    accepted = f"accepted: {escape(reason)}" if reason else "accepted by nobody"
    if not amendments:
        return accepted
    named = " and ".join(map(code, amendments))
    by_whom = accepted if reason else f"{accepted} by its fingerprint"
    return f"declared by the amendment{'s' if len(amendments) > 1 else ''} {named}, {by_whom}"
