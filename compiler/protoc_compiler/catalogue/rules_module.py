"""E091x: what the generated `rules.py` cannot say."""

from __future__ import annotations

from protoc_runtime.diagnostics import Kind

NOT_EMITTED = Kind(
    "E0911",
    "not-in-rules",
    "error",
    "the generated rules.py has no form for {what}",
    "say it by other means, or report this: every construct of the language should have one",
    "The engine evaluates whole tables at once. A construct that it does not have is refused when the package is "
    "written, so that no rule is ever left out in silence.",
    "a resolved protocol whose formula calls a function that the library does not have",
)

KINDS: tuple[Kind, ...] = (NOT_EMITTED,)
