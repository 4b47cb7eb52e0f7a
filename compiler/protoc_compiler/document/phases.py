"""`procedure.phases` as written: what each phase reads, and the state machine that they make."""

from __future__ import annotations

from protoc_compiler.document.reading import Reader, entries, maybe, parts, text, texts, under
from protoc_compiler.nodes import Mapping, Node
from protoc_compiler.spec import PhaseDecl, PreservedDecl, Text


def phases(reader: Reader, node: Node | None) -> tuple[PhaseDecl, ...]:
    """All phases, in their order."""
    made = []
    for item in parts(node):
        name, use = maybe(under(item, "phase")), maybe(under(item, "use"))
        if name is not None and use is not None and isinstance(item, Mapping):
            made.append(_phase(reader, item, name, use))
    return tuple(made)


def _phase(reader: Reader, item: Mapping, name: Text, use: Text) -> PhaseDecl:
    once = maybe(item.get("once"))
    duties = []
    for duty, body in entries(item.get("duties")):
        says = maybe(body.get("says") if isinstance(body, Mapping) else body)
        if says is not None:
            duties.append(PreservedDecl(text(duty), says, texts(under(body, "cites"))))
    return PhaseDecl(
        name, texts(item.get("reads")), use, maybe(item.get("says")), texts(item.get("cites")),
        owner=maybe(item.get("owner")),
        enter=reader.formula(item.get("enter")),
        once=once is not None and once.text == "true",
        ends=texts(item.get("ends")),
        then=tuple((text(verdict), texts(to)) for verdict, to in entries(item.get("then"))),
        may_change=texts(item.get("may change")),
        same=texts(item.get("same")),
        parity=maybe(item.get("parity")),
        never=texts(item.get("never")),
        records=_records(item.get("records")),
        duties=tuple(duties),
    )  # fmt: skip


def _records(node: Node | None) -> tuple[PreservedDecl, ...]:
    made = []
    for item in parts(node):
        if isinstance(item, Mapping):
            name, says = maybe(item.get("name")), maybe(item.get("says"))
            if name is not None and says is not None:
                made.append(PreservedDecl(name, says, texts(item.get("cites"))))
        elif (kind := maybe(item)) is not None:
            made.append(PreservedDecl(kind))
    return tuple(made)
