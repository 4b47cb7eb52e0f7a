"""The JSON Schema of a spec (draft 2020-12), from the same description that the compiler checks with.

An editor reads it through `# yaml-language-server: $schema=...`. It says which keys exist, what they hold and what
for; what formulas mean only `protoc check` can say.
"""

from __future__ import annotations

from typing import Any

from protoc_compiler import sections, sections_common
from protoc_compiler.shape import Cell, Either, FormulaShape, Items, Keys, Lines, Named, Shape, Words

DIALECT = "https://json-schema.org/draft/2020-12/schema"
# YAML gives an editor numbers, dates and booleans where the spec has text: `0.05`, `1`, `true`.
_SCALAR = ["string", "number", "boolean"]
_NAME_RULES = {
    "name": f"^{sections_common.NAME}$",
    "path": r"^(?:[A-Za-z0-9_]|<[A-Za-z_][A-Za-z0-9_]*>)+(?:\.(?:[A-Za-z0-9_]|<[A-Za-z_][A-Za-z0-9_]*>)+)*$",
    "words": r"\S",
}


def spec_schema() -> dict[str, Any]:
    """The schema document of `protoc schema --for spec`."""
    exporter = _Exporter()
    root = exporter.shape(sections.SPEC)
    return {
        "$schema": DIALECT,
        "$id": "protoc/spec/1",
        "title": "protoc spec",
        **root,
        "$defs": dict(sorted(exporter.shared.items())),
    }


class _Exporter:
    """Writes shapes; a map with known keys that occurs at a named place becomes a shared definition."""

    def __init__(self) -> None:
        self.shared: dict[str, Any] = {}
        self.formula = {"$ref": "#/$defs/formula"}
        self.shared["formula"] = {"type": _SCALAR, "description": "A formula of the protocol language."}
        self.shared["lines"] = {
            "type": "array", "minItems": 1, "items": self.line(),
            "description": "A first-match list: `VALUE when CONDITION` lines, the last `VALUE otherwise`.",
        }  # fmt: skip

    def line(self) -> dict[str, Any]:
        """One line of a first-match list, by itself or in a block with what it cites."""
        line = {"type": "string", "pattern": r"\s(?:when\s|otherwise\s*$)"}
        cites = self.shape(sections_common.CITES.shape)
        block: dict[str, Any] = {"type": "object", "properties": {"is": line, "cites": cites}, "required": ["is"]}
        block["additionalProperties"] = False
        return {"anyOf": [line, block]}

    def shape(self, shape: Shape) -> dict[str, Any]:
        """The schema of a shape, with its words as description."""
        made = self.bare(shape)
        return {**made, "description": shape.says} if shape.says else made

    def bare(self, shape: Shape) -> dict[str, Any]:
        """The schema of a shape, without its words."""
        if isinstance(shape, Words):
            return self.words(shape)
        if isinstance(shape, FormulaShape):
            return dict(self.formula)
        if isinstance(shape, Lines):
            return {"$ref": "#/$defs/lines"}
        if isinstance(shape, Cell):
            return {"type": [*_SCALAR, "array"], "items": {"type": [*_SCALAR, "null"]}}
        if isinstance(shape, Items):
            return self.items(shape)
        if isinstance(shape, Named):
            return self.named(shape)
        if isinstance(shape, Keys):
            return self.keys(shape)
        if isinstance(shape, Either):
            chosen = (shape.scalar, shape.items, shape.special, shape.keys)
            return {"anyOf": [self.shape(one) for one in chosen if one is not None]}
        return {}

    def words(self, shape: Words) -> dict[str, Any]:
        """One scalar: the choices, the pattern, or any scalar."""
        if shape.choices == ("1",):
            return {"enum": [1, "1"]}
        if shape.choices:
            return {"enum": list(shape.choices)}
        if shape.pattern:
            return {"type": "string", "pattern": f"^(?:{shape.pattern})$"}
        return {"type": _SCALAR}

    def items(self, shape: Items) -> dict[str, Any]:
        """A list of items; also one alone where the shape lets it stand so."""
        item = self.shape(shape.item)
        if shape is sections.ENUM:
            item = {"type": [*_SCALAR, "null"]}
        made: dict[str, Any] = {"type": "array", "items": item}
        if not shape.may_be_empty:
            made["minItems"] = 1
        if shape.unique:
            made["uniqueItems"] = True
        return {"anyOf": [item, made]} if shape.lone else made

    def named(self, shape: Named) -> dict[str, Any]:
        """A map with names by their rule."""
        made: dict[str, Any] = {
            "type": ["object", "null"] if shape.may_be_empty else "object",
            "additionalProperties": self.shape(shape.value),
            "propertyNames": {"pattern": _NAME_RULES[shape.rule]},
        }
        if not shape.may_be_empty:
            made["minProperties"] = 1
        return made

    def keys(self, shape: Keys) -> dict[str, Any]:
        """A map with known keys: shared under `$defs` and referred to, so that shapes may hold each other."""
        if shape.path in ("", "words", "setting", "conditions") or shape.path in self.shared:
            return {"$ref": f"#/$defs/{shape.path}"} if shape.path in self.shared else self.body(shape)
        self.shared[shape.path] = {}
        self.shared[shape.path] = self.body(shape)
        return {"$ref": f"#/$defs/{shape.path}"}

    def body(self, shape: Keys) -> dict[str, Any]:
        """The same in full: properties, required keys, and what other names are allowed."""
        made: dict[str, Any] = {
            "type": "object",
            "properties": {key.name: self.shape(key.shape) for key in shape.keys},
            "additionalProperties": self.shape(shape.rest.value) if shape.rest else False,
        }
        needed = [key.name for key in shape.keys if key.required]
        if needed:
            made["required"] = needed
        if shape.rest:
            names = [key.name for key in shape.keys]
            made["propertyNames"] = {"anyOf": [{"enum": names}, {"pattern": _NAME_RULES[shape.rest.rule]}]}
        if shape.path == "conditions":
            made["minProperties"] = made["maxProperties"] = 1
        return made
