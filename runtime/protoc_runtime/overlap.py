"""What two corpora share: keys, canonical rows (but for their keys), texts in plain form, and near-duplicate texts.

Equality is decided on the whole value, likeness on the exact Jaccard index of shingles (`texts`). Small corpora are
compared pair by pair. For larger ones MinHash signatures (rensa, of the extra `overlap`) choose the pairs that are
compared: 200 permutations in 40 bands of 5, which miss a pair with an index of 0.7 with a probability of 0.0006, of
0.75 of 0.00002, of 0.8 of 0.0000001. A pair that is told is always one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

from protoc_runtime.catalogue import splits as kinds
from protoc_runtime.diagnostics import Findings, Refused
from protoc_runtime.record import record
from protoc_runtime.texts import MEASURE, alike, jaccard, shingles

if TYPE_CHECKING:
    from protoc_runtime.reading.corpus import Corpus

PAIRWISE = 250_000  # pairs of texts that are compared one by one
PERMUTATIONS, BANDS, SEED = 200, 40, 1
RECALL = "0.9994 at an index of 0.70, 0.99998 at 0.75, 0.9999999 at 0.80"
COMPARISONS = 30_000_000  # beyond, two corpora are too much alike to be told apart in time
CROWD = 2_000  # members of the bands of a text, beyond which they are not counted but looked at one by one
SHOWN = 100  # examples of each kind in an audit


@record
class Pair:
    """A case of the first corpus and one of the second that share something: rows from 0, and how much."""

    first: int
    second: int
    index: str = ""  # the Jaccard index of near-duplicates, as num/den


@record
class Overlap:
    """The overlap of two corpora. Numbers are of cases of the first one that the second one has too; `near` are those
    with a near-duplicate and no equal text. `method` says how pairs were chosen; `compared` how many texts there are.
    """

    ids: tuple[Pair, ...]
    rows: tuple[Pair, ...]
    texts: tuple[Pair, ...]
    near: tuple[Pair, ...]
    compared: tuple[int, int]
    method: str

    @property
    def found(self) -> bool:
        """Whether anything is shared."""
        return bool(self.ids or self.rows or self.texts or self.near)


def overlap(first: Corpus, second: Corpus, names: tuple[str, str] = ("A", "B")) -> Overlap:
    """Everything that two corpora share. Raises `Refused` (E2310) where near-duplicates cannot be told: without the
    extra `overlap`, or where too many texts are half alike. `names` are for that message."""
    mine, theirs = _by_text(first), _by_text(second)
    same = [(owner, theirs[text]) for text, owner in mine.items() if text in theirs]
    equal = _first_pairs(Pair(row, rows[0]) for owners, rows in same for row in owners)
    done = {pair.first for pair in equal}
    left = {text: owners for text, owners in mine.items() if text not in theirs}
    near, method = _near(list(left), list(theirs), names)
    alike_ = (
        Pair(row, theirs[other][0], f"{index.numerator}/{index.denominator}")
        for text, other, index in near
        for row in left[text]
        if row not in done
    )
    counts = (len(mine), len(theirs))
    return Overlap(
        _equal(first.ids, second.ids), _equal(first.bodies, second.bodies), equal,
        _first_pairs(alike_), counts, method,
    )  # fmt: skip


def summary(found: Overlap, first: Sequence[str], second: Sequence[str]) -> dict[str, Any]:
    """An audit as JSON: numbers, the measure, and up to `SHOWN` examples of each kind by their keys."""
    kinds_of = {"shared_ids": found.ids, "shared_rows": found.rows, "shared_texts": found.texts}
    return {
        **{name: len(pairs) for name, pairs in kinds_of.items()},
        "near_duplicates": len(found.near),
        "texts": found.compared[0],
        "other_texts": found.compared[1],
        "measure": MEASURE,
        "method": found.method,
        "examples": {
            name: [_example(pair, first, second) for pair in pairs[:SHOWN]]
            for name, pairs in {**kinds_of, "near_duplicates": found.near}.items()
            if pairs
        },
    }


def _example(pair: Pair, first: Sequence[str], second: Sequence[str]) -> dict[str, Any]:
    made: dict[str, Any] = {"case": _name(first, pair.first), "other": _name(second, pair.second)}
    return made | ({"jaccard": pair.index} if pair.index else {})


def _name(keys: Sequence[str], row: int) -> str:
    return keys[row] if keys else f"row {row + 1}"


def _by_text(corpus: Corpus) -> dict[str, list[int]]:
    """Each text with the rows that have it."""
    made: dict[str, list[int]] = {}
    for row, texts in enumerate(corpus.texts):
        for text in texts:
            made.setdefault(text, []).append(row)
    return made


def _equal(first: Sequence[str], second: Sequence[str]) -> tuple[Pair, ...]:
    there: dict[str, int] = {}
    for row, value in enumerate(second):
        there.setdefault(value, row)
    return tuple(Pair(row, there[value]) for row, value in enumerate(first) if value in there)


def _first_pairs(pairs: Iterable[Pair]) -> tuple[Pair, ...]:
    """One pair for each row of the first corpus, in its order."""
    made: dict[int, Pair] = {}
    for pair in pairs:
        made.setdefault(pair.first, pair)
    return tuple(made[row] for row in sorted(made))


# --- near-duplicates ----------------------------------------------------------------------------------------------


def _near(
    first: Sequence[str], second: Sequence[str], names: tuple[str, str]
) -> tuple[Iterator[tuple[str, str, Any]], str]:
    """For each text of the first that has a near-duplicate in the second, one of them and their index."""
    if len(first) * len(second) <= PAIRWISE:
        every = range(len(second))
        return _decide(first, second, ((number, every) for number in range(len(first))), names), "every pair"
    method = f"MinHash, {PERMUTATIONS} permutations in {BANDS} bands; recall {RECALL}"
    return _decide(first, second, _candidates(first, second, names), names), method


def _decide(
    first: Sequence[str], second: Sequence[str], candidates: Iterable[tuple[int, Iterable[int]]], names: tuple[str, str]
) -> Iterator[tuple[str, str, Any]]:
    theirs: dict[int, frozenset[str]] = {}
    known: dict[str, str] = {}  # one object for each shingle: most texts have the same ones
    left = COMPARISONS
    for number, others in candidates:
        mine = shingles(first[number])
        for other in others:
            left -= 1
            there = theirs.get(other)
            if there is None:
                there = frozenset(known.setdefault(part, part) for part in shingles(second[other]))
                theirs[other] = there
            if alike(mine, there):
                yield first[number], second[other], jaccard(mine, there)
                break
        if left < 0:
            raise _impossible(names, f"more than {COMPARISONS} pairs of texts are half alike", "audit smaller parts")


def _candidates(
    first: Sequence[str], second: Sequence[str], names: tuple[str, str]
) -> Iterator[tuple[int, Iterable[int]]]:
    """For each text of the first the texts of the second that share a band, those that share most first; of texts that
    share a band with very many, those from the least crowded bands first."""
    buckets: dict[int, list[int]] = {}
    for number, bands in enumerate(_bands(second, names)):
        for place in bands:
            buckets.setdefault(place, []).append(number)
    for number, bands in enumerate(_bands(first, names)):
        there = [buckets[place] for place in bands if place in buckets]
        if sum(map(len, there)) > CROWD:
            there.sort(key=len)
            yield number, _one_by_one(there)
            continue
        met: dict[int, int] = {}
        for other in chain.from_iterable(there):
            met[other] = met.get(other, 0) + 1
        if met:
            yield number, sorted(met, key=lambda other: (-met[other], other))


def _one_by_one(buckets: Iterable[Iterable[int]]) -> Iterator[int]:
    """Each member once, as it is met: most often the first ones decide."""
    met: set[int] = set()
    for other in chain.from_iterable(buckets):
        if other not in met:
            met.add(other)
            yield other


def _bands(texts: Sequence[str], names: tuple[str, str]) -> Iterator[list[int]]:
    """The bands of each text, a number each: equal bands have equal ones, others hardly ever."""
    try:
        from rensa import RMinHash
    except ImportError:
        hint = "pip install 'evalprotoc[overlap]'"
        raise _impossible(names, f"{len(texts)} texts need the package rensa", hint) from None
    width = PERMUTATIONS // BANDS
    for start in range(0, len(texts), 2048):
        tokens = [sorted(shingles(text)) for text in texts[start : start + 2048]]
        for row in RMinHash.digest_matrix_from_token_sets(tokens, PERMUTATIONS, SEED).to_rows():
            yield [hash((at, *row[at : at + width])) for at in range(0, PERMUTATIONS, width)]


def _impossible(names: tuple[str, str], reason: str, hint: str) -> Refused:
    return Refused([Findings().add(kinds.NO_AUDIT, None, split=names[0], other=names[1], reason=reason, hint=hint)])
