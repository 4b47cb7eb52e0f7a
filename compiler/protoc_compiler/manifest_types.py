"""The types of manifest fields as they are written: `revision or version`, `list of text`, `metrics of targets?`."""

from __future__ import annotations

from collections.abc import Mapping

from protoc_compiler import suggest
from protoc_compiler.catalogue import manifests as kinds
from protoc_compiler.elaborate.elaborator import Elaborator
from protoc_compiler.spec_parts import Text
from protoc_runtime.manifests.meaning import parse_json, shown
from protoc_runtime.manifests.records import Copy, Value

PLAIN = (
    "text", "int", "positive int", "decimal", "bool", "time", "sha256", "digest", "revision", "version", "object",
    "any",
)  # fmt: skip
_FORMS = ("list of", "map of", "copy of", "metrics of")


def value_of(el: Elaborator, written: Text, copies: Mapping[str, Copy]) -> tuple[tuple[Value, ...], bool]:
    """The values that fit, and whether there may be none; no value where the type is refused."""
    text = " ".join(written.text.split())
    optional = text.endswith("?")
    made = [_one(el, written, part, copies) for part in text.removesuffix("?").strip().split(" or ")]
    return tuple(value for value in made if value is not None) if all(made) else (), optional


def _one(el: Elaborator, written: Text, text: str, copies: Mapping[str, Copy]) -> Value | None:
    if text in PLAIN:
        return Value(text)
    kind, _, name = text.partition(" of ")
    if kind in ("list", "map") and name in PLAIN:
        return Value(kind, item=Value(name))
    if kind in ("copy", "metrics") and name:
        return _of_block(el, written, kind, name, copies)
    hint = suggest.hint(text, PLAIN, f"write one of {', '.join(PLAIN)}, or `{'`, `'.join(_FORMS)}` and a name")
    el.findings.add(kinds.BAD_VALUE, written.span, found=text, hint=hint)
    return None


def _of_block(el: Elaborator, written: Text, kind: str, name: str, copies: Mapping[str, Copy]) -> Value | None:
    if name not in copies:
        known = [item.name.text for item in el.spec.procedure.freeze if item.copy is not None]
        if name not in known and name not in el.spec.broken:  # one that is known has been refused already
            hint = suggest.hint(name, known, "declare it under `procedure.freeze` with `copy_of`")
            el.findings.add(kinds.NO_COPY, written.span, found=f"{kind} of {name}", name=name, hint=hint)
        return None
    block = parse_json(copies[name].block.encode())
    if kind == "metrics":
        entries = block.items() if isinstance(block, Mapping) else [("the whole block", block)]
        for entry, value in entries:
            if value is None or isinstance(value, (bool, str, list, dict)):
                el.findings.add(kinds.NOT_METRICS, written.span, name=name, entry=entry, found=shown(value, 60))
                return None
    return Value(kind, block=name)
