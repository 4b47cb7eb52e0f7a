"""Words of other languages and of prose, and the language's own words in the wrong place."""

from __future__ import annotations

from protoc_compiler import library
from protoc_compiler.catalogue import syntax as kinds
from protoc_compiler.lexer import END, KEYWORDS
from protoc_compiler.syntax_faults.context import FILTERS, OPERAND_ENDS, OPERAND_STARTS, Context, Fault, fault

_CHOICE = "a choice is a list: one line `VALUE when CONDITION` each, the last one `VALUE otherwise`"
_QUANTIFIERS = {
    **dict.fromkeys(("every", "each", "forall", "All", "ALL"), "`all T have c`"),
    **dict.fromkeys(("any", "exists", "exist", "there", "Some", "Any"), "`some T have c`, or `some T` alone"),
    **dict.fromkeys(("none", "None", "nobody", "No", "never"), "`no T have c`"),
}
_INFIX = {
    "between": "a range is `x in 3..5`, with both ends included",
    "contains": "write `item in collection`",
    "includes": "write `item in collection`",
    "has": "write `x is defined`, `some T have c`, or of one rule its name: `blockers.late`, `gates.fast is true`",
    "equals": "write `==`",
    "equal": "write `==`",
    "eq": "write `==`",
    "exceeds": "write `>`",
    "above": "write `>`",
    "below": "write `<`",
    "under": "write `<`",
    "greater": "write `>`",
    "less": "write `<`",
    "at": "write `>=` for at least, `<=` for at most",
    "mod": "there is no remainder operator; take the remainder `x - n * floor(x / n)`",
    "div": "write `floor(a / b)`",
    "times": "write `*`",
    "plus": "write `+`",
    "minus": "write `-`",
    "xor": "write `(a and not b) or (b and not a)`",
    "implies": "write `not a or b`",
    "like": "write `==`, or a column that says what the pattern means",
    "matches": "write `==`, or `T matching a and b` for rows with equal columns",
    "exists": "write `x is defined`",
    "of": "a number of rows is `count(T)`, a total `sum(x over T)`, and a column is read with a dot, `x.column`",
    **dict.fromkeys(("with", "that", "which", "whose", "having", "filter"), "write `T where condition`"),
    "without": "write `T where not condition`",
    "are": "write `all T have c`",
    "was": "write `x == value`, or `x is true`",
    "does": "write `x != value`, or `x is not true`",
    "isnt": "write `!=`",
    "join": "rows are joined by a reference column, or by `matching a and b`",
    "group": "write `T grouped by column`",
    "sorted": "write `T ordered by column`",
    "order": "write `T ordered by column`",
    "limit": "write `first(T)`, `latest 20 T`, or a condition",
    "select": "write `T where condition`",
}
_DIRECTIONS = ("desc", "descending", "down", "reverse", "reversed")
_UPWARDS = ("asc", "ascending", "up")


def choice(context: Context) -> Fault | None:
    """`if`, `then`, `else`, `unless`."""
    for token in (context.token, context.before()):
        word = token.text
        if word in ("else", "elif") and context.start == "line":
            return fault(kinds.IF_ELSE, token, found=word, form="the last line is `VALUE otherwise`")
        if word in ("if", "unless") and context.start == "line" and token is context.token:
            form = "write `VALUE when " + ("CONDITION`" if word == "if" else "not (CONDITION)`")
            return fault(kinds.IF_ELSE, token, found=word, form=form)
        if word in ("if", "elif", "else", "unless") and token.kind == "NAME":
            return fault(kinds.IF_ELSE, token, found=word, form=_CHOICE)
    if context.token.kind == "_THEN" and not any(token.kind == "_ORDERED" for token in context.tokens):
        return fault(kinds.IF_ELSE, context.token, found="then", form=_CHOICE)
    return None


def line(context: Context) -> Fault | None:
    """What a first-match line lacks or has too much, and line words in a formula."""
    token = context.token
    if context.start == "expr":
        if token.kind in ("_WHEN", "_OTHERWISE") and context.opened() is None and not context.value_expected:
            return fault(kinds.LINE_WORD, token, found=token.text)
        return None
    if context.before().kind == "_OTHERWISE":
        return fault(kinds.OTHERWISE, token, found=f"`{token.text}` follows `otherwise`, which ends a line")
    if token.kind in ("_WHEN", "_OTHERWISE"):
        return _line_word(context)
    if token.kind == END and context.before().kind == "_WHEN":
        return fault(kinds.OTHERWISE, context.before(), found="no condition follows `when`")
    split = any(item.kind in ("_WHEN", "_OTHERWISE") for item in context.tokens)
    if token.kind == END and not split and context.opened() is None and not context.value_expected:
        return fault(kinds.OTHERWISE, context.tokens[0], context.before(), found="this line has no `when CONDITION`")
    return None


def _line_word(context: Context) -> Fault | None:
    token, word = context.token, context.token.text
    if context.index == 0:
        return fault(kinds.OTHERWISE, token, found=f"no value stands before `{word}`")
    if any(item.kind == "_WHEN" for item in context.tokens[: context.index]):
        return fault(kinds.OTHERWISE, token, found=f"`{word}` stands in a line that already has its `when`")
    return None


def quantifier(context: Context) -> Fault | None:
    """`every T have c`, `any T`."""
    for token, count in ((context.before(), 2), (context.token, 1)):
        starts = context.before(count).kind not in OPERAND_ENDS
        if token.kind == "NAME" and token.text in _QUANTIFIERS and starts:
            return fault(kinds.FOREIGN_QUANTIFIER, token, found=token.text, form=_QUANTIFIERS[token.text])
    return None


def direction(context: Context) -> Fault | None:
    """`ordered by score desc`."""
    word = context.token.text
    if not any(token.kind == "_ORDERED" for token in context.level()) or word not in _DIRECTIONS + _UPWARDS:
        return None
    form = "the order is upwards already" if word in _UPWARDS else "put a minus before the key: `ordered by -score`"
    return fault(kinds.ORDER_DIRECTION, context.token, found=word, form=form)


def infix(context: Context) -> Fault | None:
    """`x between 3 and 5`, `x defined`."""
    token = context.token
    if context.value_expected:
        return None
    function = context.function()
    if token.text == "of" and function and "over" in library.forms(function.text):
        return None
    if token.kind == "STATE" and context.before().kind not in ("NUMBER", "STRING"):
        return fault(kinds.FOREIGN_WORD, token, found=token.text, form=f"write `is {token.text}`")
    for found in (token, context.before()):
        if found.kind == "NAME" and found.text in _INFIX and (found is token or token.kind not in ("FIELD", "LPAR")):
            return fault(kinds.FOREIGN_WORD, found, found=found.text, form=_INFIX[found.text])
    return None


def reserved(context: Context) -> Fault | None:
    """A word of the language where a value or a name should stand."""
    token = context.token
    if not context.value_expected or KEYWORDS.get(token.text) != token.kind:
        return None
    previous = context.before().kind
    if token.kind == "STATE" and previous not in ("_BY", "_AND", "_AS", "_MATCHING"):
        return None
    if token.kind in ("_NOT", "PREFIX", "COMBINE", "_LATEST", "_IN", "_AND", "_OR", "_IS"):
        return None
    if token.kind in FILTERS and (previous == "COMMA" or context.after().kind in OPERAND_STARTS):
        return None
    if token.kind == "QUANT" and context.after().kind in ("NAME", "LPAR", "PREFIX"):
        return None
    form = f'choose another name; a member of an enum that is called so is written as text, `"{token.text}"`'
    if previous in ("_WHERE", "_OVER", "_HAVE", "_WHEN") or (token.kind in ("_WHEN", "_OTHERWISE", "_THEN", "_HAVE")):
        form = f"something is missing before it; and nothing can be named `{token.text}`"
    return fault(kinds.RESERVED, token, found=token.text, form=form)


RULES = (choice, line, quantifier, direction, infix, reserved)
