"""Prints a tree as a formula, in its one canonical spelling: what is printed parses to the same tree again."""

from __future__ import annotations

from collections.abc import Iterable

from protoc_compiler import syntax as s


def unparse(tree: s.Expr | s.Line) -> str:
    """The formula (or the line of a first-match list) on one line."""
    match tree:
        case s.Line(_, value, None):
            return f"{unparse(value)} otherwise"
        case s.Line(_, value, condition) if condition is not None:
            return f"{unparse(value)} when {unparse(condition)}"
        case s.Number(_, _, text) | s.Quantity(_, _, _, text) | s.Date(_, text) | s.Name(_, text):
            return _literal(tree, text)
        case s.String(_, value):
            return f'"{value}"'
        case s.Constant(_, state):
            return state
    return _compound(tree)  # type: ignore[arg-type]


def _literal(tree: s.Expr | s.Line, text: str) -> str:
    if isinstance(tree, s.Number):
        return text.replace(" ", "")
    if isinstance(tree, s.Quantity):
        return f"{text.removesuffix(tree.unit).rstrip()} {tree.unit}"
    return text


def _compound(tree: s.Expr) -> str:
    match tree:
        case s.Field(_, base, name):
            return f"{unparse(base)}.{name}"
        case s.Call():
            return _call(tree)
        case s.ListOf(_, items):
            return f"[{_commas(items)}]"
        case s.Paren(_, inner):
            return f"({unparse(inner)})"
        case s.Negative(_, operand):
            return f"-{unparse(operand)}"
        case s.Power(_, base, exponent):
            return f"{unparse(base)} ^ {unparse(exponent)}"
        case s.Arithmetic(_, op, left, right):
            return f"{unparse(left)} {op} {unparse(right)}"
        case s.Range(_, low, high):
            return f"{unparse(low)}..{unparse(high)}"
    return _condition(tree)


def _call(tree: s.Call) -> str:
    inner = _commas(tree.args)
    if tree.rows is not None:
        inner += f" over {unparse(tree.rows)}"
    options = "".join(f", {option.name} = {unparse(option.value)}" for option in tree.options)
    return f"{tree.name}({(inner + options).removeprefix(', ')})"


def _condition(tree: s.Expr) -> str:
    match tree:
        case s.Chain(_, operands, ops):
            rest = zip(ops, operands[1:], strict=True)
            return unparse(operands[0]) + "".join(f" {op} {unparse(operand)}" for op, operand in rest)
        case s.In(_, item, collection, negated):
            return f"{unparse(item)} {'not in' if negated else 'in'} {unparse(collection)}"
        case s.Is(_, operand, state, negated):
            return f"{unparse(operand)} {'is not' if negated else 'is'} {state}"
        case s.Not(_, operand):
            return f"not {unparse(operand)}"
        case s.And(_, parts):
            return " and ".join(unparse(part) for part in parts)
        case s.Or(_, parts):
            return " or ".join(unparse(part) for part in parts)
        case s.Quantified(_, quantifier, rows, condition):
            return f"{quantifier} {unparse(rows)}" + (f" have {unparse(condition)}" if condition is not None else "")
    return _rows(tree)


def _rows(tree: s.Expr) -> str:
    match tree:
        case s.Combined(_, kind, tables):
            return f"{kind} of {_names(tables)}"
        case s.Table(_, source, prefix, latest, alias, filters):
            count = f" {latest}" if latest is not None else ""
            words = [f"{prefix}{count}" if prefix else "", unparse(source), f"as {alias.text}" if alias else ""]
            return " ".join([word for word in words if word] + [_filter(item) for item in filters])
    raise TypeError(type(tree).__name__)


def _filter(tree: s.Where | s.Matching | s.Ordered | s.Grouped) -> str:
    match tree:
        case s.Where(_, condition):
            return f"where {unparse(condition)}"
        case s.Matching(_, columns):
            return f"matching {_names(columns)}"
        case s.Ordered(_, keys):
            return "ordered by " + " then ".join(unparse(key) for key in keys)
        case s.Grouped(_, columns):
            return f"grouped by {_names(columns)}"


def _names(names: Iterable[s.Name]) -> str:
    return " and ".join(name.text for name in names)


def _commas(items: Iterable[s.Expr]) -> str:
    return ", ".join(unparse(item) for item in items)
