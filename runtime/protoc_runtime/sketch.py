"""What the registry keeps of a split, so that a copy of it is recognised: digests and a MinHash sketch, no text.

Four sets of 64-bit digests (SHA-256, cut off): of canonical rows, of keys, of rows without their keys, of texts in
plain form; of each at most the `KEPT` smallest, so that two sketches keep the same part of what they share. And of at
most `KEPT` texts a MinHash signature (rensa, of the extra `overlap`) for near-duplicates.
"""

from __future__ import annotations

import base64
import hashlib
from array import array
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from protoc_runtime.canonical import dumps, loads
from protoc_runtime.record import record
from protoc_runtime.texts import shingles

if TYPE_CHECKING:
    from protoc_runtime.reading.corpus import Corpus

FORMAT = "protoc-sketch/1"
KEPT = 16_384
SETS = ("rows", "ids", "bodies", "texts")
SEED, PERMUTATIONS, BAND = 1, 32, 2
COINCIDE = 6  # of the 16 bands of two signatures; texts with a Jaccard index of 0.7 share 8 of them on average
CROWDED = 256  # texts with the same band: what so many share tells nothing


@record
class Digests:
    """The smallest digests of a set, sorted, and how many there are in all (about, where some were left out)."""

    kept: tuple[int, ...]
    count: int


@record
class Sketch:
    """The sketch of one split. `weight`: mean bytes of a row without its key. `signatures`: 16 bands for each text, as
    one number each, in the order of the texts' digests; `method` names how they were made, "" where they were not."""

    rows: Digests
    ids: Digests
    bodies: Digests
    texts: Digests
    count: int
    weight: int
    method: str
    signatures: tuple[tuple[int, ...], ...]


@record
class Shared:
    """How much two sets share: `shared` of the `of` members of the smaller one (both of the parts that are kept)."""

    shared: int
    of: int

    @property
    def share(self) -> Fraction:
        """The part of the smaller set; 0 of nothing."""
        return Fraction(self.shared, self.of) if self.of else Fraction(0)


def sketch(corpus: Corpus) -> Sketch:
    """The sketch of the rows of a split."""
    texts = {_digest(text): text for cells in corpus.texts for text in cells}
    kept = sorted(texts)[:KEPT]
    method, signatures = _signatures([texts[digest] for digest in kept])
    weight = _Weight()
    return Sketch(
        _digests(map(_digest, corpus.rows)), _digests(map(_digest, corpus.ids)),
        _digests(_digest(body) for body in weight.counted(corpus.bodies)), _digests(texts), len(corpus.rows),
        weight.mean, method, signatures,
    )  # fmt: skip


def shared(first: Digests, second: Digests) -> Shared:
    """What two sets share; of sets that were cut off, in the range of digests that both keep."""
    limit = min(_limit(first), _limit(second))
    mine, theirs = ({digest for digest in each.kept if digest <= limit} for each in (first, second))
    return Shared(len(mine & theirs), min(len(mine), len(theirs)))


def near(first: Sketch, second: Sketch) -> Shared:
    """How many texts of the smaller sketch have one in the other that their signatures tell is a near-duplicate; of
    sketches that were not made in the same way, nothing of nothing."""
    small, large = sorted((first, second), key=lambda each: len(each.signatures))
    if not small.method or small.method != large.method:
        return Shared(0, 0)
    buckets: dict[tuple[int, int], list[int]] = {}
    for number, bands in enumerate(large.signatures):
        for place in enumerate(bands):
            buckets.setdefault(place, []).append(number)
    found = sum(_has_near(bands, buckets) for bands in small.signatures)
    return Shared(found, len(small.signatures))


def to_bytes(made: Sketch) -> bytes:
    """The file of a sketch: canonical JSON, digests as base64 of big-endian 64-bit numbers."""
    sets = {
        name: {"count": getattr(made, name).count, "digests": _packed("Q", getattr(made, name).kept)} for name in SETS
    }
    bands = _packed("I", [band for bands in made.signatures for band in bands])
    about = {"format": FORMAT, "count": made.count, "weight": made.weight, "method": made.method}
    return dumps({**about, **sets, "signatures": bands}) + b"\n"


def from_bytes(data: bytes) -> Sketch:
    """The sketch of a file. Raises ValueError where it is none."""
    try:
        given = loads(data.removesuffix(b"\n"))
        if given["format"] != FORMAT:
            raise ValueError(f"its format is {given['format']!r}, not {FORMAT}")
        rows, ids, bodies, texts = (
            Digests(tuple(_unpacked("Q", given[name]["digests"])), int(given[name]["count"])) for name in SETS
        )
        flat = _unpacked("I", given["signatures"])
        width = PERMUTATIONS // BAND
        bands = tuple(tuple(flat[at : at + width]) for at in range(0, len(flat), width))
        count, weight, method = int(given["count"]), int(given["weight"]), str(given["method"])
        return Sketch(rows, ids, bodies, texts, count, weight, method, bands)
    except (KeyError, TypeError, AttributeError) as fault:
        raise ValueError(f"it is no sketch ({type(fault).__name__}: {fault})") from None


def _signatures(texts: Sequence[str]) -> tuple[str, tuple[tuple[int, ...], ...]]:
    """The MinHash signatures of texts, 16 bits of each value, two values in a band; none without the extra."""
    if not texts:
        return "", ()
    try:
        from rensa import RMinHash
    except ImportError:
        return "", ()
    made: list[tuple[int, ...]] = []
    for start in range(0, len(texts), 4096):
        tokens = [sorted(shingles(text)) for text in texts[start : start + 4096]]
        rows = RMinHash.digest_matrix_from_token_sets(tokens, PERMUTATIONS, SEED).to_rows()
        made += [_bands(row) for row in rows]
    return f"rensa RMinHash {RMinHash.ALGORITHM_VERSION}, {PERMUTATIONS} permutations, seed {SEED}", tuple(made)


def _bands(values: Sequence[int]) -> tuple[int, ...]:
    return tuple((values[at] & 0xFFFF) << 16 | values[at + 1] & 0xFFFF for at in range(0, PERMUTATIONS, BAND))


def _has_near(bands: Sequence[int], buckets: dict[tuple[int, int], list[int]]) -> bool:
    met: dict[int, int] = {}
    for place in enumerate(bands):
        there = buckets.get(place, ())
        for other in there if len(there) <= CROWDED else ():
            met[other] = met.get(other, 0) + 1
            if met[other] == COINCIDE:
                return True
    return False


def _digest(text: str) -> int:
    return int.from_bytes(hashlib.sha256(text.encode("utf-8")).digest()[:8], "big")


class _Weight:
    """Counts the bytes of lines that pass through."""

    def __init__(self) -> None:
        self._bytes = self._lines = 0

    def counted(self, lines: Iterable[str]) -> Iterator[str]:
        """The same lines, their bytes and number counted as they pass."""
        for line in lines:
            self._bytes += len(line.encode())
            self._lines += 1
            yield line

    @property
    def mean(self) -> int:
        """The mean length of the lines so far, in whole bytes; 0 before the first."""
        return self._bytes // max(1, self._lines)


def _digests(digests: Iterable[int]) -> Digests:
    """The smallest ones; beyond them the number of different ones follows from how densely they lie."""
    kept: set[int] = set()
    cut, limit = False, 2**64
    for digest in digests:
        if digest < limit:
            kept.add(digest)
            if len(kept) > 4 * KEPT:
                kept = set(sorted(kept)[:KEPT])
                cut, limit = True, max(kept)
    ordered = sorted(kept)
    cut, ordered = cut or len(ordered) > KEPT, ordered[:KEPT]
    return Digests(tuple(ordered), max(KEPT + 1, (KEPT - 1) * 2**64 // ordered[-1]) if cut else len(ordered))


def _limit(digests: Digests) -> int:
    return digests.kept[-1] if digests.count > len(digests.kept) and digests.kept else 2**64


def _packed(kind: str, numbers: Iterable[int]) -> str:
    made = array(kind, numbers)
    if _little():
        made.byteswap()
    return base64.b64encode(made.tobytes()).decode("ascii")


def _unpacked(kind: str, text: Any) -> Sequence[int]:
    made = array(kind)
    made.frombytes(base64.b64decode(text, validate=True))
    if _little():
        made.byteswap()
    return made


def _little() -> bool:
    import sys

    return sys.byteorder == "little"
