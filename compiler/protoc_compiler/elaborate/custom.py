"""Metrics that the language cannot say: a pinned function of the author's, with typed operands and a typed result."""

from __future__ import annotations

from fractions import Fraction
from typing import NoReturn

from protoc_compiler import core, syntax
from protoc_compiler.catalogue import types as kinds
from protoc_compiler.elaborate.context import Context, Fault, Scope
from protoc_compiler.elaborate.kinds import describe
from protoc_compiler.spec import Custom, Formula

GIVES = {"decimal": core.NUMBER, "int": core.INT, "bool": core.BOOL, "text": core.TEXT}
_TAKES = ("bool", "int", "number", "quantity", "text", "enum", "digest")
_LARGEST = 1 << 16
_SECONDS = Fraction(10)


def made(el: Context, written: Custom, scope: Scope) -> core.Expr:
    """The typed form of a custom metric; its file is read here, and its text is part of the protocol."""
    if written.gives.text not in GIVES or ".py:" not in written.python.text:
        raise Fault  # the form has been refused already
    args = tuple(_operand(el, formula, scope) for formula in written.takes)
    source = _source(el, written)
    kind = GIVES[written.gives.text]
    return core.Custom(kind, written.python.text, source, written.gives.text, _seconds(el, written.timeout), args)


def _operand(el: Context, formula: Formula, scope: Scope) -> core.Expr:
    value = el.expr(formula.tree, scope)
    inner = value.type.item if value.type.kind in ("list", "set") and value.type.item is not None else value.type
    if inner.kind not in _TAKES:
        el.fault(
            kinds.WRONG_TYPE, formula.span, what="an operand of a custom metric", expected="a number, a quantity, a "
            "text, a condition, or a list of these", found=describe(value.type),
            hint="take a column as a list: `list(x over T)`",
        )  # fmt: skip
    return value


def _source(el: Context, written: Custom) -> str:
    import ast
    from pathlib import Path

    file, _, function = written.python.text.rpartition(":")
    folder = Path(el.spec.file).parent.resolve()
    path = (folder / file).resolve()
    if not path.is_relative_to(folder):
        _bad(el, written, f"{file} leads out of the protocol's folder", "keep the file beside the spec")
    try:
        data = path.read_bytes()
        source = data.decode("utf-8").removeprefix("\ufeff").replace("\r\n", "\n")
        names = {node.name for node in ast.parse(source, file).body if isinstance(node, ast.FunctionDef)}
    except OSError as error:
        _bad(el, written, f"{file}: {error.strerror}", "the path is relative to the folder of the spec")
    except (ValueError, SyntaxError) as error:
        _bad(el, written, f"{file} is no Python: {error}", "mend the file")
    if len(data) > _LARGEST:
        _bad(el, written, f"{file} has {len(data)} bytes, more than {_LARGEST}", "keep what a reviewer can read")
    if function not in names:
        known = ", ".join(f"`{name}`" for name in sorted(names)) or "none"
        _bad(el, written, f"{file} has no such function", f"its functions are {known}")
    return source


def _bad(el: Context, written: Custom, reason: str, hint: str) -> NoReturn:
    el.fault(kinds.BAD_CUSTOM, written.python.span, target=written.python.text, reason=reason, hint=hint)


def _seconds(el: Context, formula: Formula | None) -> Fraction:
    if formula is None:
        return _SECONDS
    value = el.expr(formula.tree, ()) if isinstance(formula.tree, syntax.Quantity) else None
    if not isinstance(value, core.Const) or value.type.unit != "s" or not isinstance(value.value, Fraction):
        hint = "write a duration with its unit, such as `5 s`"
        el.fault(kinds.BAD_LITERAL, formula.span, found=formula.text, expected="a duration", hint=hint)
    return value.value
