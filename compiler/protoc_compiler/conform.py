"""Whether a spec has the shape that `sections` describes: every fault is told, and where the right place is.

Kinds of values, known and missing keys, their order, names, closed lists. Formulas are not read here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from protoc_compiler import sections, sections_common, suggest
from protoc_compiler.catalogue import document as kinds
from protoc_compiler.nodes import Mapping, Node, Scalar, Sequence, brief
from protoc_compiler.shape import (
    Cell,
    Either,
    FormulaShape,
    Items,
    Key,
    Keys,
    Lines,
    Named,
    Shape,
    Words,
)
from protoc_runtime.diagnostics import Findings, Related, Span
from protoc_runtime.lookalikes import composed

MAX_FINDINGS = 200  # who has so many mends them in rounds; a hostile file would have thousands
RESERVED = frozenset((
    "all", "some", "no", "have", "where", "matching", "ordered", "grouped", "by", "then", "over", "or", "and",
    "not", "is", "in", "when", "otherwise", "as", "entire", "earlier", "latest", "true", "false", "defined",
    "undefined", "gates", "blockers", "checks",
))  # fmt: skip
_NAME = re.compile(sections_common.NAME, re.ASCII)  # as a pattern of `sections`, which is then made once
_PATH = re.compile(rf"(?:\w|<{sections_common.NAME}>)+(?:\.(?:\w|<{sections_common.NAME}>)+)*", re.ASCII)


def check(root: Mapping, findings: Findings) -> None:
    """Compare a whole spec with the description."""
    _Check(findings).node(root, sections.SPEC, "the spec")


class _Check:
    def __init__(self, findings: Findings) -> None:
        self.findings = findings
        self.told = findings.told

    def node(self, node: Node, shape: Shape, where: str) -> None:
        """`where` is the key under which the node stands, for messages."""
        if len(self.told) > MAX_FINDINGS:
            return
        if isinstance(shape, Either):
            shape = _chosen(node, shape)
        if isinstance(shape, Words):
            self.words(node, shape, where)
        elif isinstance(shape, FormulaShape):
            if isinstance(node, Scalar):
                self.filled(node, shape, where)
            else:
                self.wrong(node, shape)
        elif isinstance(shape, (Items, Lines)):
            self.items(node, shape, where)
        elif isinstance(shape, Named):
            self.named(node, shape, where)
        elif isinstance(shape, Keys):
            self.keys(node, shape, where)
        elif isinstance(shape, Cell):
            self.cell(node, shape, where)
        elif isinstance(shape, Either):
            self.wrong(node, shape)

    def words(self, node: Node, shape: Words, where: str) -> None:
        """One scalar: filled, and one of the choices or of the pattern where there are some."""
        if not isinstance(node, Scalar):
            self.wrong(node, shape)
        elif not self.filled(node, shape, where):
            return
        elif shape.choices and node.text not in shape.choices:
            if shape.choices == ("1",):
                self.findings.add(kinds.BAD_LANGUAGE, node.span, found=brief(node.text))
            else:
                hint = suggest.hint(node.text, shape.choices)
                self.findings.add(kinds.BAD_CHOICE, node.span, found=brief(node.text), what=shape.what, hint=hint)
        elif shape.pattern and not re.fullmatch(shape.pattern, node.text, re.ASCII):
            self.findings.add(kinds.BAD_FORM, node.span, found=brief(node.text), plan=shape.plan)

    def filled(self, node: Scalar, shape: Shape, where: str) -> bool:
        """Whether a scalar holds more than spaces; E0204 where it does not."""
        if node.text.strip():
            return True
        self.findings.add(kinds.EMPTY, node.span, key=where, expected=shape.what)
        return False

    def cell(self, node: Node, shape: Cell, where: str) -> None:
        """A value or a list of values, as a row of a listed table has them."""
        if isinstance(node, Mapping):
            self.wrong(node, Shape("a value or a list of values"))
        elif isinstance(node, Scalar):
            self.filled(node, shape, where)

    def items(self, node: Node, shape: Items | Lines, where: str) -> None:
        """A list, each item in the shape of one; a single item where the shape lets it stand alone."""
        item = shape.item if isinstance(shape, Items) else sections_common.LINE
        if isinstance(node, Scalar) and isinstance(shape, Items) and shape.lone:
            self.node(node, item, where)
            return
        if not isinstance(node, Sequence):
            self.absent(node, shape, where)
            return
        if not node.items and not (isinstance(shape, Items) and shape.may_be_empty):
            self.findings.add(kinds.EMPTY, node.span, key=where, expected=shape.what)
        for part in node.items:
            self.node(part, item, where)
        if isinstance(shape, Items) and shape.unique:
            self.unique(node)

    def unique(self, node: Sequence) -> None:
        """No text stands twice in a list; compared in composed form."""
        seen: dict[str, Span] = {}
        for part in node.items:
            if isinstance(part, Scalar) and len(self.told) <= MAX_FINDINGS:
                first = seen.setdefault(composed(part.text), part.span)
                if first is not part.span:
                    related = (Related(first, "first here"),)
                    self.findings.add(kinds.REPEATED, part.span, related=related, found=brief(part.text))

    def named(self, node: Node, shape: Named, where: str) -> None:
        """A map from names to values, each name by its rule and each value in its shape."""
        if not isinstance(node, Mapping):
            self.absent(node, shape, where)
            return
        if not node.entries and not shape.may_be_empty:
            self.findings.add(kinds.EMPTY, node.span, key=where, expected=shape.what)
        for key, value in node.entries:
            if len(self.told) > MAX_FINDINGS:
                return
            self.name(key, shape)
            self.node(value, shape.value, key.text)

    def name(self, key: Scalar, shape: Named) -> None:
        """One name: characters by the rule of the map, and no word that the language keeps for itself."""
        found = key.text
        if shape.rule == "name" and not _NAME.fullmatch(found):
            hint = "use letters, digits and underscores, starting with a letter"
        elif shape.rule == "path" and not _PATH.fullmatch(found):
            hint = "use letters, digits and underscores, with dots between the parts; placeholders are `<table>`"
        elif not found.strip():
            hint = "give it a name"
        else:
            nested = shape.what == "a map of columns" and shape.value is sections.SIMPLE_TYPE
            if shape.rule != "words" and (found in RESERVED or (nested and found == "position")):
                self.findings.add(kinds.RESERVED, key.span, found=found)
            return
        self.findings.add(kinds.BAD_NAME, key.span, found=found, hint=hint)

    def keys(self, node: Node, shape: Keys, where: str) -> None:
        """A map with known keys; each value in the shape of its key, what is unknown reported."""
        if not isinstance(node, Mapping):
            self.absent(node, shape, where)
            return
        lacking = _lacking(node, shape)
        meant = {key.text: right for key, value in node.entries if (right := _meant(key, value, shape, lacking))}
        for key, value in node.entries:
            if len(self.told) > MAX_FINDINGS:
                return
            known = shape.key(key.text)
            if known is None:
                self.other(key, value, shape, where)
            elif key.text in meant:
                self.wrong(value, known.shape, f"did you mean `{meant[key.text]}`?")
            else:
                self.node(value, known.shape, key.text)
        self.missing(node, [key for key in lacking if key.name not in meant.values()], shape, where)
        if shape.ordered:
            self.order(node, shape, where)

    def other(self, key: Scalar, value: Node, shape: Keys, where: str) -> None:
        """A key that this map does not list."""
        right = dict(shape.mistaken).get(key.text)
        if right is not None:
            self.findings.add(kinds.MISTAKEN_KEY, key.span, key=key.text, where=_quoted(where), right=right)
        elif shape.rest is not None:
            self.name(key, shape.rest)
            self.node(value, shape.rest.value, key.text)
        else:
            self.unknown(key, shape, where)

    def unknown(self, key: Scalar, shape: Keys, where: str) -> None:
        """Report a key that is not known here: where it belongs, or the nearest that is known."""
        names = [known.name for known in shape.keys]
        home = _HOMES.get(key.text)
        if home is not None and home != shape.path:
            place = f"`{home}`" if home else "the top level"
            self.findings.add(kinds.NOT_SECTION, key.span, key=key.text, where=_quoted(where), home=place)
        else:
            hint = suggest.hint(key.text, names)
            self.findings.add(kinds.UNKNOWN_KEY, key.span, key=key.text, where=_quoted(where), hint=hint)

    def missing(self, node: Mapping, lacking: list[Key], shape: Keys, where: str) -> None:
        """Report each required key that is absent."""
        rule = shape.path in ("blocker", "gate", "check")
        for key in lacking:
            if rule and key.name == "says":
                self.findings.add(kinds.NO_WORDS, _head(node), where=_quoted(where))
            else:
                self.findings.add(
                    kinds.MISSING_KEY, _head(node), where=_quoted(where), key=key.name, what=key.shape.what
                )

    def order(self, node: Mapping, shape: Keys, where: str) -> None:
        """Report each key that stands behind one that comes after it."""
        place = {key.name: at for at, key in enumerate(shape.keys)}
        last: Scalar | None = None
        for key, _ in node.entries:
            if key.text not in place:
                continue
            if last is not None and place[key.text] < place[last.text]:
                related = (Related(last.span, "which comes after it"),)
                kind = kinds.KEY_ORDER if shape.path else kinds.SECTION_ORDER
                self.findings.add(kind, key.span, related=related, key=key.text, before=last.text, where=_quoted(where))
            else:
                last = key

    def absent(self, node: Node, shape: Shape, where: str) -> None:
        """Another kind of node than a list or map: empty, or wrong."""
        if isinstance(node, Scalar) and not node.text and node.style == "plain":
            if isinstance(shape, (Items, Named)) and shape.may_be_empty:
                return
            self.findings.add(kinds.EMPTY, node.span, key=where, expected=shape.what)
        else:
            self.wrong(node, shape)

    def wrong(self, node: Node, shape: Shape, hint: str = "") -> None:
        """Report a node of another kind than the shape wants."""
        hint = hint or _how(node, shape)
        self.findings.add(kinds.WRONG_KIND, _head(node), found=_kind(node), expected=shape.what, hint=hint)


def _chosen(node: Node, shape: Either) -> Shape:
    """The alternative for this kind of node, or the Either itself where there is none."""
    if isinstance(node, Scalar):
        return shape.scalar or shape
    if isinstance(node, Sequence):
        return shape.items or shape
    if shape.special is not None and any(node.get(key) is not None for key in shape.when_keys):
        return shape.special
    return _chosen(node, shape.keys) if isinstance(shape.keys, Either) else shape.keys or shape


def _lacking(node: Mapping, shape: Keys) -> list[Key]:
    """The required keys that are absent; a mistaken one counts as that under which it belongs."""
    mistaken = dict(shape.mistaken)
    given = {mistaken.get(key.text, key.text) for key, _ in node.entries}
    return [key for key in shape.keys if key.required and key.name not in given]


def _meant(key: Scalar, value: Node, shape: Keys, lacking: list[Key]) -> str:
    """The required key that is absent because this one stands there, misspelt; of two findings its own tells more.
    So does a key that is known, but for another kind of value than this one."""
    known = shape.key(key.text)
    elsewhere = key.text in dict(shape.mistaken) or (known is None and key.text in _HOMES)
    if not lacking or shape.rest is not None or elsewhere:
        return ""
    if known is not None and _takes(known.shape, value):
        return ""
    near = suggest.nearest(key.text, [each.name for each in shape.keys if each is not known])
    right = next((each for each in lacking if near[:1] == [each.name]), None)
    return right.name if right is not None and (known is None or _takes(right.shape, value)) else ""


def _takes(shape: Shape, node: Node) -> bool:
    """Whether a place takes this kind of node: a text, a list or a map."""
    if isinstance(shape, Either):
        chosen = _chosen(node, shape)
        return chosen is not shape and _takes(chosen, node)
    if isinstance(shape, (Named, Keys)):
        return isinstance(node, Mapping)
    if isinstance(shape, (Items, Lines)):
        return isinstance(node, Sequence) or (isinstance(node, Scalar) and isinstance(shape, Items) and shape.lone)
    return isinstance(node, Scalar) or (isinstance(shape, Cell) and isinstance(node, Sequence))


def _quoted(where: str) -> str:
    return where if where == "the spec" else f"`{where}`"


def _kind(node: Node) -> str:
    return "text" if isinstance(node, Scalar) else "a list" if isinstance(node, Sequence) else "a map"


def _how(node: Node, shape: Shape) -> str:
    if isinstance(shape, (Items, Lines)):
        return "write each entry on a line of its own that starts with `- `"
    if isinstance(shape, Keys):
        needed = ", ".join(f"`{key.name}: ...`" for key in shape.keys if key.required)
        return f"write it as a block with {needed}" if needed else "write `key: value` lines below it, indented"
    if isinstance(shape, Named):
        return "write `name: value` lines below it, indented"
    if isinstance(node, Mapping):
        return "if it is text with `: ` in it, put it in quotes"
    return f"write {shape.what}"


def _head(node: Node) -> Span:
    """The first place of a node: a fault of a whole block is not shown over all its lines."""
    if isinstance(node, Scalar):
        return node.span
    if isinstance(node, Mapping) and node.entries:
        return node.entries[0][0].span
    span = node.span
    return span if span.line == span.end_line else Span(span.file, span.line, span.column, span.line, span.column + 1)


def _homes(shape: Keys) -> Iterator[tuple[str, str]]:
    for key in shape.keys:
        yield key.name, shape.path
        if isinstance(key.shape, Keys) and key.shape.ordered:
            yield from _homes(key.shape)


_HOMES: dict[str, str] = dict(reversed(list(_homes(sections.SPEC))))
