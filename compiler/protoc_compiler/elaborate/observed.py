"""Tables and records that the tool fills: their columns and keys are a closed list."""

from __future__ import annotations

from protoc_compiler import suggest
from protoc_compiler.catalogue import manifests as manifest_kinds
from protoc_compiler.catalogue import names as kinds
from protoc_compiler.catalogue import phases as phase_kinds
from protoc_compiler.catalogue import procedure as procedure_kinds
from protoc_compiler.catalogue import types as type_kinds
from protoc_compiler.elaborate.context import Context
from protoc_compiler.spec import (
    CollectionType,
    Column,
    EnumType,
    NestedType,
    SubjectDecl,
    TableDecl,
    Text,
    TypeName,
    WrittenType,
)
from protoc_runtime.observed import KEYS, OF_SESSIONS, family


def observable(el: Context, source: Text, sources: dict[str, dict[str, str]]) -> dict[str, str] | None:
    """What the tool records of a source; None where the rows come from elsewhere, or the source has been refused."""
    kind, provider = family(source.text)
    if kind not in sources:
        return None
    if kind == "phase":
        return _of_phase(el, source, provider, sources[kind])
    known = [item.name.text for item in el.spec.procedure.providers]
    if provider and provider not in known:
        hint = suggest.hint(provider, known, "declare it under `procedure.providers`")
        el.fault(procedure_kinds.UNKNOWN_PROVIDER, source.span, name=provider, hint=hint)
    if kind in OF_SESSIONS:
        return sources[kind] | _of_session(el.spec.procedure.subject, kind)
    if kind == "manifest":
        return _of_manifest(el, source)
    if kind != "target":
        return sources[kind]
    target = el.spec.procedure.target
    if target is None:
        el.fault(procedure_kinds.NO_TARGET, source.span, what="`from: target`")
    return sources[kind] | {item.name.text: "digest" for item in target.digests}


def _of_session(written: SubjectDecl | None, source: str) -> dict[str, str]:
    """The columns that a protocol adds to those of a session's table."""
    given = written.session if written is not None else None
    if given is None:
        return {}
    if source == "ledger of subject":
        return {each.name.text: "text?" for each in given.configured}
    return {each.name.text: "int?" for each in given.usage} if source == "turns of subject" else {}


def _of_phase(el: Context, source: Text, name: str, columns: dict[str, str]) -> dict[str, str]:
    known = [phase.name.text for phase in el.spec.procedure.phases]
    if name not in known:
        hint = suggest.hint(name, known, "declare it under `procedure.phases`")
        el.fault(phase_kinds.UNKNOWN_PHASE, source.span, name=name, hint=hint)
    return columns


def _of_manifest(el: Context, source: Text) -> dict[str, str] | None:
    """The columns of the manifest; its fields are looked at with its section, and refused there."""
    written = el.spec.procedure.manifest
    if written is None:
        el.fault(manifest_kinds.NO_MANIFEST, source.span, what="`from: manifest`")
    if not written.phases:
        return None  # what is wrong with its phases is told there
    from protoc_compiler.elaborate.manifest_columns import columns_of

    return columns_of(written)


def check(el: Context, source: str, columns: tuple[Column, ...], known: dict[str, str]) -> None:
    """Report columns that nothing records, or that are recorded with another type."""
    for column in columns:
        name = column.name.text
        if name not in known:
            hint = suggest.hint(name, known)
            el.findings.add(kinds.UNKNOWN_OBSERVED, column.name.span, source=source, name=name, hint=hint)
            continue
        wanted = known[name] if known[name] != "unit" else _unit(el) or spelled(column.type)
        if wanted != spelled(column.type):
            el.findings.add(
                type_kinds.WRONG_TYPE, column.type.span, what=f"`{name}`", expected=f"`{wanted}`",
                found=f"`{spelled(column.type)}`", hint=f"write `{name}: {wanted}`",
            )  # fmt: skip


def _unit(el: Context) -> str:
    """The table of cases, where the subject names one."""
    subject = el.spec.procedure.subject
    return subject.unit.text if subject is not None and subject.unit is not None else ""


def check_key(el: Context, decl: TableDecl) -> None:
    """The rows that the tool writes are unique by one key only; another would fail at the end of a run."""
    kind, _ = family(decl.source.text)
    key = tuple(item.text for item in decl.key)
    if decl.key and kind in KEYS and sorted(key) != sorted(KEYS[kind]):
        wanted = f"[{', '.join(KEYS[kind])}]"
        el.findings.add(
            type_kinds.WRONG_TYPE, decl.key[0].span, what=f"the key of `{decl.name.text}`", expected=f"`{wanted}`",
            found=f"`[{', '.join(key)}]`", hint=f"write `key: {wanted}`, and declare these columns",
        )  # fmt: skip


def spelled(kind: WrittenType) -> str:
    """A declared type as text."""
    end = "?" if not isinstance(kind, NestedType) and kind.optional else ""
    if isinstance(kind, TypeName):
        return kind.name + end
    if isinstance(kind, EnumType):
        return "[" + ", ".join(member.text for member in kind.members) + (", null" if kind.optional else "") + "]"
    if isinstance(kind, CollectionType):
        return f"{kind.kind} of {kind.item.name}{end}"
    return "a map of columns"
