"""The rules of one protocol as nodes: when a gate holds, a blocker does not fire, a verdict is released."""

from __future__ import annotations

from functools import cached_property

from protoc_compiler import core
from protoc_compiler.proof import nodes as n
from protoc_compiler.proof.closing import Closed, Closing
from protoc_compiler.proof.scored import Scored
from protoc_compiler.proof.space import Space
from protoc_compiler.proof.translate import Translator

TYPE_CHECKING = False
if TYPE_CHECKING:
    from protoc_compiler.drift.referred import Referred


class Side:
    """One protocol in a space that it may share with another."""

    def __init__(
        self, protocol: core.Protocol, space: Space, shuffled: frozenset[str] = frozenset(),
        recelled: frozenset[tuple[str, str]] = frozenset(), closed: Closed | None = None,
        chosen: frozenset[str] = frozenset(), referred: Referred | None = None,
    ) -> None:  # fmt: skip
        """`closed`, `chosen` and `referred`: as `Closing` takes them."""
        self.protocol = protocol
        self.space = space
        self.closing = Closing(protocol, shuffled, recelled, space.closed, closed, chosen, referred)
        self.translator = Translator(space, self.closing)
        scored = Scored(protocol, self.closing)
        self.expected = tuple(self.translator.condition(value) for _, value in scored.expectations())
        self.left_out = scored.left_out()
        self.splits = scored.splits

    def good(self, space: str, name: str) -> int:
        """The node of `the gate holds` or `the blocker does not fire`; of a rule that there is not, it is true."""
        item = next((item for item in self.protocol.of(space) if item.name == name), None)
        if item is None:
            return self.space.nodes.true
        made = self._item(item)
        if space != "blockers":
            return self.space.nodes.outcome(made, n.TRUE)
        fires = n.TRUE | (n.UNDEFINED if item.fires_undefined else 0)
        return self.space.nodes.negated(self.space.nodes.outcome(made, fires))

    def raw(self, item: core.Item) -> int:
        """The node of the rule itself: of a gate whether it holds, of a blocker whether it fires, or undefined."""
        return self._item(item)

    def _item(self, item: core.Item) -> int:
        """The node of a rule; one with an entry per row is good when all entries are."""
        if not item.per:
            return self.translator.item(item.space, item.name)
        gate = item.space != "blockers"
        keys = tuple(
            core.RowVar(core.Type("row", table=self._root(table)), f"per{at}") for at, table in enumerate(item.per)
        )
        entry: core.Expr = core.Entry(core.BOOL, item.space, item.name, keys)
        held: core.Expr = core.Is(core.BOOL, entry, "true")
        if not gate and item.fires_undefined:
            held = core.Not(core.BOOL, core.Is(core.BOOL, entry, "false"))
        bad = core.Not(core.BOOL, held) if gate else held
        for at in reversed(range(len(item.per))):
            bad = core.Quantified(core.BOOL, "some", core.Rows(f"per{at}", item.per[at]), bad)
        whole = core.Not(core.BOOL, bad) if gate else bad
        return self.translator.condition(self.closing.close(whole, {}, 0))

    def _root(self, table: str) -> str:
        return self.protocol.table(table).root

    @cached_property
    def released(self) -> int:
        """The node of `the verdict is one of those that are released`."""
        return self.verdict(frozenset(self.protocol.released))

    def released_as(self, word: str) -> int:
        """The node of `the verdict is released, as this word`."""
        return self.verdict(frozenset({word}) & frozenset(self.protocol.released))

    def verdict(self, words: frozenset[str]) -> int:
        """The node of `the verdict is one of these words`."""
        item = next(iter(self.protocol.of("verdict")))
        return self.space.nodes.outcome(
            self.translator.condition(self.closing.close(_said(item.expr, words), {}, 0)), n.TRUE
        )

    def rules(self) -> dict[int, int]:
        """Every gate and blocker with the outcome that is good for a system."""
        made = {}
        for space in ("gates", "blockers"):
            for item in self.protocol.of(space):
                made[self.good(space, item.name)] = n.TRUE
        return made

    def words(self, space: str, good: bool) -> str:
        """What a rule or the verdict says, for people."""
        if space == "verdict":
            return "released" if good else "not released"
        if space == "blockers":
            return "does not fire" if good else "fires"
        return "holds" if good else "does not hold"


def _said(value: core.Expr, words: frozenset[str]) -> core.Expr:
    if isinstance(value, core.Choose):
        lines = tuple((test, _said(given, words)) for test, given in value.lines)
        return core.Choose(core.BOOL, lines, _said(value.otherwise, words))
    if isinstance(value, core.Const):
        return core.Const(core.BOOL, value.value in words)
    return core.Or(
        core.BOOL,
        tuple(core.Compare(core.BOOL, (value, core.Const(value.type, word)), ("==",)) for word in sorted(words)),
    )


def told_apart(old: core.Protocol, new: core.Protocol) -> list[str]:
    """The words that results are released under, where one of the two protocols has several."""
    sides = [frozenset(side.released) for side in (old, new)]
    return sorted(sides[0] | sides[1]) if max(map(len, sides)) > 1 else []
