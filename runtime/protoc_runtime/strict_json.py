"""What every strict reader of JSON refuses, as hooks of `json.loads`."""

from __future__ import annotations

from typing import Any, NoReturn


def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object by its pairs (`object_pairs_hook`). Raises ValueError where a key stands twice in it."""
    made = dict(pairs)
    if len(made) != len(pairs):
        raise ValueError("a key is repeated")
    return made


def no_constant(text: str) -> NoReturn:
    """Raises ValueError for NaN and infinities, which are no JSON (`parse_constant`)."""
    raise ValueError(f"{text} is not a number")
