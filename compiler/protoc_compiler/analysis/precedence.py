"""Released verdicts that a blocker does not stop: a line that is reached although a blocker has fired.

The same search as for unreachable lines: each rule may be true, false or undefined by itself. Where some assignment
lets a blocker fire and the verdict still be a released word that the blocker does not force, the order of the lines is
wrong, or no line asks the blocker at all. A search that ends with its budget reports nothing.

A blocker with a placeholder has fired where it did for some row, as `some blockers have fired` asks. Lines that ask it
in another way, by an entry's name or by rows of their own choice, are not judged: which rows those are is not known.
"""

from __future__ import annotations

from protoc_compiler import core
from protoc_compiler.analysis.reach import Search, place
from protoc_compiler.analysis.shapes import shape
from protoc_compiler.catalogue import analysis as kinds
from protoc_compiler.decided import decider_of
from protoc_compiler.elaborate import rules
from protoc_compiler.elaborate.context import Context

_LINE = "a line such as `WORD when some blockers have fired`"


def check(protocol: core.Protocol, el: Context) -> None:
    """Report each released line that a fired blocker leaves reachable."""
    verdict = next((item for item in protocol.of("verdict") if isinstance(item.expr, core.Choose)), None)
    if verdict is None or not isinstance(verdict.expr, core.Choose):
        return
    decider = decider_of(protocol)
    fired = {item.name: rules.some_fired(el, item.name) for item in protocol.of("blockers")}
    lines = [test for test, _ in verdict.expr.lines]
    blockers = [
        item for item in protocol.of("blockers")
        if not (item.per and any(_asks_otherwise(protocol, test, item, fired[item.name]) for test in lines))
    ]  # fmt: skip
    tests: list[core.Expr | None] = [*lines]
    words = [value for _, value in verdict.expr.lines] + [verdict.expr.otherwise]
    for index, (test, word) in enumerate(zip([*tests, None], words, strict=True)):
        if not isinstance(word, core.Const) or word.value not in protocol.released:
            continue
        reached = [_not_true(earlier) for earlier in tests[:index] if earlier is not None]
        reached += [test] if test is not None else []
        for blocker in blockers:
            if blocker.forces != word.value and Search(decider, _both(fired[blocker.name], reached)).possible():
                span, name = place(el, verdict, index), blocker.name
                line = f"the line that gives `{blocker.forces}`" if blocker.forces else _LINE
                el.findings.add(kinds.RELEASED_DESPITE_BLOCKER, span, blocker=name, word=word.value, line=line)
                break


def _asks_otherwise(protocol: core.Protocol, test: core.Expr, blocker: core.Item, fired: core.Expr) -> bool:
    """Whether a line reads entries of a blocker by itself or through a name, not as the rules of all rows."""
    if isinstance(test, (core.And, core.Or)):
        return any(_asks_otherwise(protocol, part, blocker, fired) for part in test.parts)
    if isinstance(test, (core.Not, core.Is)):
        return _asks_otherwise(protocol, test.operand, blocker, fired)
    if shape(test) == shape(fired):
        return False
    from protoc_compiler.analysis.behind import behind

    name = (blocker.space, blocker.name)
    return any(isinstance(part, core.Entry) and (part.space, part.name) == name for part, _ in behind(protocol, test))


def _not_true(value: core.Expr) -> core.Expr:
    return core.Not(core.BOOL, core.Is(core.BOOL, value, "true"))


def _both(one: core.Expr, others: list[core.Expr]) -> core.Expr:
    return core.And(core.BOOL, (one, *others))
