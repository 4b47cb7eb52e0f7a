"""Canonical layout of a spec: order of sections and keys, indentation, blank lines; comments and wording stay.

The meaning never changes: the result is read again and compared with what was there before it is handed out.
"""

from __future__ import annotations

from functools import lru_cache

from protoc_compiler import sections, source
from protoc_compiler.indent import Indenter, is_flow
from protoc_compiler.nodes import Mapping, Node, Scalar
from protoc_compiler.shape import Keys
from protoc_runtime.diagnostics import Findings, Refused

_SCHEMA_LINE = "# yaml-language-server:"
_MARKERS = ("---", "...")


def format_text(data: bytes, name: str = "spec") -> bytes:
    """The spec in canonical layout; formatting it once more changes nothing.

    Raises Refused where the bytes cannot be read as YAML nodes; faults of the document do not matter here.
    """
    before = _read(data, name)
    text = source.decode(data, name, Findings()) or ""
    lines = [line for line in text.removesuffix("\n").split("\n") if line.rstrip() not in _MARKERS]
    # once before, since a line of blanks may become part of a block scalar that is moved above it
    lines = _ordered(Indenter(lines, _parse(lines, name)).apply(), name)
    lines = Indenter(lines, _parse(lines, name)).apply()
    lines = _spaced(lines, name)
    made = ("\n".join(lines) + "\n").encode()
    if meaning(before, sections.SPEC) != meaning(_read(made, name), sections.SPEC):
        raise RuntimeError(f"formatting {name} would change its meaning; the file is left as it is")
    return made


def meaning(node: Node, shape: object = None) -> object:
    """What a node says, without positions and styles; the order of keys counts unless the shape orders them."""
    if isinstance(node, Scalar):
        return node.text
    if not isinstance(node, Mapping):
        return [meaning(item) for item in node.items]
    ordered = shape if isinstance(shape, Keys) and shape.ordered else None
    made = [(key.text, meaning(value, _below(ordered, key.text))) for key, value in node.entries]
    return {"keys": sorted(made, key=lambda entry: entry[0]) if ordered else made}


def _below(shape: Keys | None, key: str) -> object:
    known = shape.key(key) if shape else None
    return known.shape if known else None


@lru_cache(maxsize=2)
def _read(data: bytes, name: str) -> Mapping:
    findings = Findings()
    root = source.read(data, name, findings)
    if root is None or findings.failed:
        raise Refused(findings)
    return root


def _parse(lines: list[str], name: str) -> Mapping:
    return _read(("\n".join(lines) + "\n").encode(), name)


def _ordered(lines: list[str], name: str) -> list[str]:
    """The lines with sections, and the keys of ordered sections, in the order of the language."""
    root = _parse(lines, name)
    for key, value in root.entries:
        known = sections.SPEC.key(key.text)
        if known and isinstance(known.shape, Keys) and known.shape.ordered and isinstance(value, Mapping):
            lines = _sorted(lines, root, value, known.shape)
    root = _parse(lines, name)
    return _sorted(lines, root, root, sections.SPEC)


def _sorted(lines: list[str], root: Mapping, node: Mapping, shape: Keys) -> list[str]:
    place = {key.name: at for at, key in enumerate(shape.keys)}
    order = sorted(range(len(node.entries)), key=lambda at: place.get(node.entries[at][0].text, len(place)))
    if order == list(range(len(order))):
        return lines
    if is_flow(lines, node):
        return _sorted_flow(lines, node, order)
    starts, end = _chunks(lines, node, Indenter(lines, root).keeping)
    ends = [*starts[1:], end]
    moved = [line for at in order for line in lines[starts[at] : ends[at]]]
    return lines[: starts[0]] + moved + lines[end:]


def _sorted_flow(lines: list[str], node: Mapping, order: list[int]) -> list[str]:
    """Entries in braces trade places; what stands between them stays."""
    offsets = [0]
    for line in lines:
        offsets.append(offsets[-1] + len(line) + 1)
    text = "\n".join(lines)
    spans = [(key.span, value.span) for key, value in node.entries]
    starts = [offsets[key.line - 1] + key.column - 1 for key, _ in spans]
    ends = [offsets[value.end_line - 1] + value.end_column - 1 for _, value in spans]
    made, last = "", 0
    for slot, at in enumerate(order):
        made += text[last : starts[slot]] + text[starts[at] : ends[at]]
        last = ends[slot]
    return (made + text[last:]).split("\n")


def _chunks(lines: list[str], node: Mapping, keeping: set[int]) -> tuple[list[int], int]:
    """The first line of each entry of a block map, comments above it included, and the line behind the last entry.

    Comments at the very start, above a blank line, and at the very end belong to the file and to no section.
    """
    starts, floor = [], 0
    for key, value in node.entries:
        at = key.span.line - 1
        while at > floor and at - 1 not in keeping and _is_leading(lines[at - 1], key.span.column - 1):
            at -= 1
        starts.append(at)
        floor = value.places[-1][0] if isinstance(value, Scalar) else value.span.end_line
    end = floor
    while end < len(lines) and (end in keeping or _is_inner(lines[end], node.span.column - 1)):
        end += 1
    if node.span.column == 1:
        starts[0] = _header(lines, starts[0], node.entries[0][0].span.line - 1)
    return starts, end


def _is_leading(line: str, column: int) -> bool:
    """Whether a line above an entry is blank, or a comment that goes with it."""
    words = line.lstrip(" \t")
    return not words or (words.startswith("#") and len(line) - len(words) <= column)


def _is_inner(line: str, column: int) -> bool:
    words = line.lstrip(" \t")
    return words.startswith("#") and len(line) - len(words) > column


def _header(lines: list[str], start: int, key: int) -> int:
    """Where the first section begins: the comments of the file itself, above a blank line, are not part of it."""
    at = key
    while at > start and lines[at - 1].strip() and not lines[at - 1].startswith(_SCHEMA_LINE):
        at -= 1
    return at


def _spaced(lines: list[str], name: str) -> list[str]:
    """One blank line between sections, none doubled; the two lines that open a spec stay together."""
    root = _parse(lines, name)
    marks = Indenter(lines, root)
    if is_flow(lines, root):
        return _trimmed(_collapsed(lines, 0, marks))
    starts, end = _chunks(lines, root, marks.keeping)
    header = _trimmed(_collapsed(lines[: starts[0]], 0, marks))
    made = _schema_first(header) + ([""] if header and not lines[starts[0] - 1].strip() else [])
    for at, (start, stop) in enumerate(zip(starts, [*starts[1:], end], strict=True)):
        opens = at == 1 and [key.text for key, _ in root.entries[:2]] == ["protoc", "protocol"]
        if at and not opens and start - 1 not in marks.keeping:
            made.append("")
        chunk = _collapsed(lines[start:stop], start, marks)
        made.extend(chunk if stop - 1 in marks.keeping else _trimmed(chunk))
    footer = _trimmed(_collapsed(lines[end:], end, marks))
    blank = [""] if footer and not lines[end].strip() and end - 1 not in marks.keeping else []
    return made + blank + footer


def _schema_first(header: list[str]) -> list[str]:
    return sorted(header, key=lambda line: not line.startswith(_SCHEMA_LINE))


def _collapsed(lines: list[str], first: int, marks: Indenter) -> list[str]:
    """Without a blank line behind another one, except where a scalar needs it; `first` is the number of the first."""
    made: list[str] = []
    for number, line in enumerate(lines, first):
        fixed = number in marks.inside or number - 1 in marks.inside or number - 1 in marks.keeping
        if line or fixed or (made and made[-1]):
            made.append(line)
    return made


def _trimmed(lines: list[str]) -> list[str]:
    start, end = 0, len(lines)
    while start < end and not lines[start]:
        start += 1
    while end > start and not lines[end - 1]:
        end -= 1
    return lines[start:end]
