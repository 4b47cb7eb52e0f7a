"""What three further fact sheets ask for, computed from their prose with the standard library alone."""

from __future__ import annotations

import math
import random
from collections.abc import Iterable
from fractions import Fraction as F
from pathlib import Path
from statistics import median
from typing import Any

from oracle import Row, mean, ranked, rows

DIALECTS = ("north", "south", "east")
RUNS = ("compact_1", "compact_2", "compact_3")
ENDPOINTS = ("bought", "returned", "easy", "unaided")


def ratio(top: Any, bottom: Any) -> F | None:
    """A share; none of nothing."""
    return F(top) / F(bottom) if bottom else None


def counted(found: Row | None, words: int) -> tuple[int, int]:
    """Errors and deletions of a decoding; every word is deleted where it says nothing."""
    if found is None or None in (found["substituted"], found["deleted"], found["inserted"]):
        return words, words
    return found["substituted"] + found["deleted"] + found["inserted"], found["deleted"]


def bounds(speakers: dict[str, str], per: dict[str, tuple[F, F, int]]) -> tuple[F, F]:
    """The bootstrap over speakers within dialects."""
    generator, draws = random.Random(7041), []
    strata = [[name for name, dialect in speakers.items() if dialect == each] for each in DIALECTS]
    for _ in range(1000):
        drawn = [names[int(generator.random() * len(names))] for names in strata for _ in names]
        found = ratio(sum(per[name][1] - per[name][0] for name in drawn), sum(per[name][2] for name in drawn))
        draws += [] if found is None else [found]
    draws.sort()
    k, t = len(draws), F(25, 1000)
    return draws[math.floor(t * k)], draws[math.ceil((1 - t) * k) - 1]


def dialects(case: Path) -> Row:
    """Non-inferiority of pooled word error rates."""
    speakers = {row["speaker"]: row["dialect"] for row in rows(case, "speakers")}
    every = rows(case, "utterances")
    kept = [row for row in every if row["intelligible"] and row["words"] >= 3]
    found = {(row["utterance"], row["decode"]): row for row in rows(case, "decodings")}
    per = {name: (F(0), F(0), 0) for name in speakers}
    deleted, times, lacking = {"server": 0, "compact": 0}, [], 0
    for row in kept:
        name, words = row["utterance"], row["words"]
        server = counted(found.get((name, "server")), words)
        compact = [counted(found.get((name, run)), words) for run in RUNS]
        before = per[row["speaker"]]
        middle = median(errors for errors, _ in compact)
        per[row["speaker"]] = (before[0] + server[0], before[1] + middle, before[2] + words)
        deleted["server"] += server[1]
        deleted["compact"] += sum(lost for _, lost in compact)
        made = [found[name, run] for run in RUNS if (name, run) in found]
        times += [F(one["wall"]) / F(row["length"]) for one in made]
        lacking += len(made) < 3
    words = sum(one[2] for one in per.values())
    server_rate, compact_rate = (ratio(sum(one[at] for one in per.values()), words) for at in (0, 1))
    by = {
        each: ratio(
            sum(per[name][1] - per[name][0] for name, dialect in speakers.items() if dialect == each),
            sum(per[name][2] for name, dialect in speakers.items() if dialect == each),
        )
        for each in DIALECTS
    }
    low, high = bounds(speakers, per)
    heard = [len({row["speaker"] for row in kept if speakers[row["speaker"]] == each}) for each in DIALECTS]
    share, lack = F(len(every) - len(kept), len(every)), F(lacking, len(kept))
    slow, excess = (
        ranked(times, F(95, 100)),
        F(deleted["compact"], 3) / deleted["server"] if deleted["server"] else None,
    )
    guards = (
        all(value is not None and value <= F(5, 100) for value in by.values())
        and slow <= F(1, 2) and excess is not None and excess <= F(3, 2)
    )  # fmt: skip
    if share > F(1, 5) or lack > F(1, 10) or min(heard) < 2:
        verdict = "INVALID"
    elif guards and high < F(2, 100):
        verdict = "SUPERIOR" if high < 0 else "NOT_INFERIOR"
    else:
        verdict = "INFERIOR" if low > F(2, 100) else "INCONCLUSIVE"
    macro = [mean([one[at] / one[2] for one in per.values() if one[2]]) for at in (0, 1)]
    metrics: Row = {"wer.server": server_rate, "wer.compact": compact_rate, "left_out_share": share, "lacking": lack}
    metrics |= {"difference": compact_rate - server_rate, "difference_low": low, "difference_high": high}  # type: ignore[operator]
    metrics |= {"macro.server": macro[0], "macro.compact": macro[1], "rtf": slow, "deletion_ratio": excess}
    left = [row["utterance"] for row in every if row not in kept]
    return {"verdict": verdict, "metrics": metrics, "lists": {"left_out": left}}


def kappa(pairs: list[tuple[str, str]]) -> F | None:
    """Cohen's."""
    n = len(pairs)
    observed = F(sum(a == b for a, b in pairs), n) if n else F(0)
    labels = {label for pair in pairs for label in pair}
    chance = sum(
        (F(sum(a == one for a, _ in pairs), n) * F(sum(b == one for _, b in pairs), n) for one in labels), F(0)
    )
    return None if not n or chance == 1 else (observed - chance) / (1 - chance)


def handbook(case: Path) -> Row:
    """Graded answers, refusals, two people, time and cost."""
    questions = rows(case, "questions")
    answers = {row["question"]: row for row in rows(case, "answers")}
    grades = {row["question"]: row["grade"] for row in rows(case, "grades")}
    told: dict[str, dict[str, str]] = {}
    for row in rows(case, "ratings"):
        told.setdefault(row["question"], {})[row["rater"]] = row["grade"]
    refused = {name for name, row in answers.items() if row["refused"]}
    able = {row["question"] for row in questions if row["answerable"]}
    names = [row["question"] for row in questions]
    well = {
        name for name in answers
        if (name in refused and name not in able)
        or (name in able and name not in refused and grades.get(name) == "right")
    }  # fmt: skip
    twice = {name: (one["one"], one["two"]) for name, one in told.items() if len(one) == 2}
    agreed = [name for name, (one, two) in twice.items() if one == two]
    same = ratio(sum(grades.get(name) == twice[name][0] for name in agreed), len(agreed))
    topics = {topic: [row["question"] for row in questions if row["topic"] == topic] for topic in LEAST}
    shares = {topic: ratio(len(well & set(found)), len(found)) for topic, found in topics.items()}
    support = ratio(
        sum(row["supported"] for row in answers.values()), sum(row["statements"] for row in answers.values())
    )
    unable = [name for name in names if name not in able]
    precision, recall = ratio(len(refused - able), len(refused)), ratio(len(refused - able), len(unable))
    times, costs = [F(row["time"], 1000) for row in answers.values()], [F(row["cost"]) for row in answers.values()]
    gates = [
        ratio(len(well), len(names)) >= F(3, 4),  # type: ignore[operator]
        all(shares[topic] >= LEAST[topic] for topic, found in topics.items() if len(found) >= 4),  # type: ignore[operator]
        support is not None and support >= F(9, 10), ranked(times, F(95, 100)) <= 3, sum(costs) <= F(1, 2),
        max(costs) <= F(5, 100),
    ]  # fmt: skip
    refusals = precision is not None and precision >= F(4, 5) and recall is not None and recall >= F(3, 4)
    agreement = kappa(list(twice.values()))
    missing = [name for name in names if name not in answers]
    if F(len(missing), len(names)) > F(1, 10) or len(twice) < 8 or agreement is None or agreement < F(6, 10):
        verdict = "INVALID"
    elif same is None or same < F(4, 5):
        verdict = "JUDGE_UNFIT"
    else:
        verdict = ("ON" if refusals else "ON_WITHOUT_REFUSALS") if all(gates) else "OFF"
    metrics: Row = {"done_well": ratio(len(well), len(names)), "support": support, "precision": precision}
    metrics |= {f"done_well_in.{topic}": share for topic, share in shares.items()}
    metrics |= {"recall": recall, "slow": ranked(times, F(95, 100)), "typical": F(median(times)), "dearest": max(costs)}
    metrics |= {"total_cost": sum(costs), "kappa": agreement, "judge_agrees": same}
    return {"verdict": verdict, "metrics": metrics, "lists": {"unanswered": missing}}


LEAST = {"billing": F(8, 10), "access": F(6, 10), "other": F(5, 10)}


def fisher(a: int, b: int, c: int, d: int) -> F:
    """Two-sided: all tables with these margins that are at most as probable."""
    first, second, hits = a + b, c + d, a + c
    weights = {
        at: math.comb(first, at) * math.comb(second, hits - at)
        for at in range(max(0, hits - second), min(first, hits) + 1)
    }
    return F(sum(weight for weight in weights.values() if weight <= weights[a]), sum(weights.values()))


def holm(values: dict[str, F]) -> dict[str, F]:
    """Adjusted p by the step-down rule."""
    made, least = {}, F(0)
    for at, (name, p) in enumerate(sorted(values.items(), key=lambda pair: pair[1])):
        least = max(least, min(F(1), (len(values) - at) * p))
        made[name] = least
    return made


def balance(hits: int, n: int) -> F:
    """The exact two-sided binomial test against one half."""
    weights = [math.comb(n, k) for k in range(n + 1)]
    return F(sum(weight for weight in weights if weight <= weights[hits]), 2**n)


def checkout(case: Path) -> Row:
    """Two looks at four endpoints."""
    human = sorted((row for row in rows(case, "visits") if not row["bot"]), key=lambda row: row["at"])
    first: dict[str, Row] = {}
    for row in human:
        first.setdefault(row["person"], row)
    arms = {arm: [row for row in first.values() if row["arm"] == arm] for arm in ("control", "treatment")}
    hits = {name: {arm: sum(row[name] is True for row in found) for arm, found in arms.items()} for name in ENDPOINTS}
    n = {arm: len(found) for arm, found in arms.items()}
    p = {
        name: fisher(
            each["treatment"], n["treatment"] - each["treatment"], each["control"], n["control"] - each["control"]
        )
        for name, each in hits.items()
    }
    adjusted, size = holm(p), sum(n.values())
    level = F("0.0492") if size >= 80 else F("0.0054") if size >= 40 else None
    better = {
        name for name, each in hits.items() if F(each["treatment"], n["treatment"]) > F(each["control"], n["control"])
    }
    shown = [name for name in ENDPOINTS if level is not None and adjusted[name] <= level and name in better]
    dropped = {arm: F(sum(row["dropped"] for row in found), len(found)) for arm, found in arms.items()}
    faults = {arm: sum(row["fault"] for row in found) for arm, found in arms.items()}
    even = balance(n["treatment"], size)
    both = any(len({row["arm"] for row in human if row["person"] == name}) > 1 for name in first)
    if even < F(1, 1000) or max(dropped.values()) > F(1, 4) or min(n.values()) < 15 or both:
        verdict = "INVALID"
    elif faults["treatment"] >= 3 and faults["treatment"] > 2 * faults["control"]:
        verdict = "STOP_HARM"
    else:
        verdict = stopped(size, shown, "bought" in better)
    metrics: Row = {"treated": n["treatment"], "controls": n["control"], "balance": even}
    metrics |= {f"p.{name}": value for name, value in p.items()}
    metrics |= {f"adjusted.{name}": value for name, value in adjusted.items()}
    metrics |= {f"dropped.{arm}": value for arm, value in dropped.items()}
    metrics |= {f"faults.{arm}": value for arm, value in faults.items()}
    return {"verdict": verdict, "metrics": metrics, "lists": {"shown": shown}}


def stopped(size: int, shown: Iterable[str], better: bool) -> str:
    """What a look comes to."""
    names = list(shown)
    if size < 40:
        return "TOO_EARLY"
    if "bought" in names:
        return "SHOWN" if len(names) > 1 else "SHOWN_PRIMARY"
    if size >= 80:
        return "NOT_SHOWN"
    return "CONTINUE" if better else "STOP_FUTILE"
