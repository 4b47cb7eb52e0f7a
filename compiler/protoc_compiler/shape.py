"""The vocabulary of the shape description: what may stand at a place of a spec, and what it is for.

`sections` writes the one description with these records; `conform` checks a spec against it, `schema_export` turns it
into a JSON Schema, and `layout` takes section and key order from it. `says` is shown by editors.
"""

from __future__ import annotations

from protoc_runtime.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal, TypeAlias

NameRule: TypeAlias = 'Literal["name", "path", "words"]'


@record
class Shape:
    """Base: what stands here, in words for a message ("a list of splits") and for an editor."""

    what: str
    says: str = ""


@record
class Words(Shape):
    """One scalar: text, or one of `choices`; `pattern` must match all of it, `plan` says what the pattern wants."""

    choices: tuple[str, ...] = ()
    pattern: str = ""
    plan: str = ""


@record
class FormulaShape(Shape):
    """One scalar that is a formula."""


@record
class Lines(Shape):
    """A first-match list: lines `VALUE when CONDITION`, the last `VALUE otherwise`."""


@record
class Cell(Shape):
    """A cell of a listed row: a scalar or a list of scalars."""


@record
class Items(Shape):
    """A list; with `lone` one item may stand without brackets; `unique` refuses repeated scalars."""

    item: Shape = Shape("a value")
    unique: bool = False
    lone: bool = False
    may_be_empty: bool = False


@record
class Named(Shape):
    """A map from names that the author chooses; `rule` says what a name looks like.

    "name" is one identifier, "path" a dotted name with placeholders, "words" any text.
    """

    value: Shape = Shape("a value")
    rule: NameRule = "name"
    may_be_empty: bool = False


@record
class Key:
    """One known key."""

    name: str
    shape: Shape
    required: bool = False


@record
class Keys(Shape):
    """A map with known keys; `path` names it in messages and the JSON Schema; `rest` takes keys of free choice.

    `ordered` keys must stand in this order. `mistaken` maps keys that people write to the right ones.
    """

    path: str = ""
    keys: tuple[Key, ...] = ()
    rest: Named | None = None
    ordered: bool = False
    mistaken: tuple[tuple[str, str], ...] = ()

    def key(self, name: str) -> Key | None:
        """The known key of that name."""
        for key in self.keys:
            if key.name == name:
                return key
        return None


@record
class Either(Shape):
    """By the kind of node: a scalar, a list, or a map; a map with one of `when_keys` is read as `special` instead."""

    scalar: Shape | None = None
    items: Shape | None = None
    keys: Shape | None = None
    special: Shape | None = None
    when_keys: tuple[str, ...] = ()
