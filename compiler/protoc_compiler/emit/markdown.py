"""Author's words as Markdown: escaped, so that they cannot draw a heading, a table or HTML of their own."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|!~&])")


def escape(words: str) -> str:
    """Words on one line, with what Markdown and HTML would interpret taken as text."""
    bare = _SPECIAL.sub(r"\\\1", " ".join(words.split()))
    bare = re.sub(r"^([-+=])", r"\\\1", bare)
    return re.sub(r"^(\d+)([.)])(?=\s|$)", r"\1\\\2", bare)


def code(formula: str) -> str:
    """A formula on one line as a code span, which may stand in a table too."""
    bare = " ".join(formula.split()).replace("|", "\\|")
    fence = "`" * (max((len(run) for run in re.findall("`+", bare)), default=0) + 1)
    pad = " " if bare.startswith("`") or bare.endswith("`") else ""
    return f"{fence}{pad}{bare}{pad}{fence}" if bare else ""


def table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> Iterator[str]:
    """A Markdown table of cells that are already escaped; nothing where there are no rows."""
    given = list(rows)
    if given:
        yield f"| {' | '.join(head)} |"
        yield "|" + "---|" * len(head)
        yield from (f"| {' | '.join(row)} |" for row in given)
        yield ""


def cited(cites: tuple[str, ...]) -> str:
    """The source rules behind a sentence."""
    return f" ({', '.join(map(escape, dict.fromkeys(cites)))})" if cites else ""


def sentence(words: str) -> str:
    """Words with a full stop."""
    return words if not words or words.endswith((".", "!", "?")) else words + "."
