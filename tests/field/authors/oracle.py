"""What the three fact sheets ask for, computed from their prose with the standard library alone.

It knows neither the specs nor the compiler. `python oracle.py` writes `expected.json` beside the rows of each case.
"""

from __future__ import annotations

import json
import math
import random
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction as F
from itertools import combinations
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
Row = dict[str, Any]


def rows(case: Path, name: str) -> list[Row]:
    """The rows of a file, decimals exact."""
    lines = (case / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line, parse_float=F) for line in lines]


def mean(values: Sequence[F]) -> F | None:
    """The mean; none of nothing."""
    return F(sum(values)) / len(values) if values else None


def ranked(values: Iterable[Any], share: F) -> Any:
    """Nearest rank."""
    ordered = sorted(values)
    return ordered[math.ceil(share * len(ordered)) - 1]


def search(case: Path) -> Row:
    """Paired non-inferiority."""
    answers = {(a["query"], a["system"]): a for a in rows(case, "answers")}
    queries = rows(case, "queries")
    pairs, lost = [], []
    for query in queries:
        old, new = (answers[query["query"], system]["ndcg"] for system in ("current", "cheap"))
        if old is None or new is None:
            lost.append(query["query"])
        else:
            pairs.append((query["segment"], F(new) - F(old)))
    values = [value for _, value in pairs]
    generator = random.Random(4711)
    draws = sorted(sum(values[int(generator.random() * len(values))] for _ in values) / len(values) for _ in range(500))
    low, high = draws[math.floor(F(25, 1000) * 500)], draws[math.ceil(F(975, 1000) * 500) - 1]
    by = {name: [value for segment, value in pairs if segment == name] for name in ("head", "torso", "tail")}
    segments = all(mean(found) >= F(-5, 100) for found in by.values() if len(found) >= 3)  # type: ignore[operator]
    slow = {
        system: ranked(
            (a["latency"] for a in answers.values() if a["system"] == system and a["latency"] is not None), F(95, 100)
        )
        for system in ("current", "cheap")
    }
    fast = slow["cheap"] <= F(12, 10) * slow["current"]
    wins, losses = sum(v > 0 for v in values), sum(v < 0 for v in values)
    trials = wins + losses
    tail = F(sum(math.comb(trials, k) for k in range(min(wins, losses) + 1)), 2**trials)
    margin = F(-2, 100)
    if F(len(lost), len(queries)) > F(1, 10):
        verdict = "INVALID"
    elif high < margin:
        verdict = "WORSE"
    elif not segments or low <= margin:
        verdict = "UNCLEAR"
    elif not fast:
        verdict = "TOO_SLOW"
    else:
        verdict = "BETTER" if low > 0 else "NOT_WORSE"
    metrics = {"lost_share": F(len(lost), len(queries)), "effect": mean(values), "effect_low": low, "effect_high": high}
    metrics |= {f"effect_in.{name}": mean(found) for name, found in by.items()}
    metrics |= {"wins": wins, "losses": losses, "ties": len(values) - trials, "p": min(F(1), 2 * tail)}
    metrics |= {f"slowest.{name}": F(value, 1000) for name, value in slow.items()}
    lists = {"lost": lost, "small_segments": [name for name, found in by.items() if len(found) < 3]}
    return {"verdict": verdict, "metrics": metrics, "lists": lists}


def fleiss(ratings: Sequence[Sequence[str]]) -> F | None:
    """Fleiss' kappa of ratings by item."""
    if not ratings:
        return None
    n = len(ratings[0])
    agreed = sum(F(sum(c * (c - 1) for c in Counter(one).values()), n * (n - 1)) for one in ratings) / len(ratings)
    shares = Counter(label for one in ratings for label in one)
    chance = sum(F(c, n * len(ratings)) ** 2 for c in shares.values())
    return None if chance == 1 else (agreed - chance) / (1 - chance)


def cohen(pairs: Sequence[tuple[str, str]]) -> F | None:
    """Cohen's kappa."""
    n = len(pairs)
    first, second = Counter(a for a, _ in pairs), Counter(b for _, b in pairs)
    chance = sum(F(first[label] * second[label], n * n) for label in first)
    return None if chance == 1 else (F(sum(a == b for a, b in pairs), n) - chance) / (1 - chance)


def agreement(case: Path) -> Row:
    """Annotators and adjudication."""
    who = ("ada", "ben", "cyd")
    given = {(x["message"], x["annotator"]): x["label"] for x in rows(case, "labels")}
    decided = {x["message"]: x for x in rows(case, "decisions")}
    messages = rows(case, "messages")
    ratings = {m["message"]: [given[m["message"], one] for one in who] for m in messages}
    out = [name for name in ratings if name in decided and decided[name]["outcome"] == "excluded"]
    kept = [m for m in messages if m["message"] not in out]
    names = [m["message"] for m in kept]
    truth = {n: decided[n]["settled"] if len(set(ratings[n])) > 1 else ratings[n][0] for n in names if n in decided or
             len(set(ratings[n])) == 1}  # fmt: skip
    disputed = {name for name, found in ratings.items() if len(set(found)) > 1}
    void = (
        any(name not in decided for name in disputed)
        or any(name not in disputed or decided[name]["reason"] is None for name in out)
        or F(len(out), len(messages)) > F(1, 5)
    )
    by = {lang: [m["message"] for m in kept if m["language"] == lang] for lang in ("de", "en", "yo")}
    kappas = {lang: fleiss([ratings[n] for n in found]) for lang, found in by.items()}
    pairs = {
        f"kappa_{who[a]}_{who[b]}": cohen([(ratings[n][a], ratings[n][b]) for n in names])
        for a, b in combinations(range(3), 2)
    }
    right = {one: F(sum(given[n, one] == truth.get(n) for n in names), len(names)) for one in who}
    kappa, lowest = fleiss([ratings[n] for n in names]), min(pairs.values())  # type: ignore[type-var]
    agreed = kappa is not None and kappa >= F(4, 10) and lowest is not None and lowest >= F(3, 10)
    spoken = all(
        kappas[lang] is not None and kappas[lang] > F(2, 10)  # type: ignore[operator]
        for lang, found in by.items()
        if len(found) >= 4
    )
    accurate = all(share >= F(75, 100) for share in right.values())
    verdict = "VOID" if void else "REVISE" if not (agreed and spoken) else "PUBLISH" if accurate else "RETRAIN"
    metrics = {"excluded_share": F(len(out), len(messages)), "kappa": kappa, "lowest": lowest, **pairs}
    metrics["kappa_all"] = fleiss(list(ratings.values()))
    metrics |= {f"kappa_in.{lang}": value for lang, value in kappas.items()}
    metrics |= {f"accuracy.{one}": share for one, share in right.items()}
    for reason in ("ambiguous", "off_topic", "unreadable"):
        metrics[f"excluded_for.{reason}"] = sum(decided[name]["reason"] == reason for name in out)
    lists = {"excluded": out, "small_languages": [lang for lang, found in by.items() if len(found) < 4]}
    return {"verdict": verdict, "metrics": metrics, "lists": lists}


def accents(case: Path) -> Row:
    """Word errors by accent."""
    utterances = {u["utterance"]: u for u in rows(case, "utterances")}
    decodes = rows(case, "decodes")
    names = ("scots", "indian", "nigerian", "us")
    errors: Counter[tuple[str, str]] = Counter()
    for one in decodes:
        said = utterances[one["utterance"]]
        crashed = one["wall"] is None
        errors[said["accent"], one["release"]] += said["words"] if crashed else one["sub"] + one["dele"] + one["ins"]
    words = {name: sum(u["words"] for u in utterances.values() if u["accent"] == name) for name in names}
    by = {(n, r): F(errors[n, r], words[n]) if words[n] else None for n in names for r in ("r7", "r8")}
    total = {r: F(sum(errors[n, r] for n in names), sum(words.values())) for r in ("r7", "r8")}
    large = [name for name in names if words[name] >= 20]
    new: list[F] = [by[n, "r8"] for n in large]  # type: ignore[misc]
    alive = [d for d in decodes if d["release"] == "r8" and d["wall"] is not None]
    crashes = sum(d["release"] == "r8" and d["wall"] is None for d in decodes)
    p95 = F(ranked((d["wall"] for d in alive), F(95, 100)), 1000)
    factor = F(sum(d["wall"] for d in alive), 1000) / sum(F(utterances[d["utterance"]]["length"]) for d in alive)
    worst = bool(large) and max(new) <= F(1, 4)
    regression = bool(large) and all(by[n, "r8"] <= by[n, "r7"] + F(2, 100) for n in large)  # type: ignore[operator]
    fast = p95 <= F(8, 10) and factor <= F(1, 2)
    rowless = Counter(d["utterance"] for d in decodes)
    if crashes > 1 or any(rowless[name] != 2 for name in utterances):
        verdict = "BROKEN"
    elif not (worst and regression):
        verdict = "UNFAIR"
    else:
        verdict = "SHIP" if total["r8"] <= total["r7"] and fast else "HOLD"
    metrics: Row = {f"wer.{r}": share for r, share in total.items()}
    metrics |= {f"{'old' if r == 'r7' else 'new'}_wer.{n}": share for (n, r), share in by.items()}
    metrics |= {"worst": max(new, default=None), "gap": max(new) - min(new) if large else None}
    metrics |= {"crashes": crashes, "p95_wall": p95, "real_time": factor}
    return {"verdict": verdict, "metrics": metrics, "lists": {"small_accents": [n for n in names if n not in large]}}


ORACLES: dict[str, Callable[[Path], Row]] = {
    "search-margin": search,
    "label-agreement": agreement,
    "accent-words": accents,
}


def shown(value: Any) -> Any:
    """A fraction as text."""
    return str(value) if isinstance(value, F | int) else value


def main() -> None:
    """Write what is expected of every case."""
    import more_oracles as more

    others = {"dialect-margin": more.dialects, "handbook-answers": more.handbook, "checkout-trial": more.checkout}
    for protocol, oracle in (ORACLES | others).items():
        for case in sorted((HERE / protocol / "cases").iterdir()):
            found = oracle(case)
            found["metrics"] = {name: shown(value) for name, value in found["metrics"].items()}
            text = json.dumps(found, indent=1, sort_keys=True)
            (case / "expected.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
