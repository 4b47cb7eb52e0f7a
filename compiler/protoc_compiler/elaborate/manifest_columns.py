"""The columns of the record `from: manifest`, as its fields and phases are written."""

from __future__ import annotations

from protoc_compiler.spec_manifest import FieldDecl, ManifestDecl
from protoc_compiler.spec_parts import texts, words
from protoc_runtime.manifests.records import Field, Manifest, ManifestPhase, Value, columns


def columns_of(written: ManifestDecl) -> dict[str, str]:
    """The columns of the record `from: manifest` and their types, as far as the section is well-formed."""
    fields = tuple(_column_field(field) for field in written.fields if field.alias is not None)
    phases = tuple(ManifestPhase(phase.name.text, phase.status.text) for phase in written.phases)
    return columns(Manifest("", "", phases, (), fields))


def _column_field(written: FieldDecl) -> Field:
    """A field as far as its column tells of it."""
    members = texts(written.members)
    values = tuple(Value(part) for part in words(written.type).removesuffix("?").strip().split(" or "))
    if members:
        values = (Value("enum", members=tuple(word for word in members if word != "null")),)
    return Field(written.path.text, values, "", words(written.alias))
