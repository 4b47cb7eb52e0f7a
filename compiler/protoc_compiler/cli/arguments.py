"""The arguments of a command where there is nothing to explain, read without argparse.

To load argparse and to let it read three words takes as long as to read a small protocol. So what a command declares is
written down here; words that follow it to the letter are read at once, and for help, a fault or anything unusual
argparse gets the same declarations.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_KNOWN = {"action", "nargs", "choices", "default", "dest", "metavar", "help"}


class Arguments:
    """What a command declares, in the words of argparse: `add_arguments` of a command takes this as well."""

    def __init__(self) -> None:
        self._words: list[tuple[str, dict[str, Any]]] = []  # arguments without a name of their own, in their order
        self._options: dict[str, dict[str, Any]] = {}
        self._plain = True  # nothing was declared that only argparse reads

    def add_argument(self, name: str, *others: str, **told: Any) -> None:
        """As argparse has it."""
        if name.startswith("-"):
            self._options[name] = told
            self._plain = (
                self._plain and not others and not told.get("required") and not told.keys() >= {"type", "default"}
            )
        else:
            self._words.append((name, told))
            self._plain = self._plain and told.keys() <= _KNOWN and told.get("nargs") in (None, "?", "+")

    def add_mutually_exclusive_group(self, **_: Any) -> Arguments:
        """As argparse has it, which alone knows what excludes what."""
        self._plain = False
        return self

    def read(self, argv: Sequence[str]) -> SimpleNamespace | None:
        """The values of all arguments, or None where argparse has to look: each option at most once with its value in
        the next word, the other words in one row."""
        if not self._plain:
            return None
        found = {_name(option, told): _absent(told) for option, told in self._options.items()}
        rows: list[list[str]] = [[]]
        taken: set[str] = set()
        waiting = list(reversed(argv))
        while waiting:
            word = waiting.pop()
            if not word.startswith("-"):
                rows[-1].append(word)
                continue
            told = self._options.get(word)
            if told is None or word in taken or not told.keys() <= _KNOWN:
                return None
            taken.add(word)
            if rows[-1]:
                rows.append([])
            value = _value(told, waiting)
            if value is None:
                return None
            found[_name(word, told)] = value
        row, *more = [row for row in rows if row] or [[]]
        words = None if more or "" in row else self._placed(row)
        return None if words is None else SimpleNamespace(**found, **words)

    def _placed(self, row: list[str]) -> dict[str, Any] | None:
        """The words without a name as the values of what stands for them; None where they are too few or too many."""
        left = list(row)
        made: dict[str, Any] = {}
        for at, (name, told) in enumerate(self._words):
            if told.get("nargs") == "+":
                if at + 1 < len(self._words) or not left:
                    return None
                made[name], left = left, []
            elif left:
                made[name] = left.pop(0)
            elif told.get("nargs") == "?":
                made[name] = told.get("default")
            else:
                return None
            given = made[name] if isinstance(made[name], list) else [made[name]]
            if "choices" in told and not all(one in told["choices"] for one in given):
                return None
        return None if left else made


def _name(option: str, told: dict[str, Any]) -> str:
    name: str = told.get("dest") or option.lstrip("-").replace("-", "_")
    return name


def _absent(told: dict[str, Any]) -> Any:
    return told.get("default", False if told.get("action") == "store_true" else None)


def _value(told: dict[str, Any], waiting: list[str]) -> Any:
    """The value of an option, whose next word it may be; None where argparse has to look."""
    if told.get("action") == "store_true":
        return True
    if told.get("action") or told.get("nargs") or not waiting:
        return None
    word = waiting.pop()
    usual = word and not word.startswith("-") and word in told.get("choices", (word,))
    return word if usual else None
