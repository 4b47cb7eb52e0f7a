"""`models.py` of a generated package: one pydantic model per table and record whose rows come from outside."""

from __future__ import annotations

import keyword

from protoc_compiler import core
from protoc_compiler.emit import rows
from protoc_compiler.emit.layout import docstring
from protoc_compiler.emit.naming import Names
from protoc_runtime.declared import Type
from protoc_runtime.reading.layout import Field, Layout
from protoc_runtime.record import record

_TYPES = {
    "bool": "bool",
    "int": "Int",
    "number": "Number",
    "quantity": "Number",
    "text": "Text",
    "time": "Time",
    "date": "Date",
    "digest": "Digest",
    "any": "Anything",
}
_OWN = frozenset(("Anything", "Date", "Digest", "Int", "Key", "Number", "Row", "Set", "Text", "Time"))
_USED = _OWN | {"Field", "Literal", "annotations", "MODELS", "bool", "list"}
# names of pydantic's base class, which a field must not hide
_PYDANTIC = {"construct", "copy", "dict", "from_orm", "json", "parse_file", "parse_obj", "parse_raw", "read", "schema"}
_PYDANTIC |= {"schema_json", "update_forward_refs", "validate"}
WIDTH = 70  # of the members of an enum on one line


@record
class Member:
    """One field: its name in Python, its type, and what else stands in `Field(...)`."""

    name: str
    type: str
    options: str


@record
class Model:
    """One class; `table` is empty for rows that stand inside a cell."""

    name: str
    table: str
    docstring: str
    members: tuple[Member, ...]


@record
class Module:
    """What the template shows."""

    docstring: str
    own: tuple[str, ...]
    pydantic: bool
    literal: bool
    models: tuple[Model, ...]


def render(protocol: core.Protocol) -> str:
    """The module's text, without the header."""
    from protoc_compiler.emit.templating import rendered

    names = Names(_USED)
    models = [model for table in rows.of(protocol) for model in _models(table, names)]
    types = " ".join(member.type for model in models for member in model.members)
    own = tuple(sorted(name for name in _OWN if name == "Row" or name in _words(types)))
    words = f"The rows of {protocol.title}: what each table and record holds, as the protocol declares it."
    options = any(member.options for model in models for member in model.members)
    module = Module(docstring(words), own, options, "Literal" in _words(types), tuple(models))
    return rendered("models.py.j2", module=module)


def _words(text: str) -> set[str]:
    return set("".join(char if char.isalnum() or char == "_" else " " for char in text).split())


def _models(table: rows.Rows, names: Names) -> list[Model]:
    return _layout_models(table.layout, table.name, rows.words(table), names)


def _layout_models(layout: Layout, table: str, says: str, names: Names) -> list[Model]:
    made: list[Model] = []
    taken, others = set(_USED), {field.stored for field in layout.fields}
    members = []
    for field in layout.fields:
        if field.nested is not None:
            inner = field.nested.table.name
            made += _layout_models(field.nested, "", f"one row of `{inner}`, in the order of the list", names)
        members.append(_member(field, taken | others - {field.stored}, names))
        taken.add(members[-1].name)
    name = names.of(_class_name(layout.table.name))
    return [*made, Model(name, table, docstring(says), tuple(members))]


def _class_name(table: str) -> str:
    return "".join(part[:1].upper() + part[1:] for part in table.replace(".", "_").split("_")) or "Table"


def _member(field: Field, taken: set[str], names: Names) -> Member:
    stored = field.stored
    name = stored.lstrip("_") or "field"
    while keyword.iskeyword(name) or name in _PYDANTIC or name in taken or name.startswith("model_"):
        name = f"field_{name}" if name.startswith("model_") else f"{name}_"
    options = []
    if name != stored:
        options.append(f"alias={stored!r}")
    words = _description(field)
    if words:
        options.append(f"description={words!r}")
    return Member(name, _annotation(field, names), ", ".join(options))


def _annotation(field: Field, names: Names) -> str:
    if field.nested is not None:
        return f"list[{names.of(_class_name(field.nested.table.name))}]"
    end = " | None" if field.optional else ""
    return ("Key" if field.key and field.type.kind == "text" else _type(field.type)) + end


def _type(kind: Type) -> str:
    if kind.kind == "enum":
        return _literal([repr(member) for member in kind.members])
    if kind.item is not None:
        return f"{'Set' if kind.kind == 'set' else 'list'}[{_type(kind.item)}]"
    return _TYPES[kind.kind]


def _literal(members: list[str]) -> str:
    line = ", ".join(members)
    if len(line) <= WIDTH:
        return f"Literal[{line}]"
    return "Literal[\n" + "".join(f"        {member},\n" for member in members) + "    ]"


def _description(field: Field) -> str:
    parts = [field.says] if field.says else []
    if field.target:
        parts.append(f"a key of {field.target}")
    if field.type.kind == "quantity":
        parts.append(f"in {field.type.shown or field.type.unit}")
    return "; ".join(parts)
