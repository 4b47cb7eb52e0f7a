"""The records of a comparison: things that are declared, how they differ, and what is said about it."""

from __future__ import annotations

from protoc_runtime.diagnostics import Diagnostic, Span
from protoc_runtime.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Literal, TypeAlias

Direction: TypeAlias = 'Literal["looser", "stricter", "equivalent", "incomparable", "undecided", "text"]'
DIRECTIONS: tuple[Direction, ...] = ("looser", "stricter", "incomparable", "undecided", "equivalent", "text")
KEYED = ("SUBJECT", "TARGET", "PROVIDER", "SPLIT", "JUDGEMENT", "PHASE", "PROTOCOL")  # changes are named by their keys


@record
class Thing:
    """One declared thing.

    `subject`: GATE, COLUMN, PROVIDER, ...; `name` is unique among its subject. `path` are the keys under which it
    stands in the YAML; `shown` is how people name it (`gates.P2.1`). `fields` are compared one by one.
    """

    subject: str
    name: str
    path: tuple[str, ...]
    shown: str
    fields: dict[str, Any]
    owner: str = ""  # of a column, row, expectation: its table
    text: str = ""  # of a value or rule: its formula as it is written


@record
class Delta:
    """One difference: a thing that only one side has (`field` is "added" or "removed"), that has another name
    ("renamed"), or whose `field` differs."""

    subject: str
    field: str
    old: Thing | None
    new: Thing | None

    @property
    def thing(self) -> Thing:
        """The new thing, or the old one where there is no new one."""
        thing = self.new if self.new is not None else self.old
        if thing is None:
            raise ValueError("a difference without a thing")
        return thing

    @property
    def before(self) -> Any:
        """The old value of the field, or None."""
        return value_of(self.old, self.field)

    @property
    def after(self) -> Any:
        """The new value of the field, or None."""
        return value_of(self.new, self.field)


def value_of(thing: Thing | None, field: str) -> Any:
    """The value of a field, also of one inside a record: `retry.at_most`."""
    first, _, rest = field.partition(".")
    value = thing.fields.get(first) if thing is not None else None
    return getattr(value, rest) if rest and value is not None else value


@record
class Judged:
    """What a kind of change says about a difference."""

    direction: Direction
    message: str


@record
class Side:
    """Where one side of a change stands: its place, and the text there."""

    span: Span | None
    text: str


@record
class Change:
    """One change, as it is shown. `status` is how far the direction is known: `proved`, `witness` or `undecided` from
    the proof of the rule alone, `declared` where the kind of change decides it, `derived` from formulas alone.
    `undeclared`: no amendment of the new protocol names it."""

    id: str
    path: str
    direction: Direction
    old: Side | None
    new: Side | None
    message: str
    fingerprint: str
    subject: str
    field: str
    name: str
    undeclared: bool = False


@record
class Effect:
    """What happens to one rule alone, or to the verdict as a whole (`rule` is then "verdict"). `cases` are for people:
    those that were shown, of both ways where both were, or the counts that were tried."""

    rule: str
    direction: Direction
    status: Literal["proved", "witness", "undecided"]
    reason: str = ""
    witness: dict[str, Any] | None = None
    cases: tuple[str, ...] = ()
    renamed: bool = False  # all that was shown is released on both sides, under two words
    makers: frozenset[str] = frozenset()  # the fingerprints of the changes that it reads
    rows: tuple[tuple[str, Any], ...] = ()  # of the cases that were shown, each with its way; the looser one first
    making: str = ""  # for programs: why no rows were made of counts that differ


@record
class Version:
    """Which protocol one side is."""

    file: str
    id: str
    version: int
    digest: str


@record
class Checked:
    """An error for which `protoc check` refuses the new version, both, or the old one alone."""

    item: Diagnostic
    side: Literal["new", "both", "old"]


@record
class Report:
    """A whole comparison.

    `effects` tell of each gate and blocker that is affected, `verdict` of the verdict as a whole. `contradictions` are
    words that do not fit their formula, on either side. `seen` are the splits that the registry knows as read.
    `replayed` are recorded runs under the new protocol: run, old and new verdict, flips, error, and whether it is
    released now that was not before. `checked` are errors that `protoc check` finds.
    """

    old: Version | None
    new: Version | None
    changes: tuple[Change, ...]
    effects: tuple[Effect, ...]
    verdict: Effect
    contradictions: tuple[Diagnostic, ...] = ()
    seen: tuple[str, ...] = ()
    replayed: tuple[dict[str, Any], ...] = ()
    chain: str = ""  # what is wrong with the chain of amendments
    declared: tuple[Change, ...] = ()  # changes that are not shown, for a new amendment declares them
    checked: tuple[Checked, ...] = ()

    @property
    def refused(self) -> tuple[Diagnostic, ...]:
        """The errors for which `protoc check` refuses the new version."""
        return tuple(one.item for one in self.checked if one.side != "old")

    @property
    def beside(self) -> tuple[Checked, ...]:
        """What `check` refuses and is not told as a contradiction."""
        told = set(map(as_said, self.contradictions))
        return tuple(one for one in self.checked if as_said(one.item) not in told)


def as_said(item: Diagnostic) -> tuple[str, str, Span | None]:
    """What makes two diagnostics one: what is said, and of which place."""
    return item.id, item.message, item.span


def together(ways: set[Direction]) -> Direction:
    """The direction of several rules at once."""
    kinds = ways - {"equivalent"}
    if not kinds:
        return "equivalent"
    if "undecided" in kinds:
        return "undecided"
    return next(iter(kinds)) if len(kinds) == 1 else "incomparable"
