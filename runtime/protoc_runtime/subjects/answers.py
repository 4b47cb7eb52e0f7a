"""One answer of a subject against the tables that it must fill: rows, or the reason why the case failed.

A case is judged by itself, value by value, as the reader of rows would; what no single case can show (a key that two
cases share, in a table whose key does not hold the case) is found when all rows are read together.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date
from decimal import Decimal
from fractions import Fraction
from typing import Any

from protoc_runtime.declared import Declared
from protoc_runtime.diagnostics import Findings, Kind
from protoc_runtime.reading.jsonl import DECODER
from protoc_runtime.reading.layout import Field, Layout, layout
from protoc_runtime.reading.values import Bad, check, expected
from protoc_runtime.record import record

POSITION = "position"
Pairs = tuple[tuple[str, Any], ...]  # an object, as the JSON reader gives it


class AnswerFault(Exception):
    """The answer does not fit its tables; the text is the reason of the failed case."""


@record
class Gives:
    """One table that the subject fills; `case` is the column that refers to the case (filled in), or empty."""

    name: str
    layout: Layout
    case: str
    position: bool = False  # an answer of a session is in order: `position` in the key is the place, from 1


class Answers:
    """Checks answers. `known` holds, by table, the keys that references may name (as they are written in rows)."""

    def __init__(self, declared: Declared, known: Mapping[str, frozenset[Any]]) -> None:
        subject = declared.subject
        assert subject is not None
        self._known = known
        self._tables = {name: _gives(declared, name, subject.unit) for name in subject.gives}

    @property
    def tables(self) -> tuple[str, ...]:
        """The tables that the subject fills."""
        return tuple(self._tables)

    def rows(self, case: Any, text: str) -> dict[str, list[Pairs]]:
        """The rows of an answer (JSON text) to the case with this key, by table; AnswerFault if it does not fit."""
        try:
            answer = DECODER.decode(text)
        except (ValueError, RecursionError):
            raise AnswerFault("the answer is not JSON that can be read") from None
        if not isinstance(answer, tuple):
            raise AnswerFault(f"the answer is no object with the tables {self._names()}")
        rows = {name: self._filled(self._table(name), case, value) for name, value in answer}
        faults = [fault for name, given in rows.items() for fault in self._faults(self._tables[name], given, rows)]
        if faults:
            more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
            raise AnswerFault(f"the answer does not fit: {faults[0]}{more}")
        return rows

    def _names(self) -> str:
        return ", ".join(self._tables) or "(none)"

    def _table(self, name: str) -> Gives:
        if name not in self._tables:
            raise AnswerFault(f"the answer has rows of {name!r}; the subject fills {self._names()}")
        return self._tables[name]

    def _filled(self, table: Gives, case: Any, value: Any) -> list[Pairs]:
        rows = value if isinstance(value, list) else [value]
        for row in rows:
            if not isinstance(row, tuple):
                raise AnswerFault(f"the answer does not fit: a row of {table.name} is not an object")
        if table.position:
            rows = [_with_position(row, place) for place, row in enumerate(rows, 1)]
        return [self._with_case(table, case, row) for row in rows] if table.case else rows

    def _with_case(self, table: Gives, case: Any, row: Pairs) -> Pairs:
        for name, value in row:
            if name == table.case:
                if value != case:
                    raise AnswerFault(f"the answer does not fit: a row of {table.name} is about another case")
                return row
        return ((table.case, case), *row)

    def _faults(self, table: Gives, rows: list[Pairs], answer: Mapping[str, list[Pairs]]) -> Iterator[str]:
        seen: set[Any] = set()
        for number, row in enumerate(rows, 1):
            where = f"table {table.name}, row {number}"
            yield from self._row(table.layout, row, where, answer)
            key = tuple(_hashable(dict(row).get(name)) for name in table.layout.keys)
            if key and key in seen and not table.layout.table.duplicates:
                yield f"{where}: a second row with the key {', '.join(map(str, key))}"
            seen.add(key)

    def _row(self, shape: Layout, row: Any, where: str, answer: Mapping[str, list[Pairs]]) -> Iterator[str]:
        if not isinstance(row, tuple):
            yield f"{where}: not an object"
            return
        values = dict(row)
        names = [field.stored for field in shape.fields]
        if len(values) != len(row):
            yield f"{where}: a name is repeated"
        for name in values:
            if name not in names:
                yield f"{where}: there is no column {name!r}; the columns are {', '.join(names)}"
        for field in shape.fields:
            if field.stored not in values:
                yield f"{where}: column {field.stored} is missing"
            else:
                yield from self._value(field, values[field.stored], f"{where}, field {field.stored}", answer)

    def _value(self, field: Field, value: Any, where: str, answer: Mapping[str, list[Pairs]]) -> Iterator[str]:
        if field.nested is not None:
            if not isinstance(value, list):
                yield f"{where}: expected a list of objects"
                return
            for number, row in enumerate(value, 1):
                yield from self._row(field.nested, row, f"{where}, row {number}", answer)
            return
        try:
            check(value, field.type, optional=field.optional, key=field.key)
        except Bad as bad:
            yield _words(bad.kind, where, field, bad.values)
            return
        if field.target:
            yield from self._references(field, value, where, answer)

    def _references(self, field: Field, value: Any, where: str, answer: Mapping[str, list[Pairs]]) -> Iterator[str]:
        many = field.type.kind in ("set", "list") and bool(field.type.item)
        known = self._known.get(field.target)
        if known is None:
            keys = self._tables[field.target].layout.keys if field.target in self._tables else ()
            known = frozenset(_key_of(dict(row), keys) for row in answer.get(field.target, []))
        for item in value if many and value is not None else [value]:
            if item is not None and _hashable(item) not in known:
                yield f"{where}: {field.target} has no row {item!r}"


def known_keys(declared: Declared, tables: Mapping[str, list[Any]]) -> dict[str, frozenset[Any]]:
    """The keys that references may name: of listed tables, and of those whose keys are given."""
    made = {name: frozenset(_hashable(key) for key in keys) for name, keys in tables.items()}
    for table in declared.tables:
        if table.kind == "listed":
            places = [place for place, column in enumerate(table.columns) if column.name in table.key]
            made[table.name] = frozenset(_one([row[place] for place in places]) for row in table.listed)
    return made


def targets(declared: Declared) -> tuple[str, ...]:
    """The input tables that the subject's rows may refer to, the table of cases first."""
    subject = declared.subject
    assert subject is not None
    named = [subject.unit]
    for name in subject.gives:
        for column in declared.table(name).stored:
            kind = column.type.item or column.type
            if kind.kind == "row" and kind.table not in subject.gives:
                named.append(kind.table)
    return tuple(name for name in dict.fromkeys(named) if declared.table(name).kind == "input")


def _gives(declared: Declared, name: str, unit: str) -> Gives:
    table = declared.table(name)
    case = next((c.name for c in table.stored if c.type.kind == "row" and c.type.table == unit), "")
    session = declared.subject is not None and declared.subject.session is not None
    return Gives(name, layout(declared, table), case, session and POSITION in table.key)


def _with_position(row: Pairs, place: int) -> Pairs:
    if any(name == POSITION for name, _ in row):
        raise AnswerFault(f"the answer does not fit: `{POSITION}` is told by the place of a row")
    return ((POSITION, place), *row)


def _key_of(row: Mapping[str, Any], keys: tuple[str, ...]) -> Any:
    return _one([_hashable(row.get(name)) for name in keys])


def _one(parts: list[Any]) -> Any:
    return parts[0] if len(parts) == 1 else tuple(parts)


def _hashable(value: Any) -> Any:
    """A key in a form in which equal keys are equal: numbers by value, dates as text."""
    if isinstance(value, (list, tuple)):
        return tuple(_hashable(item) for item in value)
    if isinstance(value, (bytes, Decimal)):
        return Fraction(value.decode() if isinstance(value, bytes) else value)
    return value.isoformat() if isinstance(value, date) else value


def _words(kind: Kind, where: str, field: Field, values: Mapping[str, Any]) -> str:
    given = {"where": where, "field": field.stored, "table": "", "expected": expected(field.type), **values}
    return Findings().add(kind, None, **given).message
