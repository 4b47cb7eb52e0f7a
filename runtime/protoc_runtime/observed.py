"""What the tool itself observes, and what a spec may therefore declare as a table or record `from:` that source.

The compiler refuses a column that is not listed here; the runner fills exactly these. A column's type is written as
in a spec; `unit` stands for a reference to the table of cases.
"""

from __future__ import annotations

OUTCOMES = ("scored", "failed", "timed_out", "quarantined", "excluded")

TABLES: dict[str, dict[str, str]] = {
    # one row per case that the phase reads; exactly one outcome each
    "runner": {
        "case": "unit",
        "outcome": "[scored, failed, timed_out, quarantined, excluded]",
        "reason": "text?",
        "wall": "s?",
    },
    # one row per reading of a split that the registry holds for this protocol, the present one included
    "registry": {
        "reading": "text",
        "split": "splits",
        "use": "[tune, score]",
        "run": "text",
        "at": "time",
    },
}

RECORDS: dict[str, dict[str, str]] = {
    "seal": {"time": "time", "files_match": "bool", "reseals": "int", "commit": "digest?", "clean": "bool?"},
    "subject": {"sha256": "digest", "committed": "bool", "files": "int"},
    "runner": {"started": "time", "finished": "time", "cases": "int", "scored": "int", "unscored": "int"},
    "receipt": {"complete": "bool"},
}
