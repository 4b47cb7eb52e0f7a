"""Types and values."""

from __future__ import annotations

from fractions import Fraction

from protoc_runtime.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import date, datetime
    from typing import Literal, TypeAlias

    Kind = Literal[
        "bool", "int", "number", "real", "text", "time", "date", "digest", "any", "enum", "quantity", "set", "list",
        "row", "struct", "undefined",
    ]  # fmt: skip


@record
class Type:
    """A type.

    `members`: of an enum, in declared order. `unit`: of a quantity, `s`, `B` or a currency (the base unit); `shown`
    the unit in which it was declared (`ms`), for display. `item`: of a set or list. `table`: of a row, the *root*
    table. `fields`: of a struct result, name to type. `int` is a subtype of `number`.
    """

    kind: Kind
    members: tuple[str, ...] = ()
    unit: str = ""
    shown: str = ""
    item: Type | None = None
    table: str = ""
    fields: tuple[tuple[str, Type], ...] = ()


BOOL, INT, NUMBER, REAL = Type("bool"), Type("int"), Type("number"), Type("real")
TEXT, TIME, DATE, DIGEST, ANY, UNDEFINED = (
    Type("text"),
    Type("time"),
    Type("date"),
    Type("digest"),
    Type("any"),
    Type("undefined"),
)

Value: TypeAlias = "bool | int | Fraction | str | date | datetime | None"
