"""Python identifiers for author's names: readable, unique, never a keyword or a name that the program uses."""

from __future__ import annotations

import builtins
import keyword
import re
from collections.abc import Container, Iterable

_OTHER = re.compile(r"[^A-Za-z0-9_]+")


def identifier(text: str, *taken: Container[str]) -> str:
    """An identifier like `text` that is in none of `taken`; the caller adds it there."""
    bare = _OTHER.sub("_", text).strip("_") or "name"
    if bare[0].isdigit():
        bare = f"_{bare}"
    made, number = bare, 2
    while (
        any(made in names for names in taken)
        or keyword.iskeyword(made)
        or keyword.issoftkeyword(made)
        or hasattr(builtins, made)
    ):
        made, number = f"{bare}_{number}", number + 1
    return made


class Names:
    """Identifiers of one program; each thing keeps its own."""

    def __init__(self, reserved: Iterable[str]) -> None:
        self._taken = set(reserved)
        self._made: dict[tuple[str, ...], str] = {}

    def of(self, *thing: str) -> str:
        """The identifier of a thing, such as ("metric", "FP"): `metric_FP`."""
        if thing not in self._made:
            self._made[thing] = identifier("_".join(thing), self._taken)
            self._taken.add(self._made[thing])
        return self._made[thing]

    def local(self, text: str, scope: Container[str]) -> str:
        """An identifier for a row variable, different from all of the program and of its scope."""
        return identifier(text, self._taken, scope)
