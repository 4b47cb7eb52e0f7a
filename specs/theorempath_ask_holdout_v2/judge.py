"""Fills in the sheets of a run from `judgements.json`, as a rater would who has read the corpus.

python3 judge.py FOLDER    fill every sheet in the folder that `protoc adjudicate RUN --export FOLDER` wrote

The table tells for each conversation which topics of the corpus directly answer it, and the broad field it belongs to.
"""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

TABLE = json.loads((Path(__file__).resolve().parent / "judgements.json").read_text(encoding="utf-8"))
Line = dict[str, Any]


def fill(folder: Path) -> list[str]:
    """Fill the sheets of a folder; the names of those that were there."""
    judges = {"topics": topic_label, "support": support_label, "buckets": bucket_label}
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    there = [name for name in judges if (folder / f"{name}.jsonl").exists()]
    for name in there:
        path = folder / f"{name}.jsonl"
        lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        for line in lines:
            line |= {"adjudicator": TABLE["adjudicator"], "at": now, "label": judges[name](line)}
        path.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")
    return there


def answers_to(case: str) -> list[str]:
    """The topics that directly answer a conversation."""
    return list(TABLE["relevant"].get(case, []))


def topic_label(line: Line) -> str:
    """Relevant if the topic answers the conversation, adjacent if it is of the same field, otherwise irrelevant."""
    case, topic = line["key"]["case"], line["sees"]["id"]
    if topic in answers_to(case):
        return "relevant"
    statistics = topic in TABLE["statistics"]
    return "adjacent" if statistics == (case in TABLE["asks_for_statistics"]) else "irrelevant"


def support_label(line: Line) -> str:
    """Whether the corpus has a topic that answers the conversation."""
    return "supportable" if answers_to(line["key"]["case"]) else "absent_corpus"


def bucket_label(line: Line) -> str:
    """The one primary cause of an error."""
    if line["sees"]["expected"] != line["sees"]["route"]:
        return "routing_miss"
    return "ranking_miss" if answers_to(line["key"]["case"]) else "absent_corpus"


if __name__ == "__main__":
    print("\n".join(f"{name}: filled" for name in fill(Path(sys.argv[1]))))
