"""What readers of JSON refuse: hooks of `json.loads` for strict ones, and nesting at which Python gives up."""

from __future__ import annotations

import json
from typing import Any, NoReturn


def parsed(text: str | bytes) -> Any:
    """The value of a JSON text. Raises ValueError for whatever is none, what is nested too deep to be read included."""
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("it is nested too deep") from None


def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object by its pairs (`object_pairs_hook`). Raises ValueError where a key stands twice in it."""
    made = dict(pairs)
    if len(made) != len(pairs):
        raise ValueError("a key is repeated")
    return made


def no_constant(text: str) -> NoReturn:
    """Raises ValueError for NaN and infinities, which are no JSON (`parse_constant`)."""
    raise ValueError(f"{text} is not a number")
