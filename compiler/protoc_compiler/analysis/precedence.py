"""Released verdicts that a blocker does not stop: a line that is reached although a blocker has fired.

The same search as for unreachable lines: each rule may be true, false or undefined by itself. Where some assignment
lets a blocker fire and the verdict still be a released word that the blocker does not force, the order of the lines is
wrong, or no line asks the blocker at all. A search that ends with its budget reports nothing.

A blocker with a placeholder has fired where it did for some row, as `some blockers have fired` asks. What lines ask in
another way, through a definition, a gate or a sub-verdict, by an entry's name or by rows of their own choice, is not
judged: what such a name says of the blocker is not known here.
"""

from __future__ import annotations

from collections.abc import Iterator

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
    tests: list[core.Expr | None] = [*lines]
    words = [value for _, value in verdict.expr.lines] + [verdict.expr.otherwise]
    otherwise: set[str] | None = None
    for index, (test, word) in enumerate(zip([*tests, None], words, strict=True)):
        if not isinstance(word, core.Const) or word.value not in protocol.released:
            continue
        reached = [_not_true(earlier) for earlier in tests[:index] if earlier is not None]
        reached += [test] if test is not None else []
        for blocker in protocol.of("blockers"):
            if blocker.forces == word.value or not Search(decider, _both(fired[blocker.name], reached)).possible():
                continue
            if otherwise is None:  # seldom needed: a protocol in order never comes here
                plain = {shape(one) for one in fired.values()}
                otherwise = {name for one in lines for name in _asked_otherwise(protocol, one, plain)}
            if blocker.name not in otherwise:
                span, name = place(el, verdict, index), blocker.name
                line = f"the line that gives `{blocker.forces}`" if blocker.forces else _LINE
                el.findings.add(kinds.RELEASED_DESPITE_BLOCKER, span, blocker=name, word=word.value, line=line)
                break


def _asked_otherwise(protocol: core.Protocol, test: core.Expr, plain: set[str]) -> Iterator[str]:
    """The blockers that a line reads through names, or of which it reads entries by itself."""
    if isinstance(test, (core.And, core.Or)):
        for part in test.parts:
            yield from _asked_otherwise(protocol, part, plain)
    elif isinstance(test, (core.Not, core.Is)):
        yield from _asked_otherwise(protocol, test.operand, plain)
    elif shape(test) not in plain and not (isinstance(test, core.Global) and test.space == "blockers"):
        from protoc_compiler.analysis.behind import behind

        for part, _ in behind(protocol, test):
            if isinstance(part, (core.Entry, core.Global)) and part.space == "blockers":
                yield part.name


def _not_true(value: core.Expr) -> core.Expr:
    return core.Not(core.BOOL, core.Is(core.BOOL, value, "true"))


def _both(one: core.Expr, others: list[core.Expr]) -> core.Expr:
    return core.And(core.BOOL, (one, *others))
