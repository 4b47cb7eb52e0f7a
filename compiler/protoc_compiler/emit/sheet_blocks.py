"""The sheets of judgements in `rules.py`: which rows are judged, and what a rater sees of each."""

from __future__ import annotations

from protoc_compiler import core
from protoc_compiler.emit import broken as layout
from protoc_compiler.emit.blocks import Blocks, texts, words
from protoc_compiler.emit.broken import Code
from protoc_compiler.emit.variables import free


class SheetBlocks(Blocks):
    """Writes the judgements of a protocol."""

    def sheet(self, judgement: core.Judgement) -> list[str]:
        """A judgement and what is seen of its rows."""
        given: list[Code] = [repr(judgement.name), repr(judgement.judges), *texts("key", judgement.key)]
        given += words(judgement.says, judgement.cites)
        return [
            layout.render(layout.call("rules.sheet", *given)),
            *(self._sees(judgement, *seen) for seen in judgement.sees),
        ]

    def _sees(self, judgement: core.Judgement, label: str, value: core.Expr) -> str:
        formula = self.formula(judgement.span)
        root = self.protocol.table(judgement.judges).root
        if free(value):
            row = formula.local(root)
            formula.variables["self"] = row
            formula.assign(row, f"study.table({root!r})")
        formula.give(formula.lifted(value))
        decorator = layout.call("rules.sees", repr(judgement.name), repr(label))
        return self.function(decorator, self.names.of("sees", judgement.name, label), "study: Study", formula)
