"""The examples of the documentation, taken out of its pages so that tests can run them.

A fenced block says behind its language what it is:

    yaml {spec}                 a whole spec, without findings
    yaml {base}                 the same, and the spec that the page's fragments go into
    yaml {in: definitions}      lines of one section (or of a part of one: `data.tables`)
    yaml {parts}                whole sections or parts of them, added to those of the base
    ..., finds: E0601           the one finding that the block has
    text {values}               `FORMULA  VALUE` lines, two or more spaces between
"""

from __future__ import annotations

import re
from pathlib import Path

from protoc_compiler import sections
from protoc_runtime.record import record

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted(
    [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md"), *(ROOT / "docs/design").glob("*.md")]
)
_BLOCK = re.compile(r"^( *)```(\w+)(?: (.*?))?\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)
_ORDER = [key.name for key in sections.SPEC.keys]
_REPLACED = ("verdict", "procedure.subject", "report.released")


@record
class Block:
    """One fenced block: its page, line, language, marks (`in`, `finds`, ...) and text."""

    page: str
    line: int
    language: str
    marks: tuple[tuple[str, str], ...]
    text: str

    @property
    def label(self) -> str:
        """How a test names it."""
        return f"{self.page}:{self.line}"

    def mark(self, name: str) -> str | None:
        """What a mark says; empty for a mark without a value, None where it is absent."""
        return dict(self.marks).get(name)


def blocks(page: Path) -> list[Block]:
    """Every fenced block of a page that names its language."""
    text = page.read_text(encoding="utf-8")
    name = page.relative_to(ROOT).as_posix()
    found = []
    for match in _BLOCK.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        body = "".join(part.removeprefix(match[1]) for part in match[4].splitlines(keepends=True))
        found.append(Block(name, line, match[2], _marks(match[3] or ""), body))
    return found


def _marks(info: str) -> tuple[tuple[str, str], ...]:
    if not info.startswith("{"):
        return tuple((name, value) for name, _, value in (word.partition("=") for word in info.split()))
    parts = (part.partition(":") for part in info.strip("{}").split(","))
    return tuple((name.strip(), value.strip()) for name, _, value in parts)


def whole(block: Block, base: str) -> str:
    """The spec that a block stands for."""
    if block.mark("in") is not None:
        return insert(base, block.mark("in") or "", block.text)
    if block.mark("parts") is None:
        return block.text
    made = base
    for path, text in _parts(block.text):
        made = insert(made, path, text)
    return made


def _parts(text: str) -> list[tuple[str, str]]:
    """(path, lines) of the sections of a block; `data`, `procedure` and `report` are taken apart once more."""
    made = []
    for name, body in _split(text):
        if name in ("data", "procedure", "report"):
            made += [(f"{name}.{inner}", lines) for inner, lines in _split(body)]
        else:
            made.append((name, body))
    return made


def _split(text: str) -> list[tuple[str, str]]:
    """The keys of a block map at its left edge, each with its lines moved to the left."""
    found: list[tuple[str, list[str]]] = []
    for line in text.splitlines():
        key = re.match(r"(\w+): *(.*)$", line)
        if key is not None:
            found.append((key[1], [key[2]] if key[2] else []))
        elif line.strip():
            found[-1][1].append(line.removeprefix("  "))
    return [(name, "".join(f"{line}\n" for line in lines)) for name, lines in found]


def insert(base: str, path: str, text: str) -> str:
    """The base with lines added at the end of a section or of a part of it; a few parts are replaced."""
    lines = base.splitlines()
    start, end = 0, len(lines)
    depth = 0
    for depth, name in enumerate(path.split(".")):
        indent = "  " * depth
        at = next((i for i in range(start, end) if lines[i].startswith(f"{indent}{name}:")), None)
        if at is None:
            at = _place(lines, name, start, end, depth)
            lines.insert(at, f"{indent}{name}:")
            end += 1
        start = at + 1
        end = next((i for i in range(start, end) if _depth(lines[i]) <= depth), end)
    indent = "  " * (depth + 1)
    if path in _REPLACED:
        header = "  " * depth + path.rpartition(".")[2] + ":"
        alone = "\n" not in text.strip() and text[0] in "[{"
        lines[start - 1 : end] = [f"{header} {text.strip()}" if alone else header]
        if alone:
            return "".join(f"{line}\n" for line in lines)
        end = start
    while end > start and not lines[end - 1].strip():
        end -= 1
    lines[end:end] = [indent + line if line else line for line in text.splitlines()]
    return "".join(f"{line}\n" for line in lines)


def _depth(line: str) -> int:
    """How deep a line is indented; an empty line belongs to what stands around it."""
    return (len(line) - len(line.lstrip())) // 2 if line.strip() else 99


def _place(lines: list[str], name: str, start: int, end: int, depth: int) -> int:
    """Where a new section belongs, in the order of the language; a new part goes by the order of its section."""
    order = _ORDER
    if depth:
        section = next(key for key in sections.SPEC.keys if lines[start - 1].startswith(f"{key.name}:"))
        order = [key.name for key in getattr(section.shape, "keys", ())]
    later = set(order[order.index(name) + 1 :])
    for index in range(start, end):
        key = lines[index].strip().partition(":")[0]
        if _depth(lines[index]) == depth and key in later:
            return index
    return end
