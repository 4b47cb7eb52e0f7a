"""What a seal says about the protocol that was sealed before, as the receipt shows it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from protoc_runtime.rendering_words import code, escape


def drift_part(seal: dict[str, Any]) -> Iterator[str]:
    """The changes that let more pass, each with whether anybody has accepted it and why."""
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
        reason = change["accepted"]
        told = f"accepted: {escape(reason)}" if reason else "accepted by nobody"
        place = f"{code(change['id'])} at {code(change['path'])}"
        yield f"    - {change['direction']}: {place}: {escape(change['message'])}; {told}"
