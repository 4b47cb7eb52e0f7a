"""Which expectations hold of the rows that are scored.

Expectations are checked on all rows, when the protocol is sealed. Where a phase that scores reads some splits only, the
rules see no rows of the others: what is expected of these, or of all of them together, says nothing then.
"""

from __future__ import annotations

from collections.abc import Iterator

from protoc_compiler import core
from protoc_compiler.core.tree import rows_in
from protoc_compiler.proof.closing import Closing
from protoc_runtime.record import replace

SPLITS = "splits"
_BOOL = core.BOOL


class Scored:
    """The rows that the rules of a protocol see."""

    def __init__(self, protocol: core.Protocol, closing: Closing) -> None:
        self.protocol, self.closing = protocol, closing
        scoring = [phase for phase in protocol.phases if phase.use == "score"] or list(protocol.phases)
        self.reads = [frozenset(phase.reads) for phase in scoring]
        every = {split.name for split in protocol.splits}
        whole = all(every <= reads for reads in self.reads)
        self.partial: frozenset[str] = frozenset() if whole else self._partial()

    @property
    def splits(self) -> frozenset[str] | None:
        """The splits that scored rows are of; None where they may be of any, or each phase reads others."""
        return self.reads[0] if self.partial and len(set(self.reads)) == 1 else None

    def expectations(self) -> Iterator[tuple[core.Item | None, core.Expr]]:
        """Closed conditions that hold of the scored rows, each with the expectation that it is from."""
        for table in self.protocol.tables:
            for item in table.expect:
                made = self._kept(self.closing.close(item.expr, {}, 0))
                if made is not None:
                    yield item, made
        if self.splits is not None:
            for name in sorted(self.partial):
                yield from ((None, made) for made in self._only_read(self.closing.tables[name]))

    def left_out(self) -> frozenset[str]:
        """The names of the expectations that say nothing of the scored rows."""
        kept = {item.name for item, _ in self.expectations() if item is not None}
        return frozenset(item.name for table in self.protocol.tables for item in table.expect) - kept

    def _partial(self) -> frozenset[str]:
        """The root tables of which only some rows are scored: by their own split, or that of a row they refer to."""
        found: set[str] = {SPLITS}
        tables = [table for table in self.protocol.tables if table.kind in ("input", "nested")]
        for _ in tables:
            found |= {
                table.name for table in tables
                if table.parent in found or "<splits>" in table.file
                or any(column.type.kind == "row" and column.type.table in found for column in table.columns)
            }  # fmt: skip
        return frozenset(found - {SPLITS})

    def _kept(self, value: core.Expr) -> core.Expr | None:
        """A condition as it holds of the scored rows, too; None where that is not known."""
        found = [rows for rows in rows_in(value) if self._root(rows.table) in self.partial]
        if all(self._read(rows) for rows in found):
            return value
        one = isinstance(value, core.Quantified) and len(found) == 1 and found[0] == value.rows
        if not (one and isinstance(value, core.Quantified)) or value.condition is None or value.rows.scope != "all":
            return None
        if value.quantifier == "all":  # of no rows it would be undefined
            return replace(value, quantifier="no", condition=core.Not(_BOOL, core.Is(_BOOL, value.condition, "true")))
        return value if value.quantifier == "no" else None

    def _root(self, name: str) -> str:
        grouping = self.closing.groupings.get(name)
        table = self.closing.tables.get(name)
        if grouping is not None:
            return grouping.root
        return table.root if table is not None else next(iter(self.partial), "")  # of another kind it is not known

    def _read(self, rows: core.Rows) -> bool:
        """Whether rows are all of a split that every scoring phase reads."""
        names = frozenset.intersection(*self.reads)
        return rows.scope == "all" and any(
            isinstance(test, core.Compare) and test.ops == ("==",) and _split(test, rows.var) in names
            for test in rows.where
        )

    def _only_read(self, table: core.Table) -> Iterator[core.Expr]:
        """That there is no row of a split that is not read."""
        splits = self.closing.tables[SPLITS]
        key = splits.column(splits.key[0])
        row = core.RowVar(core.Type("row", table=table.name), "row")
        for column in table.columns:
            if key is not None and column.expr is None and not column.optional and column.type.table == SPLITS:
                split = core.Column(key.type, core.Column(column.type, row, column.name), key.name)
                tests = [core.Compare(_BOOL, (split, core.Const(key.type, name)), ("==",)) for name in
                         sorted(self.reads[0])]  # fmt: skip
                rows = core.Rows("row", table.name)
                other = core.Not(_BOOL, core.Or(_BOOL, tuple(tests)))
                yield self.closing.close(core.Quantified(_BOOL, "no", rows, other), {}, 0)


def _split(test: core.Compare, var: str) -> object:
    """The split with which a comparison about a row compares the row's own split; None of another comparison."""
    for side, other in (test.operands, test.operands[::-1]):
        row = side.row if isinstance(side, core.Column) and isinstance(side.row, core.Column) else None
        own = row is not None and row.type.table == SPLITS and isinstance(row.row, core.RowVar) and row.row.var == var
        if own and isinstance(other, core.Const):
            return other.value
    return None


__all__ = ["SPLITS", "Scored"]
