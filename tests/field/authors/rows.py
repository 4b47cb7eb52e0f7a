"""The rows of the cases: a script wrote them, `python rows.py` writes the same ones again."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent


def write(protocol: str, case: str, **tables: Iterable[dict[str, Any]]) -> None:
    """One JSONL file per table."""
    folder = HERE / protocol / "cases" / case
    folder.mkdir(parents=True, exist_ok=True)
    for name, rows in tables.items():
        lines = [json.dumps(row, sort_keys=True) for row in rows]
        (folder / f"{name}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")


def search(case: str, shift: int, spread: int, slow: int, lost: int) -> None:
    """Forty queries; `shift` and `spread` of the difference in hundredths."""
    draw = random.Random(case)
    segments = [("head", 20), ("torso", 18), ("tail", 2)]
    queries = [{"query": f"q{at}", "segment": s} for at, s in enumerate(s for s, n in segments for _ in range(n))]
    answers = []
    for at, query in enumerate(queries):
        base = draw.randrange(30, 80)
        other = base + shift + draw.randint(-spread, spread)
        for system, score, extra in (("current", base, 0), ("cheap", other, slow)):
            gone = at < lost and system == "cheap"
            answers.append({
                "query": query["query"], "system": system,
                "ndcg": None if gone else max(score, 0) / 100,
                "latency": None if gone else 100 + draw.randrange(50) + extra,
            })  # fmt: skip
    write("search-margin", case, queries=queries, answers=answers)


LABELS = ("hate", "rude", "fine")


def agreement(case: str, noise: dict[str, int], excluded: int, undisputed: bool = False) -> None:
    """Thirty messages; `noise` is how often, in percent, an annotator errs."""
    draw = random.Random(case)
    messages, labels, decisions = [], [], []
    for at in range(30):
        truth = draw.choice(LABELS)
        messages.append({"message": f"m{at}", "language": ("de", "en", "yo")[0 if at < 14 else 1 if at < 27 else 2]})
        given = [draw.choice(LABELS) if draw.randrange(100) < noise[who] else truth for who in noise]
        labels += [{"message": f"m{at}", "annotator": who, "label": one} for who, one in zip(noise, given, strict=True)]
        if len(set(given)) > 1 or (undisputed and at == 0):
            out = len([one for one in decisions if one["outcome"] == "excluded"]) < excluded or len(set(given)) == 1
            reason = draw.choice(("ambiguous", "off_topic", "unreadable")) if out else None
            row = {"message": f"m{at}", "outcome": "excluded" if out else "settled"}
            decisions.append({**row, "settled": None if out else truth, "reason": reason})
    write("label-agreement", case, messages=messages, labels=labels, decisions=decisions)


def accents(case: str, worse: dict[str, int], wall: int, crashes: int, words: int = 9) -> None:
    """Thirty utterances; `worse` adds errors to an accent's r8."""
    draw = random.Random(case)
    names = ["scots"] * 9 + ["indian"] * 9 + ["us"] * 11 + ["nigerian"]
    utterances, decodes = [], []
    for at, accent in enumerate(names):
        count = draw.randint(words - 4, words)
        utterances.append({"utterance": f"u{at}", "accent": accent, "words": count, "length": count * 0.4})
        for release in ("r7", "r8"):
            errors = [draw.randrange(2), draw.randrange(2), draw.randrange(20) // 19]
            if release == "r8":
                errors = [0, errors[0] * errors[1], errors[2]]
                errors[0] += worse.get(accent, 0)
            gone = release == "r8" and at < crashes
            kinds = dict(zip(("sub", "dele", "ins"), errors, strict=True))
            row: dict[str, Any] = {**kinds, "wall": wall + draw.randrange(300)}
            decodes.append({"utterance": f"u{at}", "release": release, **(dict.fromkeys(row) if gone else row)})
    write("accent-words", case, utterances=utterances, decodes=decodes)


if __name__ == "__main__":
    search("not_worse", 0, 4, 10, 2)
    search("better_but_slow", 5, 6, 60, 0)
    search("worse_in_head", -6, 6, 0, 4)
    search("too_many_lost", 1, 3, 0, 5)
    agreement("publish", {"ada": 10, "ben": 15, "cyd": 20}, 2)
    agreement("retrain", {"ada": 5, "ben": 5, "cyd": 60}, 3)
    agreement("void", {"ada": 10, "ben": 10, "cyd": 10}, 1, undisputed=True)
    accents("ship", {}, 450, 1)
    accents("unfair", {"indian": 2}, 450, 0)
    accents("too_few_words", {}, 900, 0, 5)
    accents("broken", {}, 300, 2)
