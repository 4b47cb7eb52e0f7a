"""The prompt of a session: a text with places, each of which takes one thing that the subject may see."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

from protoc_runtime.canonical import read_plain
from protoc_runtime.catalogue import agents as kinds
from protoc_runtime.diagnostics import Findings, Refused

_PLACE = re.compile(r"\{\{\s*([A-Za-z_][A-Za-z0-9_.]*)\s*\}\}")


class Prompt:
    """The text of a prompt; each place stands in it once, and for one of the columns that the subject sees."""

    def __init__(self, text: str) -> None:
        self._parts = _PLACE.split(text)  # text, name, text, name, ..., text

    @classmethod
    def load(cls, folder: Path, name: str, sees: tuple[str, ...]) -> Prompt:
        """Read the file. Raises `Refused` (E2531) if it is no text, or if its places are not what the subject sees."""
        findings = Findings()
        try:
            made = cls(read_plain(folder / name).decode("utf-8-sig").replace("\r\n", "\n"))
        except OSError as error:
            findings.add(kinds.BAD_PROMPT, None, path=name, reason=error.strerror or error)
        except UnicodeDecodeError:
            findings.add(kinds.BAD_PROMPT, None, path=name, reason="it is not UTF-8")
        else:
            for reason in made.differences(sees):
                findings.add(kinds.BAD_PROMPT, None, path=name, reason=reason)
            if not findings:
                return made
        raise Refused(findings)

    @property
    def places(self) -> list[str]:
        """The names of its places, in their order."""
        return self._parts[1::2]

    def differences(self, sees: tuple[str, ...]) -> list[str]:
        """How its places differ from what the subject sees."""
        places = self.places
        made = [
            f"`{{{{{name}}}}}` is nothing that the subject sees" for name in dict.fromkeys(places) if name not in sees
        ]
        made += [f"`{name}` is seen by the subject and has no place" for name in sees if name not in places]
        return made + [
            f"`{{{{{name}}}}}` stands in it {places.count(name)} times" for name in sees if places.count(name) > 1
        ]

    def fill(self, values: Mapping[str, Any]) -> str:
        """The prompt of one case: texts as they are, everything else as JSON. What a text contains is never a place."""
        parts = list(self._parts)
        parts[1::2] = [_shown(values[name]) for name in self.places]
        return "".join(parts)


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=1, default=_plain)


def _plain(value: Any) -> Any:
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    raise TypeError(type(value).__name__)
