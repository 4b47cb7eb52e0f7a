"""Brackets that are not closed, or not opened."""

from __future__ import annotations

from protoc_compiler.catalogue import syntax as kinds
from protoc_compiler.lexer import END
from protoc_compiler.syntax_faults.context import OPERAND_ENDS, Context, Fault, fault

_CLOSING = {"LPAR": ")", "LSQB": "]"}


def unbalanced(context: Context) -> Fault | None:
    """The stuck token is the end, or a line's word, within brackets, or a closing bracket that fits none."""
    token, opened = context.token, context.opened()
    if token.kind in (END, "_WHEN", "_OTHERWISE") and opened is not None:
        if context.before().kind not in OPERAND_ENDS:
            return None
        bracket = context.tokens[opened]
        return fault(kinds.UNCLOSED, bracket, found=bracket.text, closing=_CLOSING[bracket.kind])
    if token.kind not in ("RPAR", "RSQB"):
        return None
    if opened is None:
        return fault(kinds.UNOPENED, token, found=token.text, form="remove it, or add the opening one")
    bracket = context.tokens[opened]
    closing = _CLOSING[bracket.kind]
    if closing != token.text:
        form = f"`{bracket.text}` is closed by `{closing}`"
        return fault(kinds.UNOPENED, token, found=token.text, form=form, opened_here=bracket)
    return None
