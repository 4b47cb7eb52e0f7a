"""`procedure.manifest`, `procedure.parity` and copied blocks as a document."""

from __future__ import annotations

from typing import Any

from protoc_compiler.spec_parts import Formula, Text
from protoc_runtime.diagnostics import Span
from protoc_runtime.record import record

KeyCites = tuple[tuple[str, tuple[Text, ...]], ...]


@record
class CopyDecl:
    """A frozen value that is a block of a file, with the entries that are thresholds of rules."""

    place: Text
    ties: tuple[tuple[Text, Text], ...] = ()


@record
class FieldDecl:
    """A field of the manifest: its type, the words of an enum, or the one value (with `fixed`)."""

    path: Text
    type: Text | None
    members: tuple[Text, ...] = ()
    fixed: bool = False
    value: Any = None
    says: Text | None = None
    alias: Text | None = None
    collect: Text | None = None
    cites: tuple[Text, ...] = ()


@record
class ManifestPhaseDecl:
    """A phase of the manifest."""

    name: Text
    status: Text
    needs: tuple[Text, ...] = ()
    says: Text | None = None
    cites: tuple[Text, ...] = ()


@record
class ManifestDecl:
    """The freeze manifest."""

    span: Span
    status: Text
    phases: tuple[ManifestPhaseDecl, ...]
    fields: tuple[FieldDecl, ...]
    file: Text | None = None
    closed: tuple[Text, ...] = ()
    says: Text | None = None
    cites: tuple[Text, ...] = ()


@record
class ParityDecl:
    """What is compared of two runtimes."""

    span: Span
    columns: tuple[tuple[str, Text], ...]  # by key: id, route, score, error, violation
    threshold: Formula
    low: Formula | None = None
    high: Formula | None = None
    summary: tuple[Text, ...] = ()
    says: Text | None = None
    cites: KeyCites = ()
