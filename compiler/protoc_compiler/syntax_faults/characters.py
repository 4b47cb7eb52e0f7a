"""Characters and spellings that are wrong wherever they stand."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence

from protoc_compiler.catalogue import syntax as kinds
from protoc_compiler.lexer import Token
from protoc_compiler.syntax_faults.context import Fault
from protoc_compiler.syntax_faults.numbers import malformed

_PASTED = {
    "≥": "`>=`",
    "≤": "`<=`",
    "≠": "`!=`",
    "≡": "`==`",
    "−": "`-`",
    "–": "`-`",
    "—": "`-`",
    "×": "`*`",
    "·": "`*`",
    "⋅": "`*`",
    "÷": "`/`",
    "∕": "`/`",
    "∧": "`and`",
    "∨": "`or`",
    "¬": "`not`",
    "∈": "`in`",
    "∉": "`not in`",
    "…": "`..` for a range, as in `x in 3..5`",
    "²": "`^ 2`",
    "³": "`^ 3`",
    "½": "`1/2`",
    "¼": "`1/4`",
    "¾": "`3/4`",
    "％": "`%`",
    "√": "`sqrt(x)`",
    "≈": "`abs(a - b) <= tolerance`",
    "∞": "no bound at all: there are no infinite numbers",
    "‰": "the number itself, `0.005` for five in a thousand",
    "∑": "`sum(x over T)`",
    "Σ": "`sum(x over T)`",
    "∀": "`all T have c`",
    "∃": "`some T have c`",
    "∅": "`no T`",
    "→": "`when` in a first-match list",
    "\N{NO-BREAK SPACE}": "an ordinary space",
    "\N{NARROW NO-BREAK SPACE}": "an ordinary space",
    "\N{ZERO WIDTH SPACE}": "nothing in its place",
    "\N{BYTE ORDER MARK}": "nothing in its place",
    **dict.fromkeys("“”„«»″", '`"`'),
    **dict.fromkeys("‘’‚′", 'text in double quotes, `"`'),
}
_PLAIN = {
    ":": "leave it out: an option is `name = value`, and a choice is a list of `VALUE when CONDITION`",
    ";": "separate arguments by commas",
    "{": "a list of values stands in square brackets, `[a, b]`",
    "}": "a list of values stands in square brackets, `[a, b]`",
    "?": "a choice is a list of `VALUE when CONDITION` lines",
    "$": "money is a number and its currency: `5 USD`",
    "€": "money is a number and its currency: `5 EUR`",
    "#": "a YAML comment needs a space before its `#`",
    "\\": "text has no escapes, and a formula needs no line continuation",
    "`": "names need no quotes",
    "@": "names are made of letters, digits and `_`",
    ".": "a dot is followed by the name of a column, a field or an entry: `case.label`",
}
_FOREIGN = re.compile(r"===|!==|&&|\|\||<=>|<>|=>|=<|\*\*|//|->|:=|=~|!~|!(?!=)|&|\||~")
_WRITE = {
    "===": "`==`",
    "!==": "`!=`",
    "&&": "`and`",
    "&": "`and`",
    "||": "`or`",
    "|": "`or`",
    "!": "`not`",
    "~": "`not`",
    "<>": "`!=`",
    "=>": "`>=`",
    "=<": "`<=`",
    "**": "`^`",
    "//": "`floor(a / b)`",
    "->": "`when` in a first-match list",
    ":=": "the name as the key and the formula as its value",
    "<=>": "one of `<`, `<=`, `==`, `>=`, `>`",
    "=~": "`==`, or a column that says what the pattern means",
    "!~": "`!=`, or a column that says what the pattern means",
}
_UPPER = {"AND", "OR", "NOT", "IN", "IS", "WHERE", "WHEN", "OTHERWISE", "OVER", "ALL", "SOME", "NO", "HAVE"}


def scan(text: str, tokens: Sequence[Token]) -> list[Fault]:
    """Every such fault of the formula, from left to right; behind an unclosed text nothing is looked at."""
    found: list[Fault] = []
    covered = 0
    for item in sorted(_all(text, tokens), key=lambda item: item.start):
        if item.start >= covered:
            found.append(item)
            covered = len(text) if item.kind is kinds.UNCLOSED_TEXT else item.end
    return found


def _all(text: str, tokens: Sequence[Token]) -> Iterator[Fault]:
    masked = list(text)
    for token in tokens:
        if token.kind == "STRING":
            masked[token.start : token.end] = " " * (token.end - token.start)
    bare = "".join(masked)
    for match in re.finditer(r"'[^'\n]*'|'", bare):
        yield _single(match)
    for match in _FOREIGN.finditer(bare):
        yield Fault(kinds.FOREIGN_OPERATOR, *match.span(), {"found": match[0], "form": _WRITE[match[0]]})
    yield from malformed(tokens)
    for index, token in enumerate(tokens):
        if token.kind == "?":
            yield _character(text, tokens, index)
        elif token.kind == "NAME" and token.text in _UPPER and _looks_like_keyword(tokens, index):
            values = {"found": token.text, "form": f"`{token.text.lower()}`, in lower case"}
            yield Fault(kinds.FOREIGN_OPERATOR, token.start, token.end, values)


def _single(match: re.Match[str]) -> Fault:
    inner = match[0].strip("'")
    form = f'write `"{inner}"` for a text, or `{inner}` for a member of an enum'
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", inner):
        form = f'write `"{inner}"`' if inner else 'write `"` on both sides of a text'
    return Fault(kinds.SINGLE_QUOTES, *match.span(), {"found": match[0], "form": form})


def _looks_like_keyword(tokens: Sequence[Token], index: int) -> bool:
    """Whether an upper-case word has a word or number right beside it, as only a keyword has."""
    beside = {"NAME", "NUMBER", "PERCENT", "QUANTITY", "STRING", "STATE"}
    return tokens[index + 1].kind in beside or (index > 0 and tokens[index - 1].kind in beside)


def _character(text: str, tokens: Sequence[Token], index: int) -> Fault:
    token = tokens[index]
    end = token.end
    if token.text == '"':
        closing = text.find('"', end)
        problem = "has no closing quote" if closing < 0 else "holds a backslash or a line break"
        return Fault(kinds.UNCLOSED_TEXT, token.start, end if closing < 0 else closing + 1, {"problem": problem})
    if token.text == "%":
        return Fault(kinds.PERCENT_OPERATOR, token.start, end, {"form": _percent(tokens, index)})
    if token.text in _PASTED:
        meaning = unicodedata.name(token.text, "an unnamed character").lower()
        return Fault(
            kinds.PASTED, token.start, end, {"found": token.text, "meaning": meaning, "form": _PASTED[token.text]}
        )
    if token.text.isalpha():
        start, end = next(word.span() for word in re.finditer(r"\w+", text) if word.end() > token.start)
        form = "names in formulas are made of the letters A to Z, digits and `_`; other text stands in double quotes"
        return Fault(kinds.UNKNOWN_CHARACTER, start, end, {"found": text[start:end], "form": form})
    form = _PLAIN.get(token.text, "remove it, or put it into a text in double quotes")
    found = token.text if token.text.isprintable() else f"U+{ord(token.text):04X}"
    return Fault(kinds.UNKNOWN_CHARACTER, token.start, end, {"found": found, "form": form})


def _percent(tokens: Sequence[Token], index: int) -> str:
    following = tokens[index + 1].kind
    if following in ("NAME", "NUMBER", "LPAR"):
        return "there is no remainder operator; take the remainder `x - n * floor(x / n)`"
    return "a percentage is a number: `85%`; a rate is compared as it is, `accuracy >= 85%`"
