"""What the changes do to each rule alone, and to the verdict as a whole.

A rule is affected if anything that it reads has changed, however far away. So is what data is let through, what lets
into a phase, and what is shown of rows. The calculus of `entails` answers first, on
formulas in which every changed name is replaced by what it stands for; what the proof engine knows better replaces its
answer. Looser is: the gate holds, the blocker does not fire, the verdict is released, where it did not before.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from functools import cached_property

from protoc_compiler import core
from protoc_compiler.drift.deltas import PLACED, SPLITS, named
from protoc_compiler.drift.entails import Given, way
from protoc_compiler.drift.forms import TRUE, Form, TooLarge, joined, negate
from protoc_compiler.drift.model import Delta, Direction, Effect, together
from protoc_compiler.drift.moved import REREAD, SHUFFLED, ranked_otherwise, relabelled, reordered, reread
from protoc_compiler.drift.normal import Normal
from protoc_compiler.drift.reads import Readers, Thing, readers
from protoc_compiler.drift.things import SPACES
from protoc_compiler.drift.wording import at_most, effect
from protoc_runtime.record import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from protoc_compiler.drift.doubts import Doubt
    from protoc_compiler.drift.tried import Tried

RULES = ("gates", "blockers")
_ASKED = ("gates", "blockers", "checks")
DECIDING = ("gates", "blockers", "checks", "verdicts", "verdict")
_OTHER_DATA = "other data is let through, which nothing here compares"
_BY_FORMULA = "the formulas alone do not tell, and nothing was counted"


class Context:
    """Two protocols with the same names, and their differences."""

    def __init__(self, old: core.Protocol, new: core.Protocol, deltas: Iterable[Delta], *, prove: bool = True) -> None:
        self.old, self.new = old, new
        self.deltas = list(deltas)
        self.prove = prove
        self.forms: dict[int, tuple[Form, Form, Form, Form]] = {}
        self.told: dict[tuple[str, str], Effect] = {}
        self.found: dict[tuple[Thing, ...], frozenset[Thing]] = {}  # what reads some things: each asks more than once
        self.items = [{(item.space, item.name): item for item in side.items} for side in (old, new)]

    @cached_property
    def changed(self) -> frozenset[Thing]:
        """The tables, columns and values that differ."""
        return frozenset(thing for delta in self.deltas for thing in named(delta))

    @cached_property
    def reached(self) -> frozenset[Thing]:
        """These, and everything that reads them, on either side."""
        return self.above(self.changed)

    @cached_property
    def shuffled(self) -> frozenset[Thing]:
        """What reads an order that is another one, of rows or of the members of a column, which no formula shows."""
        moved = [thing for delta in self.deltas if reordered(delta) for thing in named(delta)]
        others = [delta for delta in self.deltas if ranked_otherwise(delta)]
        if others:
            from protoc_compiler.drift.ranking import ranking

            ranks = ranking(self.old) | ranking(self.new)
            moved += [thing for delta in others for thing in self.above(named(delta)) if thing in ranks]
        return self.above(moved) | self.relabelled

    @cached_property
    def reread(self) -> frozenset[Thing]:
        """What reads cells that are other values now, though the file is the same."""
        return self.above(thing for delta in self.deltas if reread(delta) for thing in named(delta))

    @cached_property
    def relabelled(self) -> frozenset[Thing]:
        """What reads the order of rows that are made of wide ones in another order: no name of an order tells of it."""
        return self.above(("order", delta.thing.name) for delta in self.deltas if relabelled(delta))

    def _unseen(self, thing: Thing) -> str:
        """Why nothing tells what a thing reads, where that is so; "" else."""
        return REREAD if thing in self.reread else SHUFFLED if thing in self.relabelled else ""

    def stands(self, delta: Delta) -> tuple[tuple[str, ...], ...]:
        """Among which others a row or split stands that came or went, on both sides; () where nothing reads that."""
        if delta.subject not in PLACED or delta.field not in ("added", "removed"):
            return ()
        name = delta.thing.owner or SPLITS
        if not any(thing[0] in ("item", "expect") for thing in self.above([("order", name)])):
            return ()
        return tuple(table.labels for side in (self.old, self.new) for table in side.tables if table.name == name)

    @cached_property
    def relisted(self) -> frozenset[Thing]:
        """What reads a table of which rows that stand in the spec came, went, or have other cells."""
        return self.above(thing for delta in self.deltas if delta.subject == "ROW" for thing in named(delta))

    @cached_property
    def past_rules(self) -> frozenset[Thing]:
        """What reads a changed thing by another way than through a gate, blocker or check."""
        own = [reader.above(self.changed, lambda thing: thing[1] not in _ASKED) for reader in self.readers]
        return own[0] | own[1]

    @cached_property
    def readers(self) -> tuple[Readers, Readers]:
        """Who reads what, on both sides."""
        return readers(self.old), readers(self.new)

    def above(self, things: Iterable[Thing]) -> frozenset[Thing]:
        """Things, and everything that reads one of them on either side."""
        given = tuple(things)
        known = self.found.get(given)
        if known is None:
            known = self.found[given] = self.readers[0].above(given) | self.readers[1].above(given)
        return known

    @cached_property
    def proof(self) -> Any:
        """What the proof engine says, or None where nothing needs it."""
        deciding = any(thing[0] == "item" and thing[1] in DECIDING for thing in self.reached)
        if not self.prove or not (deciding or not self._releases_the_same):
            return None
        from protoc_compiler import proof

        return proof.compare(*self.sides)

    @cached_property
    def sides(self) -> tuple[core.Protocol, core.Protocol]:
        """Both protocols as they take the same rows, also where a column came or went."""
        if not any(delta.subject == "COLUMN" and None in (delta.old, delta.new) for delta in self.deltas):
            return self.old, self.new
        from protoc_compiler.drift.meeting import met

        return met(self.old, self.new)

    def formulas(self, delta: Delta) -> tuple[Form, Form, Form, Form]:
        """The old and the new formula of a difference as they are written, and both in full normal form."""
        known = self.forms.get(id(delta))
        if known is None:
            sides = delta.before, delta.after, delta.before, delta.after
            for normal in self._by_themselves:
                normal.size = 0
            made = [normal.of(expr) for normal, expr in zip(self._by_themselves, sides, strict=True)]
            known = self.forms[id(delta)] = (made[0], made[1], made[2], made[3])
        return known

    @cached_property
    def proved(self) -> dict[tuple[str, str], Any]:
        """The findings of the proof engine about gates and blockers."""
        return {(found.space, found.name): found for found in self.proof.rules} if self.proof is not None else {}

    @cached_property
    def _rows(self) -> Tried | None:
        """What rows show where counting leaves something open; None where both do not take the same rows."""
        if self.proof is None or not self.proof.alike:
            return None
        from protoc_compiler.drift.tried import Tried

        if not any(delta.subject == "COLUMN" and delta.field in ("type", "optional") for delta in self.deltas):
            return Tried(*self.sides)
        from protoc_compiler.drift.meeting import narrowed

        return Tried(*narrowed(*self.sides))

    def _tried(self, title: str, found: Any, otherwise: Effect | None = None) -> Effect:
        """A finding with what rows show of it; where that stays open, what is said of it `otherwise`."""
        if found.status == "undecided" and self._rows is not None:
            return self._rows.effect(title, found, otherwise)
        return otherwise if found.status == "undecided" and otherwise is not None else effect(title, found)

    @cached_property
    def effects(self) -> tuple[Effect, ...]:
        """Each gate and blocker that is affected, in the order of the new protocol."""
        return tuple(self.rules_among(self.reached))

    def rules_among(self, things: Collection[Thing]) -> Iterator[Effect]:
        """The gates and blockers among things, in the order of the new protocol: what one question finds is where the
        next begins, so that the order is always the same."""
        return (self.rule(*key) for key in self._order if ("item", *key) in things)

    @cached_property
    def _order(self) -> list[tuple[str, str]]:
        return [key for key in dict.fromkeys((*self.items[1], *self.items[0])) if key[0] in RULES]

    def rule(self, space: str, name: str) -> Effect:
        """What happens to one gate or blocker."""
        known = self.told.get((space, name))
        if known is None:
            known = self.told[space, name] = self._rule(space, name)
        return known

    def _rule(self, space: str, name: str) -> Effect:
        unseen = self._unseen(("item", space, name))
        if unseen:
            return Effect(f"{space}.{name}", "undecided", "undecided", unseen)
        known = self.proved.get((space, name))
        if known is None and self.proof is not None and all((space, name) in side for side in self.items):
            return Effect(f"{space}.{name}", "equivalent", "proved")  # the engine tells of every rule that differs
        title = f"{space}.{name}"
        if known is not None and known.status != "undecided":
            return effect(title, known)
        own = self.by_formula(space, name)  # a proof on formulas outweighs counts that were only found possible
        told = own
        if known is not None and own.status != "proved":
            told = self._tried(title, known)
        elif known is not None and own.direction in ("looser", "stricter") and ("item", space, name) in self.relisted:
            told = self._tried(title, known.only(own.direction), own)
        return told if told.status != "undecided" else self._doubted(told, space, name)

    def _doubted(self, told: Effect, space: str, name: str) -> Effect:
        """The effect with what its formula says of a direction that is not known."""
        found = self.doubt(space, name)
        if found is None or told.direction not in ("incomparable", "undecided"):
            return told
        direction = found.direction if told.direction == "undecided" else told.direction
        return replace(
            told, direction=direction, reason=found.beside(told.reason if told.reason != _BY_FORMULA else "")
        )

    def doubt(self, space: str, name: str) -> Doubt | None:
        """What in a rule's formula keeps its direction from being known."""
        from protoc_compiler.drift.doubts import doubt

        try:
            sides = [self.holding(at, space, name) for at in (0, 1)]
        except TooLarge:
            return None
        return doubt(sides[0], sides[1], self.given)

    def by_formula(self, space: str, name: str) -> Effect:
        """The same from formulas alone: which of the two conditions is true wherever the other is."""
        title = f"{space}.{name}"
        for unseen, why in ((self.shuffled, SHUFFLED), (self.reread, REREAD)):
            if ("item", space, name) in unseen:
                return Effect(title, "undecided", "undecided", why)
        try:
            before, after = (self.holding(at, space, name) for at in (0, 1))
        except TooLarge:
            return Effect(title, "undecided", "undecided", "its formula is too large to compare")
        if before == after:
            return Effect(title, "equivalent", "proved")
        direction = way(before, after, self.given)
        return Effect(title, direction, "undecided" if direction == "undecided" else "proved",
                      _BY_FORMULA if direction == "undecided" else "")  # fmt: skip

    @cached_property
    def given(self) -> Given:
        """What both protocols expect of the data, and the ranges that follow."""
        from protoc_compiler.drift.expecting import expected_by_both

        return expected_by_both(*((side, self._normals[at]) for at, side in enumerate((self.old, self.new))))

    def holding(self, at: int, space: str, name: str) -> Form:
        """The condition under which a gate holds, a blocker does not fire; of one that is not there: always."""
        item = self.items[at].get((space, name))
        if item is None:
            return TRUE
        normal = self._normal(at)
        parts: list[Form] = []
        told = any(("table", name) in self.reached for name in item.per)  # other rows may have entries
        plain = {f"per{at}": ("free", f"per{at}", normal.root(name)) for at, name in enumerate(item.per)}
        entries = normal.listed.entries(normal, item) if told else [(plain, ())]
        for env, beside in entries:  # it is as it should be where each of them is
            made = normal.form(item.expr, env)
            if item.withheld is not None:  # what is withheld is undefined, and does not hold
                made = joined("and", [made, negate(normal.form(item.withheld, env))])
            if space == "blockers":
                made = negate(made) if item.fires_undefined else negate(("is", "true", made))
            parts.append(("each", made, beside) if beside else made)
        return self._narrowed(at, joined("and", parts))

    def _narrowed(self, at: int, form: Form) -> Form:
        """A form without the cells of listed rows that its own filters leave out."""
        if self._referred is None or not self._referred.narrows:
            return form
        from protoc_compiler.drift.narrowed import narrowed

        made: Form = narrowed(form, lambda row, name: self._referred.referred_cells(at, row, name))
        return made

    def _normal(self, at: int) -> Normal:
        """What makes the forms of one side in which every changed name is replaced; each formula has its own limit."""
        self._normals[at].size = 0
        return self._normals[at]

    @cached_property
    def _by_themselves(self) -> tuple[Normal, Normal, Normal, Normal]:
        """What makes the forms of both sides in which no name is replaced, as they are written and in full."""
        literal = Normal(self.old, literal=True), Normal(self.new, literal=True)
        return *literal, Normal(self.old), Normal(self.new)

    @cached_property
    def _normals(self) -> tuple[Normal, Normal]:
        return self._in_full(self.old), self._in_full(self.new)

    def _in_full(self, side: core.Protocol) -> Normal:
        return Normal(side, self.reached, referred=self._referred)

    @cached_property
    def _referred(self) -> Any:
        """Which rows that stand in the spec the data can refer to; None where none of them has changed."""
        if not any(delta.subject == "ROW" for delta in self.deltas):
            return None
        from protoc_compiler.drift.referred import Referred

        return Referred(self.old, self.new)

    def direction(self, delta: Delta) -> Direction:
        """The direction of a change in a formula or table: of its own rule, else of all rules that it reaches."""
        space = SPACES.get(delta.subject, "")
        if space in RULES:
            return self.rule(space, delta.thing.name).direction
        if space == "checks" and not self._asked_for(delta):
            own = self.by_formula(space, delta.thing.name)
            return own.direction if own.status == "proved" else self._doubted(own, space, delta.thing.name).direction
        if space == "verdict":
            return self.verdict.direction
        if space == "expect":
            return self.of_expectation(delta)
        return self.reach(named(delta))

    def _asked_for(self, delta: Delta) -> bool:
        """Whether a gate, a blocker or the verdict reads a thing."""
        asking = (*RULES, "verdict")
        return any(thing[0] == "item" and thing[1] in asking for thing in self.above(named(delta)))

    def of_expectation(self, delta: Delta) -> Direction:
        """Looser where data is let through that was refused."""
        try:
            forms = [
                TRUE if thing is None else self._normal(at).of(thing.fields["expr"])
                for at, thing in enumerate((delta.old, delta.new))
            ]
        except TooLarge:
            return "undecided"
        return way(forms[0], forms[1], self._unexpected)

    @cached_property
    def _unexpected(self) -> Given:
        """What is known of rows of which nothing is expected."""
        from protoc_compiler.drift.expecting import unexpected

        return unexpected(self.old, self.new)

    @cached_property
    def data(self) -> Direction:
        """What the changes do to the data that is let through: looser where some is that was refused."""
        found = {thing for thing in self.reached if thing[0] == "expect"}
        if not found and not any(delta.subject == "EXPECTATION" for delta in self.deltas):
            return "equivalent"
        if any(map(self._unseen, found)):
            return "undecided"
        if self.proof is not None and self.proof.same_data:
            return "equivalent"
        if found & self.shuffled:
            return "undecided"
        try:
            before, after = (joined("and", [self._normal(at).of(item.expr) for table in side.tables for item in
                                            table.expect]) for at, side in enumerate((self.old, self.new)))  # fmt: skip
        except TooLarge:
            return "undecided"
        return way(before, after, self._unexpected)

    def reach(self, changed: Iterable[Thing]) -> Direction:
        """What changed things do together to all that reads them; equivalent where nothing does."""
        things = tuple(changed)
        found = self.above(things)
        ways: set[Direction] = {each.direction for each in self.rules_among(found)}
        if self._decides_past_rules(things) or (not ways and self._decides(found)):
            ways.add(self.verdict.direction)
        from protoc_compiler.drift.conduct import beside_rules

        return together(ways | beside_rules(self, things))

    def _decides(self, found: frozenset[Thing]) -> bool:
        """Whether a verdict or sub-verdict that is not another one by itself is among these."""
        return any(thing[0] == "item" and thing[1] in ("verdict", "verdicts") for thing in found - self.changed)

    def _decides_past_rules(self, things: tuple[Thing, ...]) -> bool:
        """Whether the verdict reads things by another way than through gates and blockers, which tell of themselves."""
        verdicts = {thing for thing in self.above(things) if thing[:2] == ("item", "verdict")} - self.changed
        if not verdicts:
            return False
        found = {thing for reader in self.readers for thing in reader.above(things, lambda one: one[1] not in RULES)}
        return not verdicts.isdisjoint(found)

    @cached_property
    def verdict(self) -> Effect:
        """What happens to the verdict as a whole; data that is refused is not released."""
        same = self._of_same_rows
        if self.data == "equivalent":
            return same
        told = self._of_other_data(same, together({same.direction, self.data}))
        if not self.prove or any(delta.subject == "TABLE" for delta in self.deltas):
            return told  # other rows can be read, whatever is expected of them
        from protoc_compiler.drift.letting import effect_of

        return effect_of(self.old, self.new, self.deltas, self.reached, told)

    def _of_other_data(self, same: Effect, way: Direction) -> Effect:
        """The most that can be said where only directions are known."""
        if way == same.direction:
            return same
        if way in ("looser", "stricter"):
            moved = "let through that was refused" if way == "looser" else "refused that was let through"
            return Effect("verdict", way, "undecided", at_most("verdict", way, f"data is {moved}, so that "))
        return Effect("verdict", "undecided", "undecided", _OTHER_DATA)

    @cached_property
    def _of_same_rows(self) -> Effect:
        """The verdict on rows that both protocols take."""
        unseen = self._unseen(("item", "verdict", "verdict"))
        if unseen:
            return Effect("verdict", "undecided", "undecided", unseen)
        if self.proof is not None and self.proof.verdict.status != "undecided":
            return effect("verdict", self.proof.verdict)
        told = self.by_rules()
        if self.proof is None or told.status == "proved":
            return told
        found = self.proof.verdict
        if told.direction in ("looser", "stricter"):  # the rules alone rule out the other way
            return self._tried("verdict", found.only(told.direction), told)
        return self._tried("verdict", found, None if found.reason else told)

    def by_rules(self) -> Effect:
        """From the rules alone: unchanged rules give an unchanged verdict; rules that only get looser, under verdicts
        that only ask for more of them, release no less than before."""
        deciding = {thing for thing in self.reached if thing[0] == "item" and thing[1] in DECIDING}
        if not deciding and self._releases_the_same:
            return Effect("verdict", "equivalent", "proved")
        ways = {each.direction for each in self.rules_among(deciding)}
        one_way = together(ways)
        unknown = Effect("verdict", "undecided", "undecided", _BY_FORMULA)
        if one_way not in ("equivalent", "looser", "stricter") or not self._releases_the_same:
            return unknown
        if any(self.by_formula(*thing[1:]).direction != "equivalent" for thing in deciding if thing[1] == "checks"):
            return unknown
        own = [thing for thing in deciding if thing[1] == "verdict" and self._moved(thing)]
        if not own or self._asks_the_same:
            same = not own and all(self._is_the_same(thing) for thing in deciding if thing[1] in RULES)
            if ways <= {"equivalent"} and (same or self._asks_only_for_good):
                return Effect("verdict", "equivalent", "proved")
            if one_way in ("looser", "stricter") and self._asks_only_for_good:
                why = at_most("verdict", one_way, f"its rules only get {one_way}, so that ")
                return Effect("verdict", one_way, "undecided", why)
        return unknown

    @cached_property
    def _releases_the_same(self) -> bool:
        return set(self.old.released) == set(self.new.released)

    def _moved(self, thing: Thing) -> bool:
        """Whether a verdict is another one, or reads by itself what has changed so that it may be."""
        if thing not in self.past_rules:
            return False
        sides = [(side, known.get((thing[1], thing[2]))) for side, known in
                 zip((self.old, self.new), self.items, strict=True)]  # fmt: skip
        try:
            forms = [self._in_full(side).of(item.expr) for side, item in sides if item is not None]
        except TooLarge:
            return True
        return thing in self.shuffled or len(forms) != 2 or forms[0] != forms[1]

    def _is_the_same(self, rule: Thing) -> bool:
        """Whether a rule is also undefined just where it was: of two that never hold neither is better, but a verdict
        may ask which it is."""
        try:
            return rule not in self.shuffled and self.holding(0, *rule[1:]) == self.holding(1, *rule[1:])
        except TooLarge:
            return False

    @cached_property
    def _asks_the_same(self) -> bool:
        """Whether both verdicts are the same one of their rules, however many entries these have."""
        if ("item", "verdict", "verdict") in self.shuffled:
            return False
        from protoc_compiler.drift.monotone import of_rules

        left = frozenset(thing for thing in self.reached if thing[0] != "item" or thing[1] not in RULES)
        sides = [(side, item) for side in (self.old, self.new) for item in side.of("verdict")]
        try:
            forms = [Normal(side, left, referred=self._referred).of(of_rules(item.expr, side)) for side, item in sides]
        except TooLarge:
            return False
        return len(forms) == 2 and forms[0] == forms[1]

    @cached_property
    def _asks_only_for_good(self) -> bool:
        """Whether both verdicts are such that a rule which gets looser takes no release away, under any word."""
        from protoc_compiler.drift.monotone import asks_only_for_good, of_rules, unread

        return all(
            asks_only_for_good(of_rules(item.expr, side), words, unread(side, self.reached))
            for side in (self.old, self.new)
            for item in side.of("verdict")
            for words in ((word,) for word in side.released)  # each by itself: which of them is released matters
        )
