"""Formulas: from a scalar's text to a `syntax` tree.

Says of each formula that does not parse what was found, at its exact place, and the form that works. It looks at no
name's meaning and no type.
"""

from __future__ import annotations

from protoc_compiler import lalr, syntax
from protoc_compiler.catalogue import syntax as kinds
from protoc_compiler.lexer import tokenize
from protoc_compiler.nodes import Scalar
from protoc_compiler.tree_actions import Misuse
from protoc_runtime.diagnostics import Findings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MAX_LENGTH = 4_000


def parse_formula(scalar: Scalar, findings: Findings) -> syntax.Expr | None:
    """The tree of a formula, or None after its faults have been added to `findings`."""
    return _parse(scalar, "expr", findings)  # type: ignore[no-any-return]


def parse_line(scalar: Scalar, findings: Findings) -> syntax.Line | None:
    """The tree of one `VALUE when CONDITION` or `VALUE otherwise`, or None after its faults have been added."""
    return _parse(scalar, "line", findings)  # type: ignore[no-any-return]


def _parse(scalar: Scalar, start: str, findings: Findings) -> Any:
    text = scalar.text
    if len(text) > MAX_LENGTH:
        span = scalar.at(MAX_LENGTH, len(text))
        findings.add(kinds.TOO_LONG, span, length=f"{len(text):,}", limit=f"{MAX_LENGTH:,}")
        return None
    tokens = tokenize(text)
    try:
        return lalr.run(tokens, start, scalar.at)
    except Misuse as misuse:
        findings.add(misuse.kind, misuse.span, **misuse.values)
    except lalr.TooDeep as deep:
        token = tokens[deep.index]
        findings.add(kinds.TOO_DEEP, scalar.at(token.start, token.end), limit=lalr.MAX_DEPTH)
    except lalr.Stuck as stuck:
        from protoc_compiler.syntax_faults import explain

        explain(scalar, tokens, stuck, start, findings)
    return None
