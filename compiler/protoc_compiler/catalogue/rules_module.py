"""E091x: what the generated `rules.py` cannot say."""

from __future__ import annotations

from protoc_runtime.diagnostics import Kind

NOT_EMITTED = Kind(
    "E0911",
    "not-in-rules",
    "error",
    "the generated rules.py has no form for {what}",
    "{hint}",
    "The engine evaluates whole tables at once, and all draws of a resampling interval together. What it cannot "
    "evaluate so is refused before a package is written, so that no rule is ever left out in silence.",
    "a resampled metric that reads `latest 3 answers` where answers are drawn",
)

KINDS: tuple[Kind, ...] = (NOT_EMITTED,)
