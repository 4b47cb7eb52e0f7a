"""Whether it is worth while to prove something of the rules: the engine is loaded only where it may find something.

Worth while are rules that compare one value more than once (they may contradict themselves), and several gates over a
table whose number of rows is expected.
"""

from __future__ import annotations

from protoc_compiler import core
from protoc_compiler.analysis.walk import sizes
from protoc_compiler.core.tree import parts
from protoc_compiler.elaborate.context import Context


def check(protocol: core.Protocol, el: Context) -> None:
    """Prove what is cheap to prove; nothing where errors have been found already."""
    if el.findings.failed:
        return
    gates, blockers = protocol.of("gates"), protocol.of("blockers")
    joined = [item for item in (*gates, *blockers) if _compares_twice(item.expr)]
    known = {name for name in sizes(protocol) if protocol.table(name).kind == "input"}
    counted = el.counts and bool(known) and len(gates) > 1
    if joined or counted:
        from protoc_compiler.proof import checks

        checks.check(protocol, el, joined, counted=counted)


def _compares_twice(value: core.Expr) -> bool:
    """Whether one value is compared with constants in two places."""
    seen: set[core.Expr] = set()
    for part in parts(value):
        if isinstance(part, core.Compare):
            for operand in part.operands:
                if not isinstance(operand, core.Const):
                    if operand in seen:
                        return True
                    seen.add(operand)
    return False
