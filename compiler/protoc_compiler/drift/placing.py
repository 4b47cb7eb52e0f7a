"""Where in its file a change is, and the text that stands there."""

from __future__ import annotations

from protoc_compiler.drift.kept import Kept
from protoc_compiler.drift.model import Change, Delta, Side, Thing
from protoc_compiler.drift.reading import Source, renamed
from protoc_compiler.nodes import Mapping, Node, Scalar, Sequence
from protoc_runtime.diagnostics import Span
from protoc_runtime.record import replace

_KEYS = {
    "expr": ("must", "when", "is"),
    "fires_undefined": ("if_undefined",),
    "base_url_env": ("base_url",),
    "credential_env": ("credential",),
    "repository_env": ("repository",),
    "path": ("request",),
    "method": ("request",),
    "target": ("python", "recorded", "command", "http"),
    "argv": ("command",),
    "value": ("is",),
    "source": ("from",),
    "group": ("is",),
    "rows": ("is",),
    "unit": ("of",),
    "verdicts": ("may",),
    "items": ("is",),
}
_WHOLE = ("added", "removed", "renamed", "order", "meaning")


def placed(change: Change, delta: Delta, old: Source, new: Source) -> Change:
    """The change with both of its places."""
    return replace(change, old=side(delta.old, delta.field, old), new=side(delta.new, delta.field, new))


def side(thing: Thing | None, field: str, source: Source) -> Side | None:
    """One side of a difference; None where the thing is not there."""
    if thing is None:
        return None
    key, node = _find(source.root, thing.path)
    if node is None:
        return None
    inner = None if field in _WHOLE else _field(node, field)
    span = inner.span if inner is not None else _whole(key, node)
    return Side(renamed(span, source.shown), text(span, source))


def _find(root: Mapping, path: tuple[str, ...]) -> tuple[Scalar | None, Node | None]:
    """The deepest node on a path, with its key; of a column of an arm, the arm."""
    key: Scalar | None = None
    node: Node = root
    for at, part in enumerate(path):
        below = _step(node, part)
        if below is None:
            arm = root.get("arms") if at == len(path) - 1 and path[0] == "definitions" else None
            name = part.rpartition(".")[2]
            if isinstance(arm, Mapping) and (found := arm.get(name)) is not None:
                return arm.key(name), found
            return (key, node) if at > 0 else (None, None)
        key, node = below
    return key, node


@Kept
def _entries(node: Mapping) -> dict[str, tuple[Scalar, Node]]:
    """The entries of a map by their keys: many changes are in the few large ones of a spec."""
    return {entry[0].text: entry for entry in node.entries}


def _step(node: Node, part: str) -> tuple[Scalar | None, Node] | None:
    if isinstance(node, Mapping):
        found: tuple[Scalar, Node] | None = _entries(node).get(part)
        return found
    if isinstance(node, Sequence):
        if part.isdigit() and int(part) < len(node.items):
            return None, node.items[int(part)]
        for item in node.items:
            named = item.get("phase") if isinstance(item, Mapping) else item
            if isinstance(named, Scalar) and named.text == part:
                return None, item
    return None


def _field(node: Node, field: str) -> Node | None:
    inner: Node | None = node
    for part in field.split("."):
        if not isinstance(inner, Mapping):
            return inner if inner is not node else None
        names = _KEYS.get(part, (part,))
        inner = next((found for name in names if (found := inner.get(name)) is not None), inner)
    return None if inner is node else inner


def _whole(key: Scalar | None, node: Node) -> Span:
    if key is None or (isinstance(node, Scalar) and not node.text):
        return node.span
    return Span(key.span.file, key.span.line, key.span.column, node.span.end_line, node.span.end_column)


def text(span: Span, source: Source) -> str:
    """What stands at a place, without the indentation that its lines share."""
    lines = list(source.lines[span.line - 1 : span.end_line])
    if not lines:
        return ""
    if span.end_line > span.line or len(lines[-1]) > span.end_column - 1:
        lines[-1] = lines[-1][: span.end_column - 1]
    lines[0] = " " * (span.column - 1) + lines[0][span.column - 1 :]
    return lines[0].strip() if len(lines) == 1 else "\n".join(dedented(lines)).rstrip()


def dedented(lines: list[str]) -> list[str]:
    """Lines without the blanks that all of them begin with, as `textwrap` has it, which is slow to load."""
    kept = [line if line.strip(" \t") else "" for line in lines]
    indents = [line[: len(line) - len(line.lstrip(" \t"))] for line in kept if line]
    indent = min(indents, default="", key=len)
    while not all(other.startswith(indent) for other in indents):
        indent = indent[:-1]
    return [line.removeprefix(indent) for line in kept]
