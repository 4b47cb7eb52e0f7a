"""E095x: what the independent verifier cannot be generated for."""

from __future__ import annotations

from protoc_runtime.diagnostics import Kind

NOT_LOWERED = Kind(
    "E0951",
    "not-in-verifier",
    "error",
    "the generated verify.py has no form for {what}",
    "say it by other means, or report this: every construct of the language should have one",
    "Every bundle carries a program that recomputes the verdict with Python alone, written apart from the engine that "
    "computed it. A construct that only one of the two could compute would have nobody to check it, so nothing is "
    "generated from a protocol that uses one.",
    "a resolved protocol whose formula calls a function that the library does not have",
)

KINDS: tuple[Kind, ...] = (NOT_LOWERED,)
