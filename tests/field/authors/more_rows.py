"""The rows of three further protocols, made as those in `rows.py`: `python more_rows.py` writes the same ones again."""

from __future__ import annotations

import random
from typing import Any

from rows import write

SPEAKERS = {"n1": "north", "n2": "north", "n3": "north", "s1": "south", "s2": "south", "e1": "east", "e2": "east"}
DECODES = ("server", "compact_1", "compact_2", "compact_3")
TOPICS = ("billing",) * 6 + ("access",) * 8 + ("other",) * 3


def dialects(case: str, rates: dict[str, float], out: int, lost: int, speakers: tuple[str, ...] = ()) -> None:
    """Four utterances of each speaker; `rates` of errors in each decoding, `out` left out, `lost` without a run."""
    draw = random.Random(case)
    utterances: list[dict[str, Any]] = []
    decodings: list[dict[str, Any]] = []
    names = speakers or tuple(SPEAKERS)
    for at in range(4 * len(names)):
        words = draw.choice([5, 8, 10, 12, 14]) if at != 3 else 2
        row = {"speaker": names[at // 4], "words": words, "length": round(words * 0.4 + 0.5, 1)}
        utterances.append({"utterance": f"u{at:02d}", **row, "intelligible": not 5 <= at < 5 + out})
        for decode in DECODES:
            if decode == "compact_2" and 10 <= at < 10 + lost:
                continue
            counts: dict[str, int | None] = {
                kind: int(draw.random() < rates[decode[:6]] * share)
                for kind, share in (("substituted", 1), ("deleted", 0.5), ("inserted", 0.2))
            }
            if at == 15 and decode == "compact_3":
                counts = dict.fromkeys(counts)
            wall = round((words * 0.4 + 0.5) * (0.15 + 0.1 * draw.random()), 3)
            decodings.append({"utterance": f"u{at:02d}", "decode": decode, **counts, "wall": wall})
    known = [{"speaker": name, "dialect": SPEAKERS[name]} for name in names]
    write("dialect-margin", case, speakers=known, utterances=utterances, decodings=decodings)


def handbook(case: str, *, wrong: tuple[int, ...], timid: tuple[int, ...], disputed: tuple[int, ...], odd: int) -> None:
    """Seventeen questions, every fourth of them without an answer in the handbook; the 13th gets none at all."""
    questions, answers, grades, ratings = [], [], [], []
    for at, topic in enumerate(TOPICS):
        name, able = f"q{at:02d}", at % 4 != 3
        questions.append(
            {"question": name, "split": "final", "topic": topic, "text": f"About {name}", "answerable": able}
        )
        if at == 12:
            continue
        refused = able == (at in timid)
        many = 0 if refused else 2 + at % 3
        answers.append({
            "question": name, "refused": refused, "statements": many, "supported": many - (at == 1 and many > 0),
            "time": 800 + 100 * at, "cost": (10 + at) / 1000,
        })  # fmt: skip
        if refused:
            continue
        grade = "partly" if at in wrong else "right" if able else "wrong"
        grades.append({"question": name, "grade": grade})
        people = {"one": "wrong" if at < odd else grade, "two": "wrong" if at < odd or at in disputed else grade}
        ratings += [{"question": name, "rater": who, "grade": told} for who, told in people.items() if at != 2]
    write("handbook-answers", case, questions=questions, answers=answers, grades=grades, ratings=ratings)


def checkout(
    case: str, many: int, rates: dict[str, tuple[float, ...]], faults: tuple[int, ...] = (), *, both: bool = False
) -> None:
    """Visits of the two arms in turn; `rates` of the four endpoints in each arm."""
    draw = random.Random(case)
    visits = []
    for at in range(many):
        arm = ("control", "treatment")[at % 2]
        dropped = at in (8, 13)
        reached = [draw.random() < rate for rate in rates[arm]]
        row: dict[str, Any] = dict(zip(("bought", "returned", "easy", "unaided"), reached, strict=True))
        person = "p002" if at == 20 else "p004" if both and at == 21 else f"p{at:03d}"
        visits.append({
            "visit": f"v{many - at:03d}", "person": person,
            "at": f"2026-09-{1 + at // 24:02d}T{at % 24:02d}:00:00Z", "arm": arm, "bot": at == 5, "dropped": dropped,
            "fault": at in faults, **(dict.fromkeys(row) if dropped else row),
        })  # fmt: skip
    write("checkout-trial", case, visits=visits)


if __name__ == "__main__":
    dialects("superior", {"server": 0.9, "compac": 0.15}, 1, 1)
    dialects("no_worse", {"server": 0.7, "compac": 0.6}, 1, 1)
    dialects("inferior", {"server": 0.0, "compac": 0.9}, 1, 1)
    dialects("inconclusive", {"server": 0.5, "compac": 0.6}, 1, 1)
    dialects("few_speakers", {"server": 0.4, "compac": 0.3}, 1, 1, ("n1", "n2", "s1", "s2", "e1"))
    dialects("many_left_out", {"server": 0.4, "compac": 0.3}, 6, 1)
    handbook("on", wrong=(), timid=(), disputed=(8,), odd=1)
    handbook("without_refusals", wrong=(), timid=(7, 11), disputed=(8,), odd=1)
    handbook("off", wrong=(0, 1, 5), timid=(), disputed=(8,), odd=1)
    handbook("kappa", wrong=(5, 10), timid=(), disputed=(4, 6, 8), odd=0)
    handbook("judge", wrong=(), timid=(), disputed=(), odd=6)
    even, strong = (0.4, 0.5, 0.4, 0.6), (1.0, 0.5, 1.0, 0.6)
    checkout("shown", 46, {"control": even, "treatment": strong})
    checkout("primary", 90, {"control": even, "treatment": (0.95, 0.5, 0.4, 0.6)})
    checkout("harm", 46, {"control": even, "treatment": strong}, (1, 3, 4, 7, 9))
    checkout("early", 36, {"control": even, "treatment": strong})
    checkout("goes_on", 46, {"control": even, "treatment": (0.6, 0.5, 0.4, 0.6)})
    checkout("futile", 46, {"control": strong, "treatment": even})
    checkout("not_shown", 90, {"control": even, "treatment": even})
    checkout("both_arms", 46, {"control": even, "treatment": strong}, both=True)
