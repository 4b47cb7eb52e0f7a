"""From counts to rows: a data set that has the counts of a possible answer, and does nothing else that matters."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from fractions import Fraction

from protoc_compiler import core
from protoc_compiler.proof import nodes as n
from protoc_compiler.proof.archetype import Archetypes, Made, Never, Told, alike, columns_of, inputs, tables_of
from protoc_compiler.proof.ask import Possible, deep, symbols_of
from protoc_compiler.proof.closing import recelled_name
from protoc_compiler.proof.complete import completed, targets
from protoc_compiler.proof.interpret import Beyond, Row, Rows, Tables
from protoc_compiler.proof.pools import Pools
from protoc_compiler.proof.reached import Wanted
from protoc_compiler.proof.scored import SPLITS
from protoc_compiler.proof.space import Space

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_ROUNDS = 4
_MOST_ROWS = 50_000


def realised(space: Space, found: Possible, wanted: Wanted, splits: frozenset[str] | None = None) -> Tables | None:
    """Rows by table, of these `splits` if they are given; None if no rows with these properties were found."""
    return _Realising(space, found, wanted, splits).made()


class _Realising:
    def __init__(self, space: Space, found: Possible, wanted: Wanted, splits: frozenset[str] | None = None) -> None:
        self.space, self.found, self.wanted = space, found, wanted
        self.listed = listed_rows(space)
        formulas = [feature.value for one in space.features.values() for feature in one.known.values()]
        formulas += [*space.atoms, *(feature.value for feature in space.terms.known.values())]
        known = [feature for one in (*space.features.values(), space.terms) for feature in one.known.values()]
        self.pools = Pools(formulas, self._meant(splits))
        for feature in known:
            self.pools.add(feature.value.type.kind, feature.constants)
        self.rows = Rows(space.tables, space.groupings)
        self.rows.tables |= self.listed
        self.counter = 0
        self.goals = targets(space, found, wanted)
        self.relevant = sorted(symbols_of(space, deep(space, wanted)))

    def _meant(self, splits: frozenset[str] | None) -> dict[str, list[Row]]:
        """The listed rows that made-up rows may refer to: those that each version lists; and a study has no rows of
        splits that it does not read."""
        made: dict[str, list[Row]] = {}
        for name in sorted({table.name for table in self.space.listed.values()} & self.listed.keys()):
            versions = [self.listed[one] for one, table in self.space.listed.items() if table.name == name]
            made[name] = [row for row in self.listed[name] if all(row in rows for rows in versions)]
        if splits is not None and SPLITS in made:
            (key,) = self.space.tables[SPLITS].key
            made[SPLITS] = [row for row in made[SPLITS] if row.cells[key] in splits]
        return made

    def made(self) -> Tables | None:
        """The rows of all tables, None where the counts cannot be met by rows."""
        for table in self.space.tables.values():
            if table.record and table.kind == "input":
                cells = {c.name: next(iter(self.pools.of(c.type, c.optional)), None) for c in inputs(table)}
                self.rows.tables[table.name] = [Row(table.name, cells)]
        whole: dict[str, list[Row]] = {}
        if sum(map(sum, self.found.rows().values())) > _MOST_ROWS:
            return None
        for root, chosen in completed(self.space, self.found, self.wanted).items():
            if not self._population(root, chosen, whole):
                return None
        self.rows.tables |= whole
        self._settle()
        return self.rows.tables

    # --- rows of tables -------------------------------------------------------------------------------------

    def _population(self, root: str, cells: list[tuple[Any, ...]], whole: dict[str, list[Row]]) -> bool:
        maker = Archetypes(root, self.space.tables, self.rows, self.pools)
        features = self.space.features[root].ordered()
        numbers = self.found.rows()[root]
        population = self.found.model.populations[root]
        counted = set(population.features)
        owners = maker.owners
        for name in (root, *owners):
            whole.setdefault(name, [])
        copies: list[tuple[int, Row]] = []
        for at, (cell, number) in enumerate(zip(cells, numbers, strict=True)):
            if not number:
                continue
            one = maker.make(features, cell, counted, self._told(root, cell), self._never(set(owners)))
            if one is None:
                return False
            for _ in range(number):
                row, children = self._copied(one, owners)
                row.error = population.is_error(at)
                copies.append((at, row))
                whole[root].append(row)
                for name, rows in children.items():
                    whole[name] += rows
        self._group(root, copies)
        for name in (root, *owners):
            self.rows.tables[name] = whole[name]
        return True

    def _told(self, root: str, cell: tuple[Any, ...]) -> Told:
        """The symbols that matter count the row or not."""
        made: Told = []
        for number in self.relevant:
            symbol = self.space.symbols[number]
            if symbol.root == root and symbol.test is not None:
                test, _ = self.space.features[root].test(symbol.test)
                made.append((test, test(cell) is True))
        return made

    def _never(self, tables: set[str]) -> Never:
        """Conditions that no row of these tables may have: their count is wanted to be nothing."""
        made: Never = []
        for number, outcomes in self.goals.items():
            node = self.space.nodes.all[number]
            if outcomes == n.TRUE and node[0] == "sign" and node[2] == "<=" and len(node[1]) == 1:
                ((monomial, factor),) = node[1]
                one = self.space.symbols[monomial[0]] if len(monomial) == 1 and factor > 0 else None
                if one is not None and one.root in tables and one.test is not None:
                    features = self.space.features[one.root]
                    known = features.ordered()
                    made.append((one.root, known, features.test(one.test)[0]))
        return made

    def _copied(self, one: Made, owners: dict[str, str]) -> tuple[Row, dict[str, list[Row]]]:
        self.counter += 1
        row = Row(one.row.table, dict(one.row.cells))
        self._own_key(row)
        self._own_place(row)
        children = {}
        for name, rows in one.children.items():
            made = [Row(name, {**child.cells, owners[name]: row}) for child in rows]
            if not self.space.tables[name].key or owners[name] not in self.space.tables[name].key:
                for child in made:
                    self.counter += 1
                    self._own_key(child)
            children[name] = made
        return row, children

    def _own_key(self, row: Row) -> None:
        for column in inputs(self.space.tables[row.table]):
            if column.name in self.space.tables[row.table].key and column.type.kind in ("text", "any", "int"):
                row.cells[column.name] = (
                    self.counter if column.type.kind == "int" else f"{row.table} {self.counter:05d}"
                )
                return

    def _own_place(self, row: Row) -> None:
        """No two rows stand at the same place of the order of their table."""
        table = self.space.tables[row.table]
        for column in inputs(table):
            if column.name in table.order and column.name not in table.key:
                if column.type.kind in ("int", "number", "quantity"):
                    row.cells[column.name] = Fraction(self.counter)
                elif column.type.kind == "time":
                    row.cells[column.name] = datetime(2000, 1, 1, tzinfo=UTC) + timedelta(seconds=self.counter)

    def _group(self, root: str, copies: list[tuple[int, Row]]) -> None:
        """Give each row its group."""
        counted = self.found.grouping
        for name, grouping in self.space.groupings.items():
            if grouping.root != root:
                continue
            if counted is not None and counted.grouping == name and self.found.groups:
                waiting: dict[int, list[Row]] = {}
                for at, row in copies:
                    waiting.setdefault(counted.class_of[at], []).append(row)
                for place, vector in enumerate(self.found.groups):
                    for at, number in enumerate(vector):
                        for _ in range(number):
                            self._put(waiting[at].pop(0), grouping.columns, place)
                continue
            many = self._groups_expected(name, len(copies))
            for place, (_, row) in enumerate(copies):
                self._put(row, grouping.columns, place * many // max(1, len(copies)))

    def _groups_expected(self, name: str, rows: int) -> int:
        for constraint in self.found.model.constraints:
            node = self.space.nodes.all[constraint]
            if node[0] == "sign" and node[2] == "==":
                terms = dict(node[1])
                constant = terms.pop((), 0)
                every = [(symbol,) for symbol in self.found.model.all_groups(name)]
                if len(terms) == 1 and next(iter(terms)) in every:
                    return max(1, int(-constant // next(iter(terms.values()))))
        return 1

    def _put(self, row: Row, columns: tuple[str, ...], place: int) -> None:
        table = self.space.tables[row.table]
        for name in columns:
            column = table.column(name)
            if column is None or column.expr is not None:
                continue
            if column.type.kind == "text":
                row.cells[name] = f"{name} {place + 1:03d}"
            elif column.type.kind == "int":
                row.cells[name] = place + 1
            else:
                values = self.pools.of(column.type, False)
                row.cells[name] = values[place % len(values)] if values else None

    # --- what is not counted --------------------------------------------------------------------------------

    def _settle(self) -> None:
        """Change cells that no count reads as long as more atoms and terms are as they were chosen."""
        goals = list(self._goals())
        best = self._settle_records(goals)
        if best < len(goals):
            from protoc_compiler.proof.filling import filled

            tables = [table for table in self.space.tables.values() if table.kind == "input" and not table.record]
            self._begun(goals)
            read = {place for value, _ in goals for place in columns_of(value)}
            filled(
                self.rows, self.pools, tables, read - self._counted(), lambda: self._reached(goals), best, len(goals)
            )  # fmt: skip

    def _begun(self, goals: list[tuple[core.Expr, Any]]) -> None:
        """One plain row of each table that a goal reads, where nothing says how many it has."""
        for root in sorted({name for value, _ in goals for name in tables_of(value)} - set(self.rows.tables)):
            table = self.space.tables.get(root)  # none where rows are grouped
            if table is not None and table.kind == "input":
                self.rows.tables[root] = [Archetypes(root, self.space.tables, self.rows, self.pools).start().row]

    def _counted(self) -> set[tuple[str, str]]:
        """The columns that are read by what is counted, or say which rows belong together."""
        found = {(one.root, name) for one in self.space.groupings.values() for name in one.columns}
        for root, population in self.found.model.populations.items():
            maker = Archetypes(root, self.space.tables, self.rows, self.pools)
            known = self.space.features[root].ordered()
            found.update(*(maker.read_by(known[index]) for index in population.features))
            found |= set(maker.owners.items())
        return found

    def _settle_records(self, goals: list[tuple[core.Expr, Any]]) -> int:
        """Change cells of records; how many goals are reached then."""
        records = [row for name, rows in self.rows.tables.items() for row in rows if self._record(name)]
        best = self._reached(goals)
        for _ in range(_ROUNDS):
            if best == len(goals):
                break
            for row in records:
                for column in inputs(self.space.tables[row.table]):
                    for value in self.pools.of(column.type, column.optional):
                        before = row.cells[column.name]
                        row.cells[column.name] = value
                        score = self._reached(goals)
                        if score > best:
                            best = score
                        else:
                            row.cells[column.name] = before
        return best

    def _record(self, name: str) -> bool:
        table = self.space.tables.get(name)
        return table is not None and table.record and table.kind == "input"

    def _goals(self) -> Iterator[tuple[core.Expr, Any]]:
        """Formulas about the study, each with a test of its value."""
        for value, node in self.space.atoms.items():
            outcomes = self.goals.get(node, n.ANYTHING)
            if outcomes != n.ANYTHING and self._light(value):
                yield value, (lambda got, outcomes=outcomes: bool(_OUTCOME[got] & outcomes))
        features = {feature.index: feature for feature in self.space.terms.known.values()}
        for (kind, what), chosen in self.found.given.items():
            if kind == "term" and self._light(features[what].value):
                feature = features[what]
                yield (
                    feature.value,
                    (lambda got, feature=feature, chosen=chosen: any(alike(feature, one, got) for one in chosen)),
                )

    def _light(self, value: core.Expr) -> bool:
        return self._value(value) is not Beyond

    def _value(self, value: core.Expr) -> Any:
        """Of a formula about the study; `Beyond` where the rows there are now lead to what is not computed here."""
        try:
            return self.rows.value(value, {})
        except (Beyond, KeyError, TypeError):
            return Beyond

    def _reached(self, goals: list[tuple[core.Expr, Any]]) -> int:
        values = [(self._value(value), test) for value, test in goals]
        return sum(bool(test(value)) for value, test in values if value is not Beyond)


_OUTCOME = {True: n.TRUE, False: n.FALSE, None: n.UNDEFINED}


def listed_rows(space: Space) -> dict[str, list[Row]]:
    """The rows of listed tables, by name and by version. One that two versions have is one row, with the cells of
    both."""
    known: dict[tuple[Any, ...], Row] = {}
    made: dict[str, list[Row]] = {}
    for name, table in space.listed.items():
        columns = [column.name for column in table.columns if column.expr is None]
        places = [columns.index(one) for one in table.key]
        telling = [recelled_name(table, column.name) for column in table.columns if column.expr is None]
        made[name] = []
        for at, cells in enumerate(table.listed):
            own = {column: _exact(value) for column, value in zip(columns, cells, strict=False)}
            row = known.setdefault((table.name, *[cells[place] for place in places or [at]]), Row(table.name, {}))
            row.cells |= own | {told: own[column] for told, column in zip(telling, columns, strict=True)}
            made[name].append(row)
        if space.tables[table.name].kind == "listed":
            made[table.name] = made[name]  # of two versions the later one
    return made


def _exact(value: Any) -> Any:
    return Fraction(value) if isinstance(value, (int, Fraction)) and not isinstance(value, bool) else value
