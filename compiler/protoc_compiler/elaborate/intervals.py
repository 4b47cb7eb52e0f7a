"""Resampling intervals: what is drawn, what follows the draw, and that the metric rests on nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from protoc_compiler import core, suggest
from protoc_compiler.catalogue import analysis as analysis_kinds
from protoc_compiler.catalogue import names as kinds
from protoc_compiler.catalogue import types as type_kinds
from protoc_compiler.elaborate import ranges
from protoc_compiler.elaborate.context import Context, Fault, Scope
from protoc_compiler.elaborate.items import per_scope
from protoc_compiler.elaborate.references import references
from protoc_compiler.names import PLACEHOLDER, ItemName
from protoc_compiler.spec import Formula, IntervalDecl, Text

GENERATORS = ("mersenne twister",)


def interval(el: Context, decl: IntervalDecl) -> core.Interval:
    """The typed interval."""
    metric = _metric(el, decl.metric)
    for _, output in decl.outputs:
        if tuple(PLACEHOLDER.findall(output.text)) != metric.per:
            el.fault(type_kinds.DIFFERENT_PLACEHOLDERS, output.span, one=decl.metric.text, other=output.text)
    if decl.generator.text not in GENERATORS:
        el.fault(type_kinds.UNKNOWN_GENERATOR, decl.generator.span, name=decl.generator.text)
    el.restart()
    scope = per_scope(el, metric)
    drawn: list[core.Rows] = []
    inside = scope
    for formula in decl.resample:
        rows, inside = el.rows(formula.tree, scope)
        drawn.append(rows)
    follow = tuple(el.rows(formula.tree, inside)[0] for formula in decl.follow)
    within = () if decl.within is None else (el.expr(decl.within.tree, inside),)
    made = core.Interval(
        name=decl.name.text,
        metric=metric.name,
        per=metric.per,
        resample=tuple(drawn),
        follow=follow,
        within=within,
        out_of=_out_of(el, decl.out_of, scope),
        draws=_whole(el, decl.draws),
        generator=decl.generator.text,
        seed=decl.seed.text.replace("_", ""),
        level=_level(el, decl.level),
        outputs=tuple((which, name.text) for which, name in decl.outputs),
        says=decl.says.text if decl.says is not None else "",
        cites=tuple(cite.text for cite in decl.cites),
        span=decl.name.span,
    )
    _follows(el, made, el.item(metric).expr, decl.metric)
    return made


def _metric(el: Context, name: Text) -> ItemName:
    found = el.names.items.get(("metrics", name.text))
    if found is None:
        known = [known for space, known in el.names.items if space == "metrics"]
        el.fault(kinds.UNKNOWN_NAME, name.span, name=name.text, hint=suggest.hint(name.text, known))
    el.used.add(name.text)
    return found


def _out_of(el: Context, formula: Formula | None, scope: Scope) -> core.Expr | None:
    return None if formula is None else el.expr(formula.tree, scope)


def _whole(el: Context, formula: Formula) -> int:
    value = el.expr(formula.tree, ())
    if not isinstance(value, core.Const) or not isinstance(value.value, int) or value.value < 1:
        el.fault(type_kinds.NOT_CONSTANT, formula.span, what="the number of draws (a whole number)")
    ranges.check_draws(el, value.value, formula.span)
    return value.value


def _level(el: Context, formula: Formula) -> Fraction:
    value = el.expr(formula.tree, ())
    if not isinstance(value, core.Const) or not isinstance(value.value, (int, Fraction)):
        el.fault(type_kinds.NOT_CONSTANT, formula.span, what="the level (between 0 and 100%)")
    level = Fraction(value.value)
    if not 0 < level < 1:
        hint = f"write `{float(level):g}%`" if 1 < level < 100 else "write a share between 0 and 1, such as `95%`"
        el.fault(analysis_kinds.NO_SHARE, formula.span, what="the level", found=f"{float(level):g}", hint=hint)
    return level


# --- that the metric follows the draw ------------------------------------------------------------------------------


def _follows(el: Context, made: core.Interval, value: core.Expr, place: Text) -> None:
    drawn = made.resample[0].table
    allowed = [rows.table for rows in (*made.resample, *made.follow)]
    for part in _reads(el, value):
        if isinstance(part, (core.Global, core.Entry)):
            if part.space in ("gates", "checks", "blockers"):
                what = f"the rule `{part.space}.{part.name}`"
                _refuse(el, made, place, what, "let the metric rest on rows, not on rules")
        elif isinstance(part, core.Custom):
            hint = "resample a metric that the language says"
            _refuse(el, made, place, f"the function `{part.target}`, which is no part of the language", hint)
        elif isinstance(part, core.OneRow):
            if part.function == "only" and _touches(el, part.rows.table, allowed):
                what = f"a single row of `{part.rows.table}`, which a draw may repeat or leave out"
                _refuse(el, made, place, what, "let the metric rest on counts, sums and means of rows")
        elif isinstance(part, core.Rows) and not _belongs(el, part, allowed) and _touches(el, part.table, allowed):
            what = f"`{part.table}`, which is no part of what is drawn"
            hint = f"let the metric read `{drawn}` or a subset of it, or name `{part.table}` under `follow`"
            _refuse(el, made, place, what, hint)


def _refuse(el: Context, made: core.Interval, place: Text, what: str, hint: str) -> None:
    drawn = made.resample[0].table
    el.findings.add(
        type_kinds.NOT_RESAMPLED, place.span, interval=made.name, drawn=drawn, metric=made.metric, what=what, hint=hint
    )
    raise Fault


def _belongs(el: Context, rows: core.Rows, allowed: list[str]) -> bool:
    name = rows.table
    while True:
        if name in allowed:
            return True
        table = el.table(name, el.spec.title.span)
        if table.kind != "subset" or table.rows is None:
            return False
        name = table.rows.table


def _touches(el: Context, name: str, allowed: list[str]) -> bool:
    """Whether a table shares its root with something drawn, or refers to it."""
    root = el.table(name, el.spec.title.span).root
    roots = {el.table(other, el.spec.title.span).root for other in allowed}
    return root in roots or any(target in roots for _, target in references(el, root))


def _reads(el: Context, value: object) -> Iterator[core.Rows | core.Global | core.Entry | core.Custom | core.OneRow]:
    """Every row set and named value that a metric is computed from anew; columns are computed once."""
    if isinstance(value, (core.Global, core.Entry)):
        yield value
        named = el.names.items.get((value.space, value.name))
        if named is not None and value.space in ("definitions", "metrics"):
            yield from _reads(el, el.item(named).expr)
    elif isinstance(value, (core.Custom, core.OneRow)):
        yield value
    elif isinstance(value, core.Rows):
        yield value
        for test in value.where:
            yield from _reads(el, test)
    if isinstance(value, core.Expr):
        for part in value.__dict__.values():
            yield from _reads(el, part)
    elif isinstance(value, tuple):
        for part in value:
            yield from _reads(el, part)
