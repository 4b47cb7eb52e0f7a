"""`manifest.py` of a generated package: the validator of freeze manifests, one pydantic model per group of fields."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from protoc_compiler import core
from protoc_compiler.emit.layout import Code, Group, Prefixed, broken, call, docstring, tuple_of
from protoc_compiler.emit.naming import Names
from protoc_compiler.manifests import bounds
from protoc_runtime.manifests.meaning import parse_json
from protoc_runtime.manifests.records import Copy, Field, Manifest, Value
from protoc_runtime.record import record

_CHECKS = {
    "text": "text", "int": "whole", "positive int": "positive", "decimal": "finite", "bool": "truth", "time": "time",
    "sha256": "sha256", "digest": "digest", "revision": "revision", "version": "version", "object": "block",
    "any": "anything",
}  # fmt: skip
_CALLED = ("at_least", "at_most", "copied", "each", "equal_to", "exactly", "member", "named", "one_of")
_GROUPS = ("Closed", "Group")
_TAKEN = {*_CHECKS.values(), *_CALLED, *_GROUPS, "Annotated", "Field", "Contract", "Fault", "faults", "check"}
_TAKEN |= {"CITES", "CONTRACT", "NEEDED", "PHASES", "STATUS", "Manifest", "annotations", "list", "object"}
# names of pydantic's base class, which a field must not hide
_PYDANTIC = {"construct", "copy", "dict", "from_orm", "json", "parse_file", "parse_obj", "parse_raw", "schema"}
_PYDANTIC |= {"schema_json", "update_forward_refs", "validate"}


@record
class Member:
    """One field of a model: its line in Python."""

    line: str


@record
class Model:
    """One class."""

    name: str
    base: str
    docstring: str
    members: tuple[Member, ...]


@record
class Constant:
    """A canonical block, as JSON text."""

    name: str
    lines: str


@record
class Module:
    """What the template shows."""

    docstring: str
    names: tuple[str, ...]
    blocks: tuple[Constant, ...]
    models: tuple[Model, ...]
    root: str
    status: str
    phases: str
    needed: str
    cites: str


def render(protocol: core.Protocol) -> str:
    """The module's text, without the header."""
    from protoc_compiler.emit.templating import rendered

    assert protocol.manifest is not None
    copies = {item.name: item.copy for item in protocol.freeze if item.copy is not None}
    return rendered("manifest.py.j2", module=_Writer(protocol, protocol.manifest, copies).module())


def expanded(manifest: Manifest, copies: Mapping[str, Copy]) -> tuple[Field, ...]:
    """The fields, with one for each entry of a block whose metrics are asked for."""
    made: list[Field] = []
    for field in manifest.fields:
        block = field.values[0].block if field.values[0].kind == "metrics" else ""
        if not block:
            made.append(field)
            continue
        for metric, test, bound in bounds(parse_json(copies[block].block.encode())):
            value = Value(test, constant=bound)
            made.append(Field(f"{field.path}.{metric}", (value,), field.needed, "", "", field.says, field.cites))
    return tuple(made)


class _Writer:
    def __init__(self, protocol: core.Protocol, manifest: Manifest, copies: Mapping[str, Copy]) -> None:
        self._title, self._manifest, self._copies = protocol.title, manifest, copies
        self._fields = expanded(manifest, copies)
        self._names = Names(_TAKEN)
        self._used: set[str] = set()

    def module(self) -> Module:
        """The whole module, as its template takes it."""
        names = {name: self._names.of(f"block_{name}") for name in self._copied()}
        self._blocks = names
        models = self._models("", self._fields, self._manifest.says or "The whole manifest.")
        words = f"The freeze manifest of {self._title}: what must stand in it, and what each phase needs."
        return Module(
            docstring(words),
            tuple(sorted(name for name in self._used)),
            tuple(Constant(name, _text(self._copies[block].block)) for block, name in names.items()),
            tuple(models),
            models[-1].name,
            repr(self._manifest.status),
            _mapping((p.name, repr(p.status)) for p in self._manifest.phases),
            _mapping((p.name, self._needed(p.name)) for p in self._manifest.phases),
            _mapping((f.path, _strings(f.cites)) for f in self._fields),
        )

    def _copied(self) -> list[str]:
        return sorted({v.block for f in self._manifest.fields for v in f.values if v.kind == "copy"})

    def _needed(self, phase: str) -> Code:
        return _strings(tuple(field.path for field in self._fields if field.needed == phase))

    def _models(self, path: str, fields: tuple[Field, ...], says: str) -> list[Model]:
        """The model of a group, behind those of the groups in it. `fields` have paths from this group on."""
        made: list[Model] = []
        members: list[Member] = []
        taken = {"Annotated", "Field"} | _TAKEN
        for name in dict.fromkeys(field.path.split(".")[0] for field in fields):
            inner = tuple(
                Field(f.path[len(name) + 1 :], f.values, f.needed, f.alias, f.collect, f.says, f.cites)
                for f in fields if f.path.startswith(f"{name}.")
            )  # fmt: skip
            if inner:
                below = f"{path}.{name}" if path else name
                made += self._models(below, inner, f"`{below}`")
                annotation = self._group(made[-1].name, name.endswith("[]"))
                members.append(_member(name.removesuffix("[]"), annotation, "", taken))
            else:
                field = next(field for field in fields if field.path == name)
                members.append(_member(name, self._annotation(field), _described(field), taken))
        base = "Closed" if path.replace("[]", "") in {p.replace("[]", "") for p in self._manifest.closed} else "Group"
        self._used.add(base)
        self._used |= {"Field"} if any("Field(" in member.line for member in members) else set()
        name = self._names.of(_class_name(path)) if path else "Manifest"
        return [*made, Model(name, base, docstring(says), tuple(members))]

    def _group(self, name: str, many: bool) -> Code:
        return f"list[{name} | None] | None" if many else f"{name} | None"

    def _annotation(self, field: Field) -> Code:
        self._used |= {"one_of"}
        checks = tuple(self._check(value) for value in field.values)
        return Group("Annotated[", ("object", call("one_of", *checks)), "]")

    def _check(self, value: Value) -> Code:
        if value.kind in _CHECKS:
            self._used.add(_CHECKS[value.kind])
            return _CHECKS[value.kind]
        if value.kind in ("list", "map"):
            assert value.item is not None
            return self._call({"list": "each", "map": "named"}[value.kind], self._check(value.item))
        if value.kind == "enum":
            return self._call("member", *map(repr, value.members))
        if value.kind == "copy":
            return self._call("copied", repr(self._copies[value.block].shown), self._blocks[value.block])
        return self._call("exactly" if value.kind == "is" else value.kind, repr(value.constant))

    def _call(self, function: str, *arguments: Code) -> Code:
        self._used.add(function)
        return call(function, *arguments)


def _member(name: str, annotation: Code, words: str, taken: set[str]) -> Member:
    import keyword

    python = name.lstrip("_") or "field"
    reserved = python[0].isupper() or python.startswith("model_")  # names of models, and of pydantic
    python = f"field_{python}" if reserved else python
    while keyword.iskeyword(python) or python in _PYDANTIC or python in taken:
        python += "_"
    taken.add(python)
    options = [f"alias={name!r}"] if python != name else []
    options += [f"description={words!r}"] if words else []
    end: Code = Prefixed(" = ", call("Field", "None", *options)) if options else " = None"
    first = f"{python}: {broken(annotation, 4, len(python) + 2)}"
    used = len(first.rpartition("\n")[2]) - (4 if "\n" in first else 0)
    return Member(first + broken(end, 4, used))


def _described(field: Field) -> str:
    """The rules and the author's words."""
    return ": ".join(part for part in (", ".join(field.cites), field.says) if part)


def _class_name(path: str) -> str:
    return "".join(part[:1].upper() + part[1:] for part in re.split(r"[._]", path.replace("[]", "")) if part) or "Root"


def _strings(values: tuple[str, ...]) -> Code:
    return tuple_of(tuple(map(repr, values)))


def _mapping(entries: Iterable[tuple[str, Code]]) -> str:
    lines = []
    for name, code in entries:
        key = f"{name!r}: "
        lines.append(f"    {key}{broken(code, 4, len(key))},\n")
    return "{\n" + "".join(lines) + "}" if lines else "{}"


def _text(block: str) -> str:
    """The canonical text of a block, one entry a line."""
    value = parse_json(block.encode())
    if not isinstance(value, dict) or not value:
        return repr(block)
    from protoc_runtime.manifests.meaning import canonical

    parts = [f"{canonical({key: value[key]})[1:-1]}" for key in sorted(value)]
    ends = [", "] * (len(parts) - 1) + [""]
    lines = ["{", *(part + end for part, end in zip(parts, ends, strict=True)), "}"]
    return "(\n" + "".join(f"    {line!r}\n" for line in lines) + ")"
