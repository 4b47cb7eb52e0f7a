"""Finds the numbers in an author's words: in digits, with a unit or a percent sign, and spelt out in English."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction

from protoc_runtime.record import record


@record
class Said:
    """One number in words, from `start` to `end`.

    `values` are the numbers that it may mean (`5 points` are 5 or 0.05). `unit` is a base unit, with values in it.
    `strict` numbers must occur in the formula: those in digits that stand alone.
    """

    text: str
    start: int
    end: int
    values: tuple[Fraction, ...]
    unit: str = ""
    strict: bool = False


_DURATIONS = {
    **dict.fromkeys(("ms", "msec", "millisecond", "milliseconds"), Fraction(1, 1000)),
    **dict.fromkeys(("s", "sec", "second", "seconds"), Fraction(1)),
    **dict.fromkeys(("min", "minute", "minutes"), Fraction(60)),
    **dict.fromkeys(("h", "hour", "hours"), Fraction(3600)),
    **dict.fromkeys(("day", "days"), Fraction(86400)),
}
_SIZES = {
    **dict.fromkeys(("B", "byte", "bytes"), Fraction(1)),
    "KiB": Fraction(2**10),
    "MiB": Fraction(2**20),
    "GiB": Fraction(2**30),
}
_MONEY = {
    **dict.fromkeys(("USD", "dollar", "dollars", "US dollars"), "USD"),
    **dict.fromkeys(("EUR", "euro", "euros"), "EUR"),
}
_SHARES = ("%", "percent", "per cent")
_POINTS = ("percentage points", "percentage point", "points", "point", "pp")
_UNITS = frozenset((*_DURATIONS, *_SIZES, *_MONEY, *_SHARES, *_POINTS))
_NUMBER = r"(?:[0-9]{1,3}(?:,[0-9]{3})+(?![0-9])|[0-9][0-9_]*)(?:\.[0-9]+)?"
_DIGITS = (
    rf"(?<![\w.])(?P<money>[$€])?(?P<number>{_NUMBER})"
    rf"(?:(?P<suffix>st|nd|rd|th|x|×|k|K)(?!\w)|/(?P<below>[0-9]+)(?![\w/])"
    # any word may be a unit here: an expression of all units takes a millisecond to compile
    r"|(?P<gap>[ -])?(?P<unit>US dollars|per cent|percentage points?|[A-Za-z]+|%)(?!\w))?(?![\w]|\.[0-9]|/[0-9])"
)
_SUFFIXES = {"k": 1000, "K": 1000}
_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
# Patterns that few texts need are compiled for the first that does.
_SPELT_DATE = rf"\b(?:[0-9]{{1,2}} )?(?:{'|'.join(_MONTHS)})(?: [0-9]{{1,2}}\b(?!,[0-9]))?(?:,? [0-9]{{4}})?\b"
_DATE = r"(?<![\w-])[0-9]{4}-[0-9]{2}-[0-9]{2}(?:T[0-9:]+Z?)?(?![\w-])"
_QUANTILE = r"\b[pP]([0-9]{1,2})\b"
# What is named by a number rather than counted: "section 4", "version 2", "sha-256", "recall@10", "#3".
_NUMBERED = (
    *("section", "sections", "step", "phase", "rule", "rules", "clause", "appendix", "figure", "table", "item", "line"),
    *("page", "part", "version", "issue", "commit", "rfc", "iso", "sha", "utf", "http", "python", "chapter"),
    *("amendment", "round", "study", "task"),
)

_ONES = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    *("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_SMALL = {
    **{word: value for value, word in enumerate(_ONES)},
    **{word: 10 * value for value, word in enumerate(_TENS, 2)},
}
_PARTS = {
    "half": 2,
    "halve": 2,
    **{word: below for below, word in enumerate(("third", "quarter", "fifth", "sixth", "seventh", "eighth"), 3)},
    **{word: below for below, word in enumerate(("ninth", "tenth"), 9)},
}
_STARTING = frozenset((*_SMALL, "dozen", "hundred", "thousand", *_PARTS, *(f"{part}s" for part in _PARTS)))
_WORDS = re.compile(r"[A-Za-z]+")
_FIGURES = frozenset("0123456789")


def numbers(text: str) -> list[Said]:
    """Every number of `text`."""
    if _FIGURES.isdisjoint(text):
        return list(_spelt(text))
    days = [(said.start, said.end) for said in dates(text)]
    if any(month in text for month in _MONTHS):
        days += [match.span() for match in re.finditer(_SPELT_DATE, text)]
    inside = [said for said in _digits(text) if not any(start <= said.start < end for start, end in days)]
    return [*inside, *_spelt(text)]


def dates(text: str) -> list[Said]:
    """Every date that is written as in a formula, `2026-08-10`."""
    if not any(part[-4:].isdigit() for part in text.split("-")[:-1]):  # no year
        return []
    return [Said(match[0], match.start(), match.end(), ()) for match in re.finditer(_DATE, text)]


def says_day(text: str, day: str) -> bool:
    """Whether a day such as `2026-08-10` is said, in this form or as `10 August 2026`."""
    year, month, number = day.split("-")
    named = (year, _MONTHS[int(month) - 1])
    return day in text or (all(part in text for part in named) and re.search(rf"\b0?{int(number)}\b", text) is not None)


def _digits(text: str) -> Iterator[Said]:
    for match in re.finditer(_DIGITS, text):
        start, end, suffix, unit = match.start("number"), match.end(), match["suffix"], match["unit"] or ""
        number = match["number"]
        if unit and unit not in _UNITS:
            if not match["gap"]:  # what goes on as a word is no number, but it may be what stands before a comma
                number = number.rpartition(",")[0]
            if not number:
                continue
            end, unit = start + len(number), ""
        value = Fraction(number.replace(",", "").replace("_", "")) * _SUFFIXES.get(suffix, 1)
        values, unit = _measure(value, unit, match["money"] or "")
        if match["below"]:
            values = (value / (int(match["below"]) or 1),)
        elif suffix in ("st", "nd", "rd", "th"):
            values = (value, value / 100)
        counted = not suffix and not _names(text[: match.start()])
        yield Said(text[start:end], start, end, values, unit, strict=counted)
    for match in re.finditer(_QUANTILE, text) if _has_quantile(text) else ():
        yield Said(match[0], match.start(), match.end(), (Fraction(match[1]), Fraction(match[1]) / 100))


def _has_quantile(text: str) -> bool:
    """Whether figures stand behind a `p` at all, as in `p95`."""
    return any(part[:1].isdigit() for part in text.lower().split("p")[1:])


def _names(before: str) -> bool:
    """Whether a number is a name: `#` stands before it, a hyphen behind a word, or what it names."""
    before = before.removesuffix("\n")
    last, rest = before[-1:], before[:-1]
    if last == "-" and rest:
        return rest[-1] == ")" or is_letter(rest[-1])
    if last != " ":
        return last != "" and last in "§#@"
    start = len(rest)
    while start and is_letter(rest[start - 1]):
        start -= 1
    return rest[start:].lower() in _NUMBERED


def is_letter(char: str) -> bool:
    """Whether a character belongs to a word, as `\\w` has it; not where there is none."""
    return char.isalnum() or char == "_"


def _measure(value: Fraction, unit: str, money: str) -> tuple[tuple[Fraction, ...], str]:
    if unit in _SHARES:
        return (value / 100,), ""
    if unit in _POINTS:
        return (value, value / 100), ""
    if unit in _DURATIONS:
        return (value * _DURATIONS[unit],), "s"
    if unit in _SIZES:
        return (value * _SIZES[unit],), "B"
    return (value,), _MONEY.get(unit, {"$": "USD", "€": "EUR"}.get(money, ""))


def _spelt(text: str) -> Iterator[Said]:
    lower = [word.lower() for word in _WORDS.findall(text)]
    if _STARTING.isdisjoint(lower):
        return
    words = list(_WORDS.finditer(text))
    index = 0
    while index < len(words):
        value, after = _spelt_number(lower, index)
        if after > index:
            start, end = words[index].start(), words[after - 1].end()
            yield Said(text[start:end], start, end, (value,))
        index = max(after, index + 1)


def _spelt_number(words: list[str], start: int) -> tuple[Fraction, int]:
    """The number that starts at a word, and the index behind it (`start` where there is none)."""
    value, index = _below_thousand(words, start)
    if words[index : index + 1] == ["thousand"]:
        rest, after = _below_thousand(words, _skip_and(words, index + 1))
        value, index = (value or 1) * 1000 + rest, after if rest else index + 1
    part = words[index].removesuffix("s") if index < len(words) else ""
    if part in _PARTS:
        return Fraction(value or 1, _PARTS[part]), index + 1
    return Fraction(value), index


def _below_thousand(words: list[str], start: int) -> tuple[int, int]:
    value, index = _below_hundred(words, start)
    if words[index : index + 1] == ["hundred"]:
        rest, after = _below_hundred(words, _skip_and(words, index + 1))
        return (value or 1) * 100 + rest, after if rest else index + 1
    if words[index : index + 1] == ["dozen"]:
        return (value or 1) * 12, index + 1
    return value, index


def _below_hundred(words: list[str], start: int) -> tuple[int, int]:
    first = _SMALL.get(words[start], -1) if start < len(words) else -1
    second = _SMALL.get(words[start + 1], 0) if start + 1 < len(words) else 0
    if first >= 20 and 0 < second < 10:
        return first + second, start + 2
    return (first, start + 1) if first >= 0 else (0, start)


def _skip_and(words: list[str], index: int) -> int:
    return index + 1 if words[index : index + 1] == ["and"] else index
