"""Shapes that several sections share."""

from __future__ import annotations

from protoc_compiler.shape import Either, FormulaShape, Items, Key, Keys, Shape, Words

NAME = r"[A-Za-z_][A-Za-z0-9_]*"
USES = ("tune", "score", "score once")

TEXT = Words("text")
FORMULA = FormulaShape("a formula")
SAYS = Key("says", Words("words", "What it means, in plain words."))
CITES = Key(
    "cites",
    Items("a list of rule ids", "The rules of the source document that this covers.", Words("a rule id"), True, True),
)
LINE = Either(
    "a line", scalar=FORMULA, keys=Keys("a block with `is`", path="line", keys=(Key("is", FORMULA, True), CITES))
)


def setting(shape: Shape) -> Either:
    """A value, or a block with the value under `is` and the rules that ask for it."""
    keys = Keys("a block with `is`", path="setting", keys=(Key("is", shape, True), CITES))
    lists = shape if isinstance(shape, Items) else None
    return Either(shape.what, shape.says, scalar=shape, items=lists, keys=keys)
