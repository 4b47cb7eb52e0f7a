"""How the words of a query are matched: the part of the router that an optimised runtime may replace."""

from __future__ import annotations

import re

_WORD = re.compile(r"[a-z']+")


def matched(query: str, vocabulary: dict[str, str]) -> list[str]:
    """The meanings of the known words of a query, in their order, each once."""
    found = [vocabulary[word] for word in words(query) if word in vocabulary]
    return list(dict.fromkeys(found))


def words(query: str) -> list[str]:
    """The words of a query, in lower case."""
    return _WORD.findall(query.lower().replace("’", "'"))
