"""The types of random specs: how they are declared, literals of them, and values of them in rows."""

from __future__ import annotations

import json
from dataclasses import dataclass
from decimal import Decimal
from random import Random
from typing import Any

UNITS = {"dur": ("ms", "s", "min"), "size": ("B", "KiB"), "usd": ("USD",)}
MEASURES = ("int", "num", *UNITS)
WORDS = ("red", "green", "blue")
TEXTS = ("", "a", "b", "ab", "aba", "é", "Zz", "a b", "red")
HEX = "0123456789abcdef"


@dataclass(frozen=True)
class Kind:
    """A type: `name`, the unit of a measure, the members of an enum, the item of a set or list, the table of a row."""

    name: str
    unit: str = ""
    members: tuple[str, ...] = ()
    item: Kind | None = None
    table: str = ""

    def declared(self) -> str:
        """The type as a spec writes it."""
        if self.name == "enum":
            return f"[{', '.join(self.members)}]"
        if self.name in ("set", "list"):
            assert self.item is not None
            return f"{self.name} of {self.item.declared()}"
        if self.name == "row":
            return self.table
        return {"num": "decimal"}.get(self.name, self.unit or self.name)


BOOL, INT, NUM, TEXT, TIME, DATE, DIGEST, ANY = map(
    Kind, ("bool", "int", "num", "text", "time", "date", "digest", "any")
)
REAL = Kind("real")
ENUM = Kind("enum", members=WORDS)


def measure(rng: Random) -> Kind:
    """A number or a quantity."""
    name = rng.choice(("int", "int", "num", "num", "dur", "size", "usd"))
    return Kind(name, rng.choice(UNITS[name])) if name in UNITS else Kind(name)


def stored(rng: Random) -> Kind:
    """The type of a plain column."""
    roll = rng.random()
    if roll < 0.4:
        return measure(rng)
    if roll < 0.85:
        return rng.choice((BOOL, BOOL, BOOL, TEXT, ENUM, ENUM, TIME, DATE, ANY))
    item = rng.choice((INT, TEXT, NUM))
    return rng.choice((DIGEST, Kind("set", item=item), Kind("list", item=item)))


def alike(one: Kind, other: Kind) -> bool:
    """Whether values of one can stand where the other is wanted."""
    if one.name != other.name:
        return one.name == "int" and other.name == "num"
    return (one.item, one.table, one.members) == (other.item, other.table, other.members)


# --- literals in formulas -----------------------------------------------------------------------------------------


def literal(rng: Random, kind: Kind) -> str:
    """A constant of a type, as a formula writes it; empty where there is none (a word is one beside an enum only)."""
    if kind.name == "bool":
        return rng.choice(("true", "false"))
    if kind.name == "int":
        return rng.choice(("0", "1", "2", "3", "7", "1_000", "9007199254740991"))
    if kind.name == "num":
        return rng.choice(("0.5", "25%", "0.25", "1.0", "0.333", "2.75", "0.000000000001", "123456789.125"))
    if kind.name in UNITS:
        return f"{rng.choice(('0', '1', '2.5', '40', '250'))} {rng.choice(UNITS[kind.name])}"
    if kind.name == "text":
        return f'"{rng.choice(TEXTS)}"'
    if kind.name == "time":
        return rng.choice(("2026-08-10T12:30Z", "2026-08-11T00:00:00Z"))
    return rng.choice(("2026-08-10", "2026-08-11")) if kind.name == "date" else ""


# --- values in rows -----------------------------------------------------------------------------------------------


def value(rng: Random, kind: Kind, wild: float = 0.05) -> Any:
    """A value of a type; few distinct ones, so that they meet, and now and then (`wild`) an extreme one."""
    extreme = rng.random() < wild
    if kind.name == "bool":
        return rng.random() < 0.6
    if kind.name == "int":
        return rng.choice((2**53, -(2**53), 2**53 - 1, 10**9)) if extreme else rng.randint(-2, 5)
    if kind.name == "num" or kind.name in UNITS:
        return decimal(rng, extreme)
    if kind.name == "text":
        return rng.choice(TEXTS)
    if kind.name == "enum":
        return rng.choice(kind.members)
    if kind.name == "time":
        day = f"2026-08-{rng.randint(9, 12):02}"
        return day + rng.choice(("T00:00:00Z", "T12:30:00Z", "T12:30:00.000001Z", "T02:00:00+02:00", "T23:59:59-01:00"))
    if kind.name == "date":
        return f"2026-08-{rng.randint(9, 12):02}"
    if kind.name == "digest":
        return rng.choice(("sha256:", "")) + rng.choice("ab") * 64
    if kind.name == "any":
        return anything(rng)
    assert kind.item is not None
    made = [value(rng, kind.item, wild) for _ in range(rng.randint(0, 3))]
    return list(dict.fromkeys(made)) if kind.name == "set" and not extreme else made


def decimal(rng: Random, extreme: bool) -> Decimal:
    """A decimal; equal ones are not always written alike."""
    if extreme:
        texts = (
            "1e-30",
            "123456789012345678.123456789",
            "-99999999999999999999",
            "1e18",
            "0.000000000000000001",
            "4e15",
        )
        return Decimal(rng.choice(texts))
    return Decimal(
        rng.choice(("0", "0.5", "0.50", "0.25", "1", "1.0", "0.1", "0.3", "-0.5", "2.75", "3", "0.05", "1e1"))
    )


def anything(rng: Random) -> Any:
    """A value of any kind."""
    plain = (True, False, 0, 1, 2, Decimal("1.0"), Decimal("0.5"), "1", "a", "red", "true")
    return rng.choice(plain) if rng.random() < 0.9 else rng.choice(([1, "a"], {"k": None}, [], {"b": 1, "a": [True]}))


def written(item: Any) -> str:
    """JSON with decimals as they are."""
    if isinstance(item, Decimal):
        return str(item)
    if isinstance(item, dict):
        return "{" + ", ".join(f"{json.dumps(name)}: {written(part)}" for name, part in item.items()) + "}"
    if isinstance(item, list):
        return "[" + ", ".join(map(written, item)) + "]"
    return json.dumps(item)
