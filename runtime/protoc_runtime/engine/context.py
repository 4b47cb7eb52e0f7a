"""Contexts: the relation in which a formula is evaluated, flattened.

A context is a list of tuples. Each tuple belongs to one tuple of the parent context (`index` says to which), down to
`ONE`, the context of a single tuple in which constants and study-level values live. A formula about every answer of
every case is one column over the context "answers in cases": no loop, whatever the nesting.
"""

from __future__ import annotations

import polars as pl

from protoc_runtime.engine.faults import EngineError
from protoc_runtime.engine.series import repeated, taken

INDEX = pl.UInt32


class Context:
    """`size` tuples; `index` holds for each its tuple in `parent` (None for `ONE`)."""

    def __init__(self, size: int, parent: Context | None = None, index: pl.Series | None = None) -> None:
        self.size = size
        self.parent = parent
        self._index = index
        self.depth: int = parent.depth + 1 if parent is not None else 0

    @property
    def index(self) -> pl.Series | None:
        """For each tuple its tuple in the parent."""
        if self._index is None and self.parent is not None and self.parent.size == 1:
            self._index = repeated(0, self.size, INDEX)
        return self._index

    def within(self, ancestor: Context) -> bool:
        """Whether this context is `ancestor` or opened inside it."""
        node: Context | None = self
        while node is not None and node.depth > ancestor.depth:
            node = node.parent
        return node is ancestor

    def index_in(self, ancestor: Context) -> pl.Series:
        """For each tuple its tuple in an ancestor (this context itself included)."""
        if self is ancestor:
            return positions(self.size)
        if self.parent is None or self.index is None:
            raise EngineError("two values of unrelated contexts meet")
        if ancestor.size == 1 and self.within(ancestor):
            return repeated(0, self.size, INDEX)
        found, node = self.index, self.parent
        while node is not ancestor:
            if node.parent is None or node.index is None:
                raise EngineError("two values of unrelated contexts meet")
            found, node = taken(node.index, found), node.parent
        return found


ONE = Context(1)


def positions(size: int) -> pl.Series:
    """0, 1, ... size - 1."""
    return pl.int_range(size, dtype=INDEX, eager=True)


def common(*contexts: Context) -> Context:
    """The innermost of contexts that are nested in each other."""
    return max(contexts, key=lambda context: context.depth)
