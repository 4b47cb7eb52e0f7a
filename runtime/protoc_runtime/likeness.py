"""Whether the rows that are to be read are rows that were read before, and how that is known.

From the strongest to the weakest sign: the same content; the same split of the same protocol, or the same keys in the
same protocol, also if the rows were edited; and what the sketches of both share: canonical rows, rows without their
keys, texts, near-duplicate texts. Shares are of the smaller of both, so that a part of a spent corpus is recognised
within a larger one, and a whole one that was cut down.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from protoc_runtime.readings import Reading, Wanted
from protoc_runtime.record import record
from protoc_runtime.sketch import Shared, Sketch, near, shared
from protoc_runtime.sketches import Sketches

SPENT_SHARE = Fraction(1, 10)  # of equal rows or texts: from here on the split counts as read
NEAR_SHARE = Fraction(1, 2)  # of near-duplicate texts, which a sketch only estimates
MOSTLY = Fraction(1, 2)  # from here on the rows are the same ones, and have one life
WEIGHTY = 24  # bytes of a row without its key: smaller rows are equal by chance
DISTINCT = Fraction(9, 10)  # of such rows: else they do not tell cases apart


@record
class Likeness:
    """How rows are like earlier ones: `words` for messages; `share` of the smaller of both; `spent`: whether that is
    enough to take them for the same."""

    words: str
    share: Fraction
    spent: bool


def likeness(earlier: Reading, later: Wanted | Reading, sketches: Sketches) -> Likeness | None:
    """The strongest sign that rows were read before; None where nothing speaks for it."""
    if earlier.rows and later.rows and earlier.content == later.content:
        return Likeness("all rows are the same", Fraction(1), spent=True)
    own = earlier.protocol == later.protocol
    if own and (earlier.version, earlier.split) == (later.version, later.split):
        return Likeness("it is the same split, whose rows were changed", Fraction(1), spent=True)
    if own and earlier.ids == later.ids and earlier.rows:
        return Likeness("all cases have the same keys in the same protocol", Fraction(1), spent=True)
    first, second = sketches.get(earlier.sketch), sketches.get(later.sketch)
    if first is None or second is None:
        return None
    found = [sign for sign in _signs(first, second, own=own) if sign.share > 0]
    return max(found, key=lambda sign: (sign.spent, sign.share), default=None)


def same_keys(earlier: Reading, later: Wanted, sketches: Sketches) -> bool:
    """Whether most cases have keys that were read before."""
    if earlier.ids == later.ids and earlier.rows > 0 and later.rows > 0:
        return True
    first, second = sketches.get(earlier.sketch), sketches.get(later.sketch)
    return first is not None and second is not None and shared(first.ids, second.ids).share >= MOSTLY


def _signs(first: Sketch, second: Sketch, *, own: bool) -> Iterator[Likeness]:
    weighty = min(first.weight, second.weight) >= WEIGHTY
    if own or weighty:
        yield _sign("rows are the same", shared(first.rows, second.rows), SPENT_SHARE)
    if weighty and _distinct(first) and _distinct(second):
        yield _sign("rows are the same but for their keys", shared(first.bodies, second.bodies), SPENT_SHARE)
    yield _sign("texts are the same", shared(first.texts, second.texts), SPENT_SHARE)
    yield _sign("texts are near-duplicates", near(first, second), NEAR_SHARE)
    if own and not (first.texts.count and second.texts.count):
        yield _sign("keys are the same", shared(first.ids, second.ids), MOSTLY)


def _sign(what: str, common: Shared, enough: Fraction) -> Likeness:
    return Likeness(f"{common.shared} of {common.of} {what}", common.share, common.share >= enough)


def _distinct(each: Sketch) -> bool:
    return each.bodies.count >= DISTINCT * each.count
