"""What every other rule leaves: what was found, and what could stand there, in words."""

from __future__ import annotations

from protoc_compiler import _parser, lalr
from protoc_compiler.catalogue import syntax as kinds
from protoc_compiler.lexer import END
from protoc_compiler.syntax_faults.context import OPERAND_ENDS, Context, Fault, fault

_ALL = sorted({kind for row in _parser.ACTIONS for kind in row})
_SINGLE = (
    ("CMP", "an operator such as `==`, `+` or `and`"),
    ("_OVER", "`over`"),
    ("_HAVE", "`have`"),
    ("_WHEN", "`when`"),
    ("_OTHERWISE", "`otherwise`"),
    ("_BY", "`by`"),
    ("_IN", "`in`"),
    ("_WHERE", "a filter such as `where`"),
    ("COMMA", "`,`"),
    ("RPAR", "`)`"),
    ("RSQB", "`]`"),
    (END, "the end of the formula"),
)


def what(context: Context) -> str:
    """What could stand at the stuck token."""
    possible = set(lalr.possible(context.tokens[: context.index], _ALL, context.start))
    parts = []
    if {"NAME", "NUMBER"} <= possible:
        parts.append("a value")
    elif "NAME" in possible:
        parts.append("a name")
    elif "NUMBER" in possible:
        parts.append("a number")
    elif "STATE" in possible:
        parts.append("true, false, defined or undefined")
    parts += [text for kind, text in _SINGLE if kind in possible and (kind != "_IN" or "CMP" not in possible)]
    if len(parts) > 1:
        return ", ".join(parts[:-1]) + " or " + parts[-1]
    return parts[0] if parts else "nothing more"


def ended(context: Context) -> Fault | None:
    """The formula, or a bracket, ends where something should follow."""
    token, before = context.token, context.before()
    if token.kind not in (END, "RPAR", "RSQB", "_WHEN", "_OTHERWISE") or before.kind in OPERAND_ENDS or not before.text:
        return None
    if before.kind == "LPAR":
        return None
    end = "the end of the formula" if token.kind == END else f"`{token.text}`"
    return fault(kinds.INCOMPLETE, before, found=before.text, end=end, expected=what(context))


def unexpected(context: Context) -> Fault:
    """Anything else."""
    token, before = context.token, context.before()
    after = f"after `{before.text}`" if before.text else "at the start"
    found = token.text or "the end"
    return fault(kinds.UNEXPECTED, token, found=found, after=after, expected=what(context), form=_form(context))


def _form(context: Context) -> str:
    token, before = context.token, context.before()
    if token.kind == "LSQB" and before.kind in ("NAME", "FIELD"):
        return f"an entry or a column is read with a dot: `{before.text}.KEY`"
    if token.kind == "LPAR" and before.kind in OPERAND_ENDS:
        return "to multiply write `*` before the parenthesis"
    if token.kind == "COMMA":
        return "a list of values stands in square brackets, `[a, b]`; conditions are joined by `and`"
    if token.kind == "RPAR" and before.kind == "LPAR":
        return "a call needs an argument: `count(T)`, `sum(x over T)`"
    if token.kind == "_OVER":
        return "`over` stands inside the parentheses of an aggregate: `mean(x over T)`"
    if token.kind == "_IN":
        return "put one of the two conditions in parentheses"
    return "see the language reference for the forms of formulas"
