"""Released verdicts and gates: a release that no gate stops, and one that only failing gates bring about; and a release
that an undefined gate or check lets through where a failed one would not.

The same search as for unreachable lines, with all gates taken to hold, or to fail. A protocol may release a failure on
purpose; it is told only where another line before, or the same word, shows that the gates were meant to decide.
"""

from __future__ import annotations

from protoc_compiler import core
from protoc_compiler.analysis.reach import Search, place
from protoc_compiler.catalogue import analysis as kinds
from protoc_compiler.decided import decider_of
from protoc_compiler.elaborate.context import Context
from protoc_compiler.facts import Facts


def check(protocol: core.Protocol, el: Context) -> None:
    """Report a released line that asks no gate before one that does, releases that gates which hold prevent, and those
    that only a failure prevents."""
    verdict = next((item for item in protocol.of("verdict") if isinstance(item.expr, core.Choose)), None)
    if verdict is None or not isinstance(verdict.expr, core.Choose):
        return
    lines = _Lines(protocol, verdict.expr)
    released = [index for index in range(lines.many) if lines.word(index) in protocol.released]
    if not released:
        return
    if protocol.of("gates") and all(lines.reached(index, gates=True) is False for index in released):
        span = place(el, verdict, released[0])
        el.findings.add(kinds.RELEASED_ON_FAILURE, span, word=lines.word(released[0]))
        return
    for space in ("gates", "checks"):
        _undefined(el, lines, verdict, released, space)
    if protocol.of("gates"):
        _without_gates(el, lines, verdict, released)


def _undefined(el: Context, lines: _Lines, verdict: core.Item, released: list[int], space: str) -> None:
    """Report (W0841) a release by a line which asks that no rule has failed, of rules that may be undefined."""
    if not lines.doubtful(space):
        return
    for index in released:
        if lines.reached(index, **{space: None}) and lines.reached(index, **{space: False}) is False:
            el.findings.add(kinds.RELEASED_UNDEFINED, place(el, verdict, index), word=lines.word(index), rules=space)
            return


def _without_gates(el: Context, lines: _Lines, verdict: core.Item, released: list[int]) -> None:
    """Report (W0840) a released line that asks no gate before one that does."""
    free = [index for index in released if lines.reached(index, gates=False)]
    strict = [index for index in released if lines.reached(index, gates=False) is False]
    for index in free:
        later = next((other for other in strict if other > index), None)
        if later is not None:
            word, other = lines.word(index), lines.word(later)
            el.findings.add(kinds.RELEASED_WITHOUT_GATES, place(el, verdict, index), word=word, other=other)


class _Lines:
    """The lines of a verdict, and whether each can be reached while all gates (or checks) hold, or fail."""

    def __init__(self, protocol: core.Protocol, value: core.Choose) -> None:
        self.decider = decider_of(protocol)
        self.tests = [test for test, _ in value.lines]
        self.words = [*(word for _, word in value.lines), value.otherwise]
        self.many = len(self.words)
        self.protocol = protocol

    def doubtful(self, space: str) -> bool:
        """Whether some gate (or check) may be undefined."""
        return any(self.decider.doubt(rule.expr, Facts()) is not None for rule in self.protocol.of(space))

    def word(self, index: int) -> object:
        """The word that a line gives."""
        word = self.words[index]
        return word.value if isinstance(word, core.Const) else None

    def reached(self, index: int, **held: bool | None) -> bool | None:
        """Whether some run in which all gates (or checks) hold, have failed or are undefined comes to this line."""
        earlier = [core.Not(core.BOOL, core.Is(core.BOOL, test, "true")) for test in self.tests[:index]]
        here = [self.tests[index]] if index < len(self.tests) else []
        goal = core.And(core.BOOL, (*earlier, *here, core.Const(core.BOOL, True)))
        return Search(self.decider, _taken(goal, held)).possible()


def _taken(value: core.Expr, held: dict[str, bool | None]) -> core.Expr:
    """A condition in which each gate (or check) is decided; `None` is an undefined one."""
    if isinstance(value, (core.And, core.Or)):
        return type(value)(value.type, tuple(_taken(part, held) for part in value.parts))
    if isinstance(value, core.Not):
        return core.Not(value.type, _taken(value.operand, held))
    if isinstance(value, core.Is) and value.state in ("true", "false"):
        return core.Is(value.type, _taken(value.operand, held), value.state)
    if isinstance(value, (core.Global, core.Entry)) and value.space in held:
        return core.Const(core.BOOL, held[value.space])
    if isinstance(value, core.Quantified) and value.condition is not None:
        condition = _taken(value.condition, held)  # of a rule with entries, which are all alike here
        return condition if condition != value.condition else value
    return value
