"""What the rules of this package look at: the tokens around the one on which the parser got stuck."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from protoc_compiler.lexer import END, Token
from protoc_runtime.diagnostics import Kind

OPERANDS = frozenset({"NAME", "NUMBER", "PERCENT", "QUANTITY", "DATE", "STRING", "STATE"})
OPERAND_ENDS = OPERANDS | {"FIELD", "RPAR", "RSQB"}
OPERAND_STARTS = OPERANDS | {"LPAR", "LSQB", "_NOT", "QUANT", "PREFIX", "COMBINE", "_LATEST"}
FILTERS = frozenset({"_WHERE", "_MATCHING", "_ORDERED", "_GROUPED", "_AS"})
_NOTHING = Token("", "", 0, 0)


class Fault(NamedTuple):
    """One fault between two offsets of the formula, with what its message and hint need."""

    kind: Kind
    start: int
    end: int
    values: dict[str, Any]


def fault(kind: Kind, token: Token, last: Token | None = None, **values: Any) -> Fault:
    """A fault at a token, or from a token to a last one."""
    return Fault(kind, token.start, (last or token).end, values)


class Context:
    """The stuck parser: `token` is the one that cannot stand where it is."""

    def __init__(self, text: str, tokens: Sequence[Token], index: int, start: str) -> None:
        self.text = text
        self.tokens = tokens
        self.index = index
        self.start = start
        self.token = tokens[index]

    def before(self, count: int = 1) -> Token:
        """The token that stands `count` places before the stuck one; an empty token before the first."""
        return self.tokens[self.index - count] if self.index >= count else _NOTHING

    def after(self, count: int = 1) -> Token:
        """The token `count` places behind the stuck one; the end behind the last."""
        return self.tokens[min(self.index + count, len(self.tokens) - 1)]

    @property
    def value_expected(self) -> bool:
        """Whether a value should stand here: at the start, behind an operator or an opening word."""
        return self.before().kind not in OPERAND_ENDS

    def quote(self, first: Token, last: Token) -> str:
        """The author's text from one token to another, on one line."""
        return " ".join(self.text[first.start : last.end].split())

    def opened(self) -> int | None:
        """The index of the innermost bracket that is open at the stuck token."""
        depth = 0
        for index in range(self.index - 1, -1, -1):
            kind = self.tokens[index].kind
            if kind in ("RPAR", "RSQB"):
                depth += 1
            elif kind in ("LPAR", "LSQB"):
                if depth == 0:
                    return index
                depth -= 1
        return None

    def function(self) -> Token | None:
        """The name of the call whose arguments the stuck token is among."""
        opened = self.opened()
        if opened and self.tokens[opened].kind == "LPAR" and self.tokens[opened - 1].kind == "NAME":
            return self.tokens[opened - 1]
        return None

    def level(self) -> Sequence[Token]:
        """The tokens before the stuck one that stand in the same brackets."""
        kept: list[Token] = []
        depth = 0
        for token in reversed(self.tokens[: self.index]):
            if token.kind in ("RPAR", "RSQB"):
                depth += 1
            elif token.kind in ("LPAR", "LSQB"):
                if depth == 0:
                    break
                depth -= 1
            elif depth == 0:
                kept.append(token)
        return kept[::-1]

    def operand_end(self) -> Token:
        """The last token of the operand that starts at the stuck token: a path, a call, or one token."""
        index, depth = self.index, 0
        while True:
            kind = self.tokens[index].kind
            depth += (kind in ("LPAR", "LSQB")) - (kind in ("RPAR", "RSQB"))
            following = self.tokens[index + 1].kind if index + 1 < len(self.tokens) else END
            if following == END or (depth <= 0 and following not in ("FIELD", "LPAR")):
                return self.tokens[index]
            index += 1

    def operand_before(self, index: int) -> Token | None:
        """The first token of the simple path (`a`, `a.b`) or literal that ends at `index`."""
        while index > 0 and self.tokens[index].kind == "FIELD":
            index -= 1
        return self.tokens[index] if self.tokens[index].kind in OPERANDS else None
