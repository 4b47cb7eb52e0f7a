"""The sessions of an agent: what is declared of them, resolved and checked."""

from __future__ import annotations

from collections.abc import Iterator

from protoc_compiler import core, suggest, syntax
from protoc_compiler.catalogue import agents as kinds
from protoc_compiler.catalogue import names as name_kinds
from protoc_compiler.elaborate.elaborator import Elaborator
from protoc_compiler.spec import ConfiguredDecl, SessionDecl, SubjectDecl, TableDecl, Text, TypeName, UsageDecl
from protoc_compiler.spec_parts import texts, words
from protoc_runtime.agents.records import Configured, Session, Usage
from protoc_runtime.observed import OF_SESSIONS, SESSIONS, TURNS

_KEYS = ("prompt", "response", "sandbox", "network", "retry", "resume")


def session(el: Elaborator, written: SubjectDecl | None) -> Session | None:
    """The sessions that a subject has, or None."""
    given = written.session if written is not None else None
    _check_tables(el, given)
    if written is None or given is None:
        return None
    if given.session is None or written.kind.text != "command":
        for what in _spoken_of(given):
            el.findings.add(kinds.NO_SESSION, given.span, what=what)
        return None
    _check_needs(el, written, given)
    return Session(
        words(given.prompt),
        words(given.response),
        words(given.sandbox),  # type: ignore[arg-type]
        words(given.network) or ("closed" if given.sandbox else ""),  # type: ignore[arg-type]
        tuple(sorted(texts(given.allowed))),
        tuple(sorted((_configured(el, each) for each in given.configured), key=lambda each: each.name)),
        tuple(sorted((_usage(el, given, each) for each in given.usage), key=lambda each: each.name)),
        words(given.retry),  # type: ignore[arg-type]
        words(given.resume),  # type: ignore[arg-type]
    )


def _spoken_of(given: SessionDecl) -> list[str]:
    named = [f"`{key}`" for key in ("session", *_KEYS) if getattr(given, key) is not None]
    lists = {"events_allowed": given.allowed, "configured": given.configured, "usage": given.usage}
    return [*named, *(f"`{key}`" for key, value in lists.items() if value)][:1]


def _check_needs(el: Elaborator, written: SubjectDecl, given: SessionDecl) -> None:
    if given.prompt is None:
        hint = "write `prompt: PROMPT.txt`, a file beside the spec in which `{{text}}` stands for a column"
        el.findings.add(kinds.SESSION_LACKS, given.span, what="`prompt`", hint=hint)
    if words(written.directory) != "empty":
        span = written.directory.span if written.directory is not None else given.span
        hint = "write `directory: empty`: a fresh folder for each case"
        el.findings.add(kinds.SESSION_LACKS, span, what="`directory: empty`", hint=hint)
    if given.network is not None and given.sandbox is None:
        el.findings.add(kinds.NETWORK_ALONE, given.network.span, network=given.network.text)


def _check_tables(el: Elaborator, given: SessionDecl | None) -> None:
    """Tables of what sessions leave behind, where there are none."""
    for table in el.spec.tables:
        if table.source.text in OF_SESSIONS and (given is None or given.session is None):
            el.findings.add(kinds.NO_SESSION, table.source.span, what=f"`from: {table.source.text}`")


# --- the tool's configuration ---------------------------------------------------------------------------------------


def _configured(el: Elaborator, written: ConfiguredDecl) -> Configured:
    for problem, hint in _of_configuration(el, written):
        el.findings.add(kinds.NOT_CONFIGURED, written.name.span, name=written.name.text, problem=problem, hint=hint)
    return Configured(written.name.text, words(written.file), words(written.key), texts(written.argv))


def _of_configuration(el: Elaborator, written: ConfiguredDecl) -> Iterator[tuple[str, str]]:
    form = "write `{file: PATH, key: NAME}` or `{command: [tool, --version]}`"
    if bool(written.argv) == (written.file is not None):
        yield "has both `file` and `command`" if written.argv else "has neither `file` nor `command`", form
    elif (written.file is None) != (written.key is None):
        yield "has one of `file` and `key`", form
    if written.file is not None and _outside(written.file.text):
        yield "names a file outside", "name a file beside the spec, or below `~/`"
    if written.name.text in SESSIONS:
        yield f"has the name of the column `{written.name.text}`", "choose another name, here and under `freeze`"
    frozen = {item.name.text: item.value for item in el.spec.procedure.freeze}
    value = frozen.get(written.name.text)
    if value is None or not isinstance(value.tree, syntax.String):
        hint = f'write `{written.name.text}: "..."` under `procedure.freeze`'
        yield "has no frozen text of its name", hint


def _outside(path: str) -> bool:
    return path.startswith("/") or ".." in path.split("/")


# --- what a turn used -----------------------------------------------------------------------------------------------


def _usage(el: Elaborator, given: SessionDecl, written: UsageDecl) -> Usage:
    for problem, hint in _of_count(given, written):
        el.findings.add(kinds.BAD_COUNT, written.name.span, name=written.name.text, problem=problem, hint=hint)
    return Usage(written.name.text, written.field.text, words(written.part_of))


def _of_count(given: SessionDecl, written: UsageDecl) -> Iterator[tuple[str, str]]:
    parts = {each.name.text: words(each.part_of) for each in given.usage}
    if written.name.text in TURNS:
        yield f"has the name of the column `{written.name.text}`", "choose another name"
    same = [each.name.text for each in given.usage if each.field.text == written.field.text]
    if same[0] != written.name.text:
        yield f"is the field of `{same[0]}`", "give each field one name"
    whole = parts[written.name.text]
    if whole and whole not in parts:
        yield f"is part of `{whole}`, which is no count", suggest.hint(whole, parts)
    for _ in parts:
        whole = parts.get(whole, "")
    if whole:
        yield "is part of itself", "name the count that includes it"


# --- what a session sees --------------------------------------------------------------------------------------------


def check_path(el: Elaborator, unit: str, name: Text) -> None:
    """Report (E0305) a path through references that ends at no column of a file or a listed table."""
    table = unit
    *references, last = name.text.split(".")
    for part in references:
        column = _column(el, table, part)
        if not isinstance(column, TypeName) or column.name not in el.names.declared:
            _unknown(el, name, table, part)
            return
        table = column.name
    if last not in _known(el, table):
        _unknown(el, name, table, last)


def _column(el: Elaborator, table: str, name: str) -> object:
    decl = el.names.declared.get(table)
    columns = decl.columns if isinstance(decl, TableDecl) else ()
    return next((column.type for column in columns if column.name.text == name), None)


def _known(el: Elaborator, table: str) -> list[str]:
    decl = el.names.declared.get(table)
    return [column.name.text for column in decl.columns] if isinstance(decl, TableDecl) else []


def _unknown(el: Elaborator, name: Text, table: str, part: str) -> None:
    hint = suggest.hint(part, _known(el, table))
    el.findings.add(name_kinds.UNKNOWN_COLUMN, name.span, table=table, name=part, hint=hint)


def session_of(protocol: core.Protocol) -> Session | None:
    """The sessions of a resolved protocol."""
    return protocol.subject.session if protocol.subject is not None else None
