"""Canonical blocks and the freeze manifest resolved: every path, type and phase looked up, blocks read from files."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from protoc_compiler import core, suggest
from protoc_compiler.catalogue import manifests as kinds
from protoc_compiler.catalogue import names as name_kinds
from protoc_compiler.elaborate.elaborator import Elaborator
from protoc_compiler.manifest_types import value_of
from protoc_compiler.spec_manifest import CopyDecl, FieldDecl, ManifestDecl, ManifestPhaseDecl
from protoc_compiler.spec_parts import Text, texts, words
from protoc_compiler.ties import check_ties
from protoc_runtime.canonical import digest_bytes
from protoc_runtime.catalogue import manifests as runtime_kinds
from protoc_runtime.manifests.meaning import Unreadable, canonical
from protoc_runtime.manifests.records import (
    COLLECTED,
    COLLECTED_OF,
    Copy,
    Field,
    Manifest,
    ManifestPhase,
    Value,
    column,
)
from protoc_runtime.record import replace

_PLACE = re.compile(r"(?P<file>[^#]+)#(?P<pointer>(?:/[^/#]*)*)")
_PATH = re.compile(r"[A-Za-z_]\w*(?:\[\])?(?:\.[A-Za-z_]\w*(?:\[\])?)*", re.ASCII)


def copied(el: Elaborator, name: Text, written: CopyDecl) -> tuple[Copy, str] | None:
    """A block, and the digest of its meaning; None where it is refused."""
    from protoc_runtime.manifests.copies import read_block

    place = _PLACE.fullmatch(written.place.text)
    if place is None:
        el.findings.add(kinds.BAD_COPY, written.place.span, found=written.place.text)
        return None
    file, pointer = place["file"].strip(), place["pointer"]
    try:
        block = read_block(Path(el.spec.file).parent, file, pointer)
    except (Unreadable, OSError) as fault:
        reason = getattr(fault, "strerror", None) or fault
        shown = written.place.text
        el.findings.add(runtime_kinds.NO_BLOCK, written.place.span, place=shown, name=name.text, reason=reason)
        return None
    ties = check_ties(el, written, block)
    text = canonical(block)
    return Copy(file, pointer, text, ties), digest_bytes(text.encode())


def manifest(el: Elaborator, freeze: tuple[core.Freeze, ...]) -> Manifest | None:
    """The manifest, or None where there is none."""
    written = el.spec.procedure.manifest
    if written is None or not written.phases:  # without phases it has been refused
        return None
    copies = {item.name: item.copy for item in freeze if item.copy is not None}
    known = _paths(el, written)
    needed = _needed(el, written, known)
    fields = tuple(
        field for each in written.fields if each.path.text in known
        and (field := _field(el, each, copies, needed.get(each.path.text, written.phases[0].name.text))) is not None
    )  # fmt: skip
    _check_aliases(el, written, fields)
    _check_phases(el, written.phases)
    for path in written.closed:
        _check_declared(el, path, {written.status.text: written.status, **known})
    fields = _with_status(el, written, fields)
    phases = tuple(ManifestPhase(p.name.text, p.status.text, words(p.says), texts(p.cites)) for p in written.phases)
    return Manifest(
        words(written.file), written.status.text, phases, tuple(sorted(texts(written.closed))), fields,
        words(written.says), texts(written.cites),
    )  # fmt: skip


def _with_status(el: Elaborator, written: ManifestDecl, fields: tuple[Field, ...]) -> tuple[Field, ...]:
    """The fields with that of the status, which every phase needs; at the top it need not be declared."""
    path, first = written.status.text, written.phases[0].name.text
    if not _PATH.fullmatch(path) or "[]" in path or any(_below(field.path, path) for field in fields):
        reason = "the status is one field outside of lists, and no group"
        el.findings.add(kinds.BAD_PATH, written.status.span, found=path, reason=reason)
    known = [field.path for field in fields]
    if path not in known and "." in path:
        return (*fields, Field(path, (Value("text"),), first))
    return tuple(replace(field, needed=first) if field.path == path else field for field in fields)


def _paths(el: Elaborator, written: ManifestDecl) -> dict[str, Text]:
    """The well-formed paths, each a field and no group."""
    known: dict[str, Text] = {}
    for field in written.fields:
        path = field.path
        if not _PATH.fullmatch(path.text):
            reason = "a name has letters, digits and underscores"
            el.findings.add(kinds.BAD_PATH, path.span, found=path.text, reason=reason)
        elif path.text.endswith("[]"):
            reason = "a list of plain values is one field: `list of text`"
            el.findings.add(kinds.BAD_PATH, path.span, found=path.text, reason=reason)
        else:
            known[path.text] = path
    bare = {path.replace("[]", "") for path in known}
    lists = {_bare(path[:at]) for path in known for at in _ends(path) if path[:at].endswith("[]")}
    for each, text in list(known.items()):
        for group in (each[:at] for at in _ends(each)):
            if _bare(group) in bare or (not group.endswith("[]") and _bare(group) in lists):
                reason = f"`{_bare(group)}` is declared as a field or list, too"
                el.findings.add(kinds.BAD_PATH, text.span, found=each, reason=reason)
                known.pop(each, None)
    return known


def _bare(path: str) -> str:
    return path.replace("[]", "")


def _ends(path: str) -> list[int]:
    return [at for at, char in enumerate(path) if char == "."]


def _needed(el: Elaborator, written: ManifestDecl, known: dict[str, Text]) -> dict[str, str]:
    """For each field that a phase asks for: the first phase that does."""
    made: dict[str, str] = {}
    for phase in written.phases:
        for path in phase.needs:
            _check_declared(el, path, known)
            for field in known:
                if field == path.text or _below(field, path.text):
                    made.setdefault(field, phase.name.text)
    return made


def _below(field: str, group: str) -> bool:
    return field.startswith((f"{group}.", f"{group}[]."))


def _check_declared(el: Elaborator, path: Text, known: dict[str, Text]) -> None:
    groups = {field[:at].removesuffix("[]") for field in known for at in _ends(field)}
    if path.text not in groups and path.text not in known:
        hint = suggest.hint(path.text, [*groups, *known])
        el.findings.add(kinds.UNDECLARED_PATH, path.span, found=path.text, hint=hint)


def _field(el: Elaborator, written: FieldDecl, copies: dict[str, Copy], phase: str) -> Field | None:
    values: tuple[Value, ...] = ()
    optional = False
    if written.fixed:
        values = (Value("is", constant=canonical(written.value)),)
        optional = written.value is None
    elif written.members:
        members = texts(written.members)
        optional = "null" in members
        values = (Value("enum", members=tuple(word for word in members if word != "null")),)
    elif written.type is not None:
        values, optional = value_of(el, written.type, copies)
    if not values:
        return None
    _check_collect(el, written)
    return Field(
        written.path.text, values, "" if optional else phase, words(written.alias), words(written.collect),
        words(written.says), texts(written.cites),
    )  # fmt: skip


def _check_collect(el: Elaborator, written: FieldDecl) -> None:
    source = written.collect
    if source is None:
        return
    if source.text not in COLLECTED and not any(source.text.removeprefix(word) for word in _openings(source.text)):
        forms = [*COLLECTED, *(f"{word}FILE" for word in COLLECTED_OF)]
        hint = suggest.hint(source.text, forms, f"write one of {', '.join(f'`{form}`' for form in forms)}")
        el.findings.add(kinds.BAD_COLLECT, source.span, found=source.text, hint=hint)


def _openings(text: str) -> Iterator[str]:
    return (word for word in COLLECTED_OF if text.startswith(word))


def _check_aliases(el: Elaborator, written: ManifestDecl, fields: tuple[Field, ...]) -> None:
    from protoc_runtime.manifests.facts import ABSENT

    made = {field.path: field for field in fields}
    taken = set(ABSENT)
    for each in written.fields:
        if each.alias is None or each.path.text not in made:
            continue
        name, path = each.alias.text, each.path.text
        if name in taken:
            el.findings.add(name_kinds.DUPLICATE_NAME, each.alias.span, name=name)
        elif "[]" in path or not column(made[path]):
            reason = "it stands in a list" if "[]" in path else "its values are of no plain type"
            el.findings.add(kinds.BAD_ALIAS, each.alias.span, path=path, name=name, reason=reason)
        taken.add(name)


def _check_phases(el: Elaborator, phases: tuple[ManifestPhaseDecl, ...]) -> None:
    for what in ("name", "status"):
        seen: set[str] = set()
        for phase in phases:
            text: Text = getattr(phase, what)
            plain = text.text.replace("-", "_")
            if plain in seen:
                el.findings.add(name_kinds.DUPLICATE_NAME, text.span, name=text.text)
            seen.add(plain)


def bounds(block: Any) -> Iterator[tuple[str, str, str]]:
    """Of a block of numbers: the metric, its comparison (`at_least`, `at_most`, `equal_to`) and the number."""
    for entry, bound in block.items():
        for ending, test in (("_min", "at_least"), ("_max", "at_most"), ("", "equal_to")):
            if entry.endswith(ending):
                yield entry.removesuffix(ending), test, canonical(bound)
                break
