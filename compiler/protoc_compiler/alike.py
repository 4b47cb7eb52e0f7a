"""Words of a spec that look like other words of it: names, labels and members with letters of several alphabets."""

from __future__ import annotations

from collections.abc import Iterator

from protoc_compiler.catalogue import source as kinds
from protoc_compiler.nodes import Mapping, Node, Scalar
from protoc_runtime.diagnostics import Findings, Related
from protoc_runtime.lookalikes import composed, look, spelled

LONGEST = 100  # longer texts are prose


def check(root: Mapping, findings: Findings) -> None:
    """Warn of each word that looks like an earlier, different one (W0129)."""
    first: dict[str, Scalar] = {}
    told: set[str] = set()
    for word in _words(root):
        before = first.setdefault(look(word.text), word)
        if composed(before.text) != composed(word.text) and word.text not in told:
            told.add(word.text)
            related = (Related(before.span, "the other word"),)
            letters = spelled(word.text) or spelled(before.text)
            findings.add(kinds.ALIKE, word.span, related=related, found=word.text, letters=letters)


def _words(node: Node) -> Iterator[Scalar]:
    """Scalars without a space, keys included, in order of place."""
    if isinstance(node, Scalar):
        if len(node.text) <= LONGEST and " " not in node.text and "\n" not in node.text:
            yield node
    elif isinstance(node, Mapping):
        for key, value in node.entries:
            yield from _words(key)
            yield from _words(value)
    else:
        for item in node.items:
            yield from _words(item)
