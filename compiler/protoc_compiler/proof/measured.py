"""What the rows of a case come to on each side: the metrics that decide, and the numbers of rows."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from fractions import Fraction
from functools import cached_property

from protoc_compiler import core
from protoc_compiler.drift.reads import Thing, readers
from protoc_compiler.proof.answers import Value
from protoc_compiler.proof.shown import number_of
from protoc_runtime.record import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from protoc_compiler.proof.scored import Scored

_MOST = 8  # values that people are shown of a case, beside those that differ
_FEW = 4  # entries of one metric that do not differ
_FAILS = (("blockers", True, ("does not fire", "fires")), ("gates", False, ("holds", "does not hold")))
_PLACES = 10**9  # a number of so few decimals is written with them
_TIMES = ("s", "ms")
_VERDICT: Thing = ("item", "verdict", "verdict")
_NONE = object()  # what a side says of what it does not declare


class Sides:
    """Two protocols, and what each has computed of the same rows, as `replay.results` tells it."""

    def __init__(self, protocols: tuple[core.Protocol, core.Protocol], found: tuple[Any, Any]) -> None:
        self.protocols, self.found = protocols, found
        self.asked: list[set[Thing]] = []

    def measured(
        self, rules: Iterable[tuple[str, str, str]], tables: Mapping[str, int], counts: Collection[str] = (),
        also: Collection[str] = (),
    ) -> tuple[Value, ...]:  # fmt: skip
        """The numbers of rows in the tables, and the metrics that one of these rules reads on either side, or that are
        told `also`. `rules` have their space, the old and the new name; without any the verdict is meant. `counts`
        are metrics which say how many rows there are: people are not told of tables then. Where no metric differs
        they are told of the definitions that do."""
        named = list(rules)
        self.asked = [{("item", rule[0], rule[1 + side]) for rule in named} or {_VERDICT} for side in (0, 1)]
        given = [name for name in self._metrics() if name in also or self._read(("item", "metrics", name))]
        failing = [] if named else list(self._failing())
        if failing:  # no rule has changed: what these read is what the verdict is about
            self.asked = [{("item", space, item) for space, item, _ in failing} for _ in (0, 1)]
        rows = [self._rows(name, number) for name, number in tables.items()]
        decide = [one for one in rows if self._read(("table", one.name))] or rows
        found = [value for _, _, value in failing]
        for name in given:
            read = name in also or self._read(("item", "metrics", name))
            found += [value if read or value.moved else replace(value, aside=True) for value in self._entries(name)]
        found += self._counted()
        moved = [value for value in found if value.moved]
        same = sorted((value for value in found if not value.moved), key=lambda value: value.name not in counts)
        told = [value for value in same if not value.aside]
        shown = [*(() if counts else decide), *told][:_MOST]
        defined = [replace(value, aside=bool(moved)) for value in self._defined()]
        return (*[one if one in shown else replace(one, aside=True) for one in (*rows, *same)], *moved, *defined)

    def _rows(self, name: str, number: int) -> Value:
        """A number of rows; where only some splits are scored, of which these rows are: all together may be more."""
        told = number_of(name, number, number)
        scored = self._scored
        if scored is None or scored.splits is None or name not in scored.partial:
            return told
        text = f"{number} of {' and '.join(sorted(scored.splits))}"
        return replace(told, old=text, new=text)

    @cached_property
    def _scored(self) -> Scored | None:
        """Which rows the rules see; None where there are no splits."""
        new = self.protocols[1]
        if not new.splits:
            return None
        from protoc_compiler.proof.closing import Closing
        from protoc_compiler.proof.scored import Scored

        return Scored(new, Closing(new))

    def _read(self, thing: Thing) -> bool:
        """Whether one of the rules reads it."""
        pairs = zip(self.asked, self.protocols, strict=True)
        return any(not asked.isdisjoint(readers(side).above([thing])) for asked, side in pairs)

    def _metrics(self) -> list[str]:
        """The metrics of both, those of the new side first."""
        return list(dict.fromkeys(item.name for side in self.protocols[::-1] for item in side.of("metrics")))

    def _entries(self, name: str) -> Iterator[Value]:
        """A metric; of one with an entry for each group those which do not decide, and do not differ, are aside."""
        items = [next((item for item in side.of("metrics") if item.name == name), None) for side in self.protocols]
        shares = [
            item is not None and _is_share(item.expr, side)
            for item, side in zip(items, self.protocols, strict=True)
        ]  # fmt: skip
        tables = [one["metrics"] if item is not None else {} for item, one in zip(items, self.found, strict=True)]
        if not any(item.per for item in items if item is not None):
            yield _value(name, tables, name, shares)
            return
        start = name.partition("<")[0]
        entries = dict.fromkeys(entry for table in tables for entry in table if entry.startswith(start))
        deciding = self._deciding(list(entries))
        for entry in entries:
            value = _value(entry, tables, entry, shares)
            yield replace(value, aside=entry not in deciding and not value.moved)

    def _deciding(self, entries: list[str]) -> list[str]:
        """Those of which the two ask another outcome; else all if they are few, else those that lack something."""
        outcomes = [self._outcomes(side) for side in (0, 1)]
        apart = [entry for entry in entries if outcomes[0].get(entry) != outcomes[1].get(entry)]
        if apart or len(entries) <= _FEW:
            return apart[:_FEW] or entries
        lacking = [entry for entry in entries if any(set(one.get(entry, ())) - {True} for one in outcomes)]
        return (lacking or entries)[:_FEW]

    def _outcomes(self, side: int) -> dict[str, list[bool | None]]:
        """What the rules that are asked about ask of the row of each entry."""
        made: dict[str, list[bool | None]] = {}
        for key, asked in self.found[side]["inside"].asked.items():
            for entry, outcomes in asked.items() if ("item", *key) in self.asked[side] else ():
                made[entry] = [*made.get(entry, ()), *outcomes]
        return made

    def _counted(self) -> Iterator[Value]:
        """How many rows the rules count that are asked about."""
        tables = [
            {text: number for (key, text), number in one["inside"].counted.items() if ("item", *key) in asked}
            for one, asked in zip(self.found, self.asked, strict=True)
        ]
        for text in dict.fromkeys(text for table in tables[::-1] for text in table):
            yield _value(text, tables, text, [False, False])

    def _failing(self) -> Iterator[tuple[str, str, Value]]:
        """The blockers that fire and the gates that do not hold, with their space and their name."""
        for space, outcome, words in _FAILS:
            tables = [one[space] for one in self.found]
            items = dict.fromkeys(item.name for side in self.protocols[::-1] for item in side.of(space))
            for name in dict.fromkeys(name for table in tables for name in table):
                told = [words[table[name] is outcome] if name in table else None for table in tables]
                if words[True] in told:
                    item = next(one for one in items if _is_entry(name, one))
                    yield space, item, Value(f"{space}.{name}", told[0], told[1])

    def _defined(self) -> Iterator[Value]:
        """The definitions that differ, and are read."""
        tables = [one["beside"] for one in self.found]
        for thing in dict.fromkeys(thing for table in tables[::-1] for thing in table):
            share = thing[0] == "column"
            value = _value(".".join(thing[1:] if share else thing[-1:]), tables, thing, [share, share])
            if value.moved and self._read(thing):
                yield value


def _is_entry(name: str, item: str) -> bool:
    """Whether an entry is one of this item."""
    return name.startswith(item.partition("<")[0]) if "<" in item else name == item


def _value(name: str, tables: list[dict[Any, Any]], key: Any, shares: list[bool]) -> Value:
    """What is called so on both sides."""
    values = [table.get(key, _NONE) for table in tables]
    told = [None if value is _NONE else _told(value, share) for value, share in zip(values, shares, strict=True)]
    plain = [
        None if value is _NONE or value is None else _plain(value, share)
        for value, share in zip(values, shares, strict=True)
    ]
    return Value(name, told[0], told[1], plain=(plain[0], plain[1]))


def _is_share(value: core.Expr, protocol: core.Protocol) -> bool:
    """Whether it is a number of rows out of another one, which it keeps beside it."""
    if isinstance(value, core.Default):
        return _is_share(value.operand, protocol)
    if isinstance(value, core.Global):
        named = (item for item in protocol.of(value.space) if item.name == value.name)
        return any(_is_share(item.expr, protocol) for item in named)
    if isinstance(value, core.Arithmetic):
        return value.op == "/" and value.left.type.kind == value.right.type.kind == "int"
    return isinstance(value, core.Aggregate) and value.function == "rate"


def _plain(value: Any, share: bool) -> str:
    """For programs: a share with its rows, any other number as a quotient where it is none."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if not isinstance(value, dict):
        return str(value)
    if "num" not in value:
        return str(next(iter(value.values())))
    number = f"{value['num']}" if value["den"] == 1 and not share else f"{value['num']}/{value['den']}"
    return f"{number} {value['unit']}" if "unit" in value else number


def _told(value: Any, share: bool) -> str:
    """For people: with decimals what has but a few, or is a time, and is no share; less than a second in ms."""
    if value is None:
        return "undefined"
    if isinstance(value, dict) and "num" in value and not share:
        number, unit = Fraction(int(value["num"]), int(value["den"])), value.get("unit", "")
        if unit == "s" and 0 < abs(number) < 1:
            number, unit = number * 1000, "ms"
        rounded = unit in _TIMES and _PLACES % number.denominator != 0
        number = round(number, 3) if rounded else number
        if _PLACES % number.denominator == 0:
            whole, rest = divmod(abs(number.numerator) * (_PLACES // number.denominator), _PLACES)
            text = f"{'-' if number < 0 else ''}{whole}.{rest:09}".rstrip("0").rstrip(".")
            return f"{'about ' if rounded else ''}{text} {unit}".rstrip()
    return _plain(value, share)
