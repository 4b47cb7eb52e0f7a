"""The example of proposals on opinions: its folder, its parts, and rows as an orderly agent and reviewer would give."""

from __future__ import annotations

import importlib.util
import json
from typing import Any

from e2e.workspaces import ROOT, read_rows

SPEC = ROOT / "specs" / "neochart_r5"
Row = dict[str, Any]
Rows = dict[str, list[Row]]
FROZEN = [
    "POSTMORTEM.md", "PROMPT.txt", "agent/agent.py", "data/exclusions.jsonl", "data/laws.jsonl", "data/pool.jsonl",
    "data/sample.jsonl", "protocol.yaml", "reader.py", "response.schema.json",
]  # fmt: skip


def part(name: str) -> Any:
    """A module of the example's folder, under a name of its own."""
    about = importlib.util.spec_from_file_location(f"neochart_{name.replace('/', '_')}", SPEC / f"{name}.py")
    assert about is not None
    assert about.loader is not None
    module = importlib.util.module_from_spec(about)
    about.loader.exec_module(module)
    return module


def inventory() -> dict[str, list[Row]]:
    """The passages of QA1, by case."""
    return json.loads((SPEC / "inventory.json").read_text(encoding="utf-8"))  # type: ignore[no-any-return]


def candidate(case: str, position: int, element: str, quote: str, **values: Any) -> Row:
    """A proposal."""
    about = {"role": "applied", "polarity": "favourable", "reason": "it says so"}
    return {"case": case, "position": position, "element": element, "quote": quote, **about, **values}


def perfect() -> Rows:
    """Rows of a run in which each case has the first passage of the inventory, accepted by QA1."""
    cases = read_rows(SPEC / "data" / "sample.jsonl")
    passages = inventory()
    at = "2026-09-01T10:00:{:02d}Z"
    rows: Rows = {name: read_rows(SPEC / "data" / f"{name}.jsonl") for name in ("laws", "pool", "exclusions")}
    rows |= {name: [] for name in ("answers", "proposed", "calls", "events", "turns", "outcomes", "gold", "decisions")}
    rows |= {"cases": cases, "reviews": []}
    for number, case in enumerate(cases):
        name, marks = case["case"], passages[case["case"]]
        one = marks[0]
        rows["answers"].append({"case": name, "role": "applied"})
        rows["proposed"].append(candidate(name, 1, one["label"], one["quote"]))
        rows["calls"].append({
            "case": name, "n": 1, "started_at": at.format(number + 1), "verified_at": at.format(number),
            "prompt": f"Read {case['text']} now.", "model": "extractor-1", "reasoning": "medium",
            "cli_version": "extractor 1.0.2", "at_once": 1 + number % 3, "sandboxed": True, "wall": 2, "failed": False,
        })  # fmt: skip
        kinds = ("thread.started", "turn.started", "agent_message", "turn.completed")
        rows["events"] += [{"case": name, "n": n, "kind": kind, "allowed": True} for n, kind in enumerate(kinds, 1)]
        counts = {"input": 22_500, "cached": 21_504, "output": 160, "reasoning": 60}
        rows["turns"].append(
            {"case": name, "n": 1, "kind": "completed", "reported": "{}", "malformed": False, **counts}
        )
        rows["outcomes"].append({"case": name, "outcome": "scored", "wall": 3})
        signed = {"adjudicator": "QA1", "at": "2026-09-02T10:00:00Z"}
        for n, mark in enumerate(marks, 1):
            span = {"quote": mark["quote"], "start": mark["start"], "end": mark["end"]}
            rows["gold"].append({"case": name, "rater": "QA1", "n": n, "element": mark["label"], **span, **signed})
        rows["decisions"].append({"case": name, "position": 1, "rater": "QA1", "label": "accepted", **signed})
        saved = {"inventory_saved_at": "2026-09-02T10:00:00Z", "first_proposal_shown_at": "2026-09-02T10:05:00Z"}
        rows["reviews"].append({"case": name, **saved})
    rows["frozen"] = [{"time": "2026-09-01T09:59:59Z", "clean": True, "paths": FROZEN}]
    rows["runner"] = [{"batch": 21}]
    return rows
