"""The parts of `procedure` about frozen candidates: copied blocks, the manifest, parity."""

from __future__ import annotations

from typing import Any

from protoc_compiler.catalogue import document as kinds
from protoc_compiler.document.reading import Reader, entries, maybe, parts, text, texts, under
from protoc_compiler.document.services import cites, value
from protoc_compiler.nodes import Mapping, Node, Scalar, Sequence
from protoc_compiler.spec_manifest import CopyDecl, FieldDecl, ManifestDecl, ManifestPhaseDecl, ParityDecl
from protoc_compiler.spec_parts import Text
from protoc_compiler.spec_procedure import FreezeItem

_COLUMNS = ("id", "route", "score", "error", "violation")


def copied(reader: Reader, name: Scalar, block: Mapping) -> FreezeItem | None:
    """A frozen value with `copy_of`, beside which no other value may stand."""
    place = maybe(block.get("copy_of"))
    others = [key for key, _ in block.entries if key.text not in ("copy_of", "ties", "cites")]
    for key in others:
        reader.findings.add(
            kinds.EITHER_OR, key.span, where=f"the frozen value `{name.text}`",
            found=f"both `copy_of` and `{key.text}`", hint=f"delete `{key.text}`: the block is the value",
        )  # fmt: skip
    if place is None or others:
        return None
    ties = ((text(entry), maybe(rule)) for entry, rule in entries(block.get("ties")))
    tied = tuple((entry, rule) for entry, rule in ties if rule is not None)
    return FreezeItem(text(name), copy=CopyDecl(place, tied), cites=texts(block.get("cites")))


def manifest(reader: Reader, node: Node | None) -> ManifestDecl | None:
    """The entry `manifest`."""
    status = maybe(under(node, "status"))
    if not isinstance(node, Mapping) or status is None:
        return None
    fields = (_field(reader, path, given) for path, given in entries(node.get("fields")))
    return ManifestDecl(
        node.span, status, _phases(node.get("phases")), tuple(field for field in fields if field is not None),
        maybe(node.get("file")), texts(node.get("closed")), maybe(node.get("says")), texts(node.get("cites")),
    )  # fmt: skip


def _phases(node: Node | None) -> tuple[ManifestPhaseDecl, ...]:
    made = []
    for item in parts(node):
        name, status = maybe(under(item, "phase")), maybe(under(item, "status"))
        if name is not None and status is not None:
            about = (texts(under(item, "needs")), maybe(under(item, "says")), texts(under(item, "cites")))
            made.append(ManifestPhaseDecl(name, status, *about))
    return tuple(made)


def _field(reader: Reader, path: Scalar, node: Node) -> FieldDecl | None:
    if isinstance(node, Sequence):
        return FieldDecl(text(path), None, texts(node))
    if not isinstance(node, Mapping):
        return FieldDecl(text(path), maybe(node))
    written, fixed = node.get("type"), node.get("is")
    if (written is None) == (fixed is None):
        reader.findings.add(
            kinds.EITHER_OR, path.span, where=f"the field `{path.text}`",
            found="neither `type` nor `is`" if written is None else "both `type` and `is`",
            hint="give its type, or the one value that it must have",
        )  # fmt: skip
        return None
    members = texts(written) if isinstance(written, Sequence) else ()
    kind = None if members else maybe(written)
    about = (maybe(node.get("says")), maybe(node.get("as")), maybe(node.get("collect")), texts(node.get("cites")))
    return FieldDecl(text(path), kind, members, fixed is not None, _constant(fixed), *about)


def _constant(node: Node | None) -> Any:
    """A value as JSON has it: a plain word is text, `198` a number, `false` a truth value."""
    from protoc_runtime.manifests.meaning import Unreadable, scalar

    if isinstance(node, Sequence):
        return [_constant(item) for item in node.items]
    if not isinstance(node, Scalar):
        return None
    try:
        return scalar(node.text) if node.style == "plain" else node.text
    except Unreadable:
        return node.text


def parity(reader: Reader, node: Node | None) -> ParityDecl | None:
    """The entry `parity`."""
    threshold = reader.formula(value(node, "threshold"))
    given = {key: maybe(value(node, key)) for key in _COLUMNS}
    columns: tuple[tuple[str, Text], ...] = tuple((key, name) for key, name in given.items() if name is not None)
    lacking = {"id", "route", "score", "error"} - dict(columns).keys()
    if not isinstance(node, Mapping) or threshold is None or lacking:
        return None
    return ParityDecl(
        node.span, columns, threshold, reader.formula(value(node, "low")), reader.formula(value(node, "high")),
        texts(value(node, "summary")), maybe(node.get("says")), cites(node),
    )  # fmt: skip
