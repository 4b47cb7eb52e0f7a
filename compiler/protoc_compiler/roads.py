"""The roads by which columns reach people: what is named on each, before formulas are followed."""

from __future__ import annotations

from collections.abc import Iterator

from protoc_compiler import core, identity
from protoc_runtime.evidence import Evidence, Thing
from protoc_runtime.record import record

SUBJECT, RATERS, PUBLIC = "subject", "raters", "public"


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
        for name in protocol.subject.sees:
            yield Road((SUBJECT,), "", f"subject.sees {name}", _path(protocol, protocol.subject.unit, name))
    yield from _sheets(protocol, evidence)
    yield from _outputs(protocol)
    for item in (*protocol.of("lists"), *protocol.of("statuses")):
        yield Road((PUBLIC,), "", f"report.{item.space} {item.name}", (("item", item.space, item.name),))


def _sheets(protocol: core.Protocol, evidence: Evidence) -> Iterator[Road]:
    for judgement in protocol.judgements:
        root = protocol.table(protocol.table(judgement.judges).root)
        order = tuple(("column", root.name, name) for name in root.order if name != "file")
        who = judgement.raters or (RATERS,)
        things: tuple[Thing, ...] = (("table", judgement.judges), *order)
        yield Road(who, judgement.name, f"{judgement.name}.judges {judgement.judges}", things)
        for label, value in judgement.sees:
            named = evidence.read_by(identity.to_json(value))
            yield Road(who, judgement.name, f"{judgement.name}.sees {label}", named)


def _outputs(protocol: core.Protocol) -> Iterator[Road]:
    """Files that are made to be given away: packets, rows, and the table of cases."""
    for output in protocol.outputs:
        if output.kind == "cases" and protocol.subject is not None:
            table = protocol.table(protocol.subject.unit)
            for column in table.columns:
                yield Road((PUBLIC,), "", f"outputs {output.path}", _path(protocol, table.name, column.name))
        elif output.of:
            rows: tuple[Thing, ...] = tuple(("table", name) for name in (output.of, output.kept) if name)
            yield Road((PUBLIC,), "", f"outputs {output.path}", rows)
            root = protocol.table(output.of).root
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
    return tuple(made)
