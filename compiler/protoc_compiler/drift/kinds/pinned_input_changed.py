"""Checks that the input files are those that were sealed."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.model import Delta, Judged

RULE = "Equivalent where the rows are the same, else incomparable: other rows are evaluated."


def judge(delta: Delta, _context: Context) -> Judged | None:
    """See `RULE`."""
    old, new = delta.old, delta.new
    if old is None or new is None:
        return None
    what = f"input file `{new.name}`: {old.fields['sha256'][:12]} -> {new.fields['sha256'][:12]}"
    if old.fields["content"] == new.fields["content"]:
        return Judged("equivalent", f"{what}, the same rows")
    return Judged("incomparable", f"{what}, {old.fields['rows']} -> {new.fields['rows']} rows")
