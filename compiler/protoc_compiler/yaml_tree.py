"""YAML events to nodes, with a guard on every event.

The tree is built from the parser's events as they come, so that a bomb is refused at the event that goes too far and
an alias is never followed. Faults that leave the structure intact are collected and reading goes on.
"""

from __future__ import annotations

import re

from protoc_compiler import characters, cuts
from protoc_compiler.catalogue import source as kinds
from protoc_compiler.nodes import Mapping, Node, Scalar, Sequence, Style
from protoc_compiler.places import Places, Straight, places
from protoc_compiler.yaml_events import CParser, error, events
from protoc_runtime.diagnostics import Findings, Related, Span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

ScalarEvent, AliasEvent = events.ScalarEvent, events.AliasEvent
MappingStartEvent, MappingEndEvent = events.MappingStartEvent, events.MappingEndEvent
SequenceStartEvent, SequenceEndEvent = events.SequenceStartEvent, events.SequenceEndEvent
DocumentStartEvent, StreamEndEvent = events.DocumentStartEvent, events.StreamEndEvent
MAX_DEPTH = 40
MAX_NODES = 50_000
MAX_FINDINGS = 200  # who has so many mends them in rounds; a hostile file would have thousands
# The reader's libyaml follows YAML 1.1 here: inside braces a `?` or `:` within a word ends it. A stand-in of the same
# width takes their place while it reads; the source pass has refused these characters in the text itself.
# Each alternative begins with its sign and looks back over it: so the search runs from sign to sign.
_WORD_MARKS = re.compile(r"""\?(?<=[^\s,\[{\\]\?)|:(?<=[^\s"'\]},\[{\\:]:)(?=[^\s,\[\]{}"'])""")
_STAND_INS = {"?": "\ue000", ":": "\ue001"}
_ESCAPED_STAND_IN = r"\\[uU]0*[eE]00[01]"
_BLANKS = (" ", "\t")
_STYLES: dict[str, Style] = {"'": "single", '"': "double", "|": "literal", ">": "folded"}


def is_composed(text: str) -> bool:
    """Whether a text is in composed form (NFC)."""
    if text.isascii():
        return True
    import unicodedata

    return unicodedata.is_normalized("NFC", text)


def composed(text: str) -> str:
    """A text in composed form."""
    import unicodedata

    return unicodedata.normalize("NFC", text)


class _Stop(Exception):
    """A limit was passed: reading ends here."""


class _Open:
    """A map or list that is being read: `key` is the key whose value comes next."""

    def __init__(self, event: Any) -> None:
        self.is_map = type(event) is MappingStartEvent
        self.flow = bool(event.flow_style)
        self.start = event.start_mark
        self.entries: list[tuple[Scalar, Node]] = []
        self.items: list[Node] = []
        self.key: Scalar | None = None
        self.at_key = True


def compose(text: str, name: str, findings: Findings) -> Node | None:
    """The root node of the one document in `text`, or None where it is not YAML or passes a limit."""
    reader = _Reader(text, name, findings)
    try:
        return reader.read()
    except _Stop:
        return None
    except error.MarkedYAMLError as fault:
        from protoc_compiler.yaml_faults import explain

        explain(fault, text, name, findings)
        return None
    except error.YAMLError as fault:
        findings.add(kinds.SYNTAX, Span(name, 1, 1, 1, 2), problem=str(fault), advice="look at the first line")
        return None


class _Reader:
    def __init__(self, text: str, name: str, findings: Findings) -> None:
        self.text = text
        self.lines = text.split("\n")
        self.name = name
        self.findings = findings
        self.told = findings.told
        self.stack: list[_Open] = []
        self.root: Node | None = None
        self.nodes = 0
        self.documents = 0
        self.lost = False  # a part has been refused without which the rest means something else

    def read(self) -> Node | None:
        """The node of the only document, None where nothing is left of it. Faults go to the findings."""
        parser = CParser(_WORD_MARKS.sub(lambda found: _STAND_INS[found.group()], self.text))
        while True:
            event = parser.get_event()
            kind = type(event)
            if kind is ScalarEvent:
                self.guard(event)
                self.place(self.scalar(event))
            elif kind is MappingStartEvent or kind is SequenceStartEvent:
                self.guard(event)
                self.stack.append(_Open(event))
            elif kind is MappingEndEvent or kind is SequenceEndEvent:
                self.place(self.close(event))
            elif kind is AliasEvent:
                self.findings.add(kinds.ALIAS, self.span(event))
                self.lost = True
                self.place(Scalar("", "plain", self.span(event), (self.at(event.start_mark),)))
            elif kind is DocumentStartEvent:
                self.documents += 1
                if self.documents > 1:
                    self.findings.add(kinds.SEVERAL, self.span(event))
                    raise _Stop
            elif kind is StreamEndEvent:
                if self.lost:
                    return None
                return self.root if self.documents else Scalar("", "plain", Span(self.name, 1, 1, 1, 2), ((1, 1),))

    def guard(self, event: Any) -> None:
        """Limits, anchors and tags."""
        self.nodes += 1
        deep = self.nodes > MAX_NODES or len(self.stack) >= MAX_DEPTH
        if deep or event.anchor or event.ctag is not None or len(self.told) > MAX_FINDINGS:
            self.refuse(event)

    def refuse(self, event: Any) -> None:
        """Report what goes too far; reading ends where a limit is passed."""
        if len(self.findings) > MAX_FINDINGS:
            raise _Stop
        if self.nodes > MAX_NODES:
            self.findings.add(kinds.TOO_MANY, self.span(event), limit=MAX_NODES)
            raise _Stop
        if len(self.stack) >= MAX_DEPTH:
            self.findings.add(kinds.TOO_DEEP, self.span(event), limit=MAX_DEPTH)
            raise _Stop
        if event.anchor:
            self.findings.add(kinds.ALIAS, self.span(event))
        if event.tag:
            self.findings.add(kinds.TAG, self.span(event), tag=str(event.tag))

    def scalar(self, event: Any) -> Scalar:
        """A scalar with its places: by character for what stands in one line or block."""
        start, end = event.start_mark, event.end_mark
        line, column, end_line, end_column = start.line + 1, start.column + 1, end.line + 1, end.column + 1
        style = _STYLES.get(event.style, "plain") if event.style else "plain"
        value = event.value
        if not value.isascii():
            value = value.replace("\ue000", "?").replace("\ue001", ":")
        if style == "plain" and line == end_line:  # most are
            at: Places = Straight(line, column, len(value))
            span = Span(self.name, line, column, line, end_column if end_column > column else column + 1)
            made = Scalar(value, style, span, at)
        else:
            raw = self.text[start.index : end.index]
            at = places(value, style, raw, (line, column))
            if style == "literal" or style == "folded":
                end_line, end_column = at[-1]
            if end_column == column and end_line == line:
                end_column += 1
            made = Scalar(value, style, Span(self.name, line, column, end_line, end_column), at)
            if style == "double" and "\\" in raw:
                self.escapes(made, raw)
        if style == "plain" and self.text[end.index : end.index + 1] in _BLANKS:
            return cuts.comment(made, self.text, start.index, end.index, self.findings)
        return made

    def escapes(self, scalar: Scalar, raw: str) -> None:
        """Refuse characters that an escape in double quotes has made."""
        for char, start in characters.refused(scalar.text):
            kind = kinds.CONTROL if characters.is_control(char) else kinds.INVISIBLE
            self.findings.add(kind, scalar.at(start, start + 1), char=characters.describe(char))
        if found := re.search(_ESCAPED_STAND_IN, raw):
            self.findings.add(kinds.INVISIBLE, scalar.span, char=f"U+{found.group()[-4:].upper()}")

    def close(self, event: Any) -> Node:
        """The mapping or sequence that ends here, with the span from its first to its last character."""
        opened = self.stack.pop()
        line, column = self.at(opened.start)
        children = [value for _, value in opened.entries] if opened.is_map else opened.items
        if opened.flow or not children:
            end_line, end_column = self.at(event.end_mark)
        else:
            end_line, end_column = children[-1].span.end_line, children[-1].span.end_column
        span = Span(self.name, line, column, end_line, end_column)
        if not opened.is_map:
            items = cuts.items(opened.items, self.findings) if opened.flow else opened.items
            return Sequence(tuple(items), span)
        entries = cuts.entries(opened.entries, self.findings) if opened.flow else opened.entries
        return Mapping(tuple(self.unique(entries)), span)

    def place(self, node: Node) -> None:
        """Put a finished node where it belongs."""
        if not self.stack:
            self.root = node
            return
        parent = self.stack[-1]
        if parent.is_map and parent.at_key:
            parent.key = self.key(node, parent)
            parent.at_key = False
            return
        if type(node) is Scalar and not is_composed(node.text):
            self.normal_form(node, kinds.TEXT_NOT_NFC)
        if not parent.is_map:
            parent.items.append(node)
            return
        if parent.key is not None:
            parent.entries.append((parent.key, node))
        parent.at_key = True

    def key(self, node: Node, parent: _Open) -> Scalar | None:
        """A key, or None for one that cannot be read as a name (which is reported)."""
        if not isinstance(node, Scalar):
            self.findings.add(kinds.KEY_NOT_TEXT, node.span)
            self.lost = True
            return None
        span = node.span
        apart = not parent.flow and span.column != parent.start.column + 1
        if apart or ("?" in self.lines[span.line - 1] and self.is_marked(span)):
            self.findings.add(kinds.EXPLICIT_KEY, span)
        if node.text == "<<" and node.style == "plain":
            self.findings.add(kinds.MERGE, node.span)
            self.lost = True
            return None
        if not is_composed(node.text):
            self.normal_form(node, kinds.KEY_NOT_NFC)
        return node

    def is_marked(self, key: Span) -> bool:
        """Whether a `?` stands before a key."""
        line, end = self.lines[key.line - 1], key.column - 1
        return line[max(0, end - 100) : end].rstrip(" ").endswith("?")

    def normal_form(self, node: Scalar, kind: Any) -> None:
        """Report a scalar that is not composed, with the composed one."""
        expected = composed(node.text)
        self.findings.add(kind, node.span, found=ascii(node.text), expected=f"`{expected}`")

    def unique(self, entries: list[tuple[Scalar, Node]]) -> list[tuple[Scalar, Node]]:
        """The entries without repeated keys; each repetition is reported with its first place."""
        texts = {key.text for key, _ in entries}
        if len(texts) == len(entries) and all(map(str.isascii, texts)):
            return entries
        seen: dict[str, Scalar] = {}
        kept = []
        for key, value in entries:
            first = seen.setdefault(composed(key.text), key)
            if first is key:
                kept.append((key, value))
            else:
                related = (Related(first.span, "first here"),)
                self.findings.add(kinds.DUPLICATE_KEY, key.span, related=related, key=key.text)
        return kept

    def at(self, mark: Any) -> tuple[int, int]:
        """Line and column of a mark of the parser, counted from 1."""
        return mark.line + 1, mark.column + 1

    def span(self, event: Any) -> Span:
        """The span of an event; one character at least."""
        line, column = self.at(event.start_mark)
        end_line, end_column = self.at(event.end_mark)
        if (end_line, end_column) == (line, column):
            end_column += 1
        return Span(self.name, line, column, end_line, end_column)
