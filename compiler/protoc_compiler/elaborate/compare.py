"""Comparisons and membership: bare words beside an enum, references beside keys, units against units."""

from __future__ import annotations

from protoc_compiler import core, syntax
from protoc_compiler.catalogue import names as name_kinds
from protoc_compiler.catalogue import types as kinds
from protoc_compiler.elaborate import paths
from protoc_compiler.elaborate.context import Context, Scope
from protoc_compiler.elaborate.kinds import comparable, describe, is_ordered
from protoc_runtime.diagnostics import Span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_READ_AS = ("bool", "int", "number", "text", "enum", "digest")


def _read_as(kind: core.Type) -> bool:
    """What a value of any kind may be read as. A number is also money, which has one unit for each currency; beside a
    duration or a size it would be for the reader to guess whether it counts ms or s."""
    return kind.kind in _READ_AS or (kind.kind == "quantity" and kind.unit in ("USD", "EUR"))


def chain(el: Context, tree: syntax.Chain, scope: Scope) -> core.Expr:
    """`a < b <= c`."""
    if all(isinstance(operand, syntax.ListOf) for operand in tree.operands) and not {"==", "!="} & {*tree.ops}:
        return _lexicographic(el, tree, scope)
    operands = together(el, tree.operands, scope)
    exact = _exact(el, tree, operands)
    if exact is not None:
        return exact
    made = []
    for index, op in enumerate(tree.ops):
        left, right = operands[index], operands[index + 1]
        span = tree.operands[index + 1].span
        left, right = keyed(el, left, right)
        check_pair(el, left, right, op, span)
        if left == right and not isinstance(left, core.Const):
            el.fault(name_kinds.SELF_COMPARISON, tree.span, name=_name(tree.operands[index]))
        made.append((left, right))
    flat = (made[0][0], *(right for _, right in made))
    if all(made[i][1] == made[i + 1][0] for i in range(len(made) - 1)):
        return core.Compare(core.BOOL, flat, tree.ops)  # type: ignore[arg-type]
    parts: Any = tuple(core.Compare(core.BOOL, pair, (op,)) for pair, op in zip(made, tree.ops, strict=True))  # type: ignore[arg-type]
    return core.And(core.BOOL, parts)


def _lexicographic(el: Context, tree: syntax.Chain, scope: Scope) -> core.Expr:
    """`[a, b] > [c, d]`: the first pair that differs decides, and those behind it are not asked."""
    links = zip(tree.operands, tree.ops, tree.operands[1:], strict=False)
    parts = [_by_first(el, tree, one, op, other, scope) for one, op, other in links]
    return parts[0] if len(parts) == 1 else core.And(core.BOOL, tuple(parts))


def _by_first(
    el: Context, tree: syntax.Chain, one: syntax.Expr, op: str, other: syntax.Expr, scope: Scope
) -> core.Expr:
    assert isinstance(one, syntax.ListOf)
    assert isinstance(other, syntax.ListOf)
    if len(one.items) != len(other.items) or not one.items:
        found = f"a list of {len(one.items)} beside one of {len(other.items)}"
        el.fault(
            kinds.WRONG_TYPE, tree.span, what=f"`{op}` between lists", expected="lists of one length", found=found,
            hint="give both lists a value for each level: `[a, b] > [c, d]`",
        )  # fmt: skip

    def link(place: int, sign: str) -> core.Expr:
        """The comparison of the items at one place."""
        pair = (one.items[place], other.items[place])
        return chain(el, syntax.Chain(tree.span, pair, (sign,)), scope)

    last = len(one.items) - 1
    made = link(last, op)
    for place in range(last - 1, -1, -1):
        made = core.Or(core.BOOL, (link(place, op[0]), core.And(core.BOOL, (link(place, "=="), made))))
    return made


def _exact(el: Context, tree: syntax.Chain, operands: list[core.Expr]) -> core.Expr | None:
    """A comparison of real numbers by its exact test, where every link of the chain that needs one has one."""
    parts: list[core.Expr] = []
    for op, left, right in zip(tree.ops, operands, operands[1:], strict=False):
        if "real" in (left.type.kind, right.type.kind):
            from protoc_compiler.elaborate import exactly

            made = exactly.compare(el, left, op, right)
            if made is None:
                return None
            parts.append(made)
        else:
            parts.append(core.Compare(core.BOOL, (left, right), (op,)))  # type: ignore[arg-type]
    if not any(operand.type.kind == "real" for operand in operands):
        return None
    el.readings.append((tree.span, "a real number is compared exactly, by what defines it"))
    return parts[0] if len(parts) == 1 else core.And(core.BOOL, tuple(parts))


def _name(tree: syntax.Expr) -> str:
    return tree.text if isinstance(tree, syntax.Name) else "value"


def together(el: Context, trees: tuple[syntax.Expr, ...], scope: Scope) -> list[core.Expr]:
    """Operands that type each other: a bare word takes the enum of the operand beside it.

    First what cannot be a word, then columns of the rows in scope; a name that is left is a word if the operand
    beside it has such a member, and otherwise the value of that name.
    """
    made: list[core.Expr | None] = [None] * len(trees)
    for index, tree in enumerate(trees):
        if not isinstance(tree, syntax.Name):
            made[index] = el.expr(tree, scope)
    for index, tree in enumerate(trees):
        if isinstance(tree, syntax.Name) and paths.in_rows(el, tree.text, scope):
            made[index] = el.expr(tree, scope, _beside(el, made, index))
    while None in made:
        index = _next(el, trees, made)
        made[index] = el.expr(trees[index], scope, _beside(el, made, index))
    return [item for item in made if item is not None]


def _next(el: Context, trees: tuple[syntax.Expr, ...], made: list[core.Expr | None]) -> int:
    """The name to read next: one with a typed operand beside it, else one that has a value of its own."""
    waiting = [index for index, item in enumerate(made) if item is None]
    for index in waiting:
        if _beside(el, made, index) is not None:
            return index
    for index in waiting:
        tree = trees[index]
        if isinstance(tree, syntax.Name) and (tree.text in el.names.values or tree.text in el.names.entries):
            return index
    return waiting[0]


def _beside(el: Context, made: list[core.Expr | None], index: int) -> core.Type | None:
    for other in (index - 1, index + 1):
        if 0 <= other < len(made):
            item = made[other]
            if item is not None:
                return key_type(el, item.type)
    return None


def key_type(el: Context, kind: core.Type) -> core.Type:
    """The type of a reference's key, where it has one; any other type as it is."""
    if kind.kind != "row":
        return kind
    column = key_column(el, kind.table)
    return key_type(el, column.type) if column is not None else kind


def key_column(el: Context, root: str) -> core.Col | None:
    """The one key column of a table."""
    table = el.table(root, el.spec.title.span)
    return el.column(root, table.key[0]) if len(table.key) == 1 else None


def keyed(el: Context, left: core.Expr, right: core.Expr) -> tuple[core.Expr, core.Expr]:
    """A reference beside a plain value is compared by its key; a value of any kind is read as what stands beside it."""
    if left.type.kind == "row" and right.type.kind != "row":
        return _key_of(el, left), right
    if right.type.kind == "row" and left.type.kind != "row":
        return left, _key_of(el, right)
    if left.type.kind == "any" and _read_as(right.type):
        return core.Cast(_cast(right.type), left), right
    if right.type.kind == "any" and _read_as(left.type):
        return left, core.Cast(_cast(left.type), right)
    return left, right


def _cast(kind: core.Type) -> core.Type:
    """What an `any` value must be to stand beside this type: a whole number is a number like others there."""
    return core.NUMBER if kind.kind == "int" else kind


def _key_of(el: Context, row: core.Expr) -> core.Expr:
    column = key_column(el, row.type.table)
    if column is None:
        return row
    made = core.Column(column.type, row, column.name)
    return _key_of(el, made) if column.type.kind == "row" else made


def check_pair(el: Context, left: core.Expr, right: core.Expr, op: str, span: Span) -> None:
    """Whether two operands can be compared so; reports and gives up if not."""
    one, other = left.type, right.type
    if "real" in (one.kind, other.kind):
        el.fault(kinds.REAL_THRESHOLD, span)
    if not comparable(one, other):
        if "quantity" in (one.kind, other.kind):
            unit = one if one.kind == "quantity" else other
            numbers = [part.value for part in (left, right) if isinstance(part, core.Const)]
            written = next((value for value in numbers if type(value) is int), 250)
            hint = f"write the unit: `{written} {unit.shown or unit.unit}`"
            el.fault(kinds.UNIT_MISMATCH, span, left=describe(one), right=describe(other), hint=hint)
        hint = _hint(one, other)
        el.fault(kinds.INCOMPARABLE, span, left=describe(one), right=describe(other), hint=hint)
    if op in ("<", "<=", ">", ">=") and not (is_ordered(one) and is_ordered(other)):
        found = describe(one if not is_ordered(one) else other)
        el.fault(kinds.NOT_ORDERED, span, found=found, op=op)


def _hint(one: core.Type, other: core.Type) -> str:
    for kind, beside in ((one, other), (other, one)):
        if kind.kind == "enum" and beside.kind == "enum":
            return "the two have no member in common"
        if kind.kind == "set":
            return "ask `x in SET` for membership"
        if kind.kind == "digest" and beside.kind == "text":
            return "a digest is compared with a digest; type the column `digest`"
    return "compare things of one kind"


# --- membership -------------------------------------------------------------------------------------------------


def membership(el: Context, tree: syntax.In, scope: Scope) -> core.Expr:
    """`x in [...]`, `x in a..b`, `x in tags`, `x in T.column`."""
    made = _membership(el, tree, scope)
    return core.Not(core.BOOL, made) if tree.negated else made


def _membership(el: Context, tree: syntax.In, scope: Scope) -> core.Expr:
    collection = tree.collection
    if isinstance(collection, syntax.Paren):
        collection = collection.inner
    if isinstance(collection, syntax.ListOf):
        item, *members = together_list(el, tree.item, collection.items, scope)
        return core.InList(core.BOOL, item, tuple(members))
    if isinstance(collection, syntax.Range):
        item, low, high = together(el, (tree.item, collection.low, collection.high), scope)
        item, low = keyed(el, item, low)
        check_pair(el, item, low, "<=", collection.low.span)
        check_pair(el, item, high, "<=", collection.high.span)
        return core.InRange(core.BOOL, item, low, high)
    column = _column_of_table(el, collection, scope)
    if column is not None:
        return _in_column(el, tree, column, scope)
    return _in_set(el, tree, scope)


def together_list(el: Context, item: syntax.Expr, members: tuple[syntax.Expr, ...], scope: Scope) -> list[core.Expr]:
    """An item and the members of a literal list, each checked against the item."""
    first = el.expr(item, scope)
    kind = key_type(el, first.type)
    made = [first]
    for member in members:
        value = el.expr(member, scope, kind)
        one, other = keyed(el, first, value)
        check_pair(el, one, other, "==", member.span)
        made[0] = one
        made.append(other)
    return made


def _column_of_table(el: Context, tree: syntax.Expr, scope: Scope) -> tuple[syntax.Expr, str] | None:
    if not isinstance(tree, syntax.Field):
        return None
    base = tree.base
    if isinstance(base, syntax.Name):
        if paths.lookup(el, base.text, base.span, scope) is None and el.names.is_table(base.text):
            return base, tree.name
        return None
    return (base, tree.name) if el.is_rows(base, scope) else None


def _in_column(el: Context, tree: syntax.In, column: tuple[syntax.Expr, str], scope: Scope) -> core.Expr:
    base, name = column
    item = el.expr(tree.item, scope)
    rows, inside = el.rows(base, scope)
    value = el.expr(syntax.Name(tree.collection.span, name), (inside[-1],))
    item, value = keyed(el, item, value)
    check_pair(el, item, value, "==", tree.collection.span)
    return core.InColumn(core.BOOL, item, rows, value)


def _in_set(el: Context, tree: syntax.In, scope: Scope) -> core.Expr:
    collection = el.expr(tree.collection, scope)
    if collection.type.kind not in ("set", "list"):
        el.fault(kinds.NOT_ITERABLE, tree.collection.span, found=describe(collection.type))
    inner = collection.type.item
    item = el.expr(tree.item, scope, inner)
    if inner is not None:
        probe = core.Const(inner, None)
        item, _ = keyed(el, item, probe)
        check_pair(el, item, probe, "==", tree.item.span)
    return core.InSet(core.BOOL, item, collection)
