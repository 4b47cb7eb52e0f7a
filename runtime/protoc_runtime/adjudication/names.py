"""Names of people who judge: text that anybody can read as it is written."""

from __future__ import annotations

from protoc_runtime.reading.values import INVISIBLE_IN_KEY

LONGEST_NAME = 200  # characters


def is_name(text: str) -> bool:
    """Whether a letter or digit is in it, and nothing that turns, breaks or controls what is shown."""
    whole = not any("\ud800" <= sign <= "\udfff" for sign in text)
    return whole and not INVISIBLE_IN_KEY.search(text) and any(sign.isalnum() for sign in text)
