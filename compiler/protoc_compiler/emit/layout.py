"""Python source as nested groups that are broken over lines where they do not fit."""

from __future__ import annotations

from protoc_runtime.record import record

WIDTH = 112


@record
class Group:
    """`open item separator item close`, broken after `open` and each separator where it is too long for a line."""

    open: str
    items: tuple[Code, ...]
    close: str
    separator: str = ","


@record
class Prefixed:
    """Text before a piece of code, which alone may be broken: `lambda: f(...)`."""

    prefix: str
    code: Code


Code = str | Group | Prefixed


def call(function: str, *arguments: Code) -> Code:
    """`function(a, b)`."""
    return Group(f"{function}(", arguments, ")")


def tuple_of(items: tuple[Code, ...]) -> Code:
    """A tuple display; of one item with its comma."""
    if len(items) == 1:
        return Group("(", (items[0], ""), ")")
    return Group("(", items, ")")


def flat(code: Code) -> str:
    """The code on one line."""
    if isinstance(code, str):
        return code
    if isinstance(code, Prefixed):
        return code.prefix + flat(code.code)
    joined = f"{code.separator} ".join([item if type(item) is str else flat(item) for item in code.items])
    return code.open + joined.rstrip() + code.close


def _fitting(code: Code, room: int) -> str | None:
    """The code on one line of at most so many columns; None where it is longer, without all of it being written."""
    if isinstance(code, str):
        return code if len(code) <= room else None
    if isinstance(code, Prefixed):
        inner = _fitting(code.code, room - len(code.prefix))
        return None if inner is None else code.prefix + inner
    texts: list[str] = []
    left = room - len(code.open) - len(code.close)
    for item in code.items:
        text = _fitting(item, left)
        if text is None:
            return None
        texts.append(text)
        left -= len(text)
    line = code.open + f"{code.separator} ".join(texts).rstrip() + code.close
    return line if len(line) <= room else None


def broken(code: Code, indent: int = 0, used: int = 0) -> str:
    """The code, its first line continuing one of which `used` columns beyond the indent are taken."""
    if isinstance(code, str):
        return code
    line = _fitting(code, WIDTH - indent - used)
    if line is not None:
        return line
    if isinstance(code, Prefixed):
        return code.prefix + broken(code.code, indent, used + len(code.prefix))
    margin = " " * (indent + 4)
    lines = [margin + broken(item, indent + 4, len(code.separator)) for item in code.items if item != ""]
    return code.open + "\n" + "".join(line + code.separator + "\n" for line in lines) + " " * indent + code.close


def docstring(text: str) -> str:
    """Words as a docstring that means exactly these words, whatever stands in them."""
    if '"' not in text and "\\" not in text and text.replace("\n", "").isprintable():
        return f'"""{text}"""'
    escaped = ""
    for place, char in enumerate(text):
        beside = text[place - 1 : place] + text[place + 1 : place + 2]
        if char == '"' and ('"' in beside or place == len(text) - 1):
            escaped += '\\"'
        else:
            escaped += _escaped(char)
    return f'"""{escaped}"""'


def _escaped(char: str) -> str:
    if char == "\\":
        return "\\\\"
    return char if char == "\n" or char.isprintable() else ascii(char)[1:-1]
