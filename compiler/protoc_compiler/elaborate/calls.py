"""Calls of the library: which form is meant, what the operands must be, what comes out."""

from __future__ import annotations

from collections.abc import Sequence

from protoc_compiler import core, library, suggest, syntax
from protoc_compiler.catalogue import names as name_kinds
from protoc_compiler.catalogue import types as kinds
from protoc_compiler.elaborate import compare, paths
from protoc_compiler.elaborate.context import Context, Scope
from protoc_compiler.elaborate.kinds import describe, is_measure, is_ordered, join
from protoc_compiler.library import Signature
from protoc_runtime.diagnostics import Span


def call(el: Context, tree: syntax.Call, scope: Scope) -> core.Expr:
    """A call in value position."""
    forms = library.forms(tree.name)
    if not forms:
        from protoc_compiler import other_names

        hint = other_names.hint(tree.name, (*tree.args, *tree.options))
        el.fault(name_kinds.UNKNOWN_FUNCTION, tree.span, name=tree.name, hint=hint)
    if tree.rows is not None:
        signature = forms.get("over") or _wrong_form(el, tree, forms)
        return _over(el, tree, signature, scope)
    if "rows" in forms and len(tree.args) == 1 and el.is_rows(tree.args[0], scope):
        return _of_rows(el, tree, forms["rows"], scope)
    if "rows" in forms and len(tree.args) == 1:
        _known(el, tree.args[0], scope)
    if tree.name == "count" and len(tree.args) == 1:
        return _size(el, tree, scope)
    signature = forms.get("value") or _wrong_form(el, tree, forms)
    return _on_values(el, tree, signature, scope)


def _known(el: Context, tree: syntax.Expr, scope: Scope) -> None:
    """A bare name where rows are wanted, and that is nothing at all, is a table that does not exist."""
    if isinstance(tree, syntax.Name) and not paths.in_rows(el, tree.text, scope):
        known = tree.text in el.names.values or tree.text in el.names.entries
        if not known and paths.lookup(el, tree.text, tree.span, scope) is None:
            hint = suggest.hint(tree.text, el.names.table_names())
            el.fault(name_kinds.UNKNOWN_TABLE, tree.span, name=tree.text, hint=hint)


def _wrong_form(el: Context, tree: syntax.Call, forms: dict[library.Form, Signature]) -> Signature:
    if "over" in forms:
        operands = len(forms["over"].operands)
        form = _columns_over(el, tree) if len(tree.args) == operands and tree.rows is None else ""
        form = form or ", ".join("xyz"[:operands]) + " over ROWS"
        hint = _ranked(tree) or f"write `{tree.name}({form})`: the operand is read per row"
        expected = f"{operands} operand{'s' if operands > 1 else ''} over rows"
    elif "rows" in forms:
        expected, hint = "rows", f"write `{tree.name}(TABLE)` or `{tree.name}(TABLE where ...)`"
    else:
        operands = len(forms["value"].operands)
        expected, hint = f"{operands} values", "this function is not taken over rows"
    count = len(tree.args)
    found = f"{count} operand{'s' if count != 1 else ''} {'over' if tree.rows is not None else 'without'} rows"
    el.fault(kinds.WRONG_ARGUMENTS, tree.span, function=tree.name, expected=expected, found=found, hint=hint)


def _ranked(tree: syntax.Call) -> str:
    """How a quantile is written whose share stands among its operands."""
    if tree.name != "quantile":
        return ""
    from protoc_compiler import other_names

    return other_names.ranked(tree.args)


def _columns_over(el: Context, tree: syntax.Call) -> str:
    """`x over T` where every operand is written as a column of the same table, `T.x`; empty where that is not so."""
    columns, tables = [], set()
    for arg in tree.args:
        match arg:
            case syntax.Field(base=syntax.Name(text=table), name=column) if table in el.names.table_names():
                tables.add(table)
                columns.append(column)
                if el.column(el.table(table, arg.span).root, column) is None:
                    return ""
            case _:
                return ""
    return f"{', '.join(columns)} over {tables.pop()}" if len(tables) == 1 else ""


def _over(el: Context, tree: syntax.Call, signature: Signature, scope: Scope) -> core.Expr:
    assert tree.rows is not None
    rows, inside = el.rows(tree.rows, scope)
    if signature.ordered:
        needs_order(el, rows, tree.name, tree.span)
    _arity(el, tree, signature)
    args = [el.expr(arg, inside) for arg in tree.args]
    for arg, pattern, written in zip(args, signature.operands, tree.args, strict=True):
        check_operand(el, arg, pattern, written.span, tree.name)
    if signature.alike:
        compare.check_pair(el, args[0], args[1], "<" if "ordered" in signature.operands else "==", tree.args[1].span)
    options = _options(el, tree, signature, scope)
    return core.Aggregate(_result(signature, args), tree.name, rows, tuple(args), options)


def _of_rows(el: Context, tree: syntax.Call, signature: Signature, scope: Scope) -> core.Expr:
    rows, inside = el.rows(tree.args[0], scope)
    if signature.ordered:
        needs_order(el, rows, tree.name, tree.span)
    if signature.result == "row":
        root = inside[-1].root
        return core.OneRow(core.Type("row", table=root), tree.name, rows)  # type: ignore[arg-type]
    kind = core.DIGEST if signature.result == "digest" else core.INT
    return core.Aggregate(kind, tree.name, rows, (), ())


def _size(el: Context, tree: syntax.Call, scope: Scope) -> core.Expr:
    operand = el.expr(tree.args[0], scope)
    if operand.type.kind not in ("set", "list"):
        hint = "count rows, `count(T where ...)`, or the members of a set or list"
        expected, found = "rows, a set or a list", describe(operand.type)
        el.fault(kinds.WRONG_ARGUMENTS, tree.span, function="count", expected=expected, found=found, hint=hint)
    return core.Call(core.INT, "size", (operand,), ())


def _on_values(el: Context, tree: syntax.Call, signature: Signature, scope: Scope) -> core.Expr:
    if not signature.variadic:
        _arity(el, tree, signature)
    elif len(tree.args) < 2:
        form = _columns_over(el, tree) if len(tree.args) == 1 else ""
        hint = f"write `{tree.name}({form or 'x over ROWS'})` for a column, or give two values"
        el.fault(
            kinds.WRONG_ARGUMENTS, tree.span, function=tree.name, expected="two or more values",
            found=str(len(tree.args)), hint=hint,
        )  # fmt: skip
    args = [el.expr(arg, scope) for arg in tree.args]
    patterns = signature.operands * len(args) if signature.variadic else signature.operands
    for arg, pattern, written in zip(args, patterns, tree.args, strict=True):
        check_operand(el, arg, pattern, written.span, tree.name)
    if signature.variadic:
        for arg, written in zip(args[1:], tree.args[1:], strict=True):
            compare.check_pair(el, args[0], arg, "<", written.span)
    options = _options(el, tree, signature, scope)
    return core.Call(_result(signature, args), tree.name, tuple(args), options)


def _arity(el: Context, tree: syntax.Call, signature: Signature) -> None:
    if len(tree.args) == len(signature.operands):
        return
    expected = f"{len(signature.operands)} operand{'s' if len(signature.operands) != 1 else ''}"
    hint = _ranked(tree) or f"`{tree.name}` takes ({', '.join(signature.operands)})"
    el.fault(
        kinds.WRONG_ARGUMENTS, tree.span, function=tree.name, expected=expected, found=str(len(tree.args)), hint=hint
    )


def check_operand(el: Context, arg: core.Expr, pattern: str, span: Span, function: str) -> None:
    """Whether an operand fits; reports and gives up if not."""
    kind = arg.type
    fits = {
        "bool": kind.kind == "bool",
        "int": kind.kind == "int",
        "number": kind.kind in ("int", "number", "real"),
        "measure": is_measure(kind) or kind.kind == "real",
        "ordered": is_ordered(kind),
        "text": kind.kind in ("text", "enum"),
        "time": kind.kind == "time",
        "value": kind.kind not in ("struct", "undefined"),
        "numbers": kind.kind == "list" and kind.item is not None and kind.item.kind in ("int", "number"),
        "collection": kind.kind in ("set", "list"),
    }[pattern]
    if kind.kind == "undefined" or fits:
        return
    words = {
        "bool": "a condition (true or false)",
        "int": "a whole number",
        "number": "a number",
        "measure": "a number or a quantity",
        "ordered": "a number, a quantity, a time or a date",
        "numbers": "a list of numbers",
    }
    expected = words.get(pattern, f"a {pattern}")
    hint = "compare it first, for instance `x == y`" if pattern == "bool" else "check the operand's type"
    if kind.kind == "bool" and pattern in ("number", "measure"):
        hint = "`rate(c over T)` is the share of true ones; `indicator(c)` is 1 or 0"
    el.fault(
        kinds.WRONG_TYPE, span, what=f"an operand of `{function}`", expected=expected, found=describe(kind), hint=hint
    )


def _options(el: Context, tree: syntax.Call, signature: Signature, scope: Scope) -> tuple[tuple[str, core.Expr], ...]:
    known = {option.name: option for option in signature.options}
    made: dict[str, core.Expr] = {}
    if tree.options:
        from protoc_compiler.elaborate import ranges
    for option in tree.options:
        if option.name not in known:
            named = ", ".join(f"`{name}`" for name in known)
            hint = suggest.hint(option.name, known, f"its options are {named}" if named else "it takes no options")
            el.fault(name_kinds.UNKNOWN_OPTION, option.span, function=tree.name, name=option.name, hint=hint)
        declared = known[option.name]
        expect = core.Type("enum", members=declared.words) if declared.words else None
        made[option.name] = el.expr(option.value, scope, expect)
        if not declared.words:
            check_operand(el, made[option.name], declared.pattern, option.value.span, tree.name)
        ranges.check_option(el, tree.name, option.name, made[option.name], option.value.span)
    for option_name, declared in known.items():
        if declared.required and option_name not in made:
            el.fault(kinds.MISSING_OPTION, tree.span, function=tree.name, name=option_name)
    return tuple(sorted(made.items()))


def _result(signature: Signature, args: Sequence[core.Expr]) -> core.Type:
    if signature.result in library.RESULTS:
        return library.RESULTS[signature.result]
    if signature.result == "struct":
        fields = tuple((name, library.RESULTS[kind]) for name, kind in signature.fields)
        return core.Type("struct", fields=fields)
    if signature.result == "list":
        return core.Type("list", item=args[0].type)
    if signature.result == "mean":
        return core.NUMBER if args[0].type.kind == "int" else args[0].type
    if signature.result == "common":
        kind = args[0].type
        for arg in args[1:]:
            kind = join(kind, arg.type) or kind
        return kind
    return {"same": args[0].type, "date": core.DATE, "text": core.TEXT}[signature.result]


def needs_order(el: Context, rows: core.Rows, function: str, span: Span) -> None:
    """Rows that are read in order must declare one."""
    if rows.order or order_of(el, rows.table):
        return
    el.fault(kinds.NO_ORDER, span, function=function, table=rows.table)


def order_of(el: Context, name: str) -> bool:
    """Whether a table has an order: its own, its source's, or that of a list."""
    table = el.table(name, el.spec.title.span)
    while True:
        if table.order or table.kind in ("listed", "nested", "grouped"):
            return True
        if table.rows is not None and table.rows.order:
            return True
        if table.kind != "subset" or table.rows is None:
            return False
        table = el.table(table.rows.table, el.spec.title.span)
