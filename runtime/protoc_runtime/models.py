"""What the generated models are made of: strict pydantic types that take what the reader of rows takes.

Values are never converted by guess. A number is a `Decimal`; a float that comes from Python or from pydantic's own
JSON parser counts as the decimal of its shortest form, and `Row.read` keeps every digit that was written.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Annotated, Any, Self, TypeVar

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

from protoc_runtime.reading.values import DATE, DIGEST, INVISIBLE_IN_KEY, TIME
from protoc_runtime.tables import EXACT_INT

T = TypeVar("T")


class Row(BaseModel):
    """One row: immutable, nothing missing, nothing else in it, no value of another type."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid", validate_by_name=False)

    @classmethod
    def read(cls, line: str | bytes) -> Self:
        """The row on one line of JSON; a repeated key, NaN and an infinity are refused, digits are kept."""
        given = json.loads(line, object_pairs_hook=_unique, parse_float=Decimal, parse_constant=_refuse)
        return cls.model_validate(given)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise ValueError("a key is written twice in one object")
    return made


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is not a number of JSON")


def _number(value: Any) -> Decimal:
    if isinstance(value, bool) or not isinstance(value, (int, float, Decimal)):
        raise ValueError("a number is needed, without quotes")
    if not math.isfinite(value):
        raise ValueError("a finite number is needed")
    return Decimal(repr(value)) if isinstance(value, float) else Decimal(value)


def _time(value: Any) -> datetime:
    if isinstance(value, datetime) and value.tzinfo is not None:
        return value.astimezone(UTC)
    if not isinstance(value, str) or not TIME.fullmatch(value):
        raise ValueError("a time with its zone is needed, such as 2026-08-10T12:30:00Z")
    return datetime.fromisoformat(value).astimezone(UTC)


def _date(value: Any) -> date:
    if isinstance(value, date) and not isinstance(value, datetime):
        return value
    if not isinstance(value, str) or not DATE.fullmatch(value):
        raise ValueError("a date is needed, such as 2026-08-10")
    return date.fromisoformat(value)


def _digest(value: str) -> str:
    if not DIGEST.fullmatch(value):
        raise ValueError("40 or 64 lower-case hexadecimal digits are needed")
    return value.removeprefix("sha256:")


def _text(value: str) -> str:
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        raise ValueError("the text holds half of a surrogate pair") from None
    return value


def _key(value: str) -> str:
    if found := INVISIBLE_IN_KEY.search(value):
        raise ValueError(f"a key holds no invisible character such as U+{ord(found.group()):04X}")
    return value


def _anything(value: Any) -> Any:
    if value is None:
        raise ValueError("a value is needed")
    json.dumps(value, allow_nan=False, default=lambda other: str(other) if isinstance(other, Decimal) else _refuse(""))
    return value


def _unrepeated(values: list[T]) -> list[T]:
    for place, value in enumerate(values):
        if value in values[:place]:
            raise ValueError(f"a set names each member once, {value!r} stands in it twice")
    return values


def _described(check: Callable[[Any], Any]) -> BeforeValidator:
    return BeforeValidator(check)


Int = Annotated[int, Field(ge=-EXACT_INT, le=EXACT_INT)]
Number = Annotated[Decimal, _described(_number)]
Text = Annotated[str, AfterValidator(_text)]
Key = Annotated[str, AfterValidator(_text), AfterValidator(_key)]
Time = Annotated[datetime, _described(_time)]
Date = Annotated[date, _described(_date)]
Digest = Annotated[str, AfterValidator(_digest)]
Anything = Annotated[Any, AfterValidator(_anything)]
Set = Annotated[list[T], AfterValidator(_unrepeated)]

__all__ = ["Anything", "Date", "Digest", "Int", "Key", "Number", "Row", "Set", "Text", "Time"]
