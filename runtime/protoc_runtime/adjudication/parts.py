"""The parts of an adjudication: each judgement once per rater, in the order in which they may be told."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from protoc_runtime.declared import Declared
from protoc_runtime.procedure import Judgement
from protoc_runtime.record import record
from protoc_runtime.review_facts import tables


@record
class Part:
    """One judgement as one rater tells it; `rater` is "" where the protocol names none."""

    judgement: Judgement
    rater: str

    @property
    def name(self) -> str:
        """The name of its sheet: `inventory.QA1`, or `topics`."""
        return part_name(self.judgement.name, self.rater)


def part_name(judgement: str, rater: str) -> str:
    """The name of a part: `inventory.QA1`, or `topics`."""
    return f"{judgement}.{rater}" if rater else judgement


def in_turn(declared: Declared, order: Sequence[str] = ()) -> Iterator[Judgement]:
    """The judgements, each behind those that it follows or follows from; else as `order` has their names."""
    done: set[str] = set()
    places = {name: place for place, name in enumerate(order)}
    waiting = sorted(declared.judgements, key=lambda one: places.get(one.name, 0))
    while waiting:
        judgement = next(one for one in waiting if done >= {*one.after, *one.follows})
        waiting.remove(judgement)
        done.add(judgement.name)
        yield judgement


def parts_of(judgement: Judgement) -> tuple[Part, ...]:
    """One part per rater."""
    return tuple(Part(judgement, rater) for rater in judgement.raters or ("",))


def parts(declared: Declared, order: Sequence[str] = ()) -> tuple[Part, ...]:
    """Every part, in turn. Receipts have judgements that wait for nothing by name, since the meaning of a protocol has
    no order of them; people meet them in the `order` in which they are written."""
    return tuple(part for judgement in in_turn(declared, order) for part in parts_of(judgement))


def before(declared: Declared, part: Part) -> tuple[str, ...]:
    """The names of the parts that must be told first.

    Rows that follow from a judgement need all of its raters. What a rater follows is the same rater's own part; of a
    judgement in which the rater has none, all of it.
    """
    known = {judgement.name: judgement for judgement in declared.judgements}
    made = [each.name for name in part.judgement.after for each in parts_of(known[name])]
    for name in part.judgement.follows:
        own = part.rater in (known[name].raters or ("",))
        made += [part_name(name, part.rater)] if own else [each.name for each in parts_of(known[name])]
    return tuple(dict.fromkeys(made))


def told_wholly(judgement: Judgement, names: Iterable[str]) -> bool:
    """Whether every rater has told it; `names` are those of the parts that are in."""
    there = set(names)
    return all(part.name in there for part in parts_of(judgement))


def recorded(declared: Declared) -> bool:
    """Whether it is written down when sheets go out: where a stage, a rater or a fact rests on it."""
    staged = any(each.raters or each.marks or each.follows for each in declared.judgements)
    return staged or bool(tables(declared))


def raters(declared: Declared) -> tuple[str, ...]:
    """Everybody who judges, in the order of the protocol; "" for the one whom it does not name."""
    return tuple(dict.fromkeys(part.rater for judgement in declared.judgements for part in parts_of(judgement)))
