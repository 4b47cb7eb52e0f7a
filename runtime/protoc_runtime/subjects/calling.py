"""The subject of a run, as the loop of cases asks it: a Python function, or rows that exist already."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from protoc_runtime.catalogue import run as kinds
from protoc_runtime.declared import Declared, Subject
from protoc_runtime.diagnostics import Findings, Refused
from protoc_runtime.execution import Case, Result
from protoc_runtime.record import record
from protoc_runtime.subjects.answers import AnswerFault, Answers, Pairs, known_keys, targets
from protoc_runtime.subjects.pool import LoadFault, Pool, PythonSubject, Reply
from protoc_runtime.subjects.walls import Walls
from protoc_runtime.tables import TableData
from protoc_runtime.written import written_rows

if TYPE_CHECKING:
    from protoc_runtime.providers.gateway import Gateway

NOT_RECORDED = "no recorded answer"
HANDED = Path(__file__).resolve().parent.parent / "providers" / "handed.py"


@record
class Cases:
    """The cases of a run in the order of their table; `keys` gives each case's key as rows write it."""

    cases: tuple[Case, ...]
    keys: Mapping[str, Any]


def cases_of(declared: Declared, tables: Mapping[str, TableData]) -> Cases:
    """Every row of the table of cases, reduced to the columns that the subject may see."""
    from protoc_runtime.reading import write_jsonl

    subject = declared.subject
    if subject is None:
        return Cases((), {})
    rows = written_rows(declared, subject.unit, tables)
    keys = {key_text(key): key for key in keys_of(declared, subject.unit, rows)}
    seen = seen_rows(declared, subject.unit, subject.sees, rows, tables)
    lines = write_jsonl(seen).splitlines()
    return Cases(tuple(Case(*pair) for pair in zip(keys, lines, strict=True)), keys)


def seen_rows(
    declared: Declared, unit: str, sees: Iterable[str], rows: list[dict[str, Any]], tables: Mapping[str, TableData]
) -> list[dict[str, Any]]:
    """Of each row what the subject sees: columns by their names, those of rows that it refers to by their paths."""
    others: dict[str, dict[str, dict[str, Any]]] = {}

    def follow(table: str, row: dict[str, Any] | None, path: list[str]) -> Any:
        """The value at the end of a path of references, None where a reference leads nowhere."""
        if len(path) == 1 or row is None:
            return None if row is None else row[path[0]]
        column = declared.table(table).column(path[0])
        assert column is not None, "the compiler has followed this path"
        target = column.type.table
        if target not in others:
            found = written_rows(declared, target, tables)
            others[target] = dict(zip(map(key_text, keys_of(declared, target, found)), found, strict=True))
        key = row[path[0]]
        return follow(target, None if key is None else others[target].get(key_text(key)), path[1:])

    return [{name: follow(unit, row, name.split(".")) for name in sees} for row in rows]


def keys_of(declared: Declared, table: str, rows: list[dict[str, Any]]) -> list[Any]:
    """The keys of a table's rows: a value, or a list of values for a key of several columns."""
    names = declared.table(table).key
    return [row[names[0]] if len(names) == 1 else [row[name] for name in names] for row in rows]


def key_text(key: Any) -> str:
    """A key as people read it."""
    return key if isinstance(key, str) else json.dumps(key, ensure_ascii=False, default=str)


def answers_of(declared: Declared, tables: Mapping[str, TableData]) -> Answers:
    """What checks the answers against the tables that are there."""
    known = {name: keys_of(declared, name, written_rows(declared, name, tables)) for name in targets(declared)}
    return Answers(declared, known_keys(declared, known))


class Asked(Protocol):
    """What gives a case to the subject, and brings the reply back. `walls` tell what else the subject can reach."""

    @property
    def walls(self) -> Walls:
        """Whether it reaches nothing but the gateway."""
        ...

    def ask(self, slot: int, case: str, row: bytes, addresses: Mapping[str, Any] | None = None) -> Reply:
        """The reply to a case; never raises for what the subject does."""
        ...

    def interrupt(self) -> None:
        """End whatever runs, from another thread."""
        ...

    def close(self) -> None:
        """End everything, when no thread asks any more."""
        ...


class Called:
    """A subject that is asked: it is loaded, or found, before any row of a split is read."""

    def __init__(self, asked: Asked, gateway: Gateway | None = None) -> None:
        self._pool, self._gateway = asked, gateway
        self.walls = asked.walls
        self._answers: Answers | None = None
        self._keys: Mapping[str, Any] = {}
        self._judged: dict[str, dict[str, list[Pairs]]] = {}  # by case, until they are taken as rows

    @classmethod
    def open(cls, subject: Subject, folder: Path, logs: Path, gateway: Gateway | None = None) -> Called:
        """Start the workers of a `python` subject and import it; with a gateway it is handed the providers.

        Raises `Refused` (E1201).
        """
        path, _, name = subject.target.rpartition(":")
        timeout = None if subject.timeout is None else float(subject.timeout)
        handed = None if gateway is None else HANDED
        python = PythonSubject((folder / path).resolve(), name, handed)
        pool = Pool(python, max(1, subject.concurrency), timeout, logs)
        try:
            pool.__enter__()
        except LoadFault as fault:
            raise not_loaded(subject, fault) from None
        return cls(pool, gateway)

    def prepare(self, answers: Answers, cases: Cases) -> None:
        """What is needed to judge answers, known once the rows are read."""
        self._answers, self._keys = answers, cases.keys

    def ask(self, slot: int, case: Case) -> Result:
        """Call the subject for one case, and judge its answer."""
        assert self._answers is not None
        reply = self._reply(slot, case)
        wall = round(reply.wall * 1_000_000)
        if reply.answer is None:
            return Result(case.key, _outcome(reply), reply.reason, wall, None)
        try:
            self._judged[case.key] = self._answers.rows(self._keys[case.key], reply.answer)
        except AnswerFault as fault:
            return Result(case.key, "failed", str(fault), wall, None)
        return Result(case.key, "scored", None, wall, reply.answer)

    def _reply(self, slot: int, case: Case) -> Reply:
        """The subject's reply; every call of the case has its end in the ledger when this returns."""
        if self._gateway is None:
            return self._pool.ask(slot, case.key, case.row)
        try:
            return self._pool.ask(slot, case.key, case.row, self._gateway.addresses(case.key))
        finally:
            self._gateway.end(case.key)

    def rows(self, results: Mapping[str, Result]) -> dict[str, list[Pairs]]:
        """The rows of all answers, by table, in the order of the cases."""
        assert self._answers is not None
        made: dict[str, list[Pairs]] = {name: [] for name in self._answers.tables}
        for result in results.values():
            if result.answer is not None:
                found = self._judged.pop(result.key, None)
                if found is None:  # it was answered before the run was interrupted
                    found = self._answers.rows(self._keys[result.key], result.answer)
                for name, rows in found.items():
                    made[name] += rows
        return made

    def interrupt(self) -> None:
        """End whatever runs."""
        self._pool.interrupt()

    def close(self) -> None:
        """End the workers."""
        self._pool.close()


def _outcome(reply: Reply) -> str:
    if reply.quarantined:
        return "quarantined"
    return "timed_out" if reply.timed_out else "failed"


def not_loaded(subject: Subject, fault: LoadFault) -> Refused:
    """The refusal (E1201) of a subject that cannot be asked."""
    return Refused([Findings().add(kinds.SUBJECT_NOT_LOADED, None, target=subject.target, reason=fault)])


class Recorded:
    """Answers that exist: a case is scored if some table has a row of it."""

    def __init__(self, answered: frozenset[str]) -> None:
        self._answered = answered

    @classmethod
    def of(cls, declared: Declared, tables: Mapping[str, TableData], cases: Cases) -> Recorded:
        """Which cases have a row in one of the subject's tables."""
        subject = declared.subject
        assert subject is not None
        texts = list(cases.keys)
        answered: set[str] = set()
        for name in subject.gives:
            for column in declared.table(name).stored:
                if column.type.kind == "row" and column.type.table == subject.unit:
                    found = tables[name].frame[column.name].drop_nulls().unique().to_list()
                    answered.update(texts[row] for row in found)
        return cls(frozenset(answered))

    def ask(self, slot: int, case: Case) -> Result:
        """Whether there is an answer."""
        if case.key in self._answered:
            return Result(case.key, "scored", None, None, None)
        return Result(case.key, "failed", NOT_RECORDED, None, None)

    def interrupt(self) -> None:
        """Nothing runs."""
