"""Tables that hold what is recorded while people judge, such as `inventory_saved_at`: their columns, types and key."""

from __future__ import annotations

from protoc_compiler import core, judging
from protoc_compiler.catalogue import visibility as kinds
from protoc_compiler.elaborate import observed
from protoc_compiler.elaborate.elaborator import Elaborator
from protoc_compiler.spec import Column, TableDecl
from protoc_runtime.review_facts import Fact, fact


def check(el: Elaborator, judgements: tuple[core.Judgement, ...]) -> None:
    """Report (E2610) what of the tables that no judgement fills cannot be filled from the record either."""
    filled = {judgement.fills for judgement in judgements}
    for name, decl in el.names.declared.items():
        told = isinstance(decl, TableDecl) and decl.source.text == "adjudication" and name not in filled
        if told and isinstance(decl, TableDecl) and any(fact(column.name.text) for column in decl.columns):
            _Check(el, decl, judgements).table()


class _Check:
    def __init__(self, el: Elaborator, decl: TableDecl, judgements: tuple[core.Judgement, ...]) -> None:
        self._el, self._decl = el, decl
        self._known = {judgement.name: judgement for judgement in judgements}
        self._key = {key.text for key in decl.key}

    def table(self) -> None:
        """Report each column that names nothing that is recorded, and what is wrong with the others."""
        found = []
        for column in self._decl.columns:
            given = fact(column.name.text)
            if column.name.text in self._key:
                continue
            if given is None or given.judgement not in self._known:
                problem = f"nothing of the name `{column.name.text}` is recorded"
                wanted = ", ".join(f"`{name}_saved_at`, `first_{name}_shown_at`" for name in self._known)
                self._fault(column, problem, f"these are recorded: {wanted}")
            else:
                found.append((column, given))
        bases = [self._known[given.judgement] for _, given in found]
        bases = [judgement for judgement in bases if set(judgement.key) == self._key - {"rater"}]
        if found and not bases:
            wanted = " or ".join(sorted({str(list(self._known[given.judgement].key)) for _, given in found}))
            shown = wanted.replace("'", "")
            hint = f"write `key: {shown}`, with `rater` beside it for one row per rater"
            self._fault(found[0][0], f"its key is none of a judged row, which is {shown}", hint)
        elif found:
            self._types(found, bases)

    def _types(self, found: list[tuple[Column, Fact]], bases: list[core.Judgement]) -> None:
        raters = tuple(sorted({rater for judgement in bases for rater in judgement.raters}))
        if "rater" in self._key:
            judging.check_rater(self._el, self._decl, raters)
        for column, given in found:
            judgement = self._known[given.judgement]
            always = judgement in bases and ("rater" not in self._key or set(raters) <= set(judgement.raters))
            wanted = "time" if always else "time?"
            if observed.spelled(column.type) != wanted:
                why = "it is recorded of every row" if always else "not every row has it"
                self._fault(column, f"`{column.name.text}` is `{observed.spelled(column.type)}`, and {why}",
                            f"write `{column.name.text}: {wanted}`")  # fmt: skip
        for name in sorted(self._key - {"rater"}):
            mine, other = self._el.column(self._decl.name.text, name), self._el.column(bases[0].judges, name)
            refers = mine is not None and mine.type.kind == "row" and mine.type.table == bases[0].judges
            if mine is not None and other is not None and mine.type != other.type and not refers:
                self._fault(self._decl.columns[0], f"`{name}` has another type than in `{bases[0].judges}`",
                            f"declare `{name}` as `{bases[0].fills}` has it")  # fmt: skip

    def _fault(self, column: Column, problem: str, hint: str) -> None:
        span = column.name.span
        self._el.findings.add(kinds.FACTS, span, table=self._decl.name.text, problem=problem, hint=hint)
