"""An audit of 20,000 against 20,000 texts, with planted near-duplicates: every one is found, within a minute."""

from __future__ import annotations

import random
import sys
import time

from common import ROOT, Figure, Size, show

sys.path.insert(0, str(ROOT / "tests"))

from protoc_runtime.overlap import overlap
from protoc_runtime.reading.corpus import Corpus, telling
from unit.corpora import KINDS_OF_COPIES, planted, queries

TEXTS, PLANTED, SECONDS = 20_000, 500, 60


def run(size: Size) -> list[Figure]:
    """The time of one audit, and how many of the planted pairs it tells."""
    count = max(600, size.of(TEXTS))
    pairs = min(PLANTED, count // 10)
    first, second = queries(count, 1), queries(count, 2)
    choose = random.Random(3)
    for number in range(pairs):
        second[number] = planted(first[-1 - number], number, choose)
    choose.shuffle(second)
    started = time.perf_counter()
    found = overlap(corpus(first), corpus(second))
    seconds = time.perf_counter() - started
    told = len(found.texts) + len(found.near)
    about = f"{count:,} against {count:,} texts of about {len(first[0])} characters, {pairs} planted"
    kinds = f"{len(KINDS_OF_COPIES)} kinds of copies"
    return [
        Figure("overlap audit", about, f"{seconds:.1f} s", "a fixed number", seconds, SECONDS, unit="s"),
        Figure(f"overlap audit: planted pairs told, {kinds}", about, f"{told}", f"{pairs}", told / pairs, 1, True),
    ]


def corpus(texts: list[str]) -> Corpus:
    """Texts without keys or other cells."""
    return Corpus((), (), (), telling([texts]))


if __name__ == "__main__":
    show(run)
