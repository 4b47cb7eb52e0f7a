"""Types in words, and which types go together."""

from __future__ import annotations

from fractions import Fraction

from protoc_compiler import core

UNITS: dict[str, tuple[str, Fraction]] = {
    "ms": ("s", Fraction(1, 1000)),
    "s": ("s", Fraction(1)),
    "min": ("s", Fraction(60)),
    "h": ("s", Fraction(3600)),
    "B": ("B", Fraction(1)),
    "KiB": ("B", Fraction(1024)),
    "MiB": ("B", Fraction(1024**2)),
    "GiB": ("B", Fraction(1024**3)),
    "USD": ("USD", Fraction(1)),
    "EUR": ("EUR", Fraction(1)),
}
PLAIN = {
    "bool": core.BOOL,
    "int": core.INT,
    "decimal": core.NUMBER,
    "text": core.TEXT,
    "time": core.TIME,
    "date": core.DATE,
    "digest": core.DIGEST,
    "any": core.ANY,
}
NUMERIC = ("int", "number")


def quantity(unit: str) -> core.Type:
    """The type of a unit: its base unit, and the unit shown."""
    return core.Type("quantity", unit=UNITS[unit][0], shown=unit)


def describe(kind: core.Type) -> str:
    """A type as an author would name it."""
    match kind.kind:
        case "bool":
            return "a condition (true or false)"
        case "int":
            return "a whole number"
        case "number":
            return "a number"
        case "real":
            return "a real number"
        case "quantity":
            return f"a quantity in {kind.shown or kind.unit}"
        case "enum":
            shown = ", ".join(kind.members[:6]) + (", ..." if len(kind.members) > 6 else "")
            return f"one of [{shown}]"
        case "row":
            return f"a row of `{kind.table}`"
        case "set" | "list":
            return f"a {kind.kind}"
        case "struct":
            return "a result with the fields " + ", ".join(name for name, _ in kind.fields)
        case "undefined":
            return "undefined"
        case "any":
            return "a value of any kind"
        case _:
            return f"a {kind.kind}"


def is_measure(kind: core.Type) -> bool:
    """A number or a quantity."""
    return kind.kind in ("int", "number", "quantity")


def is_ordered(kind: core.Type) -> bool:
    """What `<` takes."""
    return is_measure(kind) or kind.kind in ("time", "date", "real")


def comparable(one: core.Type, other: core.Type) -> bool:
    """Whether == makes sense between two types."""
    if "undefined" in (one.kind, other.kind):
        return True
    if one.kind in NUMERIC and other.kind in NUMERIC:
        return True
    if one.kind == "quantity" or other.kind == "quantity":
        return one.kind == other.kind and one.unit == other.unit
    if {one.kind, other.kind} <= {"enum", "text"}:
        return one.kind != other.kind or one.kind == "text" or bool(set(one.members) & set(other.members))
    if one.kind in ("list", "set") and one.kind == other.kind:
        return one.item is None or other.item is None or comparable(one.item, other.item)
    if one.kind == "row" and other.kind == "row":
        return one.table == other.table
    return one.kind == other.kind and one.kind != "struct"


def join(one: core.Type, other: core.Type) -> core.Type | None:
    """The type of a list whose lines give these two, or None."""
    if one.kind == "undefined":
        return other
    if other.kind == "undefined" or one == other:
        return one
    if {one.kind, other.kind} <= {"int", "number", "real"}:
        return core.REAL if "real" in (one.kind, other.kind) else core.NUMBER
    if one.kind == other.kind == "quantity" and one.unit == other.unit:
        return one
    if one.kind == other.kind == "enum":
        members = (*one.members, *(member for member in other.members if member not in one.members))
        return core.Type("enum", members=members)
    if {one.kind, other.kind} == {"enum", "text"}:
        return core.TEXT
    return None
