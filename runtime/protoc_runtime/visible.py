"""Text as a terminal may show it: what could move the cursor, ring the bell or hide its direction is spelled out."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import IO


def visible(text: str) -> str:
    """One line of text with every character that cannot be seen as its escape; a tab becomes a space."""
    return text if text.isprintable() else "".join(c if c.isprintable() else _escaped(c) for c in text)


def on(stream: IO[str], text: str) -> str:
    """Lines for a stream: as they are for a program, visible for a person."""
    if not stream.isatty():
        return text
    return "\n".join(visible(line) for line in text.split("\n"))


def _escaped(character: str) -> str:
    if character in "\t\u00a0":
        return " "
    return f"\\x{ord(character):02x}" if ord(character) < 256 else f"\\u{ord(character):04x}"
