"""What is made of a value once: a rename, a direction and a fingerprint ask for the same of one formula."""

from __future__ import annotations

from collections.abc import Callable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

LARGEST = 1 << 12


class Kept:
    """A function of values whose results are kept. A value is known by being the same object: to compare two formulas,
    or to hash one, takes as long as to work its form out."""

    def __init__(self, make: Callable[[Any], Any], most: int = LARGEST) -> None:
        self._make = make
        self._most = most
        self._made: dict[int, tuple[Any, Any]] = {}  # with the value, lest another gets its id

    def __call__(self, value: Any) -> Any:
        known = self._made.get(id(value))
        if known is None:
            if len(self._made) >= self._most:
                self._made.clear()
            known = self._made[id(value)] = (value, self._make(value))
        return known[1]
