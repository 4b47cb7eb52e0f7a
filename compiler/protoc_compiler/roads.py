"""The roads by which columns reach people: what is named on each, before formulas are followed."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator

from protoc_compiler import core
from protoc_runtime.evidence import Evidence, Thing
from protoc_runtime.procedure import PUBLIC, RATERS, SUBJECT
from protoc_runtime.record import record

ENDINGS = (".jsonl", ".csv", ".parquet")  # of files of rows


@record
class Road:
    """What some people see: `who`, in which judgement ("" for the subject), where it is written, what is named."""

    who: tuple[str, ...]
    stage: str
    place: str
    things: tuple[Thing, ...]


def roads(protocol: core.Protocol, evidence: Evidence) -> Iterator[Road]:
    """Everything that reaches the subject, a rater, or whoever reads receipt and packets."""
    if protocol.subject is not None:
        yield from _subject(protocol, protocol.subject)
    yield from _sheets(protocol, evidence)
    yield from _outputs(protocol, evidence)
    for item in (*protocol.of("lists"), *protocol.of("statuses")):
        named = evidence.read_by(item.expr) if item.space == "lists" else ()
        things = (("item", item.space, item.name), *_orders(protocol, named), *_keys(protocol, item.type))
        yield Road((PUBLIC,), "", f"report.{item.space} {item.name}", things)


def _subject(protocol: core.Protocol, subject: core.Subject) -> Iterator[Road]:
    """What it is given of a case; and the order of cases, where one process is given several."""
    for name in subject.sees:
        yield Road((SUBJECT,), "", f"subject.sees {name}", _path(protocol, subject.unit, name))
    if subject.kind in ("python", "http") or subject.pool:
        order = _orders(protocol, (("table", subject.unit),))
        yield Road((SUBJECT,), "", f"subject.of {subject.unit}", order)
    yield from _handed(protocol, subject)


def _handed(protocol: core.Protocol, subject: core.Subject) -> Iterator[Road]:
    """Files that it may read: where one of them is the file of a table, every column of that table."""
    named = [("command", word) for word in subject.argv[1:]]
    named += [(key, path) for key in ("code", "files") for path in getattr(subject, key)]
    named += [("prompt", subject.session.prompt)] if subject.session is not None else []
    for key, path in dict.fromkeys(named):
        for table in protocol.tables:
            if table.file and _holds(path, table.file):
                things = tuple(("column", table.name, column.name) for column in table.columns)
                yield Road((SUBJECT,), "", f"subject.{key} {path}", things)


def _holds(path: str, file: str) -> bool:
    """Whether a path is the file of a table, which is written without its ending. Within a folder that a subject is
    shown, and among files that a pattern pins, the rows stay hidden."""
    names = (file, *(f"{file}{ending}" for ending in ENDINGS))
    return posixpath.normpath(path) in map(posixpath.normpath, names)


def _sheets(protocol: core.Protocol, evidence: Evidence) -> Iterator[Road]:
    for judgement in protocol.judgements:
        root = protocol.table(protocol.table(judgement.judges).root)
        who = judgement.raters or (RATERS,)
        rows: Thing = ("table", judgement.judges)
        things = (rows, *_orders(protocol, (rows,)), *_key(protocol, root))
        yield Road(who, judgement.name, f"{judgement.name}.judges {judgement.judges}", things)
        for label, value in judgement.sees:
            named = evidence.read_by(value)
            named = (*named, *_orders(protocol, named), *_keys(protocol, value.type))
            yield Road(who, judgement.name, f"{judgement.name}.sees {label}", named)


def _outputs(protocol: core.Protocol, evidence: Evidence) -> Iterator[Road]:
    """Files that are made to be given away: packets, rows, the table of cases, and the page of what was judged."""
    for output in protocol.outputs:
        if output.kind == "cases" and protocol.subject is not None:
            table = protocol.table(protocol.subject.unit)
            for column in table.columns:
                yield Road((PUBLIC,), "", f"outputs {output.path}", _path(protocol, table.name, column.name))
        elif output.kind == "adjudication":
            for road in _sheets(protocol, evidence):
                yield Road((PUBLIC,), "", f"outputs {output.path}", road.things)
            for judgement in protocol.judgements:
                yield Road((PUBLIC,), "", f"outputs {output.path}", (("table", judgement.fills),))
        elif output.of:
            rows: tuple[Thing, ...] = tuple(("table", name) for name in (output.of, output.kept) if name)
            root = protocol.table(output.of).root
            rows = (*rows, *_orders(protocol, rows), *_key(protocol, protocol.table(root)))
            yield Road((PUBLIC,), "", f"outputs {output.path}", rows)
            for name in (*output.shows, *output.rejected, *output.digests):
                yield Road((PUBLIC,), "", f"outputs {output.path}", _path(protocol, root, name))


def _path(protocol: core.Protocol, table: str, path: str) -> tuple[Thing, ...]:
    """The columns that a path names: `law.elements` those of the rows that are referred to, too."""
    made: list[Thing] = []
    for name in path.split("."):
        made.append(("column", table, name))
        nested = next((each for each in protocol.tables if each.name == f"{table}.{name}"), None)
        if nested is not None:
            made += [("column", nested.name, column.name) for column in nested.columns]
        column = protocol.table(table).column(name)
        if column is not None and column.type.kind == "row":
            table = column.type.table
    if column is not None:
        made += _keys(protocol, column.type)
    return tuple(made)


def _orders(protocol: core.Protocol, things: Iterable[Thing]) -> tuple[Thing, ...]:
    """The columns by which rows are ordered: whoever sees some of these tables sees their order."""
    roots = dict.fromkeys(protocol.table(thing[1]).root for thing in things if thing[0] == "table")
    return tuple(("column", root, name) for root in roots for name in protocol.table(root).order if name != "file")


def _keys(protocol: core.Protocol, shown: core.Type) -> tuple[Thing, ...]:
    """The keys that stand for rows, where rows are shown."""
    if shown.item is not None:
        return _keys(protocol, shown.item)
    return _key(protocol, protocol.table(shown.table)) if shown.kind == "row" else ()


def _key(protocol: core.Protocol, table: core.Table) -> tuple[Thing, ...]:
    """The key of a table, and of the rows that it names."""
    made: list[Thing] = []
    for name in table.key:
        column = table.column(name)
        made.append(("column", table.name, name))
        made += _keys(protocol, column.type) if column is not None else ()
    return tuple(dict.fromkeys(made))
