"""`gates`, `blockers` and `checks` as tables: `all gates have held`, `some blockers where forces == X have fired`."""

from __future__ import annotations

from protoc_compiler import core, suggest, syntax
from protoc_compiler.catalogue import names as kinds
from protoc_compiler.elaborate import paths
from protoc_compiler.elaborate.context import Context, Scope
from protoc_compiler.names import RULE_SPACES, ItemName
from protoc_compiler.spec import Rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

_STATES = {"gates": ("held", "failed"), "checks": ("held", "failed"), "blockers": ("fired",)}


def quantified(el: Context, tree: syntax.Quantified, scope: Scope) -> core.Expr | None:
    """The quantifier over a table of rules as one condition over the rules, or None for any other table."""
    rows = tree.rows
    filters: tuple[object, ...] = ()
    if isinstance(rows, syntax.Table) and isinstance(rows.source, syntax.Name):
        filters, source = rows.filters, rows.source
    elif isinstance(rows, syntax.Name):
        source = rows
    else:
        return None
    if source.text not in RULE_SPACES:
        return None
    items = [item for (space, _), item in el.names.items.items() if space == source.text]
    for condition in filters:
        items = _filtered(el, items, condition, tree)
    state = _state(el, tree, source.text)
    parts = tuple(_one(el, item, state, tree.quantifier, scope) for item in items)
    if not parts:
        value = {"all": None, "some": False, "no": True}[tree.quantifier]
        return core.Const(core.BOOL, value)
    if tree.quantifier == "all":
        return core.And(core.BOOL, parts)
    some = core.Or(core.BOOL, parts)
    return some if tree.quantifier == "some" else core.Not(core.BOOL, some)


def some_fired(el: Context, name: str) -> core.Expr:
    """That a blocker has fired, with a placeholder for any row: what `some blockers have fired` asks of it."""
    return _one(el, el.names.items["blockers", name], "fired", "some", ())


def _state(el: Context, tree: syntax.Quantified, space: str) -> str:
    condition = tree.condition
    states = _STATES[space]
    if isinstance(condition, syntax.Name) and condition.text in states:
        return condition.text
    span = condition.span if condition is not None else tree.span
    found = condition.text if isinstance(condition, syntax.Name) else "this"
    hint = f"`{space}` have " + " or ".join(f"`{state}`" for state in states)
    el.fault(kinds.UNKNOWN_COLUMN, span, table=space, name=found, hint=hint)
    return None


def _filtered(el: Context, items: list[ItemName], condition: object, tree: syntax.Quantified) -> list[ItemName]:
    test = condition.condition if isinstance(condition, syntax.Where) else None
    if isinstance(test, syntax.Chain) and test.ops == ("==",):
        left, right = test.operands
        if isinstance(left, syntax.Name) and left.text == "forces" and isinstance(right, syntax.Name):
            words = {item.source.forces.text for item in items if isinstance(item.source, Rule) and item.source.forces}
            if right.text not in words:
                hint = suggest.hint(right.text, words)
                el.fault(kinds.UNKNOWN_MEMBER, right.span, name=right.text, members="the words forced", hint=hint)
            return [
                item
                for item in items
                if isinstance(item.source, Rule) and item.source.forces and item.source.forces.text == right.text
            ]
    hint = "rules are filtered by what they force: `some blockers where forces == REJECT have fired`"
    return el.fault(kinds.UNKNOWN_COLUMN, tree.span, table="blockers", name="this filter", hint=hint)


def _one(el: Context, item: ItemName, state: str, quantifier: str, scope: Scope) -> core.Expr:
    if not item.per:
        return _tested(core.Global(core.BOOL, item.space, item.name), item, state)
    keys: list[core.Expr] = []
    opened: list[core.Rows] = []
    for table in item.per:
        var = el.fresh()
        keys.append(core.RowVar(core.Type("row", table=el.table(table, item.span).root), var))
        opened.append(core.Rows(var, table))
    made = _tested(paths.entry(el, item, tuple(keys)), item, state)
    inner: Literal["all", "some"] = "all" if quantifier == "all" else "some"
    for rows in reversed(opened):
        made = core.Quantified(core.BOOL, inner, rows, made)
    return core.Is(core.BOOL, made, "true") if inner == "all" else made


def _tested(value: core.Expr, item: ItemName, state: str) -> core.Expr:
    if state == "fired":
        return core.Default(core.BOOL, value, core.Const(core.BOOL, fires_undefined(item)))
    return core.Is(core.BOOL, value, "true" if state == "held" else "false")


def fires_undefined(item: ItemName) -> bool:
    """Whether an undefined blocker fires: yes, unless its `if_undefined` says otherwise."""
    source = item.source
    return not (isinstance(source, Rule) and source.if_undefined and source.if_undefined.text == "does not fire")
