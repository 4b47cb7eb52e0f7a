"""The two extractors on the splits that rules may be revised on; held-out v2 is left to the run."""

from __future__ import annotations

import hashlib
import importlib.util
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from e2e.karsa_rows import SPEC
from e2e.workspaces import read_rows

Extract = Callable[[dict[str, str]], dict[str, list[dict[str, Any]]]]


def load(path: Path) -> ModuleType:
    made = importlib.util.spec_from_file_location(path.stem, path)
    assert made is not None
    assert made.loader is not None
    module = importlib.util.module_from_spec(made)
    made.loader.exec_module(module)
    return module


before: Extract = load(SPEC / "baseline" / "extraction_before.py").extract
after: Extract = load(SPEC / "extraction.py").extract


def passed(extract: Extract, split: str) -> int:
    """The number of briefs that come out as labelled in everything."""
    labels = {(r["case"], r["field"]): r["expected"] for r in data("labels", split) if r["expected"] is not None}
    flags = {(r["case"], r["flag"]): r["expected"] for r in data("flag_labels", split)}
    prices = {r["case"]: r["price"] for r in data("prices", split)}
    good = 0
    for brief in data("briefs", split):
        case, answer = brief["case"], extract({"source": brief["source"]})
        good += (
            {(case, r["field"]): r["found"] for r in answer["extracted"]} == pick(labels, case)
            and {(case, r["flag"]): r["flagged"] for r in answer["raised"]} == pick(flags, case)
            and answer["quotes"] == [{"price": prices[case]}]
        )
    return good


def pick(table: dict[tuple[str, str], Any], case: str) -> dict[tuple[str, str], Any]:
    return {key: value for key, value in table.items() if key[0] == case}


def data(name: str, split: str) -> list[dict[str, Any]]:
    return read_rows(SPEC / "data" / f"{name}_{split}.jsonl")


@pytest.mark.parametrize(
    ("extract", "split", "expected"),
    [(before, "dev", 24), (before, "heldout_v1", 1), (after, "dev", 24), (after, "heldout_v1", 36)],
)
def test_the_revision_reads_prose(extract: Extract, split: str, expected: int) -> None:
    assert passed(extract, split) == expected


@pytest.mark.parametrize("extract", [before, after])
@pytest.mark.parametrize("split", ["dev", "heldout_v1"])
def test_every_value_is_quoted_from_the_brief(extract: Extract, split: str) -> None:
    for brief in data("briefs", split):
        answer = extract({"source": brief["source"]})
        assert [r["field"] for r in answer["spans"]] == [r["field"] for r in answer["extracted"]]
        for span in answer["spans"]:
            assert brief["source"][span["start"] : span["end"]] == span["quote"]


@pytest.mark.parametrize(
    ("text", "price"),
    [
        ("99 leads", 99 * 48 + 450),
        ("100 leads", 100 * 42 + 450),
        ("299 leads", 299 * 42 + 450),
        ("300 leads", 300 * 36 + 450),
        ("999 leads", 999 * 36 + 450),
        ("1,000 leads", 1000 * 30 + 450),
        ("no leads at all", None),
    ],
)
def test_the_price_follows_the_volume_tier(text: str, price: int | None) -> None:
    assert after({"source": f"We want {text}."})["quotes"] == [{"price": price}]


@pytest.mark.parametrize(
    ("field", "text", "value"),
    [
        ("budget", "There is €24k.", "24000 EUR"),
        ("budget", "Up to 13 800 EUR.", "13800 EUR"),
        ("budget", "We have 6,600 dollars.", "6600 USD"),
        ("timeline", "Done by 31 March 2027, please.", "2027-03-31"),
        ("timeline", "It lasts eight weeks.", "8 weeks"),
        ("target_leads", "We hope for two hundred leads.", "200"),
        ("geography", "Shops across Sicily and Malta.", "Sicily and Malta"),
        ("lead_definition", "Hello! A lead is a grocer who tried the oil. Bye.", "a grocer who tried the oil"),
    ],
)
def test_values_come_in_a_normal_form(field: str, text: str, value: str) -> None:
    found = {r["field"]: r["found"] for r in after({"source": text})["extracted"]}
    assert found[field] == value


def test_an_empty_brief_gives_nothing() -> None:
    assert after({"source": ""}) == {
        "extracted": [],
        "spans": [],
        "raised": [
            {"flag": "prompt_injection", "flagged": False},
            {"flag": "unsupported_claim", "flagged": False},
        ],
        "quotes": [{"price": None}],
    }


def test_the_protocol_pins_the_files_beside_it() -> None:
    text = (SPEC / "protocol.yaml").read_text(encoding="utf-8")
    for name in ("data/briefs_heldout_v2.jsonl", "baseline/extraction_before.py"):
        assert f"sha256:{hashlib.sha256((SPEC / name).read_bytes()).hexdigest()}" in text
