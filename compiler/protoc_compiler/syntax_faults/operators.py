"""Comparisons, `not`, `is` and `=` in the wrong place."""

from __future__ import annotations

from protoc_compiler.catalogue import syntax as kinds
from protoc_compiler.syntax_faults.context import OPERANDS, Context, Fault, fault

_OPPOSITE = {"==": "!=", "!=": "==", "<": ">=", "<=": ">", ">": "<=", ">=": "<"}
_ABSENT = ("null", "none", "None", "NULL", "nil", "missing", "empty", "absent", "nan", "NaN", "unknown", "NA")


def equals(context: Context) -> Fault | None:
    """`x = 5`, `x = = 5`, `x > = 5`."""
    if context.token.kind != "EQUAL":
        return None
    before, following = context.before(), context.after()
    if before.kind == "CMP" and before.text in "<>":
        found = context.quote(before, context.token)
        return fault(
            kinds.FOREIGN_OPERATOR, before, context.token, found=found, form=f"`{before.text}=` without the space"
        )
    last = following if following.kind == "EQUAL" else None
    return fault(kinds.SINGLE_EQUALS, context.token, last)


def comparison(context: Context) -> Fault | None:
    """`x > 3 and < 5`, `> 3`."""
    token = context.token
    if token.kind != "CMP" or not context.value_expected or context.before().kind in ("_NOT", "_IS"):
        return None
    if context.before().kind == "CMP":
        found = context.quote(context.before(), token)
        form = "one of `==`, `!=`, `<`, `<=`, `>`, `>=`"
        return fault(kinds.FOREIGN_OPERATOR, context.before(), token, found=found, form=form)
    return fault(kinds.MISSING_LEFT, token, found=token.text, form=_repeat(context))


def _repeat(context: Context) -> str:
    """The comparison with the left side of the one before it, where that is simple enough to quote."""
    joined = context.before().text
    if joined not in ("and", "or"):
        return f"write the value to compare: `x {context.token.text} ...`"
    index = context.index - 1
    while index > 0 and context.tokens[index].kind != "CMP":
        index -= 1
    left = context.operand_before(index - 1) if index else None
    simple = left is not None and context.after().kind in OPERANDS
    if left is None or not simple:
        return f"repeat the left side: `x > 3 {joined} x < 5`"
    name = context.quote(left, context.tokens[index - 1])
    return f"repeat the left side: `... {joined} {name} {context.token.text} {context.after().text}`"


def negation(context: Context) -> Fault | None:
    """`x not y`, `x not == y`, `a == not b`."""
    token, before = context.token, context.before()
    if before.kind == "_NOT" and token.kind == "CMP":
        return fault(kinds.NOT_PLACE, before, token, form=f"`{_OPPOSITE[token.text]}`")
    if token.kind == "_NOT":
        if context.value_expected:
            if before.kind == "_IS":
                return None
            return fault(kinds.NOT_PLACE, token, form="`(not ...)`, in parentheses")
        return fault(kinds.NOT_PLACE, token, form="`!=`, `not in` or `is not true`")
    if before.kind == "_NOT" and context.before(2).kind not in ("_IS", "", "_AND", "_OR", "LPAR"):
        return _not_between(context)
    return None


def _not_between(context: Context) -> Fault | None:
    token, negator = context.token, context.before()
    if token.kind == "STATE":
        return fault(kinds.NOT_PLACE, negator, token, form=f"`is not {token.text}`")
    if token.kind in OPERANDS:
        last = context.operand_end()
        return fault(kinds.NOT_PLACE, negator, form=f"`!= {context.quote(token, last)}`")
    return fault(kinds.NOT_PLACE, negator, form="`!=`, `not in` or `is not true`")


def identity(context: Context) -> Fault | None:
    """`x is completed`, `x is null`, `x is not in [..]`, `x is > 3`."""
    token = context.token
    negated = context.before().kind == "_NOT" and context.before(2).kind == "_IS"
    if not negated and context.before().kind != "_IS":
        return None
    first = context.before(2) if negated else context.before()
    prefix = "is not" if negated else "is"
    if token.kind in OPERANDS | {"LPAR", "LSQB", "SIGN", "QUANT", "PREFIX"}:
        last = context.after() if token.kind == "SIGN" else context.operand_end()
        found = context.quote(token, last)
        return fault(kinds.IS_VALUE, first, last, found=found, form=_equality(token.text, found, negated))
    if token.kind == "_IN":
        return fault(kinds.IS_VALUE, first, token, found="in", form="`not in`" if negated else "`in`")
    if token.kind == "CMP":
        form = _OPPOSITE[token.text] if negated else token.text
        return fault(kinds.IS_VALUE, first, token, found=token.text, form=f"`{form}` without `{prefix}`")
    return None


def _equality(word: str, found: str, negated: bool) -> str:
    if word in _ABSENT:
        return "`is defined`" if negated else "`is undefined`"
    if word in ("no", "No"):
        return "`is not false`" if negated else "`is false`"
    return f"`!= {found}`" if negated else f"`== {found}`"


def range_outside(context: Context) -> Fault | None:
    """`x == 3..5`."""
    return fault(kinds.RANGE_PLACE, context.token) if context.token.kind == "_DOTS" else None


RULES = (equals, comparison, negation, identity, range_outside)
