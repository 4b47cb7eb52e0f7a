"""Quotes verified in long documents against bare `str.find`: how often each occurs, and where.

What is measured is what the rules of a protocol do with `occurrences` and `offset`: 6 quotes in each of 2,000 documents
of 50,000 characters, from tables as a run has them. The baseline has lists of Python texts, and looks for each quote
and once more behind it. Offsets are checked against a second method: slices of the documents as code points.
"""

from __future__ import annotations

import random

import polars as pl
from common import Figure, Size, alternating, show

from protoc_runtime.engine.context import INDEX, ONE, Context
from protoc_runtime.engine.library.values import occurrences, offset
from protoc_runtime.engine.plain import Plain

DOCUMENTS, QUOTES, LENGTH = 2_000, 6, 50_000
LETTERS = "etaoinshrdlucmfwyp" * 12 + "äé“”"


class Corpus:
    """Documents, and quotes of them: unique ones, ones that stand twice, ones that stand nowhere."""

    def __init__(self, documents: int) -> None:
        made = random.Random(20260901)
        words = ["".join(made.choices(LETTERS, k=made.randint(2, 9))) for _ in range(4_000)]
        self.texts = [" ".join(made.choices(words, k=9_500))[:LENGTH].ljust(LENGTH, ".") for _ in range(documents)]
        self.rows = [row for row in range(documents) for _ in range(QUOTES)]
        self.quotes = [self._quote(made, place, self.texts[row]) for place, row in enumerate(self.rows)]
        self._stored = pl.Series(self.texts, dtype=pl.String), pl.Series(self.quotes, dtype=pl.String)

    def _quote(self, made: random.Random, place: int, text: str) -> str:
        start = made.randrange(LENGTH - 300)
        quote = text[start : start + made.randint(40, 300)]
        return quote[:-1] + "\u00ad" if place % 11 == 0 else quote[:5] if place % 13 == 0 else quote

    def verified(self) -> tuple[list[int | None], list[int | None]]:
        """How often each quote occurs, and where, as the rules of a protocol compute it."""
        texts, quotes = self._stored
        cases, proposed = Context(len(texts), ONE), Context(len(quotes), ONE)
        whole = Plain(cases, texts, "text")
        rows = pl.Series(self.rows, dtype=INDEX)
        piece = Plain(proposed, quotes, "text")
        found = occurrences(piece, whole.take(rows, proposed)).values()
        return found, offset(piece, whole.take(rows, proposed)).values()

    def bare(self) -> list[tuple[int, int]]:
        """`str.find`, and once more from the next position."""
        made = []
        for row, quote in zip(self.rows, self.quotes, strict=True):
            text = self.texts[row]
            at = text.find(quote)
            made.append((at, text.find(quote, at + 1) if at >= 0 else -1))
        return made

    def check(self) -> None:
        """Compare counts and offsets with a second method, which slides over the code points of each document."""
        counts, offsets = self.verified()
        for place in range(0, len(self.quotes), max(1, len(self.quotes) // 300)):
            text, quote = self.texts[self.rows[place]], self.quotes[place]
            size, head = len(quote), quote[0]
            at = [n for n, sign in enumerate(text) if sign == head and text[n : n + size] == quote]
            assert counts[place] == len(at), place
            assert offsets[place] == (at[0] if at else None), place


def run(size: Size) -> list[Figure]:
    """The figure, after the check."""
    corpus = Corpus(size.of(DOCUMENTS))
    corpus.check()
    found = alternating({"ours": corpus.verified, "plain": corpus.bare}, min(size.rounds, 5))
    about = f"{QUOTES} quotes in each of {len(corpus.texts):,} documents of {LENGTH:,} characters"
    return [
        Figure(
            "quotes", about, f"{found['ours'] * 1000:.0f} ms", f"str.find twice {found['plain'] * 1000:.0f} ms",
            found["ours"] / found["plain"], 1.5,
        )
    ]  # fmt: skip


if __name__ == "__main__":
    show(run)
