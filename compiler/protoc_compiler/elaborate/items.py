"""Named values and rules: definitions, metrics, blockers, gates, checks, verdicts, lists."""

from __future__ import annotations

from protoc_compiler import core
from protoc_compiler.catalogue import types as type_kinds
from protoc_compiler.elaborate import bodies
from protoc_compiler.elaborate.context import Context, Scope
from protoc_compiler.elaborate.kinds import describe
from protoc_compiler.elaborate.rows import frames
from protoc_compiler.elaborate.rules import fires_undefined
from protoc_compiler.names import ItemName
from protoc_compiler.spec import Definition, Entries, Formula, IntervalDecl, Report, Rule, Rules, Verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_ORDERED = ("int", "number", "real", "quantity", "time", "date")


def item(el: Context, name: ItemName) -> core.Item:
    """The typed item of a name."""
    scope = per_scope(el, name)
    source = name.source
    if isinstance(source, IntervalDecl):
        return _bound(el, name, source, scope)
    if isinstance(source, Rule):
        return _rule(el, name, source, scope)
    if isinstance(source, Verdict):
        made = bodies.body(el, source.body, scope)
        words = bodies.words(source.body) or made.type.members
        return core.Item(
            name.space, name.name, made.type, made, bodies.text(source.body), name.per, words=words,
            cites=bodies.cites(source.body), span=name.span,
        )  # fmt: skip
    return _definition(el, name, source, scope)


def per_scope(el: Context, name: ItemName) -> Scope:
    """The rows that the placeholders of a name put in scope."""
    scope: Scope = ()
    for index, table in enumerate(name.per):
        el.used.add(table)
        root = el.table(table, name.span).root
        scope += frames(el, core.RowVar(core.Type("row", table=root), f"per{index}"), root)
    return scope


def _definition(el: Context, name: ItemName, source: Definition, scope: Scope) -> core.Item:
    if source.with_metrics:
        el.fault(
            type_kinds.WRONG_TYPE, source.with_metrics[0].span, what="`with`", expected="on a group table",
            found=f"on `{name.name}`", hint="write `T grouped by COLUMN` for groups",
        )  # fmt: skip
    made = bodies.value(el, source, scope)
    _directed(el, source, made)
    return core.Item(
        name.space,
        name.name,
        made.type,
        made,
        bodies.text(source.body),
        name.per,
        source.says.text if source.says is not None else "",
        parts=bodies.parts(source.body, made),
        **_withheld(el, name),
        cites=bodies.cites(source.body, source.cites),
        span=name.span,
        better=source.better.text if source.better is not None else "",
    )


def _directed(el: Context, source: Definition, made: core.Expr) -> None:
    """Only of what has an order are some values better than others."""
    if source.better is not None and made.type.kind not in (*_ORDERED, "any", "undefined"):
        el.fault(
            type_kinds.WRONG_TYPE, source.better.span, what="`better`", expected="on a metric that is a number",
            found=f"on {describe(made.type)}", hint="leave it out",
        )  # fmt: skip


def _rule(el: Context, name: ItemName, source: Rule, scope: Scope) -> core.Item:
    made = bodies.body(el, source.body, scope)
    if made.type.kind == "any":
        made = core.Cast(core.BOOL, made)
    if made.type.kind not in ("bool", "undefined"):
        span = source.body.span
        el.fault(type_kinds.RULE_NOT_BOOL, span, name=name.name, found=describe(made.type))
    parts = bodies.parts(source.body, made)
    joined = "" if not parts else ("all" if isinstance(made, core.And) else "any")
    return core.Item(
        name.space,
        name.name,
        core.BOOL,
        made,
        bodies.text(source.body),
        name.per,
        source.says.text,
        parts=parts,
        joined=joined,  # type: ignore[arg-type]
        **_withheld(el, name),
        forces=source.forces.text if source.forces is not None else "",
        fires_undefined=fires_undefined(name),
        cites=bodies.cites(source.body, source.cites),
        span=name.span,
    )


def _bound(el: Context, name: ItemName, source: IntervalDecl, scope: Scope) -> core.Item:
    keys = tuple(frame.row for frame in scope)
    kind = core.INT if name.which == "kept" else core.NUMBER
    made = core.Bound(kind, source.name.text, name.which, keys)
    says = source.says.text if source.says is not None else ""
    text = f"{name.which} of {source.name.text}"
    return core.Item(name.space, name.name, kind, made, text, name.per, says, **_withheld(el, name), span=name.span)


def _withheld(el: Context, name: ItemName) -> dict[str, Any]:
    """The condition under which the section of an item withholds it, and how it is written."""
    sections: dict[str, Entries | Rules | Report] = {
        "metrics": el.spec.metrics,
        "checks": el.spec.checks,
        "statuses": el.spec.report,
        "lists": el.spec.report,
    }
    section = sections.get(name.space)
    formula: Formula | None = section.withheld_when if section is not None else None
    if formula is None or section is None or name.name in {text.text for text in section.not_withheld}:
        return {}
    return {"withheld": el.expr(formula.tree, ()), "withheld_text": formula.text}
