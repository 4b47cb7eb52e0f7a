"""How people answer a judgement: labels of the protocol or of each row, marks in a text, several raters."""

from __future__ import annotations

from protoc_compiler import core, suggest, syntax
from protoc_compiler.catalogue import document as document_kinds
from protoc_compiler.catalogue import names as name_kinds
from protoc_compiler.catalogue import procedure as kinds
from protoc_compiler.catalogue import types as type_kinds
from protoc_compiler.catalogue import visibility as own
from protoc_compiler.elaborate import observed
from protoc_compiler.elaborate.elaborator import Elaborator
from protoc_compiler.elaborate.kinds import describe
from protoc_compiler.spec import JudgementDecl, TableDecl
from protoc_compiler.spec_parts import texts
from protoc_runtime.observed import ADJUDICATED, MARKED
from protoc_runtime.procedure import PUBLIC, RATERS, SUBJECT

Sees = tuple[tuple[str, core.Expr], ...]


def same_key(el: Elaborator, written: JudgementDecl, root: core.Table, filled: core.Table) -> tuple[str, ...]:
    """The filled row names the judged one: by the same columns, or where that has one key, by a reference to it."""
    more = [name for name, given in (("rater", len(written.raters) > 1), ("n", written.marks)) if given]
    if len(written.raters) == 1 and "rater" in filled.key:
        more = ["rater", *more]
    key = tuple(name for name in filled.key if name not in more or name in root.key)
    if more and (sorted(filled.key) != sorted((*root.key, *more)) or set(more) & set(root.key)):
        el.fault(
            own.FILLED_KEY, written.fills.span, fills=filled.name, key=_names(filled.key), name=written.name.text,
            other=_names((*root.key, *more)),
        )  # fmt: skip
    alike = key == root.key
    for name in key if alike else ():
        mine, other = el.column(filled.name, name), el.column(root.name, name)
        refers = mine is not None and mine.type.kind == "row" and mine.type.table == root.name
        alike = alike and mine is not None and other is not None and (refers or mine.type == other.type)
    if not alike:
        el.fault(
            kinds.KEYS_DIFFER, written.fills.span, fills=filled.name, key=_listed(el, filled), judges=root.name,
            other=_listed(el, root),
        )  # fmt: skip
    return root.key


def _names(key: tuple[str, ...]) -> str:
    return f"[{', '.join(key)}]"


def _listed(el: Elaborator, table: core.Table) -> str:
    columns = [el.column(table.name, name) for name in table.key]
    types = [column.type.table or column.type.kind for column in columns if column is not None]
    return "[" + ", ".join(f"{name}: {kind}" for name, kind in zip(table.key, types, strict=False)) + "]"


def check_told(el: Elaborator, written: JudgementDecl, decl: TableDecl, key: tuple[str, ...]) -> None:
    """Report columns beside key and label that nobody tells, and a `rater` that is none of the raters."""
    told = [column for column in decl.columns if column.name.text not in (*key, written.column.text)]
    raters = written.raters
    known = ADJUDICATED | (MARKED if written.marks is not None else {})
    observed.check(el, "adjudication", tuple(c for c in told if not raters or c.name.text != "rater"), known)
    check_rater(el, decl, texts(raters))


def check_rater(el: Elaborator, decl: TableDecl, raters: tuple[str, ...]) -> None:
    """Report a column `rater` that is neither text nor the list of raters (E2606)."""
    for column in decl.columns if raters else ():
        found = observed.spelled(column.type)
        members = {member.strip() for member in found.strip("[]").split(",")}
        if column.name.text == "rater" and found != "text" and members != set(raters):
            names = ", ".join(raters)
            el.findings.add(own.RATERS, column.type.span, table=decl.name.text, raters=names, found=f"`{found}`")


# --- labels ---------------------------------------------------------------------------------------------------------


def raters(el: Elaborator, written: JudgementDecl) -> tuple[str, ...]:
    """Who judges; the words for everybody else who could see something are no names (E0213)."""
    for name in written.raters:
        if name.text in (SUBJECT, RATERS, PUBLIC, "adjudication"):
            el.findings.add(document_kinds.RESERVED, name.span, found=name.text)
    return texts(written.raters)


def labels(el: Elaborator, written: JudgementDecl, filled: core.Table) -> tuple[tuple[str, str], ...]:
    """The labels with their meanings; none where each row has its own."""
    column = filled.column(written.column.text)
    if column is None:
        known = [column.name for column in filled.columns]
        hint = suggest.hint(written.column.text, known)
        span, name = written.column.span, written.column.text
        el.fault(name_kinds.UNKNOWN_COLUMN, span, table=filled.name, name=name, hint=hint)
    if written.choices is not None:
        _text(el, written, filled, column)
        return ()
    meanings = {label.text: meaning.text for label, meaning in written.labels}
    problem, hint = _difference(column, filled, meanings)
    if problem:
        table, name = filled.name, written.name.text
        el.fault(
            kinds.LABELS_DIFFER, written.column.span, name=name, table=table, column=column.name, problem=problem,
            hint=hint,
        )  # fmt: skip
    return tuple((member, meanings[member]) for member in column.type.members)


def _text(el: Elaborator, written: JudgementDecl, filled: core.Table, column: core.Col) -> None:
    if column.type.kind != "text" or column.optional or column.name in filled.key:
        el.fault(
            type_kinds.WRONG_TYPE, written.column.span, what=f"`{filled.name}.{column.name}`", expected="`text`",
            found=describe(column.type) + (", which may be null" if column.optional else ""),
            hint=f"write `{column.name}: text`: its labels differ from row to row",
        )  # fmt: skip


def _difference(column: core.Col, filled: core.Table, meanings: dict[str, str]) -> tuple[str, str]:
    """(what differs, how to mend it), or two empty texts."""
    members = column.type.members
    wanted = f"type it `[{', '.join(meanings)}]`"
    if column.name in filled.key:
        return "the column is part of the key", "name the column that the rater fills"
    if column.type.kind != "enum":
        return f"the column is of type {column.type.kind}", wanted
    if column.optional:
        return "the column may be null, and a rater decides each row", wanted
    lacking = [member for member in members if member not in meanings]
    if lacking:
        return f"{_quoted(lacking)} without a meaning", "add each under `labels`, with what it means"
    unknown = [label for label in meanings if label not in members]
    return (f"the column does not take {_quoted(unknown)}", wanted) if unknown else ("", "")


def _quoted(names: list[str]) -> str:
    return ", ".join(f"`{name}`" for name in names) + (" is" if len(names) == 1 else " are")


# --- what stands among what a rater sees ----------------------------------------------------------------------------


def choices(el: Elaborator, written: JudgementDecl, sees: Sees) -> str:
    """Under which label a rater sees the labels of a row; "" where the protocol declares them."""
    if written.choices is None:
        return ""
    path = _path(written.choices.tree)
    seen = {label: value.type for label, value in sees}
    for name in (path[-1:], path[-2:]):
        kind = seen.get(".".join(name))
        listed = kind.item if kind is not None and kind.kind in ("set", "list") else None
        if listed is not None and listed.kind == "text":
            return ".".join(name)
    hint = "show the column that holds them, a set or list of text, in `sees`"
    return el.fault(
        own.NOT_SEEN, written.choices.span, key="labels", name=written.choices.text, judgement=written.name.text,
        what="set or list of text", hint=hint,
    )  # fmt: skip


def _path(tree: syntax.Expr) -> tuple[str, ...]:
    if isinstance(tree, syntax.Field):
        return (*_path(tree.base), tree.name)
    return (tree.text,) if isinstance(tree, syntax.Name) else ()


def marks(el: Elaborator, written: JudgementDecl, sees: Sees) -> str:
    """Under which label a rater sees the text that is marked; "" where nothing is."""
    if written.marks is None:
        return ""
    known = {label: value.type for label, value in sees if value.type.kind == "text"}
    if written.marks.text not in known:
        hint = suggest.hint(written.marks.text, known, "show the text in `sees`, and name it as it stands there")
        el.fault(
            own.NOT_SEEN, written.marks.span, key="marks", name=written.marks.text, judgement=written.name.text,
            what="text", hint=hint,
        )  # fmt: skip
    return written.marks.text
