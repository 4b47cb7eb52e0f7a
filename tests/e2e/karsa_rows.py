"""Rows for the extractor protocol: as a perfect extractor would give them, to be broken one at a time."""

from __future__ import annotations

from typing import Any

from e2e.workspaces import ROOT, read_rows

SPEC = ROOT / "specs" / "karsa_extractor_v2"
SPLITS = ("dev", "heldout_v1", "heldout_v2")
REVISED = "ab" * 32  # a digest that is not the one before the revision

Rows = dict[str, list[dict[str, Any]]]


def sealed() -> Rows:
    """The sealed tables, whole: the split that is told by a file's name stands in each row."""
    files = {"cases": "briefs", "labels": "labels", "flag_labels": "flag_labels", "prices": "prices"}
    return {
        table: [
            {**row, "split": split} for split in SPLITS for row in read_rows(SPEC / "data" / f"{file}_{split}.jsonl")
        ]
        for table, file in files.items()
    }


def perfect() -> Rows:
    """Every table of a run in which the extractor made no mistake."""
    rows = sealed()
    stated = [label for label in rows["labels"] if label["expected"] is not None]
    rows["extracted"] = [{"case": r["case"], "field": r["field"], "found": r["expected"]} for r in stated]
    rows["spans"] = [{key: r[key] for key in ("case", "field", "start", "end", "quote")} for r in stated]
    rows["raised"] = [{"case": r["case"], "flag": r["flag"], "flagged": r["expected"]} for r in rows["flag_labels"]]
    rows["quotes"] = [{"case": r["case"], "price": r["price"]} for r in rows["prices"]]
    rows["outcomes"] = [{"case": r["case"], "outcome": "scored"} for r in rows["cases"]]
    rows["readings"] = [{"reading": f"r{n}", "split": split, "use": "score"} for n, split in enumerate(SPLITS)]
    rows["seal"] = [{"files_match": True}]
    rows["subject"] = [{"sha256": REVISED, "committed": True}]
    return rows


def the(rows: Rows, table: str, **key: Any) -> dict[str, Any]:
    """The one row with these values."""
    (row,) = [row for row in rows[table] if all(row[name] == value for name, value in key.items())]
    return row
