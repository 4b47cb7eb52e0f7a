"""Rows: `over`, `have`, filters, quantifiers and calls in the wrong place, and names without an operator."""

from __future__ import annotations

from protoc_compiler import library
from protoc_compiler.catalogue import syntax as kinds
from protoc_compiler.lexer import Token
from protoc_compiler.syntax_faults.context import FILTERS, OPERAND_ENDS, OPERANDS, Context, Fault, fault


def quantifier_place(context: Context) -> Fault | None:
    """`a and all T have c`, `1 + some T`."""
    token = context.token
    if token.kind == "QUANT" and context.value_expected:
        return fault(kinds.QUANTIFIER_PLACE, token, found=token.text)
    return None


def table_place(context: Context) -> Fault | None:
    """A prefix or a filter in the middle of a formula."""
    token = context.token
    if token.kind in ("PREFIX", "COMBINE") or (token.kind == "_LATEST" and context.value_expected):
        if not context.value_expected:
            return None
        form = f"put it in parentheses: `({token.text} ...)`"
        return fault(kinds.TABLE_PLACE, token, found=" ".join(token.text.split()), form=form)
    if token.kind not in FILTERS:
        return None
    if token.kind == "_AS" and not context.value_expected:
        form = "an alias stands directly behind its table: `T as other where ...`"
    elif context.before().kind == "COMMA":
        form = "leave out the comma: a filter directly follows its table"
    elif context.before().kind not in OPERAND_ENDS:
        form = f"name the table first: `T {token.text} ...`"
    else:
        form = f"put the table and its filters in parentheses: `(T {token.text} ...)`"
    return fault(kinds.TABLE_PLACE, token, found=token.text, form=form)


def latest(context: Context) -> Fault | None:
    """`latest T`."""
    if context.before().kind == "_LATEST":
        return fault(kinds.LATEST_COUNT, context.token, found=context.token.text or "nothing")
    return None


def missing_have(context: Context) -> Fault | None:
    """`all strata accuracy >= 0.75`, `all gates held`."""
    if context.value_expected or context.token.kind not in OPERANDS | {"CMP", "_IS", "_IN", "_NOT", "LPAR"}:
        return None
    level = context.level()
    index = next((i for i in range(len(level) - 1, -1, -1) if level[i].kind in ("QUANT", "_HAVE")), None)
    if index is None or level[index].kind == "_HAVE" or index == len(level) - 1:
        return None
    quantifier, first = level[index], level[index + 1]
    rows = context.quote(first, context.before())
    found = context.token.text
    return fault(kinds.MISSING_HAVE, context.token, quantifier=quantifier.text, rows=rows, found=found)


def have_alone(context: Context) -> Fault | None:
    """`cases have complete`."""
    if context.token.kind != "_HAVE" or context.value_expected:
        return None
    form = "start with a quantifier: `all T have c`, `some T have c`, `no T have c`"
    return fault(kinds.UNEXPECTED, context.token, found="have", after="without a quantifier", expected="one", form=form)


def missing_over(context: Context) -> Fault | None:
    """`rate(correct answered)`, `sum(cost for runs)`."""
    function = context.function()
    if function is None or context.value_expected or "over" not in library.forms(function.text):
        return None
    if context.token.kind not in ("NAME", "PREFIX", "_LATEST"):
        return None
    if any(token.kind == "_OVER" for token in context.level()):
        return None
    first = context.token
    if first.text in ("for", "of", "from", "on", "per", "across", "among"):
        first = context.after()
    last = _closing(context)
    return fault(kinds.MISSING_OVER, context.token, function=function.text, found=context.quote(first, last))


def _closing(context: Context) -> Token:
    """The last token before the bracket that closes the current ones."""
    depth = 0
    for index in range(context.index, len(context.tokens) - 1):
        kind = context.tokens[index].kind
        depth += (kind in ("LPAR", "LSQB")) - (kind in ("RPAR", "RSQB"))
        if depth < 0 or (depth == 0 and kind == "COMMA"):
            return context.tokens[max(index - 1, context.index)]
    return context.tokens[-2]


def call_without(context: Context) -> Fault | None:
    """`count cases where complete`."""
    function = context.before()
    if function.kind != "NAME" or function.text not in library.names() or context.before(2).kind == "FIELD":
        return None
    token = context.token
    if token.kind not in OPERANDS | {"PREFIX", "_LATEST", "QUANT", "COMBINE"} or token.kind == "STATE":
        return None
    inner = context.quote(token, _closing(context))
    form = f"{function.text}({inner})"
    return fault(kinds.CALL_PARENTHESES, function, found=token.text, function=function.text, form=form)


def method(context: Context) -> Fault | None:
    """`cases.count()`, `x.abs()`, `f()`."""
    field = context.before()
    if context.token.kind != "LPAR" or field.kind not in ("FIELD", "STATE"):
        return None
    if field.kind == "STATE":
        return fault(kinds.METHOD_CALL, field, found=field.text, form=f"x is {field.text}")
    base = context.operand_before(context.index - 1)
    index = context.index - 2
    inner = context.quote(base, context.tokens[index]) if base else "T"
    return fault(kinds.METHOD_CALL, field, found=field.text, form=f"{field.text[1:]}({inner})")


def side_by_side(context: Context) -> Fault | None:
    """`false positives <= 3`."""
    first, second = context.before(), context.token
    if context.value_expected or second.kind not in OPERANDS or first.kind not in OPERANDS | {"FIELD", "RPAR", "RSQB"}:
        return None
    form = "put an operator between them, such as `and`, `==` or `+`"
    if first.kind in ("NAME", "FIELD", "STATE") and second.kind == "NAME":
        joined = f"{first.text.lstrip('.')}_{second.text}"
        form = f"write `{joined}` if it is one name, else put an operator between them"
    return fault(kinds.WORDS_IN_A_ROW, first, second, first=first.text, second=second.text, form=form)


RULES = (
    quantifier_place,
    latest,
    table_place,
    missing_have,
    have_alone,
    missing_over,
    call_without,
    method,
    side_by_side,
)
