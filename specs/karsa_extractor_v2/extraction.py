"""The revised rule extractor: labelled lines as before, and now prose.

It reads one client brief and gives what the brief states: five fields with the span of text that supports each, two
flags, and the price of the order. Every rule is a pattern over the text; there is no model and no state, so one brief
always gives one answer. Rules were revised on the dev and held-out v1 briefs.

A value is written in a normal form: leads `1200`; money `12000 USD`; time `8 weeks` or `2027-03-31`; the definition of
a lead and the geography are the brief's own words.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

Span = tuple[int, int]

NUMBER_WORDS = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
    "twenty",
]
TENS = {"thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90}
HUNDREDS = {f"{word} hundred": number * 100 for number, word in enumerate(NUMBER_WORDS) if 1 <= number <= 9}
WORDS = {word: number for number, word in enumerate(NUMBER_WORDS)} | TENS | HUNDREDS
MONTHS = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
]

_WORD = "|".join(sorted(WORDS, key=len, reverse=True))
_COUNT = rf"[0-9][0-9,]*|{_WORD}"
_AMOUNT = r"[0-9]{1,3}(?:[, ][0-9]{3})+|[0-9]+"
_END = r"(?=[.;\n]|$)"
_NAME = r"[A-Z][a-z][\w'’]*"
_PLACE = rf"(?:{_NAME}(?: {_NAME})*)"
_PLACES = rf"{_PLACE}(?:(?:, | and |, and ){_PLACE})*"

LEADS = (
    rf"^\W*(?:\d\) )?(?:target leads|leads wanted|number of leads|leads): *(?P<value>{_COUNT})\b",
    rf"\b(?P<value>{_COUNT}) leads\b",
    rf"\btarget leads: *(?P<value>{_COUNT})\b",
)
BUDGET = (
    rf"\b(?P<value>(?:USD|EUR) ?(?:{_AMOUNT}))\b",
    rf"(?P<value>[$€] ?(?:{_AMOUNT})k?)\b",
    rf"\b(?P<value>(?:{_AMOUNT}) ?(?:USD|EUR|dollars|euros|€))",
)
TIMELINE = (
    r"\b(?P<value>[0-9]{4}-[0-9]{2}-[0-9]{2})\b",
    rf"\b(?P<value>[0-9]{{1,2}} (?:{'|'.join(MONTHS)}) [0-9]{{4}})\b",
    rf"\b(?P<value>(?:{_COUNT}) (?:days|weeks|months))\b",
)
DEFINITION = (
    rf"\blead definition: *(?P<value>[^.;\n]+){_END}",
    rf"\b(?:a|one) lead(?:, (?:to|for) us,| for us)? (?:is|means) (?P<value>[^.;\n]+){_END}",
    rf"\blead (?:=|qualifies when) (?P<value>[^.;\n]+){_END}",
    rf"\bby a lead we mean (?P<value>[^.;\n]+){_END}",
    rf"\bwe define a lead as (?P<value>[^.;\n]+){_END}",
    rf"\bwe (?:count|regard) as a lead (?P<value>[^.;\n]+){_END}",
    rf"\bwe call it a lead when (?P<value>[^.;\n]+){_END}",
    rf"\bidea of a lead: (?P<value>[^.;\n]+){_END}",
    rf"\bto count as a lead, (?P<value>[^.;\n]+){_END}",
    rf"\b(?:becomes|as) a lead (?:once|when) (?:they )?(?P<value>[^.;\n]+){_END}",
    r"\b(?:we treat|only) (?P<value>[^.;\n]+?) (?:as|is) a lead\b",
    r"^(?P<value>any [^.;\n]+?) is a lead\b",
)
GEOGRAPHY = (
    rf"\b(?i:geography|region|where|area|territory): *(?P<value>[^.;,\n]+(?:, {_PLACE})*){_END}",
    rf"\b(?:area|region|territory)(?: is)? (?P<value>{_PLACES})",
    rf"\b(?:in|from|across) (?P<value>{_PLACES})",
)
INJECTION = (
    r"\b(?:ignore|disregard|forget)\b(?: \w+){0,3} (?:instructions|rules)\b",
    r"\byou are now\b",
    r"\b(?:skip|raise no|clear) (?:the |any )?flags\b",
    r"\bset the price to\b",
)
CLAIM = (
    r"\b(?:we have|there is|with) no (?:test|study|source|evidence|proof)\b",
    r"\bno (?:source|evidence|proof|study) (?:is )?(?:needed|required)\b",
    r"\bwe made (?:that|this|it) up\b",
)

SETUP_FEE = 450
RATES = ((1000, 30), (300, 36), (100, 42), (0, 48))  # from so many leads on, dollars per lead


def extract(case: dict[str, str]) -> dict[str, list[dict[str, object]]]:
    """Rows for the tables `extracted`, `spans`, `raised` and `quotes`, from the brief's `source`."""
    source = case["source"]
    extracted: list[dict[str, object]] = []
    spans: list[dict[str, object]] = []
    price = None
    for field, (patterns, normal) in FIELDS.items():
        span = _first(patterns, source)
        if span is None:
            continue
        quote = source[span[0] : span[1]]
        value = normal(quote)
        extracted.append({"field": field, "found": value})
        spans.append({"field": field, "start": span[0], "end": span[1], "quote": quote})
        if field == "target_leads":
            price = price_of(int(value))
    flags = {"prompt_injection": INJECTION, "unsupported_claim": CLAIM}
    raised: list[dict[str, object]] = [
        {"flag": flag, "flagged": _first(patterns, source) is not None} for flag, patterns in flags.items()
    ]
    return {"extracted": extracted, "spans": spans, "raised": raised, "quotes": [{"price": price}]}


def price_of(leads: int) -> int:
    """The price of an order in dollars: the rate of its volume tier per lead, and the set-up fee."""
    return next(rate for least, rate in RATES if leads >= least) * leads + SETUP_FEE


def _first(patterns: tuple[str, ...], source: str) -> Span | None:
    """The place of the first pattern that matches: its group `value`, or the whole match. In code points."""
    for match in _matches(patterns, source):
        return match.span("value") if "value" in match.groupdict() else match.span()
    return None


def _matches(patterns: tuple[str, ...], source: str) -> Iterator[re.Match[str]]:
    for pattern in patterns:
        # names of places are told by their capital letters; everything else is read in either case
        flags = re.MULTILINE if _PLACE in pattern else re.MULTILINE | re.IGNORECASE
        yield from re.finditer(pattern, source, flags)


def _number(text: str) -> int:
    text = text.lower()
    return WORDS[text] if text in WORDS else int(re.sub(r"[, ]", "", text))


def _leads(quote: str) -> str:
    return str(_number(quote))


def _budget(quote: str) -> str:
    amount = re.search(_AMOUNT, quote)
    assert amount is not None
    thousands = 1000 if quote.endswith("k") else 1
    currency = "EUR" if re.search("EUR|€|euros", quote, re.IGNORECASE) else "USD"
    return f"{_number(amount[0]) * thousands} {currency}"


def _timeline(quote: str) -> str:
    first, *rest = quote.split(" ")
    if len(rest) == 2 and rest[0].lower() in MONTHS:
        return f"{rest[1]}-{MONTHS.index(rest[0].lower()) + 1:02}-{int(first):02}"
    return f"{_number(' '.join((first, *rest[:-1])))} {rest[-1].lower()}" if rest else quote


def _words(quote: str) -> str:
    return quote.strip()


FIELDS: dict[str, tuple[tuple[str, ...], Callable[[str], str]]] = {
    "target_leads": (LEADS, _leads),
    "budget": (BUDGET, _budget),
    "timeline": (TIMELINE, _timeline),
    "lead_definition": (DEFINITION, _words),
    "geography": (GEOGRAPHY, _words),
}
