"""The results as JSON: exact counts, reduced rationals, twelve decimals of a real."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import UTC, date, datetime
from decimal import ROUND_HALF_EVEN, Decimal
from fractions import Fraction
from typing import Any

from protoc_compiler.emit.support.items import compute_all, entries, hidden, value, valued
from protoc_compiler.emit.support.rows import PROTOCOL, Row
from protoc_compiler.emit.support.values import PROMISED, Anything, Ratio, Real

SPACES = ("metrics", "blockers", "gates", "checks", "verdicts", "statuses", "lists")
REASONS = {
    ("blockers", True): "blocker fired",
    ("blockers", None): "blocker fired, since it is undefined",
    ("gates", False): "gate failed",
    ("gates", None): "gate not shown to hold, since it is undefined",
}
PLACEHOLDER = re.compile(r"<[^<>]*>")


def label(row: Row) -> str:
    """How an entry names its row: the key as the protocol writes it, else the key's text, parts joined by dots."""
    declared = PROTOCOL.tables[row.table]
    if declared.labels:
        return declared.labels[row.line]
    values = [row[column] for column in declared.key or declared.group] or row.key
    return ".".join(label(value) if isinstance(value, Row) else text_of(value) for value in values)


def fill(name: str, keys: tuple[Row, ...]) -> str:
    """A name with its placeholders replaced by the labels of rows."""
    if not keys:
        return name
    given = map(label, keys)
    return PLACEHOLDER.sub(lambda _: next(given), name)


def text_of(x: Any) -> str:
    """A key value as text."""
    if isinstance(x, Anything):
        return text_of(x.value)
    if isinstance(x, bool) or x is None:
        return {True: "true", False: "false", None: "null"}[x]
    if isinstance(x, Fraction):
        return decimal_text(x)
    return moment(x) if isinstance(x, date) else str(x)


def decimal_text(x: Fraction) -> str:
    """A rational as the shortest decimal, or as num/den where no decimal ends."""
    rest = x.denominator
    for prime in (2, 5):
        while rest % prime == 0:
            rest //= prime
    if rest != 1:
        return f"{x.numerator}/{x.denominator}"
    places = 0
    while (x * 10**places).denominator != 1:
        places += 1
    return f"{Decimal(int(x * 10**places)).scaleb(-places, PROMISED):f}"


def moment(x: date) -> str:
    """A time or date in ISO form."""
    if isinstance(x, datetime):
        return x.astimezone(UTC).isoformat().replace("+00:00", "Z")
    return x.isoformat()


def to_json(x: Any, unit: str = "") -> Any:
    """A value as `score` prints it; `unit` of a quantity."""
    if isinstance(x, Anything):
        return to_json(x.value) if x.kind != "json" else canonical(x.value)
    if x is None or isinstance(x, (bool, str)):
        return x
    if isinstance(x, Real):
        shown = x.number.quantize(Decimal("1e-12"), ROUND_HALF_EVEN, PROMISED)
        return {"float": f"{abs(shown) if shown == 0 else shown:f}", "why": x.why}
    if isinstance(x, (int, Fraction)):
        num, den = x.raw if isinstance(x, Ratio) else (x.numerator, x.denominator)
        return {"num": large(num), "den": large(den)} | ({"unit": unit} if unit else {})
    if isinstance(x, Row):
        return label(x)
    if isinstance(x, date):
        return moment(x)
    found = [to_json(item, unit) for item in x]
    return found if isinstance(x, tuple) else sorted(found, key=str)


def large(x: int) -> int | str:
    """A whole number; beyond 2^53 as text, since other programs would round it."""
    return x if abs(x) < 2**53 else str(x)


def canonical(x: Any) -> str:
    """A list or object from a column of type `any` as JSON text: keys sorted, numbers as plain decimals."""
    if isinstance(x, Anything) and x.kind == "number":
        return decimal_text(x.value)
    if x is None or isinstance(x, Anything):
        return json.dumps(None if x is None else x.value, ensure_ascii=False)
    if x and x[0] == "list":
        return f"[{','.join(map(canonical, x[1:]))}]"
    return "{" + ",".join(f"{json.dumps(name, ensure_ascii=False)}:{canonical(item)}" for name, item in x) + "}"


UNITS_OF: dict[tuple[str, str], str] = {}


def results_of(space: str) -> dict[str, Any]:
    """Every entry of one name space, by the name that it is reported under."""
    units = UNITS_OF
    return {
        fill(name, keys): None
        if waits(space, name)
        else to_json(valued(space, name, *keys), units.get((space, name), ""))
        for _, name, keys in reported((space,))
    }


def results(protocol: str, version: int, digest: str, released: tuple[str, ...]) -> dict[str, Any]:
    """Everything that the protocol reports, computed from the rows."""
    compute_all()
    found = {space: results_of(space) for space in SPACES}  # before the verdict: of two faults the first is told
    verdict = value("verdict", "verdict") if ("verdict", "verdict") in PROTOCOL.items else None
    if PROTOCOL.absent and not any(space == "blockers" for space, _ in speaking()):
        verdict = "PENDING"
    missing = [] if verdict is not None else list(without_verdict())
    return {
        "schema": "protoc/score/1",
        "protocol": protocol,
        "version": version,
        "spec_digest": digest,
        **found,
        "verdict": verdict,
        "released": verdict in released and not PROTOCOL.absent,
        "reasons": [*reasons(), *missing],
        "withheld": list(withheld()),
        **({"outside": [*outside()]} if any(outside()) else {}),
        **({"pending": pending()} if PROTOCOL.absent else {}),
    }


def waits(space: str, name: str) -> bool:
    """Whether an item has no value yet, since people have not told what it reads."""
    return bool(PROTOCOL.absent) and PROTOCOL.items[space, name].waits


def pending() -> dict[str, list[str]]:
    """Every entry that has no value yet."""
    made: dict[str, list[str]] = {}
    for space, name, keys in reported(SPACES):
        if waits(space, name):
            made.setdefault(space, []).append(fill(name, keys))
    return made


def reasons() -> Iterator[str]:
    """Every blocker that fired and every gate that did not hold, with the conditions of it that are not true."""
    return (words for _, words in speaking())


def speaking() -> Iterator[tuple[str, str]]:
    """The same, each with its space; what waits for people does not speak yet."""
    for space, name, keys in reported(("blockers", "gates")):
        if waits(space, name):
            continue
        item, found = PROTOCOL.items[space, name], valued(space, name, *keys)
        words = REASONS.get((space, found))
        if words and (found is not None or space == "gates" or item.fires_undefined):
            missing = dict.fromkeys(text for text, part in item.parts if part(*keys) is not True)
            because = f" ({'; '.join(missing)})" if missing else ""
            yield space, f"{fill(name, keys)}: {words}: {item.says}{because}"


def without_verdict() -> Iterator[str]:
    """The line that leaves the verdict undefined: the first whose condition is not false."""
    lines = PROTOCOL.items["verdict", "verdict"].lines if ("verdict", "verdict") in PROTOCOL.items else None
    for text, condition, _ in lines() if lines is not None else ():
        met = condition()
        if met is not False:
            what = "word" if met else "condition"
            yield f"verdict: none, since the {what} of this line is undefined: {text}"
            return


def outside() -> Iterator[str]:
    """Every entry of a custom metric: a function of the author's, which nothing checks."""
    for space, name, keys in reported(("metrics",)):
        if PROTOCOL.items[space, name].outside:
            yield fill(name, keys)


def withheld() -> Iterator[str]:
    """Every entry that its section withholds."""
    for space, name, keys in reported(SPACES):
        if not waits(space, name) and hidden(PROTOCOL.items[space, name], keys):
            yield f"{space}.{fill(name, keys)}"


def reported(spaces: tuple[str, ...]) -> Iterator[tuple[str, str, tuple[Row, ...]]]:
    """Every entry of some name spaces, one space after the other."""
    for space in spaces:
        for where, name in PROTOCOL.items:
            for keys in entries(space, name) if where == space else ():
                yield space, name, keys
