"""Cuts a formula into tokens: the terminals of `grammar.lark`, by one regular expression.

Keywords are reserved everywhere. A character that starts no token becomes a token of kind `?`, so that every such
character of a formula is told at once.
"""

from __future__ import annotations

import re

UNITS = ("ms", "s", "min", "h", "B", "KiB", "MiB", "GiB", "USD", "EUR")


class Token:
    """One token; `start` and `end` are offsets in the formula's text."""

    __slots__ = ("end", "kind", "start", "text")

    def __init__(self, kind: str, text: str, start: int, end: int) -> None:
        self.kind = kind
        self.text = text
        self.start = start
        self.end = end


_DIGITS = r"\d[\d_]*(?:\.\d+)?"
_MASTER = re.compile(
    r"(?:(?P<DATE>\d\d\d\d-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d)?Z)?)"
    rf"|(?P<NUMBER>{_DIGITS})(?:(?P<QUANTITY> ?(?:{'|'.join(UNITS)})\b)|(?P<PERCENT> ?%))?"
    r'|(?P<STRING>"[^"\\\n]*")'
    r"|(?P<COMBINE>(?:cross|stack)[ \t\r\n]+of\b)"
    r"|(?P<NAME>[A-Za-z_]\w*)"
    r"|(?P<FIELD>\.\w+)"
    r"|(?P<_DOTS>\.\.)"
    r"|(?P<CMP>[=!<>]=|[<>])"
    r"|(?P<SIGN>[-+])"
    r"|(?P<TIMES>[*/])"
    r"|(?P<OTHER>[^ \t\r\n]))"
    r"[ \t\r\n]*",
    re.ASCII,
)
KEYWORDS = {
    **dict.fromkeys(("all", "some", "no"), "QUANT"),
    **dict.fromkeys(("entire", "earlier"), "PREFIX"),
    **dict.fromkeys(("true", "false", "undefined", "defined"), "STATE"),
    **{word: "_" + word.upper() for word in ("latest", "when", "otherwise", "have", "as", "where", "matching")},
    **{word: "_" + word.upper() for word in ("ordered", "grouped", "by", "then", "over")},
    **{word: "_" + word.upper() for word in ("or", "and", "not", "is", "in")},
}
_PUNCTUATION = {"(": "LPAR", ")": "RPAR", "[": "LSQB", "]": "RSQB", ",": "COMMA", "=": "EQUAL", "^": "CIRCUMFLEX"}
_KINDS = ("", *_MASTER.groupindex)  # by the number of the group
END = "$END"


def tokenize(text: str) -> list[Token]:
    """All tokens of `text`; the last is the end."""
    tokens = []
    for match in _MASTER.finditer(text, len(text) - len(text.lstrip(" \t\r\n"))):
        group = match.lastindex or 0
        kind = _KINDS[group]
        start, end = match.start(), match.end(group)  # a unit or percent sign is a group behind its number
        word = text[start:end]
        if kind == "NAME":
            kind = KEYWORDS.get(word, kind)
        elif kind == "OTHER":
            kind = _PUNCTUATION.get(word, "?")
        tokens.append(Token(kind, word, start, end))
    tokens.append(Token(END, "", len(text.rstrip()), len(text.rstrip())))
    return tokens
