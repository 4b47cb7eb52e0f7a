"""Characters that a spec may not hold: what cannot be seen, or shows a text other than it is."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain, islice

MAX_REPORTS = 20  # of each sort; a binary file would give thousands
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_INVISIBLE = (  # compiled when a text needs it
    "[\u00ad\u034f\u061c\u070f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u2800"
    "\u3164\ue000-\uf8ff\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff\U000f0000-\U0010ffff]"
)


def refused(text: str) -> Iterator[tuple[str, int]]:
    """The refused characters of a text with their index, control characters first."""
    invisible = () if text.isascii() else re.finditer(_INVISIBLE, text)
    for found in chain(islice(_CONTROL.finditer(text), MAX_REPORTS), islice(invisible, MAX_REPORTS)):
        yield found.group(), found.start()


def is_control(char: str) -> bool:
    """Whether it is a control character rather than an invisible one."""
    return _CONTROL.match(char) is not None


def describe(char: str) -> str:
    """`U+202E RIGHT-TO-LEFT OVERRIDE`."""
    import unicodedata

    return f"U+{ord(char):04X} {unicodedata.name(char, '')}".rstrip()
