"""The bodies of definitions and rules: one formula, a first-match list, or conditions joined by all and any."""

from __future__ import annotations

from protoc_compiler import core, syntax
from protoc_compiler.catalogue import names as kinds
from protoc_compiler.catalogue import types as type_kinds
from protoc_compiler.elaborate import expressions, paths, unreached
from protoc_compiler.elaborate.context import Context, Fault, Scope
from protoc_compiler.elaborate.kinds import describe, join
from protoc_compiler.nodes import brief
from protoc_compiler.spec import Body, Conditions, Custom, Definition, FirstMatch, Formula, Text
from protoc_compiler.unparse import unparse


def value(el: Context, definition: Definition, scope: Scope) -> core.Expr:
    """The value of a definition, with its `if_undefined`."""
    made = body(el, definition.body, scope)
    if definition.if_undefined is None:
        return made
    fallback = el.expr(definition.if_undefined.tree, scope, made.type)
    kind = join(made.type, fallback.type)
    if kind is None:
        el.fault(
            type_kinds.BRANCHES_DIFFER, definition.if_undefined.span, one=describe(made.type),
            other=describe(fallback.type),
        )  # fmt: skip
    return core.Default(kind, made, fallback)


def body(el: Context, written: Body, scope: Scope) -> core.Expr:
    """The typed form of a body."""
    before = len(el.unreached)
    made = _body(el, written, scope)
    unreached.bind(el, made, before)
    return made


def _body(el: Context, written: Body, scope: Scope) -> core.Expr:
    if isinstance(written, Formula):
        return el.expr(written.tree, scope)
    if isinstance(written, Conditions):
        parts = expressions.conditions(el, tuple(part.tree for part in written.parts), scope)
        return (core.And if written.kind == "all" else core.Or)(core.BOOL, parts)
    if isinstance(written, Custom):
        from protoc_compiler.elaborate import custom

        return custom.made(el, written, scope)
    return first_match(el, written, scope)


def text(written: Body) -> str:
    """A body as written, on one line."""
    if isinstance(written, Formula):
        return written.text
    if isinstance(written, Conditions):
        return f"{written.kind} of: " + "; ".join(part.text for part in written.parts)
    if isinstance(written, Custom):
        return f"{written.python.text}({', '.join(part.text for part in written.takes)})"
    return "; ".join(written.texts)


def parts(written: Body, made: core.Expr) -> tuple[tuple[str, core.Expr], ...]:
    """The conditions of an all or any, each with its text."""
    if isinstance(written, Conditions) and isinstance(made, (core.And, core.Or)):
        return tuple((part.text, expr) for part, expr in zip(written.parts, made.parts, strict=True))
    return ()


def words(written: Body) -> tuple[str, ...]:
    """The words that a first-match list can give, in order."""
    if not isinstance(written, FirstMatch):
        return ()
    found = [line.value.text for line in written.lines if isinstance(line.value, syntax.Name)]
    return tuple(dict.fromkeys(found))


def cites(written: Body, own: tuple[Text, ...] = ()) -> tuple[str, ...]:
    """The ids that an entry cites: its `own`, and those of the lines of a first-match list."""
    lines = written.cites if isinstance(written, FirstMatch) else ()
    return tuple(cite.text for cite in (*own, *lines))


# --- first-match lists --------------------------------------------------------------------------------------------


def first_match(el: Context, written: FirstMatch, scope: Scope) -> core.Expr:
    """`VALUE when CONDITION` lines; the faults of all lines are told."""
    kind = _words_or_values(el, written, scope)
    lines, failed = [], False
    for line in written.lines:
        try:
            lines.append(_line(el, line, scope, kind))
        except Fault:
            failed = True
    if failed:
        raise Fault
    result = kind or _common(el, written, [made for _, made in lines])
    *conditional, (_, otherwise) = lines
    pairs = tuple((test, made) for test, made in conditional if test is not None)
    return core.Choose(result, pairs, otherwise)


def _words_or_values(el: Context, written: FirstMatch, scope: Scope) -> core.Type | None:
    names = [line.value for line in written.lines if isinstance(line.value, syntax.Name)]
    others = [
        line.value
        for line in written.lines
        if not isinstance(line.value, syntax.Name) and not _is_undefined(line.value)
    ]
    if names and others:
        word = names[0].text
        shown = brief(unparse(others[0]))
        el.fault(kinds.MIXED_LIST, names[0].span, word=word, value=shown)
    words = tuple(dict.fromkeys(name.text for name in names))
    if words and all(paths.in_rows(el, word, scope) or word in el.names.values for word in words):
        shown = ", ".join(f"`{word}`" for word in words)
        el.fault(kinds.WORDS_NAME_VALUES, names[0].span, words=shown, word=words[0])
    return core.Type("enum", members=words) if words else None


def _is_undefined(tree: syntax.Expr) -> bool:
    return isinstance(tree, syntax.Constant) and tree.state == "undefined"


def _line(el: Context, line: syntax.Line, scope: Scope, kind: core.Type | None) -> tuple[core.Expr | None, core.Expr]:
    test = None
    if line.condition is not None:
        test = el.placed(expressions.condition(el, line.condition, scope, "`when`"), line.condition.span)
    if kind is not None and isinstance(line.value, syntax.Name):
        return test, core.Const(kind, line.value.text)
    return test, el.expr(line.value, scope, kind)


def _common(el: Context, written: FirstMatch, values: list[core.Expr]) -> core.Type:
    kind = core.UNDEFINED
    for line, made in zip(written.lines, values, strict=True):
        joined = join(kind, made.type)
        if joined is None:
            el.fault(type_kinds.BRANCHES_DIFFER, line.value.span, one=describe(kind), other=describe(made.type))
        kind = joined
    return kind
