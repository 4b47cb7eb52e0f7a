"""The example of Ask: its folder, its parts as modules, and rows as a perfect Ask would give them."""

from __future__ import annotations

import importlib
import sys
from typing import Any

from e2e.workspaces import ROOT, read_rows

SPEC = ROOT / "specs" / "theorempath_ask_holdout_v2"
COMMIT = next(word for word in (SPEC / "protocol.yaml").read_text().split("commit: {is: ")[1].split(","))
Row = dict[str, Any]
Rows = dict[str, list[Row]]


def part(name: str) -> Any:
    """A module of the example's folder."""
    if str(SPEC) not in sys.path:
        sys.path.append(str(SPEC))
    return importlib.import_module(name)


def sealed_cases() -> list[Row]:
    """The sealed conversations, with the split that their file's name tells."""
    return [{**row, "split": "v2"} for row in read_rows(SPEC / "data" / "holdout_v2.jsonl")]


def of_stratum(stratum: str, expected: str) -> list[str]:
    """The cases of a stratum that have this label."""
    return [row["case"] for row in sealed_cases() if (row["stratum"], row["expected"]) == (stratum, expected)]


def attempt(case: str, n: int = 1, **values: Any) -> Row:
    """An attempt that was answered."""
    answered = {"status": 200, "error": None, "retry_reason": None, "waited": 0, "model": "ask-embed-1"}
    seen = {"source": "provider", "vector_dimension": 64, "acceptable": True}
    return {"case": case, "n": n, "call": 1, **answered, **seen, **values}


def perfect() -> Rows:
    """Every table of a run in which Ask made no mistake."""
    cases = sealed_cases()
    called = [row["case"] for row in cases if row["expected"] == "provider_call"]
    told = {"adjudicator": "Ada", "at": "2024-09-01T00:00:00Z"}
    tree = {"detached": True, "clean_at_start": True, "clean_at_finish": True, "first_read": "2026-08-11T00:00:00Z"}
    return {
        "cases": cases,
        "results": [
            {"case": row["case"], "turns": len(row["messages"]), "final_turn": row["messages"][-1]["content"]}
            for row in cases
        ],
        "topics": [
            {"case": case, "rank": rank, "id": f"t{rank}", "title": "A topic", "summary": "What it is about."}
            for case in called
            for rank in (1, 2, 3)
        ],
        "attempts": [attempt(case) for case in called],
        "judgements": [
            {"case": case, "rank": rank, "label": "relevant" if rank == 1 else "adjacent", **told}
            for case in called
            for rank in (1, 2, 3)
        ],
        "support": [{"case": case, "corpus": "supportable"} for case in called],
        "buckets": [],
        "seal": [{"time": "2026-08-10T00:00:00Z", "files_match": True}],
        "worktree": [{"commit": COMMIT, **tree, "corpus": "ab" * 32, "routing": "cd" * 32}],
        "credential": [{"usable": True}],
        "generation": [{"attempts": 0, "calls": 0}],
        "scan": [{"findings": 0}],
        "receipt": [{"complete": True}],
    }


def miss(rows: Rows, *cases: str) -> None:
    """Ask does not call the provider for these cases, although it should."""
    for table in ("attempts", "topics", "judgements"):
        rows[table] = [row for row in rows[table] if row["case"] not in cases]
    rows["buckets"] += [{"case": case, "bucket": "routing_miss"} for case in cases]


def alarm(rows: Rows, *cases: str, label: str = "irrelevant") -> None:
    """Ask calls the provider for these cases, although it should not."""
    for case in cases:
        rows["attempts"].append(attempt(case))
        for rank in (1, 2, 3):
            shown = {"id": f"t{rank}", "title": "A topic", "summary": "What it is about."}
            rows["topics"].append({"case": case, "rank": rank, **shown})
            judged = {"label": label, "adjudicator": "Ada", "at": "2024-09-01T00:00:00Z"}
            rows["judgements"].append({"case": case, "rank": rank, **judged})
        rows["buckets"].append({"case": case, "bucket": "routing_miss"})
