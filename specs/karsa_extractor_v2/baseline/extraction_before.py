"""The rule extractor before the revision: it reads labelled lines and nothing else.

Kept as it was when held-out v1 was scored, so that anybody can see what the revision changed.
"""

from __future__ import annotations

import re

LABELS = {
    "target_leads": "Target leads",
    "budget": "Budget",
    "timeline": "Timeline",
    "lead_definition": "Lead definition",
    "geography": "Geography",
}
VALUES = {
    "target_leads": re.compile(r"[0-9,]+"),
    "budget": re.compile(r"(?:USD|EUR) [0-9,]+"),
    "timeline": re.compile(r"[0-9]+ (?:days|weeks|months)|[0-9]{4}-[0-9]{2}-[0-9]{2}"),
    "lead_definition": re.compile(r".+"),
    "geography": re.compile(r".+"),
}
INJECTION = re.compile(r"ignore previous instructions|disregard the rules|you are now", re.IGNORECASE)
CLAIM = re.compile(r"we have no test|no source needed|we made that up", re.IGNORECASE)
SETUP_FEE = 450


def extract(case: dict[str, str]) -> dict[str, list[dict[str, object]]]:
    """What the brief in `source` says, as rows: values found, their spans, flags, and the price of the order."""
    source = case["source"]
    values: list[dict[str, object]] = []
    spans: list[dict[str, object]] = []
    leads = None
    for field, label in LABELS.items():
        line = re.search(rf"^{label}: (.+)$", source, re.MULTILINE)
        if line is None or VALUES[field].fullmatch(line[1]) is None:
            continue
        value = _normal(field, line[1])
        values.append({"field": field, "found": value})
        spans.append({"field": field, "start": line.start(1), "end": line.end(1), "quote": line[1]})
        if field == "target_leads":
            leads = int(value)
    flags = {"prompt_injection": INJECTION, "unsupported_claim": CLAIM}
    return {
        "extracted": values,
        "spans": spans,
        "raised": [{"flag": flag, "flagged": words.search(source) is not None} for flag, words in flags.items()],
        "quotes": [{"price": None if leads is None else leads * _rate(leads) + SETUP_FEE}],
    }


def _normal(field: str, text: str) -> str:
    if field == "target_leads":
        return text.replace(",", "")
    if field == "budget":
        currency, amount = text.split(" ")
        return f"{amount.replace(',', '')} {currency}"
    return text


def _rate(leads: int) -> int:
    return 48 if leads < 100 else 42 if leads < 300 else 36 if leads < 1000 else 30
