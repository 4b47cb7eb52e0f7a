"""QA1 of this example: fills in exported sheets from an inventory that was written down before any agent was asked.

python3 review.py SHEETS    fills every `inventory` and `proposal` sheet in the folder that has no answer yet

The inventory (`inventory.json`) has the passages of each opinion that apply an element. A proposal is accepted where it
overlaps a passage of the inventory for the same element; nothing else of it is looked at.
"""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
PERSON = "QA1 (a script)"


def fill(sheets: Path) -> list[str]:
    """Fill in what is there; the names of the sheets."""
    inventory = json.loads((HERE / "inventory.json").read_text(encoding="utf-8"))
    filled = []
    for path in sorted(sheets.glob("*.jsonl")):
        lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        answer = marks if path.name.startswith("inventory") else label
        made = [{**line, **answer(line, inventory), **_signed()} for line in lines]
        path.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in made), encoding="utf-8")
        filled.append(path.name)
    return filled


def marks(line: dict[str, Any], inventory: dict[str, list[dict[str, Any]]]) -> dict[str, Any]:
    """The passages of an opinion."""
    return {"marks": [{**mark, "note": None} for mark in inventory.get(line["key"]["case"], [])]}


def label(line: dict[str, Any], inventory: dict[str, list[dict[str, Any]]]) -> dict[str, Any]:
    """Whether a proposal overlaps a passage for its element."""
    seen = line["sees"]
    start = seen["text"].find(seen["quote"])
    end = start + len(seen["quote"])
    own = [mark for mark in inventory.get(line["key"]["case"], []) if mark["label"] == seen["element"]]
    right = any(mark["start"] < end and start < mark["end"] for mark in own)
    return {"label": "accepted" if right else "rejected"}


def _signed() -> dict[str, str]:
    return {"adjudicator": PERSON, "at": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")}


if __name__ == "__main__":
    print("filled in:", ", ".join(fill(Path(sys.argv[1]))))
