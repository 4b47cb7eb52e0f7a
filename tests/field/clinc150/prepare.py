"""The freeze of an operation router on real utterances: the same rules, with the intents of a public data set.

Of each domain some intents are registered operations, the others are near-domain requests that nothing supports, and
what the data set calls out of scope is out of the domain. The router is a plain classifier: one model says which
registered intent an utterance is, another whether it is any of them.
"""

from __future__ import annotations

import json
import re
import shutil
import time
from pathlib import Path
from typing import Any

REGISTERED = 5  # intents of each domain
TRAINED = 40  # utterances of each intent
SURFACE = 12  # of each slice, in the surfaces on which earlier candidates have failed
Row = dict[str, Any]


class Corpus:
    """The utterances, by slice and split."""

    def __init__(self, data: Path) -> None:
        domains = json.loads((data / "domains.json").read_text(encoding="utf-8"))
        self._full = json.loads((data / "data_full.json").read_text(encoding="utf-8"))
        self.registered = sorted(intent for intents in domains.values() for intent in sorted(intents)[:REGISTERED])
        self._near = sorted(intent for intents in domains.values() for intent in sorted(intents)[REGISTERED:])

    def rows(self, part: str, most: int, first: int = 0) -> list[Row]:
        """At most so many utterances of each intent in a part of the data set (`train`, `val`, `test`)."""
        found: dict[str, list[str]] = {}
        for text, intent in self._full[part]:
            found.setdefault(intent, []).append(text)
        made = [_row(text, "supported", name) for name in self.registered for text in found[name][first : first + most]]
        made += [_row(text, "near_domain", None) for name in self._near for text in found[name][first : first + most]]
        outside = self._full[f"oos_{part}"][first : first + most * 10]
        return made + [_row(text, "ood", None) for text, _ in outside]


def _row(text: str, name: str, expected: str | None) -> Row:
    return {"slice": name, "query": text, "expected": expected}


class Router:
    """Two linear models over words; `scale` rounds their weights to so many steps, as a quantised runtime would."""

    def __init__(self, rows: list[Row]) -> None:
        from sklearn.feature_extraction.text import TfidfVectorizer
        from sklearn.linear_model import LogisticRegression

        self._words = TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True, min_df=2)
        matrix = self._words.fit_transform([row["query"] for row in rows])
        known = [at for at, row in enumerate(rows) if row["expected"]]
        self._which = LogisticRegression(C=20.0, max_iter=100, tol=1e-3).fit(
            matrix[known], [rows[at]["expected"] for at in known]
        )
        self._whether = LogisticRegression(C=20.0, max_iter=100, tol=1e-3).fit(
            matrix, [bool(row["expected"]) for row in rows]
        )

    def quantise(self, steps: int) -> None:
        """Round every weight."""
        for model in (self._which, self._whether):
            model.coef_ = (model.coef_ * steps).round() / steps

    def decide(self, cases: list[Row], threshold: float) -> list[Row]:
        """One decision per case; the latency is the average over all of them."""
        before = time.perf_counter()
        matrix = self._words.transform([case["query"] for case in cases])
        routes = self._which.predict(matrix)
        scores = self._whether.predict_proba(matrix)[:, list(self._whether.classes_).index(True)]
        each = (time.perf_counter() - before) * 1000 / len(cases)
        return [
            decision(case["case"], str(route), round(float(score), 6), threshold, round(each, 3))
            for case, route, score in zip(cases, routes, scores, strict=True)
        ]


def decision(case: str, route: str, score: float, threshold: float, latency: float) -> Row:
    """What the router answers."""
    executes = score >= threshold
    return {
        "case": case, "predicted": route, "supported_probability": score, "winner_rejected": not executes,
        "selected": route if executes else None, "granted_by": "registry" if executes else "nobody", "error": None,
        "latency": latency, "authority_violation": False,
    }  # fmt: skip


def protocol(text: str) -> str:
    """The example's protocol with the intents as operations and with decisions that are recorded."""
    changes = (
        (r"      rows:\n        invoice.list:[\s\S]*?(?=    slices:)",
         "      file: data/operations\n      columns: {operation: text, pseudo: bool}\n"),
        (r"        - count\(cases where split == \w+\) == \d+\n", ""),
        (r"        error: text\?\n", "        error: text?\n        latency: ms\n"),
        (r"    python: router.py:route\n", "    recorded: answers\n"),
        (r"    sees: \[query\]\n    timeout: 5 s\n    concurrency: 2\n", ""),
        (r"is: only\(outcomes\).wall", "is: decision.latency"),
        (r"    registry: \{file: operations.json, cites: \[C011\]\}\n", ""),
        (r"(case: cases, outcome: \[.*?\]), wall: s\?\}", r"\1}"),
        (r"collect: digest of (backend|router)\.py", "collect: digest of protocol.yaml"),
        (r"collect: digest of operations\.json", "collect: digest of data/operations.jsonl"),
    )  # fmt: skip
    for pattern, new in changes:
        text, count = re.subn(pattern, new, text)
        assert count, pattern
    return text


def prepare(data: Path, example: Path, folder: Path, threshold: float) -> tuple[Router, list[Row]]:
    """Write the protocol, its rows and the decisions of the development phase; the router and the cases."""
    (folder / "data").mkdir(parents=True)
    (folder / "answers").mkdir()
    shutil.copytree(example / "benchmarks", folder / "benchmarks")
    text = (example / "protocol.yaml").read_text(encoding="utf-8")
    (folder / "protocol.yaml").write_text(protocol(text), encoding="utf-8")
    corpus = Corpus(data)
    operations = [{"operation": name, "pseudo": False} for name in corpus.registered]
    write(folder / "data" / "operations.jsonl", [*operations, {"operation": "oos", "pseudo": True}])
    cases = numbered("d", corpus.rows("val", 10))
    write(folder / "data" / "cases_dev.jsonl", cases)
    for number, name in enumerate(("failed_270", "failed_287")):
        rows = corpus.rows("train", 1, TRAINED + number)
        write(folder / "data" / f"cases_{name}.jsonl", numbered("gh"[number], rows[:SURFACE]))
    router = Router(corpus.rows("train", TRAINED))
    write(folder / "answers" / "decisions.jsonl", router.decide(cases, threshold))
    return router, cases


def numbered(letter: str, rows: list[Row]) -> list[Row]:
    """Rows with a key."""
    return [{"case": f"{letter}{number:05}", **row} for number, row in enumerate(rows, 1)]


def write(path: Path, rows: list[Row]) -> None:
    """Rows as JSON Lines."""
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
