"""Code with operators, broken over lines where it does not fit; calls and displays come from `layout`'s rules too."""

from __future__ import annotations

from protoc_runtime.record import record

WIDTH = 116


@record
class Bracket:
    """`open a, b close`."""

    open: str
    items: tuple[Code, ...]
    close: str


@record
class Infix:
    """`a op b op c`; `bracketed` where it stands beside another operator."""

    items: tuple[Code, ...]
    op: str
    bracketed: bool = False


@record
class Around:
    """Text before and after a piece of code, which alone may be broken."""

    before: str
    code: Code
    after: str = ""


Code = str | Bracket | Infix | Around


def call(function: str, *arguments: Code) -> Code:
    """`function(a, b)`."""
    return Bracket(f"{function}(", arguments, ")")


def pair(*items: Code) -> Code:
    """A tuple display of at least two items."""
    return Bracket("(", items, ")")


def flat(code: Code) -> str:
    """The code on one line."""
    if isinstance(code, str):
        return code
    if isinstance(code, Around):
        return code.before + flat(code.code) + code.after
    if isinstance(code, Bracket):
        return code.open + ", ".join(map(flat, code.items)) + code.close
    joined = f" {code.op} ".join(map(flat, code.items))
    return f"({joined})" if code.bracketed else joined


def render(code: Code, indent: int = 0, used: int = 0) -> str:
    """The code, its first line continuing one of which `used` columns beyond the indent are taken."""
    line = flat(code)
    if isinstance(code, str) or indent + used + len(line) <= WIDTH:
        return line
    if isinstance(code, Around):
        return code.before + render(code.code, indent, used + len(code.before)) + code.after
    margin = " " * (indent + 4)
    if isinstance(code, Bracket):
        lines = [f"{margin}{render(item, indent + 4, 1)},\n" for item in code.items]
        return f"{code.open}\n{''.join(lines)}{' ' * indent}{code.close}"
    first, *rest = (render(item, indent + 4, len(code.op) + 1) for item in code.items)
    lines = [f"{margin}{first}\n", *(f"{margin}{code.op} {item}\n" for item in rest)]
    return f"(\n{''.join(lines)}{' ' * indent})"
