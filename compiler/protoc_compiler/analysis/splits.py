"""The life of each split: whether its role, uses, status and bounds agree with each other."""

from __future__ import annotations

from collections.abc import Iterator

from protoc_compiler import core, suggest
from protoc_compiler.catalogue import names as name_kinds
from protoc_compiler.catalogue import splits as kinds
from protoc_compiler.elaborate.context import Context
from protoc_compiler.spec import SplitDecl
from protoc_runtime.roles import NEVER_TUNED

_EMPTY = "write `may: []`"


def check(protocol: core.Protocol, el: Context) -> None:
    """Report every split whose parts contradict each other, and splits that it names and that are not there."""
    names = [split.name for split in protocol.splits]
    for split in el.spec.splits:
        for reason, hint in _faults(split):
            el.findings.add(kinds.CONTRADICTION, split.name.span, split=split.name.text, reason=reason, hint=hint)
        for other in split.disjoint_from:
            if other.text not in names:
                hint = suggest.hint(other.text, names)
                el.findings.add(name_kinds.UNKNOWN_SPLIT, other.span, name=other.text, hint=hint)


def _faults(split: SplitDecl) -> Iterator[tuple[str, str]]:
    uses = [use.text for use in split.may]
    spent = "status" if split.status is not None else "role" if split.role.text == "consumed" else ""
    if spent and uses:
        yield f"its {spent} is consumed, and it may be read to {', '.join(uses)}", _EMPTY
    elif split.role.text in NEVER_TUNED and "tune" in uses:
        hint = "take `tune` out of `may`, or call it development"
        yield f"its role is {split.role.text}, and it may be read to tune", hint
    if split.at_most is not None and "score once" in uses:
        yield f"it may be read once, by {split.at_most.text} at most", "write `may: [score]`, or drop `at_most`"
    if split.name.text in {other.text for other in split.disjoint_from}:
        yield "it is to be disjoint from itself", "name the other splits"
