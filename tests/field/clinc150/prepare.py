"""CLINC150 as an operation router: rows of the development split, a classifier, and what it decides, three times.

The reference is scikit-learn's own prediction. `rewritten` is the same arithmetic by hand over sparse rows, `quantised`
has its weights rounded to eight bits. Scores are rounded to nine decimals, as a router would log them.
"""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

REGISTERED = 8  # of the fifteen intents of a domain, by name
THRESHOLD = 0.5  # chosen on the development split, which may be tuned on
Rows = list[dict[str, Any]]


def prepare(source: Path, spec: Path) -> dict[str, Rows]:
    """Write the protocol's inputs into `spec`; what the reference and the two other runtimes decide."""
    whole = json.loads((source / "data_full.json").read_text(encoding="utf-8"))
    domains = json.loads((source / "domains.json").read_text(encoding="utf-8"))
    registered = {intent: domain for domain, all_ in domains.items() for intent in sorted(all_)[:REGISTERED]}
    write(spec / "intents.jsonl", [{"intent": intent, "domain": domain} for intent, domain in registered.items()])
    cases = [case(f"val{at:04}", text, intent, registered) for at, (text, intent) in enumerate(whole["val"])]
    cases += [case(f"oos{at:04}", text, "oos", registered) for at, (text, _) in enumerate(whole["oos_val"])]
    write(spec / "cases_dev.jsonl", cases)
    made = runtimes([row for row in whole["train"] if row[1] in registered], [row["query"] for row in cases])
    (spec / "model.json").write_text(json.dumps(made.pop("model")), encoding="utf-8")
    decided = {name: decisions(cases, *scores) for name, scores in made.items()}
    (spec / "decisions").mkdir()
    write(spec / "decisions" / "decisions.jsonl", decided["reference"])
    return decided


def case(name: str, text: str, intent: str, registered: dict[str, str]) -> dict[str, Any]:
    supported = intent in registered
    kind = "supported" if supported else "ood" if intent == "oos" else "near_domain"
    return {"case": name, "slice": kind, "query": text, "expected": intent if supported else None}


def runtimes(train: list[list[str]], queries: list[str]) -> dict[str, Any]:
    """For each runtime the best intent, its score and the milliseconds of every query; and what the model is."""
    import numpy as np
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import SGDClassifier

    words = TfidfVectorizer(ngram_range=(1, 2), min_df=2, sublinear_tf=True)
    rows = words.fit_transform([text for text, _ in train])
    model = SGDClassifier(loss="log_loss", alpha=1e-5, max_iter=8, tol=None, random_state=0)
    model.fit(rows, [intent for _, intent in train])
    begun = time.perf_counter()
    asked = words.transform(queries)
    own = model.predict_proba(asked)
    each = 1_000 * (time.perf_counter() - begun) / len(queries)
    step = np.abs(model.coef_).max() / 127
    made: dict[str, Any] = {"model": {"kind": "SGDClassifier", "intents": list(model.classes_), "words": rows.shape[1]}}
    made["reference"] = best(own, model.classes_, each)
    made["rewritten"] = best(by_hand(asked, model.coef_, model.intercept_), model.classes_, each)
    quantised = np.round(model.coef_ / step) * step
    made["quantised"] = best(by_hand(asked, quantised, model.intercept_), model.classes_, each)
    return made


def by_hand(rows: Any, weights: Any, intercept: Any) -> Any:
    """One logistic function per intent, scaled to sum to 1, row by row."""
    import numpy as np

    made = []
    for at in range(rows.shape[0]):
        part = slice(rows.indptr[at], rows.indptr[at + 1])
        sums = intercept + weights[:, rows.indices[part]] @ rows.data[part]
        each = 1 / (1 + np.exp(-sums))
        made.append(each / each.sum())
    return np.array(made)


def best(scores: Any, intents: Any, each: float) -> tuple[list[str], list[float], float]:
    return [str(intents[at]) for at in scores.argmax(1)], [round(float(one), 9) for one in scores.max(1)], each


def decisions(cases: Rows, intents: list[str], scores: list[float], each: float) -> Rows:
    return [
        {
            "case": row["case"], "predicted": intent, "supported_probability": score,
            "selected": intent if score >= THRESHOLD else None, "error": None, "authority_violation": False,
            "latency": round(each, 3),
        }
        for row, intent, score in zip(cases, intents, scores, strict=True)
    ]  # fmt: skip


def write(path: Path, rows: Rows) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
